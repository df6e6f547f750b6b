package overlay

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// graph draws the present and the changed lineage around the entities that differ.
func (c *comparing) graph(ctx context.Context) error {
	c.found.Nodes, c.found.Edges = []ComparedNode{}, []ComparedEdge{}
	starts := []model.URN{c.r.URN}
	if c.r.URN.IsZero() {
		starts = nil
		for i := range c.found.Tables {
			if len(starts) == limits.OverlayDrawn {
				c.found.partly(drawnPartly)
				break
			}
			starts = append(starts, model.StoredURN(c.found.Tables[i].URN))
		}
	}
	d := &drawing{nodes: map[string]*ComparedNode{}, edges: map[[2]string]*sides{}}
	for _, start := range starts {
		for k, of := range []*lineage.Service{c.o.Lineage, c.over} {
			found, err := of.Graph(ctx, lineage.GraphRequest{URN: start, Hops: c.r.Hops, Limit: limits.OverlayNodes})
			if catalog.CodeOf(err) == catalog.NotFound {
				continue // only the other graph has the node
			}
			if err != nil {
				return err
			}
			if found.Partial {
				c.found.partly(found.Reason)
			}
			d.add(found, k == 1)
		}
	}
	c.draw(d)
	return nil
}

const drawnPartly = "the change is about more tables than are drawn; choose one to draw the graph around it"

// drawing collects the graphs of today and with the overlay.
type drawing struct {
	nodes map[string]*ComparedNode
	edges map[[2]string]*sides
}

// sides says which of the two graphs have an edge.
type sides struct{ now, then bool }

func (d *drawing) add(g *lineage.Graph, then bool) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		known := d.nodes[n.URN]
		if known == nil {
			known = &ComparedNode{Shown: Shown{URN: n.URN, Type: n.Type}, degree: max(n.Degree, -n.Degree)}
			d.nodes[n.URN] = known
		}
		known.degree = min(known.degree, max(n.Degree, -n.Degree))
		known.Exists = known.Exists || n.Exists
	}
	for i := range g.Edges {
		key := [2]string{g.Edges[i].Upstream, g.Edges[i].Downstream}
		if d.edges[key] == nil {
			d.edges[key] = &sides{}
		}
		if then {
			d.edges[key].then = true
		} else {
			d.edges[key].now = true
		}
	}
}

// draw takes the nearest nodes, and marks the parts that the overlay adds and ends. If one of the two graphs lacks a
// part only because it did not reach the part, draw does not mark the part.
func (c *comparing) draw(d *drawing) {
	changes := map[string]string{}
	for i := range c.found.Tables {
		changes[c.found.Tables[i].URN] = c.found.Tables[i].Change
	}
	for _, n := range d.nodes {
		n.Change = changes[n.URN]
		c.found.Nodes = append(c.found.Nodes, *n)
	}
	slices.SortFunc(c.found.Nodes, func(a, b ComparedNode) int { return cmp.Or(cmp.Compare(a.degree, b.degree), cmp.Compare(a.URN, b.URN)) })
	if len(c.found.Nodes) > limits.OverlayNodes {
		c.found.Nodes = c.found.Nodes[:limits.OverlayNodes]
		c.found.partly("the graph has more nodes than are drawn; these are the nearest")
	}
	drawn := map[string]bool{}
	for i := range c.found.Nodes {
		drawn[c.found.Nodes[i].URN] = true
	}
	touched := map[[2]string]*sides{}
	for key := range c.store.ended {
		sidesOf(touched, key).now = true
	}
	for key := range c.store.added {
		sidesOf(touched, key).then = true
	}
	for key, in := range d.edges {
		if !drawn[key[0]] || !drawn[key[1]] {
			continue
		}
		e := ComparedEdge{Upstream: key[0], Downstream: key[1]}
		by := touched[unordered(key[0], key[1])]
		switch {
		case in.now && (!in.then && by != nil && by.now || changes[key[0]] == Ended || changes[key[1]] == Ended):
			e.Change = Ended
		case in.then && !in.now && by != nil && by.then:
			e.Change = Added
		}
		c.found.Edges = append(c.found.Edges, e)
	}
	slices.SortFunc(c.found.Edges, func(a, b ComparedEdge) int {
		return cmp.Or(cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Downstream, b.Downstream))
	})
}

// unordered names two ends, whichever is upstream.
func unordered(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

func sidesOf(of map[[2]string]*sides, key edgeKey) *sides {
	ends := unordered(key.source, key.destination)
	if of[ends] == nil {
		of[ends] = &sides{}
	}
	return of[ends]
}
