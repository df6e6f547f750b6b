package dbt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

// SQLReader reads the lineage of SQL, as lineage.Reader does.
type SQLReader interface {
	Read(ctx context.Context, script string, s lineage.Settings) ([]lineage.Statement, error)
}

// columnSources are the columns from which a column of a model takes its values.
type columnSources struct {
	column  string
	sources []columnSource
}

// columnSource is a column of the node with the id. possible: the source may be another column.
type columnSource struct {
	id, column string
	possible   bool
}

// parsedCode is the lineage that compiled code gives of all tables, also of tables that are not nodes.
type parsedCode struct {
	// tables are the ids of nodes, or the names of tables that are none.
	tables  []string
	columns []columnSources
}

// ReadColumns reads in the compiled code from which columns the models and snapshots take their values. The code's
// dialect is the adapter's, or the platform's if the manifest does not name an adapter. The first result has sentences
// about code that was not understood. ReadColumns returns an error only if the SQL reader does not run.
func (p *Project) ReadColumns(ctx context.Context, by SQLReader, platform string, of ...string) ([]string, error) {
	dialect := cmp.Or(p.Adapter, platform)
	if _, known := parser.DialectOf(dialect); !known {
		return []string{fmt.Sprintf("the dialect %s of SQL is unknown: lineage between columns is left out", dialect)}, nil
	}
	r := &columnReading{project: p, by: by, dialect: dialect, tables: map[string][]*Node{}, columns: map[string][]string{}, read: map[string]bool{}}
	for _, n := range sortedValues(p.Nodes) {
		if n.isInTarget() {
			name := strings.ToLower(n.table())
			r.tables[name] = append(r.tables[name], n)
		}
	}
	wanted := map[string]bool{}
	for _, id := range of {
		wanted[id] = true
	}
	for _, n := range sortedValues(p.Nodes) {
		if len(of) > 0 && !wanted[n.ID] {
			continue
		}
		if err := r.node(ctx, n); err != nil {
			return nil, err
		}
	}
	return r.notes, nil
}

// columnReading is a project while the code of its nodes is read.
type columnReading struct {
	project *Project
	by      SQLReader
	dialect string
	// tables are the nodes by the names of their tables, in lower case. A source and a model may be the same table.
	tables map[string][]*Node
	// columns are the columns of nodes that the catalog does not have, as their code tells.
	columns map[string][]string
	read    map[string]bool
	notes   []string
}

// hasColumnLineage reports whether the code of a node tells from which columns its columns follow.
func (n *Node) hasColumnLineage() bool {
	return (n.Type == typeModel || n.Type == typeSnapshot) && n.Language == "sql" && n.CompiledCode != "" && n.Materialized != semanticView
}

// node reads the code of a node after that of the nodes that it depends on.
func (r *columnReading) node(ctx context.Context, n *Node) error {
	if r.read[n.ID] || !n.hasColumnLineage() {
		return nil
	}
	r.read[n.ID] = true
	ctes := map[string]string{}
	for _, id := range n.Upstreams {
		from := r.project.Nodes[id]
		if from == nil {
			continue
		}
		if err := r.node(ctx, from); err != nil {
			return err
		}
		if from.Materialized == ephemeral {
			for _, name := range cteNames(from.Name, r.project.Adapter) {
				ctes[strings.ToLower(name)] = from.ID
			}
		}
	}
	tables := func(_ context.Context, parts []string) (*lineage.Table, error) { return r.table(n, parts), nil }
	statements, err := r.by.Read(ctx, n.CompiledCode, lineage.Settings{Dialect: r.dialect, Tables: tables, CTEs: ctes, Fold: folding(r.dialect)})
	if err != nil {
		return fmt.Errorf("the compiled code of %s: %w", n.ID, err)
	}
	if len(statements) == 0 {
		return nil
	}
	r.take(n, &statements[len(statements)-1], len(ctes) == 0)
	return nil
}

// cteNames are the names that dbt gives the common table expression of an ephemeral model: one for all databases, and
// one of some adapters.
func cteNames(model, adapter string) []string {
	names := []string{"__dbt__cte__" + model}
	switch adapter {
	case "hive":
		names = append(names, "tmp__dbt__cte__"+model)
	case "oracle":
		names = append(names, "dbt__cte__"+model+"__")
	case "netezza", "exasol":
		names = append(names, "dbt__cte__"+model)
	}
	return names
}

// table finds the node that a name of a table means in the code of a node. The answer has the node's id as its name.
func (r *columnReading) table(in *Node, parts []string) *lineage.Table {
	name := parts
	if r.project.noDatabases && len(parts) == 3 {
		name = parts[1:] // the code names the database
	}
	nodes := r.tables[strings.ToLower(strings.Join(name, "."))]
	if len(parts) == 1 && r.project.Nodes[parts[0]] != nil {
		nodes = []*Node{r.project.Nodes[parts[0]]} // a common table expression of an ephemeral model
	}
	if len(nodes) == 0 {
		return nil
	}
	t := &lineage.Table{Name: nodes[0].ID}
	for _, n := range nodes {
		if slices.Contains(in.Upstreams, n.ID) {
			t.Name = n.ID
		}
		if n.catalogType != nil && len(n.Columns) > 0 {
			t.Columns = nil
			for i := range n.Columns {
				t.Columns = append(t.Columns, n.Columns[i].Name)
			}
		} else if len(t.Columns) == 0 {
			t.Columns = r.columns[n.ID]
		}
	}
	return t
}

// take keeps the lineage that a statement gives of a node. alone tells that no common table expression of the statement
// stands for another model.
func (r *columnReading) take(n *Node, s *lineage.Statement, alone bool) {
	for _, problem := range s.NotUnderstood {
		r.notes = append(r.notes, fmt.Sprintf("the compiled code of %s, line %d, is not understood: %s (%s)", n.ID, problem.Line, problem.Text, problem.Why))
		break
	}
	var names []string
	complete := true
	parsed := &parsedCode{tables: s.Reads}
	for i := range s.Columns {
		out := &s.Columns[i]
		if out.Output == "*" {
			complete = false
			continue
		}
		out.Output = r.named(out)
		names = append(names, out.Output)
		n.outputs = append(n.outputs, Column{Name: out.Output, Type: r.typeOf(out)})
		c, all := columnSources{column: n.spelled(out.Output)}, columnSources{column: n.spelled(out.Output)}
		for _, from := range out.Sources {
			one := columnSource{from.Table, from.Column, from.Possible}
			if from.Column != "*" {
				all.sources = append(all.sources, one)
			}
			if from.Column != "*" && slices.Contains(n.Upstreams, from.Table) {
				c.sources = append(c.sources, one)
			}
		}
		parsed.columns = append(parsed.columns, all)
		if len(c.sources) > 0 {
			n.columnSources = append(n.columnSources, c)
		}
	}
	if complete {
		r.columns[n.ID] = names
	}
	if alone && len(s.Reads)+len(s.Columns) > 0 {
		n.parsed = parsed
	}
}

// typeOf returns the type of an output: the type to which the code casts the output, or the type of the column whose
// value the output has. typeOf returns "" for any other output.
func (r *columnReading) typeOf(out *lineage.Output) string {
	if out.Cast != "" {
		return strings.ToUpper(out.Cast)
	}
	if out.How != lineage.Identity || len(out.Sources) != 1 {
		return ""
	}
	from := r.project.Nodes[out.Sources[0].Table]
	if from == nil {
		return ""
	}
	for _, columns := range [][]Column{from.Columns, from.outputs} {
		for i := range columns {
			if strings.EqualFold(columns[i].Name, out.Sources[0].Column) {
				return columns[i].Type
			}
		}
	}
	return ""
}

// InferColumns gives those nodes that have no columns, such as ephemeral models, the outputs of their code. ReadColumns has
// read the code.
func (p *Project) InferColumns() {
	for _, n := range p.Nodes {
		if len(n.Columns) == 0 {
			n.Columns = n.outputs
		}
	}
}

// spelled returns the name of a column as the node's columns spell it.
func (n *Node) spelled(name string) string {
	at := slices.IndexFunc(n.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	if at < 0 {
		return name
	}
	return n.Columns[at].Name
}

// replaceSources puts the replacing nodes in place of the replaced ones among the sources of the
// columns. The node is a copy, which shares its lists with the original.
func (n *Node) replaceSources(replaced map[string]string) {
	n.columnSources = slices.Clone(n.columnSources)
	for i := range n.columnSources {
		sources := slices.Clone(n.columnSources[i].sources)
		for k := range sources {
			sources[k].id = cmp.Or(replaced[sources[k].id], sources[k].id)
		}
		n.columnSources[i].sources = sources
	}
}

// columnLineage returns the entries of fineGrainedLineages of a node.
func (t *translation) columnLineage(n *Node, urn string) []values {
	var entries []values
	for _, c := range n.columnSources {
		confidence := parsedConfidence
		var upstreams []string
		for _, from := range c.sources {
			node := t.Nodes[from.id]
			if node == nil {
				continue
			}
			upstreams = append(upstreams, field(t.asUpstream(node), t.column(node.spelled(from.column))))
			if from.possible {
				confidence = possibleConfidence
			}
		}
		if len(upstreams) > 0 {
			slices.Sort(upstreams)
			entries = append(entries, values{
				"upstreamType": "FIELD_SET", "upstreams": upstreams, "downstreamType": "FIELD", "downstreams": []string{field(urn, t.column(c.column))}, "confidenceScore": confidence,
			})
		}
	}
	return entries
}

// parsedLineage is the value of the aspect upstreamLineage of a node whose code tells its lineage, nil if the code reads no
// table.
func (t *translation) parsedLineage(n *Node, p *parsedCode, urn string) values {
	table := func(name string) string {
		if node := t.Nodes[name]; node != nil {
			return t.inTarget(node)
		}
		return t.dataset(t.Platform, t.TargetInstance, name)
	}
	upstreams := []values{}
	for _, name := range p.tables {
		if from := table(name); n.Type != typeModel || from != t.inTarget(n) {
			upstreams = append(upstreams, upstream(from, "TRANSFORMED"))
		}
	}
	if len(p.tables) == 0 {
		return nil
	}
	lineage := values{"upstreams": upstreams}
	var entries []values
	for _, c := range p.columns {
		confidence, from := parsedConfidence, []string{}
		for _, one := range c.sources {
			from = append(from, field(table(one.id), t.column(t.spelledOf(one))))
			if one.possible {
				confidence = possibleConfidence
			}
		}
		slices.Sort(from)
		entries = append(entries, values{
			"upstreamType": "FIELD_SET", "upstreams": from, "downstreamType": "FIELD", "downstreams": []string{field(urn, t.column(c.column))}, "confidenceScore": confidence,
		})
	}
	if len(entries) > 0 {
		lineage["fineGrainedLineages"] = entries
	}
	return lineage
}

// spelledOf returns the name of a source's column as the source's node spells it.
func (t *translation) spelledOf(s columnSource) string {
	if node := t.Nodes[s.id]; node != nil {
		return node.spelled(s.column)
	}
	return s.column
}

// The confidence in lineage of the compiled code, as the client gives it, and in a source that may be another column.
const (
	parsedConfidence   = 0.9
	possibleConfidence = 0.5
)
