package removal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// stated lists the edges of the table, each with the time, the run and the actor of its statement: as the
// store has it, and as the provenance of its lineage and of its labels has it.
func stated(h *catalogtest.Harness) []string {
	h.T.Helper()
	var list []string
	edges, err := h.Store.Edges(context.Background(), graphstore.EdgeQuery{URNs: []string{catalogtest.Table}, Page: graphstore.Page{Count: 100}})
	h.Want("", err)
	for _, e := range edges[catalogtest.Table].Edges {
		list = append(list, fmt.Sprintf("%s %s: %d, %s, %s", e.Type, e.Destination, e.Since, e.SinceRun, e.SinceActor))
	}
	table := catalogtest.URN(catalogtest.Table)
	walked, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: lineage.WalkQuery{URN: table, Direction: lineage.Upstream, MaxHops: 1}, Count: 100, Edges: true})
	h.Want("", err)
	for i := range walked.Edges {
		p := walked.Edges[i].Provenance
		list = append(list, fmt.Sprintf("walked %s: %d, %s, %s", walked.Edges[i].Upstream, p.StatedAt, p.Run, p.Actor))
	}
	labels, err := h.LabelsOf(context.Background(), catalogtest.URNs(catalogtest.Table))
	h.Want("", err)
	for _, l := range labels[table] {
		list = append(list, fmt.Sprintf("label %s: %d, %s, %s", l.URN, l.Provenance.StatedAt, l.Provenance.Run, l.Provenance.Actor))
	}
	return list
}

// TestRollbackRestoresProvenance: an edge that a rollback makes current again has its stamps of before the
// run: time, run and actor of one write. It was not current while the run's version was the latest.
func TestRollbackRestoresProvenance(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t, Store: &catalogtest.Faulty{Store: store}}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		const other = "urn:li:dataset:(urn:li:dataPlatform:hive,db.other,PROD)"
		const wrong = "urn:li:dataset:(urn:li:dataPlatform:hive,db.wrong,PROD)"
		upstreams := func(of ...string) string {
			list := make([]string, len(of))
			for i, u := range of {
				list[i] = `{"dataset":"` + u + `","type":"TRANSFORMED"}`
			}
			fine := ""
			if slices.Contains(of, catalogtest.Upstream) {
				fine = `,"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(` + catalogtest.Upstream +
					`,c)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(` + catalogtest.Table + `,c)"]}]`
			}
			return `{"upstreams":[` + strings.Join(list, ",") + `]` + fine + `}`
		}
		tags := func(names ...string) string {
			list := make([]string, len(names))
			for i, name := range names {
				list[i] = `{"tag":"urn:li:tag:` + name + `"}`
			}
			return `{"tags":[` + strings.Join(list, ",") + `]}`
		}
		write := func(run, actor, aspect, value string) int64 {
			t.Helper()
			testclock.Forward(2 * time.Millisecond)
			_, err := h.Ingest(context.Background(), catalogtest.InRun(run, catalogtest.Table, aspect, value), catalog.WriteOptions{Actor: "urn:li:corpuser:" + actor})
			h.Want("", err)
			return testclock.Now().UnixMilli()
		}
		rollBack := func(run string) {
			t.Helper()
			testclock.Forward(2 * time.Millisecond)
			_, err := h.Removal.Rollback(context.Background(), removal.RollbackRequest{Origin: catalogtest.OfRun(run)}, catalog.WriteOptions{Actor: "urn:li:corpuser:undoes"})
			h.Want("", err)
		}
		write("first", "omar", "upstreamLineage", upstreams(catalogtest.Upstream))
		write("first", "omar", "globalTags", tags("one"))
		write("second", "mira", "upstreamLineage", upstreams(catalogtest.Upstream, other))
		write("second", "mira", "globalTags", tags("two", "one"))
		before := stated(h)
		for _, want := range []string{"first, urn:li:corpuser:omar", "second, urn:li:corpuser:mira"} {
			if !strings.Contains(strings.Join(before, "\n"), want) {
				t.Fatalf("nothing is stated by %s:\n%s", want, strings.Join(before, "\n"))
			}
		}

		var during int64
		for _, bad := range []string{"bad", "worse", "worst"} {
			// The run also repeats the former edges and ends them, so that the newest ended statement is its
			// own.
			write(bad, "bela", "upstreamLineage", upstreams(wrong))
			write(bad, "bela", "globalTags", tags("bad"))
			write(bad, "bela", "upstreamLineage", upstreams(other, catalogtest.Upstream))
			write(bad, "bela", "globalTags", tags("one", "two"))
			write(bad, "bela", "globalTags", tags("bad"))
			during = write(bad, "bela", "upstreamLineage", upstreams(wrong))
			rollBack(bad)
			if diff := cmp.Diff(before, stated(h)); diff != "" {
				t.Errorf("after the rollback of %s (-before +after):\n%s", bad, diff)
			}
			then, err := h.Store.Edges(context.Background(), graphstore.EdgeQuery{URNs: []string{catalogtest.Table}, Types: []string{"DownstreamOf", "TaggedWith"}, AsOf: during, Page: graphstore.Page{Count: 100}})
			h.Want("", err)
			for _, e := range then[catalogtest.Table].Edges {
				if e.Destination != wrong && e.Destination != "urn:li:tag:bad" {
					t.Errorf("as of a moment before the rollback of %s there is %+v", bad, e)
				}
			}
		}

		diff, err := h.Lineage.Diff(context.Background(), lineage.DiffRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.Table), Direction: lineage.Upstream}, Before: during})
		h.Want("", err)
		if len(diff.EdgesAdded) != 2 {
			t.Errorf("the rollback brought back %+v, want two edges", diff.EdgesAdded)
		}
		for i := range diff.EdgesAdded {
			if at, run, actor := diff.EdgesAdded[i].Began(); at < diff.Before || run != "" || actor != "urn:li:corpuser:undoes" {
				t.Errorf("%s came back at %d in %q by %s", diff.EdgesAdded[i].Upstream, at, run, actor)
			}
		}
	})
}

// TestRollbackWithoutThePast: statements of which the store does not know when they began
// have the stamp of the version that states them.
func TestRollbackWithoutThePast(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Run("first", catalogtest.Table, "globalTags", `{"tags":[{"tag":"urn:li:tag:one"}]}`)
	testclock.Forward(2 * time.Millisecond)
	h.Run("bad", catalogtest.Table, "globalTags", `{"tags":[]}`)
	history, err := h.Store.History(context.Background(), []string{catalogtest.Table})
	h.Want("", err)
	before := history[catalogtest.Table]
	// Statements are forgotten only with their entity.
	err = h.Store.Update(context.Background(), []string{catalogtest.Table}, func(tx graphstore.Tx) error {
		back := graphstore.Batch{DeleteEntities: []string{catalogtest.Table}, Nodes: []graphstore.NodeUpdate{{URN: catalogtest.Table, Type: "dataset", Exists: true}}}
		for _, v := range before.Versions {
			if v.IsLatest() {
				back.PutVersions = append(back.PutVersions, v)
			} else {
				back.PutArchived = append(back.PutArchived, v)
			}
		}
		return tx.Write(back)
	})
	h.Want("", err)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
	latest, err := h.Store.LatestAspects(context.Background(), []string{catalogtest.Table}, []string{"globalTags"})
	h.Want("", err)
	written := latest[catalogtest.Table][0].CreatedOn
	want := []string{
		fmt.Sprintf("TaggedWith urn:li:tag:one: %d, first, %s", written, catalogtest.Ada),
		fmt.Sprintf("label urn:li:tag:one: %d, first, %s", written, catalogtest.Ada),
	}
	if got := stated(h); !slices.Equal(got, want) {
		t.Errorf("stated %q, want %q", got, want)
	}
}
