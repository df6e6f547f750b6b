package lineage

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// OwnerImpact lists the entities of an impact that one owner has.
type OwnerImpact struct {
	ImpactOwner
	// Certain and Possible are the URNs of the entities by their effect. If the request is not
	// about a column, all entities are in Certain.
	Certain, Possible []string
}

// ownerGroups groups entities by owner.
type ownerGroups struct {
	owners []OwnerImpact
	at     map[string]int
	nobody OwnerImpact
}

func newOwnerGroups(owners []ImpactOwner) *ownerGroups {
	g := &ownerGroups{owners: make([]OwnerImpact, len(owners), len(owners)+1), at: make(map[string]int, len(owners))}
	for k, owner := range owners {
		g.owners[k], g.at[owner.URN] = OwnerImpact{ImpactOwner: owner}, k
	}
	return g
}

func (g *ownerGroups) add(urn, effect string, owners []string) {
	if len(owners) == 0 {
		g.nobody.Count++
		g.nobody.add(urn, effect)
	}
	for _, owner := range owners {
		g.owners[g.at[owner]].add(urn, effect)
	}
}

func (g *ownerGroups) all() []OwnerImpact {
	if g.nobody.Count > 0 {
		return append(g.owners, g.nobody)
	}
	return g.owners
}

func (o *OwnerImpact) add(urn, effect string) {
	if effect == EffectPossible {
		o.Possible = append(o.Possible, urn)
	} else {
		o.Certain = append(o.Certain, urn)
	}
}

// ownersOfImpact groups affected entities by owner: the nearest limits.MaxOwnedImpact entities,
// and the entities of the page. ownersOfImpact also returns how many entities it grouped.
func (s *Service) ownersOfImpact(ctx context.Context, found *impactWays, page []Reached, asOf int64) (owners []OwnerImpact, of int, err error) {
	nearest := found.reached[:min(limits.MaxOwnedImpact, len(found.reached))]
	read := slices.Clone(nearest)
	known := make(map[string]bool, len(nearest))
	for _, r := range nearest {
		known[r.URN] = true
	}
	for _, r := range page {
		if !known[r.URN] {
			read = append(read, r)
		}
	}
	ends, err := s.endsOf(ctx, read, model.RelationshipOwnedBy, asOf)
	if err != nil {
		return nil, 0, err
	}
	owned := counter{}
	for _, r := range read {
		owned.addOwners(ends[r.URN])
	}
	named, err := s.nameOwners(ctx, owned.groups())
	if err != nil {
		return nil, 0, err
	}
	groups := newOwnerGroups(named)
	for _, r := range read {
		groups.add(r.URN, found.effectOn(r.URN), ends[r.URN])
	}
	return groups.all(), len(read), nil
}

// NameOwners returns users and groups with their names and addresses, in the order of urns. Their counts are 0.
func (s *Service) NameOwners(ctx context.Context, urns []string) ([]ImpactOwner, error) {
	groups := make([]ImpactGroup, len(urns))
	for i, urn := range urns {
		groups[i].Value = urn
	}
	return s.nameOwners(ctx, groups)
}

// nameOwners reads names and addresses of owners.
func (s *Service) nameOwners(ctx context.Context, counted []ImpactGroup) ([]ImpactOwner, error) {
	owners := []ImpactOwner{}
	var urns []string
	for _, g := range counted {
		if g.Value != "" {
			urns = append(urns, g.Value)
			owners = append(owners, ImpactOwner{URN: g.Value, Count: g.Count})
		}
	}
	found := make(map[string]*graphstore.Entity, len(urns))
	for some := range slices.Chunk(urns, catalog.MaxPage) {
		nodes, err := s.store.Entities(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			found[nodes[i].URN] = &nodes[i]
		}
	}
	for i := range owners {
		o := &owners[i]
		node := found[o.URN]
		if node == nil {
			node = &graphstore.Entity{}
		}
		o.Name = read.NameOf(s.registry, o.URN, node)
		o.Email, _ = node.Properties["email"].(string)
	}
	return owners, s.addressGroups(ctx, owners)
}

// addressGroups adds the addresses of groups, which nodes do not have. An address that people
// edited is preferred to one that a source states.
func (s *Service) addressGroups(ctx context.Context, owners []ImpactOwner) error {
	at := map[string]*ImpactOwner{}
	var urns []string
	for i := range owners {
		if o := &owners[i]; o.Email == "" && typeOf(o.URN) == model.EntityCorpGroup {
			at[o.URN], urns = o, append(urns, o.URN)
		}
	}
	return s.eachAspects(ctx, urns, []string{model.AspectCorpGroupEditableInfo, model.AspectCorpGroupInfo}, func(urn string, aspects []graphstore.Aspect) error {
		for i := range aspects {
			var stated struct {
				Email string `json:"email"`
			}
			if err := json.Unmarshal(aspects[i].Value, &stated); err != nil {
				return catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, urn, err)
			}
			if stated.Email != "" && (at[urn].Email == "" || aspects[i].Name == model.AspectCorpGroupEditableInfo) {
				at[urn].Email = stated.Email
			}
		}
		return nil
	})
}
