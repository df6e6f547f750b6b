package overlay

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These say how a part of the catalog would differ. A part without a difference would stay as it is.
const (
	Added   = "added"
	Changed = "changed"
	Ended   = "ended"
)

// CompareRequest asks how the catalog would differ with an overlay.
type CompareRequest struct {
	// URN, if set, is the entity around which the graph is drawn. Without it, the graph is drawn around all entities of the overlay
	// that would differ, at most limits.OverlayDrawn.
	URN model.URN
	// Hops is how far the graph reaches in both directions.
	Hops int
}

// Comparison has the present catalog beside the catalog with the overlay.
type Comparison struct {
	// Tables are the entities of the overlay that would differ.
	Tables []ComparedTable `json:"tables"`
	// Nodes and Edges are the graph with the nodes and edges of both states.
	Nodes []ComparedNode `json:"nodes"`
	Edges []ComparedEdge `json:"edges"`
	// Certain and Possible are the entities that fail, or may be affected, outside of the entities that the overlay gives anew.
	Certain  []ComparedEffect `json:"certain"`
	Possible []ComparedEffect `json:"possible"`
	// Owners are the owners of the effects.
	Owners []lineage.ImpactOwner `json:"owners"`
	// Partial: a part is missing, and Reason names it.
	Partial bool   `json:"partial"`
	Reason  string `json:"reason,omitempty"`
}

func (c *Comparison) partly(reason string) {
	c.Partial, c.Reason = true, cmp.Or(c.Reason, reason)
}

// Shown is an entity with its names.
type Shown struct {
	URN          string `json:"urn"`
	Type         string `json:"type"`
	Name         string `json:"name"`
	PlatformName string `json:"platformName,omitempty"`
}

// ComparedTable is an entity of the overlay that would differ.
type ComparedTable struct {
	Shown
	Change  string           `json:"change"`
	Columns []ComparedColumn `json:"columns"`
	// EdgesAdded and EdgesEnded count the edges of lineage at the entity that would be added and ended.
	EdgesAdded int `json:"edgesAdded"`
	EdgesEnded int `json:"edgesEnded"`
}

// ComparedColumn is a column that would differ.
type ComparedColumn struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	Type   string `json:"type,omitempty"`
	// OldType is the type today, if it would be another one.
	OldType string `json:"oldType,omitempty"`
	// Nullable is set if the column would be nullable and is not, or the other way round. Sources: it would derive from other columns.
	Nullable *bool `json:"nullable,omitempty"`
	Sources  bool  `json:"sources,omitempty"`
}

// ComparedNode is a node of the graph.
type ComparedNode struct {
	Shown
	Exists bool   `json:"exists"`
	Change string `json:"change,omitempty"`
	degree int
}

// ComparedEdge is an edge of the graph.
type ComparedEdge struct {
	Upstream   string `json:"upstream"`
	Downstream string `json:"downstream"`
	Change     string `json:"change,omitempty"`
}

// ComparedEffect is an entity that fails or may be affected. Because and Why are as in [lineage.ImpactedEntity], Of is the table or
// column whose change affects the entity, and Owners are URNs.
type ComparedEffect struct {
	Shown
	Of      Shown    `json:"of"`
	Column  string   `json:"column,omitempty"`
	Because string   `json:"because,omitempty"`
	Why     string   `json:"why,omitempty"`
	Degree  int      `json:"degree"`
	Owners  []string `json:"owners"`
}

// Compare says how the catalog would differ with an overlay: the tables, columns and edges that would be added, changed and ended,
// and the readers that would fail. It writes nothing.
func (s *Service) Compare(ctx context.Context, proposals []json.RawMessage, r CompareRequest) (*Comparison, error) {
	if r.Hops < 1 || r.Hops > limits.OverlayHops {
		return nil, catalog.Errorf(catalog.Invalid, "hops is 1 to %d, and not %d", limits.OverlayHops, r.Hops)
	}
	store, err := New(ctx, s.o.Registry, s.o.Store, proposals, s.o.Now().UnixMilli())
	if err != nil {
		return nil, err
	}
	c := &comparing{Service: s, store: store, over: s.o.Lineage.Over(store, names{s.o.Names, store}), r: &r, found: &Comparison{}}
	if err := c.tables(ctx); err != nil {
		return nil, err
	}
	if err := c.graph(ctx); err != nil {
		return nil, err
	}
	if err := c.effects(ctx); err != nil {
		return nil, err
	}
	return c.found, c.name(ctx)
}

// comparing is one comparison.
type comparing struct {
	*Service
	store *Store
	over  *lineage.Service
	r     *CompareRequest
	found *Comparison
	// now has facts of today's store about the entities of the overlay: the columns of the entities that exist and are
	// not removed.
	now map[string]*entityNow
}

// entityNow is an entity in today's store.
type entityNow struct {
	live    bool
	columns []statements.Column
}

// tables finds the entities that would differ.
func (c *comparing) tables(ctx context.Context) error {
	urns := slices.Sorted(maps.Keys(c.store.aspects))
	if err := c.readNow(ctx, urns); err != nil {
		return err
	}
	c.found.Tables = []ComparedTable{}
	for _, urn := range urns {
		t := ComparedTable{Shown: Shown{URN: urn}, Columns: []ComparedColumn{}}
		now := c.now[urn]
		removed, stated := c.store.removed(urn)
		switch {
		case now.live && stated && removed:
			t.Change = Ended
		case !now.live && !removed && (c.store.Has(urn) || stated):
			t.Change = Added
		}
		c.columns(&t, now)
		for _, key := range c.store.at[urn] {
			if lineage, _ := c.o.Registry.IsLineage(key.kind, model.StoredURN(key.source).EntityType(), model.StoredURN(key.destination).EntityType()); !lineage {
				continue
			}
			if c.store.ended[key] {
				t.EdgesEnded++
			} else {
				t.EdgesAdded++
			}
		}
		if t.Change == "" && len(t.Columns)+t.EdgesAdded+t.EdgesEnded > 0 {
			t.Change = Changed
		}
		if t.Change != "" {
			c.found.Tables = append(c.found.Tables, t)
		}
	}
	return nil
}
