package removal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
)

// ofPipeline is a proposal of a run of a pipeline, which saw it at a moment.
func ofPipeline(run, pipeline, urn string, seen int64) write.Proposal {
	p := catalogtest.InRun(run, urn, "datasetProperties", `{"description":"d"}`)
	p.System = &catalog.SystemMetadata{RunID: run, LastObserved: seen, PipelineName: pipeline}
	return p
}

// far is later than the clock of any test, so that the moments of observations count.
const far = int64(9_000_000_000_000)

// TestEntitiesOfPipeline: the entities that a pipeline has written are listed with the moment at which the pipeline
// last stated them, equal writes of later runs included. Removed entities, entities of other writers, and queries are
// left out.
func TestEntitiesOfPipeline(t *testing.T) {
	h := catalogtest.NewHarness(t)
	table := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	for _, p := range []write.Proposal{
		ofPipeline("one", "p", table("again"), far+1), ofPipeline("one", "p", table("once"), far+2), ofPipeline("one", "p", table("gone"), far+3),
		ofPipeline("two", "p", table("again"), far+9), ofPipeline("two", "p", table("new"), far+9), ofPipeline("other", "q", table("others"), far+9),
	} {
		h.Attempt("", p)
	}
	query := catalogtest.InRun("two", "urn:li:query:q", "queryProperties", `{"statement":{"value":"select 1","language":"SQL"},"source":"SYSTEM","created":{"time":0,"actor":"urn:li:corpuser:a"},"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`)
	query.System.PipelineName = "p"
	h.Attempt("", query)
	h.Say(table("gone"), "status", `{"removed":true}`)
	found, partial, err := h.Removal.EntitiesOfPipeline(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i].Created = 0
	}
	want := []removal.PipelineEntity{{URN: table("again"), Run: "one", Seen: far + 9}, {URN: table("new"), Run: "two", Seen: far + 9}, {URN: table("once"), Run: "one", Seen: far + 2}}
	if diff := cmp.Diff(want, found); diff != "" || partial {
		t.Errorf("partial %v: %s", partial, diff)
	}
	if found, _, err := h.Removal.EntitiesOfPipeline(t.Context(), "nobody's"); err != nil || len(found) != 0 {
		t.Errorf("of an unknown pipeline: %v, %v", found, err)
	}
}

// TestLimitOfPipelineEntities: as many entities of a pipeline as the limit are looked at; with one more
// entity, the answer is partial.
func TestLimitOfPipelineEntities(t *testing.T) {
	h := catalogtest.NewHarness(t)
	add := func(from, to int) {
		var proposals []write.Proposal
		for i := from; i < to; i++ {
			proposals = append(proposals, ofPipeline("one", "p", fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%05d,PROD)", i), far))
		}
		for len(proposals) > 0 {
			n := min(len(proposals), 500)
			if _, err := h.IngestBatch(context.Background(), proposals[:n], catalog.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			proposals = proposals[n:]
		}
	}
	add(0, limits.PipelineEntities)
	for _, partial := range []bool{false, true} {
		found, cut, err := h.Removal.EntitiesOfPipeline(t.Context(), "p")
		if err != nil || len(found) != limits.PipelineEntities || cut != partial {
			t.Errorf("%d entities, partial %v: %v", len(found), cut, err)
		}
		add(limits.PipelineEntities, limits.PipelineEntities+1)
	}
}
