package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/model"
)

// replacement collects the edits of an update that replaces parts of an entity's
// metadata.
type replacement struct {
	urn   string
	edits []catalog.Edit
}

func (r *replacement) owners(update *object.OwnershipUpdate) {
	if update != nil {
		r.edits = append(r.edits, edits.ReplaceOwners(r.urn, ownersOf(update)))
	}
}

func ownersOf(update *object.OwnershipUpdate) []edits.NewOwner {
	owners := make([]edits.NewOwner, len(update.Owners))
	for i, o := range update.Owners {
		owners[i] = edits.NewOwner{URN: o.Owner, TypeURN: object.Or(o.OwnershipTypeUrn, ""), Type: string(object.Or(o.Type, ""))}
	}
	return owners
}

// tags replaces the tags; the first update given counts.
func (r *replacement) tags(updates ...*object.GlobalTagsUpdate) {
	for _, update := range updates {
		if update != nil {
			r.edits = append(r.edits, edits.ReplaceTags(r.urn, tagsOf(update)))
			return
		}
	}
}

func tagsOf(update *object.GlobalTagsUpdate) []string {
	tags := make([]string, len(update.Tags))
	for i, t := range update.Tags {
		tags[i] = t.Tag.Urn
	}
	return tags
}

func (r *replacement) description(aspect string, description string) {
	r.edits = append(r.edits, edits.ReplaceDescription(r.urn, aspect, description))
}

// datasetEdits are the edits of an update of a dataset.
func datasetEdits(urn string, input *object.DatasetUpdateInput) []catalog.Edit {
	r := &replacement{urn: urn}
	r.owners(input.Ownership)
	if d := input.Deprecation; d != nil {
		r.edits = append(r.edits, edits.ReplaceLegacyDeprecation(urn, edits.Deprecation{
			Deprecated: d.Deprecated, DecommissionTime: d.DecommissionTime, Note: d.Note,
		}))
	}
	if memory := input.InstitutionalMemory; memory != nil {
		links := make([]edits.Link, len(memory.Elements))
		for i, e := range memory.Elements {
			links[i] = edits.Link{URL: e.URL, Description: object.Or(e.Description, ""), Author: e.Author, At: e.CreatedAt}
		}
		r.edits = append(r.edits, edits.ReplaceLinks(urn, links))
	}
	r.tags(input.GlobalTags, input.Tags)
	if columns := input.EditableSchemaMetadata; columns != nil {
		notes := make([]edits.ColumnNote, len(columns.EditableSchemaFieldInfo))
		for i, f := range columns.EditableSchemaFieldInfo {
			notes[i] = edits.ColumnNote{FieldPath: f.FieldPath, Description: f.Description}
			if f.GlobalTags != nil {
				notes[i].Tags = tagsOf(f.GlobalTags)
			}
		}
		r.edits = append(r.edits, edits.ReplaceColumnNotes(urn, notes))
	}
	if input.EditableProperties != nil {
		r.description(model.AspectEditableDatasetProperties, input.EditableProperties.Description)
	}
	return r.edits
}

// updateDatasets applies updates of several datasets, all or none.
func updateDatasets(ctx context.Context, inputs []*object.BatchDatasetUpdateInput) ([]*object.Dataset, error) {
	var edits []catalog.Edit
	urns := make([]string, len(inputs))
	for i, input := range inputs {
		urns[i] = input.Urn
		edits = append(edits, datasetEdits(input.Urn, input.Update)...)
	}
	return editThenGetAll[*object.Dataset](ctx, urns, edits)
}

// ownerOf returns the owner that a mutation names.
func ownerOf(urn string, kind object.OwnerEntityType, ownership *object.OwnershipType, typeURN *string) edits.NewOwner {
	entityType := model.EntityCorpuser
	if kind == object.OwnerEntityTypeCorpGroup {
		entityType = model.EntityCorpGroup
	}
	return edits.NewOwner{URN: urn, EntityType: entityType, Type: string(object.Or(ownership, "")), TypeURN: object.Or(typeURN, "")}
}

func addOwners(ctx context.Context, inputs []*object.OwnerInput, otherwise *string, urns []string) (*bool, error) {
	owners := make([]edits.NewOwner, len(inputs))
	for i, in := range inputs {
		owners[i] = ownerOf(in.OwnerUrn, in.OwnerEntityType, in.Type, in.OwnershipTypeUrn)
		if in.OwnershipTypeUrn == nil && in.Type == nil {
			owners[i].TypeURN = object.Or(otherwise, "")
		}
	}
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.AddOwners(ctx, owners, urns, o)
	}))
}

func removeOwners(ctx context.Context, owners []string, typeURN *string, urns []string) (*bool, error) {
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.RemoveOwners(ctx, owners, object.Or(typeURN, ""), urns, o)
	}))
}

func deprecate(ctx context.Context, deprecated bool, at *int64, note *string, urns []string) (*bool, error) {
	d := edits.Deprecation{Deprecated: deprecated, DecommissionTime: at, Note: object.Or(note, "")}
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.SetDeprecation(ctx, d, urns, o)
	}))
}

func setDomain(ctx context.Context, domain string, urns []string) (*bool, error) {
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.SetDomain(ctx, domain, urns, o)
	}))
}

func editMembers(ctx context.Context, group string, users []string, add bool) (*bool, error) {
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.EditGroupMembers(ctx, group, users, add, o)
	}))
}

func relateTerms(ctx context.Context, input object.RelatedTermsInput, add bool) (*bool, error) {
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.EditRelatedTerms(ctx, input.Urn, input.TermUrns, string(input.RelationshipType), add, o)
	}))
}

func lineageEdges(edges []*object.LineageEdge) []edits.LineageEdge {
	list := make([]edits.LineageEdge, 0, len(edges))
	for _, e := range edges {
		if e != nil {
			list = append(list, edits.LineageEdge{Upstream: e.UpstreamUrn, Downstream: e.DownstreamUrn})
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

func editProfile(ctx context.Context, urn string, members catalog.Tree) error {
	return edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Edits.EditProfile(ctx, urn, members, o)
	})
}

// operationOf returns a reported operation.
func operationOf(input *object.ReportOperationInput) edits.Operation {
	op := edits.Operation{
		Dataset: input.Urn, Type: string(input.OperationType), CustomType: object.Or(input.CustomOperationType, ""), SourceType: string(input.SourceType),
		Partition: object.Or(input.Partition, ""), Rows: input.NumAffectedRows, Time: input.TimestampMillis,
	}
	for _, entry := range input.CustomProperties {
		if op.Properties == nil {
			op.Properties = map[string]string{}
		}
		op.Properties[entry.Key] = object.Or(entry.Value, "")
	}
	return op
}
