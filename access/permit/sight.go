package permit

import (
	"context"
	"sync"
	"time"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// sights remembers what a caller may see of each type of entity.
type sights struct {
	mu     sync.Mutex
	needs  map[string]policies.Facts
	all    bool
	wasAll bool // all is known

	// decided has what was decided since a moment, for requests that follow each other closely.
	decided map[string]bool
	since   time.Time

	making sync.Mutex
	made   map[string]any
}

// Remember returns what was made under a name, and makes it once for a caller who was accepted.
func (p *Permissions) Remember(name string, make func() (any, error)) (any, error) {
	p.sights.making.Lock()
	defer p.sights.making.Unlock()
	if made, known := p.sights.made[name]; known {
		return made, nil
	}
	made, err := make()
	if err != nil {
		return nil, err
	}
	if p.sights.made == nil {
		p.sights.made = map[string]any{}
	}
	p.sights.made[name] = made
	return made, nil
}

// facts returns the facts on which it depends whether the caller may read an entity of a type.
func (p *Permissions) facts(entityType string) policies.Facts {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	return p.factsLocked(entityType)
}

func (p *Permissions) factsLocked(entityType string) policies.Facts {
	needs, known := p.sights.needs[entityType]
	if !known {
		needs = p.Rights.Needs(policies.Group(policies.Read, entityType), entityType)
		if p.sights.needs == nil {
			p.sights.needs = map[string]policies.Facts{}
		}
		p.sights.needs[entityType] = needs
	}
	return needs
}

// SeesAll reports whether the caller may read every entity.
func (p *Permissions) SeesAll() bool {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	if p.sights.wasAll {
		return p.sights.all
	}
	p.sights.wasAll = true
	p.sights.all = p.factsLocked("") == policies.Everything
	for _, entityType := range policies.OwnTypes(policies.Read) {
		p.sights.all = p.sights.all && p.factsLocked(entityType) == policies.Everything
	}
	return p.sights.all
}

// SeesWhole reports whether nothing that is stored is hidden from the caller. Most callers may not read
// secrets, of which most catalogs have none.
func (p *Permissions) SeesWhole(ctx context.Context) (bool, error) {
	if p.facts("") != policies.Everything {
		return false, nil
	}
	for _, entityType := range policies.OwnTypes(policies.Read) {
		if p.SeesType(entityType) {
			continue
		}
		if _, stored, err := p.store.ListEntities(ctx, entityType, graphstore.Page{}); err != nil || stored > 0 {
			return false, catalog.StoreFailure(err)
		}
	}
	return true, nil
}

// SeesType reports whether the caller may read every entity of a type. The type of a column is never
// asked for: a column belongs to its entity.
func (p *Permissions) SeesType(entityType string) bool {
	return p.facts(entityType) == policies.Everything
}

// ByFacts reports whether it depends on stored facts, beyond the URN, whether the caller may read an
// entity of a type.
func (p *Permissions) ByFacts(entityType string) bool {
	facts := p.facts(entityType)
	return !facts.Decided() && facts&^policies.ByType != 0
}

// Filter returns the expression that holds for the entities of a type that the caller may read.
func (p *Permissions) Filter(entityType string) policies.Filter {
	return p.Rights.Filter(policies.Group(policies.Read, entityType), entityType)
}

// Owned returns those of several entities for which an expression about owners holds.
func (p *Permissions) Owned(ctx context.Context, urns []string, of policies.Filter) ([]string, error) {
	parsed := make([]model.URN, len(urns))
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
	}
	found, err := resources(ctx, p.store, parsed, policies.NeedsOwners)
	if err != nil {
		return nil, err
	}
	var owned []string
	for _, urn := range urns {
		if of.Matches(found[urn]) {
			owned = append(owned, urn)
		}
	}
	return owned, nil
}

// SeenBy returns the URN of the caller, or "".
func (p *Permissions) SeenBy() string { return p.Rights.Actor().URN }

// Visible reports which of several entities the caller may read. Each URN is that of an entity, not of
// a column.
func (p *Permissions) Visible(ctx context.Context, urns []string) (map[string]bool, error) {
	visible := make(map[string]bool, len(urns))
	urns, err := p.ownTokens(ctx, p.undecided(urns, visible), visible)
	if err != nil {
		return nil, err
	}
	var open []model.URN
	var needs policies.Facts
	for _, urn := range urns {
		u := model.StoredURN(urn)
		if u.IsZero() {
			visible[urn] = p.Rights.Allows(policies.Group(policies.Read, ""), &policies.Resource{URN: urn})
			continue
		}
		entityType := u.EntityType()
		switch facts := p.facts(entityType); {
		case facts.Decided():
			visible[urn] = facts == policies.Everything
		case facts&^policies.ByType == 0:
			visible[urn] = p.reads(&policies.Resource{Type: entityType, URN: urn})
		default:
			needs |= facts
			open = append(open, u)
		}
	}
	if len(open) == 0 {
		return visible, nil
	}
	found, err := resources(ctx, p.store, catalog.Distinct(open), needs)
	if err != nil {
		return nil, err
	}
	for urn, resource := range found {
		visible[urn] = p.reads(resource)
	}
	p.remember(found, visible)
	return visible, nil
}

// maxDecided is how many decisions are remembered.
const maxDecided = 200_000

// undecided fills in what was decided a moment ago, and returns the rest.
func (p *Permissions) undecided(urns []string, visible map[string]bool) []string {
	if p.now == nil {
		return urns
	}
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	if now := p.now(); now.Sub(p.sights.since) >= fresh || len(p.sights.decided) > maxDecided {
		p.sights.decided, p.sights.since = map[string]bool{}, now
	}
	var open []string
	for _, urn := range urns {
		if decided, known := p.sights.decided[urn]; known {
			visible[urn] = decided
		} else {
			open = append(open, urn)
		}
	}
	return open
}

func (p *Permissions) remember(found map[string]*policies.Resource, visible map[string]bool) {
	if p.now == nil {
		return
	}
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	for urn := range found {
		p.sights.decided[urn] = visible[urn]
	}
}

func (p *Permissions) reads(resource *policies.Resource) bool {
	return p.Rights.Allows(policies.Group(policies.Read, resource.Type), resource)
}
