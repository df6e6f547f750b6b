package main

import (
	"maps"
	"slices"
	"strings"
)

// edge is one edge, even if several aspects state it.
type edge struct{ source, name, destination string }

// graph has the edges that the latest aspects state.
type graph struct {
	facts    *facts
	from, to map[string]map[edge]bool // by source, by destination
	columns  map[string][]string      // the mentioned columns of an entity
	stated   map[string]map[edge]bool // edges between columns, by the entity that states them
}

func newGraph(m *mirror) *graph {
	g := &graph{m.facts, map[string]map[edge]bool{}, map[string]map[edge]bool{}, map[string][]string{}, map[string]map[edge]bool{}}
	for urn, aspects := range m.latest {
		for name, value := range aspects {
			g.read(urn, name, value)
		}
	}
	for _, urn := range g.nodes(m) {
		if typeOf(urn) == column {
			of := partsOf(urn)[0]
			g.columns[of] = append(g.columns[of], urn)
		}
	}
	return g
}

// nodes returns all entities that exist or are mentioned, in order.
func (g *graph) nodes(m *mirror) []string {
	all := map[string]bool{}
	for urn := range m.latest {
		all[urn] = true
	}
	for urn := range g.from {
		all[urn] = true
	}
	for urn := range g.to {
		all[urn] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// read adds the edges that an aspect states.
func (g *graph) read(urn, aspect string, value any) {
	for _, r := range g.facts.relationships[aspect] {
		at(value, r.FieldPath, func(v any) { g.add(urn, r.Relationship, v) })
	}
	switch aspect {
	case "upstreamLineage", "dataJobInputOutput":
		at(value, "fineGrainedLineages/*", func(entry any) {
			at(entry, "downstreams/*", func(downstream any) {
				at(entry, "upstreams/*", func(upstream any) {
					if source, ok := downstream.(string); ok {
						g.add(source, derives, upstream)
						g.note(urn, edge{source, derives, upstream.(string)})
					}
				})
			})
		})
	case "inputFields":
		at(value, "fields/*", func(field any) {
			at(field, "schemaField/fieldPath", func(path any) {
				at(field, "schemaFieldUrn", func(shown any) { g.add(columnOf(urn, path.(string)), derives, shown) })
			})
		})
	}
}

func (g *graph) note(urn string, e edge) {
	if g.stated[urn] == nil {
		g.stated[urn] = map[edge]bool{}
	}
	g.stated[urn][e] = true
}

// columnOf returns the URN of a column.
func columnOf(entity, path string) string {
	path = strings.NewReplacer("(", "%28", ")", "%29", ",", "%2C").Replace(path)
	return "urn:li:" + column + ":(" + entity + "," + path + ")"
}

// add adds an edge if its destination is a URN.
func (g *graph) add(source, name string, destination any) {
	to, ok := destination.(string)
	if !ok || typeOf(to) == "" {
		return
	}
	e := edge{source, name, to}
	put(g.from, source, e)
	put(g.to, to, e)
}

func put(edges map[string]map[edge]bool, urn string, e edge) {
	if edges[urn] == nil {
		edges[urn] = map[edge]bool{}
	}
	edges[urn][e] = true
}

// next returns the entities that are one hop of lineage away.
func (g *graph) next(urn string, upstream bool) []string {
	var found []string
	for e := range g.from[urn] {
		if up, lineage := g.facts.lineage[lineageKind{e.name, typeOf(urn), typeOf(e.destination)}]; lineage && up == upstream {
			found = append(found, e.destination)
		}
	}
	for e := range g.to[urn] {
		if up, lineage := g.facts.lineage[lineageKind{e.name, typeOf(e.source), typeOf(urn)}]; lineage && up != upstream {
			found = append(found, e.source)
		}
	}
	return found
}

// walk returns the entities that a breadth-first walk reaches, with their distances. hops
// bounds the distance; 0 means no bound. The walk neither reaches nor passes entities for
// which blocked returns true.
func (g *graph) walk(starts []string, upstream bool, hops int, blocked func(string) bool) map[string]int {
	degrees, frontier := map[string]int{}, starts
	for _, start := range starts {
		degrees[start] = 0
	}
	for degree := 1; len(frontier) > 0 && (hops == 0 || degree <= hops); degree++ {
		var reached []string
		for _, urn := range frontier {
			for _, other := range g.next(urn, upstream) {
				if _, seen := degrees[other]; !seen && !blocked(other) {
					degrees[other] = degree
					reached = append(reached, other)
				}
			}
		}
		frontier = reached
	}
	for _, start := range starts {
		delete(degrees, start)
	}
	return degrees
}

// columnsOf returns the columns at which a walk between columns begins: the columns of the entity,
// for a dashboard also the columns of its charts, and for a job the columns that its own statements
// write (upstream) or read (downstream).
func (g *graph) columnsOf(urn string, upstream bool) []string {
	starts := map[string]bool{}
	take := func(columns []string) {
		for _, c := range columns {
			starts[c] = true
		}
	}
	switch typeOf(urn) {
	case column:
		return []string{urn}
	case "dashboard":
		take(g.columns[urn])
		for e := range g.from[urn] {
			if e.name == "Contains" {
				take(g.columns[e.destination])
			}
		}
	case "dataJob":
		g.columnsOfJob(urn, upstream, starts)
	default:
		take(g.columns[urn])
	}
	return slices.Sorted(maps.Keys(starts))
}

func (g *graph) columnsOfJob(urn string, upstream bool, starts map[string]bool) {
	listed := "Consumes"
	if upstream {
		listed = "Produces"
	}
	ends := map[string]bool{}
	for e := range g.from[urn] {
		if e.name == listed {
			ends[e.destination] = true
			if typeOf(e.destination) == column {
				starts[e.destination] = true
			}
		}
	}
	for e := range g.stated[urn] {
		end := e.destination
		if upstream {
			end = e.source
		}
		if ends[partsOf(end)[0]] {
			starts[end] = true
		}
	}
}
