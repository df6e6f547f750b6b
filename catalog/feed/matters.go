package feed

import (
	"context"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Wants reports whether any of some changes may matter to somebody, from what is known without
// their values: most of what a load writes does not.
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

// matters reports whether a change may matter to somebody. A first value of an entity that is
// new and that nobody follows does not, nor does a time series except of assertions.
func (s *Service) matters(h *catalog.ChangeHead, subscribers map[string][]Subscription) bool {
	switch {
	case h.Kind == catalog.ChangeRestate:
		return false
	case len(subscribers[h.URN]) > 0, h.Aspect == model.AspectAssertionRunEvent:
		return true
	}
	return !s.isSeries(h.Aspect) && !(h.First && s.created.has(h.URN, h.Time)) && s.events.Possible(h.EntityType, h.Aspect)
}

// noteCreated notes the beginnings of entities.
func (s *Service) noteCreated(heads []catalog.ChangeHead) {
	for i := range heads {
		h := &heads[i]
		if entity, known := s.registry.Entity(h.EntityType); known && h.First && h.Aspect == entity.KeyAspect {
			s.created.add(h.URN, h.Time)
		}
	}
}

// headsOf are what is known of changes without their values.
func headsOf(changes []catalog.Change) []catalog.ChangeHead {
	heads := make([]catalog.ChangeHead, len(changes))
	for i := range changes {
		c := &changes[i]
		heads[i] = catalog.ChangeHead{Time: c.Time, Kind: c.Kind, URN: c.URN, EntityType: c.EntityType, Aspect: c.Aspect, First: isFirst(c)}
	}
	return heads
}

// maxNewborn is how many entities a newborn remembers at least, and half of how many at most.
const maxNewborn = 10_000

// newborn remembers which entities began lately, and when, so that what is loaded in many
// small writes is known to be new without asking the store. It may forget.
type newborn struct {
	mu sync.Mutex
	// latest has the newest, older those before them.
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

// has reports whether an entity was new at a time, in epoch milliseconds.
func (n *newborn) has(urn string, at int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	began, known := n.latest[urn]
	if !known {
		began, known = n.older[urn]
	}
	return known && at-began < newFor.Milliseconds()
}
