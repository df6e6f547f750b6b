package visible

import (
	"context"

	"github.com/headwater-io/headwater/graphstore"
)

// ofVisible asks about the entities that the caller may read.
func ofVisible[T any](ctx context.Context, urns []string, ask func(ctx context.Context, urns []string) (map[string]T, error)) (map[string]T, error) {
	view := of(ctx)
	if view == nil {
		return ask(ctx, urns)
	}
	urns, err := view.asked(ctx, urns)
	if err != nil {
		return nil, err
	}
	found, err := ask(ctx, urns)
	withoutStandIns(found)
	return found, err
}

// Holdings counts the versions and values of entities.
func (s *Store) Holdings(ctx context.Context, urns []string) (map[string]graphstore.Holdings, error) {
	return ofVisible(ctx, urns, s.Store.Holdings)
}

// HistoryBytes adds up the sizes of versions.
func (s *Store) HistoryBytes(ctx context.Context, urns []string) (map[string]int64, error) {
	return ofVisible(ctx, urns, s.Store.HistoryBytes)
}

// History reads all that is stored of entities, except time series.
func (s *Store) History(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	found, err := ofVisible(ctx, urns, s.Store.History)
	view := of(ctx)
	if view == nil || err != nil {
		return found, err
	}
	clean := make(map[string]graphstore.History, len(found))
	for urn, h := range found {
		if clean[urn], err = view.history(ctx, &h); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

// history returns a history without the hidden entities that it names.
func (s *sight) history(ctx context.Context, h *graphstore.History) (graphstore.History, error) {
	n := s.maybeHidden()
	for i := range h.Versions {
		n.addAspect(&h.Versions[i])
	}
	for i := range h.Current {
		n.addStatement(&h.Current[i])
	}
	for i := range h.Ended {
		n.addStatement(&h.Ended[i].EdgeStatement)
		n.add(h.Ended[i].UntilActor)
	}
	hidden, err := s.hiddenOf(ctx, &n)
	if err != nil || hidden == nil {
		return *h, err
	}
	var clean graphstore.History
	for _, a := range h.Versions {
		if cleanAspect(&a, hidden) {
			clean.Versions = append(clean.Versions, a)
		}
	}
	for _, e := range h.Current {
		if cleanStatement(&e, hidden) {
			clean.Current = append(clean.Current, e)
		}
	}
	for _, e := range h.Ended {
		hideActor(&e.UntilActor, hidden)
		if cleanStatement(&e.EdgeStatement, hidden) {
			clean.Ended = append(clean.Ended, e)
		}
	}
	return clean, nil
}

func (n *named) addStatement(e *graphstore.EdgeStatement) {
	n.add(e.Source, e.Destination, e.SinceActor, e.ResumedActor)
	n.addAttributes(&e.EdgeAttributes)
}

func (n *named) addAttributes(a *graphstore.EdgeAttributes) {
	n.add(a.CreatedActor, a.UpdatedActor, a.Via)
	n.addValue(a.Properties)
}

// cleanStatement removes hidden entities from a statement, and reports whether its ends are visible.
func cleanStatement(e *graphstore.EdgeStatement, hidden map[string]bool) bool {
	if hidden[e.Source] || hidden[e.Destination] {
		return false
	}
	hideActor(&e.SinceActor, hidden)
	hideActor(&e.ResumedActor, hidden)
	cleanAttributes(&e.EdgeAttributes, hidden)
	return true
}

func cleanAttributes(a *graphstore.EdgeAttributes, hidden map[string]bool) {
	hideActor(&a.CreatedActor, hidden)
	hideActor(&a.UpdatedActor, hidden)
	if hidden[a.Via] {
		a.Via = ""
	}
	if len(a.Properties) > 0 {
		a.Properties, _ = redacted("", a.Properties, hidden)
	}
}
