package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
)

// SchemaVersion is a version of a dataset's columns.
type SchemaVersion struct {
	// Semantic is its number as in 1.2.0: the first version is 0.0.0, a column
	// that goes away or changes its type raises the first part, a new one the
	// second.
	Semantic string
	// Time is when it was written, epoch milliseconds.
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

// SchemaHistory is what became of a dataset's columns, as far back as versions
// are kept.
type SchemaHistory struct {
	// Versions are those in which columns changed, the newest first.
	Versions []SchemaVersion
	// Fields are the columns of the version asked for, each with its last
	// change up to then.
	Fields []FieldChange
}

// SchemaHistory compares the stored versions of a dataset's schema. With a
// semantic version the columns are those of it, otherwise of the newest.
func (c *Catalog) SchemaHistory(ctx context.Context, urn, semantic string) (*SchemaHistory, error) {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return nil, err
	}
	if u.EntityType() != "dataset" {
		return nil, Errorf(Invalid, "%s is no dataset", u)
	}
	stored, err := c.store.AspectVersions(ctx, graphstore.AspectKey{URN: u.String(), Name: schemaAspect}, graphstore.Page{Count: MaxPage})
	if err != nil {
		return nil, storeFailure(err)
	}
	slices.Reverse(stored) // the oldest first
	semantic = strings.TrimSuffix(semantic, "-computed")
	h, columns := &SchemaHistory{}, &columnHistory{}
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
		return nil, Errorf(NotFound, "the schema of %s has no version %s", u, semantic)
	}
	slices.Reverse(h.Versions)
	return h, nil
}

// columnHistory goes through the versions of a schema.
type columnHistory struct {
	begun        bool
	major, minor int
	version      SchemaVersion
	paths        []string
	types        map[string][]byte
	changes      map[string]FieldChange
}

// next compares a version with the one before and reports whether columns
// changed.
func (h *columnHistory) next(stored *graphstore.Aspect) (changed bool, err error) {
	var schema struct {
		Fields []struct {
			Path string          `json:"fieldPath"`
			Type json.RawMessage `json:"type"`
		} `json:"fields"`
	}
	if err := json.Unmarshal(stored.Value, &schema); err != nil {
		return false, Errorf(Internal, "%s of %s: %w", schemaAspect, stored.URN, err)
	}
	before, former := h.types, h.changes
	h.paths, h.types, h.changes = nil, map[string][]byte{}, map[string]FieldChange{}
	operations := map[string]string{}
	kept, modified := 0, false
	for _, f := range schema.Fields {
		h.paths, h.types[f.Path] = append(h.paths, f.Path), f.Type
		was, known := before[f.Path]
		switch {
		case !known:
			operations[f.Path] = "ADD"
		case !bytes.Equal(was, f.Type):
			operations[f.Path], modified = "MODIFY", true
			kept++
		default:
			kept++
		}
	}
	removed := kept < len(before)
	changed = !h.begun || removed || len(operations) > 0
	switch {
	case !h.begun || !changed:
	case removed || modified:
		h.major, h.minor = h.major+1, 0
	default:
		h.minor++
	}
	if changed {
		h.begun = true
		h.version = SchemaVersion{
			Semantic: fmt.Sprintf("%d.%d.0", h.major, h.minor), Time: stored.CreatedOn, Stamp: fmt.Sprintf("%s:%d", schemaAspect, stored.Version),
		}
	}
	for _, path := range h.paths {
		h.changes[path] = former[path]
		if operation, ok := operations[path]; ok {
			h.changes[path] = FieldChange{path, operation, h.version}
		}
	}
	return changed, nil
}

func (h *columnHistory) list() []FieldChange {
	list := make([]FieldChange, len(h.paths))
	for i, path := range h.paths {
		list[i] = h.changes[path]
	}
	return list
}
