package overlay_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// TestOverlayAgreesWithWriting asks random catalogs about lineage and impact over random overlays, writes the overlays, and
// asks the catalogs again: the answers are the same.
func TestOverlayAgreesWithWriting(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		rounds := testsize.Of(6, 60)
		if _, ok := store.(*neo4j.Store); ok {
			rounds = testsize.Of(2, 20)
		}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		seed := testseed.Of(t)
		g := &graph{t: t, random: rand.New(rand.NewPCG(seed, 7)), c: services.New(services.Options{Store: store, Now: testclock.Now}), name: fmt.Sprintf("overlay_%x_%d", seed, rounds)}
		for i := range 12 {
			g.write(g.values(i))
		}
		for range rounds {
			var overlay []write.Proposal
			for _, i := range g.random.Perm(14)[:1+g.random.IntN(4)] { // 12 and 13 are new at first
				overlay = append(overlay, g.values(i)...)
			}
			before := g.answers(nil)
			over := g.answers(overlay)
			if diff := gocmp.Diff(before, g.answers(nil)); diff != "" {
				t.Fatalf("a question over an overlay has written: %s", diff)
			}
			g.write(overlay)
			after := g.answers(nil)
			for question, want := range after {
				if diff := gocmp.Diff(want, over[question]); diff != "" {
					t.Errorf("%s over %s\nwithout it: %s\n%s", question, catalogtest.MustJSON(t, overlay), before[question], diff)
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}

type graph struct {
	t      *testing.T
	random *rand.Rand
	c      *services.Services
	name   string
}

func (g *graph) urn(i int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.t%02d,PROD)", g.name, i)
}

func (g *graph) column(i int) string {
	return fmt.Sprintf("urn:li:schemaField:(%s,%c)", g.urn(i), 'a'+rune(g.random.IntN(3)))
}

// values are random values of a dataset.
func (g *graph) values(i int) []write.Proposal {
	var fields []string
	for _, path := range []string{"a", "b", "c"}[:2+g.random.IntN(2)] {
		fields = append(fields, `{"fieldPath":"`+path+`","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`)
	}
	proposals := []write.Proposal{catalogtest.Proposal("UPSERT", g.urn(i), "schemaMetadata",
		`{"schemaName":"t","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[`+strings.Join(fields, ",")+`]}`)}
	if g.random.IntN(6) == 0 {
		proposals = append(proposals, catalogtest.Proposal("UPSERT", g.urn(i), "status", fmt.Sprintf(`{"removed":%t}`, g.random.IntN(2) == 0)))
	}
	if g.random.IntN(8) == 0 {
		return append(proposals, catalogtest.Proposal("UPSERT", g.urn(i), "upstreamLineage", `{"upstreams":[]}`))
	}
	var upstreams, fine []string
	for _, from := range g.random.Perm(14)[:1+g.random.IntN(3)] {
		if from == i {
			continue
		}
		upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED","auditStamp":{"time":0,"actor":"urn:li:corpuser:a"}}`, g.urn(from)))
		fine = append(fine, fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}`, g.column(from), g.column(i)))
	}
	return append(proposals, catalogtest.Proposal("UPSERT", g.urn(i), "upstreamLineage", `{"upstreams":[`+strings.Join(upstreams, ",")+`],"fineGrainedLineages":[`+strings.Join(fine, ",")+`]}`))
}

func (g *graph) write(proposals []write.Proposal) {
	g.t.Helper()
	results, err := g.c.IngestBatch(g.t.Context(), proposals, catalog.WriteOptions{})
	if err != nil {
		g.t.Fatal(err)
	}
	for _, r := range results {
		if r.Err != nil {
			g.t.Fatal(r.Err)
		}
	}
}

// overlayOf writes proposals as an overlay has them.
func overlayOf(t testing.TB, proposals []write.Proposal) []json.RawMessage {
	raw := []json.RawMessage{}
	for _, p := range proposals {
		raw = append(raw, json.RawMessage(fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":%q,"aspectName":%q,"aspect":{"json":%s}}`, p.EntityURN, p.ChangeType, p.AspectName, p.Aspect.Value)))
	}
	return raw
}

// answers asks about all datasets, over an overlay unless it is nil. The answers are without times.
func (g *graph) answers(overlay []write.Proposal) map[string]string {
	g.t.Helper()
	of, impact := g.c.Lineage.Of, g.c.Lineage.Impact
	if overlay != nil {
		raw := overlayOf(g.t, overlay)
		of = func(ctx context.Context, r lineage.Request) (*lineage.Result, error) {
			return g.c.Overlays.Of(ctx, raw, r)
		}
		impact = func(ctx context.Context, r lineage.ImpactRequest) (*lineage.Impact, error) {
			return g.c.Overlays.Impact(ctx, raw, r)
		}
	}
	said := map[string]string{}
	for i := range 14 {
		for _, direction := range []string{lineage.Upstream, lineage.Downstream} {
			for _, columns := range []bool{false, true} {
				for _, removed := range []string{lineage.RemovedShow, lineage.RemovedStop} {
					r := lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(g.urn(i)), Direction: direction, Columns: columns}, Removed: removed, Count: 1000, Paths: 3, Edges: true}
					page, err := of(g.t.Context(), r)
					said[fmt.Sprintf("%s of %d columns=%t removed=%s", direction, i, columns, removed)] = walked(g.t, page, err)
				}
			}
		}
		for _, column := range []string{"a", "b"} {
			urn, err := lineage.ColumnOf(catalogtest.URN(g.urn(i)), column)
			if err != nil {
				g.t.Fatal(err)
			}
			answer, err := impact(g.t.Context(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: urn}})
			said[fmt.Sprintf("impact of %d.%s", i, column)] = affected(g.t, answer, err)
		}
	}
	return said
}

func walked(t *testing.T, page *lineage.Result, err error) string {
	if err != nil {
		if catalog.CodeOf(err) != catalog.NotFound {
			t.Fatal(err)
		}
		return err.Error()
	}
	var lines []string
	for i := range page.Entities {
		e := &page.Entities[i]
		line := fmt.Sprintf("%d %s exists=%t removed=%t", e.Degree, e.URN, e.Exists, e.Removed)
		for _, p := range e.Paths {
			for _, step := range p {
				line += " " + step.URN
			}
			line += ";"
		}
		lines = append(lines, line)
	}
	var edges []string
	for i := range page.Edges {
		edges = append(edges, fmt.Sprintf("%s>%s", page.Edges[i].Upstream, page.Edges[i].Downstream))
	}
	slices.Sort(edges)
	return fmt.Sprintf("%d partial=%t\n%s\n%s", page.Total, page.Partial, strings.Join(lines, "\n"), strings.Join(edges, "\n"))
}

func affected(t *testing.T, answer *lineage.Impact, err error) string {
	if err != nil {
		if catalog.CodeOf(err) != catalog.NotFound {
			t.Fatal(err)
		}
		return err.Error()
	}
	var lines []string
	for i := range answer.Entities {
		e := &answer.Entities[i]
		lines = append(lines, fmt.Sprintf("%s %d %s %s", e.URN, e.Degree, e.Effect, e.Why))
	}
	slices.SortFunc(lines, cmp.Compare[string])
	return strings.Join(lines, "\n")
}

// TestOverlayRestores: a walk that leaves out removed entities goes on beyond one that the overlay restores.
func TestOverlayRestores(t *testing.T) {
	h := catalogtest.NewHarness(t)
	urn := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	for name, upstream := range map[string]string{"c": "b", "b": "a", "a": ""} {
		upstreams := ""
		if upstream != "" {
			upstreams = fmt.Sprintf(`{"dataset":%q,"type":"COPY"}`, urn(upstream))
		}
		h.Say(urn(name), "upstreamLineage", `{"upstreams":[`+upstreams+`]}`)
	}
	h.Say(urn("b"), "status", `{"removed":true}`)
	for _, overlay := range []string{
		fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":"status","aspect":{"json":{"removed":false}}}`, urn("b")),
		fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"DELETE","aspectName":"status"}`, urn("b")),
	} {
		for _, removed := range []string{lineage.RemovedShow, lineage.RemovedStop} {
			r := lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(urn("c")), Direction: lineage.Upstream}, Removed: removed, Count: 10}
			if now, err := h.Lineage.Of(t.Context(), r); err != nil || removed == lineage.RemovedStop && now.Total != 0 {
				t.Fatalf("removed=%s: without the overlay the walk reaches %d entities, %v", removed, now.Total, err)
			}
			over, err := h.Overlays.Of(t.Context(), []json.RawMessage{json.RawMessage(overlay)}, r)
			if err != nil || over.Total != 2 {
				t.Errorf("removed=%s: %v, %v, want 2 entities", removed, over, err)
			}
		}
	}
}

// TestOverlayErrors: an overlay that is wrong is refused with a sentence that says where, and nothing is asked.
func TestOverlayErrors(t *testing.T) {
	h := catalogtest.NewHarness(t)
	const table = "urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD)"
	h.Say(table, "status", `{"removed":false}`)
	one := func(change, urn, aspect, value string) string {
		return fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":%q,"aspectName":%q,"aspect":{"json":%s}}`, urn, change, aspect, value)
	}
	for _, c := range []struct{ overlay, want string }{
		{`{}`, "overlay[0]"},
		{`"text"`, "overlay[0]"},
		{one("UPSERT", "nonsense", "status", `{"removed":true}`), "nonsense"},
		{one("UPSERT", table, "upstreamLineag", `{"upstreams":[]}`), `did you mean upstreamLineage`},
		{one("UPSERT", table, "datasetProfile", `{"timestampMillis":1}`), "time series"},
		{one("PATCH", table, "status", `{"removed":true}`), "changeType is UPSERT or DELETE"},
		{one("UPSERT", table, "status", `{"removed":"yes"}`), "status of " + table},
		{one("UPSERT", table, "status", `{"removed":true}`) + "," + one("UPSERT", table, "status", `{"removed":true}`), "overlay[1]: status of " + table + " is given twice"},
		{`{"proposedSnapshot":{"com.linkedin.metadata.snapshot.DatasetSnapshot":{"urn":"` + table + `","aspects":[]}}}`, "snapshot"},
	} {
		var overlay []json.RawMessage
		if err := json.Unmarshal([]byte("["+c.overlay+"]"), &overlay); err != nil {
			t.Fatal(err)
		}
		_, err := h.Overlays.Of(t.Context(), overlay, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(table), Direction: lineage.Upstream}, Count: 1})
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.overlay, err, c.want)
		}
	}
	_, err := h.Overlays.Impact(t.Context(), nil, lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(table), AsOf: 1}})
	if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "about the present") {
		t.Error(err)
	}
}

// TestOverlayLimits: an overlay with as many proposals and edges as the limits is read, an overlay with one
// more is refused.
func TestOverlayLimits(t *testing.T) {
	h := catalogtest.NewHarness(t)
	urn := func(i int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", i) }
	h.Say(urn(0), "status", `{"removed":false}`)
	ask := func(overlay []json.RawMessage) error {
		_, err := h.Overlays.Of(t.Context(), overlay, lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(urn(0)), Direction: lineage.Upstream, MaxHops: 1}, Count: 1})
		return err
	}
	many := func(n int) (overlay []json.RawMessage) {
		for i := range n {
			overlay = append(overlay, json.RawMessage(fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"changeType":"DELETE","aspectName":"status"}`, urn(i))))
		}
		return overlay
	}
	wide := func(n int) []json.RawMessage {
		var upstreams []string
		for i := range n {
			upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"COPY"}`, urn(1+i)))
		}
		return []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"aspectName":"upstreamLineage","aspect":{"json":{"upstreams":[%s]}}}`, urn(0), strings.Join(upstreams, ",")))}
	}
	for _, one := range []struct {
		fits, over []json.RawMessage
		want       string
	}{
		{many(limits.OverlayAspects), many(limits.OverlayAspects + 1), "may have 10000 proposals"},
		{wide(limits.OverlayEdges), wide(limits.OverlayEdges + 1), "may state 100000 edges"},
	} {
		if err := ask(one.fits); err != nil {
			t.Error(err)
		}
		if err := ask(one.over); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%v, want %q", err, one.want)
		}
	}
}
