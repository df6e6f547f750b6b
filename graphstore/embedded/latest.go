package embedded

import (
	"slices"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
)

// Bounds of the cached latest versions, in bytes: of all in each of two generations,
// and of one value.
const (
	rememberedLatest = 12 << 20
	longValue        = 64 << 10
	// aspectSize is about what a version takes besides its value.
	aspectSize = 256
)

// latestMemory caches the latest versions of aspects, and that an entity has none, for
// reads of one entity. The writer removes the entities that a commit changes before the
// commit, and nothing is cached until it is complete. So readers see either the cached
// state or, all of them, what the commit has written.
type latestMemory struct {
	mu sync.Mutex
	// epoch counts the commits that changed latest versions. What was read in an older
	// epoch may have changed since then and is not cached.
	epoch int64
	// committing: such a commit has begun and is not complete.
	committing bool
	entities   *recent.Map[int64, latestOfEntity]
}

// latestOfEntity are the cached versions of one entity by the number of the aspect's
// name, nil for an aspect that the entity does not have. It is never changed in place.
type latestOfEntity map[int64]*graphstore.Aspect

func (e latestOfEntity) size() int {
	size := aspectSize
	for _, a := range e {
		size += aspectSize
		if a != nil {
			size += len(a.Value)
		}
	}
	return size
}

func newLatestMemory() *latestMemory {
	return &latestMemory{entities: recent.NewWeighed[int64](rememberedLatest, latestOfEntity.size)}
}

// find returns the latest versions of the aspects of an entity whose names have these
// numbers, if all are cached, and the epoch in which they are read otherwise.
func (m *latestMemory) find(entity int64, names []int64) (found []graphstore.Aspect, epoch int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.entities.Get(entity)
	if !ok {
		return nil, m.epoch, false
	}
	found = make([]graphstore.Aspect, 0, len(names))
	for _, name := range names {
		a, ok := known[name]
		if !ok {
			return nil, m.epoch, false
		}
		if a != nil {
			found = append(found, *a)
		}
	}
	return found, m.epoch, true
}

// keep caches what was read in an epoch: of these names, the entity has these aspects
// and no others. Large values are not cached.
func (m *latestMemory) keep(epoch, entity int64, names []int64, read map[int64]graphstore.Aspect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.committing || epoch != m.epoch {
		return
	}
	before, _ := m.entities.Get(entity)
	known := make(latestOfEntity, len(before)+len(names))
	for name, a := range before {
		known[name] = a
	}
	for _, name := range names {
		a, has := read[name]
		switch {
		case !has:
			known[name] = nil
		case len(a.Value) <= longValue:
			a.Value = slices.Clip(a.Value) // whoever appends to it copies it
			known[name] = &a
		}
	}
	m.entities.Put(entity, known)
}

// begin is called before a commit that changes latest versions of entities, and end
// when it has been made or has failed.
func (m *latestMemory) begin(changed map[int64]bool) {
	if len(changed) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch++
	m.committing = true
	for entity := range changed {
		m.entities.Forget(entity)
	}
}

func (m *latestMemory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.committing {
		m.epoch++ // who began to read during the commit may have read the state before it
		m.committing = false
	}
}
