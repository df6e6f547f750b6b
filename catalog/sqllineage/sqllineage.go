// Package sqllineage states what SQL says as aspects: the lineage of the tables that statements
// write, the definitions of views, and queries.
package sqllineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// Given is what the catalog knows, and who states the lineage.
type Given struct {
	// URN returns the URN of a table by the name that a statement has for it, and whether the
	// catalog has the dataset.
	URN func(table string) (urn string, known bool)
	// Stored returns the upstreamLineage of a dataset; nil if it has none.
	Stored func(urn string) (catalog.Tree, error)
	// Actor is the URN of the actor, and Now the moment, of what is stated.
	Actor string
	Now   time.Time
}

// Result is what follows from statements.
type Result struct {
	Proposals []Proposal
	// Unknown are the tables that the catalog does not have, sorted. Lineage from them or to them
	// is not stated, except to tables that a statement creates.
	Unknown []string
}

// confidencePossible is the confidence in a source that is one of several possible ones.
const confidencePossible = 0.5

// Of returns what follows from statements. Statements that write one table state its lineage
// together, beside the lineage that others have stated of it. An error is one of Stored.
func Of(statements []lineage.Statement, g Given) (*Result, error) {
	c := &collector{given: g, unknown: map[string]bool{}, created: map[string]bool{}, targets: map[string]*target{}}
	for i := range statements {
		c.statement(&statements[i])
	}
	for _, t := range c.order {
		if err := c.state(t); err != nil {
			return nil, err
		}
	}
	r := &Result{Proposals: c.proposals}
	for name := range c.unknown {
		r.Unknown = append(r.Unknown, name)
	}
	slices.Sort(r.Unknown)
	return r, nil
}

type collector struct {
	given     Given
	unknown   map[string]bool
	created   map[string]bool // tables that statements so far have created
	targets   map[string]*target
	order     []*target
	proposals []Proposal
}

// target is a table that statements write.
type target struct {
	urn       string
	kind      string
	upstreams []upstream
	entries   []entry
}

type upstream struct{ urn, query string }

// entry is an entry of fineGrainedLineages.
type entry struct {
	upstreams, downstreams []string
	way                    string
	confidence             float64
	query                  string
}

func (c *collector) stamp() catalog.Tree {
	return catalog.Tree{"time": c.given.Now.UnixMilli(), "actor": c.given.Actor}
}

func (c *collector) propose(urn, entityType, aspect string, value catalog.Tree) {
	c.proposals = append(c.proposals, Proposal{URN: urn, EntityType: entityType, Aspect: aspect, Value: value})
}

// urn returns the URN of a table, and whether the catalog or the statements so far have it.
func (c *collector) urn(name string) (string, bool) {
	urn, known := c.given.URN(name)
	return urn, known || c.created[name]
}

// datasets returns the URNs of tables that the catalog has.
func (c *collector) datasets(tables []string) []string {
	var urns []string
	for _, name := range tables {
		if urn, known := c.urn(name); known {
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

func (c *collector) statement(s *lineage.Statement) {
	reads := c.datasets(s.Reads)
	query := ""
	if subjects := slices.Concat(reads, c.written(s)); len(subjects) > 0 && !isView(s.Kind) && s.Text != "" {
		query = c.query(s.Text, subjects)
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
			t.upstreams = append(t.upstreams, upstream{urn, query})
		}
	}
	t.entries = append(t.entries, c.entries(t.urn, query, s)...)
	c.created[s.Writes[0]] = true
}

// written returns the URN of the table that a statement writes: one that the catalog has, or one
// that the statement creates.
func (c *collector) written(s *lineage.Statement) []string {
	var urns []string
	for _, name := range s.Writes {
		creates := s.Kind == "create table" || isView(s.Kind)
		if urn, known := c.urn(name); known || creates {
			urns = append(urns, urn)
		}
	}
	return urns
}

// query proposes a query entity, and returns its URN.
func (c *collector) query(text string, subjects []string) string {
	sum := sha256.Sum256([]byte(text))
	urn := "urn:li:query:" + hex.EncodeToString(sum[:])
	list := []any{}
	for _, s := range subjects {
		list = append(list, catalog.Tree{"entity": s})
	}
	c.propose(urn, model.EntityQuery, model.AspectQueryProperties, catalog.Tree{
		"statement": catalog.Tree{"value": text, "language": "SQL"}, "source": "SYSTEM", "created": c.stamp(), "lastModified": c.stamp(),
	})
	c.propose(urn, model.EntityQuery, model.AspectQuerySubjects, catalog.Tree{"subjects": list})
	return urn
}

func (c *collector) view(urn string, s *lineage.Statement) {
	c.propose(urn, model.EntityDataset, model.AspectViewProperties, catalog.Tree{
		"materialized": s.Kind == "create materialized view", "viewLogic": s.Text, "viewLanguage": "SQL",
	})
	c.propose(urn, model.EntityDataset, model.AspectSubTypes, catalog.Tree{"typeNames": []any{"View"}})
}

// entries returns the lineage of columns: an entry for each output, and one for each clause that
// reads columns without their values flowing.
func (c *collector) entries(urn, query string, s *lineage.Statement) []entry {
	var list []entry
	var outputs []string
	for _, o := range s.Columns {
		if o.Output == "*" {
			continue
		}
		e := entry{downstreams: []string{columnURN(urn, o.Output)}, way: wayOf(o.How), confidence: 1, query: query}
		for _, from := range o.Sources {
			if dataset, known := c.urn(from.Table); known && from.Column != "*" {
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
func (c *collector) clauses(outputs []string, query string, s *lineage.Statement) []entry {
	var list []entry
	if len(outputs) == 0 {
		return nil
	}
	for _, r := range s.ColumnsRead {
		dataset, known := c.urn(r.Table)
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

// state proposes the lineage of a table: what others have stated, and what statements say. An entry
// of the statements replaces one of the same way to the same columns.
func (c *collector) state(t *target) error {
	stored, err := c.given.Stored(t.urn)
	if err != nil {
		return err
	}
	upstreams, entries := others(stored, t)
	kind := "TRANSFORMED"
	if isView(t.kind) {
		kind = "VIEW"
	}
	for _, u := range t.upstreams {
		one := catalog.Tree{"dataset": u.urn, "type": kind, "auditStamp": c.stamp()}
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
	if len(upstreams) > 0 {
		c.propose(t.urn, model.EntityDataset, model.AspectUpstreamLineage, value)
	}
	return nil
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

// others returns what is stored and not stated again.
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

// JSON returns the proposal as the REST interface takes it.
func (p *Proposal) JSON(runID string, now time.Time) (json.RawMessage, error) {
	value, err := json.Marshal(p.Value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"entityType": p.EntityType, "entityUrn": p.URN, "changeType": "UPSERT", "aspectName": p.Aspect,
		"aspect":         map[string]any{"value": string(value), "contentType": "application/json"},
		"systemMetadata": map[string]any{"runId": runID, "lastObserved": now.UnixMilli()},
	})
}
