package removal_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

func TestHardDelete(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx := context.Background()
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"b"}`)
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED"}]}`)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, 1))
	h.Put("", write.Upsert, catalogtest.Upstream, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Table+`","type":"TRANSFORMED"}]}`)
	want := write.Deletion{URN: catalogtest.Table, Rows: 7, TimeSeriesRows: 1} // with four default aspects
	for _, dryRun := range []bool{true, false} {
		got, err := h.Removal.Delete(ctx, catalogtest.URN(catalogtest.Table), dryRun, catalog.WriteOptions{})
		h.Want("", err)
		if got != want {
			t.Errorf("dry run %t: %+v, want %+v", dryRun, got, want)
		}
	}
	got, err := h.Removal.Delete(ctx, catalogtest.URN(catalogtest.Table), false, catalog.WriteOptions{})
	h.Want("", err)
	if got != (write.Deletion{URN: catalogtest.Table}) {
		t.Errorf("again: %+v", got)
	}
	if h.Value(catalogtest.Table, "datasetProperties", 1) != "" {
		t.Error("an archived version is left")
	}
	nodes, err := h.Store.Entities(ctx, []string{catalogtest.Table})
	h.Want("", err)
	if len(nodes) != 1 || nodes[0].Exists {
		t.Errorf("want a placeholder for what others say: %+v", nodes)
	}
	if got := h.Neighbours("INCOMING", catalogtest.Table); !slices.Equal(got, []string{catalogtest.Upstream}) {
		t.Errorf("what others say: %v", got)
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table); len(got) != 0 {
		t.Errorf("what it said: %v", got)
	}
	last := h.Logged()[len(h.Logged())-1]
	if last.Kind != catalog.ChangeDelete || last.Aspect != "datasetKey" || last.URN != catalogtest.Table {
		t.Errorf("the last change: %+v", last)
	}
	h.Store.Fail = graphstore.ErrUnavailable
	_, err = h.Removal.Delete(ctx, catalogtest.URN(catalogtest.Upstream), false, catalog.WriteOptions{})
	h.Want(catalog.Unavailable, err)
	h.Store.Fail, h.Store.FailCommit = nil, graphstore.ErrUnavailable
	_, err = h.Removal.Delete(ctx, catalogtest.URN(catalogtest.Upstream), false, catalog.WriteOptions{})
	h.Want(catalog.Unavailable, err)
	h.Store.FailCommit = nil
	if h.Value(catalogtest.Upstream, "upstreamLineage", 0) == "" {
		t.Error("a delete that failed removed something")
	}
	h.Store.FailRead = graphstore.ErrUnavailable
	_, err = h.Removal.Delete(ctx, catalogtest.URN(catalogtest.Upstream), true, catalog.WriteOptions{})
	h.Want(catalog.Unavailable, err)
}

func TestDeleteTimeSeries(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx := context.Background()
	var proposals []write.Proposal
	for n := range 2500 { // more values than one transaction deletes
		proposals = append(proposals, catalogtest.Proposal(write.Upsert, catalogtest.Table, "datasetProfile", fmt.Sprintf(catalogtest.ProfileValue, n+1)))
	}
	_, err := h.IngestBatch(ctx, proposals, catalog.WriteOptions{})
	h.Want("", err)
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		d    removal.TimeSeriesDeletion
		want int64
	}{
		{removal.TimeSeriesDeletion{Start: at(10), End: at(19), DryRun: true}, 10},
		{removal.TimeSeriesDeletion{Start: at(10), End: at(19)}, 10},
		{removal.TimeSeriesDeletion{Start: at(10), End: at(19)}, 0},
		{removal.TimeSeriesDeletion{Start: at(2500)}, 1},
		{removal.TimeSeriesDeletion{DryRun: true}, 2489},
		{removal.TimeSeriesDeletion{}, 2489},
	} {
		c.d.URN, c.d.Aspect = catalogtest.URN(catalogtest.Table), "datasetProfile"
		got, err := h.Removal.DeleteTimeSeries(ctx, c.d, catalog.WriteOptions{})
		h.Want("", err)
		if got != c.want {
			t.Errorf("%+v: %d, want %d", c.d, got, c.want)
		}
	}
	if h.Value(catalogtest.Table, "datasetKey", 0) == "" {
		t.Error("the entity is gone too")
	}
	for _, bad := range []removal.TimeSeriesDeletion{
		{URN: catalogtest.URN(catalogtest.Table), Aspect: "datasetProperties"},
		{URN: catalogtest.URN(catalogtest.Table), Aspect: "nothing"},
		{URN: catalogtest.URN(catalogtest.Table), Aspect: "datasetProfile", Start: at(5), End: at(4)},
		{URN: catalogtest.URN(catalogtest.Table), Aspect: "datasetProfile", End: at(0)},
	} {
		_, err := h.Removal.DeleteTimeSeries(ctx, bad, catalog.WriteOptions{})
		h.Want(catalog.Invalid, err)
	}
}

// references deletes the references to an entity, or only lists them.
func references(h *catalogtest.Harness, urn string, dry bool) removal.References {
	h.T.Helper()
	got, err := h.Removal.DeleteReferences(context.Background(), catalogtest.URN(urn), dry, catalog.WriteOptions{})
	h.Want("", err)
	slices.SortFunc(got.Related, func(a, b removal.RelatedAspect) int { return strings.Compare(a.Entity+a.Aspect, b.Entity+b.Aspect) })
	return got
}

// TestDeleteReferences: a tag is removed from the entities that have it, and aspects that are empty then are
// deleted. The tag itself stays.
func TestDeleteReferences(t *testing.T) {
	tag, h := "urn:li:tag:gone", catalogtest.NewHarness(t)
	h.Say(tag, "tagProperties", `{"name":"gone"}`)
	h.Put("", write.Upsert, catalogtest.Table, "globalTags", `{"tags":[{"tag":"`+tag+`"}]}`)
	h.Put("", write.Upsert, catalogtest.Upstream, "globalTags", `{"tags":[{"tag":"`+tag+`"},{"tag":"urn:li:tag:other"}]}`)
	h.Put("", write.Upsert, catalogtest.Upstream, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"a","globalTags":{"tags":[{"tag":"`+tag+`"}]}}]}`)
	// The tag of a column is a relationship of another type.
	want := removal.References{Total: 3, Related: []removal.RelatedAspect{
		{"TaggedWith", catalogtest.Table, "globalTags"}, {"EditableSchemaFieldTaggedWith", catalogtest.Upstream, "editableSchemaMetadata"}, {"TaggedWith", catalogtest.Upstream, "globalTags"},
	}}
	if diff := cmp.Diff(want, references(h, tag, true)); diff != "" {
		t.Errorf("dry run (-want +got):\n%s", diff)
	}
	if h.Value(catalogtest.Table, "globalTags", 0) == "" {
		t.Error("a dry run changed something")
	}
	if diff := cmp.Diff(want, references(h, tag, false)); diff != "" {
		t.Errorf("not dry (-want +got):\n%s", diff)
	}
	for _, left := range []struct{ urn, aspect, want string }{
		{catalogtest.Table, "globalTags", ""}, // it said nothing more
		{catalogtest.Upstream, "globalTags", `{"tags":[{"tag":"urn:li:tag:other"}]}`},
		{catalogtest.Upstream, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"a","globalTags":{"tags":[]}}]}`},
		{tag, "tagProperties", `{"name":"gone"}`},
	} {
		if got := h.Value(left.urn, left.aspect, 0); got != left.want {
			t.Errorf("%s of %s is %q, want %q", left.aspect, left.urn, got, left.want)
		}
	}
	if none := references(h, tag, false); none.Total != 0 || none.Related == nil {
		t.Errorf("again: %+v", none)
	}
}

// TestDeleteReferencesInOtherLetters: a member whose URN a client spelled in
// other letters is found.
func TestDeleteReferencesInOtherLetters(t *testing.T) {
	group, h := "urn:li:corpGroup:team", catalogtest.NewHarness(t)
	h.Say(group, "corpGroupInfo", `{"displayName":"The team","admins":[],"members":["urn:li:corpUser:ada"],"groups":[]}`)
	references(h, catalogtest.Ada, false)
	if v := h.Value(group, "corpGroupInfo", 0); v != `{"admins":[],"displayName":"The team","groups":[],"members":[]}` {
		t.Errorf("a group that lost its only member: %s", v)
	}
}

// TestDeleteReferencesKeepsKeys: an entity that another one has in its key
// stays there.
func TestDeleteReferencesKeepsKeys(t *testing.T) {
	flow, h := "urn:li:dataFlow:(airflow,dag,prod)", catalogtest.NewHarness(t)
	h.Say("urn:li:dataJob:("+flow+",task)", "status", `{"removed":false}`)
	if got := references(h, flow, false); got.Total != 0 || len(h.Neighbours("INCOMING", flow)) != 1 {
		t.Errorf("what a key says: %+v", got)
	}
}

func TestBatchDelete(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ctx := context.Background()
	var urns []string
	for n := range 120 {
		urns = append(urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,batch.t%d,PROD)", n))
		h.Put("", write.Upsert, urns[n], "datasetProperties", `{"description":"a"}`)
	}
	h.Put("", write.Upsert, catalogtest.Table, "upstreamLineage", `{"upstreams":[{"dataset":"`+urns[0]+`","type":"TRANSFORMED"},{"dataset":"`+catalogtest.Upstream+`","type":"TRANSFORMED"}]}`)
	asked := catalogtest.URNs(append([]string{urns[0], "urn:li:tag:absent"}, urns...)...)
	do := func(want catalog.Code, d removal.BatchDeletion) removal.BatchDeletionResult {
		t.Helper()
		if d.URNs == nil {
			d.URNs = asked
		}
		got, err := h.Removal.BatchDelete(ctx, d, catalog.WriteOptions{})
		h.Want(want, err)
		return got
	}
	for _, c := range []struct {
		name string
		d    removal.BatchDeletion
		want removal.BatchDeletionResult
	}{
		{"soft, dry", removal.BatchDeletion{Soft: true, DryRun: true}, removal.BatchDeletionResult{Entities: 120, Rows: 120}},
		{"soft", removal.BatchDeletion{Soft: true}, removal.BatchDeletionResult{Entities: 120, Rows: 120}},
		{"soft again", removal.BatchDeletion{Soft: true}, removal.BatchDeletionResult{}},
		{"back", removal.BatchDeletion{Soft: true, Undo: true}, removal.BatchDeletionResult{Entities: 120, Rows: 120}},
		{"hard, dry", removal.BatchDeletion{References: true, DryRun: true}, removal.BatchDeletionResult{Entities: 120, Rows: 120 * 7, References: 1}},
		{"hard", removal.BatchDeletion{References: true}, removal.BatchDeletionResult{Entities: 120, Rows: 120 * 7, References: 1}},
		{"hard again", removal.BatchDeletion{}, removal.BatchDeletionResult{}},
	} {
		got := do("", c.d)
		each := int64(0)
		for _, d := range got.Deletions {
			each += d.Rows + d.TimeSeriesRows
		}
		if each != got.Rows+got.TimeSeriesRows {
			t.Errorf("%s: %d rows of single entities, %d in total", c.name, each, got.Rows+got.TimeSeriesRows)
		}
		if got.Deletions = nil; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "DownstreamOf"); !slices.Equal(got, []string{catalogtest.Upstream}) {
		t.Errorf("references: %v", got)
	}
	do(catalog.Invalid, removal.BatchDeletion{URNs: make([]model.URN, removal.MaxBatchDelete+1)})
	do(catalog.Invalid, removal.BatchDeletion{Undo: true})

	// A failure in the middle leaves whole entities, and is gone on from.
	h.Put("", write.Upsert, urns[0], "datasetProperties", `{"description":"a"}`)
	h.Put("", write.Upsert, urns[119], "datasetProperties", `{"description":"a"}`)
	h.Store.FailCommitAt = h.Store.Updates.Load() + 2
	do(catalog.Unavailable, removal.BatchDeletion{})
	left := 0
	for _, urn := range []string{urns[0], urns[119]} {
		if h.Value(urn, "datasetProperties", 0) != "" {
			left++
		}
	}
	h.Store.FailCommitAt = 0
	if got := do("", removal.BatchDeletion{}); got.Entities != int64(left) || got.Rows != int64(left)*5 {
		t.Errorf("after a failure: %+v, %d were left", got, left)
	}
}
