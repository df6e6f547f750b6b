package lineage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// wide is a store in which everything has many neighbours, former versions and ingestion sources.
type wide struct {
	Store
	Timelines
	// sources are the ends of the edges of every entity; newest is the index of the one stated last.
	sources []string
	newest  int
	// listed are the entities of every type.
	listed []string
	// walkedFrom counts the entities from which the last walk began, asked the entities of whose
	// edges a first page was asked for.
	walkedFrom, asked int
}

func (w *wide) Edges(_ context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	found := map[string]graphstore.EdgePage{}
	if q.Start == 0 {
		w.asked += len(q.URNs)
	}
	from := min(q.Start, len(w.sources))
	for _, urn := range q.URNs {
		page := graphstore.EdgePage{Total: int64(len(w.sources))}
		for i, source := range w.sources[from:min(from+q.Count, len(w.sources))] {
			e := graphstore.Edge{Source: source, Destination: urn, Since: 1}
			if from+i == w.newest {
				e.Since = 2
			}
			page.Edges = append(page.Edges, e)
		}
		found[urn] = page
	}
	return found, nil
}

func (w *wide) ListEntities(_ context.Context, _ string, page graphstore.Page) ([]string, int64, error) {
	return w.listed[:min(page.Count, len(w.listed))], int64(len(w.listed)), nil
}

func (w *wide) Walk(_ context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	w.walkedFrom = len(q.From)
	return graphstore.Walk{}, nil
}

func (*wide) Entities(context.Context, []string) ([]graphstore.Entity, error) { return nil, nil }

func (*wide) LatestAspects(_ context.Context, urns, _ []string) (map[string][]graphstore.Aspect, error) {
	stored := map[string][]graphstore.Aspect{}
	for _, urn := range urns {
		stored[urn] = []graphstore.Aspect{{URN: urn, Name: model.AspectUpstreamLineage, CreatedOn: 9}}
	}
	return stored, nil
}

func (*wide) AspectVersions(_ context.Context, key graphstore.AspectKey, _ graphstore.Page) ([]graphstore.Aspect, error) {
	return []graphstore.Aspect{{URN: key.URN, Name: key.Name, CreatedOn: 9}, {URN: key.URN, Name: key.Name, CreatedOn: 1}}, nil
}

func (*wide) AspectsAt(_ context.Context, urns []string, _ int64, _ []string) (map[string]history.PastAspects, error) {
	past := map[string]history.PastAspects{}
	for _, urn := range urns {
		past[urn] = history.PastAspects{}
	}
	return past, nil
}

func (w *wide) service() *Service {
	return New(Options{Registry: model.Default(), Store: w, History: w})
}

// manyURNs returns n URNs, each with its number.
func manyURNs(n int, format string) []string {
	urns := make([]string, n)
	for i := range urns {
		urns[i] = fmt.Sprintf(format, i)
	}
	return urns
}

const someTable = "urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)"

// TestLimitsOfBases: a basis looks at as many things as each limit allows; a further thing is only
// counted or left out.
func TestLimitsOfBases(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		// looked returns how many of n things are looked at.
		looked func(n int) int
	}{
		"sources that are listed": {limits.BasisSources, func(n int) int {
			sources := make([]BasisSource, n)
			for i := range sources {
				sources[i].Entities = 1
			}
			b := &Basis{}
			if b.list(sources); len(b.Sources)+b.MoreSources != n {
				t.Errorf("of %d sources, %d are listed and %d counted", n, len(b.Sources), b.MoreSources)
			}
			return len(b.Sources)
		}},
		"entities on the way": {limits.BasisEntities, func(n int) int {
			q := &basisQuestion{walk: &WalkQuery{URN: model.StoredURN("urn:li:tag:t"), AsOf: 1}}
			for _, urn := range manyURNs(n, "urn:li:tag:t%d") {
				q.reached = append(q.reached, Reached{URN: urn})
			}
			b, err := new(wide).service().basisOf(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if b.Walked != n {
				t.Errorf("of %d entities, %d count as walked", n, b.Walked)
			}
			return b.Entities
		}},
		"entities whose neighbours are on the way of columns": {limits.BasisEntities, func(n int) int {
			w := &wide{}
			q := &basisQuestion{walk: &WalkQuery{Columns: true}, directions: []string{Upstream}}
			for _, urn := range manyURNs(n-1, someTable) {
				q.reached = append(q.reached, Reached{URN: urn})
			}
			if _, err := w.service().onTheWay(t.Context(), q, "urn:li:tag:start"); err != nil {
				t.Fatal(err)
			}
			return w.walkedFrom
		}},
		"former versions": {limits.BasisVersions, func(n int) int {
			r := newStatements(new(wide).service(), &basisQuestion{walk: &WalkQuery{AsOf: 5}})
			if err := r.read(t.Context(), manyURNs(n, someTable)); err != nil {
				t.Fatal(err)
			}
			return len(r.all)
		}},
		"ingestion sources that are added": {limits.BasisIngestionSources, func(n int) int {
			w := &wide{listed: manyURNs(n, "urn:li:dataHubIngestionSource:s%d")}
			sources, err := w.service().withIngestionSources(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return len(sources)
		}},
		"ingestion sources whose runs are read": {limits.BasisIngestionSources, func(n int) int {
			w, sources := &wide{}, make([]BasisSource, n)
			for i := range sources {
				sources[i].Source = fmt.Sprint("urn:li:dataHubIngestionSource:s", i)
			}
			if _, err := w.service().withFailures(t.Context(), sources, 9, false); err != nil {
				t.Fatal(err)
			}
			return w.asked
		}},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if got := c.looked(n); got != c.most {
				t.Errorf("%s: of %d, %d are looked at", name, n, got)
			}
		}
	}
}

// TestLimitOfBasisRuns: the newest run of an ingestion source is found among its first and its last
// limits.BasisRuns runs. Further sources are looked at until limits.BasisRuns runs were read.
func TestLimitOfBasisRuns(t *testing.T) {
	const most = limits.BasisRuns
	for name, c := range map[string]struct {
		runs, newest int
		found        bool
	}{
		"the last of the first runs":   {2*most + 1, most - 1, true},
		"between the first and last":   {2*most + 1, most, false},
		"the first of the last runs":   {2*most + 1, most + 1, true},
		"the last run":                 {2*most + 1, 2 * most, true},
		"in the middle of fewer runs":  {2 * most, most, true},
		"after exactly the first runs": {most + 1, most, true},
	} {
		w := &wide{sources: manyURNs(c.runs, "urn:li:dataHubExecutionRequest:%06d"), newest: c.newest}
		requests, err := w.service().newestRequests(t.Context(), []string{"urn:li:dataHubIngestionSource:s"}, 9)
		if err != nil {
			t.Fatal(err)
		}
		if found := slices.Contains(requests["urn:li:dataHubIngestionSource:s"], w.sources[c.newest]); found != c.found {
			t.Errorf("%s: found %v", name, found)
		}
	}
	for runsOfEach, asked := range map[int]int{most/sourcesAtOnce - 1: 2 * sourcesAtOnce, most / sourcesAtOnce: sourcesAtOnce} {
		w := &wide{sources: manyURNs(runsOfEach, "urn:li:dataHubExecutionRequest:%06d")}
		if _, err := w.service().newestRequests(t.Context(), manyURNs(2*sourcesAtOnce, "urn:li:dataHubIngestionSource:s%d"), 9); err != nil {
			t.Fatal(err)
		}
		if w.asked != asked {
			t.Errorf("%d runs of each source: the runs of %d sources are read", runsOfEach, w.asked)
		}
	}
}

// TestLimitOfPastImpact: the former versions of as many entities as the limit are read, in several
// reads; of one further entity, the answer says that its former state is not known.
func TestLimitOfPastImpact(t *testing.T) {
	r := new(wide).service().aspectsAsOf(5)
	urns := manyURNs(limits.ImpactPastEntities+1, someTable)
	for _, some := range [][]string{urns[:1], urns[1:limits.ImpactPastEntities]} {
		stored, unknown, err := r.read(t.Context(), some, nil)
		if err != nil || len(stored) != len(some) || len(unknown) > 0 {
			t.Errorf("of %d entities, %d are read, %d are unknown: %v", len(some), len(stored), len(unknown), err)
		}
	}
	last := urns[limits.ImpactPastEntities:]
	if stored, unknown, err := r.read(t.Context(), last, nil); err != nil || len(stored) > 0 || unknown[last[0]] == "" {
		t.Errorf("of one entity more, %d are read, %v are unknown: %v", len(stored), unknown, err)
	}
}

// TestLimitsOfLists: a list has as many items as its limit, and an answer with one more is partial.
func TestLimitsOfLists(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		// answer returns how many of n items are in an answer, and why the answer is partial.
		answer func(n int) (int, string)
		says   string
	}{
		"edges of a graph": {limits.MaxGraphEdges, func(n int) (int, string) {
			g := &Graph{}
			g.takeEdges(make([]Link, n))
			return len(g.Edges), g.Reason
		}, "more edges than an answer may have"},
		"changes": {limits.MaxChangesFound, func(n int) (int, string) {
			w := &changePlaces{}
			for i := range n {
				w.changes = append(w.changes, Change{Time: int64(i)})
			}
			w.keepNewest()
			if w.changes[0].Time != int64(n-1) {
				t.Errorf("of %d changes, the first is that of %d", n, w.changes[0].Time)
			}
			return len(w.changes), w.reason
		}, strconv.Itoa(limits.MaxChangesFound)},
		"edges of a label": {limits.MaxLabelEdges, func(n int) (int, string) {
			page := &LabelledColumns{}
			w := &wide{sources: manyURNs(n, someTable)}
			datasets, err := w.service().labelledDatasets(t.Context(), []model.URN{model.StoredURN("urn:li:tag:t")}, page)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSorted(datasets) || page.Partial != (page.Reason != "") {
				t.Errorf("of %d edges: %+v", n, page)
			}
			return len(datasets), page.Reason
		}, strconv.Itoa(limits.MaxLabelEdges)},
	} {
		if got, reason := c.answer(c.most); got != c.most || reason != "" {
			t.Errorf("%s: of %d, %d are in the answer: %q", name, c.most, got, reason)
		}
		if got, reason := c.answer(c.most + 1); got != c.most || !strings.Contains(reason, c.says) {
			t.Errorf("%s: of %d, %d are in the answer: %q", name, c.most+1, got, reason)
		}
	}
}
