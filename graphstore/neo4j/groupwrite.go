package neo4j

import (
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/cypher"
	"github.com/headwater-io/headwater/graphstore"
)

// typesSeen are the relationship names of edges that groups have ended, updated and
// added. The text of a group's statement has parts for all of them: a text for each
// combination of names would have the database plan most of them anew.
type typesSeen struct {
	mu    sync.Mutex
	parts map[string]map[string]bool
	// text is the statement with these parts, plain the one without any.
	text, plain string
}

// groupText is the statement that writes rows of edges with these names.
func (s *Store) groupText(edges map[string]map[string][]row) (string, error) {
	t := &s.typesSeen
	t.mu.Lock()
	defer t.mu.Unlock()
	some := false
	for part, byType := range edges {
		for edgeType := range byType {
			some = true
			if !t.parts[part][edgeType] {
				if t.parts == nil {
					t.parts = map[string]map[string]bool{}
				}
				if t.parts[part] == nil {
					t.parts[part] = map[string]bool{}
				}
				t.parts[part][edgeType] = true
				t.text = ""
			}
		}
	}
	text, parts := &t.plain, map[string]map[string]bool{}
	if some {
		text, parts = &t.text, t.parts
	}
	if *text == "" {
		var err error
		if *text, err = s.statements.Together("write/group", groupParts(parts), "RETURN true AS done"); err != nil {
			return "", err
		}
	}
	return *text, nil
}

// groupParts are the parts of a group's statement, in the order in which they are
// applied. The counters of the change log are locked last.
func groupParts(types map[string]map[string]bool) []cypher.Part {
	var parts []cypher.Part
	for _, name := range []string{
		"write/stamp", "write/delete_versions", "write/observe", "write/archive", "write/create_versions", "write/nodes",
		"write/end_mirrors", "write/end_edges", "write/update_edges", "write/placeholders", "write/remember_sources", "write/add_edges", "write/add_mirrors",
		"write/put_time_series", "write/drop_fresh", "write/add_changes",
	} {
		switch name {
		case "write/end_edges", "write/update_edges", "write/add_edges":
			for _, edgeType := range slices.Sorted(maps.Keys(types[name])) {
				parts = append(parts, cypher.Part{Name: name, Type: edgeType})
			}
		case "write/end_mirrors", "write/placeholders", "write/remember_sources", "write/add_mirrors":
			if len(types) > 0 {
				parts = append(parts, cypher.Part{Name: name})
			}
		default:
			parts = append(parts, cypher.Part{Name: name})
		}
	}
	return parts
}

// statement is what writes the decisions of a group; "" if there is nothing to write.
func (g *group) statement() (string, map[string]any, error) {
	if len(g.times) == 0 {
		return "", nil, nil
	}
	b := &g.kept.batch
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
	edges := map[string]map[string][]row{}
	for part, rows := range map[string][]row{
		"write/end_edges": ends, "write/update_edges": toRows(b.UpdateEdges, attributesRow), "write/add_edges": adds,
	} {
		if len(rows) > 0 {
			edges[part] = rowsByType(rows)
		}
	}
	text, err := g.s.groupText(edges)
	if err != nil {
		return "", nil, err
	}
	entities, fresh, now := g.marks(b.Nodes)
	return text, map[string]any{
		"token": g.token, "now": now, "entities": entities, "stamp": entities, "urns": fresh, "shards": shards,
		"delete_versions": toRows(b.DeleteVersions, versionRangeRow), "observe": toRows(b.Observe, observationRow),
		"archive": archive, "create_versions": create, "nodes": toRows(b.Nodes, g.s.nodeRow),
		"end_mirrors": endMirrors, "end_edges": edges["write/end_edges"], "update_edges": edges["write/update_edges"],
		"placeholders": missing, "remember_sources": remembered, "add_edges": edges["write/add_edges"], "add_mirrors": addMirrors,
		"put_time_series": series,
	}, nil
}

// marks are the entities to lock, with the marks that they must still have, those of
// them that the lock creates and no row gives a type, and the latest of their times.
func (g *group) marks(nodes []graphstore.NodeUpdate) (entities []row, fresh []string, now int64) {
	typed := make(map[string]bool, len(nodes))
	for i := range nodes {
		typed[nodes[i].URN] = true
	}
	for _, urn := range slices.Sorted(maps.Keys(g.times)) {
		m := g.entities[urn]
		entities = append(entities, row{"urn": urn, "writeToken": m.token, "changedOn": m.changedOn, "typed": m.typed, "now": g.times[urn]})
		if !m.typed && !typed[urn] {
			fresh = append(fresh, urn)
		}
		now = max(now, g.times[urn])
	}
	return entities, fresh, now
}
