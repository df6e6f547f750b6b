package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// referencePage is how many mentions are taken away at a time.
const referencePage = 200

// DeleteEntity deletes an entity of one of some types, and what other entities
// say of it.
func (c *Catalog) DeleteEntity(ctx context.Context, urn string, types []string, o WriteOptions) error {
	u, _, err := c.parseURN(urn)
	if err != nil {
		return err
	}
	if !slices.Contains(types, u.EntityType()) {
		return Errorf(Invalid, "%s is no %s", u, strings.Join(types, " or "))
	}
	exists, err := c.Exists(ctx, urn)
	if err != nil {
		return err
	}
	if !exists {
		return Errorf(NotFound, "%s does not exist.", u)
	}
	if err := c.deleteReferences(ctx, u.String(), o); err != nil {
		return err
	}
	entity, _ := c.registry.Entity(u.EntityType()) // parseURN refuses unknown types
	_, err = c.Ingest(ctx, Proposal{EntityType: entity.Name, EntityURN: u.String(), ChangeType: Delete, AspectName: entity.KeyAspect}, o)
	return err
}

// deleteReferences takes an entity out of what others say, page by page.
func (c *Catalog) deleteReferences(ctx context.Context, urn string, o WriteOptions) error {
	waiting := o
	o.AwaitIndex = false
	skip := 0 // mentions that no edit takes away, such as a key's
	for {
		found, err := c.store.Edges(ctx, graphstore.EdgeQuery{
			URNs: []string{urn}, Direction: graphstore.Incoming, Page: graphstore.Page{Start: skip, Count: referencePage},
		})
		if err != nil {
			return storeFailure(err)
		}
		page := found[urn]
		if len(page.Edges) == 0 {
			return c.settle(ctx, waiting)
		}
		if err := c.Edit(ctx, c.referenceEdits(urn, page.Edges), o); err != nil {
			return err
		}
		after, err := c.store.Edges(ctx, graphstore.EdgeQuery{URNs: []string{urn}, Direction: graphstore.Incoming})
		if err != nil {
			return storeFailure(err)
		}
		skip += len(page.Edges) - int(page.Total-after[urn].Total)
	}
}

// referenceEdits are the edits of every aspect that may state the edges.
func (c *Catalog) referenceEdits(urn string, edges []graphstore.Edge) []Edit {
	type at struct{ urn, aspect string }
	paths := map[at][][]string{}
	var order []at
	for i := range edges {
		source, err := model.ParseURN(edges[i].Source)
		if err != nil {
			continue
		}
		for _, rel := range c.registry.Relationships() {
			aspect, ok := c.registry.Aspect(rel.Aspect)
			if !ok || aspect.IsKey || rel.Name != edges[i].Type || !slices.Contains(rel.SourceEntities, source.EntityType()) {
				continue
			}
			key := at{source.String(), rel.Aspect}
			if paths[key] == nil {
				order = append(order, key)
			}
			paths[key] = append(paths[key], strings.Split(rel.Path, "/"))
		}
	}
	edits := make([]Edit, len(order))
	for i, key := range order {
		edits[i] = Edit{URN: key.urn, Aspect: key.aspect, orDelete: true, Change: func(value Tree, _ AuditStamp) error {
			for _, path := range paths[key] {
				withoutReference(value, path, urn)
			}
			return nil
		}}
	}
	return edits
}

// withoutReference takes a URN out of a value at a path: the innermost item of
// an array that holds it, or else the member itself. It reports whether what
// it was given is the mention.
func withoutReference(value any, path []string, urn string) bool {
	if len(path) == 0 {
		return value == any(urn)
	}
	tree, ok := value.(Tree)
	if !ok {
		return false
	}
	if len(path) > 1 && path[1] == "*" {
		if array, ok := tree[path[0]].([]any); ok {
			kept := slices.DeleteFunc(slices.Clone(array), func(item any) bool { return withoutReference(item, path[2:], urn) })
			if len(kept) < len(array) {
				tree[path[0]] = kept
			}
		}
		return false
	}
	if !withoutReference(tree[path[0]], path[1:], urn) {
		return false
	}
	delete(tree, path[0])
	return true
}
