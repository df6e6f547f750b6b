package overlay

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/model"
)

// Options configure a Service. All are required.
type Options struct {
	Registry *model.Registry
	// Store is the store as callers see it.
	Store   lineage.Store
	Names   lineage.Names
	Lineage *lineage.Service
	Now     func() time.Time
}

// Service answers questions about lineage over overlays.
type Service struct{ o Options }

// NewService makes a Service.
func NewService(o Options) *Service { return &Service{o} }

// over returns the lineage over an overlay. asOf is the moment of the question.
func (s *Service) over(ctx context.Context, proposals []json.RawMessage, asOf int64) (*lineage.Service, error) {
	if asOf != 0 {
		return nil, catalog.Errorf(catalog.Invalid, "an overlay is about the present: leave out asOf, startTimeMillis and endTimeMillis")
	}
	store, err := New(ctx, s.o.Registry, s.o.Store, proposals, s.o.Now().UnixMilli())
	if err != nil {
		return nil, err
	}
	return s.o.Lineage.Over(store, names{s.o.Names, store}), nil
}

// Of is [lineage.Service.Of] over an overlay.
func (s *Service) Of(ctx context.Context, proposals []json.RawMessage, r lineage.Request) (*lineage.Result, error) {
	over, err := s.over(ctx, proposals, max(r.Walk.AsOf, r.Walk.From, r.Walk.To))
	if err != nil {
		return nil, err
	}
	return over.Of(ctx, r)
}

// Impact is [lineage.Service.Impact] over an overlay.
func (s *Service) Impact(ctx context.Context, proposals []json.RawMessage, r lineage.ImpactRequest) (*lineage.Impact, error) {
	over, err := s.over(ctx, proposals, r.Walk.AsOf)
	if err != nil {
		return nil, err
	}
	return over.Impact(ctx, r)
}

// names are the names of entities, including the names that the overlay gives.
type names struct {
	lineage.Names
	store *Store
}

// Name returns the names of entities by their URNs.
func (n names) Name(ctx context.Context, urns []string) (map[string]read.Named, error) {
	found, err := n.Names.Name(ctx, urns)
	if err != nil {
		return nil, err
	}
	for urn, named := range found {
		owner := model.StoredURN(urn)
		if owner.IsZero() {
			continue
		}
		holder := model.HolderOf(owner)
		named.Exists = named.Exists || n.store.Has(holder)
		if removed, stated := n.store.removed(holder); stated {
			named.Removed = removed
		}
		if name := n.store.NameOf(urn); name != "" {
			named.Name = name
		}
		found[urn] = named
	}
	return found, nil
}
