package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
)

func TestHardDelete(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	h.put("", Upsert, table, "datasetProperties", `{"description":"a"}`)
	h.put("", Upsert, table, "datasetProperties", `{"description":"b"}`)
	h.put("", Upsert, table, "upstreamLineage", `{"upstreams":[{"dataset":"`+upstream+`","type":"TRANSFORMED"}]}`)
	h.put("", Upsert, table, "datasetProfile", fmt.Sprintf(profileValue, 1))
	h.put("", Upsert, upstream, "upstreamLineage", `{"upstreams":[{"dataset":"`+table+`","type":"TRANSFORMED"}]}`)
	want := Deletion{URN: table, Rows: 7, TimeSeriesRows: 1} // with four default aspects
	for _, dryRun := range []bool{true, false} {
		got, err := h.Delete(ctx, table, dryRun, WriteOptions{})
		h.want("", err)
		if got != want {
			t.Errorf("dry run %t: %+v, want %+v", dryRun, got, want)
		}
	}
	got, err := h.Delete(ctx, table, false, WriteOptions{})
	h.want("", err)
	if got != (Deletion{URN: table}) {
		t.Errorf("again: %+v", got)
	}
	if h.value(table, "datasetProperties", 1) != "" {
		t.Error("an archived version is left")
	}
	nodes, err := h.store.Entities(ctx, []string{table})
	h.want("", err)
	if len(nodes) != 1 || nodes[0].Exists {
		t.Errorf("want a placeholder for what others say: %+v", nodes)
	}
	if got := h.neighbours("INCOMING", table); !slices.Equal(got, []string{upstream}) {
		t.Errorf("what others say: %v", got)
	}
	if got := h.neighbours("OUTGOING", table); len(got) != 0 {
		t.Errorf("what it said: %v", got)
	}
	last := h.changes()[len(h.changes())-1]
	if last.Kind != ChangeDelete || last.Aspect != "datasetKey" || last.URN != table {
		t.Errorf("the last change: %+v", last)
	}
	_, err = h.Delete(ctx, "not a urn", false, WriteOptions{})
	h.want(Invalid, err)
	h.store.fail = graphstore.ErrUnavailable
	_, err = h.Delete(ctx, upstream, false, WriteOptions{})
	h.want(Unavailable, err)
	h.store.fail, h.store.failCommit = nil, graphstore.ErrUnavailable
	_, err = h.Delete(ctx, upstream, false, WriteOptions{})
	h.want(Unavailable, err)
	h.store.failCommit = nil
	if h.value(upstream, "upstreamLineage", 0) == "" {
		t.Error("a delete that failed removed something")
	}
	h.store.failRead = graphstore.ErrUnavailable
	_, err = h.Delete(ctx, upstream, true, WriteOptions{})
	h.want(Unavailable, err)
}

func TestDeleteTimeSeries(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	var proposals []Proposal
	for n := range 2500 { // more than go in one transaction
		proposals = append(proposals, proposal(Upsert, table, "datasetProfile", fmt.Sprintf(profileValue, n+1)))
	}
	_, err := h.IngestBatch(ctx, proposals, WriteOptions{})
	h.want("", err)
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		d    TimeSeriesDeletion
		want int64
	}{
		{TimeSeriesDeletion{Start: at(10), End: at(19), DryRun: true}, 10},
		{TimeSeriesDeletion{Start: at(10), End: at(19)}, 10},
		{TimeSeriesDeletion{Start: at(10), End: at(19)}, 0},
		{TimeSeriesDeletion{Start: at(2500)}, 1},
		{TimeSeriesDeletion{DryRun: true}, 2489},
		{TimeSeriesDeletion{}, 2489},
	} {
		c.d.URN, c.d.Aspect = table, "datasetProfile"
		got, err := h.DeleteTimeSeries(ctx, c.d, WriteOptions{})
		h.want("", err)
		if got != c.want {
			t.Errorf("%+v: %d, want %d", c.d, got, c.want)
		}
	}
	if h.value(table, "datasetKey", 0) == "" {
		t.Error("the entity is gone too")
	}
	for _, bad := range []TimeSeriesDeletion{
		{URN: table, Aspect: "datasetProperties"},
		{URN: table, Aspect: "nothing"},
		{URN: "x", Aspect: "datasetProfile"},
		{URN: table, Aspect: "datasetProfile", Start: at(5), End: at(4)},
		{URN: table, Aspect: "datasetProfile", End: at(0)},
	} {
		_, err := h.DeleteTimeSeries(ctx, bad, WriteOptions{})
		h.want(Invalid, err)
	}
}

func TestDeleteReferences(t *testing.T) {
	tag := "urn:li:tag:gone"
	h := newHarness(t)
	ctx := context.Background()
	group := "urn:li:corpGroup:team"
	h.say(tag, "tagProperties", `{"name":"gone"}`)
	h.put("", Upsert, table, "globalTags", `{"tags":[{"tag":"`+tag+`"}]}`)
	h.put("", Upsert, upstream, "globalTags", `{"tags":[{"tag":"`+tag+`"},{"tag":"urn:li:tag:other"}]}`)
	h.put("", Upsert, upstream, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"a","globalTags":{"tags":[{"tag":"`+tag+`"}]}}]}`)
	h.say(group, "corpGroupInfo", `{"displayName":"The team","admins":[],"members":["urn:li:corpUser:ada"],"groups":[]}`) // clients spell it so, too
	dry, err := h.DeleteReferences(ctx, tag, true, WriteOptions{})
	h.want("", err)
	want := References{Total: 2, Related: []RelatedAspect{
		{"TaggedWith", table, "globalTags"}, {"EditableSchemaFieldTaggedWith", upstream, "editableSchemaMetadata"}, {"TaggedWith", upstream, "globalTags"},
	}}
	want.Total = 3 // the column's is a relationship of its own
	sortRelated := func(r References) References {
		slices.SortFunc(r.Related, func(a, b RelatedAspect) int { return strings.Compare(a.Entity+a.Aspect, b.Entity+b.Aspect) })
		return r
	}
	if diff := cmp.Diff(sortRelated(want), sortRelated(dry)); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if h.value(table, "globalTags", 0) == "" {
		t.Error("a dry run changed something")
	}
	got, err := h.DeleteReferences(ctx, tag, false, WriteOptions{})
	h.want("", err)
	if diff := cmp.Diff(sortRelated(want), sortRelated(got)); diff != "" {
		t.Errorf("not dry (-want +got):\n%s", diff)
	}
	if v := h.value(table, "globalTags", 0); v != "" {
		t.Errorf("an aspect that says nothing more: %s", v)
	}
	if v := h.value(upstream, "globalTags", 0); v != `{"tags":[{"tag":"urn:li:tag:other"}]}` {
		t.Errorf("the other tag: %s", v)
	}
	if v := h.value(upstream, "editableSchemaMetadata", 0); v != `{"editableSchemaFieldInfo":[{"fieldPath":"a","globalTags":{"tags":[]}}]}` {
		t.Errorf("the column: %s", v)
	}
	if h.value(tag, "tagProperties", 0) == "" {
		t.Error("the tag itself is gone")
	}
	_, err = h.DeleteReferences(ctx, ada, false, WriteOptions{})
	h.want("", err)
	if v := h.value(group, "corpGroupInfo", 0); v != `{"admins":[],"displayName":"The team","groups":[],"members":[]}` {
		t.Errorf("a group that lost its only member: %s", v)
	}
	none, err := h.DeleteReferences(ctx, tag, false, WriteOptions{})
	h.want("", err)
	if none.Total != 0 || none.Related == nil {
		t.Errorf("again: %+v", none)
	}
	// What a key says stays.
	flow := "urn:li:dataFlow:(airflow,dag,prod)"
	h.say("urn:li:dataJob:("+flow+",task)", "status", `{"removed":false}`)
	keys, err := h.DeleteReferences(ctx, flow, false, WriteOptions{})
	h.want("", err)
	if keys.Total != 0 || len(h.neighbours("INCOMING", flow)) != 1 {
		t.Errorf("what a key says: %+v", keys)
	}
	_, err = h.DeleteReferences(ctx, "x", false, WriteOptions{})
	h.want(Invalid, err)
}

func TestBatchDelete(t *testing.T) {
	h := newHarness(t)
	ctx := context.Background()
	var urns []string
	for n := range 120 {
		urns = append(urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,batch.t%d,PROD)", n))
		h.put("", Upsert, urns[n], "datasetProperties", `{"description":"a"}`)
	}
	h.put("", Upsert, table, "upstreamLineage", `{"upstreams":[{"dataset":"`+urns[0]+`","type":"TRANSFORMED"},{"dataset":"`+upstream+`","type":"TRANSFORMED"}]}`)
	asked := append([]string{urns[0], "urn:li:tag:absent"}, urns...)
	do := func(want Code, d BatchDeletion) BatchDeletionResult {
		t.Helper()
		if d.URNs == nil {
			d.URNs = asked
		}
		got, err := h.BatchDelete(ctx, d, WriteOptions{})
		h.want(want, err)
		return got
	}
	for _, c := range []struct {
		name string
		d    BatchDeletion
		want BatchDeletionResult
	}{
		{"soft, dry", BatchDeletion{Soft: true, DryRun: true}, BatchDeletionResult{Entities: 120, Rows: 120}},
		{"soft", BatchDeletion{Soft: true}, BatchDeletionResult{Entities: 120, Rows: 120}},
		{"soft again", BatchDeletion{Soft: true}, BatchDeletionResult{}},
		{"back", BatchDeletion{Soft: true, Undo: true}, BatchDeletionResult{Entities: 120, Rows: 120}},
		{"hard, dry", BatchDeletion{References: true, DryRun: true}, BatchDeletionResult{Entities: 120, Rows: 120 * 7, References: 1}},
		{"hard", BatchDeletion{References: true}, BatchDeletionResult{Entities: 120, Rows: 120 * 7, References: 1}},
		{"hard again", BatchDeletion{}, BatchDeletionResult{}},
	} {
		if got := do("", c.d); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := h.neighbours("OUTGOING", table, "DownstreamOf"); !slices.Equal(got, []string{upstream}) {
		t.Errorf("references: %v", got)
	}
	do(Invalid, BatchDeletion{URNs: make([]string, maxBatchDelete+1)})
	do(Invalid, BatchDeletion{Undo: true})
	do(Invalid, BatchDeletion{URNs: []string{"x"}})
	do(Invalid, BatchDeletion{URNs: []string{"x"}, Soft: true})

	// A failure in the middle leaves whole entities, and is gone on from.
	h.put("", Upsert, urns[0], "datasetProperties", `{"description":"a"}`)
	h.put("", Upsert, urns[119], "datasetProperties", `{"description":"a"}`)
	h.store.failCommitAt = h.store.updates.Load() + 2
	do(Unavailable, BatchDeletion{})
	left := 0
	for _, urn := range []string{urns[0], urns[119]} {
		if h.value(urn, "datasetProperties", 0) != "" {
			left++
		}
	}
	h.store.failCommitAt = 0
	if got := do("", BatchDeletion{}); got.Entities != int64(left) || got.Rows != int64(left)*5 {
		t.Errorf("after a failure: %+v, %d were left", got, left)
	}
}
