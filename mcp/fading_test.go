package mcp

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/lineage"
)

// TestFading: agents are told of each edge that fades, wherever an edge is described.
func TestFading(t *testing.T) {
	const up, down = "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)"
	edge := &lineage.Link{Upstream: up, Downstream: down, Type: "DownstreamOf", StatedBy: []string{down}, Fading: &lineage.Fading{LastSeen: 1000, LastSeenRun: "r", Runs: 4}}
	const want = "4 later good runs of its source did not state it, last seen 1970-01-01T00:00:01Z by r"
	path := []lineage.PathStep{{URN: up}, {URN: down, Edge: edge}}
	if got := hop(&lineage.Entity{URN: down, Type: "dataset", Paths: [][]lineage.PathStep{path}}).Fading; got != want {
		t.Errorf("a hop says %q", got)
	}
	if got := step(&path[1]).Fading; got != want {
		t.Errorf("a step says %q", got)
	}
	_, changed := changesOf(&lineage.Diff{EdgesAdded: []lineage.Link{*edge}, EdgesEnded: []lineage.Link{{Upstream: up, Downstream: down, UntilRun: "unseen-since:r"}}})
	if changed[0].Fading != want || changed[1].Fading != "" || !strings.HasPrefix(changed[1].Run, "unseen-since:") {
		t.Errorf("a comparison says %+v", changed)
	}
	edge.Fading = nil
	if got := step(&path[1]).Fading; got != "" {
		t.Errorf("an edge that does not fade says %q", got)
	}
}
