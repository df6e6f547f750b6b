package neo4j

import (
	"maps"
	"slices"

	"github.com/headwater-io/headwater/cypher"
	"github.com/headwater-io/headwater/graphstore"
)

// groupTexts are the statements that write for a group: edges writes everything, plain
// everything but edges. The database plans plain in a fraction of the time, and executes it
// somewhat faster.
type groupTexts struct {
	plain, edges string
}

// These are the parts of a group's statement, in the order in which they are applied. The
// counters of the change log are locked last.
var (
	versionParts = []string{"write/delete_versions", "write/observe", "write/archive", "write/create_versions", "write/nodes"}
	edgeParts    = []string{
		"write/end_mirrors", "write/end_edges", "write/update_edges",
		"write/placeholders", "write/remember_sources", "write/add_any_edges", "write/add_mirrors",
	}
	lastParts = []string{
		"write/columns", "write/drop_labels", "write/add_labels", "write/drop_columns", "write/put_time_series", "write/newest_profile",
		"write/put_records", "write/drop_fresh", "write/add_changes",
	}
)

func newGroupTexts(statements *cypher.Statements, types []string) (texts groupTexts, err error) {
	const ending = "RETURN true AS done"
	if texts.plain, err = statements.Together("write/group", slices.Concat(versionParts, lastParts), nil, ending); err != nil || len(types) == 0 {
		return texts, err
	}
	texts.edges, err = statements.Together("write/group", slices.Concat(versionParts, edgeParts, lastParts), types, ending)
	return texts, err
}

// of returns the statement that writes a batch.
func (t *groupTexts) of(b *graphstore.Batch) string {
	if len(b.EndEdges)+len(b.UpdateEdges)+len(b.AddEdges) > 0 {
		return t.edges
	}
	return t.plain
}

// unknownType returns a relationship name of a batch that the model does not have, "" if there
// is none.
func (s *Store) unknownType(b *graphstore.Batch) string {
	for i := range b.EndEdges {
		if t := b.EndEdges[i].Type; !s.statements.Known(t) {
			return t
		}
	}
	for _, edges := range [][]graphstore.EdgeStatement{b.UpdateEdges, b.AddEdges} {
		for i := range edges {
			if t := edges[i].Type; !s.statements.Known(t) {
				return t
			}
		}
	}
	return ""
}

// statement returns the statement that writes the decisions of a group, "" if there is nothing
// to write or to compare.
func (g *group) statement() (string, map[string]any, error) {
	compared := g.compared()
	if len(g.times)+len(compared) == 0 {
		return "", nil, nil
	}
	b := &g.pending.batch
	archive, create, err := g.s.newVersionRows(b.PutVersions)
	if err != nil {
		return "", nil, err
	}
	series, err := g.s.timeSeriesRows(b.PutTimeSeries)
	if err != nil {
		return "", nil, err
	}
	shards, err := shardRows(b.Changes, g.token)
	if err != nil {
		return "", nil, err
	}
	ends, endMirrors := g.s.endRows(b.EndEdges)
	adds, addMirrors := g.s.addRows(b.AddEdges)
	missing, remembered := g.s.endsOf(b.AddEdges, func(urn string) bool { return g.times[urn] != 0 && g.entities[urn].typed })
	columns := g.s.newColumnRows()
	columns.addNodes(b.Nodes)
	for _, r := range missing {
		columns.hang(r["urn"].(string))
	}
	gained, lost := columns.labelRows()
	for _, r := range adds {
		r["as"] = row{r["type"].(string): []any{r["properties"]}}
		delete(r, "properties")
	}
	entities, fresh, now := g.marks(b.Nodes)
	return g.s.groupTexts.of(b), map[string]any{"token": g.token, "now": now, "group": row{
		"entities": entities, "compared": compared, "versions": g.readVersions(), "drop_fresh": fresh, "add_changes": shards,
		"delete_versions": toRows(b.DeleteVersions, versionRangeRow), "observe": toRows(b.Observe, observationRow),
		"archive": archive, "create_versions": byEntity(create), "nodes": toRows(b.Nodes, g.s.nodeRow),
		"end_mirrors": endMirrors, "end_edges": ends, "update_edges": toRows(b.UpdateEdges, attributesRow),
		"placeholders": missing, "remember_sources": remembered, "add_any_edges": adds, "add_mirrors": addMirrors,
		"columns": columns.rows(), "drop_labels": lost, "add_labels": gained, "drop_columns": columns.looseRows(),
		"put_time_series": series, "newest_profile": numberedRows(series),
		"put_records": toRows(b.PutRecords, recordRow),
	}}, nil
}

// row returns the row with which the mark of an entity is compared.
func (m mark) row(urn string) row {
	return row{"urn": urn, "writeToken": m.token, "changedOn": m.changedOn, "typed": m.typed}
}

// compared returns the marks of entities that must not have changed although the group does not
// write about them.
func (g *group) compared() []row {
	var rows []row
	seen := map[string]bool{}
	for _, m := range g.members {
		if !m.compared() {
			continue
		}
		for _, urn := range m.u.urns {
			if _, locked := g.times[urn]; !locked && !seen[urn] {
				seen[urn] = true
				rows = append(rows, g.entities[urn].row(urn))
			}
		}
	}
	return rows
}

// readVersions returns the versions that must still be the latest versions.
func (g *group) readVersions() []row {
	rows := make([]row, 0, len(g.versions))
	for key, v := range g.versions {
		rows = append(rows, row{"urn": key.URN, "name": key.Name, "seq": v.seq, "createdOn": v.createdOn})
	}
	return rows
}

// marks returns the entities to lock, with the marks that they must still have. Fresh are the
// entities that the lock creates and to which no row gives a type; now is the latest time of
// all.
func (g *group) marks(nodes []graphstore.NodeUpdate) (entities []row, fresh []string, now int64) {
	typed := make(map[string]bool, len(nodes))
	for i := range nodes {
		typed[nodes[i].URN] = true
	}
	for _, urn := range slices.Sorted(maps.Keys(g.times)) {
		m := g.entities[urn]
		r := m.row(urn)
		r["now"] = g.times[urn]
		entities = append(entities, r)
		if !m.typed && !typed[urn] {
			fresh = append(fresh, urn)
		}
		now = max(now, g.times[urn])
	}
	return entities, fresh, now
}

// compares reports whether the group has read the latest version of an aspect.
func (g *group) compares(key graphstore.AspectKey) bool {
	_, ok := g.versions[key]
	return ok
}
