package lineage

import (
	"io"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/model"
)

// TestFlowWords: flows has a word for every lineage relationship of the model.
func TestFlowWords(t *testing.T) {
	for _, kind := range model.Default().LineageKinds() {
		if flows[kind.Relationship] == "" {
			t.Errorf("no word for %s", kind.Relationship)
		}
	}
}

// TestFadingIsShown: each drawing says which edges fade.
func TestFadingIsShown(t *testing.T) {
	const up, down = "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)"
	page := &lineage.Result{
		URN: down, Name: "b", Type: "dataset", Direction: lineage.Upstream, Total: 1, Entities: []lineage.Entity{{URN: up, Name: "a", Type: "dataset", Degree: 1, Exists: true}},
		Edges: []lineage.Link{{Upstream: up, Downstream: down, Type: model.RelationshipDownstreamOf, Fading: &lineage.Fading{LastSeen: 1000, Runs: 1}}},
	}
	const said = "1 later good run of its source did not state it, last seen 1970-01-01T00:00:01Z"
	diff := &lineage.Diff{URN: down, Direction: lineage.Upstream, EdgesAdded: page.Edges}
	for name, c := range map[string]struct {
		write func(to io.Writer) error
		want  string
	}{
		"tree":    {func(to io.Writer) error { return writeTree(to, page, true) }, "[fading: " + said + "]"},
		"dot":     {func(to io.Writer) error { return writeDot(to, page) }, `[label="feeds", style=dashed, tooltip="` + said + `"]`},
		"mermaid": {func(to io.Writer) error { return writeMermaid(to, page) }, "n1 -.->|feeds, fading| n0"},
		"diff":    {func(to io.Writer) error { return writeDiff(to, diff, true) }, "[fading: " + said + "]"},
	} {
		var out strings.Builder
		if err := c.write(&out); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, without %s:\n%s", name, err, c.want, out.String())
		}
		page.Edges[0].Fading = nil
		out.Reset()
		if err := c.write(&out); err != nil || strings.Contains(out.String(), "fading") || strings.Contains(out.String(), "dashed") {
			t.Errorf("%s shows an edge that does not fade: %s", name, out.String())
		}
		page.Edges[0].Fading = &lineage.Fading{LastSeen: 1000, Runs: 1}
	}
}
