package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// columnOf returns the URN of the column that a resource names: the resource
// itself, or a field of it.
func columnOf(r Resource) (model.URN, error) {
	if r.Field == "" {
		return r.URN, catalog.RequireType(r.URN, model.EntitySchemaField)
	}
	u, err := model.ColumnURN(r.URN, r.Field)
	if err != nil {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "the column %q: %w", r.Field, err)
	}
	return u, nil
}

// requireLiveOrColumns fails unless each of the entities exists or is a column of an existing
// entity's schema, and none is soft-deleted. It returns each entity once.
func (s *Service) requireLiveOrColumns(ctx context.Context, what string, urns []model.URN) ([]model.URN, error) {
	if err := catalog.TooMany(what, len(urns), write.MaxEdits); err != nil {
		return nil, err
	}
	urns = catalog.Distinct(urns)
	existing, err := s.writer.Existing(ctx, urns)
	if err != nil {
		return nil, err
	}
	var stored, stated []model.URN
	for _, u := range urns {
		if !existing[u] && u.EntityType() == model.EntitySchemaField {
			stated = append(stated, u)
		} else {
			stored = append(stored, u)
		}
	}
	if err := s.requireLive(ctx, stored...); err != nil {
		return nil, err
	}
	return urns, s.requireColumns(ctx, stated)
}

// requireColumns fails unless all the columns are in the schema of their asset,
// which must exist and must not be soft-deleted.
func (s *Service) requireColumns(ctx context.Context, columns []model.URN) error {
	assets := make([]model.URN, len(columns))
	for i, column := range columns {
		var err error
		if assets[i], _, err = s.names.ParseURN(column.Parts()[0]); err != nil {
			return err
		}
	}
	if err := s.requireLive(ctx, assets...); err != nil {
		return err
	}
	schemas, err := s.schemasOf(ctx, catalog.Distinct(assets))
	if err != nil {
		return err
	}
	known := map[model.URN][]string{}
	for i, column := range columns {
		asset := assets[i]
		if known[asset] == nil {
			for _, path := range schemas[asset] {
				known[asset] = append(known[asset], model.EncodeFieldPath(path))
			}
		}
		if path := column.Parts()[1]; !slices.Contains(known[asset], path) {
			return noColumn(catalog.Invalid, asset, path, known[asset])
		}
	}
	return nil
}

// noColumn is the error for a column that an entity does not have.
func noColumn(code catalog.Code, asset model.URN, path string, known []string) error {
	return catalog.Errorf(code, "%s has no column %q%s", asset, path, nearest.Question(nearest.Names(path, slices.Values(known))))
}
