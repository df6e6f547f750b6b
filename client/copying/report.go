package copying

import (
	"encoding/json"
	"io"
	"sort"
	"strings"
	"sync"
)

// Both is a number for the source and for the target.
type Both struct {
	Source int `json:"source"`
	// Here counts the source's values that the target also has.
	Here int `json:"here"`
}

func (b *Both) add(source, here int) { b.Source, b.Here = b.Source+source, b.Here+here }

// TypeReport is the result for the entities of one type.
type TypeReport struct {
	Type        string `json:"type"`
	Entities    Both   `json:"entities"`
	Aspects     Both   `json:"aspects"`
	Values      Both   `json:"timeseriesValues"`
	Differences int    `json:"differences"`

	// aspects counts the values read, by aspect. listed counts the entities that the source listed, searched
	// the entities that only a search found.
	aspects          map[string]int
	listed, searched int
}

// Difference is an entity or value that the source has and the target lacks, or a
// contradiction in the source.
type Difference struct {
	Type string `json:"type"`
	// URN and Aspect are empty if the difference is not about a single one.
	URN     string `json:"urn,omitempty"`
	Aspect  string `json:"aspect,omitempty"`
	Message string `json:"message"`
}

// Report is the outcome of a copy.
type Report struct {
	// Release is the release that the source states, or "".
	Release string       `json:"release"`
	Types   []TypeReport `json:"types"`
	Total   TypeReport   `json:"total"`
	// Written counts the values that the copy has written, of aspects and of time series.
	Written struct {
		Aspects int `json:"aspects"`
		Values  int `json:"timeseriesValues"`
	} `json:"written"`
	// Deleted counts the entities that the copy has deleted, because the source has.
	Deleted int `json:"deleted"`
	// Uncounted is the error with which the source refused to count an aspect, "" if it
	// counted all.
	Uncounted string `json:"uncounted,omitempty"`
	// Differences has the first differences, DifferenceCount the number of all.
	DifferenceCount int          `json:"differenceCount"`
	Differences     []Difference `json:"differences"`
}

// keptDifferences bounds the number of differences in a report.
const keptDifferences = 100

// longestMessage bounds the size of a difference's message in bytes.
const longestMessage = 1000

// report collects the data of a Report.
type report struct {
	to                 io.Writer
	release, uncounted string

	// lock guards the fields below.
	lock        sync.Mutex
	types       map[string]*TypeReport
	order       []string
	written     [2]int
	deleted     int
	differences []Difference
	count       int
	broken      error
}

// of returns the counts of a type. The caller holds the lock.
func (r *report) of(name string) *TypeReport {
	if r.types == nil {
		r.types = map[string]*TypeReport{}
	}
	t := r.types[name]
	if t == nil {
		t = &TypeReport{Type: name, aspects: map[string]int{}}
		r.types[name] = t
		r.order = append(r.order, name)
	}
	return t
}

// ofType returns the counts of a type. The type must not be copied at the moment.
func (r *report) ofType(name string) *TypeReport {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.of(name)
}

// note lets change change the counts of a type.
func (r *report) note(name string, change func(*TypeReport)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	change(r.of(name))
}

// wrote counts values that were written to the target.
func (r *report) wrote(aspects, values int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.written[0], r.written[1] = r.written[0]+aspects, r.written[1]+values
}

// deletedOne counts an entity that was deleted.
func (r *report) deletedOne(kind string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.of(kind) // a type whose last entity is deleted is in the report
	r.deleted++
}

// differ records a difference.
func (r *report) differ(d Difference) {
	d.Message = strings.ToValidUTF8(d.Message[:min(len(d.Message), longestMessage)], "")
	r.lock.Lock()
	defer r.lock.Unlock()
	r.of(d.Type).Differences++
	if r.count++; len(r.differences) < keptDifferences {
		r.differences = append(r.differences, d)
	}
	if r.to != nil && r.broken == nil {
		r.broken = json.NewEncoder(r.to).Encode(d)
	}
}

// finish returns the report. The error says why differences could not be written to a file.
func (r *report) finish() (*Report, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	all := &Report{Release: r.release, Types: []TypeReport{}, Uncounted: r.uncounted, DifferenceCount: r.count, Differences: append([]Difference{}, r.differences...)}
	all.Total.Type = "all"
	all.Written.Aspects, all.Written.Values = r.written[0], r.written[1]
	all.Deleted = r.deleted
	sort.Strings(r.order)
	for _, name := range r.order {
		t := *r.types[name]
		all.Types = append(all.Types, t)
		all.Total.Entities.add(t.Entities.Source, t.Entities.Here)
		all.Total.Aspects.add(t.Aspects.Source, t.Aspects.Here)
		all.Total.Values.add(t.Values.Source, t.Values.Here)
		all.Total.Differences += t.Differences
	}
	return all, r.broken
}
