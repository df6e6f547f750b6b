package permit

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

// Store is the part of the graph store that decisions read.
type Store interface {
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
}

// aspectsOf are the aspects that have facts.
var aspectsOf = []struct {
	fact   policies.Facts
	aspect string
}{
	{policies.NeedsOwners, model.AspectOwnership},
	{policies.NeedsDomains, model.AspectDomains},
	{policies.NeedsDomains, model.AspectDomainProperties},
	{policies.NeedsContainers, model.AspectContainer},
	{policies.NeedsTags, model.AspectGlobalTags},
	{policies.NeedsTerms, model.AspectGlossaryTerms},
	{policies.NeedsInstance, model.AspectDataPlatformInstance},
	{policies.NeedsGroups, model.AspectGroupMembership},
	{policies.NeedsGroups, model.AspectNativeGroupMembership},
}

// maxAncestors is how many levels of parents count. No client makes so many.
const maxAncestors = 50

// factsPage is how many entities are read from the store at once.
const factsPage = 500

// resources reads the facts of entities, only those that are needed.
func resources(ctx context.Context, store Store, urns []model.URN, needs policies.Facts) (map[string]*policies.Resource, error) {
	found := make(map[string]*policies.Resource, len(urns))
	for _, u := range urns {
		found[u.String()] = &policies.Resource{Type: u.EntityType(), URN: u.String()}
	}
	var names []string
	for _, a := range aspectsOf {
		if needs&a.fact != 0 {
			names = append(names, a.aspect)
		}
	}
	if len(names) == 0 {
		return found, nil
	}
	above := ancestors{store: store, parents: map[string]string{}, needed: needs&(policies.NeedsDomains|policies.NeedsContainers|policies.NeedsTerms) != 0}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(found)), factsPage) {
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
	return found, above.complete(ctx, found)
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

// noEntity is stored nowhere: no URN has a parenthesis that is not closed.
const noEntity = "urn:li:" + model.EntityDomain + ":("

// ancestors completes domains, containers and terms with what is above them.
type ancestors struct {
	store Store
	// parents has the parent of each entity that was read, "" for none.
	parents map[string]string
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

func (a *ancestors) complete(ctx context.Context, found map[string]*policies.Resource) error {
	lists := func(r *policies.Resource) []*[]string { return []*[]string{&r.Domains, &r.Containers, &r.Terms} }
	asked := map[string]bool{}
	for _, r := range found {
		for _, list := range lists(r) {
			for _, urn := range *list {
				asked[urn] = true
			}
		}
	}
	if err := a.read(ctx, asked); err != nil {
		return err
	}
	for _, r := range found {
		for _, list := range lists(r) {
			for _, urn := range *list {
				*list = a.above(*list, urn)
			}
		}
	}
	return nil
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
