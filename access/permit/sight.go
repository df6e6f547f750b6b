package permit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/headwater-io/headwater/access/facts"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// sights remembers which entities a caller may see.
type sights struct {
	mu     sync.Mutex
	types  map[string]*typeSight
	all    bool
	wasAll bool // the member all has been decided
	// few tells that the caller may read every entity of each type, except of the types in but.
	but    []string
	few    bool
	wasBut bool // the members but and few have been decided
	// decided has the decisions about entities, by the numbers of their facts in an epoch. others has the
	// decisions that also depend on the beginning of the URN.
	decided []answer
	epoch   uint64
	others  map[decision]bool

	making sync.Mutex
	made   map[string]made
}

// answer is a remembered decision.
type answer uint8

const (
	unknown answer = iota
	hidden
	seen
)

// typeSight says which entities of a type a caller may see.
type typeSight struct {
	// begins is the beginning of the URNs of the type.
	begins     string
	privileges []string
	needs      policies.Facts
	// plain are the facts of an entity of which nothing is known.
	plain facts.Set
	// whole and beginnings are the URNs, and their beginnings, on which decisions depend.
	whole      map[string]bool
	beginnings []string
}

// decision is the key of a remembered decision within an epoch: the facts, and the beginnings of URNs that
// the policies name.
type decision struct {
	number int
	// beginnings has a bit for each beginning that the policies name, set if the URN begins with it.
	beginnings uint64
}

// maxBeginnings is how many beginnings of URNs a decision can depend on, to be remembered.
const maxBeginnings = 64

// maxOthers is how many decisions are remembered for a caller that also depend on how the URN begins.
const maxOthers = 20_000

// made is a value that was computed from the entities that a caller may see.
type made struct {
	value any
	// lasts reports that the value is valid until an entity moves below another domain, container or node.
	lasts     bool
	structure uint64
	at        time.Time
}

// Remember returns the value that was made under a name, or makes it. A value that lasts is made again when
// an entity moves below another domain, container or node; other values are made again after a moment.
func (p *Permissions) Remember(ctx context.Context, name string, make func() (value any, lasts bool, err error)) (any, error) {
	var now made
	if p.known != nil {
		if err := p.known.Look(ctx); err != nil {
			return nil, err
		}
		now = made{structure: p.known.Structure(), at: p.now()}
	}
	p.sights.making.Lock()
	defer p.sights.making.Unlock()
	if known, ok := p.sights.made[name]; ok && known.structure == now.structure && (known.lasts || now.at.Sub(known.at) < facts.Fresh) {
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

// needs returns the facts that decide whether the caller may read an entity of a type.
func (p *Permissions) needs(entityType string) policies.Facts {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	return p.needsLocked(entityType)
}

func (p *Permissions) needsLocked(entityType string) policies.Facts {
	return p.typeLocked(entityType).needs
}

func (p *Permissions) typeLocked(entityType string) *typeSight {
	if t, known := p.sights.types[entityType]; known {
		return t
	}
	t := &typeSight{privileges: policies.Group(policies.Read, entityType)}
	t.plain.Type = entityType
	if t.needs = p.Rights.Needs(t.privileges, entityType); !t.needs.Decided() {
		whole, beginnings := p.Filter(entityType).URNs()
		t.beginnings = beginnings
		t.whole = map[string]bool{}
		for _, urn := range whole {
			if model.StoredURN(urn).EntityType() == entityType {
				t.whole[urn] = true
			}
		}
	}
	if p.sights.types == nil {
		p.sights.types = map[string]*typeSight{}
	}
	p.sights.types[entityType] = t
	return t
}

// of returns the sight of the type of an entity; it is often the type of the entity before. It returns nil
// for a text that is not a URN. The caller has the lock.
func (p *Permissions) of(urn string, before *typeSight) *typeSight {
	if before != nil && strings.HasPrefix(urn, before.begins) {
		return before
	}
	u := model.StoredURN(urn)
	if u.IsZero() {
		return nil
	}
	t := p.typeLocked(u.EntityType())
	if begins := urn[:len(urn)-len(u.Key())]; t.begins != begins {
		with := *t // the URN has another dialect than the one before
		with.begins = begins
		t = &with
		p.sights.types[u.EntityType()] = t
	}
	return t
}

// on returns the beginnings of a URN that a decision depends on. It reports false if the decision depends on
// the whole URN.
func (t *typeSight) on(urn string) (beginnings uint64, ok bool) {
	if len(t.whole) > 0 && t.whole[urn] || len(t.beginnings) > maxBeginnings {
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
	p.sights.all = p.needsLocked("") == policies.Everything
	for _, entityType := range policies.OwnTypes(policies.Read) {
		p.sights.all = p.sights.all && p.needsLocked(entityType) == policies.Everything
	}
	return p.sights.all
}

// AllBut returns the types of which an entity may be hidden from a caller who may read every entity of each other
// type. It reports false for other callers.
func (p *Permissions) AllBut() (types []string, few bool) {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	s := &p.sights
	if s.wasBut {
		return s.but, s.few
	}
	s.wasBut, s.few = true, p.needsLocked("") == policies.Everything
	for _, entityType := range policies.OwnTypes(policies.Read) {
		if p.needsLocked(entityType) != policies.Everything {
			s.but = append(s.but, entityType)
		}
	}
	return s.but, s.few
}

// SeesWhole reports whether nothing that is stored is hidden from the caller. Most callers may not read
// secrets, of which most catalogs have none.
func (p *Permissions) SeesWhole(ctx context.Context) (bool, error) {
	if p.needs("") != policies.Everything {
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

// SeesType reports whether the caller may read every entity of a type. Callers never ask for the type of a
// column: a column belongs to its entity.
func (p *Permissions) SeesType(entityType string) bool {
	return p.needs(entityType) == policies.Everything
}

// ByFacts reports whether the right to read an entity of a type depends on stored facts, and not only on the
// URN.
func (p *Permissions) ByFacts(entityType string) bool {
	needs := p.needs(entityType)
	return !needs.Decided() && needs&^policies.ByType != 0
}

// Filter returns the expression that holds for the entities of a type that the caller may read.
func (p *Permissions) Filter(entityType string) policies.Filter {
	return p.Rights.Filter(policies.Group(policies.Read, entityType), entityType)
}

// Owned returns the entities among several for which an expression about owners holds.
func (p *Permissions) Owned(ctx context.Context, urns []string, of policies.Filter) ([]string, error) {
	parsed := make([]model.URN, len(urns))
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
	}
	found, err := facts.Read(ctx, p.store, parsed, policies.NeedsOwners)
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
	sees, err := p.allowed(ctx, urns)
	if err != nil {
		return nil, err
	}
	return sees, p.addOwnTokens(ctx, urns, sees)
}

// allowed reports for each of several entities whether the policies allow the caller to read it.
func (p *Permissions) allowed(ctx context.Context, urns []string) ([]bool, error) {
	sees := make([]bool, len(urns))
	open, places := p.byType(urns, sees)
	if len(open) == 0 {
		return sees, nil
	}
	found, err := p.factsOf(ctx, open)
	if err != nil {
		return nil, err
	}
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	var t *typeSight
	for n, urn := range open {
		at := n
		if places != nil {
			at = places[n]
		}
		t = p.of(urn, t)
		sees[at] = p.decide(t, urn, found[n])
	}
	return sees, nil
}

// byType decides about the entities whose types need no stored facts, and returns the other entities and
// their places; if places is nil, open is all entities.
func (p *Permissions) byType(urns []string, sees []bool) (open []string, places []int) {
	p.sights.mu.Lock()
	defer p.sights.mu.Unlock()
	var t *typeSight
	opened := 0 // no list is made while all entities so far are open
	for i, urn := range urns {
		if t = p.of(urn, t); t != nil && !t.needs.Decided() && t.needs&^policies.ByType != 0 {
			if opened < i {
				open, places = append(open, urn), append(places, i)
			} else {
				opened++
			}
			continue
		}
		if opened == i && i > 0 {
			open = append(make([]string, 0, len(urns)), urns[:i]...)
			places = make([]int, i, len(urns))
			for k := range places {
				places[k] = k
			}
		}
		switch {
		case t == nil:
			sees[i] = p.Rights.Allows(policies.Group(policies.Read, ""), &policies.Resource{URN: urn})
		case t.needs.Decided():
			sees[i] = t.needs == policies.Everything
		default:
			sees[i] = p.decide(t, urn, &t.plain)
		}
	}
	if opened == len(urns) {
		return urns, nil
	}
	return open, places
}

// factsOf returns the facts of entities, in their order.
func (p *Permissions) factsOf(ctx context.Context, urns []string) ([]*facts.Set, error) {
	if p.known != nil {
		return p.known.Of(ctx, urns)
	}
	parsed := make([]model.URN, len(urns))
	var needs policies.Facts
	for i, urn := range urns {
		parsed[i] = model.StoredURN(urn)
		needs |= p.needs(parsed[i].EntityType())
	}
	found, err := facts.Read(ctx, p.store, catalog.Distinct(parsed), needs)
	if err != nil {
		return nil, err
	}
	sets := make([]*facts.Set, len(urns))
	for i, urn := range urns {
		sets[i] = &facts.Set{Resource: *found[urn]}
	}
	return sets, nil
}

// decide decides about an entity by its facts. The caller has the lock.
func (p *Permissions) decide(t *typeSight, urn string, set *facts.Set) bool {
	s := &p.sights
	beginnings, remembers := t.on(urn)
	if !remembers || set.Number == 0 || set.Epoch < s.epoch {
		return p.allows(t, urn, set)
	}
	if set.Epoch > s.epoch {
		s.decided, s.others, s.epoch = nil, nil, set.Epoch
	}
	if beginnings != 0 {
		return p.decideByBeginning(t, urn, set, beginnings)
	}
	if set.Number >= len(s.decided) {
		s.decided = append(s.decided, make([]answer, set.Number+1-len(s.decided))...)
	}
	known := &s.decided[set.Number]
	if *known == unknown {
		*known = hidden
		if p.allows(t, urn, set) {
			*known = seen
		}
	}
	return *known == seen
}

func (p *Permissions) decideByBeginning(t *typeSight, urn string, set *facts.Set, beginnings uint64) bool {
	on := decision{set.Number, beginnings}
	sees, known := p.sights.others[on]
	if known {
		return sees
	}
	if p.sights.others == nil || len(p.sights.others) >= maxOthers {
		p.sights.others = map[decision]bool{}
	}
	sees = p.allows(t, urn, set)
	p.sights.others[on] = sees
	return sees
}

func (p *Permissions) allows(t *typeSight, urn string, set *facts.Set) bool {
	resource := set.Resource
	resource.URN = urn
	return p.Rights.Allows(t.privileges, &resource)
}
