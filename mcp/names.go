package mcp

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Directions of lineage in the words of agents.
const (
	upstream   = "upstream"
	downstream = "downstream"
)

var directions = map[string]string{upstream: lineage.Upstream, downstream: lineage.Downstream}

// subject resolves a name to the URN of an entity or of a column.
func (h *Handler) subject(ctx context.Context, name string, part search.Part) (model.URN, error) {
	named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Part: part})
	if err != nil {
		return model.URN{}, err
	}
	return named.Subject()
}

// entity resolves the name of an entity. If types are given, the entity has one of these types.
// entity fails unless something is stored of the entity.
func (h *Handler) entity(ctx context.Context, name string, types ...string) (model.URN, error) {
	named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Types: types})
	if err != nil {
		return model.URN{}, err
	}
	return named.URN, h.catalog.RequireExisting(ctx, named.URN)
}

// urns resolves names of entities to URNs. If types are given, each entity has one of these
// types.
func (h *Handler) urns(ctx context.Context, names []string, types ...string) ([]model.URN, error) {
	urns := make([]model.URN, len(names))
	for i, name := range names {
		named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Types: types})
		if err != nil {
			return nil, err
		}
		urns[i] = named.URN
	}
	return urns, nil
}

// leaf returns a short name for a URN. For a column, it is the path of the column; for other
// entities, the last part of the URN.
func leaf(urn string) string {
	u := model.StoredURN(urn)
	if u.IsZero() {
		return urn
	}
	parts := u.Parts()
	switch u.EntityType() {
	case model.EntityDataset:
		if len(parts) == 3 {
			return parts[1]
		}
	case model.EntitySchemaField:
		if len(parts) == 2 {
			return model.DecodeFieldPath(parts[1])
		}
	}
	return parts[len(parts)-1]
}

// entityOf returns the entity of a column. For a URN that is not a column's, it returns "".
func entityOf(urn string) string {
	u := model.StoredURN(urn)
	if u.EntityType() != model.EntitySchemaField || len(u.Parts()) == 0 {
		return ""
	}
	return u.Parts()[0]
}

// leaves returns short names for URNs of tags, people and similar entities.
func leaves(urns []string) []string {
	if len(urns) == 0 {
		return nil
	}
	short := make([]string, len(urns))
	for i, urn := range urns {
		short[i] = leaf(urn)
	}
	return short
}

// options are the options of a write by a request.
func options(ctx context.Context) catalog.WriteOptions {
	return catalog.WriteOptions{Actor: requestinfo.ActorOf(ctx), AwaitIndex: true}
}
