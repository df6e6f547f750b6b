package permit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// sights remembers what a caller may see.
type sights struct {
	mu     sync.Mutex
	types  map[string]*typeSight
	all    bool
	wasAll bool // all is known
	// decided has the decisions about entities by their facts, which last as long as the facts have the
	// same address.
	decided map[decision]bool

	making sync.Mutex
	made   map[string]made
}

// typeSight is what a caller may see of a type of entities.
type typeSight struct {
	privileges []string
	needs      policies.Facts
	// plain are the facts of an entity of which nothing is known.
	plain policies.Resource
	// whole and beginnings are the URNs, and their beginnings, on which decisions depend.
	whole      map[string]bool
	beginnings []string
}

// decision is what a decision depends on, if the URN of the entity is not named.
type decision struct {
	*policies.Resource
	// beginnings are those with which the URN begins, a bit for each.
	beginnings uint64
}

// maxBeginnings is how many beginnings of URNs a decision can depend on, to be remembered.
const maxBeginnings = 64

// maxDecided is how many decisions are remembered for a caller.
const maxDecided = 20_000

// made is something that was made from what a caller may see.
type made struct {
	value any
	// lasts says that it holds until something else is below a domain, a container or a node.
	lasts     bool
	structure uint64
	at        time.Time
}

// Remember returns what was made under a name, or makes it. What lasts is made again when something else
// is below a domain, a container or a node, the rest after a moment.
func (p *Permissions) Remember(ctx context.Context, name string, make func() (value any, lasts bool, err error)) (any, error) {
	var now made
	if p.known != nil {
		if err := p.known.look(ctx); err != nil {
			return nil, err
		}
		now = made{structure: p.known.structureNow(), at: p.known.now()}
	}
	p.sights.making.Lock()
	defer p.sights.making.Unlock()
	if known, ok := p.sights.made[name]; ok && known.structure == now.structure && (known.lasts || now.at.Sub(known.at) < fresh) {
		return known.value, nil
	}
	var err error
	if now.value, now.lasts, err = make(); err != nil {
		return nil, err
	}
	if p.sights.made == nil {
		p.sights.made = map[string]made{}
	}
	p.sights.made[name] = now
	return now.value, nil
}

// facts returns the facts on which it depends whether the caller may read an entity of a type.
func (p *Permissions) facts(entityType string) policies.Facts {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	return p.factsLocked(entityType)
}

func (p *Permissions) factsLocked(entityType string) policies.Facts {
	return p.typeLocked(entityType).needs
}

func (p *Permissions) typeLocked(entityType string) *typeSight {
	if t, known := p.sights.types[entityType]; known {
		return t
	}
	t := &typeSight{privileges: policies.Group(policies.Read, entityType), plain: policies.Resource{Type: entityType}}
	if t.needs = p.Rights.Needs(t.privileges, entityType); !t.needs.Decided() {
		whole, beginnings := p.Filter(entityType).URNs()
		t.beginnings = beginnings
		t.whole = make(map[string]bool, len(whole))
		for _, urn := range whole {
			t.whole[urn] = true
		}
	}
	if p.sights.types == nil {
		p.sights.types = map[string]*typeSight{}
	}
	p.sights.types[entityType] = t
	return t
}

// on returns what a decision depends on, besides its facts. It reports false if the decision depends on
// the whole URN.
func (t *typeSight) on(urn string) (beginnings uint64, ok bool) {
	if t.whole[urn] || len(t.beginnings) > maxBeginnings {
		return 0, false
	}
	for i, beginning := range t.beginnings {
		if strings.HasPrefix(urn, beginning) {
			beginnings |= 1 << i
		}
	}
	return beginnings, true
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

// Visible reports which of several entities the caller may read, by their URNs.
func (p *Permissions) Visible(ctx context.Context, urns []string) (map[string]bool, error) {
	sees, err := p.Sees(ctx, urns)
	if err != nil {
		return nil, err
	}
	visible := make(map[string]bool, len(urns))
	for i, urn := range urns {
		visible[urn] = sees[i]
	}
	return visible, nil
}

// Sees reports for each of several entities whether the caller may read it. Each URN is that of an entity,
// not of a column.
func (p *Permissions) Sees(ctx context.Context, urns []string) ([]bool, error) {
	sees := make([]bool, len(urns))
	open, places := p.byType(urns, sees)
	if len(open) == 0 {
		return sees, nil
	}
	facts, lasting, err := p.factsOf(ctx, open)
	if err != nil {
		return nil, err
	}
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	var t *typeSight
	for n, i := range places {
		if t == nil || t.plain.Type != facts[n].Type {
			t = p.typeLocked(facts[n].Type)
		}
		sees[i] = p.decide(t, open[n], facts[n], lasting)
	}
	return sees, nil
}

// byType decides about the entities of types for which no stored fact is needed, and returns the rest and
// their places.
func (p *Permissions) byType(urns []string, sees []bool) (open []string, places []int) {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	var t *typeSight
	for i, urn := range urns {
		u := model.StoredURN(urn)
		if u.IsZero() {
			sees[i] = p.Rights.Allows(policies.Group(policies.Read, ""), &policies.Resource{URN: urn})
			continue
		}
		if t == nil || t.plain.Type != u.EntityType() {
			t = p.typeLocked(u.EntityType())
		}
		switch {
		case t.needs.Decided():
			sees[i] = t.needs == policies.Everything
		case t.needs&^policies.ByType == 0:
			sees[i] = p.decide(t, urn, &t.plain, true)
		default:
			if open == nil {
				open, places = make([]string, 0, len(urns)-i), make([]int, 0, len(urns)-i)
			}
			open, places = append(open, urn), append(places, i)
		}
	}
	return open, places
}

// factsOf returns the facts of entities, in their order. lasting says that equal facts have the same
// address.
func (p *Permissions) factsOf(ctx context.Context, urns []string) (facts []*policies.Resource, lasting bool, err error) {
	if p.known != nil {
		return p.known.of(ctx, urns)
	}
	parsed := make([]model.URN, len(urns))
	var needs policies.Facts
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
		needs |= p.facts(parsed[i].EntityType())
	}
	found, err := resources(ctx, p.store, catalog.Distinct(parsed), needs)
	if err != nil {
		return nil, false, err
	}
	facts = make([]*policies.Resource, len(urns))
	for i, urn := range urns {
		facts[i] = found[urn]
	}
	return facts, false, nil
}

// decide decides about an entity by its facts. The caller has the lock.
func (p *Permissions) decide(t *typeSight, urn string, facts *policies.Resource, lasting bool) bool {
	beginnings, remembered := t.on(urn)
	remembered = remembered && lasting
	on := decision{facts, beginnings}
	if remembered {
		if sees, known := p.sights.decided[on]; known {
			return sees
		}
	}
	resource := *facts
	resource.URN = urn
	sees := p.Rights.Allows(t.privileges, &resource)
	if remembered {
		if p.sights.decided == nil || len(p.sights.decided) >= maxDecided {
			p.sights.decided = map[decision]bool{}
		}
		p.sights.decided[on] = sees
	}
	return sees
}
