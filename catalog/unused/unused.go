// Package unused finds the columns that nobody reads, and names the evidence: lineage, SQL, assertions, queries, and the
// usage of datasets. The package decides when nobody reads a column; package lineage says who reads it. The package
// writes nothing.
package unused

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// The verdicts on a column.
const (
	// VerdictUnused: nobody reads the column, and the catalog knows of readers of its dataset.
	VerdictUnused = "unused"
	// VerdictNotKnown: nobody is known to read the column, and something may.
	VerdictNotKnown = "notKnown"
	// VerdictRead: something reads the column.
	VerdictRead = "read"
)

// Store is the part of the graph store that the package reads.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error)
}

// Readers says who reads columns.
type Readers interface {
	ReadersOf(ctx context.Context, dataset model.URN, columns []model.URN, since int64) (*lineage.DatasetReaders, error)
}

// Usage sums up the usage of datasets.
type Usage interface {
	UsageOf(ctx context.Context, resources []model.URN, q read.UsageQuery) (map[string]read.UsageResult, error)
}

// Searcher finds datasets by words.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Result, error)
}

// Options configure a Service. All are required.
type Options struct {
	Store   Store
	Readers Readers
	Usage   Usage
	Search  Searcher
	Now     func() time.Time
}

// Service finds unused columns. Service is safe for concurrent use.
type Service struct{ o Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// Request asks for columns that nobody reads. Without Datasets and Query, all datasets are looked at, in the order of
// their URNs.
type Request struct {
	Datasets, Platforms []model.URN
	// Query are words by which datasets are searched for; "" for none.
	Query string
	// Days is the number of days before now in which nobody must have read a column; 0 is limits.DefaultUnusedDays.
	Days int
	// All lists the columns that are read, too.
	All bool
	// Start is the number of datasets to pass over: Next of the page before. Count is how many columns to look at; 0 is
	// limits.DefaultUnusedColumns. A page has all columns of its last dataset, so it may have more columns.
	Start, Count int
}

// Page are the columns of some datasets.
type Page struct {
	// Since is the moment at which the Days of the request begin, epoch milliseconds.
	Since   int64    `json:"since"`
	Columns []Column `json:"columns"`
	// Datasets and Judged count the datasets and columns that were looked at for this page.
	Datasets int `json:"datasets"`
	Judged   int `json:"judged"`
	// Next is the Start of the next page; 0 after the last one.
	Next int `json:"next,omitempty"`
	// Partial says that datasets or columns are missing, and why.
	Partial string `json:"partial,omitempty"`
}

// Column is a column with a verdict.
type Column struct {
	URN     string `json:"urn"`
	Dataset string `json:"dataset"`
	Path    string `json:"path"`
	Type    string `json:"type,omitempty"`
	Verdict string `json:"verdict"`
	// Doubts say why the verdict is not VerdictUnused: each a sentence.
	Doubts []string `json:"doubts,omitempty"`
	// Readers read the column, if the verdict is VerdictRead, or may read it: the first limits.MaxUnusedReaders of
	// ReaderCount.
	Readers     []lineage.ColumnReader `json:"readers,omitempty"`
	ReaderCount int                    `json:"readerCount,omitempty"`
	// Basis is the evidence for the verdict.
	Basis Basis `json:"basis"`
}

// Basis is the evidence of the readers of a dataset.
type Basis struct {
	// UsageDays counts the days with known usage of the dataset, among the Days of the request. UsageQueries counts the
	// queries that read the dataset on these days. UsageColumns tells that the usage names the columns that are read.
	UsageDays    int   `json:"usageDays"`
	UsageQueries int64 `json:"usageQueries"`
	UsageColumns bool  `json:"usageColumns"`
	// Queries counts the known queries about the dataset: saved queries, and queries that ran within the Days of the request.
	Queries int `json:"queries"`
}

// pagePatience is how long a page may take. A page that takes longer ends with the dataset that was looked at last.
const pagePatience = 10 * time.Second

// Columns returns a page of columns that nobody reads, or of which the catalog does not know whether somebody reads
// them. It fails with Invalid for a page or a number of days beyond the limits, and for URNs of other types.
func (s *Service) Columns(ctx context.Context, r Request) (*Page, error) {
	if err := s.check(&r); err != nil {
		return nil, err
	}
	now := s.o.Now()
	page := &Page{Since: now.AddDate(0, 0, -r.Days).UnixMilli(), Columns: []Column{}}
	at := r.Start
	for page.Judged < r.Count && s.o.Now().Sub(now) < pagePatience {
		some, more, err := s.datasets(ctx, &r, at, page)
		if err != nil {
			return nil, err
		}
		stored, err := s.o.Store.LatestAspects(ctx, slices.DeleteFunc(slices.Clone(some), func(urn string) bool { return urn == "" }), []string{model.AspectSchemaMetadata, model.AspectStatus})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i, dataset := range some {
			if page.Judged >= r.Count || s.o.Now().Sub(now) >= pagePatience {
				more, some = true, some[:i]
				break
			}
			if err := s.judge(ctx, &r, dataset, stored[dataset], page); err != nil {
				return nil, err
			}
		}
		at += len(some)
		if !more {
			return page, nil
		}
		page.Next = at
	}
	return page, nil
}

func (s *Service) check(r *Request) error {
	if r.Days == 0 {
		r.Days = limits.DefaultUnusedDays
	}
	if r.Count == 0 {
		r.Count = limits.DefaultUnusedColumns
	}
	if r.Days < 0 || r.Days > limits.MaxUnusedDays {
		return catalog.Errorf(catalog.Invalid, "days must be from 1 to %d", limits.MaxUnusedDays)
	}
	if r.Start < 0 || r.Count < 0 || r.Count > limits.MaxUnusedColumns {
		return catalog.Errorf(catalog.Invalid, "a page begins at 0 or later and looks at %d columns at most", limits.MaxUnusedColumns)
	}
	for name, list := range map[string]struct {
		urns []model.URN
		of   string
	}{"datasets": {r.Datasets, model.EntityDataset}, "platforms": {r.Platforms, model.EntityDataPlatform}} {
		if err := catalog.TooMany(name, len(list.urns), limits.MaxUnusedDatasets); err != nil {
			return err
		}
		for _, urn := range list.urns {
			if err := catalog.RequireType(urn, list.of); err != nil {
				return err
			}
		}
	}
	return nil
}

// datasetsAtOnce is how many datasets are read at once.
const datasetsAtOnce = 100

// datasets returns the next datasets of a request, and whether there are more. A dataset that a filter leaves out is "".
func (s *Service) datasets(ctx context.Context, r *Request, at int, page *Page) (some []string, more bool, err error) {
	switch {
	case r.Query != "":
		found, err := s.o.Search.Search(ctx, search.Request{
			Types: []string{model.EntityDataset}, Input: r.Query, Start: at, Count: datasetsAtOnce, WithoutMatches: true, Facets: []string{},
			Sort: &search.SortCriterion{Field: "urn", Order: "ASCENDING"},
		})
		if err != nil {
			return nil, false, err
		}
		for i := range found.Hits {
			some = append(some, found.Hits[i].URN)
		}
		more = at+len(some) < found.Total
	case len(r.Datasets) > 0:
		all := catalog.Texts(r.Datasets)
		some = slices.Clone(all[min(at, len(all)):min(at+datasetsAtOnce, len(all))])
		more = at+len(some) < len(all)
	default:
		var total int64
		some, total, err = s.o.Store.ListEntities(ctx, model.EntityDataset, graphstore.Page{Start: at, Count: datasetsAtOnce})
		if err != nil {
			return nil, false, catalog.StoreFailure(err)
		}
		more = int64(at+len(some)) < total
	}
	if len(some) == 0 {
		return nil, false, nil
	}
	platforms := catalog.Texts(r.Platforms)
	for i, dataset := range some {
		if len(platforms) > 0 && !slices.Contains(platforms, read.PlatformOf(dataset, &graphstore.Entity{})) {
			some[i] = ""
		}
	}
	return some, more, nil
}

// judge adds the columns of a dataset to a page.
func (s *Service) judge(ctx context.Context, r *Request, dataset string, aspects []graphstore.Aspect, page *Page) error {
	columns, err := columnsOf(dataset, aspects)
	if err != nil || len(columns) == 0 {
		return err
	}
	if len(columns) > limits.MaxUnusedColumns {
		columns = columns[:limits.MaxUnusedColumns]
		page.Partial = fmt.Sprintf("%s has more columns than are looked at, %d", dataset, limits.MaxUnusedColumns)
	}
	parsed, err := model.ParseURN(dataset)
	if err != nil {
		return catalog.Errorf(catalog.Internal, "%s: %w", dataset, err)
	}
	usage, err := s.o.Usage.UsageOf(ctx, []model.URN{parsed}, read.UsageQuery{From: page.Since})
	if err != nil {
		return err
	}
	urns := make([]model.URN, len(columns))
	for i := range columns {
		if urns[i], err = model.ColumnURN(parsed, columns[i].Path); err != nil {
			return catalog.Errorf(catalog.Internal, "column %s of %s: %w", columns[i].Path, dataset, err)
		}
	}
	readers, err := s.o.Readers.ReadersOf(ctx, parsed, urns, page.Since)
	if err != nil {
		return err
	}
	known := usageOf(usage[dataset])
	known.basis.Queries = readers.Queries
	page.Datasets++
	page.Judged += len(columns)
	judged := make([]Column, len(columns))
	for i := range columns {
		c := &judged[i]
		*c = Column{URN: urns[i].String(), Dataset: dataset, Path: model.PlainPath(columns[i].Path), Type: columns[i].NativeType, Basis: known.basis}
		c.decide(readers.Columns[c.URN], known, readers.Partial)
	}
	readWithParts(judged)
	for i := range judged {
		if r.All || judged[i].Verdict != VerdictRead {
			page.Columns = append(page.Columns, judged[i])
		}
	}
	return nil
}

// readWithParts gives VerdictRead to columns with a part that is read, and to the parts of columns that are read.
func readWithParts(columns []Column) {
	around := map[string]bool{} // the columns that contain a field that is read
	isRead := map[string]bool{}
	for i := range columns {
		if columns[i].Verdict == VerdictRead {
			isRead[columns[i].Path] = true
			for _, path := range outer(columns[i].Path) {
				around[path] = true
			}
		}
	}
	for i := range columns {
		c := &columns[i]
		if c.Verdict != VerdictRead && (around[c.Path] || slices.ContainsFunc(outer(c.Path), func(path string) bool { return isRead[path] })) {
			c.Verdict, c.Doubts, c.Readers, c.ReaderCount = VerdictRead, nil, nil, 0
		}
	}
}

// outer returns the paths of the columns around a column.
func outer(path string) []string {
	var paths []string
	for i, c := range path {
		if c == '.' {
			paths = append(paths, path[:i])
		}
	}
	return paths
}

// columnsOf returns the columns of a dataset that is not soft-deleted.
func columnsOf(dataset string, aspects []graphstore.Aspect) ([]statements.Column, error) {
	var columns []statements.Column
	for i := range aspects {
		a := &aspects[i]
		if a.Name == model.AspectStatus {
			tree, err := catalog.TreeOf(a.Value)
			if err != nil {
				return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", a.Name, dataset, err)
			}
			if tree["removed"] == true {
				return nil, nil
			}
			continue
		}
		var err error
		if columns, err = statements.ColumnsOf(a.Value, nil); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", a.Name, dataset, err)
		}
	}
	return columns, nil
}

// usage is the stated usage of a dataset.
type usage struct {
	basis  Basis
	fields []string
}

func usageOf(found read.UsageResult) usage {
	u := usage{}
	days := map[int64]bool{}
	for i := range found.Buckets {
		days[found.Buckets[i].Bucket/(24*time.Hour).Milliseconds()] = true
	}
	u.basis.UsageDays = len(days)
	u.basis.UsageQueries = optional.Or(found.Aggregations.TotalSQLQueries, 0)
	for _, f := range found.Aggregations.Fields {
		if f.Count > 0 {
			u.fields = append(u.fields, model.PlainPath(f.FieldName))
		}
	}
	u.basis.UsageColumns = len(u.fields) > 0
	return u
}

// names reports whether the usage names a column, or a column around it.
func (u *usage) names(path string) bool {
	return slices.ContainsFunc(u.fields, func(field string) bool {
		a, b := strings.ToLower(field), strings.ToLower(path)
		return a == b || strings.HasPrefix(b, a+".")
	})
}

// decide sets the verdict on a column, with its readers and its doubts.
func (c *Column) decide(readers *lineage.ColumnReaders, known usage, partial string) {
	show := func(some []lineage.ColumnReader) {
		c.Readers, c.ReaderCount = some[:min(len(some), limits.MaxUnusedReaders)], len(some)
	}
	if len(readers.Certain) > 0 || known.names(c.Path) {
		show(readers.Certain)
		c.Verdict = VerdictRead
		return
	}
	show(readers.Possible)
	if c.ReaderCount > 0 {
		c.Doubts = append(c.Doubts, "something reads the table, and does not say which columns it reads")
	}
	if known.basis.UsageQueries > 0 && !known.basis.UsageColumns {
		c.Doubts = append(c.Doubts, "the usage of the table does not say which columns are read")
	}
	if known.basis.UsageDays == 0 && known.basis.Queries == 0 {
		c.Doubts = append(c.Doubts, "neither the usage of the table nor a query about it is known")
	}
	if partial != "" {
		c.Doubts = append(c.Doubts, partial)
	}
	c.Verdict = VerdictUnused
	if len(c.Doubts) > 0 {
		c.Verdict = VerdictNotKnown
	}
}
