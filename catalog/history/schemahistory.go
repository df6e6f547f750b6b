package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// SchemaVersion is a version of a dataset's schema in which columns changed.
type SchemaVersion struct {
	// Semantic is the number of the version, such as 1.2.0. The first version is 0.0.0. A removed
	// column, another type of a column, and another primary key raise the first part; a new or
	// renamed column raises the second.
	Semantic string
	// Time is when the version was written, epoch milliseconds.
	Time int64
	// Stamp names the stored version, as in schemaMetadata:2.
	Stamp string
}

// FieldChange is the last change of a column.
type FieldChange struct {
	FieldPath string
	// Operation is ADD or MODIFY.
	Operation string
	Version   SchemaVersion
}

// SchemaHistory is the history of a dataset's columns, as far back as versions are kept.
type SchemaHistory struct {
	// Versions lists the versions in which columns changed, the newest first.
	Versions []SchemaVersion
	// Fields lists the columns of the requested version, each with its last change up to that
	// version.
	Fields []FieldChange
}

// SchemaHistory compares the stored versions of a dataset's schema. SchemaHistory lists the
// columns of the given semantic version, or of the newest version if semantic is "".
func (s *Service) SchemaHistory(ctx context.Context, u model.URN, semantic string) (*SchemaHistory, error) {
	if u.EntityType() != model.EntityDataset {
		return nil, catalog.Errorf(catalog.Invalid, "%s is not a dataset", u)
	}
	stored, err := s.store.AspectVersions(ctx, graphstore.AspectKey{URN: u.String(), Name: model.AspectSchemaMetadata}, graphstore.Page{Count: catalog.MaxPage})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	slices.Reverse(stored)
	semantic = strings.TrimSuffix(semantic, "-computed")
	h, columns := &SchemaHistory{}, &columnHistory{timeline: timeline{c: s, urn: u}, changes: map[string]FieldChange{}}
	for i := range stored {
		changed, err := columns.next(&stored[i])
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		h.Versions = append(h.Versions, columns.version)
		if semantic == "" || columns.version.Semantic == semantic {
			h.Fields = columns.list()
		}
	}
	if semantic != "" && !slices.ContainsFunc(h.Versions, func(v SchemaVersion) bool { return v.Semantic == semantic }) {
		return nil, catalog.Errorf(catalog.NotFound, "the schema of %s has no version %s", u, semantic)
	}
	slices.Reverse(h.Versions)
	return h, nil
}

// columnHistory is the state of SchemaHistory while it reads the versions of a schema.
type columnHistory struct {
	timeline
	schema  *model.Value
	number  semanticVersion
	version SchemaVersion
	changes map[string]FieldChange
}

// next compares a version with the one before, as a timeline does, and reports whether columns
// changed.
func (h *columnHistory) next(stored *graphstore.Aspect) (changed bool, err error) {
	before := h.schema
	if h.schema, err = h.c.registry.ParseStored(model.AspectSchemaMetadata, stored.Value); err != nil {
		return false, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, stored.URN, err)
	}
	events := h.events(&technicalSchema, before, h.schema)
	changed = before == nil || len(events) > 0
	if before != nil {
		h.number.raise(greatestChange(events))
	}
	if changed {
		h.version = SchemaVersion{
			Semantic: h.number.String(), Time: stored.CreatedOn, Stamp: fmt.Sprintf("%s:%d", model.AspectSchemaMetadata, stored.Version),
		}
	}
	for i := range events {
		e := &events[i]
		if was := h.changes[e.column]; was.Version != h.version || was.Operation == OperationModify {
			h.changes[e.column] = FieldChange{e.column, e.Operation, h.version}
		}
	}
	return changed, nil
}

func (h *columnHistory) list() []FieldChange {
	columns := jsontree.Items(h.schema.Tree, "fields")
	list := make([]FieldChange, len(columns))
	for i, column := range columns {
		list[i] = h.changes[jsontree.Text(column, "fieldPath")]
	}
	return list
}
