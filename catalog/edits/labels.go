package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Resource is an entity or, with a field path, one of its columns.
type Resource struct {
	URN   model.URN
	Field string
}

// Label is a kind of label: tags or glossary terms.
type Label struct {
	entityType string
	// aspect and list name the place of an entity's labels. member is the member of an entry
	// that names the label.
	aspect, list, member string
	// columns is the privilege to edit the labels of columns.
	columns string
	// stamped: the list has the time of its last change.
	stamped bool
}

// The kinds of labels.
var (
	TagLabel  = Label{entityType: model.EntityTag, aspect: model.AspectGlobalTags, list: "tags", member: "tag", columns: tagColumns}
	TermLabel = Label{entityType: model.EntityGlossaryTerm, aspect: model.AspectGlossaryTerms, list: "terms", member: "urn", stamped: true, columns: termColumns}
)

// AddLabels adds labels to resources that do not have them yet. Labels, entities and columns
// must exist.
func (s *Service) AddLabels(ctx context.Context, kind Label, labels []model.URN, resources []Resource, o catalog.WriteOptions) error {
	labels, err := catalog.AllOfType(labels, kind.entityType)
	if err != nil {
		return err
	}
	if err := s.writer.RequireExisting(ctx, labels...); err != nil {
		return err
	}
	return s.editLabels(ctx, kind, labels, resources, o, s.relabel(kind, labels, nil))
}

// RemoveLabels removes labels from resources. The labels need not exist.
func (s *Service) RemoveLabels(ctx context.Context, kind Label, labels []model.URN, resources []Resource, o catalog.WriteOptions) error {
	labels, err := catalog.AllOfType(labels, kind.entityType)
	if err != nil {
		return err
	}
	return s.editLabels(ctx, kind, labels, resources, o, s.relabel(kind, nil, labels))
}

// relabelling changes the value of an aspect with labels.
type relabelling func(value catalog.Tree, by catalog.AuditStamp)

// relabel returns the change that adds labels if they are missing and removes other labels.
func (s *Service) relabel(kind Label, add, remove []model.URN) relabelling {
	return func(value catalog.Tree, by catalog.AuditStamp) {
		before := jsontree.Items(value, kind.list)
		after := slices.DeleteFunc(slices.Clone(before), func(e catalog.Tree) bool { return s.names.SameURNAny(jsontree.Text(e, kind.member), remove) })
		changed := len(after) < len(before)
		for _, label := range add {
			if !slices.ContainsFunc(after, func(e catalog.Tree) bool { return s.names.SameURN(jsontree.Text(e, kind.member), label) }) {
				after, changed = append(after, catalog.Tree{kind.member: label.String()}), true
			}
		}
		if !changed {
			return
		}
		jsontree.SetItems(value, kind.list, after)
		if kind.stamped {
			value["auditStamp"] = by.Tree()
		}
	}
}

func (s *Service) editLabels(ctx context.Context, kind Label, labels []model.URN, resources []Resource, o catalog.WriteOptions, change relabelling) error {
	if err := s.requireFields(ctx, resources); err != nil {
		return err
	}
	edits := make([]write.Edit, len(resources))
	for i, r := range resources {
		edits[i] = kind.edit(labels, r, change)
	}
	return s.writer.Edit(ctx, edits, o)
}

// edit returns the edit that adds labels to a resource, or removes them.
func (l Label) edit(labels []model.URN, r Resource, change relabelling) write.Edit {
	if r.Field == "" {
		return write.Edit{URN: r.URN, Aspect: l.aspect, Labels: labels, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			change(value, by)
			return nil
		}}
	}
	edit := editField(r, func(entry catalog.Tree, by catalog.AuditStamp) {
		has := jsontree.Member(entry, l.aspect)
		if has == nil {
			has = catalog.Tree{}
		}
		if change(has, by); len(has) > 0 {
			entry[l.aspect] = has
		}
	})
	edit.Labels, edit.Privileges = labels, []string{l.columns}
	return edit
}

// fieldInfos is the list of the columns about which people have written.
const fieldInfos = "editableSchemaFieldInfo"

// editField edits the entry in which people write about a column. If the entry does not exist,
// it is created as soon as it has content.
func editField(r Resource, change func(entry catalog.Tree, by catalog.AuditStamp)) write.Edit {
	return write.Edit{URN: r.URN, Aspect: model.AspectEditableSchemaMetadata, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		entries := jsontree.Items(value, fieldInfos)
		at := slices.IndexFunc(entries, func(e catalog.Tree) bool { return jsontree.Text(e, "fieldPath") == r.Field })
		if at >= 0 {
			change(entries[at], by)
			jsontree.SetItems(value, fieldInfos, entries)
			return nil
		}
		entry := catalog.Tree{"fieldPath": r.Field}
		if change(entry, by); len(entry) > 1 {
			jsontree.SetItems(value, fieldInfos, append(entries, entry))
		}
		return nil
	}}
}

// requireFields fails when a resource names a column that its dataset does not have.
func (s *Service) requireFields(ctx context.Context, resources []Resource) error {
	wanted := map[model.URN][]string{}
	var urns []model.URN
	for _, r := range resources {
		if r.Field == "" {
			continue
		}
		if wanted[r.URN] == nil {
			urns = append(urns, r.URN)
		}
		wanted[r.URN] = append(wanted[r.URN], r.Field)
	}
	if len(urns) == 0 {
		return nil
	}
	if err := s.writer.RequireExisting(ctx, urns...); err != nil {
		return err
	}
	schemas, err := s.schemasOf(ctx, urns)
	if err != nil {
		return err
	}
	for _, urn := range urns {
		schema, ok := schemas[urn]
		if !ok {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no schema.", urn)
		}
		known := make(map[string]bool, len(schema))
		for _, path := range schema {
			known[path] = true
		}
		for _, path := range wanted[urn] {
			if !known[path] {
				return catalog.Errorf(catalog.Invalid, "Failed to update %s. Field %s does not exist in its schema.", urn, path)
			}
		}
	}
	return nil
}

// schemasOf returns the paths of the columns of the entities that have a schema.
func (s *Service) schemasOf(ctx context.Context, urns []model.URN) (map[model.URN][]string, error) {
	stored, err := s.store.LatestAspects(ctx, catalog.Texts(urns), []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	schemas := make(map[model.URN][]string, len(urns))
	for _, urn := range urns {
		schema := stored[urn.String()]
		if len(schema) == 0 {
			continue
		}
		if schemas[urn], err = statements.FieldPathsOf(schema[0].Value); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, urn, err)
		}
	}
	return schemas, nil
}
