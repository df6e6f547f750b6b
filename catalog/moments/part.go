package moments

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// part selects a part of the value of an aspect. It returns the present value with this part of the former
// value. Either value is nil if it did not exist; the result is nil if nothing remains.
type part func(now, was catalog.Tree) catalog.Tree

// restored applies a part to values as JSON.
func (p part) restored(now, was json.RawMessage) (json.RawMessage, error) {
	trees := [2]catalog.Tree{}
	for i, value := range []json.RawMessage{now, was} {
		if value == nil {
			continue
		}
		var err error
		if trees[i], err = catalog.TreeOf(value); err != nil {
			return nil, err
		}
	}
	tree := p(trees[0], trees[1])
	if tree == nil {
		return nil, nil
	}
	text, err := jsontree.Encode(tree)
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "a restored value: %w", err)
	}
	return text, nil
}

func wholeValue(_, was catalog.Tree) catalog.Tree { return was }

// memberOf is a member of an object.
func memberOf(name string) part {
	return func(now, was catalog.Tree) catalog.Tree {
		value, had := was[name]
		if now == nil {
			if !had {
				return nil
			}
			now = catalog.Tree{}
		}
		if delete(now, name); had {
			now[name] = value
		}
		return now
	}
}

// below is a part of the object that is a member of an object.
func below(name string, inner part) part {
	return func(now, was catalog.Tree) catalog.Tree {
		object := inner(jsontree.Member(now, name), jsontree.Member(was, name))
		if object == nil {
			return memberOf(name)(now, nil)
		}
		return memberOf(name)(now, catalog.Tree{name: object})
	}
}

// itemsOf is the item of a list that matches or, with an inner part, this part of the item.
func itemsOf(list string, matches func(item any) bool, inner part) part {
	return func(now, was catalog.Tree) catalog.Tree {
		find := func(tree catalog.Tree) (item any, found bool) {
			if i := slices.IndexFunc(jsontree.Array(tree, list), matches); i >= 0 {
				return jsontree.Array(tree, list)[i], true
			}
			return nil, false
		}
		is, has := find(now)
		item, had := find(was)
		if inner != nil {
			isTree, _ := is.(catalog.Tree)
			wasTree, _ := item.(catalog.Tree)
			tree := inner(isTree, wasTree)
			if item, had = tree, tree != nil; had && tree["fieldPath"] == nil && wasTree["fieldPath"] != nil {
				tree["fieldPath"] = wasTree["fieldPath"]
			}
		}
		items := []any{}
		for _, one := range jsontree.Array(now, list) {
			switch {
			case !matches(one):
				items = append(items, one)
			case had:
				items, had = append(items, item), false
			}
		}
		if had {
			items = append(items, item)
		}
		if !has && len(items) == len(jsontree.Array(now, list)) {
			return now
		}
		if now == nil { // the former value has members that the list needs, such as a time stamp
			now = maps.Clone(was)
		}
		now[list] = items
		return now
	}
}

// named matches the items that name an entity: as a text, or in a member.
func named(names catalog.Naming, member string, u model.URN) func(item any) bool {
	return func(item any) bool {
		if text, ok := item.(string); ok {
			return names.SameURN(text, u)
		}
		tree, _ := item.(catalog.Tree)
		return names.SameURN(jsontree.Text(tree, member), u)
	}
}

// labels has, by the type of a label, the aspect with such labels and their place in it.
var labels = map[string]struct{ aspect, list, member string }{
	model.EntityTag:          {model.AspectGlobalTags, "tags", "tag"},
	model.EntityGlossaryTerm: {model.AspectGlossaryTerms, "terms", "urn"},
	model.EntityCorpuser:     {model.AspectOwnership, "owners", "owner"},
	model.EntityCorpGroup:    {model.AspectOwnership, "owners", "owner"},
	model.EntityDomain:       {model.AspectDomains, "domains", ""},
}

// settle checks a request, names the aspect that its part belongs to, and returns the part.
func (s *Service) settle(r *RestoreRequest) (part, error) {
	entity, ok := s.registry.Entity(r.URN.EntityType())
	switch {
	case !ok:
		return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", r.URN.EntityType())
	case r.AsOf < 0 || (r.AsOf == 0) == (r.Version == nil):
		return nil, catalog.Errorf(catalog.Invalid, "a restoration needs either asOf, a moment, or the version of one aspect")
	case r.Member != "" && !r.Label.IsZero():
		return nil, catalog.Errorf(catalog.Invalid, "a restoration is of one member or of one label, not of both")
	}
	if err := catalog.CheckLists("aspects", r.Aspects); err != nil {
		return nil, err
	}
	for _, name := range r.Aspects {
		spec, ok := s.registry.Aspect(name)
		switch {
		case !ok || !entity.Has(name):
			return nil, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", name, entity.Name)
		case spec.TimeSeries:
			return nil, catalog.Errorf(catalog.Invalid, "%s is a time series; its values are not replaced, so there is nothing to restore", name)
		case spec.IsKey:
			return nil, catalog.Errorf(catalog.Invalid, "%s is the key; it never changes", name)
		}
	}
	part := part(wholeValue)
	aspect := ""
	if r.Member != "" {
		part = memberOf(r.Member)
	}
	if !r.Label.IsZero() {
		place, ok := labels[r.Label.EntityType()]
		if !ok || r.Column != "" && place.aspect != model.AspectGlobalTags && place.aspect != model.AspectGlossaryTerms {
			return nil, catalog.Errorf(catalog.Invalid, "%s is no label that can be restored here", r.Label)
		}
		part = itemsOf(place.list, named(catalog.NewNaming(s.registry), place.member, r.Label), nil)
		if aspect = place.aspect; r.Column != "" {
			part = below(place.aspect, part)
		}
	}
	if r.Column != "" {
		aspect = model.AspectEditableSchemaMetadata
		if r.Member == "" && r.Label.IsZero() {
			part = nil
		}
		part = itemsOf("editableSchemaFieldInfo", func(item any) bool {
			tree, _ := item.(catalog.Tree)
			return jsontree.Text(tree, "fieldPath") == r.Column
		}, part)
	}
	switch {
	case aspect != "" && !entity.Has(aspect):
		return nil, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", aspect, entity.Name)
	case aspect != "" && len(r.Aspects) == 0:
		r.Aspects = []string{aspect}
	case aspect != "" && !slices.Equal(r.Aspects, []string{aspect}):
		return nil, catalog.Errorf(catalog.Invalid, "that part belongs to the aspect %s", aspect)
	case len(r.Aspects) != 1 && (r.Member != "" || r.Version != nil):
		return nil, catalog.Errorf(catalog.Invalid, "a member and a version are those of one aspect; name it")
	}
	return part, nil
}

// sortedKeys returns the names of a set in order.
func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
