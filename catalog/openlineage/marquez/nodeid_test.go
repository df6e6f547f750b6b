package marquez

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

func TestKindsOfNodes(t *testing.T) {
	const id = "01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f11"
	for _, c := range []struct {
		node, kind, rest string
		ok               bool
	}{
		{"dataset:postgres://db:5432:shop.orders", datasetKind, "postgres://db:5432:shop.orders", true},
		{"job:nightly:copy#1", jobKind, "nightly:copy#1", true},
		{"job:nightly:copy#" + id, "", "", false},
		{"datasetField:hive:a:b", "", "", false},
		{"run:" + id, "", "", false},
		{"dataset:", "", "", false},
		{"", "", "", false},
		{"dataset" + strings.Repeat(":", limits.MarquezColons), datasetKind, strings.Repeat(":", limits.MarquezColons-1), true},
		{"dataset" + strings.Repeat(":", limits.MarquezColons+1), "", "", false},
		{"job:" + strings.Repeat("j", limits.OpenLineageName-4), jobKind, strings.Repeat("j", limits.OpenLineageName-4), true},
		{"job:" + strings.Repeat("j", limits.OpenLineageName-3), "", "", false},
	} {
		kind, rest, err := kindOf(c.node, datasetKind, jobKind)
		if kind != c.kind || rest != c.rest || (err == nil) != c.ok || err != nil && catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%.80s: %s %.80s %v", c.node, kind, rest, err)
		}
	}
}

// TestSplits: each colon may end the namespace, except one at the end.
func TestSplits(t *testing.T) {
	for text, want := range map[string][]ID{
		"hive:orders":             {{Namespace: "hive", Name: "orders"}},
		"postgres://db:5432:a.b":  {{Namespace: "postgres://db:5432", Name: "a.b"}, {Namespace: "postgres://db", Name: "5432:a.b"}, {Namespace: "postgres", Name: "//db:5432:a.b"}},
		"arn:aws:glue:eu:1:t/a/b": {{Namespace: "arn:aws:glue:eu:1", Name: "t/a/b"}, {Namespace: "arn:aws:glue:eu", Name: "1:t/a/b"}, {Namespace: "arn:aws:glue", Name: "eu:1:t/a/b"}, {Namespace: "arn:aws", Name: "glue:eu:1:t/a/b"}, {Namespace: "arn", Name: "aws:glue:eu:1:t/a/b"}},
		"none":                    nil,
		"end:":                    nil,
	} {
		if got := splits(text); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestPagesAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		page Page
		ok   bool
	}{
		{Page{1, 0}, true},
		{Page{0, 0}, false},
		{Page{-1, 0}, false},
		{Page{1, -1}, false},
		{Page{limits.MarquezPage, limits.MaxPageStart}, true},
		{Page{limits.MarquezPage + 1, 0}, false},
		{Page{1, limits.MaxPageStart + 1}, false},
	} {
		if err := c.page.check(); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.page, err)
		}
	}
	for depth, ok := range map[int]bool{-1: false, 0: true, limits.MarquezDepth: true, limits.MarquezDepth + 1: false} {
		if err := depthOf(depth); (err == nil) != ok {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	if got := pageOf([]int{1, 2, 3}, Page{2, 2}); !slices.Equal(got, []int{3}) {
		t.Error(got)
	}
	if got := pageOf([]int{1, 2, 3}, Page{2, 9}); len(got) != 0 {
		t.Error(got)
	}
}

// TestFullGraph: a graph takes as many nodes as it may have.
func TestFullGraph(t *testing.T) {
	g := &growing{jobs: map[string]ID{}, datasets: map[string]ID{}}
	for i := range limits.MarquezNodes {
		if g.full() {
			t.Fatalf("%d nodes are too many", i)
		}
		g.jobs[fmt.Sprint(i)] = ID{}
	}
	if !g.full() || g.partial == "" {
		t.Error("a full graph takes another node")
	}
}

// TestStates compares the states of runs after their last event.
func TestStates(t *testing.T) {
	for _, c := range []struct{ status, kind, native, want string }{
		{"STARTED", "", "", "RUNNING"},
		{"COMPLETE", "SUCCESS", "COMPLETE", "COMPLETED"},
		{"COMPLETE", "FAILURE", "FAIL", "FAILED"},
		{"COMPLETE", "FAILURE", "ABORT", "ABORTED"},
		{"COMPLETE", "SKIPPED", "airflow", "ABORTED"},
		{"COMPLETE", "", "", "COMPLETED"},
		{"COMPLETE", "UP_FOR_RETRY", "airflow", "FAILED"},
	} {
		var e runEventOf
		e.Status, e.Result.Type, e.Result.NativeType = c.status, c.kind, c.native
		if got := stateAfter(e); got != c.want {
			t.Errorf("%v: %s", c, got)
		}
	}
}

// TestOrderOfEdges: edges that the store lists by URN are compared by the moment since which they are known.
func TestOrderOfEdges(t *testing.T) {
	older, newer := graphstore.Edge{Source: "b", Since: 1}, graphstore.Edge{Source: "a", Since: 2}
	edges := []graphstore.Edge{older, newer}
	sortNewest(edges)
	if edges[0].Source != "a" {
		t.Error(edges)
	}
}
