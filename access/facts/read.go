package facts

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the graph store that has facts.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ChangesWithoutValues(ctx context.Context, after string, limit int) (changes []graphstore.Change, next string, err error)
	EndCursor(ctx context.Context) (string, error)
}

type aspectOf struct {
	fact         policies.Facts
	aspect, only string
}

// aspectsOf lists the aspects that contain facts. An aspect with a type is read only for entities of that
// type.
var aspectsOf = []aspectOf{
	{fact: policies.NeedsOwners, aspect: model.AspectOwnership},
	{fact: policies.NeedsDomains, aspect: model.AspectDomains},
	{policies.NeedsDomains, model.AspectDomainProperties, model.EntityDomain},
	{fact: policies.NeedsContainers, aspect: model.AspectContainer},
	{fact: policies.NeedsTags, aspect: model.AspectGlobalTags},
	{fact: policies.NeedsTerms, aspect: model.AspectGlossaryTerms},
	{fact: policies.NeedsInstance, aspect: model.AspectDataPlatformInstance},
	{policies.NeedsGroups, model.AspectGroupMembership, model.EntityCorpuser},
	{policies.NeedsGroups, model.AspectNativeGroupMembership, model.EntityCorpuser},
}

// aspectsFor returns the aspects that have the needed facts of entities of a type.
func aspectsFor(entityType string, needs policies.Facts) []string {
	var names []string
	for _, a := range aspectsOf {
		if needs&a.fact != 0 && (a.only == "" || a.only == entityType) {
			names = append(names, a.aspect)
		}
	}
	return names
}

// maxAncestors is how many levels of parents count. No client makes so many.
const maxAncestors = 50

// factsPage is how many entities are read from the store at once.
const factsPage = 500

// Every asks for all facts of a resource.
const Every = policies.NeedsOwners | policies.NeedsDomains | policies.NeedsContainers | policies.NeedsTags | policies.NeedsTerms |
	policies.NeedsInstance | policies.NeedsGroups

// Read reads the facts of entities from the store, only those that are needed.
func Read(ctx context.Context, store Store, urns []model.URN, needs policies.Facts) (map[string]*policies.Resource, error) {
	found, err := ownFacts(ctx, store, urns, needs)
	if err != nil {
		return nil, err
	}
	asked := map[string]bool{}
	for _, r := range found {
		for _, list := range hierarchies(r) {
			for _, urn := range *list {
				asked[urn] = true
			}
		}
	}
	above := ancestors{store: store, parents: map[string]string{}, needed: needs&(policies.NeedsDomains|policies.NeedsContainers|policies.NeedsTerms) != 0}
	if err := above.read(ctx, asked); err != nil {
		return nil, err
	}
	for _, r := range found {
		*r = above.complete(*r)
	}
	return found, nil
}

// ownFacts reads the facts that are stored with entities: those that are needed, without ancestors.
func ownFacts(ctx context.Context, store Store, urns []model.URN, needs policies.Facts) (map[string]*policies.Resource, error) {
	found := make(map[string]*policies.Resource, len(urns))
	// Types with the same aspects are read together. The types that have aspects of their own are few.
	groups := map[string][]string{}
	for _, u := range urns {
		found[u.String()] = &policies.Resource{Type: u.EntityType(), URN: u.String()}
		group := ""
		if slices.ContainsFunc(aspectsOf, func(a aspectOf) bool { return a.only == u.EntityType() }) {
			group = u.EntityType()
		}
		groups[group] = append(groups[group], u.String())
	}
	for group, of := range groups {
		names := aspectsFor(group, needs)
		if len(names) == 0 {
			continue
		}
		slices.Sort(of)
		for part := range slices.Chunk(of, factsPage) {
			stored, err := store.LatestAspects(ctx, part, names)
			if err != nil {
				return nil, catalog.StoreFailure(err)
			}
			for urn, aspects := range stored {
				for i := range aspects {
					if err := addFacts(found[urn], &aspects[i]); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return found, nil
}

// addFacts adds the facts of one aspect to a resource.
func addFacts(r *policies.Resource, a *graphstore.Aspect) error {
	value, err := catalog.TreeOf(a.Value)
	if err != nil {
		return err
	}
	switch a.Name {
	case model.AspectOwnership:
		for _, owner := range jsontree.Items(value, "owners") {
			r.Owners = append(r.Owners, policies.Owner{URN: jsontree.Text(owner, "owner"), TypeURN: jsontree.Text(owner, "typeUrn")})
		}
	case model.AspectDomains:
		r.Domains = append(r.Domains, jsontree.Texts(value, "domains")...)
	case model.AspectDomainProperties:
		r.Domains = appendText(r.Domains, jsontree.Text(value, "parentDomain"))
	case model.AspectContainer:
		r.Containers = appendText(r.Containers, jsontree.Text(value, "container"))
	case model.AspectGlobalTags:
		r.Tags = appendMembers(r.Tags, value, "tags", "tag")
	case model.AspectGlossaryTerms:
		r.Terms = appendMembers(r.Terms, value, "terms", "urn")
	case model.AspectDataPlatformInstance:
		r.Instance = jsontree.Text(value, "instance")
	case model.AspectGroupMembership:
		r.Groups = append(r.Groups, jsontree.Texts(value, "groups")...)
	case model.AspectNativeGroupMembership:
		r.Groups = append(r.Groups, jsontree.Texts(value, "nativeGroups")...)
	}
	return nil
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

func appendMembers(texts []string, value catalog.Tree, list, member string) []string {
	for _, item := range jsontree.Items(value, list) {
		texts = appendText(texts, jsontree.Text(item, member))
	}
	return texts
}

// hierarchies are the facts that have ancestors.
func hierarchies(r *policies.Resource) []*[]string {
	return []*[]string{&r.Domains, &r.Containers, &r.Terms}
}

// noEntity is stored nowhere: no URN has a parenthesis that is not closed.
const noEntity = "urn:li:" + model.EntityDomain + ":("

// ancestors adds to domains, containers and terms their ancestors.
type ancestors struct {
	store Store
	// parents has the parent of each entity that is known, "" for none.
	parents map[string]string
	// fetched are the entities whose parents were read from the store.
	fetched []string
	// needed: the store is asked for parents at least once, even if nothing has any. So the cost of a decision
	// does not tell whether an entity has a domain.
	needed bool
}

// parentMembers are the members that name the parent of a domain, of a container, and of a term or its
// node, by their aspects.
var parentMembers = map[string]string{
	model.AspectDomainProperties: "parentDomain", model.AspectContainer: "container",
	model.AspectGlossaryTermInfo: "parentNode", model.AspectGlossaryNodeInfo: "parentNode",
}

// complete returns the facts with the ancestors of the entities that they name. It does not change the given lists.
func (a *ancestors) complete(r policies.Resource) policies.Resource {
	for _, list := range hierarchies(&r) {
		own := slices.Clip(*list)
		for _, urn := range own {
			*list = a.above(slices.Clip(*list), urn)
		}
	}
	return r
}

// Above reads the ancestors of domains, containers, terms and nodes, and returns the function that lists them
// for an entity, the nearest first.
func Above(ctx context.Context, store Store, urns map[string]bool) (func(urn string) []string, error) {
	a := &ancestors{store: store, parents: map[string]string{}}
	if err := a.read(ctx, urns); err != nil {
		return nil, err
	}
	return func(urn string) []string { return a.above(nil, urn) }, nil
}

// above appends the ancestors of an entity that are not in the list yet.
func (a *ancestors) above(list []string, urn string) []string {
	for parent := a.parents[urn]; parent != "" && !slices.Contains(list, parent); parent = a.parents[parent] {
		list = append(list, parent)
	}
	return list
}

// read reads the parents of entities, their parents, and so on.
func (a *ancestors) read(ctx context.Context, asked map[string]bool) error {
	names := slices.Sorted(maps.Keys(parentMembers))
	for level := range maxAncestors {
		var urns []string
		for urn := range asked {
			if _, known := a.parents[urn]; !known {
				urns = append(urns, urn)
				a.parents[urn] = ""
				a.fetched = append(a.fetched, urn)
			}
		}
		switch {
		case len(urns) > 0:
		case level == 0 && a.needed:
			urns = []string{noEntity}
		default:
			return nil
		}
		slices.Sort(urns)
		asked = map[string]bool{}
		for part := range slices.Chunk(urns, factsPage) {
			stored, err := a.store.LatestAspects(ctx, part, names)
			if err != nil {
				return catalog.StoreFailure(err)
			}
			for urn, aspects := range stored {
				if parent := parentIn(aspects); parent != "" {
					a.parents[urn] = parent
					asked[parent] = true
				}
			}
		}
	}
	return nil
}

// parentIn returns the parent that the aspects of an entity name, or "".
func parentIn(aspects []graphstore.Aspect) string {
	for i := range aspects {
		value, err := catalog.TreeOf(aspects[i].Value)
		if parent := jsontree.Text(value, parentMembers[aspects[i].Name]); err == nil && parent != "" {
			return parent
		}
	}
	return ""
}
