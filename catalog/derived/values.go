package derived

import (
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// given is the input from which lineage is stated. The names of tables are their URNs.
func (d *derivation) given() sqllineage.Given {
	return sqllineage.Given{
		URN:     func(table string) (string, bool) { return table, strings.HasPrefix(table, "urn:") },
		Stored:  func(string) (catalog.Tree, error) { return nil, nil },
		Dialect: d.tables.place.dialect,
	}
}

// writesColumns reports whether a statement has columns that a table may consist of.
func writesColumns(s *lineage.Statement) bool {
	return len(s.Columns) > 0 && (s.Kind == "select" || len(s.Writes) == 1)
}

// ofDataset returns the lineage of a dataset that the last query in its SQL makes.
func (d *derivation) ofDataset(statements []lineage.Statement, prefer bool) (catalog.Tree, error) {
	for i := range slices.Backward(statements) {
		if !writesColumns(&statements[i]) {
			continue
		}
		made := statements[i]
		made.Kind, made.Writes, made.Text = "create view", []string{d.urn.String()}, ""
		made.Columns = d.named(made.Columns)
		return d.lineage([]lineage.Statement{made}, d.values[model.AspectUpstreamLineage], prefer)
	}
	return nil, nil
}

// named returns outputs with the names that the columns of the dataset have: in their letter case, and by their places if
// the SQL has other names, because a view may name its columns elsewhere.
func (d *derivation) named(outputs []lineage.Output) []lineage.Output {
	var columns []string
	for _, f := range jsontree.Items(d.values[model.AspectSchemaMetadata], "fields") {
		if path := model.PlainPath(jsontree.Text(f, "fieldPath")); !strings.Contains(path, ".") {
			columns = append(columns, path)
		}
	}
	named, used := slices.Clone(outputs), map[int]bool{}
	for i := range named {
		at := slices.Index(columns, named[i].Output)
		if at < 0 {
			at = slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, named[i].Output) })
		}
		if at >= 0 {
			named[i].Output, used[at] = columns[at], true
		}
	}
	for i := range named {
		if len(named) == len(columns) && !used[i] && !slices.Contains(columns, named[i].Output) {
			named[i].Output = columns[i]
		}
	}
	return named
}

// ofJob returns the lineage of the columns that a job writes. A query without a target writes the only output of the job.
func (d *derivation) ofJob(statements []lineage.Statement, prefer bool) (catalog.Tree, error) {
	io := d.values[model.AspectDataJobInputOutput]
	outputs := jsontree.Texts(io, "outputDatasets")
	for _, edge := range jsontree.Items(io, "outputDatasetEdges") {
		if urn := jsontree.Text(edge, "destinationUrn"); !slices.Contains(outputs, urn) {
			outputs = append(outputs, urn)
		}
	}
	var writing []lineage.Statement
	for i := range statements {
		s := statements[i]
		if s.Kind == "select" && len(s.Writes) == 0 && len(outputs) == 1 {
			s.Kind, s.Writes = "insert", outputs
		}
		if s.Text = ""; len(s.Writes) == 1 && strings.HasPrefix(s.Writes[0], "urn:") {
			writing = append(writing, s)
		}
	}
	value, err := d.lineage(writing, io, prefer)
	if value == nil || err != nil || len(jsontree.Items(value, "fineGrainedLineages")) == 0 && value["differences"] == nil {
		return nil, err
	}
	value["upstreams"] = []any{} // the tables are those that the job states
	return value, nil
}

// lineage returns the lineage that the SQL statements say and nobody has stated, and the differences from what a
// client's SQL parser has stated; if the derived lineage is preferred, it overrules the client's. lineage returns nil
// if there is neither.
func (d *derivation) lineage(statements []lineage.Statement, stated catalog.Tree, prefer bool) (catalog.Tree, error) {
	result, err := sqllineage.Of(statements, d.given())
	if err != nil {
		return nil, err
	}
	var upstreams, entries []any
	for _, p := range result.Proposals {
		if p.Aspect == model.AspectUpstreamLineage {
			upstreams = append(upstreams, jsontree.Array(p.Value, "upstreams")...)
			entries = append(entries, jsontree.Array(p.Value, "fineGrainedLineages")...)
		}
	}
	value := catalog.Tree{"upstreams": []any{}}
	known := newStated(stated)
	if d.whole {
		d.differ(value, known, d.compare(readBy(statements), entries, stated), prefer)
	}
	for _, u := range upstreams {
		one, _ := u.(catalog.Tree)
		if known.tables[jsontree.Text(one, "dataset")] {
			continue
		}
		value["upstreams"] = append(value["upstreams"].([]any), catalog.Tree{
			"dataset": one["dataset"], "type": one["type"], "auditStamp": catalog.Tree{"time": 0, "actor": d.actor()},
			"properties": catalog.Tree{model.DerivedProperty: "true"},
		})
	}
	var lacking []any
	for _, e := range entries {
		one, _ := e.(catalog.Tree)
		lacking = append(lacking, known.lacks(one)...)
	}
	if len(lacking) > 0 {
		value["fineGrainedLineages"] = lacking
	}
	if len(lacking) == 0 && len(jsontree.Array(value, "upstreams")) == 0 && value["differences"] == nil {
		return nil, nil
	}
	return value, nil
}

// differ puts differences into a value.
func (d *derivation) differ(value catalog.Tree, known *stated, c *comparison, prefer bool) {
	if len(c.differences) == 0 {
		return
	}
	differences := make([]any, len(c.differences))
	for i, difference := range c.differences {
		differences[i] = difference
	}
	value["differences"] = differences
	if columns := c.unread(); len(columns) > 0 {
		value["unread"] = list(columns)
	}
	if prefer {
		value["preferred"] = true
		c.agreed(known)
	}
}

// readBy returns the tables that statements read, each once.
func readBy(statements []lineage.Statement) []string {
	var tables []string
	for i := range statements {
		for _, table := range statements[i].Reads {
			if !slices.Contains(tables, table) {
				tables = append(tables, table)
			}
		}
	}
	return tables
}

// actor is the URN of the server itself.
func (d *derivation) actor() string {
	dialect, _ := d.Registry.DialectOf(d.urn)
	return catalog.SystemActor(dialect)
}

// stated is the lineage that clients have stated.
type stated struct {
	tables map[string]bool
	// flows are the pairs of columns between which values flow, and reads the pairs whose upstream column is only
	// read. A pair is the downstream column and the upstream column.
	flows, reads map[[2]string]bool
}

func newStated(value catalog.Tree) *stated {
	s := &stated{tables: map[string]bool{}, flows: map[[2]string]bool{}, reads: map[[2]string]bool{}}
	for _, u := range jsontree.Items(value, "upstreams") {
		s.tables[jsontree.Text(u, "dataset")] = true
	}
	for _, e := range jsontree.Items(value, "fineGrainedLineages") {
		into := s.flows
		if isRead(e) {
			into = s.reads
		}
		for _, down := range jsontree.Texts(e, "downstreams") {
			for _, up := range jsontree.Texts(e, "upstreams") {
				into[[2]string{down, up}] = true
			}
		}
	}
	return s
}

// isRead reports whether the columns of an entry are read without their values flowing.
func isRead(entry catalog.Tree) bool {
	return strings.HasPrefix(jsontree.Text(entry, "transformOperation"), "INDIRECT")
}

// lacks returns the part of an entry that is not stated: the whole entry, or an entry for each downstream column of
// which only some upstream columns are stated.
func (s *stated) lacks(entry catalog.Tree) []any {
	var parts []any
	whole := true
	downs, ups := jsontree.Texts(entry, "downstreams"), jsontree.Texts(entry, "upstreams")
	for _, down := range downs {
		var rest []any
		for _, up := range ups {
			pair := [2]string{down, up}
			if s.flows[pair] || isRead(entry) && s.reads[pair] {
				whole = false
			} else {
				rest = append(rest, up)
			}
		}
		if len(rest) > 0 {
			parts = append(parts, partOf(entry, down, rest))
		}
	}
	if whole {
		return []any{entry}
	}
	return parts
}

// partOf returns an entry with one downstream column and some upstream columns.
func partOf(entry catalog.Tree, down string, ups []any) catalog.Tree {
	part := maps.Clone(entry)
	part["downstreamType"], part["downstreams"], part["upstreams"] = "FIELD", []any{down}, ups
	return part
}

// ofQuery returns the lineage of the output columns of a query that somebody has saved. A query that a source only
// observed has no such lineage.
func (d *derivation) ofQuery(statements []lineage.Statement) (catalog.Tree, error) {
	if jsontree.Text(d.values[model.AspectQueryProperties], "source") != savedByHand {
		return nil, nil
	}
	for i := range slices.Backward(statements) {
		if s := statements[i]; s.Kind == "select" && len(s.Columns) > 0 {
			s.Kind, s.Writes, s.Text = "insert", []string{d.urn.String()}, ""
			value, err := d.lineage([]lineage.Statement{s}, nil, false)
			if value == nil || err != nil || len(jsontree.Items(value, "fineGrainedLineages")) == 0 {
				return nil, err
			}
			value["upstreams"] = []any{} // the tables are the subjects of the query
			return value, nil
		}
	}
	return nil, nil
}

// savedByHand is the source of queries that people have saved.
const savedByHand = "MANUAL"

// subjects returns the tables and columns that the statements of a query are about and that its querySubjects does not
// name; nil if querySubjects names columns, or everything.
func (d *derivation) subjects(statements []lineage.Statement) catalog.Tree {
	known := map[string]bool{}
	for _, s := range jsontree.Items(d.values[model.AspectQuerySubjects], "subjects") {
		urn := jsontree.Text(s, "entity")
		if known[urn] = true; model.StoredURN(urn).EntityType() == model.EntitySchemaField {
			return nil
		}
	}
	c := sqllineage.NewCollector(d.given())
	var subjects []any
	for i := range statements {
		for _, p := range c.Add(&statements[i], nil) {
			if p.Aspect != model.AspectQuerySubjects {
				continue
			}
			for _, s := range jsontree.Items(p.Value, "subjects") {
				if urn := jsontree.Text(s, "entity"); !known[urn] {
					known[urn] = true
					subjects = append(subjects, catalog.Tree{"entity": urn})
				}
			}
		}
	}
	if subjects == nil {
		return nil
	}
	return catalog.Tree{"subjects": subjects}
}
