package lineage

import (
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
)

// Fading tells that later good runs of its source have not stated an edge again.
type Fading struct {
	// LastSeen is when the edge was last stated, epoch milliseconds, LastSeenRun the good run of the source that went on
	// then, the URN of its execution request; "" if it is not known.
	LastSeen    int64  `json:"lastSeen"`
	LastSeenRun string `json:"lastSeenRun,omitempty"`
	// Runs counts the good runs of the source that began afterwards, at most limits.IngestionHistory.
	Runs int `json:"runs"`
}

// Text says how an edge fades, for terminals and agents; "" for nil.
func (f *Fading) Text() string {
	if f == nil {
		return ""
	}
	text := wording.Counted(f.Runs, "later good run", "later good runs") + " of its source did not state it, last seen " + time.UnixMilli(f.LastSeen).UTC().Format(time.RFC3339)
	if f.LastSeenRun != "" {
		text += " by " + f.LastSeenRun
	}
	return text
}

// fade sets Fading of the edges that hold and that at least fadingAfter good runs of their source have not stated
// again. The rule is about aspects, which are the statements that a source makes: an edge is as old as the last write
// of the aspect that states it, equal writes included. An edge that several aspects state fades when all of them do.
// Only the statements of the first limits.BasisEntities entities are read, in the order of the edges.
func (s *Service) fade(ctx context.Context, edges []*Link) error {
	edges = slices.DeleteFunc(slices.Clone(edges), func(e *Link) bool { return e.Until != 0 || e.Manual || e.derived || len(e.StatedBy) == 0 })
	if s.fadingAfter == 0 || s.runs == nil || len(edges) == 0 {
		return nil
	}
	if sources, _, err := s.store.ListEntities(ctx, model.EntityDataHubIngestionSource, graphstore.Page{Count: 1}); err != nil || len(sources) == 0 {
		return catalog.StoreFailure(err)
	}
	owners := map[string]bool{}
	var assets []string
	for i := range edges {
		for _, owner := range edges[i].StatedBy {
			if !owners[owner] && len(assets) < limits.BasisEntities {
				owners[owner] = true
				assets = append(assets, owner)
			}
		}
	}
	r := newStatements(s, &basisQuestion{walk: &WalkQuery{}})
	if err := r.read(ctx, assets); err != nil {
		return err
	}
	stated := map[statement]bool{}
	for i := range r.all {
		stated[statement{r.all[i].asset, r.all[i].aspect}] = true
	}
	fading, err := s.fadingStatements(ctx, r.all)
	if err != nil || len(fading) == 0 {
		return err
	}
	for _, e := range edges {
		e.Fading = s.fadingOf(e, stated, fading)
	}
	return nil
}

// fadeNow is fade for edges as of a moment; edges of a past moment do not fade.
func (s *Service) fadeNow(ctx context.Context, edges []*Link, asOf int64) error {
	if asOf != 0 {
		return nil
	}
	return s.fade(ctx, edges)
}

// pointers returns the edges of a list, so that a field that is set in one is set in the list.
func pointers(edges []Link) []*Link {
	all := make([]*Link, len(edges))
	for i := range edges {
		all[i] = &edges[i]
	}
	return all
}

// edgesOn returns the edges on some paths, each once.
func edgesOn(paths [][]PathStep) []*Link {
	var all []*Link
	seen := map[*Link]bool{}
	for _, path := range paths {
		for _, step := range path {
			if step.Edge != nil && !seen[step.Edge] {
				seen[step.Edge] = true
				all = append(all, step.Edge)
			}
		}
	}
	return all
}

// statement names an aspect of an entity.
type statement struct{ asset, aspect string }

// fadingOf returns how an edge fades by its statements, nil if one of them is new enough. stated are the statements
// that the store has.
func (s *Service) fadingOf(e *Link, stated map[statement]bool, fading map[statement]*Fading) *Fading {
	var least *Fading
	for _, owner := range e.StatedBy {
		for _, aspect := range s.statingEdge(typeOf(owner), e.Type) {
			f := fading[statement{owner, aspect}]
			switch {
			case !stated[statement{owner, aspect}]:
				continue
			case f == nil:
				return nil
			}
			if least == nil || f.Runs < least.Runs {
				least = f
			}
		}
	}
	return least
}

// ownAspects have statements of the server itself, which no source repeats.
var ownAspects = map[string]bool{model.AspectDerivedLineage: true, model.AspectDerivedSubjects: true}

// statingEdge returns the names of the aspects with which entities of a type state a relationship.
func (s *Service) statingEdge(entityType, relationship string) (aspects []string) {
	for _, rel := range s.registry.Relationships() {
		if rel.Name == relationship && !ownAspects[rel.Aspect] && slices.Contains(rel.SourceEntities, entityType) && !slices.Contains(aspects, rel.Aspect) {
			aspects = append(aspects, rel.Aspect)
		}
	}
	if len(aspects) == 0 { // edges of columns, which the aspects of their entities state
		aspects = slices.DeleteFunc(slices.Clone(s.statingAspects()[entityType]), func(aspect string) bool { return ownAspects[aspect] })
	}
	return aspects
}

// fadingStatements returns the statements that later good runs of their sources have not repeated.
func (s *Service) fadingStatements(ctx context.Context, all []basisStatement) (map[statement]*Fading, error) {
	sources, err := s.sourceOfStatements(ctx, all)
	if err != nil {
		return nil, err
	}
	var urns []string
	for i := range all {
		if of := sources[i]; of != "" && !slices.Contains(urns, of) && len(urns) < limits.BasisIngestionSources {
			urns = append(urns, of)
		}
	}
	if len(urns) == 0 {
		return nil, nil
	}
	known, err := s.runs(ctx, urns)
	if err != nil {
		return nil, err
	}
	fading := map[statement]*Fading{}
	for i := range all {
		runs := known[sources[i]]
		if f := unseenSince(all[i].seen, runs.Good); f.Runs >= s.fadingAfter {
			fading[statement{all[i].asset, all[i].aspect}] = f
		}
	}
	return fading, nil
}

// unseenSince counts the good runs of a source that began after a moment.
func unseenSince(seen int64, runs []GoodRun) *Fading {
	f := &Fading{LastSeen: seen}
	for _, good := range runs {
		switch since := good.Started - seen; {
		case since > catalog.ClockSkew.Milliseconds():
			f.Runs++
		case f.LastSeenRun == "" && seen <= good.Ended+catalog.ClockSkew.Milliseconds():
			f.LastSeenRun = good.Run
		}
	}
	return f
}

// sourceOfStatements returns the ingestion source of each statement, "" for one without.
func (s *Service) sourceOfStatements(ctx context.Context, all []basisStatement) ([]string, error) {
	runs, pipelines, err := s.sourcesOfPipelines(ctx, all)
	if err != nil {
		return nil, err
	}
	sources := make([]string, len(all))
	for i := range all {
		sources[i] = runs[all[i].run]
		if sources[i] == "" {
			sources[i] = pipelines[all[i].pipeline]
		}
		if sources[i] == "" {
			if u, err := s.registry.ReadURN(all[i].pipeline); err == nil && u.EntityType() == model.EntityDataHubIngestionSource {
				sources[i] = s.registry.Normal(u).String() // the pipeline of a source whose recipe names none
			}
		}
	}
	return sources, nil
}
