package history

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Drop is the write after which a schema no longer had a column.
type Drop struct {
	// Time is when the schema was written, epoch milliseconds.
	Time int64
	// Actor is who wrote the schema, Run the run that did, "" for none.
	Actor, Run string
}

// DroppedColumns returns the last drop of each of the columns that a dataset had once and does not have at a
// moment; a moment of 0 is now. Names of columns are compared without regard to letter case. DroppedColumns
// looks at the newest limits.MaxSchemasLookedAt versions of the schema.
func (s *Service) DroppedColumns(ctx context.Context, u model.URN, columns []string, at int64) (map[string]Drop, error) {
	stored, err := s.store.AspectVersions(ctx, graphstore.AspectKey{URN: u.String(), Name: model.AspectSchemaMetadata}, graphstore.Page{Count: limits.MaxSchemasLookedAt})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	dropped, had := map[string]Drop{}, map[string]bool{}
	for i := range slices.Backward(stored) { // the oldest first
		v := &stored[i]
		if at > 0 && v.CreatedOn > at {
			break
		}
		has, err := namesIn(v.Value)
		if err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", v.Name, v.URN, err)
		}
		for _, column := range columns {
			switch name := strings.ToLower(column); {
			case has[name]:
				delete(dropped, column)
				had[name] = true
			case had[name]:
				dropped[column] = Drop{v.CreatedOn, v.CreatedBy, runIn(v.System.RunID)}
				delete(had, name)
			}
		}
	}
	return dropped, nil
}

// runIn returns the id of a run, "" for a write that names none.
func runIn(id string) string {
	if id == catalog.NoRunID {
		return ""
	}
	return id
}

// namesIn returns the columns of a schema in lower case.
func namesIn(schema json.RawMessage) (map[string]bool, error) {
	paths, err := statements.FieldPathsOf(schema)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(paths))
	for _, p := range paths {
		names[strings.ToLower(model.PlainPath(p))] = true
	}
	return names, nil
}
