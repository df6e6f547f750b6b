package mcp

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Directions as agents name them.
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

// entity resolves the name of an entity, of some types if any are given, and fails
// unless something is stored of it.
func (h *Handler) entity(ctx context.Context, name string, types ...string) (model.URN, error) {
	named, err := h.catalog.Search.Resolve(ctx, search.NameRequest{Name: name, Types: types})
	if err != nil {
		return model.URN{}, err
	}
	return named.URN, h.catalog.RequireExisting(ctx, named.URN)
}

// urns resolves names of entities of some types to the texts of their URNs.
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

// leaf returns the short name of a URN: of a column its path, of others their last
// part.
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

// entityOf returns the entity of a column, "" for what is no column.
func entityOf(urn string) string {
	u := model.StoredURN(urn)
	if u.EntityType() != model.EntitySchemaField || len(u.Parts()) == 0 {
		return ""
	}
	return u.Parts()[0]
}

// leaves shortens URNs of tags, people and the like.
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

// options are those of a write in a request.
func options(ctx context.Context) catalog.WriteOptions {
	return catalog.WriteOptions{Actor: requestinfo.ActorOf(ctx), AwaitIndex: true}
}
