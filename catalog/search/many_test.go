package search_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/indexer"
)

// TestSearchMany: each of several searches has the result that it has alone.
func TestSearchMany(t *testing.T) {
	s := catalogtest.NewShop(t)
	ctx := context.Background()
	view, err := s.Edits.CreateView(ctx, edits.NewView{Name: "v", Type: edits.GlobalView, Definition: edits.ViewDefinition{EntityTypes: []string{"chart"}}}, catalogtest.ByAda)
	if err != nil {
		t.Fatal(err)
	}
	tagged := &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "tags", Values: []string{"urn:li:tag:Engineering"}, Condition: catalog.CondEqual}}}}}
	requests := []search.Request{
		{Types: []string{"dataset"}, Input: "users", Count: 10},
		{Types: []string{"dataset"}, Filter: tagged, Count: 1, Facets: []string{}},
		{Types: []string{"nonsense"}, Count: 10},
		{Types: []string{"dataset", "chart"}, View: view, Input: "*", Count: 10, WithoutMatches: true},
		{Types: []string{"dataset", "chart"}, View: catalogtest.URN("urn:li:dataHubView:none"), Input: "*", Count: 10},
		{Types: []string{"dataset"}, Count: 10, Start: -1},
		{Types: []string{"dataset"}, Count: 10, Filter: &catalog.Filter{Or: []catalog.Conjunction{{And: []catalog.Criterion{{Field: "nonsense", Value: "x"}}}}}},
		{Types: []string{"dataset"}, Count: 1, Scroll: true},
		{Types: []string{"dataset"}, Count: 1, Scroll: true, ScrollID: "%%%"},
		{Types: []string{"dataset"}, Within: []string{catalogtest.Created, catalogtest.Deleted}, Count: 10},
	}
	answers, err := s.Search.SearchMany(ctx, requests)
	if err != nil || len(answers) != len(requests) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	refused := 0
	for i, r := range requests {
		alone, err := s.Search.Search(ctx, r)
		if diff := cmp.Diff(alone, answers[i].Result); diff != "" {
			t.Errorf("%+v (-alone +together):\n%s", r, diff)
		}
		if catalog.CodeOf(err) != catalog.CodeOf(answers[i].Err) || err != nil && err.Error() != answers[i].Err.Error() {
			t.Errorf("%+v: %v, alone %v", r, answers[i].Err, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d searches are refused", refused)
	}
	if answers, err := s.Search.SearchMany(ctx, requests[2:3]); err != nil || catalog.CodeOf(answers[0].Err) != catalog.Invalid {
		t.Errorf("nothing but what is refused: %+v, %v", answers, err)
	}
	s.Index.Down.Store(true)
	if answers, err := s.Search.SearchMany(ctx, requests); catalog.CodeOf(err) != catalog.Unavailable || answers != nil {
		t.Errorf("without the index: %d answers, %v", len(answers), err)
	}
	s.Index.Down.Store(false)
}

// TestSearchManyPhantoms: entities that do not exist are left out of each answer.
func TestSearchManyPhantoms(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	urn := s.Add(1)
	s.Await()
	s.Stop()
	phantom := catalogtest.Dataset("hive", "db.phantom", "PROD")
	if err := s.Index.Write(context.Background(), indexer.Batch{Put: []indexer.Document{{
		URN: phantom, Type: "dataset", Weight: 1,
		Values: map[string][]string{indexer.FieldURN: {phantom}, indexer.FieldType: {"dataset"}, indexer.FieldRemoved: {"false"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	one := search.Request{Types: []string{"dataset"}, Count: 10}
	answers, err := s.Search.SearchMany(context.Background(), []search.Request{one, {Types: []string{"dataset"}, Within: []string{phantom}, Count: 10}, one})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{urn}, {}, {urn}} {
		if diff := cmp.Diff(want, catalogtest.HitURNs(answers[i].Result)); diff != "" || answers[i].Result.Total != len(want) {
			t.Errorf("%d: total %d, hits (-want +got):\n%s", i, answers[i].Result.Total, diff)
		}
	}
	s.Follow()
}
