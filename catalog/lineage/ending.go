package lineage

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// SourceStatement is an aspect by which an ingestion source states lineage. Unseen counts the good runs of the source
// that have not stated it again.
type SourceStatement struct {
	URN, Aspect string
	Value       json.RawMessage
	Unseen      *Fading
}

// StatedBySource returns the lineage that a source states of entities. runs are good runs of the source, the newest
// first.
func (s *Service) StatedBySource(ctx context.Context, source string, runs []GoodRun, urns []string) ([]SourceStatement, error) {
	aspects := s.endingAspects()
	var found []SourceStatement
	for some := range slices.Chunk(urns, aspectsAtOnce) {
		stored, err := s.store.LatestAspects(ctx, some, aspects)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		r := newStatements(s, &basisQuestion{walk: &WalkQuery{}})
		var values []json.RawMessage
		for _, urn := range some {
			for i := range stored[urn] {
				r.add(urn, &stored[urn][i])
				values = append(values, stored[urn][i].Value)
			}
		}
		sources, err := s.sourceOfStatements(ctx, r.all)
		if err != nil {
			return nil, err
		}
		for i := range r.all {
			if sources[i] == source {
				found = append(found, SourceStatement{URN: r.all[i].asset, Aspect: r.all[i].aspect, Value: values[i], Unseen: unseenSince(r.all[i].seen, runs)})
			}
		}
	}
	return found, nil
}

// endingAspects returns the names of the aspects by which sources state lineage.
func (s *Service) endingAspects() []string {
	names := map[string]bool{model.AspectInputFields: true}
	for _, rel := range s.registry.Relationships() {
		if rel.IsLineage && !ownAspects[rel.Aspect] {
			names[rel.Aspect] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// columnLists are the lists that state the lineage of columns, by aspect.
var columnLists = map[string]string{
	model.AspectUpstreamLineage: "fineGrainedLineages", model.AspectDataJobInputOutput: "fineGrainedLineages", model.AspectInputFields: "fields",
}

// WithoutLineage removes from the value of an aspect the lineage that a source states, and returns how many statements
// that were. It keeps edges that somebody has drawn by hand.
func (s *Service) WithoutLineage(aspect string, value catalog.Tree) int {
	lists := map[string]bool{}
	if list := columnLists[aspect]; list != "" {
		lists[list] = true
	}
	for _, rel := range s.registry.Relationships() {
		if list, rest, _ := strings.Cut(rel.Path, "/"); rel.IsLineage && rel.Aspect == aspect && strings.HasPrefix(rest, "*") {
			lists[list] = true
		}
	}
	removed := 0
	for list := range lists {
		items := jsontree.Array(value, list)
		kept := slices.DeleteFunc(slices.Clone(items), func(item any) bool {
			one, _ := item.(catalog.Tree)
			return jsontree.Text(jsontree.Member(one, "properties"), "source") != statements.ManualSource
		})
		if removed += len(items) - len(kept); len(kept) < len(items) {
			value[list] = kept
		}
	}
	return removed
}

// endingPrefix begins the IDs of runs that end lineage that nobody states any more.
const endingPrefix = "unseen-since:"

// EndingRun returns the ID of the run that ends an edge which fades. It names the run that last saw the edge, or, if
// that is not known, the time.
func EndingRun(f *Fading) string {
	if f.LastSeenRun != "" {
		return endingPrefix + f.LastSeenRun
	}
	return endingPrefix + time.UnixMilli(f.LastSeen).UTC().Format(time.RFC3339)
}
