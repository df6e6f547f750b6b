package history

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// CategoryLineage is the category of the lineage that an entity states.
const CategoryLineage = "LINEAGE"

// EntityChanges has the changes of one entity within a time window.
type EntityChanges struct {
	// TooLarge tells that the versions of the entity are larger than limits.MaxHistoriesBytes, so
	// that its changes were not read.
	TooLarge bool
	// Transactions are as in [Service.Timeline], without the category LINEAGE.
	Transactions []ChangeTransaction
	// Edges lists the edges of lineage that the entity's aspects began or ceased to state, the
	// oldest first. They are read from the edges of the graph and not from versions, so they reach
	// back further.
	Edges []EdgeChange
}

// EdgeChange is the beginning or the end of an edge of lineage.
type EdgeChange struct {
	Upstream, Downstream, Type string
	// Ended tells that the edge ended; otherwise it began.
	Ended bool
	// At is when the edge changed, epoch milliseconds. Run and Actor are the run and the actor of
	// the write.
	At         int64
	Run, Actor string
}

// changedAtOnce bounds the histories that are read at once. A history has every version of
// every aspect. Histories that are read together are not larger than limits.MaxHistoriesBytes.
const changedAtOnce = 20

// Changes returns the changes of several entities. Changes makes a few store calls for every
// changedAtOnce entities.
func (s *Service) Changes(ctx context.Context, urns []model.URN, r TimelineRequest) (map[model.URN]EntityChanges, error) {
	if err := s.settle(&r); err != nil {
		return nil, err
	}
	wanted, err := timelineCategories(r.Categories)
	if err != nil {
		return nil, err
	}
	lineage := slices.ContainsFunc(wanted, func(k category) bool { return k.name == CategoryLineage })
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(k category) bool { return k.name == CategoryLineage })
	changes := make(map[model.URN]EntityChanges, len(urns))
	err = s.eachHistory(ctx, urns, func(u model.URN, h *graphstore.History, rolledBack map[string][]catalog.RolledBackVersion) (err error) {
		if h == nil {
			changes[u] = EntityChanges{TooLarge: true}
			return nil
		}
		found := EntityChanges{}
		if len(wanted) > 0 {
			if found.Transactions, err = s.transactionsOf(u, h.Versions, rolledBack, wanted, &r); err != nil {
				return err
			}
		}
		if lineage {
			found.Edges = s.edgeChanges(h, r.Start, r.End)
		}
		changes[u] = found
		return nil
	})
	return changes, err
}

// eachHistory reads the histories of entities, and calls read for each entity. The history is
// nil if it is larger than limits.MaxHistoriesBytes.
func (s *Service) eachHistory(ctx context.Context, urns []model.URN, read func(u model.URN, h *graphstore.History, rolledBack map[string][]catalog.RolledBackVersion) error) error {
	sizes, err := s.store.HistoryBytes(ctx, catalog.Texts(urns))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	var small []model.URN
	for _, u := range urns {
		if sizes[u.String()] > limits.MaxHistoriesBytes {
			if err := read(u, nil, nil); err != nil {
				return err
			}
		} else {
			small = append(small, u)
		}
	}
	for len(small) > 0 {
		some := together(small, sizes)
		small = small[len(some):]
		stored, err := s.store.History(ctx, catalog.Texts(some))
		if err != nil {
			return catalog.StoreFailure(err)
		}
		rolledBack, err := s.rolledBackOfMany(ctx, some)
		if err != nil {
			return err
		}
		for _, u := range some {
			h := stored[u.String()]
			if err := read(u, &h, rolledBack[u]); err != nil {
				return err
			}
		}
	}
	return nil
}

// together returns the first of the entities: as many as may have their histories read by one request to the store.
func together(urns []model.URN, sizes map[string]int64) []model.URN {
	size := int64(0)
	for i, u := range urns[:min(changedAtOnce, len(urns))] {
		if size += sizes[u.String()]; size > limits.MaxHistoriesBytes && i > 0 {
			return urns[:i]
		}
	}
	return urns[:min(changedAtOnce, len(urns))]
}

// transactionsOf compares the versions of an entity with each other.
func (s *Service) transactionsOf(u model.URN, versions []graphstore.Aspect, rolledBack map[string][]catalog.RolledBackVersion, wanted []category, r *TimelineRequest) ([]ChangeTransaction, error) {
	entity, ok := s.registry.Entity(u.EntityType())
	if !ok {
		return nil, catalog.Errorf(catalog.Invalid, "unknown entity type %s", u.EntityType())
	}
	byAspect := map[string][]graphstore.Aspect{}
	for _, v := range versions {
		byAspect[v.Name] = append(byAspect[v.Name], v)
	}
	for _, list := range byAspect {
		slices.SortFunc(list, func(a, b graphstore.Aspect) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	t := &timeline{c: s, urn: u, raw: r.Raw, begun: math.MaxInt64, moments: map[timelineMoment]*ChangeTransaction{}}
	for _, name := range entity.Aspects {
		if looking := t.looking(name, wanted); len(looking) > 0 {
			if err := t.compareVersions(name, looking, byAspect[name], rolledBack[name]); err != nil {
				return nil, err
			}
		}
	}
	return t.transactions(r.Start, r.End), nil
}

// rolledBackOfMany is rolledBackVersions for several entities, few of which have any
// rolled-back version.
func (s *Service) rolledBackOfMany(ctx context.Context, urns []model.URN) (map[model.URN]map[string][]catalog.RolledBackVersion, error) {
	query := graphstore.ManyTimeSeries{Aspect: catalog.RolledBackSeries, Limit: 1}
	for _, u := range urns {
		query.Places = append(query.Places, graphstore.TimeSeriesPlace{URN: u.String()})
	}
	newest, err := s.store.TimeSeriesOfMany(ctx, query)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	found := map[model.URN]map[string][]catalog.RolledBackVersion{}
	for i, u := range urns {
		if len(newest[i]) > 0 {
			if found[u], err = s.rolledBackVersions(ctx, u); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// span is a time during which a statement was current, with its run and actor at both ends. Its
// end is math.MaxInt64 if the statement is current now.
type span struct {
	since, until         int64
	sinceRun, sinceActor string
	untilRun, untilActor string
}

// beginning returns the span of a statement without the run and actor of its end. If a rollback
// resumed the statement, the span begins with the rollback and has no run.
func beginning(e *graphstore.EdgeStatement, until int64) span {
	if e.Resumed != 0 {
		return span{since: e.Resumed, until: until, sinceActor: e.ResumedActor}
	}
	return span{since: e.Since, until: until, sinceRun: e.SinceRun, sinceActor: e.SinceActor}
}

// edgeChanges returns the beginnings and ends of the edges that an entity states. An edge has
// not changed if the next write states it at another place of the aspect.
func (s *Service) edgeChanges(h *graphstore.History, start, end int64) []EdgeChange {
	type edgeKey struct{ upstream, downstream, kind string }
	spans := map[edgeKey][]span{}
	add := func(e *graphstore.EdgeStatement, held span) {
		lineage, upstream := s.registry.IsLineage(e.Type, e.SourceType, e.DestinationType)
		if !lineage || held.since >= held.until {
			return
		}
		key := edgeKey{e.Source, e.Destination, e.Type}
		if upstream {
			key.upstream, key.downstream = key.downstream, key.upstream
		}
		spans[key] = append(spans[key], held)
	}
	for i := range h.Current {
		e := &h.Current[i]
		add(e, beginning(e, math.MaxInt64))
	}
	for i := range h.Ended {
		e := &h.Ended[i]
		held := beginning(&e.EdgeStatement, e.Until)
		held.untilRun, held.untilActor = e.UntilRun, e.UntilActor
		add(&e.EdgeStatement, held)
	}
	var changes []EdgeChange
	for key, held := range spans {
		for _, one := range joined(held) {
			change := EdgeChange{Upstream: key.upstream, Downstream: key.downstream, Type: key.kind}
			if one.since >= start && one.since <= end {
				change.At, change.Run, change.Actor = one.since, one.sinceRun, one.sinceActor
				changes = append(changes, change)
			}
			if one.until >= start && one.until <= end {
				change.At, change.Run, change.Actor, change.Ended = one.until, one.untilRun, one.untilActor, true
				changes = append(changes, change)
			}
		}
	}
	slices.SortFunc(changes, func(a, b EdgeChange) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Upstream, b.Upstream), cmp.Compare(a.Downstream, b.Downstream), cmp.Compare(a.Type, b.Type))
	})
	return changes
}

// joined merges spans that overlap or touch.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.until, b.until)) })
	var list []span
	for _, next := range spans {
		if n := len(list); n > 0 && next.since <= list[n-1].until {
			if last := &list[n-1]; next.until > last.until {
				last.until, last.untilRun, last.untilActor = next.until, next.untilRun, next.untilActor
			}
			continue
		}
		list = append(list, next)
	}
	return list
}

// runOf returns the run that wrote a version, "" if the write named none.
func runOf(system *graphstore.SystemMetadata) string {
	if system.RunID == catalog.NoRunID {
		return ""
	}
	return system.RunID
}
