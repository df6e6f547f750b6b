package visible_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// question is a call of a method of the store.
type question struct {
	name string
	ask  func(ctx context.Context, s graphstore.Store) (any, error)
}

// questions are about all entities of a catalog, hidden ones included.
func questions(all []thing) []question {
	var urns, datasets []string
	for _, t := range all {
		urns = append(urns, t.urn)
		if typeOf(t.urn) == "dataset" {
			datasets = append(datasets, t.urn)
		}
	}
	columns := make([]string, len(datasets))
	for i, d := range datasets {
		columns[i] = "urn:li:schemaField:(" + d + ",a)"
	}
	var asked []question
	add := func(name string, ask func(ctx context.Context, s graphstore.Store) (any, error)) {
		asked = append(asked, question{name, ask})
	}
	add("Entities", func(ctx context.Context, s graphstore.Store) (any, error) {
		return s.Entities(ctx, slices.Concat(urns, columns))
	})
	add("RemovedAmong", func(ctx context.Context, s graphstore.Store) (any, error) {
		return s.RemovedAmong(ctx, slices.Concat(urns, columns))
	})
	add("LatestAspects", func(ctx context.Context, s graphstore.Store) (any, error) {
		found, err := s.LatestAspects(ctx, urns, nil)
		sorted := map[string][]graphstore.Aspect{}
		for urn, aspects := range found {
			sorted[urn] = slices.SortedFunc(slices.Values(aspects), func(a, b graphstore.Aspect) int { return strings.Compare(a.Name, b.Name) })
		}
		return sorted, err
	})
	add("ScanEntities", func(ctx context.Context, s graphstore.Store) (any, error) {
		return pages(func(after string) ([]string, error) { return s.ScanEntities(ctx, after, 3) })
	})
	for _, entityType := range []string{"dataset", "tag", "domain", "container", "corpuser", "chart"} {
		add("ListEntities "+entityType, func(ctx context.Context, s graphstore.Store) (any, error) {
			urns, total, err := s.ListEntities(ctx, entityType, graphstore.Page{Start: 1, Count: 3})
			return []any{urns, total}, err
		})
	}
	for _, aspect := range []string{"status", "ownership", "globalTags"} {
		for _, like := range []string{"", "%x1%"} {
			add("CountAspects "+aspect+like, func(ctx context.Context, s graphstore.Store) (any, error) { return s.CountAspects(ctx, aspect, like) })
		}
	}
	for _, d := range []graphstore.Direction{graphstore.Outgoing, graphstore.Incoming} {
		for _, page := range []graphstore.Page{{Count: 100}, {Start: 1, Count: 2}, {}} {
			add(fmt.Sprint("Edges ", d, page), func(ctx context.Context, s graphstore.Store) (any, error) {
				return s.Edges(ctx, graphstore.EdgeQuery{URNs: urns, Direction: d, Page: page})
			})
		}
	}
	add("FarEnds", func(ctx context.Context, s graphstore.Store) (any, error) {
		return s.FarEnds(ctx, graphstore.EndQuery{URNs: urns, Type: "OwnedBy"})
	})
	add("EdgesBetween", func(ctx context.Context, s graphstore.Store) (any, error) {
		var pairs []graphstore.Pair
		for _, a := range datasets {
			for _, b := range datasets {
				pairs = append(pairs, graphstore.Pair{From: a, To: b})
			}
		}
		found, err := s.EdgesBetween(ctx, graphstore.PairQuery{Pairs: pairs, Steps: downstream})
		return sortedBy(found), err
	})
	add("Feeders", func(ctx context.Context, s graphstore.Store) (any, error) {
		return s.Feeders(ctx, graphstore.FeederQuery{From: datasets, To: datasets, Steps: downstream})
	})
	for _, prefix := range []string{"urn:li:dataset:", "urn:li:domain:d", "urn:li:tag:t1"} {
		add("WithPrefix "+prefix, func(ctx context.Context, s graphstore.Store) (any, error) { return s.WithPrefix(ctx, prefix, 4) })
	}
	add("TimeSeriesOfAll", func(ctx context.Context, s graphstore.Store) (any, error) {
		var found []string
		for after := ""; ; {
			values, next, err := s.TimeSeriesOfAll(ctx, graphstore.SeriesOfAll{Aspect: "datasetProfile", Limit: 2, After: after})
			for i := range values {
				found = append(found, text(values[i]))
			}
			if after = next; err != nil || next == "" {
				slices.Sort(found)
				return found, err
			}
		}
	})
	add("LatestTimeSeries", func(ctx context.Context, s graphstore.Store) (any, error) {
		return s.LatestTimeSeries(ctx, urns, []string{"datasetProfile"})
	})
	add("TimeSeriesOfMany", func(ctx context.Context, s graphstore.Store) (any, error) {
		q := graphstore.ManyTimeSeries{Aspect: "datasetProfile", Limit: 2}
		for _, urn := range datasets {
			q.Places = append(q.Places, graphstore.TimeSeriesPlace{URN: urn})
		}
		return s.TimeSeriesOfMany(ctx, q)
	})
	add("Holdings", func(ctx context.Context, s graphstore.Store) (any, error) { return s.Holdings(ctx, urns) })
	add("History", func(ctx context.Context, s graphstore.Store) (any, error) { return s.History(ctx, urns) })
	add("RowsOf", func(ctx context.Context, s graphstore.Store) (any, error) { return s.RowsOf(ctx, urns) })
	add("Runs", func(ctx context.Context, s graphstore.Store) (any, error) {
		runs, total, err := s.Runs(ctx, graphstore.RunsQuery{IncludeRemoved: true, Mark: "status", Page: graphstore.Page{Count: 10}})
		for i := range runs {
			runs[i].Example, runs[i].First, runs[i].Latest = graphstore.AspectKey{}, 0, 0
		}
		slices.SortFunc(runs, func(a, b graphstore.Run) int { return strings.Compare(a.ID, b.ID) })
		return []any{runs, total}, err
	})
	add("Rows", func(ctx context.Context, s graphstore.Store) (any, error) {
		var found []string
		for after := ""; ; {
			rows, next, err := s.Rows(ctx, graphstore.RowQuery{Origin: graphstore.Origin{RunID: "run1"}, After: after, Limit: 3})
			for i := range rows {
				found = append(found, text(rows[i]))
			}
			if after = next; err != nil || next == "" {
				slices.Sort(found)
				return found, err
			}
		}
	})
	add("RunTimeSeries", func(ctx context.Context, s graphstore.Store) (any, error) {
		var found []string
		for after := ""; ; {
			rows, next, err := s.RunTimeSeries(ctx, "run2", after, 2)
			for i := range rows {
				found = append(found, text(rows[i]))
			}
			if after = next; err != nil || next == "" {
				slices.Sort(found)
				return found, err
			}
		}
	})
	add("Changes", func(ctx context.Context, s graphstore.Store) (any, error) { return logged(ctx, s.Changes) })
	add("ChangesWithoutValues", func(ctx context.Context, s graphstore.Store) (any, error) { return logged(ctx, s.ChangesWithoutValues) })
	add("NewestChanges", func(ctx context.Context, s graphstore.Store) (any, error) {
		var found []string
		for upTo := ""; ; {
			changes, rest, err := s.NewestChanges(ctx, graphstore.LogPart{UpTo: upTo}, 5)
			if err != nil || len(changes) == 0 {
				slices.Sort(found)
				return found, err
			}
			found, upTo = append(found, heads(changes)...), rest
		}
	})
	add("Lag", func(ctx context.Context, s graphstore.Store) (any, error) { return s.Lag(ctx, "") })
	for _, urn := range urns {
		add("AspectVersion "+urn, func(ctx context.Context, s graphstore.Store) (any, error) {
			a, ok, err := s.AspectVersion(ctx, graphstore.AspectKey{URN: urn, Name: "ownership"}, 0)
			return []any{a, ok}, err
		})
		add("AspectVersions "+urn, func(ctx context.Context, s graphstore.Store) (any, error) {
			return s.AspectVersions(ctx, graphstore.AspectKey{URN: urn, Name: "status"}, graphstore.Page{Count: 3})
		})
		add("CountTimeSeries "+urn, func(ctx context.Context, s graphstore.Store) (any, error) {
			return s.CountTimeSeries(ctx, graphstore.TimeSeriesRange{URN: urn})
		})
		add("TimeSeries "+urn, func(ctx context.Context, s graphstore.Store) (any, error) {
			return s.TimeSeries(ctx, graphstore.TimeSeriesQuery{URN: urn, Aspect: "datasetProfile", Limit: 3})
		})
	}
	return asked
}

func sortedBy(found map[graphstore.Pair][]graphstore.Edge) []string {
	var all []string
	for pair, edges := range found {
		all = append(all, fmt.Sprint(pair)+text(edges))
	}
	slices.Sort(all)
	return all
}

func pages(read func(after string) ([]string, error)) ([]string, error) {
	var all []string
	for after := ""; ; {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return all, err
		}
		all, after = append(all, page...), page[len(page)-1]
	}
}

func logged(ctx context.Context, read func(ctx context.Context, after string, limit int) ([]graphstore.Change, string, error)) ([]string, error) {
	var found []string
	for after := ""; ; {
		changes, next, err := read(ctx, after, 4)
		if err != nil || len(changes) == 0 {
			slices.Sort(found)
			return found, err
		}
		found, after = append(found, heads(changes)...), next
	}
}

func heads(changes []graphstore.Change) []string {
	found := make([]string, len(changes))
	for i, c := range changes {
		found[i] = text([]any{c.Kind, c.URN, c.Aspect, c.Value, c.Actor})
	}
	return found
}

var downstream = []graphstore.Step{{
	EdgeKind:  graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "dataset"},
	Direction: graphstore.Incoming,
}}

// TestStore compares the answers of each method for piet with the answers of a store that has only the
// entities that piet may see.
func TestStore(t *testing.T) {
	for _, name := range chosenSets(t) {
		t.Run(name, func(t *testing.T) {
			s := see(t, things(testseed.Rand(t, 0), 12), policySets[name])
			s.compareStore(t, s.lesser(t))
		})
	}
}

// TestServers does the same with Neo4j and Typesense, and compares the index and walks too. The lesser catalog
// is on the embedded store.
func TestServers(t *testing.T) {
	names := chosenSets(t)
	for _, name := range names[:min(len(names), testsize.Of(2, len(names)))] {
		t.Run(name, func(t *testing.T) {
			small := see(t, things(testseed.Rand(t, 0), 8), policySets[name])
			s, lesser := look(t, catalogtest.NewServersHarness(t), small.all, policySets[name]), small.lesser(t)
			if !reflect.DeepEqual(s.hidden, small.hidden) {
				t.Errorf("other entities are hidden: %v, and %v in the embedded store", s.hidden, small.hidden)
			}
			s.compareStore(t, lesser)
			s.compareIndex(t, lesser)
			s.compareWalks(t, policySets[name])
		})
	}
}

func (s *seen) compareStore(t *testing.T, lesser *catalogtest.SearchHarness) {
	t.Helper()
	for _, q := range questions(s.all) {
		want, err := q.ask(context.Background(), lesser.Store)
		if err != nil {
			t.Fatal(q.name, err)
		}
		got, err := q.ask(s.ctx, s.store)
		if err != nil {
			t.Error(q.name, err)
		} else if text(got) != text(want) {
			differ(t, q.name, text(got), text(want))
		}
		raw, err := q.ask(context.Background(), s.store)
		direct, directErr := q.ask(context.Background(), s.Store)
		if err != nil || directErr != nil || text(raw) != text(direct) {
			t.Errorf("%s: the server itself is told something else than what is stored: %v %v", q.name, err, directErr)
		}
	}
}

// differ reports two answers from where they differ.
func differ(t *testing.T, name, got, want string) {
	t.Helper()
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := max(at-300, 0)
	t.Errorf("%s: piet is told\n…%s\nand not\n…%s", name, got[from:min(at+150, len(got))], want[from:min(at+150, len(want))])
}

// TestWalk compares walks with those of the whole catalog, in which hidden entities on shortest paths to
// visible ones are restricted.
func TestWalk(t *testing.T) {
	for _, name := range chosenSets(t) {
		t.Run(name, func(t *testing.T) {
			see(t, things(testseed.Rand(t, 0), 20), policySets[name]).compareWalks(t, policySets[name])
		})
	}
}

func (s *seen) compareWalks(t *testing.T, set []policies.Policy) {
	t.Helper()
	for _, from := range s.all {
		if typeOf(from.urn) != "dataset" {
			continue
		}
		q := graphstore.WalkQuery{From: []string{from.urn}, Steps: downstream, Limit: 1000}
		got, err := s.store.Walk(s.ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := s.Store.Walk(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := map[int][]string{}
		if !s.hidden[from.urn] {
			want = s.wanted(raw.Visits)
		}
		told := map[int][]string{}
		for _, v := range got.Visits {
			urn := v.URN
			if visible.IsRestricted(urn) {
				urn = "restricted"
				if v.Type != "restricted" {
					t.Errorf("a restricted step has the type %s", v.Type)
				}
			}
			told[v.Degree] = append(told[v.Degree], urn)
		}
		for degree := range told {
			slices.Sort(told[degree])
		}
		if !reflect.DeepEqual(told, want) {
			t.Errorf("from %s: %v, want %v", from.urn, told, want)
		}
		second, err := s.store.Walk(visible.With(context.Background(), s.permissions(set)), q)
		if err != nil || text(second) != text(got) {
			t.Errorf("another request is told other steps: %v", err)
		}
		s.comparePredecessors(t, q, got)
	}
}

// comparePredecessors compares the predecessor that a walk tells of a visit with the first entity, by URN,
// that leads to the visit.
func (s *seen) comparePredecessors(t *testing.T, q graphstore.WalkQuery, plain graphstore.Walk) {
	t.Helper()
	q.Before = true
	walk, err := s.store.Walk(s.ctx, q)
	if err != nil || len(walk.Visits) != len(plain.Visits) {
		t.Fatalf("from %s: %d entities with predecessors, %d without: %v", q.From[0], len(walk.Visits), len(plain.Visits), err)
	}
	hops := map[int][]string{0: q.From}
	for i, v := range walk.Visits {
		hops[v.Degree] = append(hops[v.Degree], v.URN)
		feeders, err := s.store.Feeders(s.ctx, graphstore.FeederQuery{From: hops[v.Degree-1], To: []string{v.URN}, Steps: q.Steps})
		if err != nil {
			t.Fatal(err)
		}
		if all := feeders[v.URN]; len(all) == 0 || v.Before != "" && v.Before != all[0] || v.Before == "" && len(all) == 1 || v.Others != (len(all) > 1) {
			t.Errorf("from %s: %s comes from %q (others: %v), want %q", q.From[0], v.URN, v.Before, v.Others, all)
		}
		if v.Before, v.Others = "", false; v != plain.Visits[i] {
			t.Errorf("from %s: %+v with predecessors, %+v without", q.From[0], v, plain.Visits[i])
		}
	}
}

// wanted returns the expected answer of a walk, by degree: a hidden entity is in it if it leads to an entity
// of the next degree that is in it.
func (s *seen) wanted(visits []graphstore.Visit) map[int][]string {
	feeds := map[string][]string{}
	degrees, counts := map[string]int{}, map[string]bool{}
	for _, t := range s.all {
		for _, up := range t.upstreams {
			feeds[up] = append(feeds[up], t.urn)
		}
	}
	for _, v := range visits {
		degrees[v.URN] = v.Degree
	}
	want := map[int][]string{}
	for _, v := range slices.Backward(visits) {
		counts[v.URN] = !s.hidden[v.URN] || slices.ContainsFunc(feeds[v.URN], func(next string) bool { return degrees[next] == v.Degree+1 && counts[next] })
	}
	for _, v := range visits {
		if !counts[v.URN] {
			continue
		}
		urn := v.URN
		if s.hidden[urn] {
			urn = "restricted"
		}
		want[v.Degree] = append(want[v.Degree], urn)
	}
	for degree := range want {
		slices.Sort(want[degree])
	}
	return want
}

// TestRestrictedIsNothing asks for a restricted step in a request that did not meet it.
func TestRestrictedIsNothing(t *testing.T) {
	all := things(rand.New(rand.NewPCG(1, 2)), 20)
	s := see(t, all, policySets["nothing"])
	for _, q := range questions([]thing{{urn: "urn:li:restricted:0123456789abcdef0123456789abcdef"}}) {
		got, err := q.ask(s.ctx, s.store)
		if err != nil || strings.Contains(text(got), "Value\":{") {
			t.Errorf("%s: %s %v", q.name, text(got), err)
		}
	}
}

// TestEveryMethodIsDecided fails when the interface of the store has a method for which this package does not
// decide whether it names entities.
func TestEveryMethodIsDecided(t *testing.T) {
	passes := strings.Fields(`Update EndCursor NewestTime Covers Missing LoadCursor SaveCursor Followers DropCursor
		TrimChanges OldestCursor Record RecordsNamed ListRecords PutRecord PutRecords CreateRecord DeleteRecord Ping Close`)
	own := reflect.TypeFor[*visible.Store]()
	all := reflect.TypeFor[graphstore.Store]()
	asked := `Entities LatestAspects AspectVersion AspectVersions ListEntities ScanEntities ScanNodes CountAspects Edges Walk
		Feeders FarEnds RemovedAmong EdgesBetween EdgesToParts WithPrefix TimeSeries TimeSeriesOfMany TimeSeriesOfAll LatestTimeSeries
		Runs Rows RowsOf RunTimeSeries VersionsBefore Holdings History HistoryBytes CountTimeSeries Changes
		ChangesWithoutValues NewestChanges Lag`
	for i := range all.NumMethod() {
		method := all.Method(i).Name
		if _, ok := own.MethodByName(method); !ok {
			t.Error(method)
		}
		if slices.Contains(passes, method) == slices.Contains(strings.Fields(asked), method) {
			t.Errorf("%s: is it filtered?", method)
		}
	}
}
