package edits

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Revision changes the statements of people about an entity or a column. Parts that the revision
// does not name stay unchanged.
type Revision struct {
	// Resource is the entity or the column. The URN of the Resource may also be the URN of a
	// column.
	Resource
	Add, Remove Marks
	// Domain, if it is set, is the new domain of the entity; the zero URN removes the entity from
	// its domain.
	Domain *model.URN
	// Description, if it is set, is the new description; "" removes the description.
	Description *string
	// DryRun: nothing is written.
	DryRun bool
}

// Marks are tags, terms and owners. If an owner to remove has no kind of ownership, the owner
// is removed with every kind.
type Marks struct {
	Tags, Terms []model.URN
	Owners      []NewOwner
}

// Revised is the result of a revision. Before and After have the parts that the revision names.
type Revised struct {
	URN     string `json:"urn"`
	Column  string `json:"column,omitempty"`
	DryRun  bool   `json:"dryRun"`
	Changed bool   `json:"changed"`
	Before  Stated `json:"before"`
	After   Stated `json:"after"`
	// Notes name the statements that the revision was to remove and that remain because the source
	// states them.
	Notes []string `json:"notes,omitempty"`
}

// Stated has the statements of people about an entity or a column.
type Stated struct {
	Tags        []string      `json:"tags,omitzero"`
	Terms       []string      `json:"terms,omitzero"`
	Owners      []StatedOwner `json:"owners,omitzero"`
	Domains     []string      `json:"domains,omitzero"`
	Description *string       `json:"description,omitempty"`
}

// StatedOwner is an owner with the kind of ownership.
type StatedOwner struct {
	Owner   string `json:"owner"`
	Type    string `json:"type"`
	TypeURN string `json:"typeUrn,omitempty"`
}

// Revise makes a revision in one transaction. It fails with NotFound if the entity, the column, or
// one of the added labels and owners does not exist.
func (s *Service) Revise(ctx context.Context, r Revision, o catalog.WriteOptions) (*Revised, error) {
	if err := s.writer.RequireWritableUnless(ctx, r.DryRun); err != nil {
		return nil, err
	}
	if holder, path, ok := model.ColumnOf(r.URN); ok {
		if r.Field != "" {
			return nil, catalog.Errorf(catalog.Invalid, "%s is a column; it has no column %q", r.URN, r.Field)
		}
		r.Resource = Resource{URN: holder, Field: path}
	}
	named, err := s.checkRevision(&r)
	if err != nil {
		return nil, err
	}
	existing, err := s.writer.Existing(ctx, catalog.Distinct(named))
	if err != nil {
		return nil, err
	}
	for _, u := range named {
		if !existing[u] {
			return nil, catalog.Errorf(catalog.NotFound, "%s does not exist.", u)
		}
	}
	done := &Revised{URN: r.URN.String(), Column: r.Field, DryRun: r.DryRun}
	if r.Field != "" {
		if done.Notes, err = s.sourceKeeps(ctx, &r); err != nil {
			return nil, err
		}
	}
	edits, err := s.revisionEdits(&r, done)
	if err != nil {
		return nil, err
	}
	done.Changed, err = s.writer.EditOrTry(ctx, edits, r.DryRun, o)
	return done, err
}

// checkRevision fails if a revision is invalid, whatever the store contains. It returns the
// entities that must exist.
func (s *Service) checkRevision(r *Revision) (named []model.URN, err error) {
	size := len(r.Add.Tags) + len(r.Remove.Tags) + len(r.Add.Terms) + len(r.Remove.Terms)
	owners := len(r.Add.Owners) + len(r.Remove.Owners)
	switch {
	case size+owners == 0 && r.Domain == nil && r.Description == nil:
		return nil, catalog.Errorf(catalog.Invalid, "nothing to change: add and remove are empty, and there is no domain and no description")
	case r.Field != "" && (owners > 0 || r.Domain != nil):
		return nil, catalog.Errorf(catalog.Invalid, "a column has no owners and no domain of its own; %s has", r.URN)
	}
	if err := catalog.TooMany("tags, terms and owners", size+owners, write.MaxEdits); err != nil {
		return nil, err
	}
	named = []model.URN{r.URN}
	for _, l := range []struct {
		kind        Label
		add, remove *[]model.URN
	}{{TagLabel, &r.Add.Tags, &r.Remove.Tags}, {TermLabel, &r.Add.Terms, &r.Remove.Terms}} {
		for _, list := range []*[]model.URN{l.add, l.remove} {
			if *list, err = catalog.AllOfType(*list, l.kind.entityType); err != nil {
				return nil, err
			}
		}
		for _, label := range *l.add {
			if slices.Contains(*l.remove, label) {
				return nil, addedAndRemoved(label)
			}
		}
		named = append(named, *l.add...)
	}
	for i := range r.Add.Owners {
		required, err := s.checkKind(&r.Add.Owners[i])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(r.Remove.Owners, func(gone NewOwner) bool { return gone.URN == r.Add.Owners[i].URN }) {
			return nil, addedAndRemoved(r.Add.Owners[i].URN)
		}
		named = append(named, required...)
	}
	for i := range r.Remove.Owners {
		if _, err := s.checkKind(&r.Remove.Owners[i]); err != nil {
			return nil, err
		}
	}
	if r.Domain != nil && !r.Domain.IsZero() {
		named = append(named, *r.Domain)
		return named, catalog.RequireType(*r.Domain, model.EntityDomain)
	}
	return named, nil
}

func addedAndRemoved(u model.URN) error {
	return catalog.Errorf(catalog.Invalid, "%s is to be added and to be removed", u)
}

// checkKind checks an owner and the name of the kind of ownership. It returns the entities that
// must exist.
func (s *Service) checkKind(owner *NewOwner) ([]model.URN, error) {
	kinds := s.names.Registry().OwnershipTypes()
	if owner.TypeURN.IsZero() && owner.Type != "" && !slices.Contains(kinds, owner.Type) {
		return nil, catalog.Errorf(catalog.Invalid, "%q is no kind of ownership%s", owner.Type, nearest.Among(owner.Type, kinds, "kinds"))
	}
	return owner.check()
}

// revisionEdits returns the edits of a revision. Each edit also notes the values before and
// after the edit. A column needs only one edit, because one aspect has everything that people
// write about the column.
func (s *Service) revisionEdits(r *Revision, done *Revised) ([]write.Edit, error) {
	var edits []write.Edit
	before, after := &done.Before, &done.After
	label := func(kind Label, add, remove []model.URN, found, left *[]string) {
		if len(add)+len(remove) == 0 {
			return
		}
		change := s.relabel(kind, add, remove)
		edits = append(edits, kind.edit(slices.Concat(add, remove), r.Resource, func(value catalog.Tree, by catalog.AuditStamp) {
			*found = kind.listed(value)
			change(value, by)
			*left = kind.listed(value)
		}))
	}
	label(TagLabel, r.Add.Tags, r.Remove.Tags, &before.Tags, &after.Tags)
	label(TermLabel, r.Add.Terms, r.Remove.Terms, &before.Terms, &after.Terms)
	if len(r.Add.Owners)+len(r.Remove.Owners) > 0 {
		edits = append(edits, noting(s.ownersEdit(r.URN, r.Add.Owners, r.Remove.Owners), statedOwners, &before.Owners, &after.Owners))
	}
	if r.Domain != nil {
		domains := func(value catalog.Tree) []string { return append([]string{}, jsontree.Texts(value, "domains")...) }
		edits = append(edits, noting(domainEdit(r.URN, *r.Domain), domains, &before.Domains, &after.Domains))
	}
	if r.Description != nil {
		edit, err := descriptionEdit(r.Resource, func(tree catalog.Tree, at model.Member) {
			found := jsontree.Text(tree, at.Name)
			before.Description, after.Description = &found, r.Description
			if *r.Description == "" && !at.Required {
				delete(tree, at.Name)
				return
			}
			tree[at.Name] = *r.Description
		})
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit)
	}
	if r.Field != "" {
		all := edits
		together := write.Edit{URN: r.URN, Aspect: model.AspectEditableSchemaMetadata, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
			for _, e := range all {
				if err := e.Change(value, by); err != nil {
					return err
				}
			}
			return nil
		}}
		for _, e := range all {
			together.Privileges, together.Labels = append(together.Privileges, e.Privileges...), append(together.Labels, e.Labels...)
		}
		edits = []write.Edit{together}
	}
	return edits, nil
}

// noting returns an edit that also notes a part of the value before and after the edit.
func noting[T any](e write.Edit, part func(catalog.Tree) T, found, left *T) write.Edit {
	change := e.Change
	e.Change = func(value catalog.Tree, by catalog.AuditStamp) error {
		*found = part(value)
		err := change(value, by)
		*left = part(value)
		return err
	}
	return e
}

// listed returns the URNs of the labels in the value of an aspect.
func (l Label) listed(value catalog.Tree) []string {
	labels := []string{}
	for _, entry := range jsontree.Items(value, l.list) {
		labels = append(labels, jsontree.Text(entry, l.member))
	}
	return labels
}

func statedOwners(value catalog.Tree) []StatedOwner {
	owners := []StatedOwner{}
	for _, entry := range jsontree.Items(value, "owners") {
		owners = append(owners, StatedOwner{jsontree.Text(entry, "owner"), jsontree.Text(entry, "type"), jsontree.Text(entry, "typeUrn")})
	}
	return owners
}

// sourceColumn has the labels and the description of a column in a schema.
type sourceColumn struct {
	Path        string `json:"fieldPath"`
	Description string `json:"description"`
	Tags        struct {
		Tags []struct {
			URN string `json:"tag"`
		} `json:"tags"`
	} `json:"globalTags"`
	Terms struct {
		Terms []struct {
			URN string `json:"urn"`
		} `json:"terms"`
	} `json:"glossaryTerms"`
}

// sourceKeeps returns notes about the statements that a revision of a column should have
// removed and that the schema makes. It fails if the schema does not have the column.
func (s *Service) sourceKeeps(ctx context.Context, r *Revision) ([]string, error) {
	stored, err := s.store.LatestAspects(ctx, []string{r.URN.String()}, []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var schema struct {
		Fields []sourceColumn `json:"fields"`
	}
	if found := stored[r.URN.String()]; len(found) > 0 {
		if err := json.Unmarshal(found[0].Value, &schema); err != nil {
			return nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, r.URN, err)
		}
	}
	at := slices.IndexFunc(schema.Fields, func(c sourceColumn) bool { return c.Path == r.Field })
	if at < 0 {
		known := make([]string, len(schema.Fields))
		for i := range schema.Fields {
			known[i] = schema.Fields[i].Path
		}
		return nil, noColumn(catalog.NotFound, r.URN, r.Field, known)
	}
	var notes []string
	column := &schema.Fields[at]
	noteStated := func(label string, remove []model.URN) {
		if s.names.SameURNAny(label, remove) {
			notes = append(notes, "the source states "+label+" in "+model.AspectSchemaMetadata+", so that it stays")
		}
	}
	for _, t := range column.Tags.Tags {
		noteStated(t.URN, r.Remove.Tags)
	}
	for _, t := range column.Terms.Terms {
		noteStated(t.URN, r.Remove.Terms)
	}
	if r.Description != nil && *r.Description == "" && column.Description != "" {
		notes = append(notes, "the description that the source states in "+model.AspectSchemaMetadata+" stays")
	}
	return notes, nil
}
