// Package resolver answers the operations of GraphQL requests from the services
// of the catalog. The fields of objects are answered in package gql/object.
package resolver

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Resolver answers queries and mutations, through the session in the request's
// context.
type Resolver struct {
	// Version is the version of the server.
	Version string
	// Credentials make and revoke tokens. Nil means that authentication is off.
	Credentials *access.Credentials
	// People has the passwords of people and the links that let them in. Nil means that authentication
	// is off.
	People *people.Service
	// Policies manages policies. Without it, operations about them fail.
	Policies *manage.Service
}

// done returns the answer of a mutation that only reports success.
func done(err error) (*bool, error) {
	if err != nil {
		return nil, err
	}
	ok := true
	return &ok, nil
}

// get answers a query for one entity by its URN.
func get[T object.Entity](ctx context.Context, text string) (T, error) {
	s := object.SessionOf(ctx)
	urn, err := s.URN(text)
	if err != nil {
		var none T
		return none, err
	}
	return object.Get[T](ctx, s, urn)
}

// editThenGet applies edits of an entity and reads the entity again.
func editThenGet[T object.Entity](ctx context.Context, r *replacement) (T, error) {
	entities, err := editThenGetAll[T](ctx, r)
	if err != nil {
		var none T
		return none, err
	}
	return entities[0], nil
}

// editThenGetAll applies edits of several entities, all or none, and reads the entities again.
func editThenGetAll[T object.Entity](ctx context.Context, updates ...*replacement) ([]T, error) {
	s := object.SessionOf(ctx)
	entities := make([]T, len(updates))
	var edits []write.Edit
	for _, r := range updates {
		if r.err != nil {
			return nil, r.err
		}
		if _, err := object.Get[T](ctx, s, r.urn); err != nil {
			return nil, err
		}
		exists, err := s.Catalog.Exists(ctx, r.urn)
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, catalog.Errorf(catalog.NotFound, "Did not find urn: %s", r.urn)
		}
		edits = append(edits, r.edits...)
	}
	err := s.Catalog.Edit(ctx, edits, catalog.WriteOptions{Actor: s.Actor})
	if err != nil {
		return nil, err
	}
	for i, r := range updates {
		if entities[i], err = object.Get[T](ctx, s, r.urn); err != nil {
			return nil, err
		}
	}
	return entities, nil
}

// remove deletes an entity of one of the given types.
func remove(ctx context.Context, urn string, types ...string) (*bool, error) {
	a := argumentsOf(ctx)
	u := a.urn(urn)
	return done(a.mutate(func() error { return a.session.Catalog.Removal.DeleteEntity(ctx, u, types, a.by) }))
}

// create creates an entity and answers with the URN of the entity.
func create(ctx context.Context, a *arguments, n edits.NewEntity) (*string, error) {
	return named(a, func() (model.URN, error) { return a.edits.CreateEntity(ctx, n, a.by) })
}

// named answers a mutation with the URN of the entity that the mutation wrote.
func named(a *arguments, write func() (model.URN, error)) (*string, error) {
	urn, err := mutate(a, write)
	if err != nil {
		return nil, err
	}
	text := urn.String()
	return &text, nil
}

// made answers a mutation with the entity that the mutation wrote.
func made[T object.Entity](ctx context.Context, a *arguments, write func() (model.URN, error)) (T, error) {
	urn, err := mutate(a, write)
	if err != nil {
		var none T
		return none, err
	}
	return object.Get[T](ctx, a.session, urn)
}

// updated answers a mutation with an entity whose URN is known after the mutation.
func updated[T object.Entity](ctx context.Context, a *arguments, urn *model.URN, write func() error) (T, error) {
	return made[T](ctx, a, func() (model.URN, error) {
		err := write()
		return *urn, err
	})
}

// page returns the start and the size of the page of a listing. The size is
// [limits.DefaultListPage] unless another size is given.
func page(start, count *int) (int, int) {
	return optional.Or(start, 0), optional.Or(count, limits.DefaultListPage)
}

// wordsOr returns the text of a query, or the query for all entities if there is no text.
func wordsOr(query *string) string {
	if text := strings.TrimSpace(optional.Or(query, "")); text != "" {
		return text
	}
	return "*"
}

// resource returns the entity, or the column of an entity, that an input names.
func (a *arguments) resource(ref *object.ResourceRefInput) edits.Resource {
	if a.err == nil && (ref.SubResourceType == nil) != (ref.SubResource == nil) {
		a.err = catalog.Errorf(catalog.Invalid, "subResource and subResourceType must be given together")
	}
	return edits.Resource{URN: a.urn(ref.ResourceUrn), Field: optional.Or(ref.SubResource, "")}
}

func (a *arguments) resources(refs []*object.ResourceRefInput) []edits.Resource {
	resources := make([]edits.Resource, 0, len(refs))
	for _, ref := range refs {
		if ref != nil {
			resources = append(resources, a.resource(ref))
		}
	}
	return resources
}

// entities returns the entities that inputs name. It refuses inputs that name columns.
func (a *arguments) entities(refs []*object.ResourceRefInput) []model.URN {
	resources := a.resources(refs)
	urns := make([]model.URN, len(resources))
	for i, r := range resources {
		if a.err == nil && r.Field != "" {
			a.err = catalog.Errorf(catalog.Invalid, "this cannot be said of a column of %s", r.URN)
		}
		urns[i] = r.URN
	}
	return urns
}

// editLabels adds labels to resources, or removes labels from them.
func editLabels(ctx context.Context, kind edits.Label, labels []string, add bool, refs ...*object.ResourceRefInput) (*bool, error) {
	a := argumentsOf(ctx)
	resources, urns := a.resources(refs), a.urns(labels)
	return done(a.mutate(func() error {
		if add {
			return a.edits.AddLabels(ctx, kind, urns, resources, a.by)
		}
		return a.edits.RemoveLabels(ctx, kind, urns, resources, a.by)
	}))
}

func ref(urn string, kind *object.SubResourceType, field *string) *object.ResourceRefInput {
	return &object.ResourceRefInput{ResourceUrn: urn, SubResourceType: kind, SubResource: field}
}
