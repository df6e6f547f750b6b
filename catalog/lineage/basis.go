package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Basis is what an answer rests on: who stated what was walked, when that was last seen, and
// what nobody stated. An answer that lists nothing tells little without it.
// The reasons are in docs/decisions/0074-what-answers-rest-on.md.
type Basis struct {
	// At is the moment of the answer, epoch milliseconds.
	At int64 `json:"at"`
	// Walked counts the entities on the way: those that the walk reached and, of a walk
	// between columns, those one hop from them. Entities is how many of them were looked at,
	// the nearest, with the start if its statements were walked.
	Entities int `json:"entities"`
	Walked   int `json:"walked"`
	// WithoutColumnLineage counts those of Entities that state from which entities they
	// derive, and not from which columns.
	WithoutColumnLineage int `json:"withoutColumnLineage"`
	// Sources stated what was walked, those of most entities first. If the answer lists
	// nothing, these are also those that stated the start and, downstream, the ingestion
	// sources whose last run failed: what they state may be missing.
	Sources []BasisSource `json:"sources"`
	// MoreSources counts those that are not listed.
	MoreSources int `json:"moreSources,omitempty"`
	// Summary is all this as a sentence.
	Summary string `json:"summary"`
}

// BasisSource is an ingestion source, a pipeline, a run of none that is known, or somebody who
// wrote without a run.
type BasisSource struct {
	Name string `json:"name"`
	// Source is the URN of the ingestion source, Pipeline the name of the pipeline, Run a run
	// without either, and Actor the URN of somebody who wrote without a run.
	Source   string `json:"source,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
	Run      string `json:"run,omitempty"`
	Actor    string `json:"actor,omitempty"`
	// Entities counts the entities that it stated something of.
	Entities int `json:"entities"`
	// LastSeen is when it last stated any of that, epoch milliseconds.
	LastSeen int64 `json:"lastSeen,omitempty"`
	// FailedSince is its last run, if that failed.
	FailedSince *FailedRun `json:"failedSince,omitempty"`
}

// FailedRun is a run that failed. At is when it began, epoch milliseconds.
type FailedRun struct {
	Run    string `json:"run"`
	Status string `json:"status"`
	At     int64  `json:"at"`
}

// basisQuestion is what a basis is asked for.
type basisQuestion struct {
	walk *WalkQuery
	// directions are those that were walked.
	directions []string
	// reached are the entities and columns on the way, the nearest first.
	reached []Reached
	// sql: the answer also rests on SQL.
	sql bool
	// nothing: the answer lists nothing.
	nothing bool
}

// basisOfWalk is what a walk rests on.
func (s *Service) basisOfWalk(ctx context.Context, walk *Walk, nothing bool) (*Basis, error) {
	return s.basisOf(ctx, &basisQuestion{walk: &walk.Query, directions: []string{walk.Query.Direction}, reached: walk.Reached, nothing: nothing})
}

// basisOfGraph is what a graph rests on.
func (s *Service) basisOfGraph(ctx context.Context, around *surroundings) (*Basis, error) {
	q := &basisQuestion{walk: &around.walks[0].Query, reached: around.reached, nothing: len(around.reached) == 0}
	for _, walk := range around.walks {
		q.directions = append(q.directions, walk.Query.Direction)
	}
	return s.basisOf(ctx, q)
}

// basisOfImpact is what an impact rests on. Queries that nobody saved are not on the way.
func (s *Service) basisOfImpact(ctx context.Context, impact *Impact, w *impactWays) (*Basis, error) {
	walked := slices.DeleteFunc(slices.Clone(w.walk.Reached), func(r Reached) bool { return r.Type == model.EntityQuery })
	return s.basisOf(ctx, &basisQuestion{
		walk: &w.walk.Query, directions: []string{impact.Direction}, reached: slices.Concat(w.reached, walked),
		sql: w.walk.Query.Columns, nothing: impact.Total == 0,
	})
}

// basisOf finds out what an answer rests on.
func (s *Service) basisOf(ctx context.Context, q *basisQuestion) (*Basis, error) {
	b := &Basis{At: q.walk.AsOf, Sources: []BasisSource{}}
	if b.At == 0 {
		b.At = s.now().UnixMilli()
	}
	start := assetOfURN(q.walk.URN)
	assets, err := s.onTheWay(ctx, q, start)
	if err != nil {
		return nil, err
	}
	b.Walked = len(assets)
	assets = assets[:min(len(assets), limits.BasisEntities)]
	b.Entities = len(assets)
	r := newStatements(s, q)
	if err := r.read(ctx, assets); err != nil {
		return nil, err
	}
	b.WithoutColumnLineage = r.withoutColumns()
	if q.nothing {
		if err := r.readStart(ctx, start); err != nil {
			return nil, err
		}
	}
	sources, err := s.sourcesOf(ctx, r.all)
	if err != nil {
		return nil, err
	}
	if q.nothing && slices.Contains(q.directions, Downstream) {
		if sources, err = s.withIngestionSources(ctx, sources); err != nil {
			return nil, err
		}
	}
	if sources, err = s.withFailures(ctx, sources, b.At); err != nil {
		return nil, err
	}
	b.list(sources)
	if err := s.nameSources(ctx, b.Sources); err != nil {
		return nil, err
	}
	b.Summary = b.sentence()
	return b, nil
}

// list keeps the sources that stated something or whose last run failed, as many as are shown.
func (b *Basis) list(sources []BasisSource) {
	sources = slices.DeleteFunc(sources, func(source BasisSource) bool { return source.Entities == 0 && source.FailedSince == nil })
	shown := min(len(sources), limits.BasisSources)
	b.Sources, b.MoreSources = append(b.Sources, sources[:shown]...), len(sources)-shown
}

// onTheWay lists the entities whose statements were walked, the start first if its own were.
func (s *Service) onTheWay(ctx context.Context, q *basisQuestion, start string) ([]string, error) {
	seen := map[string]bool{start: true}
	assets := []string{}
	if slices.ContainsFunc(q.directions, func(direction string) bool { return s.statesNext(typeOf(start), direction) }) {
		assets = append(assets, start)
	}
	from := []string{start}
	add := func(asset string) {
		if !seen[asset] {
			seen[asset] = true
			assets = append(assets, asset)
			from = append(from, asset)
		}
	}
	for _, r := range q.reached {
		add(assetOf(r.URN))
	}
	if !q.walk.Columns {
		return assets, nil
	}
	if len(from) > limits.BasisEntities {
		from = from[:limits.BasisEntities]
	}
	for _, direction := range q.directions {
		visits, err := s.oneHopOfEntities(ctx, from, direction, q.walk)
		if err != nil {
			return nil, err
		}
		for _, v := range visits {
			add(v.URN)
		}
	}
	return assets, nil
}

// statesNext reports whether entities of a type state what is next to them in a direction.
func (s *Service) statesNext(entityType, direction string) bool {
	return slices.ContainsFunc(s.registry.LineageKinds(), func(kind model.LineageKind) bool {
		return kind.SourceType == entityType && kind.Upstream == (direction == Upstream)
	})
}

// oneHopOfEntities returns what lineage between entities leads to from some of them.
func (s *Service) oneHopOfEntities(ctx context.Context, from []string, direction string, q *WalkQuery) ([]graphstore.Visit, error) {
	found, err := s.store.Walk(ctx, graphstore.WalkQuery{
		From: from, Steps: s.steps(&WalkQuery{Direction: direction}), MaxHops: 1, Limit: limits.BasisEntities, AsOf: q.AsOf,
		WithoutRemoved: q.WithoutRemoved, Patience: walkPatience,
	})
	return found.Visits, walkFailure(err)
}
