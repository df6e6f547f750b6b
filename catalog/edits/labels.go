package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
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
	// aspect and list hold an entity's labels, member the label of an entry.
	aspect, list, member string
	// stamped is set if the list contains the time of its last change.
	stamped bool
}

// The kinds of labels.
var (
	TagLabel  = Label{entityType: model.EntityTag, aspect: model.AspectGlobalTags, list: "tags", member: "tag"}
	TermLabel = Label{entityType: model.EntityGlossaryTerm, aspect: model.AspectGlossaryTerms, list: "terms", member: "urn", stamped: true}
)

// AddLabels puts labels on resources that do not have them yet. Labels,
// entities and columns must exist.
func (s *Service) AddLabels(ctx context.Context, kind Label, labels []model.URN, resources []Resource, o catalog.WriteOptions) error {
	labels, err := catalog.AllOfType(labels, kind.entityType)
	if err != nil {
		return err
	}
	if err := s.catalog.RequireExisting(ctx, labels...); err != nil {
		return err
	}
	return s.editLabels(ctx, kind, resources, o, func(entries []catalog.Tree) []catalog.Tree {
		for _, label := range labels {
			if !slices.ContainsFunc(entries, func(e catalog.Tree) bool { return s.catalog.SameURN(jsontree.Text(e, kind.member), label) }) {
				entries = append(entries, catalog.Tree{kind.member: label.String()})
			}
		}
		return entries
	})
}

// RemoveLabels removes labels from resources. The labels need not exist.
func (s *Service) RemoveLabels(ctx context.Context, kind Label, labels []model.URN, resources []Resource, o catalog.WriteOptions) error {
	labels, err := catalog.AllOfType(labels, kind.entityType)
	if err != nil {
		return err
	}
	return s.editLabels(ctx, kind, resources, o, func(entries []catalog.Tree) []catalog.Tree {
		return slices.DeleteFunc(entries, func(e catalog.Tree) bool { return s.catalog.SameURNAny(jsontree.Text(e, kind.member), labels) })
	})
}

func (s *Service) editLabels(ctx context.Context, kind Label, resources []Resource, o catalog.WriteOptions, change func([]catalog.Tree) []catalog.Tree) error {
	if err := s.requireFields(ctx, resources); err != nil {
		return err
	}
	apply := func(value catalog.Tree, by catalog.AuditStamp) {
		before := jsontree.Items(value, kind.list)
		after := change(slices.Clone(before))
		if len(before) == len(after) {
			return
		}
		jsontree.SetItems(value, kind.list, after)
		if kind.stamped {
			value["auditStamp"] = by.Tree()
		}
	}
	edits := make([]catalog.Edit, len(resources))
	for i, r := range resources {
		edits[i] = catalog.Edit{URN: r.URN, Aspect: kind.aspect, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			apply(value, by)
			return nil
		}}
		if r.Field != "" {
			edits[i] = editField(r, func(entry catalog.Tree, by catalog.AuditStamp) {
				labels := jsontree.Member(entry, kind.aspect)
				if labels == nil {
					labels = catalog.Tree{}
				}
				if apply(labels, by); len(labels) > 0 {
					entry[kind.aspect] = labels
				}
			})
		}
	}
	return s.catalog.Edit(ctx, edits, o)
}

// fieldInfos is the list of what people wrote about columns.
const fieldInfos = "editableSchemaFieldInfo"

// editField edits what people wrote about a column. A missing entry is created
// when something is written into it.
func editField(r Resource, change func(entry catalog.Tree, by catalog.AuditStamp)) catalog.Edit {
	return catalog.Edit{URN: r.URN, Aspect: model.AspectEditableSchemaMetadata, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
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

// requireFields fails when a resource is a column that its dataset does not
// have.
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
	if err := s.catalog.RequireExisting(ctx, urns...); err != nil {
		return err
	}
	stored, err := s.store.LatestAspects(ctx, catalog.Texts(urns), []string{model.AspectSchemaMetadata})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		schema := stored[urn.String()]
		if len(schema) == 0 {
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no schema.", urn)
		}
		paths, err := catalog.FieldPathsOf(schema[0].Value)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, urn, err)
		}
		known := make(map[string]bool, len(paths))
		for _, path := range paths {
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
