package manage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// EditRight says whether the caller may make edits of one kind.
type EditRight struct {
	// Kind is a member of GraphQL's EntityEditKind, such as TAGS.
	Kind    string
	Allowed bool
	// Privileges permit the edits: one of them suffices. The first one permits nothing else.
	Privileges []string
}

// edit is a kind of edits that pages offer. privilege is the privilege that the edit itself names; if it is
// "", the privileges of the aspect permit the edit.
type edit struct{ kind, aspect, privilege string }

// editsOf are the kinds of edits of an entity, as package edits makes them.
func editsOf(entityType string) []edit {
	all := []edit{
		{"TAGS", model.AspectGlobalTags, ""},
		{"TERMS", model.AspectGlossaryTerms, ""},
		{"OWNERS", model.AspectOwnership, ""},
		{"DOMAIN", model.AspectDomains, ""},
		{"LINKS", model.AspectInstitutionalMemory, ""},
		{"DEPRECATION", model.AspectDeprecation, ""},
		{"STATUS", model.AspectStatus, ""},
	}
	if described, ok := model.DescriptionOf(entityType); ok {
		all = append(all, edit{"DESCRIPTION", described.Aspect, "EDIT_ENTITY_DOCS"})
	}
	if entityType == model.EntityDataset {
		all = append(all,
			edit{"COLUMN_DESCRIPTION", model.AspectEditableSchemaMetadata, "EDIT_DATASET_COL_DESCRIPTION"},
			edit{"COLUMN_TAGS", model.AspectEditableSchemaMetadata, "EDIT_DATASET_COL_TAGS"},
			edit{"COLUMN_TERMS", model.AspectEditableSchemaMetadata, "EDIT_DATASET_COL_GLOSSARY_TERMS"})
	}
	return all
}

// EditsOf returns which edits of an entity the caller may make. The judge decides as it decides about
// the writes, so that a page offers nothing that is refused. A policy about single tags or terms may
// still refuse one of them.
func EditsOf(ctx context.Context, judge write.Protect, u model.URN) []EditRight {
	edits := editsOf(u.EntityType())
	wants, rights := make([]write.Want, len(edits)), make([]EditRight, len(edits))
	for i, e := range edits {
		wants[i] = write.Want{URN: u, Aspect: e.aspect, Kind: write.Changes, Edit: true}
		if e.privilege != "" {
			wants[i].Privileges = []string{e.privilege}
		}
		rule := permit.RuleOf(&wants[i])
		rights[i] = EditRight{Kind: e.kind, Allowed: true, Privileges: slices.Concat(rule.Platform, rule.Together, rule.Any)}
	}
	for i, refusal := range judge(ctx, wants) {
		rights[i].Allowed = refusal == nil
	}
	return rights
}
