package overlay_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/overlay"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// shop makes the URNs and values of the tests of comparisons.
type shop string

func (s shop) urn(name string) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,%s.%s,PROD)", string(s), name)
}

// schema are columns such as "id:int".
func (s shop) schema(name string, columns ...string) write.Proposal {
	var fields []string
	for _, c := range columns {
		path, typ, _ := strings.Cut(c, ":")
		nullable := strings.HasSuffix(typ, "?")
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"nullable":%t,"type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path, strings.TrimSuffix(typ, "?"), nullable))
	}
	return catalogtest.Proposal("UPSERT", s.urn(name), "schemaMetadata",
		`{"schemaName":"t","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[`+strings.Join(fields, ",")+`]}`)
}

// from says from which columns a table derives, such as "a<orders.state".
func (s shop) from(name string, columns ...string) write.Proposal {
	var upstreams, fine []string
	for _, c := range columns {
		to, from, _ := strings.Cut(c, "<")
		table, column, _ := strings.Cut(from, ".")
		upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED","auditStamp":{"time":0,"actor":"urn:li:corpuser:a"}}`, s.urn(table)))
		fine = append(fine, fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,%s)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,%s)"]}`, s.urn(table), column, s.urn(name), to))
	}
	slices.Sort(upstreams)
	return catalogtest.Proposal("UPSERT", s.urn(name), "upstreamLineage", `{"upstreams":[`+strings.Join(slices.Compact(upstreams), ",")+`],"fineGrainedLineages":[`+strings.Join(fine, ",")+`]}`)
}

func (s shop) say(name, aspect, value string) write.Proposal {
	return catalogtest.Proposal("UPSERT", s.urn(name), aspect, value)
}

// told writes a comparison in lines.
func (s shop) told(c *overlay.Comparison) []string {
	var lines []string
	short := func(urn string) string {
		return strings.TrimSuffix(strings.TrimPrefix(urn, "urn:li:dataset:(urn:li:dataPlatform:hive,"+string(s)+"."), ",PROD)")
	}
	for _, t := range c.Tables {
		lines = append(lines, fmt.Sprintf("table %s %s +%d -%d", short(t.URN), t.Change, t.EdgesAdded, t.EdgesEnded))
		for _, one := range t.Columns {
			line := fmt.Sprintf("column %s.%s %s %s", short(t.URN), one.Path, one.Change, one.Type)
			if one.OldType != "" {
				line += " was " + one.OldType
			}
			if one.Nullable != nil {
				line += fmt.Sprintf(" nullable=%t", *one.Nullable)
			}
			if one.Sources {
				line += " other sources"
			}
			lines = append(lines, line)
		}
	}
	for _, n := range c.Nodes {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("node %s %s %s", short(n.URN), n.Name, n.Change)))
	}
	for _, e := range c.Edges {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("edge %s>%s %s", short(e.Upstream), short(e.Downstream), e.Change)))
	}
	for _, of := range []struct {
		word string
		list []overlay.ComparedEffect
	}{{"certain", c.Certain}, {"possible", c.Possible}} {
		for _, e := range of.list {
			lines = append(lines, fmt.Sprintf("%s %s by %s.%s %s %v", of.word, short(e.URN), short(e.Of.URN), e.Column, e.Because, e.Owners))
		}
	}
	for _, o := range c.Owners {
		lines = append(lines, fmt.Sprintf("owner %s %d %d", o.URN, o.Certain, o.Possible))
	}
	return lines
}

// TestCompare compares a catalog with a change in which a table loses a column and another gets a type, a table goes, a table
// comes, and a reader of the lost column does not read it any more: that reader is not affected.
func TestCompare(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		c := services.New(services.Options{Store: store, Now: testclock.Now})
		s := shop("compare")
		_, err := c.IngestBatch(t.Context(), []write.Proposal{
			s.schema("orders", "id:int", "state:int", "note:int"), s.schema("mart", "a:int", "b:int"), s.schema("kept", "a:int"), s.schema("old", "id:int"), s.schema("board", "x:int"),
			s.from("mart", "a<orders.state", "b<orders.note"), s.from("kept", "a<orders.state"), s.from("board", "x<mart.a"), s.from("old", "id<orders.id"), s.from("reader", "y<old.id"),
			s.say("board", "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`),
		}, catalog.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		change := overlayOf(t, []write.Proposal{
			s.schema("orders", "id:int?", "note:bigint", "fresh:int"), s.from("kept", "a<orders.note"), s.schema("new", "z:int"), s.from("new", "z<orders.id"),
			s.say("old", "status", `{"removed":true}`), s.say("mart", "status", `{"removed":false}`),
		})
		got, err := c.Overlays.Compare(t.Context(), change, overlay.CompareRequest{Hops: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"table kept changed +0 -0", "column kept.a changed int other sources",
			"table new added +1 -0", "column new.z added int",
			"table old ended +0 -0", "column old.id ended int",
			"table orders changed +1 -0", "column orders.id changed int nullable=true", "column orders.note changed bigint was int", "column orders.fresh added int", "column orders.state ended int",
			"node kept compare.kept changed", "node new compare.new added", "node old compare.old ended", "node orders compare.orders changed", "node mart compare.mart", "node reader compare.reader",
			"edge old>reader ended", "edge orders>kept", "edge orders>mart", "edge orders>new added", "edge orders>old ended",
			"certain mart by orders.state columnLineage []", "certain reader by old.  []", "certain kept by orders.note columnLineage []", "certain board by orders.state columnLineage [urn:li:corpuser:ada]",
			"owner urn:li:corpuser:ada 1 0",
		}
		if diff := gocmp.Diff(sorted(want), sorted(s.told(got))); diff != "" {
			t.Error(diff)
		}
		around, err := c.Overlays.Compare(t.Context(), change, overlay.CompareRequest{URN: catalogtest.URN(s.urn("board")), Hops: 1})
		if err != nil || len(around.Nodes) != 2 || len(around.Tables) != 4 {
			t.Errorf("%v %v", s.told(around), err)
		}
		same, err := c.Overlays.Compare(t.Context(), overlayOf(t, []write.Proposal{s.schema("orders", "id:int", "state:int", "note:int")}), overlay.CompareRequest{Hops: 1})
		if err != nil || len(s.told(same)) != 0 {
			t.Errorf("a change of nothing: %v %v", s.told(same), err)
		}
	})
}

func sorted(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}

// TestCompareLimits: a comparison has so many starts, nodes, hops, losses and effects; of more, it says that it is partial.
func TestCompareLimits(t *testing.T) {
	h := catalogtest.NewHarness(t)
	s := shop("many")
	compare := func(hops int, proposals ...write.Proposal) *overlay.Comparison {
		t.Helper()
		found, err := h.Overlays.Compare(t.Context(), overlayOf(t, proposals), overlay.CompareRequest{Hops: hops})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, hops := range []int{0, limits.OverlayHops + 1} {
		if _, err := h.Overlays.Compare(t.Context(), []json.RawMessage{}, overlay.CompareRequest{Hops: hops}); catalog.CodeOf(err) != catalog.Invalid {
			t.Errorf("%d hops: %v", hops, err)
		}
	}
	compare(limits.OverlayHops)

	fresh := func(n int) (all []write.Proposal) {
		for i := range n {
			all = append(all, s.say(fmt.Sprintf("new%d", i), "status", `{"removed":false}`))
		}
		return all
	}
	if c := compare(1, fresh(limits.OverlayDrawn)...); c.Partial {
		t.Error(c.Reason)
	}
	if c := compare(1, fresh(limits.OverlayDrawn+1)...); !strings.Contains(c.Reason, "more tables than are drawn") {
		t.Errorf("%q", c.Reason)
	}

	// hub derives from so many tables that hub and its tables fill the graph.
	wide := func(n int) write.Proposal {
		var from []string
		for i := range n {
			from = append(from, fmt.Sprintf("a<t%d.x", i))
		}
		return s.from("hub", from...)
	}
	if c := compare(1, wide(limits.OverlayNodes-1)); c.Partial || len(c.Nodes) != limits.OverlayNodes {
		t.Error(c.Reason, len(c.Nodes))
	}
	if c := compare(1, wide(limits.OverlayNodes)); !c.Partial || len(c.Nodes) != limits.OverlayNodes {
		t.Error(c.Partial, len(c.Nodes))
	}

	// Each lost column breaks one reader.
	var columns, before []string
	for i := range limits.OverlayLosses + 1 {
		columns = append(columns, fmt.Sprintf("c%d:int", i))
		before = append(before, fmt.Sprintf("r%d<wide.c%d", i, i))
	}
	h.Say(s.urn("wide"), "schemaMetadata", string(s.schema("wide", columns...).Aspect.Value))
	for i, one := range before {
		h.Say(s.urn(fmt.Sprintf("reader%d", i)), "upstreamLineage", string(s.from(fmt.Sprintf("reader%d", i), one).Aspect.Value))
	}
	if c := compare(1, s.schema("wide", columns[limits.OverlayLosses])); c.Partial || len(c.Certain) != limits.OverlayLosses {
		t.Error(c.Reason, len(c.Certain))
	}
	if c := compare(1, s.schema("wide", "other:int")); !strings.Contains(c.Reason, "loses more tables and columns") || len(c.Certain) != limits.OverlayLosses {
		t.Error(c.Reason, len(c.Certain))
	}

	// A table that is removed may have at most the limit of entities behind it.
	h.Say(s.urn("top"), "status", `{"removed":false}`)
	read := func(from, to int) {
		for i := from; i < to; i++ {
			name := fmt.Sprintf("behind%04d", i)
			h.Say(s.urn(name), "upstreamLineage", string(s.from(name, "a<top.x").Aspect.Value))
		}
	}
	gone := s.say("top", "status", `{"removed":true}`)
	read(0, limits.OverlayEffects)
	if c := compare(1, gone); strings.Contains(c.Reason, "more effects") || len(c.Certain) != limits.OverlayEffects {
		t.Error(c.Reason, len(c.Certain))
	}
	read(limits.OverlayEffects, limits.OverlayEffects+1)
	if c := compare(1, gone); len(c.Certain) != limits.OverlayEffects || !c.Partial {
		t.Error(c.Reason, len(c.Certain))
	}
	reach := func() string {
		t.Helper()
		compared, err := h.Overlays.Compare(t.Context(), overlayOf(t, []write.Proposal{gone}), overlay.CompareRequest{URN: catalogtest.URN(s.urn("wide")), Hops: 1})
		if err != nil {
			t.Fatal(err)
		}
		return compared.Reason
	}
	read(limits.OverlayEffects+1, limits.OverlayReach)
	within := reach()
	read(limits.OverlayReach, limits.OverlayReach+1)
	if after := reach(); after == within {
		t.Errorf("%d entities are affected: %s; and one more: %s", limits.OverlayReach, within, after)
	}
}
