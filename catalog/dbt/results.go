package dbt

import (
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/python"
)

// catalogNode is a table in the catalog.
type catalogNode struct {
	Metadata struct {
		Type string `json:"type"`
	} `json:"metadata"`
	Columns columnsOf            `json:"columns"`
	Stats   map[string]statistic `json:"stats"`
}

// statistic is a figure of a table.
type statistic struct {
	Include bool            `json:"include"`
	Value   json.RawMessage `json:"value"`
}

// whole returns the figure as a whole number, nil if it is none.
func (s statistic) whole() *int64 {
	text := strings.Trim(string(s.Value), `" `)
	f, ok := new(big.Float).SetString(text)
	if !s.Include || !ok {
		return nil
	}
	if n, _ := f.Int64(); f.IsInt() || s.Value[0] != '"' {
		return &n
	}
	return nil
}

// catalog reads a member of the catalog.
func (r *reading) catalog(name, path string, decoder *json.Decoder, _ *metadata) error {
	if name != "nodes" && name != "sources" {
		return discard(decoder)
	}
	return members(decoder, func(id string) error {
		var c catalogNode
		if err := decoder.Decode(&c); err != nil {
			return at(path+"["+python.JSONString(id)+"]", err)
		}
		n := r.Nodes[id]
		if n == nil || n.Type == typeSemanticModel {
			return nil
		}
		n.catalogType = &c.Metadata.Type
		n.rows, n.bytes = c.Stats["num_rows"].whole(), c.Stats["num_bytes"].whole()
		if !n.hasCatalogColumns() {
			return nil
		}
		for _, name := range c.Columns.names {
			found, described := c.Columns.byName[name], r.columns[id].find(name)
			n.Columns = append(n.Columns, Column{Name: found.Name, Type: found.Type, Comment: found.Comment, Description: described.Description, Tags: described.Tags, meta: described.Meta})
		}
		return nil
	})
}

// sourceResult is the result of a freshness check.
type sourceResult struct {
	ID          string          `json:"unique_id"`
	Status      string          `json:"status"`
	Loaded      string          `json:"max_loaded_at"`
	Snapshotted string          `json:"snapshotted_at"`
	Age         json.RawMessage `json:"max_loaded_at_time_ago_in_s"`
	Criteria    struct {
		Warn  *criterion `json:"warn_after"`
		Error *criterion `json:"error_after"`
	} `json:"criteria"`
}

// sources reads a member of the results of freshness checks.
func (r *reading) sources(name, path string, decoder *json.Decoder, m *metadata) error {
	if name != "results" {
		return discard(decoder)
	}
	return elements(decoder, func(number int) error {
		var s sourceResult
		place := element(path, number)
		if err := decoder.Decode(&s); err != nil {
			return at(place, err)
		}
		n := r.Nodes[s.ID]
		if n == nil {
			return nil
		}
		var err error
		if n.loaded, err = optionalTime(place+".max_loaded_at", s.Loaded); err != nil {
			return err
		}
		snapshotted, err := optionalTime(place+".snapshotted_at", s.Snapshotted)
		if err != nil || s.Status == "" || n.loaded.IsZero() || snapshotted.IsZero() {
			return err
		}
		n.freshness = &freshness{
			invocation: m.Invocation, status: s.Status, loaded: n.loaded, snapshotted: snapshotted, age: s.Age,
			warn: s.Criteria.Warn.stated(), failure: s.Criteria.Error.stated(),
		}
		return nil
	})
}

// stated returns the criterion, nil if it has no age.
func (c *criterion) stated() *criterion {
	if c == nil || c.Count == nil || string(c.Count) == "null" || c.Period == "" {
		return nil
	}
	return c
}

// runResult is the result of a node in an invocation.
type runResult struct {
	ID       string `json:"unique_id"`
	Status   string `json:"status"`
	Message  string `json:"message"`
	Failures int64  `json:"failures"`
	Timing   []struct {
		Name  string `json:"name"`
		Began string `json:"started_at"`
		Ended string `json:"completed_at"`
	} `json:"timing"`
}

// execution returns when the result's node began and ended to run. Zero means unknown.
func (s *runResult) execution(path string) (began, ended time.Time, err error) {
	for i, timing := range s.Timing {
		if timing.Name != "execute" {
			continue
		}
		place := element(path+".timing", i)
		if began, err = optionalTime(place+".started_at", timing.Began); err != nil {
			return began, ended, err
		}
		if ended, err = optionalTime(place+".completed_at", timing.Ended); err != nil {
			return began, ended, err
		}
	}
	return began, ended, nil
}

// runResults reads a member of the results of an invocation. Those of "dbt docs generate" tell that code was compiled,
// and are left out.
func (r *reading) runResults(name, path string, decoder *json.Decoder, m *metadata) error {
	switch name {
	case "args":
		var arguments struct {
			Which string `json:"which"`
		}
		if err := decoder.Decode(&arguments); err != nil {
			return err
		}
		if arguments.Which == "generate" {
			r.withdraw(m.Invocation)
		}
		return nil
	case "results":
		return elements(decoder, func(number int) error {
			var s runResult
			place := element(path, number)
			if err := decoder.Decode(&s); err != nil {
				return at(place, err)
			}
			began, ended, err := s.execution(place)
			if err != nil {
				return err
			}
			return r.result(&s, m, began, ended)
		})
	}
	return discard(decoder)
}

// result adds a result to its node.
func (r *reading) result(s *runResult, m *metadata, began, ended time.Time) error {
	n := r.Nodes[s.ID]
	switch {
	case n == nil || r.withdrawn[m.Invocation]:
	case n.Type == typeTest:
		if s.Status == "skipped" {
			return nil // the test has not run, so it has no outcome
		}
		if began.IsZero() {
			var err error
			if began, err = parseTime(m.Generated); err != nil {
				return &pathError{"$.metadata.generated_at", err}
			}
		}
		n.results = append(n.results, result{invocation: m.Invocation, status: s.Status, message: s.Message, failures: s.Failures, at: began})
	case (s.Status == "success" || s.Status == "error") && !began.IsZero() && !ended.IsZero():
		n.runs = append(n.runs, run{invocation: m.Invocation, status: s.Status, began: began, ended: ended})
	}
	return nil
}

// withdraw removes the results of an invocation.
func (r *reading) withdraw(invocation string) {
	r.Notes = append(r.Notes, `the run results of "dbt docs generate" are left out: that command builds and tests nothing`)
	if r.withdrawn == nil {
		r.withdrawn = map[string]bool{}
	}
	r.withdrawn[invocation] = true
	for _, n := range r.Nodes {
		n.results = without(n.results, func(one result) bool { return one.invocation == invocation })
		n.runs = without(n.runs, func(one run) bool { return one.invocation == invocation })
	}
}

func without[T any](all []T, gone func(T) bool) []T {
	var kept []T
	for _, one := range all {
		if !gone(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
