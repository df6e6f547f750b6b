package feed

import (
	"context"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Wants reports whether any of the changes may matter to an actor, judged without values. Most
// changes of a load do not matter.
func (s *Service) Wants(ctx context.Context, heads []catalog.ChangeHead) (bool, error) {
	subscribers, err := s.subscribers(ctx)
	if err != nil {
		return false, err
	}
	s.noteCreated(heads)
	for i := range heads {
		if s.matters(&heads[i], subscribers) {
			return true, nil
		}
	}
	return false, nil
}

// matters reports whether a change may matter to an actor. A first value of a new entity that
// nobody follows does not matter. Values of time series do not matter, except values of
// assertions.
func (s *Service) matters(h *catalog.ChangeHead, subscribers map[string][]Subscription) bool {
	switch {
	case h.Kind == catalog.ChangeRestate:
		return false
	case len(subscribers[h.URN]) > 0, h.Aspect == model.AspectAssertionRunEvent:
		return true
	}
	return !s.isSeries(h.Aspect) && !(h.First && s.created.has(h.URN, h.Time)) && s.events.Possible(h.EntityType, h.Aspect)
}

// noteCreated remembers which entities the changes create, and when.
func (s *Service) noteCreated(heads []catalog.ChangeHead) {
	for i := range heads {
		h := &heads[i]
		if entity, known := s.registry.Entity(h.EntityType); known && h.First && h.Aspect == entity.KeyAspect {
			s.created.add(h.URN, h.Time)
		}
	}
}

// headsOf returns changes without their values.
func headsOf(changes []catalog.Change) []catalog.ChangeHead {
	heads := make([]catalog.ChangeHead, len(changes))
	for i := range changes {
		c := &changes[i]
		heads[i] = catalog.ChangeHead{Time: c.Time, Kind: c.Kind, URN: c.URN, EntityType: c.EntityType, Aspect: c.Aspect, First: isFirst(c)}
	}
	return heads
}

// maxNewborn bounds each of the two generations of a newborn. A newborn remembers at least the
// newest maxNewborn entities, and at most twice as many.
const maxNewborn = 10_000

// newborn remembers which entities began recently, and when. So first values in many small
// writes are known to belong to a new entity without a store call. newborn may forget entities.
type newborn struct {
	mu sync.Mutex
	// latest has the entities of the younger generation, and older has the entities of the
	// generation before.
	latest, older map[string]int64
}

func (n *newborn) add(urn string, at int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.latest == nil || len(n.latest) >= maxNewborn {
		n.latest, n.older = make(map[string]int64), n.latest
	}
	n.latest[urn] = at
}

// has reports whether an entity is known to be new at a time, in epoch milliseconds.
func (n *newborn) has(urn string, at int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	began, known := n.latest[urn]
	if !known {
		began, known = n.older[urn]
	}
	return known && at-began < newFor.Milliseconds()
}
