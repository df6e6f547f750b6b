package visible

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// changesAtOnce is how many changes are read at once to be looked through.
const changesAtOnce = 1000

// Shown returns the changes that the caller of a request may see, without the hidden entities that they name.
// Shown does not change the given changes.
func (s *Store) Shown(ctx context.Context, changes []graphstore.Change) ([]graphstore.Change, error) {
	view := of(ctx)
	if view == nil || len(changes) == 0 {
		return changes, nil
	}
	n := view.maybeHidden()
	for i := range changes {
		n.addChange(&changes[i])
	}
	hidden, err := view.hiddenOf(ctx, &n)
	if err != nil {
		return nil, err
	}
	gone, err := s.gone(ctx, view, changes, hidden)
	if err != nil || hidden == nil && len(gone) == 0 {
		return changes, err
	}
	left := make([]graphstore.Change, 0, len(changes))
	for _, c := range changes {
		if hidden[c.URN] || gone[policies.Subject(c.URN)] {
			continue
		}
		hideActor(&c.Actor, hidden)
		c.Value, c.Previous = cleanValue(c.URN, c.Value, hidden), cleanValue(c.URN, c.Previous, hidden)
		c.System, c.PreviousSystem = cleanChanged(c.System, hidden), cleanChanged(c.PreviousSystem, hidden)
		left = append(left, c)
	}
	return left, nil
}

func (n *named) addChange(c *graphstore.Change) {
	n.add(c.URN, c.Actor)
	n.addValue(c.Value)
	n.addValue(c.Previous)
	n.addSystem(c.System)
	n.addSystem(c.PreviousSystem)
}

func cleanValue(urn string, value json.RawMessage, hidden map[string]bool) json.RawMessage {
	if value == nil {
		return nil
	}
	if left, ok := redacted(urn, value, hidden); ok {
		return left
	}
	return json.RawMessage(`{}`)
}

func cleanChanged(system *graphstore.SystemMetadata, hidden map[string]bool) *graphstore.SystemMetadata {
	if system == nil {
		return nil
	}
	clean := cleanSystem(*system, hidden)
	return &clean
}

// gone returns the changed entities that are no longer stored, if the right to see them depends on stored
// facts: the facts are lost, so the right cannot be decided.
func (s *Store) gone(ctx context.Context, view *sight, changes []graphstore.Change, hidden map[string]bool) (map[string]bool, error) {
	var n named
	for i := range changes {
		if owner := policies.Subject(changes[i].URN); !hidden[changes[i].URN] && view.ByFacts(typeOf(owner)) {
			n.add(owner)
		}
	}
	if len(n.urns) == 0 {
		return nil, nil
	}
	nodes, err := s.Store.Entities(ctx, n.urns)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		if nodes[i].Exists {
			delete(n.seen, nodes[i].URN)
		}
	}
	return n.seen, nil
}

// Changes reads the change log. A page of which nothing is visible is not the end of the log: reading
// goes on.
func (s *Store) Changes(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	return s.shownOf(ctx, after, limit, s.Store.Changes)
}

// ChangesWithoutValues reads the change log without values.
func (s *Store) ChangesWithoutValues(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error) {
	return s.shownOf(ctx, after, limit, s.Store.ChangesWithoutValues)
}

func (s *Store) shownOf(ctx context.Context, after string, limit int, read func(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error)) ([]graphstore.Change, string, error) {
	for {
		changes, next, err := read(ctx, after, limit)
		if err != nil || len(changes) == 0 {
			return changes, next, err
		}
		shown, err := s.Shown(ctx, changes)
		if err != nil || len(shown) > 0 {
			return shown, next, err
		}
		after = next
	}
}

// NewestChanges reads the change log from its end.
func (s *Store) NewestChanges(ctx context.Context, part graphstore.LogPart, limit int) ([]graphstore.Change, string, error) {
	for {
		changes, rest, err := s.Store.NewestChanges(ctx, part, limit)
		if err != nil || len(changes) == 0 {
			return changes, rest, err
		}
		shown, err := s.Shown(ctx, changes)
		if err != nil || len(shown) > 0 {
			return shown, rest, err
		}
		part.UpTo = rest
	}
}

// Lag counts the visible changes after a cursor, and stops counting at the limit.
func (s *Store) Lag(ctx context.Context, after string) (int64, error) {
	if of(ctx) == nil {
		return s.Store.Lag(ctx, after)
	}
	var count int64
	for looked := 0; looked < limits.VisibleRows; {
		changes, next, err := s.Store.ChangesWithoutValues(ctx, after, changesAtOnce)
		if err != nil || len(changes) == 0 {
			return count, err
		}
		looked += len(changes)
		shown, err := s.Shown(ctx, changes)
		if err != nil {
			return 0, err
		}
		count, after = count+int64(len(shown)), next
	}
	return count, nil
}
