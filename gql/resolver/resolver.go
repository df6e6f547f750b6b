// Package resolver answers the operations of GraphQL requests from the services
// of the catalog. The fields of objects are answered in package gql/object.
package resolver

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql/object"
)

// Resolver answers queries and mutations, through the session in the request's
// context.
type Resolver struct {
	// Version is the server's.
	Version string
}

// edit runs a mutation on behalf of the request's actor. When it returns,
// searches show the result.
func edit(ctx context.Context, mutate func(c *services.Services, o catalog.WriteOptions) error) error {
	s := object.SessionOf(ctx)
	return mutate(s.Catalog, catalog.WriteOptions{Actor: s.Actor, AwaitIndex: true})
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
func get[T object.Entity](ctx context.Context, urn string) (T, error) {
	return object.Get[T](ctx, object.SessionOf(ctx), urn)
}

// editThenGet applies edits of an entity and reads it again.
func editThenGet[T object.Entity](ctx context.Context, urn string, edits []catalog.Edit) (T, error) {
	entities, err := editThenGetAll[T](ctx, []string{urn}, edits)
	if err != nil {
		var none T
		return none, err
	}
	return entities[0], nil
}

// editThenGetAll applies edits of several entities, all or none, and reads them
// again.
func editThenGetAll[T object.Entity](ctx context.Context, urns []string, edits []catalog.Edit) ([]T, error) {
	entities := make([]T, len(urns))
	for _, urn := range urns {
		if _, err := get[T](ctx, urn); err != nil {
			return nil, err
		}
		exists, err := object.SessionOf(ctx).Catalog.Exists(ctx, urn)
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, catalog.Errorf(catalog.NotFound, "Did not find urn: %s", urn)
		}
	}
	err := edit(ctx, func(c *services.Services, o catalog.WriteOptions) error { return c.Edit(ctx, edits, o) })
	if err != nil {
		return nil, err
	}
	for i, urn := range urns {
		if entities[i], err = get[T](ctx, urn); err != nil {
			return nil, err
		}
	}
	return entities, nil
}

// remove deletes an entity of one of the given types.
func remove(ctx context.Context, urn string, types ...string) (*bool, error) {
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		return c.Removal.DeleteEntity(ctx, urn, types, o)
	}))
}

// create creates an entity and answers with its URN.
func create(ctx context.Context, n edits.NewEntity) (*string, error) {
	return named(ctx, func(c *services.Services, o catalog.WriteOptions) (string, error) {
		return c.Edits.CreateEntity(ctx, n, o)
	})
}

// named answers a mutation with the URN of what it wrote.
func named(ctx context.Context, write func(c *services.Services, o catalog.WriteOptions) (string, error)) (*string, error) {
	var urn string
	err := edit(ctx, func(c *services.Services, o catalog.WriteOptions) (err error) {
		urn, err = write(c, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &urn, nil
}

// made answers a mutation with the entity that it wrote.
func made[T object.Entity](ctx context.Context, write func(c *services.Services, o catalog.WriteOptions) (string, error)) (T, error) {
	urn, err := named(ctx, write)
	if err != nil {
		var none T
		return none, err
	}
	return get[T](ctx, *urn)
}

// page returns the page of a listing, of 20 unless another size is given.
func page(start, count *int) (int, int) {
	return object.Or(start, 0), object.Or(count, object.DefaultListCount)
}

// defaultLimit is the default number of suggestions.
const defaultLimit = 5

// wordsOr returns a query text, that for everything if there is none.
func wordsOr(query *string) string {
	if text := strings.TrimSpace(object.Or(query, "")); text != "" {
		return text
	}
	return "*"
}

// resourceOf names an entity, or a column of it.
func resourceOf(urn string, kind *object.SubResourceType, field *string) (edits.Resource, error) {
	if (kind == nil) != (field == nil) {
		return edits.Resource{}, catalog.Errorf(catalog.Invalid, "subResource and subResourceType must be given together")
	}
	return edits.Resource{URN: urn, Field: object.Or(field, "")}, nil
}

func resourcesOf(refs []*object.ResourceRefInput) ([]edits.Resource, error) {
	resources := make([]edits.Resource, 0, len(refs))
	for _, ref := range refs {
		if ref == nil {
			continue
		}
		r, err := resourceOf(ref.ResourceUrn, ref.SubResourceType, ref.SubResource)
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return resources, nil
}

// entitiesOf returns the entities of references, which must not be columns.
func entitiesOf(refs []*object.ResourceRefInput) ([]string, error) {
	resources, err := resourcesOf(refs)
	if err != nil {
		return nil, err
	}
	urns := make([]string, len(resources))
	for i, r := range resources {
		if r.Field != "" {
			return nil, catalog.Errorf(catalog.Invalid, "this cannot be set on a column of %s", r.URN)
		}
		urns[i] = r.URN
	}
	return urns, nil
}

// editLabels adds labels to resources or removes them.
func editLabels(ctx context.Context, kind edits.Label, labels []string, add bool, refs ...*object.ResourceRefInput) (*bool, error) {
	resources, err := resourcesOf(refs)
	if err != nil {
		return nil, err
	}
	return done(edit(ctx, func(c *services.Services, o catalog.WriteOptions) error {
		if add {
			return c.Edits.AddLabels(ctx, kind, labels, resources, o)
		}
		return c.Edits.RemoveLabels(ctx, kind, labels, resources, o)
	}))
}

func ref(urn string, kind *object.SubResourceType, field *string) *object.ResourceRefInput {
	return &object.ResourceRefInput{ResourceUrn: urn, SubResourceType: kind, SubResource: field}
}
