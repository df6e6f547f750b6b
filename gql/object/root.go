package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// Get reads an entity of one type by its URN. For an entity that was never ingested, the
// dialect of the URN decides whether Get returns an object or an error.
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

// Entity reads an entity of any type. It returns nil when the schema does not have the type.
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

// Entities reads entities of any type in the order of the request. It returns nil for an entity
// whose type the schema does not have and, in some dialects, for an unknown entity.
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

// Versioned reads a dataset with aspects of past versions: the versions that the map names. If
// the map is nil, Versioned reads the latest version of each aspect.
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

// Listed returns the entities of the type T among hits, in the order of the hits.
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
