package change

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/dbt"
)

// FromDBT returns the state of a dbt project. header returns the first line of a file of the project, such as the CSV
// file of a seed, and nil if the file is not there; header itself may be nil.
func FromDBT(p *dbt.Project, settings dbt.Settings, dialect string, header func(file string) []string) *State {
	s := newState(dialect)
	s.made = &ofProject{p, settings}
	for _, id := range slices.Sorted(maps.Keys(p.Nodes)) {
		from := p.Nodes[id]
		if from.Type == "semantic_model" || from.Type == "operation" {
			continue
		}
		n := &Node{
			ID: id, Name: cmp.Or(from.Table(), from.Name), Type: from.Type, URNs: p.URNs(from, settings), Platform: settings.Platform, File: from.Path, Line: 1,
			Owners: from.Owners(), Upstreams: slices.Clone(from.Upstreams), raw: from.RawCode, code: from.CompiledCode, hasSQL: from.HasSQL(),
			made: dbtFacts{materialized: from.Materialized, onSchemaChange: from.OnSchemaChange, tested: from.TestedColumn(), contract: from.Contract, promised: columnsOf(from.Described)},
		}
		for _, k := range from.Keys {
			n.made.keys = append(n.made.keys, [2]string{k.Setting, k.Column})
		}
		n.dbtColumns(from, header)
		var parts []string
		if table := from.Table(); table != "" {
			parts = strings.Split(table, ".")
		}
		s.add(n, parts)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Nodes)) {
		n := s.Nodes[id]
		if n == nil || !n.hasSQL {
			continue
		}
		if n.code == "" {
			if n.Type != "test" {
				s.Notes = append(s.Notes, NotUnderstood{Name: n.Name, File: n.File, Line: 1, Why: "the manifest has no compiled code of it; dbt compile writes it"})
			}
			continue
		}
		s.units = append(s.units, &unit{file: n.File, code: n.code, ctes: p.ExpressionNames(p.Nodes[id]), nodes: []*Node{n}, last: true, needs: n.Upstreams})
	}
	for _, id := range slices.Sorted(maps.Keys(p.Exposures)) {
		e := p.Exposures[id]
		n := &Node{ID: id, Name: e.Name, Type: "exposure", URNs: []string{p.ExposureURN(e, settings)}, Platform: "dbt", File: e.Path, Line: 1, Upstreams: e.Upstreams}
		if owner := e.Owner(); owner != "" {
			n.Owners = []string{owner}
		}
		s.add(n, nil)
	}
	return s
}

// dbtColumns sets the columns that are known without the code.
func (n *Node) dbtColumns(from *dbt.Node, header func(string) []string) {
	n.Columns, n.types = columnsOf(from.Columns), map[string]string{}
	if from.InCatalog() {
		n.Known = true
		for i := range from.Columns {
			n.types[strings.ToLower(from.Columns[i].Name)] = from.Columns[i].Type
		}
		return
	}
	if from.Type == "seed" && header != nil && path.Ext(from.Path) == ".csv" {
		if names := header(from.Path); len(names) > 0 {
			described := n.Columns
			n.Columns, n.Known = nil, true
			for _, name := range names {
				c := Column{Name: name}
				if at := slices.IndexFunc(described, func(d Column) bool { return strings.EqualFold(d.Name, name) }); at >= 0 {
					c = described[at]
				}
				n.Columns = append(n.Columns, c)
			}
			return
		}
	}
	n.Described = true
}

func columnsOf(from []dbt.Column) []Column {
	columns := make([]Column, len(from))
	for i := range from {
		c := &from[i]
		columns[i] = Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Labels: c.Tags}
	}
	return columns
}
