package facts

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/model"
)

// Known remembers the facts of entities for all callers of a server. The change log of the store tells which
// facts have changed. It is safe for concurrent use.
type Known struct {
	store Store
	now   func() time.Time
	// capacity is how many entities are remembered, twice at most.
	capacity int
	looking  singleflight.Group
	hits     atomic.Int64
	misses   atomic.Int64

	mu       sync.RWMutex
	entities *recent.Map[string, *shared]
	// sets has the facts that entities share, by their texts.
	sets *recent.Map[string, *shared]
	// parents has the parent of each domain, container, term and node that was read, "" for none.
	parents map[string]string
	// epoch counts the changes of parents that Known remembers. Sets of an older epoch are computed again.
	// numbers counts the Sets of this epoch.
	epoch   uint64
	numbers int
	// structure counts the changes that may move an entity below another domain, container or node.
	structure uint64
	// policies counts the changes of policies.
	policies uint64
	// reading are the readings that have begun and not ended.
	reading map[*reading]bool

	// at is when the log was looked at, cursor the position up to which it was read. looked is false before
	// the first look.
	at     time.Time
	cursor string
	looked bool
	// wanted counts the calls of changed, seen is its value when the last look began.
	wanted, seen uint64
}

// shared are facts that many entities share.
type shared struct {
	// own are the facts that are stored with the entity: without a URN, and without ancestors.
	own policies.Resource
	// whole has the ancestors, too. It is nil until it was asked for.
	whole atomic.Pointer[Set]
}

// Set are the facts of entities with their ancestors.
type Set struct {
	policies.Resource
	// Epoch counts the changes of parents. Number identifies the facts within the epoch. Numbers begin with
	// 1; 0 stands for facts that are not remembered.
	Epoch  uint64
	Number int
}

// reading is a reading of the store. Facts that change during the reading are not remembered from it.
type reading struct {
	stale map[string]bool
	all   bool
}

func (r *reading) is(urn string) bool { return r.all || r.stale[urn] }

// Capacity is how many entities have facts that a server remembers, twice at most.
const Capacity = 500_000

// New makes a Known that remembers the facts of capacity entities; for a moment it may hold twice as many.
func New(store Store, now func() time.Time, capacity int) *Known {
	k := &Known{store: store, now: now, capacity: capacity, reading: map[*reading]bool{}}
	k.dropAll()
	return k
}

// sharedSets is how many different sets of facts are recognized as equal, twice at most.
const sharedSets = 50_000

// dropAll forgets everything. The caller has the lock, or is the only one.
func (k *Known) dropAll() {
	k.entities = recent.New[string, *shared](k.capacity)
	k.sets = recent.New[string, *shared](min(sharedSets, k.capacity))
	k.parents = map[string]string{}
	k.newEpoch()
	k.structure++
	k.policies++
	for r := range k.reading {
		r.all = true
	}
}

// drop forgets entities. The caller has the lock.
func (k *Known) drop(urns map[string]bool) {
	for urn := range urns {
		k.entities.Forget(urn)
		if _, parent := k.parents[urn]; parent {
			delete(k.parents, urn)
			k.newEpoch()
		}
	}
	for r := range k.reading {
		if r.stale == nil {
			r.stale = map[string]bool{}
		}
		maps.Copy(r.stale, urns)
	}
}

// Structure counts the changes that may move an entity below another domain, container or node, as of the
// last look.
func (k *Known) Structure() uint64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.structure
}

// Policies returns a number that changes whenever policies change, and the time of the last look at the
// policies, as of which the number holds.
func (k *Known) Policies() (changes uint64, at time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.policies, k.at
}

func (k *Known) begin() *reading {
	r := &reading{}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading[r] = true
	return r
}

func (k *Known) end(r *reading) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.reading, r)
}

// Of returns the facts of entities, in their order and without URNs.
func (k *Known) Of(ctx context.Context, urns []string) ([]*Set, error) {
	if err := k.Look(ctx); err != nil {
		return nil, err
	}
	found := make([]*Set, len(urns))
	open := k.remembered(urns, found)
	if len(open) == 0 {
		return found, nil
	}
	r := k.begin()
	defer k.end(r)
	// own begins empty, because facts may have changed since remembered filled it.
	own := make([]*shared, len(urns))
	epoch, missing := k.owned(urns, open, own)
	if err := k.read(ctx, r, urns, missing, own); err != nil {
		return nil, err
	}
	above := ancestors{store: k.store, parents: map[string]string{}, needed: len(missing) > 0}
	if err := above.read(ctx, k.unknownAbove(own, open, above.parents)); err != nil {
		return nil, err
	}
	k.complete(r, epoch, &above, own, open, found)
	return found, nil
}

// remembered fills in the facts that are known completely, and returns the places of the other entities.
func (k *Known) remembered(urns []string, found []*Set) (open []int) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for i, urn := range urns {
		if s, ok := k.entities.Young(urn); ok {
			if whole := s.whole.Load(); whole != nil && whole.Epoch == k.epoch {
				found[i] = whole
				continue
			}
		}
		open = append(open, i)
	}
	k.hits.Add(int64(len(urns) - len(open)))
	return open
}

// owned fills in the facts of entities that are known without their ancestors, and returns the places of the
// other entities.
func (k *Known) owned(urns []string, open []int, own []*shared) (epoch uint64, missing []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, i := range open {
		s, ok := k.entities.Get(urns[i])
		if !ok {
			missing = append(missing, i)
			continue
		}
		own[i] = s
	}
	k.hits.Add(int64(len(open) - len(missing)))
	k.misses.Add(int64(len(missing)))
	return k.epoch, missing
}

// read reads the facts of entities from the store.
func (k *Known) read(ctx context.Context, r *reading, urns []string, missing []int, own []*shared) error {
	if len(missing) == 0 {
		return nil
	}
	wanted := make([]model.URN, len(missing))
	for n, i := range missing {
		wanted[n] = model.StoredURN(urns[i])
	}
	stored, err := ownFacts(ctx, k.store, catalog.Distinct(wanted), Every)
	if err != nil {
		return err
	}
	k.share(r, urns, missing, stored, own)
	return nil
}

// share remembers facts that were read.
func (k *Known) share(r *reading, urns []string, missing []int, stored map[string]*policies.Resource, own []*shared) {
	texts := make(map[string]string, len(stored))
	for urn, resource := range stored {
		texts[urn] = textOf(resource)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, i := range missing {
		urn := urns[i]
		resource := stored[urn]
		s, ok := k.sets.Get(texts[urn])
		if !ok {
			s = &shared{own: *resource}
			s.own.URN = ""
			k.sets.Put(texts[urn], s)
		}
		own[i] = s
		if !r.is(urn) {
			k.entities.Put(strings.Clone(urn), s)
		}
	}
}

// textOf returns a text that is equal for equal facts.
func textOf(r *policies.Resource) string {
	var b strings.Builder
	list := func(texts []string) {
		for _, text := range texts {
			b.WriteString(text)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	list([]string{r.Type, r.Instance})
	for i := range r.Owners {
		list([]string{r.Owners[i].URN, r.Owners[i].TypeURN})
	}
	b.WriteByte(1)
	for _, texts := range [][]string{r.Domains, r.Containers, r.Tags, r.Terms, r.Groups} {
		list(texts)
	}
	return b.String()
}

// unknownAbove fills in the known parents of the ancestors of entities, and returns the entities whose
// parents must be read.
func (k *Known) unknownAbove(own []*shared, open []int, parents map[string]string) map[string]bool {
	unknown, seen := map[string]bool{}, map[*shared]bool{}
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, i := range open {
		if seen[own[i]] {
			continue
		}
		seen[own[i]] = true
		for _, list := range hierarchies(&own[i].own) {
			for _, urn := range *list {
				k.unknownFrom(urn, parents, unknown)
			}
		}
	}
	return unknown
}

// unknownFrom goes up from one entity.
func (k *Known) unknownFrom(urn string, parents map[string]string, unknown map[string]bool) {
	for urn != "" {
		if _, done := parents[urn]; done {
			return
		}
		parent, ok := k.parents[urn]
		if !ok {
			unknown[urn] = true
			return
		}
		parents[urn] = parent
		urn = parent
	}
}

// complete fills in the facts with their ancestors, and remembers them unless something has changed since
// the reading began.
func (k *Known) complete(r *reading, epoch uint64, above *ancestors, own []*shared, open []int, found []*Set) {
	k.mu.Lock()
	defer k.mu.Unlock()
	lasting := k.epoch == epoch && !r.all && !slices.ContainsFunc(above.fetched, r.is)
	if lasting && len(k.parents)+len(above.fetched) > k.capacity {
		// Facts that were completed with forgotten parents must be forgotten too: no change of the parents
		// would be noticed.
		k.parents = map[string]string{}
		k.newEpoch()
		lasting = false
	}
	if lasting {
		for _, urn := range above.fetched {
			k.parents[strings.Clone(urn)] = strings.Clone(above.parents[urn])
		}
	}
	made := map[*shared]*Set{}
	for _, i := range open {
		s := own[i]
		whole := s.whole.Load()
		if whole == nil || whole.Epoch != epoch {
			if whole = made[s]; whole == nil {
				whole = &Set{Resource: above.complete(s.own), Epoch: epoch}
				made[s] = whole
			}
			if lasting {
				k.numbers++
				whole.Number = k.numbers
				s.whole.Store(whole)
			}
		}
		found[i] = whole
	}
	if k.numbers > maxNumbers {
		k.newEpoch()
	}
}

// maxNumbers is how many different facts have a number of their own. It is also how many decisions are
// remembered for a caller.
const maxNumbers = 4 * sharedSets

func (k *Known) newEpoch() { k.epoch, k.numbers = k.epoch+1, 0 }
