package catalog

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// schemaVersionsRead is how many former schemas are searched for a column when
// a request is about the past.
const schemaVersionsRead = 100

// requireColumn fails with NotFound, and suggests similar names, when the
// entity does not have the column that a request is about: the entity has a
// schema without the column, and no lineage names it. If the request is about
// the past, a former schema counts too. An entity without a schema is taken to
// have every column.
func (c *Catalog) requireColumn(ctx context.Context, column string, past bool) error {
	nodes, err := c.store.Entities(ctx, []string{column})
	if err != nil || len(nodes) > 0 {
		return storeFailure(err)
	}
	page := graphstore.Page{Count: 1}
	if past {
		page.Count = schemaVersionsRead
	}
	asset, path := assetOf(column), columnPath(column)
	stored, err := c.store.AspectVersions(ctx, graphstore.AspectKey{URN: asset, Name: model.AspectSchemaMetadata}, page)
	if err != nil || len(stored) == 0 {
		return storeFailure(err)
	}
	var known []string
	for i := range stored {
		paths, err := fieldPathsOf(stored[i].Value)
		if err != nil {
			return Errorf(Internal, "%s of %s: %w", model.AspectSchemaMetadata, asset, err)
		}
		known = append(known, paths...)
	}
	if slices.ContainsFunc(known, func(p string) bool { return p == path || plainPath(p) == plainPath(path) }) {
		return nil
	}
	offered := make([]string, 0, len(known))
	for _, p := range known {
		offered = append(offered, plainPath(p))
	}
	return Errorf(NotFound, "%s has no column %q%s", asset, path, nearest.Question(nearest.Names(plainPath(path), slices.Values(offered))))
}

// fieldPathsOf lists the columns of a schema.
func fieldPathsOf(schema json.RawMessage) ([]string, error) {
	var value struct {
		Fields []struct {
			Path string `json:"fieldPath"`
		} `json:"fields"`
	}
	if err := json.Unmarshal(schema, &value); err != nil {
		return nil, err
	}
	paths := make([]string, len(value.Fields))
	for i, f := range value.Fields {
		paths[i] = f.Path
	}
	return paths, nil
}

// typeStep is a step of a column's path that contains a type and not a name:
// [version=2.0].[type=string].name is the column name.
var typeStep = regexp.MustCompile(`\[[^\]]*\]\.?`)

// plainPath returns a column's path without the steps that contain types.
func plainPath(path string) string { return typeStep.ReplaceAllString(path, "") }
