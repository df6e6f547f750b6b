package cases

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/indexer"
	searchfile "github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/model"
)

// This file has every call of the rooms; the other doors know only the requests that they send and the
// answers that they read.

// backend is a kind of store with a kind of index, both empty when opened.
type backend struct {
	name string
	open func(t *testing.T) (graphstore.Store, indexer.Index)
}

var backends = []backend{
	{"embedded", openEmbedded},
	{"neo4j and typesense", openServers},
}

func openEmbedded(t *testing.T) (graphstore.Store, indexer.Index) {
	dir, ctx := t.TempDir(), context.Background()
	store, err := embedded.Open(ctx, embedded.Options{Dir: dir, Now: testclock.Now})
	if err != nil {
		t.Fatal(err)
	}
	index, err := searchfile.Open(ctx, searchfile.Options{Dir: dir, Fingerprint: indexer.NewSchema(model.Default()).Fingerprint()})
	if err != nil {
		t.Fatal(err)
	}
	return store, index
}

func openServers(t *testing.T) (graphstore.Store, indexer.Index) {
	graph, index := testservers.Neo4j(t), catalogtest.OpenTypesense(t)
	testservers.WipeNeo4j(t, graph)
	return catalogtest.OpenNeo4j(t, graph), index
}

// openCatalog makes a catalog on an empty store. It is closed with the test.
func openCatalog(t *testing.T, b backend) *services.Services {
	t.Helper()
	store, index := b.open(t)
	c := services.New(services.Options{Store: store, Index: &follower.Index{Index: index}, Now: testclock.Now})
	ctx, stop := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { c.Follower.Follow(ctx) })
	t.Cleanup(func() {
		stop()
		following.Wait()
		c.Stop()
		for _, closer := range []interface{ Close() error }{index, store} {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return c
}

// load writes statements, waits until the index has them, and returns the
// moments.
func load(t *testing.T, c *services.Services, statements []statement) map[string]int64 {
	t.Helper()
	ctx, moments := context.Background(), map[string]int64{}
	for _, s := range statements {
		if s.Moment != "" {
			moments[s.Moment] = catalogtest.Past(t)
			continue
		}
		for _, a := range s.Aspects {
			value, err := json.Marshal(a.value)
			if err != nil {
				t.Fatal(err)
			}
			proposal := write.Proposal{
				EntityType: strings.Split(s.URN+"::", ":")[2], EntityURN: s.URN, AspectName: a.name,
				Aspect: &write.GenericAspect{Value: value, ContentType: "application/json"},
			}
			if s.Run != "" || s.Pipeline != "" {
				proposal.System = &catalog.SystemMetadata{RunID: s.Run, PipelineName: s.Pipeline}
			}
			if _, err := c.Ingest(ctx, proposal, catalog.WriteOptions{Actor: s.By}); err != nil {
				t.Fatalf("%s of %s: %v", a.name, s.URN, err)
			}
		}
	}
	for waited := 0; c.Follower.Await(ctx) != nil; waited++ { // a loaded machine may need more than one wait
		if waited == 6 {
			t.Fatal("the index does not follow")
		}
	}
	return moments
}

// rooms asks the rooms of the catalog.
type rooms struct{ catalog *services.Services }

func (rooms) name() string { return "rooms" }

func (r rooms) ask(q *question) (answer, error) {
	ctx := context.Background()
	urn, err := r.urn(q)
	if err != nil {
		return refusal(string(catalog.CodeOf(err)), catalog.MessageOf(err)), nil
	}
	var a answer
	switch {
	case q.Lineage != nil:
		a, err = r.lineage(ctx, q.Lineage, urn)
	case q.Impact != nil:
		a, err = impactAnswer(written(r.catalog.Lineage.Impact(ctx, lineage.ImpactRequest{
			Walk: q.Impact.query(urn), Filter: lineage.Filter(q.Impact.Where), Removed: q.Impact.Removed, Change: q.Impact.Change, Only: q.Impact.Only,
		})))
	case q.Diff != nil:
		a, err = diffAnswer(written(r.catalog.Lineage.Diff(ctx, lineage.DiffRequest{
			Walk: q.Diff.query(urn), Before: millis(q.Diff.Before), After: millis(q.Diff.After),
		})))
	case q.Search != nil && q.Search.Among != nil:
		a, err = pages(q.Search, func(scroll string) (*found, error) { return r.searchAmong(ctx, q.Search, urn, scroll) })
	case q.Search != nil:
		a, err = pages(q.Search, func(scroll string) (*found, error) { return r.search(ctx, q.Search, urn, scroll) })
	case q.Autocomplete != nil:
		a, err = r.autocomplete(ctx, q.Autocomplete)
	case q.Browse != nil:
		a, err = browsed(r.catalog.Search.Browse(ctx, q.Browse.request()))
	case q.BrowseV2 != nil:
		a, err = browsed(r.catalog.Search.BrowseV2(ctx, q.BrowseV2.request(), q.BrowseV2.Input))
	case q.BrowsePaths != nil:
		var paths []string
		paths, err = r.catalog.Search.BrowsePaths(ctx, urn)
		a = answer{"paths": paths}
	case q.Count != nil:
		var counts map[string]int
		counts, err = r.catalog.Search.CountEntities(ctx, q.Count.Types)
		a = answer{"counts": counts}
	}
	if err != nil {
		return refusal(string(catalog.CodeOf(err)), catalog.MessageOf(err)), nil
	}
	return a, nil
}

// urn reads the entity that a question is about, or the saved view of a search.
// Searches may have neither.
func (r rooms) urn(q *question) (model.URN, error) {
	text := ""
	switch {
	case q.Lineage != nil:
		text = q.Lineage.Of
	case q.Impact != nil:
		text = q.Impact.Of
	case q.Diff != nil:
		text = q.Diff.Of
	case q.Search != nil && q.Search.Among != nil:
		text = q.Search.Among.Of
	case q.Search != nil && q.Search.View != "":
		text = q.Search.View
	case q.BrowsePaths != nil:
		text = q.BrowsePaths.Of
	default:
		return model.URN{}, nil
	}
	u, _, err := r.catalog.ParseURN(text)
	return u, err
}

// written is an answer of a room as REST would write it.
func written[T any](value T, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// query is a walk in the words of the rooms.
func (w *walk) query(start model.URN) lineage.WalkQuery {
	return lineage.WalkQuery{
		URN: start, Direction: w.direction(), MaxHops: w.Hops, Reach: w.Reach, Columns: w.Columns,
		AsOf: millis(w.AsOf), From: w.From, To: w.To, MergeSiblings: w.MergeSiblings,
	}
}

func (r rooms) lineage(ctx context.Context, q *lineageQuestion, start model.URN) (answer, error) {
	return lineageAnswer(written(r.catalog.Lineage.Of(ctx, lineage.Request{
		Walk: q.query(start), Filter: lineage.Filter(q.Where), Removed: q.Removed,
		Start: q.Start, Count: size(q.Count), Paths: q.Paths, Edges: q.Edges, Basis: q.Basis,
	})))
}

func (q *searchQuestion) request(view model.URN, scroll string) search.Request {
	r := search.Request{
		Types: q.Types, Input: q.Input, Filter: q.Filter, View: view, Start: q.Start, Count: size(q.Count),
		Facets: q.Facets, Scroll: q.Scroll, ScrollID: scroll,
	}
	if q.Sort != nil {
		r.Sort = &search.SortCriterion{Field: q.Sort.Field, Order: q.Sort.Order}
	}
	return r
}

func (r rooms) search(ctx context.Context, q *searchQuestion, view model.URN, scroll string) (*found, error) {
	result, err := r.catalog.Search.Search(ctx, q.request(view, scroll))
	if err != nil {
		return nil, err
	}
	f := &found{total: result.Total, scroll: result.ScrollID, facets: facetsOf(result.Facets), titles: titlesOf(result.Facets)}
	for _, h := range result.Hits {
		f.hits = append(f.hits, hit{urn: h.URN, name: h.Name, matched: matchedIn(h.MatchedFields)})
	}
	return f, nil
}

func (r rooms) searchAmong(ctx context.Context, q *searchQuestion, start model.URN, scroll string) (*found, error) {
	result, err := r.catalog.Lineage.Search(ctx, lineage.SearchRequest{Request: q.request(model.URN{}, scroll), Walk: q.Among.query(start)})
	if err != nil {
		return nil, err
	}
	f := &found{total: result.Total, scroll: result.ScrollID, facets: facetsOf(result.Facets), titles: titlesOf(result.Facets), partial: &result.Partial}
	for _, h := range result.Hits {
		f.hits = append(f.hits, hit{urn: h.URN, name: h.Name, matched: matchedIn(h.MatchedFields), degree: h.Degree, paths: h.Paths})
	}
	return f, nil
}

func matchedIn(fields []search.MatchedField) map[string]string {
	matched := map[string]string{}
	for _, m := range fields {
		matched[m.Name] = m.Value
	}
	return matched
}

func facetsOf(facets []search.Facet) map[string]map[string]int {
	counts := map[string]map[string]int{}
	for _, f := range facets {
		counts[f.Field] = map[string]int{}
		for _, n := range f.Counts {
			counts[f.Field][n.Value] = n.Docs
		}
	}
	return counts
}

func titlesOf(facets []search.Facet) map[string]string {
	titles := map[string]string{}
	for _, f := range facets {
		titles[f.Field] = f.DisplayName
	}
	return titles
}

func (r rooms) autocomplete(ctx context.Context, q *autocompleteQuestion) (answer, error) {
	suggested, err := r.catalog.Search.Autocomplete(ctx, search.AutocompleteRequest{
		Types: []string{q.Type}, Query: q.Query, Field: q.Field, Filter: q.Filter, Limit: limit(q.Limit),
	})
	if err != nil {
		return nil, err
	}
	a, urns := answer{"suggestions": suggested.Texts, "suggested": len(suggested.Texts)}, []string{}
	for _, h := range suggested.Hits {
		urns = append(urns, h.URN)
	}
	a.list(urns)
	return a, nil
}

func (q *browseQuestion) request() search.BrowseRequest {
	return search.BrowseRequest{EntityType: q.Type, Path: q.Path, Filter: q.Filter, Start: q.Start, Limit: limit(q.Limit)}
}

func browsed(result *search.BrowseResult, err error) (answer, error) {
	if err != nil {
		return nil, err
	}
	place := place{entities: result.TotalEntities, below: result.TotalBelow, groups: &result.TotalGroups}
	for _, g := range result.Groups {
		place.steps = append(place.steps, browseGroup{g.Name, g.Count, g.URN, g.HasSubGroups})
	}
	for _, h := range result.Entities {
		place.hits = append(place.hits, h.URN)
	}
	return place.answer(), nil
}
