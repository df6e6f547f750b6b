package embedded

import (
	"slices"
	"sync"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/recent"
)

// These bound the cached latest versions, in bytes: rememberedLatest all of them, in each of
// two generations, and longValue a single value.
const (
	rememberedLatest = 12 << 20
	longValue        = 64 << 10
	// aspectSize is the approximate memory of a version besides its value.
	aspectSize = 256
)

// latestMemory caches the latest versions of aspects, and the absence of aspects, for reads of
// one entity. Before a commit, the writer removes from the cache the entities that the commit
// changes, and nothing is cached until the commit is complete. Meanwhile readers read these
// entities from the database, which shows the commit to all readers at the same time.
type latestMemory struct {
	mu sync.Mutex
	// epoch counts the commits that changed latest versions. A version that was read in an older
	// epoch may have changed since, so it is not cached.
	epoch int64
	// committing tells that a commit that changes latest versions has begun and is not complete.
	committing bool
	entities   *recent.Map[int64, latestOfEntity]
}

// latestOfEntity has the cached versions of one entity, by the number of the aspect's name; nil
// stands for an aspect that the entity does not have. The map is never changed in place.
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

// find returns the latest versions of aspects of an entity, given by the numbers of their
// names, if all of them are cached. Otherwise find returns the epoch in which the caller reads
// them.
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

// add caches the versions that were read in an epoch. The entity has the aspects in read, and
// has no other aspect of names. Large values are not cached.
func (m *latestMemory) add(epoch, entity int64, names []int64, read map[int64]graphstore.Aspect) {
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
			a.Value = slices.Clip(a.Value) // appending to the value must copy it
			known[name] = &a
		}
	}
	m.entities.Put(entity, known)
}

// begin is called before a commit that changes latest versions of entities. The method end is
// called after the commit was made or has failed.
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
		m.epoch++ // a read that began during the commit may have seen the state before it
		m.committing = false
	}
}
