package catalog

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/indexer"
)

// TestSearchMany: several searches together are answered and refused as each is
// alone.
func TestSearchMany(t *testing.T) {
	s := newShop(t)
	ctx := context.Background()
	view, err := s.CreateView(ctx, NewView{Name: "v", Type: GlobalView, Definition: ViewDefinition{EntityTypes: []string{"chart"}}}, byAda)
	if err != nil {
		t.Fatal(err)
	}
	tagged := &Filter{Or: []Conjunction{{And: []Criterion{{Field: "tags", Values: []string{"urn:li:tag:Engineering"}, Condition: equalTo}}}}}
	requests := []SearchRequest{
		{Types: []string{"dataset"}, Input: "users", Count: 10},
		{Types: []string{"dataset"}, Filter: tagged, Count: 1, Facets: []string{}},
		{Types: []string{"nonsense"}, Count: 10},
		{Types: []string{"dataset", "chart"}, View: view, Input: "*", Count: 10, WithoutMatches: true},
		{Types: []string{"dataset", "chart"}, View: "urn:li:dataHubView:none", Input: "*", Count: 10},
		{Types: []string{"dataset"}, Count: 10, Start: -1},
		{Types: []string{"dataset"}, Count: 10, Filter: &Filter{Or: []Conjunction{{And: []Criterion{{Field: "nonsense", Value: "x"}}}}}},
		{Types: []string{"dataset"}, Count: 1, Scroll: true},
		{Types: []string{"dataset"}, Count: 1, Scroll: true, ScrollID: "%%%"},
		{Types: []string{"dataset"}, Within: []string{created, deleted}, Count: 10},
	}
	answers, err := s.SearchMany(ctx, requests)
	if err != nil || len(answers) != len(requests) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	refused := 0
	for i, r := range requests {
		alone, err := s.Search(ctx, r)
		if diff := cmp.Diff(alone, answers[i].Result); diff != "" {
			t.Errorf("%+v (-alone +together):\n%s", r, diff)
		}
		if CodeOf(err) != CodeOf(answers[i].Err) || err != nil && err.Error() != answers[i].Err.Error() {
			t.Errorf("%+v: %v, alone %v", r, answers[i].Err, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d searches are refused", refused)
	}
	if answers, err := s.SearchMany(ctx, requests[2:3]); err != nil || CodeOf(answers[0].Err) != Invalid {
		t.Errorf("nothing but what is refused: %+v, %v", answers, err)
	}
	s.index.down.Store(true)
	if answers, err := s.SearchMany(ctx, requests); CodeOf(err) != Unavailable || answers != nil {
		t.Errorf("without the index: %d answers, %v", len(answers), err)
	}
	s.index.down.Store(false)
}

// TestSearchManyPhantoms: what does not exist is left out of each answer.
func TestSearchManyPhantoms(t *testing.T) {
	s := newSearchHarness(t)
	urn := s.add(1)
	s.stop()
	phantom := dataset("hive", "db.phantom", "PROD")
	if err := s.index.Write(context.Background(), indexer.Batch{Put: []indexer.Document{{
		URN: phantom, Type: "dataset", Weight: 1,
		Values: map[string][]string{indexer.FieldURN: {phantom}, indexer.FieldType: {"dataset"}, indexer.FieldRemoved: {"false"}},
	}}}); err != nil {
		t.Fatal(err)
	}
	one := SearchRequest{Types: []string{"dataset"}, Count: 10}
	answers, err := s.SearchMany(context.Background(), []SearchRequest{one, {Types: []string{"dataset"}, Within: []string{phantom}, Count: 10}, one})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{urn}, {}, {urn}} {
		if diff := cmp.Diff(want, hitURNs(answers[i].Result)); diff != "" || answers[i].Result.Total != len(want) {
			t.Errorf("%d: total %d, hits (-want +got):\n%s", i, answers[i].Result.Total, diff)
		}
	}
	s.follow()
}
