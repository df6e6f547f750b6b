package lineage

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Basis tells what supports an answer: which sources stated the lineage that was walked, when
// they last stated it, and which entities have no column lineage. Without a basis, an empty
// answer tells little.
// The reasons are in docs/decisions/0074-what-answers-rest-on.md.
type Basis struct {
	// At is the moment of the answer, epoch milliseconds.
	At int64 `json:"at"`
	// Walked counts the entities on the way: the entities that the walk reached and, if the walk
	// followed columns, also the entities one hop from them. Entities counts the nearest of these,
	// whose statements were read. Both include the start if its statements were walked.
	Entities int `json:"entities"`
	Walked   int `json:"walked"`
	// WithoutColumnLineage counts the entities, among Entities, that state from which entities
	// they derive but not from which columns.
	WithoutColumnLineage int `json:"withoutColumnLineage"`
	// Sources lists the sources of the statements that were walked; the source of the most
	// entities is first. If the answer lists nothing, Sources also lists the sources that stated
	// the start and, downstream, the ingestion sources whose last run failed: statements of these
	// may be missing.
	Sources []BasisSource `json:"sources"`
	// MoreSources counts the sources that Sources does not list.
	MoreSources int `json:"moreSources,omitempty"`
	// Summary is the basis as a sentence.
	Summary string `json:"summary"`
}

// BasisSource is an ingestion source, a pipeline, a run that belongs to neither, or an actor
// who wrote without a run.
type BasisSource struct {
	Name string `json:"name"`
	// Exactly one of these four is set. Source is the URN of an ingestion source, Pipeline the
	// name of a pipeline, Run the id of a run that belongs to neither, and Actor the URN of an
	// actor who wrote without a run.
	Source   string `json:"source,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
	Run      string `json:"run,omitempty"`
	Actor    string `json:"actor,omitempty"`
	// Entities counts the entities about which the source stated something.
	Entities int `json:"entities"`
	// LastSeen is when the source last stated any of these entities, epoch milliseconds.
	LastSeen int64 `json:"lastSeen,omitempty"`
	// FailedSince is the first run of the ingestion source that failed after its last good one, nil if the last run that
	// has ended is a good one.
	FailedSince *FailedRun `json:"failedSince,omitempty"`
	// NextRun is when the ingestion source runs next by its schedule, epoch milliseconds, 0 without one and in an answer
	// about the past.
	NextRun int64 `json:"nextRun,omitempty"`
}

// FailedRun is the first of the runs of a source since its last good one, all of which failed. At is the start of the
// run, epoch milliseconds.
type FailedRun struct {
	Run    string `json:"run"`
	Status string `json:"status"`
	At     int64  `json:"at"`
	// Runs counts the failed runs since, this run included. LastAt is the start of the last failed run.
	Runs   int   `json:"runs"`
	LastAt int64 `json:"lastAt"`
}

// SourceRuns is how the runs of an ingestion source have ended, as its record tells.
type SourceRuns struct {
	// Good are its newest good runs, the newest first.
	Good []GoodRun
	// Failing is nil if its last run that has ended is a good one.
	Failing *FailedRun
}

// GoodRun is a run that has done all of its work. Run is the URN of the execution request; Started and Ended are epoch
// milliseconds.
type GoodRun struct {
	Run            string
	Started, Ended int64
}

// basisQuestion describes the answer whose basis is asked for.
type basisQuestion struct {
	walk *WalkQuery
	// directions lists the directions that were walked.
	directions []string
	// reached lists the entities and columns on the way, the nearest first, and walked the further ones.
	reached, walked []Reached
	// sql tells that the answer also uses SQL.
	sql bool
	// nothing tells that the answer lists no entity.
	nothing bool
}

// basisOfWalk returns the basis of a walk.
func (s *Service) basisOfWalk(ctx context.Context, walk *Walk, nothing bool) (*Basis, error) {
	return s.basisOf(ctx, &basisQuestion{walk: &walk.Query, directions: []string{walk.Query.Direction}, reached: walk.Reached, nothing: nothing})
}

// basisOfGraph returns the basis of a graph.
func (s *Service) basisOfGraph(ctx context.Context, around *surroundings) (*Basis, error) {
	q := &basisQuestion{walk: &around.walks[0].Query, reached: around.reached, nothing: len(around.reached) == 0}
	for _, walk := range around.walks {
		q.directions = append(q.directions, walk.Query.Direction)
	}
	return s.basisOf(ctx, q)
}

// basisOfImpact returns the basis of an impact. basisOfImpact leaves out queries that nobody
// saved: they are no part of the impact.
func (s *Service) basisOfImpact(ctx context.Context, impact *Impact, w *impactWays) (*Basis, error) {
	walked := without(w.walk.Reached, func(r Reached) bool { return r.Type == model.EntityQuery })
	return s.basisOf(ctx, &basisQuestion{
		walk: &w.walk.Query, directions: []string{impact.Direction}, reached: w.reached, walked: walked,
		sql: w.walk.Query.Columns, nothing: impact.Total == 0,
	})
}

// basisOf reads the statements behind an answer and groups them by source.
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
	if sources, err = s.withFailures(ctx, sources, b.At, q.walk.AsOf != 0); err != nil {
		return nil, err
	}
	b.list(sources)
	if err := s.nameSources(ctx, b.Sources); err != nil {
		return nil, err
	}
	if q.walk.AsOf == 0 {
		if err := s.planSources(ctx, b.Sources); err != nil {
			return nil, err
		}
	}
	b.Summary = b.sentence()
	return b, nil
}

// list fills in Sources: up to limits.BasisSources sources that stated something or whose last
// run failed.
func (b *Basis) list(sources []BasisSource) {
	sources = slices.DeleteFunc(sources, func(source BasisSource) bool { return source.Entities == 0 && source.FailedSince == nil })
	shown := min(len(sources), limits.BasisSources)
	b.Sources, b.MoreSources = append(b.Sources, sources[:shown]...), len(sources)-shown
}

// manyAssets is a number of entities on the way above which their neighbours, of which none would be looked at, are not
// read to be counted.
const manyAssets = 10 * limits.BasisEntities

// onTheWay lists the entities whose statements were walked. The start is the first one if its
// own statements were walked.
func (s *Service) onTheWay(ctx context.Context, q *basisQuestion, start string) ([]string, error) {
	room := len(q.reached) + 1 // most of the further ones are columns of these
	seen, assets := make(map[string]bool, room), make([]string, 0, room)
	seen[start] = true
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
	for _, some := range [][]Reached{q.reached, q.walked} {
		for i := range some {
			add(assetOf(some[i].URN))
		}
	}
	if !q.walk.Columns || len(assets) > manyAssets {
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

// statesNext reports whether entities of a type state their own neighbours in a direction.
func (s *Service) statesNext(entityType, direction string) bool {
	return slices.ContainsFunc(s.registry.LineageKinds(), func(kind model.LineageKind) bool {
		return kind.SourceType == entityType && kind.Upstream == (direction == Upstream)
	})
}

// oneHopOfEntities returns the entities one hop away in a direction, by lineage between
// entities.
func (s *Service) oneHopOfEntities(ctx context.Context, from []string, direction string, q *WalkQuery) ([]graphstore.Visit, error) {
	found, err := s.store.Walk(ctx, graphstore.WalkQuery{
		From: from, Steps: s.steps(&WalkQuery{Direction: direction}), MaxHops: 1, Limit: limits.BasisEntities, AsOf: q.AsOf,
		WithoutRemoved: q.WithoutRemoved, Patience: walkPatience,
	})
	return found.Visits, walkFailure(err)
}
