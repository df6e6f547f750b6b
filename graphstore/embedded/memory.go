package embedded

import (
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
)

// These bound the cache for walks, in each of two generations: about 65 MiB in total.
const (
	rememberedNodes = 100_000
	rememberedEdges = 400_000
	// longList is the number of edges of one entity beyond which its edges are not cached.
	longList = 20_000
	// rememberedSets bounds the sets of relationships with cached edges.
	rememberedSets = 256
)

// memory caches the parts of the graph that were walked, so that the next walk need not read
// them. After a commit, the changed entities are removed from the cache before the commit is
// answered. So a caller that has waited for a write never walks the state before it.
type memory struct {
	mu sync.Mutex
	// epoch counts the commits that removed entities from the cache. Data that was read in an
	// older epoch may have changed since, so it is not cached.
	epoch int64
	// sets has the numbers of sets of relationships. Numbers below firstSet are forgotten,
	// together with the edges that were cached for them.
	sets     map[string]int
	firstSet int
	entity   *recent.Map[int64, nodeMemory]
	farEnds  *recent.Map[endsKey, []end]
	// ids has a lock of its own, because every read needs it and a walk may hold mu for long.
	ids idMemory
	// latest has a lock of its own for the same reason.
	latest *latestMemory
}

// idMemory caches the ids of entities. An id never changes, because rows of entities are never
// deleted.
type idMemory struct {
	mu  sync.Mutex
	ids *recent.Map[string, int64]
}

func (m *idMemory) find(urn string) (id int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ids.Get(urn)
}

// add caches the id of an entity whose row is committed.
func (m *idMemory) add(urn string, id int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids.Put(urn, id)
}

// nodeMemory has the facts about an entity that a walk needs.
type nodeMemory struct {
	urn             string
	entityType      int64
	exists, removed bool
}

// endsKey identifies the edges of an entity with one set of relationships in one direction.
type endsKey struct {
	id  int64
	set int
}

func newMemory() *memory {
	return &memory{
		sets: map[string]int{}, entity: recent.New[int64, nodeMemory](rememberedNodes),
		ids:     idMemory{ids: recent.New[string, int64](rememberedNodes)},
		latest:  newLatestMemory(),
		farEnds: newFarEnds(),
	}
}

func newFarEnds() *recent.Map[endsKey, []end] {
	return recent.NewWeighed[endsKey](rememberedEdges, func(ends []end) int { return 1 + len(ends) })
}

// now returns the epoch in which a read begins.
func (m *memory) now() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.epoch
}

// setOf returns the number of a set of relationships in a direction.
func (m *memory) setOf(d graphstore.Direction, names map[int64][]int64) int {
	key := []byte{byte(d)}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		key = binary.AppendVarint(key, name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	set, ok := m.sets[string(key)]
	if !ok {
		if len(m.sets) == rememberedSets {
			m.firstSet += len(m.sets)
			m.sets, m.farEnds = map[string]int{}, newFarEnds()
		}
		set = m.firstSet + len(m.sets)
		m.sets[string(key)] = set
	}
	return set
}

// find returns a cached entity by URN.
func (m *memory) find(urn string) (id int64, n nodeMemory, ok bool) {
	if id, ok = m.ids.find(urn); !ok {
		return 0, n, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok = m.entity.Get(id)
	return id, n, ok
}

// located is an entity with its index in a list.
type located struct {
	id, entityType int64
	place          int
	removed        bool
}

// locate finds entities, each once, at its first index in a list. locate calls read for
// entities that are not cached, and leaves out entities that are not stored.
func (m *memory) locate(urns []string, read func(list string) (map[int64]nodeMemory, error)) ([]located, error) {
	ids, nodes := make([]int64, len(urns)), make(map[int64]nodeMemory, len(urns))
	unknown := map[string]int64{}
	for i, urn := range urns {
		if id, n, ok := m.find(urn); ok {
			ids[i], nodes[id] = id, n
		} else {
			unknown[urn] = 0
		}
	}
	if len(unknown) > 0 {
		found, err := read(listJSON(slices.Collect(maps.Keys(unknown))))
		if err != nil {
			return nil, err
		}
		for id, n := range found {
			unknown[n.urn], nodes[id] = id, n
		}
	}
	list := make([]located, 0, len(urns))
	for place, id := range ids {
		if id == 0 {
			id = unknown[urns[place]]
		}
		if n, first := nodes[id]; first {
			delete(nodes, id)
			list = append(list, located{id, n.entityType, place, n.removed})
		}
	}
	return list, nil
}

// nodes returns the cached entities, and the ids of the other entities.
func (m *memory) nodes(ids []int64) (known map[int64]nodeMemory, unknown []int64) {
	known = make(map[int64]nodeMemory, len(ids))
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if n, ok := m.entity.Get(id); ok {
			known[id] = n
		} else {
			unknown = append(unknown, id)
		}
	}
	return known, unknown
}

// edges calls each with the cached edges of entities, and returns the entities whose edges are
// not cached.
func (m *memory) edges(ids []int64, set int, each func(id int64, ends []end)) (unknown []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if ends, ok := m.farEnds.Get(endsKey{id, set}); ok {
			each(id, ends)
		} else {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// cost estimates the number of edges to read in order to follow a set of relationships from
// entities. An entity whose edges are not cached counts as otherwise edges.
func (m *memory) cost(ids []int64, set, otherwise int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost := 0
	for _, id := range ids {
		if ends, ok := m.farEnds.Get(endsKey{id, set}); ok {
			cost += 1 + len(ends)
		} else {
			cost += otherwise
		}
	}
	return cost
}

// addNodes caches entities that were read in an epoch.
func (m *memory) addNodes(epoch int64, nodes map[int64]nodeMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if epoch != m.epoch {
		return
	}
	for id, n := range nodes {
		m.entity.Put(id, n)
		m.ids.add(n.urn, id)
	}
}

// addEdges caches the edges of entities that were read in an epoch, also of entities without
// edges.
func (m *memory) addEdges(epoch int64, ids []int64, set int, edges map[int64][]end) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if epoch != m.epoch || set < m.firstSet {
		return
	}
	for _, id := range ids {
		if len(edges[id]) <= longList {
			m.farEnds.Put(endsKey{id, set}, edges[id])
		}
	}
}

// forget removes entities from the cache.
func (m *memory) forget(ids map[int64]bool) {
	if len(ids) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch++
	for id := range ids {
		m.entity.Forget(id)
		for _, set := range m.sets {
			m.farEnds.Forget(endsKey{id, set})
		}
	}
}
