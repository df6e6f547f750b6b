// Package overlay answers as the catalog would if some aspects had other values, and writes nothing. An overlay is a
// list of proposals. Their edges take the place of the edges that the stored values of the same aspects state. Lineage
// and impact then walk over these and all other edges.
package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// runID is the run of an overlay's statements, by which the basis of an answer names it.
const runID = "overlay"

// edgeKey tells edges apart.
type edgeKey struct{ source, kind, destination string }

// Store answers as its inner store would with the overlay. It is used for one request.
type Store struct {
	lineage.Store
	now int64
	// aspects are the values by entity and name; a nil value is deleted.
	aspects map[string]map[string]*graphstore.Aspect
	// ended are edges of stored values that the overlay does not state, and added are edges that only the overlay states.
	ended map[edgeKey]bool
	added map[edgeKey]graphstore.Edge
	// at lists the ended and the added edges of an entity, by the entity.
	at map[string][]edgeKey
	// stated are all edges that the values of the overlay state, by the entity whose aspects they are, and kinds the relationships
	// that the former and the new values state.
	stated map[string][]graphstore.Edge
	kinds  map[string]map[string]bool
	// restores: the overlay states of some entity that it is not removed.
	restores bool
}

// New returns a store with an overlay. proposals are in the form of metadata files. Errors of proposals are Invalid.
func New(ctx context.Context, registry *model.Registry, inner lineage.Store, proposals []json.RawMessage, now int64) (*Store, error) {
	if len(proposals) > limits.OverlayAspects {
		return nil, catalog.Errorf(catalog.Invalid, "an overlay may have %d proposals, not %d", limits.OverlayAspects, len(proposals))
	}
	s := &Store{
		Store: inner, now: now, aspects: map[string]map[string]*graphstore.Aspect{}, ended: map[edgeKey]bool{}, added: map[edgeKey]graphstore.Edge{}, at: map[string][]edgeKey{},
		stated: map[string][]graphstore.Edge{}, kinds: map[string]map[string]bool{},
	}
	r := &reading{Store: s, registry: registry, owners: map[string]model.URN{}}
	for i, raw := range proposals {
		if err := r.take(raw); err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "overlay[%d]: %w", i, err)
		}
	}
	for urn := range s.aspects {
		removed, stated := s.removed(urn)
		s.restores = s.restores || stated && !removed
	}
	if err := r.compare(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// reading reads the proposals of an overlay.
type reading struct {
	*Store
	registry *model.Registry
	owners   map[string]model.URN
	edges    int
	// before are the edges of the stored values, by their owners.
	before map[edgeKey]map[string]bool
	types  map[edgeKey][2]string
}

// take reads a proposal.
func (r *reading) take(raw json.RawMessage) error {
	record, err := r.registry.DecodeFileRecord(raw)
	if err != nil {
		return err
	}
	p := record.Proposal
	if p == nil {
		return fmt.Errorf("it is a snapshot; an overlay has proposals")
	}
	owner, err := r.registry.ReadURN(p.EntityURN)
	if err != nil {
		return err
	}
	entity, ok := r.registry.Entity(owner.EntityType())
	if !ok {
		return fmt.Errorf("%s has an unknown type", owner)
	}
	if !entity.Has(p.AspectName) {
		return fmt.Errorf("%s has no aspect %q%s", owner.EntityType(), p.AspectName, nearest.Among(p.AspectName, entity.Aspects, "aspects"))
	}
	aspect, ok := r.registry.Aspect(p.AspectName)
	if !ok || aspect.TimeSeries {
		return fmt.Errorf("%s is a time series, which an overlay cannot have", p.AspectName)
	}
	urn := owner.String()
	r.owners[urn] = owner
	if r.aspects[urn] == nil {
		r.aspects[urn] = map[string]*graphstore.Aspect{}
	}
	if _, given := r.aspects[urn][aspect.Name]; given {
		return fmt.Errorf("%s of %s is given twice", aspect.Name, urn)
	}
	r.aspects[urn][aspect.Name] = nil
	switch change := strings.ToUpper(p.ChangeType); {
	case change == "DELETE":
		return nil
	case change != "" && change != "UPSERT":
		return fmt.Errorf("changeType is UPSERT or DELETE in an overlay, not %q", p.ChangeType)
	case p.Aspect == nil:
		return fmt.Errorf("%s of %s has no value", aspect.Name, urn)
	}
	dialect, _ := r.registry.DialectOf(owner)
	value, err := r.registry.Parse(dialect, aspect.Name, []byte(p.Aspect.Value))
	if err != nil {
		return fmt.Errorf("%s of %s: %w", aspect.Name, urn, err)
	}
	r.aspects[urn][aspect.Name] = &graphstore.Aspect{URN: urn, Name: aspect.Name, Version: graphstore.LatestVersion, Seq: 1, Value: value.JSON, CreatedOn: r.now, System: graphstore.SystemMetadata{LastObserved: r.now, RunID: runID}}
	for _, e := range r.registry.Edges(owner, value) {
		if r.edges++; r.edges > limits.OverlayEdges {
			return fmt.Errorf("the values of an overlay may state %d edges", limits.OverlayEdges)
		}
		r.state(urn, &e)
	}
	return nil
}

// state notes that a value of the overlay states an edge.
func (r *reading) state(owner string, e *model.Edge) {
	r.note(owner, e.Relationship)
	r.stated[owner] = append(r.stated[owner], graphstore.Edge{
		Source: e.Source, Type: e.Relationship, Destination: e.Destination, Since: r.now, SinceRun: runID, Owners: []string{owner},
		EdgeAttributes: graphstore.EdgeAttributes{CreatedOn: e.CreatedOn, CreatedActor: e.CreatedActor, UpdatedOn: e.UpdatedOn, UpdatedActor: e.UpdatedActor, Properties: e.Properties, Via: e.Via},
	})
}

func (r *reading) note(owner, kind string) {
	if r.kinds[owner] == nil {
		r.kinds[owner] = map[string]bool{}
	}
	r.kinds[owner][kind] = true
}

func keyOf(e *graphstore.Edge) edgeKey { return edgeKey{e.Source, e.Type, e.Destination} }

// compare reads the stored values of the aspects, and finds which edges the overlay ends and adds.
func (r *reading) compare(ctx context.Context) error {
	r.before, r.types = map[edgeKey]map[string]bool{}, map[edgeKey][2]string{}
	for urn, aspects := range r.aspects {
		names := make([]string, 0, len(aspects))
		for name := range aspects {
			names = append(names, name)
		}
		stored, err := r.Store.Store.LatestAspects(ctx, []string{urn}, names)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, one := range stored[urn] {
			value, err := r.registry.ParseStored(one.Name, one.Value)
			if err != nil {
				return catalog.Errorf(catalog.Internal, "%s of %s: %w", one.Name, urn, err)
			}
			for _, e := range r.registry.Edges(r.owners[urn], value) {
				key := edgeKey{e.Source, e.Relationship, e.Destination}
				if r.before[key] == nil {
					r.before[key] = map[string]bool{}
				}
				r.before[key][urn] = true
				r.types[key] = [2]string{e.SourceType, e.DestinationType}
				r.note(urn, e.Relationship)
			}
		}
	}
	for _, edges := range r.stated {
		for _, e := range edges {
			key := keyOf(&e)
			delete(r.before, key)
			r.types[key] = [2]string{graphstore.TypeOf(e.Source), graphstore.TypeOf(e.Destination)}
			r.added[key] = e
		}
	}
	return r.others(ctx)
}

// pairsAtOnce is how many pairs of entities one question is about.
const pairsAtOnce = 1000

// others drops, from the edges that the overlay ends, the edges that another aspect states too; and from the edges that
// it adds, the edges that are stated already.
func (r *reading) others(ctx context.Context) error {
	keys := make([]edgeKey, 0, len(r.before)+len(r.added))
	for key := range r.before {
		keys = append(keys, key)
	}
	for key := range r.added {
		keys = append(keys, key)
	}
	for some := range slices.Chunk(keys, pairsAtOnce) {
		q := graphstore.PairQuery{}
		for _, key := range some {
			q.Pairs = append(q.Pairs, graphstore.Pair{From: key.source, To: key.destination})
			step := graphstore.Step{EdgeKind: graphstore.EdgeKind{Type: key.kind, SourceType: r.types[key][0], DestinationType: r.types[key][1]}}
			if !slices.Contains(q.Steps, step) {
				q.Steps = append(q.Steps, step)
			}
		}
		found, err := r.Store.Store.EdgesBetween(ctx, q)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, key := range some {
			var known *graphstore.Edge
			for _, e := range found[graphstore.Pair{From: key.source, To: key.destination}] {
				if keyOf(&e) == key {
					known = &e
				}
			}
			if owners := r.before[key]; owners != nil {
				if known != nil && !slices.ContainsFunc(known.Owners, func(o string) bool { return !owners[o] }) {
					r.ended[key] = true
				}
			} else if known != nil {
				delete(r.added, key)
			}
		}
	}
	for key := range r.ended {
		r.touch(key)
	}
	for key := range r.added {
		r.touch(key)
	}
	return nil
}

func (r *reading) touch(key edgeKey) {
	r.at[key.source] = append(r.at[key.source], key)
	if key.destination != key.source {
		r.at[key.destination] = append(r.at[key.destination], key)
	}
}

// removed reports whether the overlay says that an entity is soft-deleted. stated is false if the overlay says nothing of it.
func (s *Store) removed(urn string) (removed, stated bool) {
	value, ok := s.aspects[urn][model.AspectStatus]
	if !ok {
		return false, false
	}
	if value == nil {
		return false, true
	}
	var status struct{ Removed bool }
	_ = json.Unmarshal(value.Value, &status) // it was validated
	return status.Removed, true
}

// NameOf returns the name that the overlay gives an entity, "" if it gives none.
func (s *Store) NameOf(urn string) string {
	for _, value := range s.aspects[urn] {
		if value == nil {
			continue
		}
		if object, err := jsontree.DecodeObject(value.Value); err == nil {
			for _, member := range []string{"name", "title", "displayName"} {
				if name := jsontree.Text(object, member); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

// Has reports whether the overlay gives an entity values.
func (s *Store) Has(urn string) bool {
	for _, value := range s.aspects[urn] {
		if value != nil {
			return true
		}
	}
	return false
}
