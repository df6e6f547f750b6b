package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// replacement collects the edits of an update that replaces parts of an entity's
// metadata.
type replacement struct {
	*arguments
	urn   model.URN
	edits []write.Edit
}

func replacementOf(ctx context.Context, urn string) *replacement {
	a := argumentsOf(ctx)
	return &replacement{arguments: a, urn: a.urn(urn)}
}

func (r *replacement) owners(update *object.OwnershipUpdate) {
	if update != nil {
		r.edits = append(r.edits, edits.ReplaceOwners(r.urn, r.ownersOf(update)))
	}
}

func (a *arguments) ownersOf(update *object.OwnershipUpdate) []edits.NewOwner {
	owners := make([]edits.NewOwner, len(update.Owners))
	for i, o := range update.Owners {
		owners[i] = edits.NewOwner{URN: a.urn(o.Owner), TypeURN: a.urnOrNone(o.OwnershipTypeUrn), Type: string(optional.Or(o.Type, ""))}
	}
	return owners
}

// tags replaces the tags. If several updates are given, the first one is applied.
func (r *replacement) tags(updates ...*object.GlobalTagsUpdate) {
	for _, update := range updates {
		if update != nil {
			r.edits = append(r.edits, edits.ReplaceTags(r.urn, r.tagsOf(update)))
			return
		}
	}
}

func (a *arguments) tagsOf(update *object.GlobalTagsUpdate) []model.URN {
	tags := make([]model.URN, len(update.Tags))
	for i, t := range update.Tags {
		tags[i] = a.urn(t.Tag.Urn)
	}
	return tags
}

func (r *replacement) description(aspect string, description string) {
	r.edits = append(r.edits, edits.ReplaceDescription(r.urn, aspect, description))
}

// replaceDataset returns the edits of an update of a dataset.
func replaceDataset(ctx context.Context, urn string, input *object.DatasetUpdateInput) *replacement {
	r := replacementOf(ctx, urn)
	r.owners(input.Ownership)
	if d := input.Deprecation; d != nil {
		r.edits = append(r.edits, edits.ReplaceLegacyDeprecation(r.urn, edits.Deprecation{
			Deprecated: d.Deprecated, DecommissionTime: d.DecommissionTime, Note: d.Note,
		}))
	}
	if memory := input.InstitutionalMemory; memory != nil {
		links := make([]edits.Link, len(memory.Elements))
		for i, e := range memory.Elements {
			links[i] = edits.Link{URL: e.URL, Description: optional.Or(e.Description, ""), Author: r.arguments.urn(e.Author), At: e.CreatedAt}
		}
		r.edits = append(r.edits, edits.ReplaceLinks(r.urn, links))
	}
	r.tags(input.GlobalTags, input.Tags)
	if columns := input.EditableSchemaMetadata; columns != nil {
		notes := make([]edits.ColumnNote, len(columns.EditableSchemaFieldInfo))
		for i, f := range columns.EditableSchemaFieldInfo {
			notes[i] = edits.ColumnNote{FieldPath: f.FieldPath, Description: f.Description}
			if f.GlobalTags != nil {
				notes[i].Tags = r.tagsOf(f.GlobalTags)
			}
		}
		r.edits = append(r.edits, edits.ReplaceColumnNotes(r.urn, notes))
	}
	if input.EditableProperties != nil {
		r.description(model.AspectEditableDatasetProperties, input.EditableProperties.Description)
	}
	return r
}

// updateDatasets applies updates of several datasets, all or none.
func updateDatasets(ctx context.Context, inputs []*object.BatchDatasetUpdateInput) ([]*object.Dataset, error) {
	updates := make([]*replacement, len(inputs))
	for i, input := range inputs {
		updates[i] = replaceDataset(ctx, input.Urn, input.Update)
	}
	return editThenGetAll[*object.Dataset](ctx, updates...)
}

// owner reads an owner from the input of a mutation.
func (a *arguments) owner(urn string, kind object.OwnerEntityType, ownership *object.OwnershipType, typeURN *string) edits.NewOwner {
	entityType := model.EntityCorpuser
	if kind == object.OwnerEntityTypeCorpGroup {
		entityType = model.EntityCorpGroup
	}
	return edits.NewOwner{URN: a.urn(urn), EntityType: entityType, Type: string(optional.Or(ownership, "")), TypeURN: a.urnOrNone(typeURN)}
}

// owners reads owners from the input of a mutation that creates an entity.
func (a *arguments) owners(inputs []*object.OwnerInput) []edits.NewOwner {
	owners := make([]edits.NewOwner, len(inputs))
	for i, in := range inputs {
		owners[i] = a.owner(in.OwnerUrn, in.OwnerEntityType, in.Type, in.OwnershipTypeUrn)
	}
	return owners
}

func addOwners(ctx context.Context, a *arguments, inputs []*object.OwnerInput, otherwise *string, urns []model.URN) (*bool, error) {
	owners := a.owners(inputs)
	for i, in := range inputs {
		if in.OwnershipTypeUrn == nil && in.Type == nil {
			owners[i].TypeURN = a.urnOrNone(otherwise)
		}
	}
	return done(a.mutate(func() error { return a.edits.AddOwners(ctx, owners, urns, a.by) }))
}

func removeOwners(ctx context.Context, a *arguments, owners []string, typeURN *string, urns []model.URN) (*bool, error) {
	gone, kind := a.urns(owners), a.urnOrNone(typeURN)
	return done(a.mutate(func() error { return a.edits.RemoveOwners(ctx, gone, kind, urns, a.by) }))
}

func deprecate(ctx context.Context, a *arguments, deprecated bool, at *int64, note *string, urns []model.URN) (*bool, error) {
	d := edits.Deprecation{Deprecated: deprecated, DecommissionTime: at, Note: optional.Or(note, "")}
	return done(a.mutate(func() error { return a.edits.SetDeprecation(ctx, d, urns, a.by) }))
}

func setDomain(ctx context.Context, a *arguments, domain model.URN, urns []model.URN) (*bool, error) {
	return done(a.mutate(func() error { return a.edits.SetDomain(ctx, domain, urns, a.by) }))
}

func editMembers(ctx context.Context, group string, users []string, add bool) (*bool, error) {
	a := argumentsOf(ctx)
	to, members := a.urn(group), a.urns(users)
	return done(a.mutate(func() error { return a.edits.EditGroupMembers(ctx, to, members, add, a.by) }))
}

func relateTerms(ctx context.Context, input object.RelatedTermsInput, add bool) (*bool, error) {
	a := argumentsOf(ctx)
	urn, terms := a.urn(input.Urn), a.urns(input.TermUrns)
	return done(a.mutate(func() error {
		return a.edits.EditRelatedTerms(ctx, urn, terms, string(input.RelationshipType), add, a.by)
	}))
}

func (a *arguments) lineageEdges(edges []*object.LineageEdge) []edits.LineageEdge {
	list := make([]edits.LineageEdge, 0, len(edges))
	for _, e := range edges {
		if e != nil {
			list = append(list, edits.LineageEdge{Upstream: a.urn(e.UpstreamUrn), Downstream: a.urn(e.DownstreamUrn)})
		}
	}
	return list
}

// profileOf returns the given members of a profile.
func profileOf(texts map[string]*string, lists map[string][]string) catalog.Tree {
	members := catalog.Tree{}
	for name, text := range texts {
		if text != nil {
			members[name] = *text
		}
	}
	for name, list := range lists {
		if list != nil {
			members[name] = list
		}
	}
	return members
}

func editProfile[T object.Entity](ctx context.Context, text string, members catalog.Tree) (T, error) {
	a := argumentsOf(ctx)
	urn := a.urn(text)
	return updated[T](ctx, a, &urn, func() error { return a.edits.EditProfile(ctx, urn, members, a.by) })
}

// operation reads a reported operation from the input of a mutation.
func (a *arguments) operation(input *object.ReportOperationInput) edits.Operation {
	op := edits.Operation{
		Dataset: a.urn(input.Urn), Type: string(input.OperationType), CustomType: optional.Or(input.CustomOperationType, ""), SourceType: string(input.SourceType),
		Partition: optional.Or(input.Partition, ""), Rows: input.NumAffectedRows, Time: input.TimestampMillis,
	}
	for _, entry := range input.CustomProperties {
		if op.Properties == nil {
			op.Properties = map[string]string{}
		}
		op.Properties[entry.Key] = optional.Or(entry.Value, "")
	}
	return op
}

// createInGlossary creates a glossary term or node.
func createInGlossary(ctx context.Context, entityType string, input *object.CreateGlossaryEntityInput) (*string, error) {
	a := argumentsOf(ctx)
	n := edits.NewEntity{
		EntityType: entityType, ID: optional.Or(input.ID, ""), Name: input.Name, Description: optional.Or(input.Description, ""), Parent: a.urnOrNone(input.ParentNode),
	}
	return create(ctx, a, n)
}
