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

// columnSource is a column of the node with the id. possible: it may be another column.
type columnSource struct {
	id, column string
	possible   bool
}

// ReadColumns reads from which columns the models and snapshots take their values, in the compiled code. Its dialect
// is that of the adapter, or of the platform if the manifest does not name an adapter. The first result has sentences about
// code that was not understood. An error is one of the reader: it does not run.
func (p *Project) ReadColumns(ctx context.Context, by SQLReader, platform string) ([]string, error) {
	dialect := cmp.Or(p.Adapter, platform)
	if _, known := parser.DialectOf(dialect); !known {
		return []string{fmt.Sprintf("the dialect %s of SQL is unknown: lineage between columns is left out", dialect)}, nil
	}
	r := &columnReading{project: p, by: by, dialect: dialect, tables: map[string]*Node{}, columns: map[string][]string{}, read: map[string]bool{}}
	for _, n := range sortedValues(p.Nodes) {
		if n.isInTarget() {
			r.tables[strings.ToLower(n.table())] = n
		}
	}
	for _, n := range sortedValues(p.Nodes) {
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
	// tables are the nodes by the names of their tables, in lower case.
	tables map[string]*Node
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
	statements, err := r.by.Read(ctx, n.CompiledCode, lineage.Settings{Dialect: r.dialect, Tables: r.table, CTEs: ctes})
	if err != nil {
		return fmt.Errorf("the compiled code of %s: %w", n.ID, err)
	}
	if len(statements) == 0 {
		return nil
	}
	r.take(n, &statements[len(statements)-1])
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

// table finds the node that a name of a table means. The answer has the node's id as its name.
func (r *columnReading) table(_ context.Context, parts []string) (*lineage.Table, error) {
	n := r.tables[strings.ToLower(strings.Join(parts, "."))]
	if len(parts) == 1 && r.project.Nodes[parts[0]] != nil {
		n = r.project.Nodes[parts[0]] // a common table expression of an ephemeral model
	}
	if n == nil {
		return nil, nil
	}
	t := &lineage.Table{Name: n.ID, Columns: r.columns[n.ID]}
	if n.catalogType != nil {
		t.Columns = nil
		for i := range n.Columns {
			t.Columns = append(t.Columns, n.Columns[i].Name)
		}
	}
	return t, nil
}

// take keeps what a statement tells about a node.
func (r *columnReading) take(n *Node, s *lineage.Statement) {
	for _, problem := range s.NotUnderstood {
		r.notes = append(r.notes, fmt.Sprintf("the compiled code of %s, line %d, is not understood: %s (%s)", n.ID, problem.Line, problem.Text, problem.Why))
		break
	}
	var names []string
	complete := true
	for _, out := range s.Columns {
		if out.Output == "*" {
			complete = false
			continue
		}
		names = append(names, out.Output)
		c := columnSources{column: n.spelled(out.Output)}
		for _, from := range out.Sources {
			if from.Column != "*" && slices.Contains(n.Upstreams, from.Table) {
				c.sources = append(c.sources, columnSource{from.Table, from.Column, from.Possible})
			}
		}
		if len(c.sources) > 0 {
			n.columnSources = append(n.columnSources, c)
		}
	}
	if complete {
		r.columns[n.ID] = names
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

// replaceSources makes columns follow from those nodes that stand for others. The node is a copy.
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

// The confidence in what the compiled code tells, as the client gives it, and in a source that may be another column.
const (
	parsedConfidence   = 0.9
	possibleConfidence = 0.5
)
