package catalog

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// Bounds of a walk: hops when none are asked for, entities reached, edges
// followed from one entity.
const (
	maxHops    = 1000
	maxReached = 50_000
)

// WalkQuery asks for all that is up- or downstream of an entity.
type WalkQuery struct {
	URN string
	// Direction is UPSTREAM or DOWNSTREAM.
	Direction string
	// MaxHops bounds the walk; 0 takes as many as there are.
	MaxHops int
	// From and To bound when an edge was made or confirmed, as in LineageQuery.
	From, To int64
}

// Reached is an entity that a walk came to.
type Reached struct {
	URN string
	// Degree is the smallest number of hops.
	Degree int
	// Via is the entity before it on a shortest way.
	Via string
}

// Walk is what was reached, the nearest first, each entity once.
type Walk struct {
	Start   string
	Reached []Reached
	// Partial says that the walk was cut at its bound on entities.
	Partial bool

	at map[string]int
}

// WalkLineage walks hop by hop, all entities of a hop together: a number of
// store calls that depends on the hops alone.
func (c *Catalog) WalkLineage(ctx context.Context, q WalkQuery) (*Walk, error) {
	u, _, err := c.parseURN(q.URN)
	if err != nil {
		return nil, err
	}
	if q.Direction != "UPSTREAM" && q.Direction != "DOWNSTREAM" {
		return nil, Errorf(Invalid, "direction must be UPSTREAM or DOWNSTREAM, not %q", q.Direction)
	}
	if q.MaxHops <= 0 || q.MaxHops > maxHops {
		q.MaxHops = maxHops
	}
	walk := &Walk{Start: u.String(), at: map[string]int{u.String(): -1}}
	frontier := []string{u.String()}
	for degree := 1; degree <= q.MaxHops && len(frontier) > 0; degree++ {
		hop := &lineageHop{c: c, query: LineageQuery{
			Direction: q.Direction, Count: MaxPage, SeparateSiblings: true, From: q.From, To: q.To,
		}, siblings: map[string]siblings{}}
		if err := hop.readEdges(ctx, frontier); err != nil {
			return nil, err
		}
		var next []string
		for _, from := range frontier {
			for _, edge := range hop.edges[from] {
				if _, seen := walk.at[edge.Entity]; seen {
					continue
				}
				if len(walk.Reached) >= maxReached {
					walk.Partial = true
					return walk, nil
				}
				walk.at[edge.Entity] = len(walk.Reached)
				walk.Reached = append(walk.Reached, Reached{URN: edge.Entity, Degree: degree, Via: from})
				next = append(next, edge.Entity)
			}
			walk.Partial = walk.Partial || len(hop.edges[from]) >= MaxPage
		}
		frontier = next
	}
	return walk, nil
}

// Path is the way from the start of the walk to an entity, both included.
func (w *Walk) Path(urn string) []string {
	path := []string{urn}
	for at, ok := w.at[urn]; ok && at >= 0; at, ok = w.at[urn] {
		urn = w.Reached[at].Via
		path = append(path, urn)
	}
	slices.Reverse(path)
	return path
}

// assetOf is the entity to show for one that was reached: of a column the one
// that has it.
func assetOf(urn string) string {
	u, err := model.ParseURN(urn)
	if err == nil && u.EntityType() == "schemaField" {
		return u.Parts()[0]
	}
	return urn
}
