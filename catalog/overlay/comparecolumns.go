package overlay

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/model"
)

// columnsOf returns the columns of a schema, in their order; none of a value that is not a schema.
func columnsOf(schema json.RawMessage) []statements.Column {
	columns, err := statements.ColumnsOf(schema, nil)
	if err != nil {
		return nil
	}
	return columns
}

// byPath returns columns by their paths. Of columns with one path, the first one counts.
func byPath(columns []statements.Column) map[string]*statements.Column {
	by := make(map[string]*statements.Column, len(columns))
	for i := range columns {
		if c := &columns[i]; by[c.Path] == nil {
			by[c.Path] = c
		}
	}
	return by
}

// readNow reads the facts of today's store about entities.
func (c *comparing) readNow(ctx context.Context, urns []string) error {
	c.now = map[string]*entityNow{}
	for _, urn := range urns {
		c.now[urn] = &entityNow{}
	}
	for some := range slices.Chunk(urns, hopEntities) {
		found, err := c.o.Store.Entities(ctx, some)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for i := range found {
			c.now[found[i].URN].live = found[i].Exists && !found[i].Removed
		}
		schemas, err := c.o.Store.LatestAspects(ctx, some, []string{model.AspectSchemaMetadata})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for urn, aspects := range schemas {
			for i := range aspects {
				c.now[urn].columns = columnsOf(aspects[i].Value)
			}
		}
	}
	return nil
}

// columns finds the columns of an entity that would differ.
func (c *comparing) columns(t *ComparedTable, now *entityNow) {
	then := now.columns
	if value, stated := c.store.aspects[t.URN][model.AspectSchemaMetadata]; stated {
		then = nil
		if value != nil {
			then = columnsOf(value.Value)
		}
	}
	if t.Change == Ended {
		then = nil
	}
	were, are := byPath(now.columns), byPath(then)
	entity := model.StoredURN(t.URN)
	for i := range then {
		is := &then[i]
		was := were[is.Path]
		one := ComparedColumn{Path: is.Path, Type: is.NativeType}
		if was == nil || !now.live {
			one.Change = Added
			t.Columns = append(t.Columns, one)
			continue
		}
		if !strings.EqualFold(was.NativeType, is.NativeType) {
			one.OldType = was.NativeType
		}
		if was.Nullable != is.Nullable {
			one.Nullable = &is.Nullable
		}
		one.Sources = c.otherSources(entity, is.Path)
		if one.OldType != "" || one.Nullable != nil || one.Sources {
			one.Change = Changed
			t.Columns = append(t.Columns, one)
		}
	}
	if !now.live {
		return
	}
	for i := range now.columns {
		if was := &now.columns[i]; are[was.Path] == nil {
			t.Columns = append(t.Columns, ComparedColumn{Path: was.Path, Type: was.NativeType, Change: Ended})
		}
	}
}

// otherSources reports whether a column would derive from other columns than today.
func (c *comparing) otherSources(entity model.URN, path string) bool {
	u, err := model.ColumnURN(entity, path)
	return err == nil && slices.ContainsFunc(c.store.at[u.String()], func(key edgeKey) bool {
		return key.source == u.String() && model.StoredURN(key.destination).EntityType() == model.EntitySchemaField
	})
}
