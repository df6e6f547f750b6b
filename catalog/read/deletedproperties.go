package read

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// The values of a soft-deleted structured property stay stored, so that they appear again when
// the property is restored. Until then, readers of the latest values do not get them.

// withoutDeleted returns the latest aspects of entities without the values of soft-deleted
// properties. withoutDeleted changes no argument in place.
func (rd *Reader) withoutDeleted(ctx context.Context, stored map[string][]graphstore.Aspect) (map[string][]graphstore.Aspect, error) {
	trees := map[string]catalog.Tree{}
	for urn, aspects := range stored {
		if i := propertiesIn(aspects); i >= 0 {
			tree, err := catalog.TreeOf(aspects[i].Value)
			if err != nil {
				return nil, err
			}
			trees[urn] = tree
		}
	}
	deleted, err := rd.deletedIn(ctx, trees)
	if err != nil || len(deleted) == 0 {
		return stored, err
	}
	shown := make(map[string][]graphstore.Aspect, len(stored))
	for urn, aspects := range stored {
		shown[urn] = aspects
		tree := trees[urn]
		if tree == nil || !rd.dropValues(tree, deleted) {
			continue
		}
		text, err := jsontree.Encode(tree)
		if err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectStructuredProperties, urn, err)
		}
		shown[urn] = slices.Clone(aspects)
		shown[urn][propertiesIn(aspects)].Value = text
	}
	return shown, nil
}

// shownValue returns the latest value of an aspect without the values of soft-deleted
// properties.
func (rd *Reader) shownValue(ctx context.Context, a graphstore.Aspect) (json.RawMessage, error) {
	shown, err := rd.withoutDeleted(ctx, map[string][]graphstore.Aspect{a.URN: {a}})
	if err != nil {
		return nil, err
	}
	return shown[a.URN][0].Value, nil
}

// propertiesIn returns the index of the structured properties in a list of aspects, -1 if there
// are none.
func propertiesIn(aspects []graphstore.Aspect) int {
	return slices.IndexFunc(aspects, func(a graphstore.Aspect) bool { return a.Name == model.AspectStructuredProperties })
}

// deletedIn returns the soft-deleted properties among the properties in the values.
func (rd *Reader) deletedIn(ctx context.Context, values map[string]catalog.Tree) (map[string]bool, error) {
	properties := map[string]bool{}
	for _, tree := range values {
		for _, entry := range jsontree.Items(tree, "properties") {
			properties[rd.Spelled(jsontree.Text(entry, "propertyUrn"))] = true
		}
	}
	if len(properties) == 0 {
		return nil, nil
	}
	urns := make([]string, 0, len(properties))
	for urn := range properties {
		urns = append(urns, urn)
	}
	nodes, err := rd.store.Entities(ctx, urns)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	clear(properties)
	for i := range nodes {
		if nodes[i].Removed {
			properties[nodes[i].URN] = true
		}
	}
	return properties, nil
}

// dropValues removes the values of properties, and reports whether there were any.
func (rd *Reader) dropValues(tree catalog.Tree, properties map[string]bool) bool {
	entries := jsontree.Array(tree, "properties")
	others := slices.DeleteFunc(slices.Clone(entries), func(item any) bool {
		entry, _ := item.(catalog.Tree)
		return properties[rd.Spelled(jsontree.Text(entry, "propertyUrn"))]
	})
	if len(others) == len(entries) {
		return false
	}
	tree["properties"] = others
	return true
}
