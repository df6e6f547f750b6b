package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// Get reads an entity of one type by its URN. An entity that was never ingested
// is also an object, or an error, depending on the dialect of the URN.
func Get[T Entity](ctx context.Context, s *Session, urn model.URN) (T, error) {
	var none T
	entity, err := s.Entity(ctx, urn)
	if err != nil {
		return none, err
	}
	typed, ok := entity.(T)
	if !ok {
		return none, catalog.Errorf(catalog.Invalid, "the urn %s is of another type", urn)
	}
	return typed, nil
}

// Entity reads an entity of any type, nil when the schema does not have it.
func (s *Session) Entity(ctx context.Context, urn model.URN) (Entity, error) {
	entities, missing, err := s.Entities(ctx, []model.URN{urn})
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, missing[0]
	}
	return entities[0], nil
}

// Entities reads entities of any type in the order of the request. It returns nil
// for types that the schema does not have, and for unknown entities, depending on
// their dialect.
func (s *Session) Entities(ctx context.Context, urns []model.URN) (entities []Entity, missing []error, err error) {
	registry, batch := s.Catalog.Registry(), s.NewBatch()
	var strict []model.URN
	for _, u := range urns {
		if d, _ := registry.DialectOf(u); d.UnknownEntity == model.NotFound {
			strict = append(strict, u)
		}
	}
	existing := map[model.URN]bool{}
	if len(strict) > 0 {
		if existing, err = s.Catalog.Existing(ctx, strict); err != nil {
			return nil, nil, err
		}
	}
	entities = make([]Entity, len(urns))
	for i, u := range urns {
		if d, _ := registry.DialectOf(u); d.UnknownEntity == model.NotFound && !existing[u] {
			missing = append(missing, catalog.Errorf(catalog.NotFound, "Did not find urn: %s", u))
			continue
		}
		entities[i] = batch.entity(u)
	}
	return entities, missing, nil
}

// Versioned reads a dataset with aspects of past versions: those that the map
// names, or the latest of all when it is nil.
func (s *Session) Versioned(ctx context.Context, urn model.URN, versions map[string]int64) (*VersionedDataset, error) {
	if _, err := Get[*Dataset](ctx, s, urn); err != nil {
		return nil, err
	}
	batch := s.NewBatch()
	if versions != nil {
		batch.read = func(ctx context.Context, urns []model.URN, _ []string) (map[string]catalog.EntityResponse, error) {
			response, err := s.Catalog.EntityAt(ctx, urns[0], versions)
			return map[string]catalog.EntityResponse{response.URN: response}, err
		}
	}
	dataset, _ := batch.entity(urn).(*Dataset)
	return &VersionedDataset{dataset.Node}, nil
}

// Listed are entities of one type in the order found.
func Listed[T Entity](s *Session, hits []search.Hit) []T {
	batch := s.NewBatch()
	urns := make([]string, len(hits))
	for i, hit := range hits {
		urns[i] = hit.URN
	}
	return entitiesAs[T](batch, urns)
}

type sessionKey struct{}

// WithSession puts a request's session into its context.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf returns the session of the request that a context belongs to.
func SessionOf(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}
