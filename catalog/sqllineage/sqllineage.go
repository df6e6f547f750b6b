// Package sqllineage states the content of SQL as aspects: the lineage of the tables that statements
// write, the definitions of views, and queries.
package sqllineage

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// Proposal is an aspect that is to be written.
type Proposal struct {
	URN, EntityType, Aspect string
	Value                   catalog.Tree
}

// Given is the catalog's knowledge, and the one who states the lineage.
type Given struct {
	// URN returns the URN of a table by the name that a statement has for it, and whether the
	// catalog has the dataset.
	URN func(table string) (urn string, known bool)
	// Stored returns the upstreamLineage of a dataset; nil if it has none.
	Stored func(urn string) (catalog.Tree, error)
	// Dialect is the dialect of the statements. Statements of one dialect that differ only in literals are one query.
	Dialect string
	// Platform is the URN of the platform of the tables; "" leaves it out of queries.
	Platform string
	// Actor is the URN of the actor, and Now the moment, of the statements.
	Actor string
	Now   time.Time
}

// Run is a run of a statement.
type Run struct {
	// Query is the URN of the query.
	Query string
	// Actor is the URN of who ran the statement last, and At when; a zero At is not known.
	Actor string
	At    time.Time
}

// Result is the aspects that follow from statements.
type Result struct {
	Proposals []Proposal
	// Unknown are the tables that the catalog does not have, sorted. Lineage from or to an unknown
	// table is not stated, except to tables that a statement creates.
	Unknown []string
}

// confidencePossible is the confidence in a source if several sources are possible.
const confidencePossible = 0.5

// Of returns the aspects that follow from statements. Statements that write one table state its lineage
// together, beside the lineage that others have stated of it. An error comes from Stored.
func Of(statements []lineage.Statement, g Given) (*Result, error) {
	c := NewCollector(g)
	r := &Result{}
	for i := range statements {
		r.Proposals = append(r.Proposals, c.Add(&statements[i], nil)...)
	}
	for p, err := range c.Lineage() {
		if err != nil {
			return nil, err
		}
		r.Proposals = append(r.Proposals, *p)
	}
	r.Unknown = c.Unknown()
	return r, nil
}

// Collector collects the aspects that follow from statements, one after the other.
type Collector struct {
	given     Given
	unknown   map[string]bool
	created   map[string]bool // tables that statements so far have created
	targets   map[string]*target
	order     []*target
	queries   map[string]bool // queries that were proposed
	proposals []Proposal
}

// NewCollector returns a collector without statements.
func NewCollector(g Given) *Collector {
	return &Collector{given: g, unknown: map[string]bool{}, created: map[string]bool{}, targets: map[string]*target{}, queries: map[string]bool{}}
}

// Add adds a statement, and returns the aspects that follow from it except the lineage of tables: its query, or its view. run says
// when it ran; nil if that is not known.
func (c *Collector) Add(s *lineage.Statement, run *Run) []Proposal {
	c.statement(s, run)
	some := c.proposals
	c.proposals = nil
	return some
}

// Lineage returns the lineage of the tables that the statements write. The sequence ends at the first error, which is
// one of Stored.
func (c *Collector) Lineage() iter.Seq2[*Proposal, error] {
	return func(yield func(*Proposal, error) bool) {
		for _, t := range c.order {
			value, err := c.state(t)
			if err != nil {
				yield(nil, err)
				return
			}
			if value != nil && !yield(&Proposal{URN: t.urn, EntityType: model.EntityDataset, Aspect: model.AspectUpstreamLineage, Value: value}, nil) {
				return
			}
		}
	}
}

// Unknown returns the tables so far that the catalog does not have, sorted.
func (c *Collector) Unknown() []string { return slices.Sorted(maps.Keys(c.unknown)) }

// URN returns the URN of a table, and whether the catalog or the statements so far have it.
func (c *Collector) URN(table string) (string, bool) {
	urn, known := c.given.URN(table)
	return urn, known || c.created[table]
}

// target is a table that statements write.
type target struct {
	urn       string
	kind      string
	upstreams []upstream
	entries   []entry
}

type upstream struct {
	urn, query string
	stamp      catalog.Tree
}

// entry is an entry of fineGrainedLineages.
type entry struct {
	upstreams, downstreams []string
	way                    string
	confidence             float64
	query                  string
}

// stamp says who stated something, and when: who ran the statement, or else who states the lineage.
func (c *Collector) stamp(run *Run) catalog.Tree {
	at, actor := c.given.Now, c.given.Actor
	if run != nil && !run.At.IsZero() {
		at = run.At
	}
	if run != nil && run.Actor != "" {
		actor = run.Actor
	}
	return catalog.Tree{"time": at.UnixMilli(), "actor": actor}
}

func (c *Collector) propose(urn, entityType, aspect string, value catalog.Tree) {
	c.proposals = append(c.proposals, Proposal{URN: urn, EntityType: entityType, Aspect: aspect, Value: value})
}

// datasets returns the URNs of tables that the catalog has.
func (c *Collector) datasets(tables []string) []string {
	var urns []string
	for _, name := range tables {
		if urn, known := c.URN(name); known {
			urns = append(urns, urn)
		} else {
			c.unknown[name] = true
		}
	}
	return urns
}

func isView(kind string) bool {
	return kind == "create view" || kind == "create materialized view"
}

func (c *Collector) statement(s *lineage.Statement, run *Run) {
	reads := c.datasets(s.Reads)
	query := ""
	if written := c.written(s); len(reads)+len(written) > 0 && !isView(s.Kind) && s.Text != "" {
		query = c.query(s, run, reads, written)
	}
	if len(s.Writes) != 1 || len(reads) == 0 {
		return
	}
	urns := c.written(s)
	if len(urns) == 0 {
		c.unknown[s.Writes[0]] = true
		return
	}
	t := c.targets[urns[0]]
	if t == nil {
		t = &target{urn: urns[0]}
		c.targets[t.urn], c.order = t, append(c.order, t)
	}
	if isView(s.Kind) {
		c.view(t.urn, s)
	}
	t.kind = cmp.Or(t.kind, s.Kind)
	for _, urn := range reads {
		if urn != t.urn && !slices.ContainsFunc(t.upstreams, func(u upstream) bool { return u.urn == urn }) {
			t.upstreams = append(t.upstreams, upstream{urn, query, c.stamp(run)})
		}
	}
	t.entries = append(t.entries, c.entries(t.urn, query, s)...)
	c.created[s.Writes[0]] = true
}

// written returns the URN of the table that a statement writes: one that the catalog has, or one
// that the statement creates.
func (c *Collector) written(s *lineage.Statement) []string {
	var urns []string
	for _, name := range s.Writes {
		creates := s.Kind == "create table" || isView(s.Kind)
		if urn, known := c.URN(name); known || creates {
			urns = append(urns, urn)
		}
	}
	return urns
}

func (c *Collector) view(urn string, s *lineage.Statement) {
	c.propose(urn, model.EntityDataset, model.AspectViewProperties, catalog.Tree{
		"materialized": s.Kind == "create materialized view", "viewLogic": s.Text, "viewLanguage": "SQL",
	})
	c.propose(urn, model.EntityDataset, model.AspectSubTypes, catalog.Tree{"typeNames": []any{"View"}})
}

// entries returns the lineage of columns: an entry for each output, and one for each clause that
// reads columns without their values flowing.
func (c *Collector) entries(urn, query string, s *lineage.Statement) []entry {
	var list []entry
	var outputs []string
	for _, o := range s.Columns {
		if o.Output == "*" {
			continue
		}
		e := entry{downstreams: []string{columnURN(urn, o.Output)}, way: wayOf(o.How), confidence: 1, query: query}
		for _, from := range o.Sources {
			if dataset, known := c.URN(from.Table); known && from.Column != "*" {
				e.upstreams = append(e.upstreams, columnURN(dataset, from.Column))
				if from.Possible {
					e.confidence = confidencePossible
				}
			}
		}
		outputs = append(outputs, e.downstreams...)
		if len(e.upstreams) > 0 {
			list = append(list, e)
		}
	}
	return append(list, c.clauses(outputs, query, s)...)
}

// clauses returns the entries of the columns that are read, one for each clause.
func (c *Collector) clauses(outputs []string, query string, s *lineage.Statement) []entry {
	var list []entry
	if len(outputs) == 0 {
		return nil
	}
	for _, r := range s.ColumnsRead {
		dataset, known := c.URN(r.Table)
		way := clauseWays[r.Clause]
		if !known || r.Column == "*" || way == "" {
			continue
		}
		at := slices.IndexFunc(list, func(e entry) bool { return e.way == way })
		if at < 0 {
			at = len(list)
			list = append(list, entry{downstreams: outputs, way: way, confidence: 1, query: query})
		}
		column := columnURN(dataset, r.Column)
		if !slices.Contains(list[at].upstreams, column) {
			list[at].upstreams = append(list[at].upstreams, column)
		}
		if r.Possible {
			list[at].confidence = confidencePossible
		}
	}
	return list
}

// clauseWays are OpenLineage's words for clauses.
var clauseWays = map[string]string{
	lineage.ClauseJoin: "INDIRECT:JOIN", lineage.ClauseFilter: "INDIRECT:FILTER", lineage.ClauseHaving: "INDIRECT:FILTER",
	lineage.ClauseQualify: "INDIRECT:FILTER", lineage.ClauseSubquery: "INDIRECT:FILTER", lineage.ClauseGroup: "INDIRECT:GROUP_BY",
	lineage.ClauseWindow: "INDIRECT:WINDOW", lineage.ClauseOrder: "INDIRECT:SORT",
	lineage.ClauseSelect: "INDIRECT:CONDITIONAL", lineage.ClauseStar: "INDIRECT:CONDITIONAL",
}

func wayOf(how lineage.How) string {
	switch how {
	case lineage.Identity:
		return "DIRECT:IDENTITY"
	case lineage.Aggregation:
		return "DIRECT:AGGREGATION"
	default:
		return "DIRECT:TRANSFORMATION"
	}
}

func columnURN(dataset, column string) string {
	urn, err := model.ColumnURN(model.StoredURN(dataset), column)
	if err != nil {
		return "urn:li:schemaField:(" + dataset + "," + column + ")"
	}
	return urn.String()
}

// state returns the lineage of a table: the statements of others, and the lineage from SQL; nil if the table has no
// upstream. An entry of the statements replaces one of the same way to the same columns.
func (c *Collector) state(t *target) (catalog.Tree, error) {
	stored, err := c.given.Stored(t.urn)
	if err != nil {
		return nil, err
	}
	upstreams, entries := others(stored, t)
	kind := "TRANSFORMED"
	if isView(t.kind) {
		kind = "VIEW"
	}
	for _, u := range t.upstreams {
		one := catalog.Tree{"dataset": u.urn, "type": kind, "auditStamp": u.stamp}
		if u.query != "" {
			one["query"] = u.query
		}
		upstreams = append(upstreams, one)
	}
	for _, e := range t.entries {
		entries = append(entries, e.tree())
	}
	value := catalog.Tree{"upstreams": upstreams}
	if len(entries) > 0 {
		value["fineGrainedLineages"] = entries
	}
	if len(upstreams) == 0 {
		return nil, nil
	}
	return value, nil
}

func (e *entry) tree() catalog.Tree {
	list := func(urns []string) []any {
		items := make([]any, len(urns))
		for i, urn := range urns {
			items[i] = urn
		}
		return items
	}
	downstream := "FIELD"
	if len(e.downstreams) > 1 {
		downstream = "FIELD_SET"
	}
	tree := catalog.Tree{
		"upstreamType": "FIELD_SET", "upstreams": list(e.upstreams), "downstreamType": downstream, "downstreams": list(e.downstreams),
		"transformOperation": e.way, "confidenceScore": e.confidence,
	}
	if e.query != "" {
		tree["query"] = e.query
	}
	return tree
}

// others returns the stored lineage that is not stated again.
func others(stored catalog.Tree, t *target) (upstreams, entries []any) {
	upstreams, entries = []any{}, []any{}
	for _, u := range jsontree.Items(stored, "upstreams") {
		urn, _ := u["dataset"].(string)
		if !slices.ContainsFunc(t.upstreams, func(ours upstream) bool { return ours.urn == urn }) {
			upstreams = append(upstreams, u)
		}
	}
	for _, e := range jsontree.Items(stored, "fineGrainedLineages") {
		same := func(ours entry) bool {
			return ours.way == e["transformOperation"] && slices.Equal(ours.downstreams, jsontree.Texts(e, "downstreams"))
		}
		if !slices.ContainsFunc(t.entries, same) {
			entries = append(entries, e)
		}
	}
	return upstreams, entries
}

// File returns the proposal as a record of a file.
func (p *Proposal) File() (*model.FileProposal, error) {
	value, err := json.Marshal(p.Value)
	if err != nil {
		return nil, err
	}
	return &model.FileProposal{
		EntityType: p.EntityType, EntityURN: p.URN, ChangeType: "UPSERT", AspectName: p.Aspect,
		Aspect: &model.GenericContent{Value: string(value), ContentType: "application/json"},
	}, nil
}
