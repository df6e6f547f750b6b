package write_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func TestChangeTypes(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	h.Put(catalog.Precondition, write.Create, catalogtest.Table, "datasetProperties", `{"description":"b"}`)
	h.Put("", write.Create, catalogtest.Table, "status", `{"removed":false}`)
	h.Put("", "", catalogtest.Table, "datasetProperties", `{"description":"c"}`)
	h.Put("", write.Patch, catalogtest.Table, "globalTags", `[{"op":"add","path":"/tags/urn:li:tag:x","value":{"tag":"urn:li:tag:x"}}]`)
	h.Put("", write.Patch, catalogtest.Table, "globalTags", `[{"op":"remove","path":"/tags/none"}]`)
	h.Put(catalog.Invalid, write.Patch, catalogtest.Table, "globalTags", `[{"op":"replace","path":"/tags/none","value":{}}]`)
	h.Put(catalog.Validation, write.Patch, catalogtest.Table, "globalTags", `[{"op":"add","path":"/nothing","value":1}]`)
	h.Put(catalog.Invalid, write.Patch, catalogtest.Table, "deprecation", `[]`)
	h.Put(catalog.Invalid, write.Patch, catalogtest.Table, "datasetProfile", `[]`)
	h.Put("", write.Restate, catalogtest.Table, "status", `{}`)
	h.Put("", write.Update, catalogtest.Table, "status", `{"removed":false}`)
	h.Put(catalog.Invalid, "UPDATED", catalogtest.Table, "status", `{}`)
	if got := h.Value(catalogtest.Table, "globalTags", 0); got != `{"tags":[{"tag":"urn:li:tag:x"}]}` {
		t.Errorf("patched: %s", got)
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "TaggedWith"); !slices.Equal(got, []string{"urn:li:tag:x"}) {
		t.Errorf("tags: %v", got)
	}
}

func TestProposalRules(t *testing.T) {
	h := catalogtest.NewHarness(t)
	key := func(p write.Proposal, urn string) write.Proposal {
		p.EntityURN = ""
		p.EntityKeyAspect = &write.GenericAspect{Value: []byte(urn), ContentType: "application/json"}
		return p
	}
	good := catalogtest.Proposal(write.Upsert, catalogtest.Ada, "status", `{"removed":false}`)
	for name, c := range map[string]struct {
		change func(*write.Proposal)
		want   catalog.Code
	}{
		"as it is":               {func(*write.Proposal) {}, ""},
		"type in another case":   {func(p *write.Proposal) { p.EntityType = "CorpUser" }, ""},
		"unknown type":           {func(p *write.Proposal) { p.EntityType = "nothing" }, catalog.Invalid},
		"type of another entity": {func(p *write.Proposal) { p.EntityType = "dataset" }, catalog.Invalid},
		"no urn":                 {func(p *write.Proposal) { p.EntityURN = "" }, catalog.Invalid},
		"key instead of urn":     {func(p *write.Proposal) { *p = key(*p, `{"username":"bob"}`) }, ""},
		"bad key":                {func(p *write.Proposal) { *p = key(*p, `{"name":"bob"}`) }, catalog.Validation},
		"bad urn":                {func(p *write.Proposal) { p.EntityURN = "urn:li:corpuser" }, catalog.Invalid},
		"unknown namespace":      {func(p *write.Proposal) { p.EntityURN = "urn:zz:corpuser:a" }, catalog.Invalid},
		"no aspect name":         {func(p *write.Proposal) { p.AspectName = "" }, catalog.Invalid},
		"aspect of another type": {func(p *write.Proposal) { p.AspectName = "datasetProperties" }, catalog.Invalid},
		"no aspect":              {func(p *write.Proposal) { p.Aspect = nil }, catalog.Invalid},
		"content type":           {func(p *write.Proposal) { p.Aspect = &write.GenericAspect{[]byte(`{}`), "text/plain"} }, catalog.Invalid},
		"charset": {func(p *write.Proposal) {
			p.Aspect = &write.GenericAspect{[]byte(`{"removed":true}`), "application/json; charset=utf-8"}
		}, ""},
		"no JSON": {func(p *write.Proposal) { p.Aspect = &write.GenericAspect{[]byte(`{`), "application/json"} }, catalog.Invalid},
		"too large": {func(p *write.Proposal) {
			p.Aspect = &write.GenericAspect{make([]byte, write.MaxAspectBytes+1), "application/json"}
		}, catalog.TooLarge},
		"key aspect": {func(p *write.Proposal) {
			p.AspectName, p.Aspect = "corpUserKey", &write.GenericAspect{[]byte(`{"username":"ada"}`), "application/json"}
		}, ""},
		"key of another": {func(p *write.Proposal) {
			p.AspectName, p.Aspect = "corpUserKey", &write.GenericAspect{[]byte(`{"username":"eve"}`), "application/json"}
		}, ""},
	} {
		p := good
		c.change(&p)
		_, err := h.Ingest(context.Background(), p, catalog.WriteOptions{})
		if got := map[bool]catalog.Code{true: ""}[err == nil]; err != nil && catalog.CodeOf(err) != c.want || err == nil && c.want != got {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestEqualWrite(t *testing.T) {
	h := catalogtest.NewHarness(t)
	put := func(run string, observed int64, value string) write.Result {
		p := catalogtest.Proposal(write.Upsert, catalogtest.Table, "upstreamLineage", value)
		p.System = &catalog.SystemMetadata{RunID: run, LastObserved: observed}
		return h.Attempt("", p)
	}
	value := `{"upstreams":[{"dataset":"` + catalogtest.Upstream + `","type":"COPY"}]}`
	put("one", 10, value)
	before := len(h.Logged())
	if put("two", 20, " "+value).Changed {
		t.Error("an equal write changed something")
	}
	e, err := h.Entity(context.Background(), catalogtest.URN(catalogtest.Table), []string{"upstreamLineage"})
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Aspects["upstreamLineage"].System; s.RunID != "one" || s.LastObserved != 20 {
		t.Errorf("after an equal write: %+v", s)
	}
	changes := h.Logged()[before:]
	if len(changes) != 1 || changes[0].Kind != catalog.ChangeRestate {
		t.Errorf("equal lineage is restated: %+v", changes)
	}
	h.Put("", write.Upsert, catalogtest.Table, "status", `{"removed":false}`)
	before = len(h.Logged())
	h.Put("", write.Upsert, catalogtest.Table, "status", `{ "removed": false }`)
	if n := len(h.Logged()); n != before {
		t.Errorf("an equal write left %d changes", n-before)
	}
}

func TestVersionsAndRetention(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for n := 1; n <= 25; n++ {
		h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n))
	}
	for version, want := range map[int64]string{0: "25", 24: "24", 5: "5", -1: "24", -2: "23"} {
		if got := h.Value(catalogtest.Table, "datasetProperties", version); got != `{"description":"`+want+`"}` {
			t.Errorf("version %d is %s, want %s", version, got, want)
		}
	}
	for _, gone := range []int64{4, 1, 25} {
		if got := h.Value(catalogtest.Table, "datasetProperties", gone); got != "" {
			t.Errorf("version %d is there: %s", gone, got)
		}
	}
}

func TestDefaultAspects(t *testing.T) {
	h := catalogtest.NewHarness(t)
	ingest := func(entityType, urn, aspect, value string) map[string]catalog.EnvelopedAspect {
		p := catalogtest.Proposal(write.Upsert, urn, aspect, value)
		p.EntityType = entityType
		h.Attempt("", p)
		e, err := h.Entity(context.Background(), catalogtest.URN(urn), nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.Aspects
	}
	const status = `{"removed":false}`
	ingest("dataPlatform", "urn:li:dataPlatform:files", "dataPlatformInfo", `{"name":"files","type":"FILE_SYSTEM","datasetNameDelimiter":"/"}`)
	for _, c := range []struct{ entityType, urn, path, v2, platform string }{
		{"dataset", catalogtest.Table, `["/prod/hive/db"]`, `[{"id":"db"}]`, "urn:li:dataPlatform:hive"},
		{"dataset", "urn:li:dataset:(urn:li:dataPlatform:files,Lake/Raw/x.csv,DEV)", `["/dev/files/lake/raw"]`, `[{"id":"lake"},{"id":"raw"}]`, "urn:li:dataPlatform:files"},
		{"dataset", "urn:li:dataset:(urn:li:dataPlatform:hive,single,PROD)", `["/prod/hive"]`, `[{"id":"Default"}]`, "urn:li:dataPlatform:hive"},
		{"chart", "urn:li:chart:(Looker,1)", `["/Looker"]`, `[{"id":"Default"}]`, "urn:li:dataPlatform:looker"},
		{"dashboard", "urn:li:dashboard:(Looker,1)", `["/looker"]`, `[{"id":"Default"}]`, "urn:li:dataPlatform:looker"},
		{"dataFlow", "urn:li:dataFlow:(Airflow,f,PROD)", `["/airflow/prod"]`, `[{"id":"Default"}]`, "urn:li:dataPlatform:airflow"},
		{"dataJob", "urn:li:dataJob:(urn:li:dataFlow:(Airflow,f,PROD),j)", `["/airflow/prod"]`, `[{"id":"urn:li:dataFlow:(Airflow,f,PROD)","urn":"urn:li:dataFlow:(Airflow,f,PROD)"}]`, "urn:li:dataPlatform:airflow"},
		{"container", "urn:li:container:c", `[""]`, `[{"id":"Default"}]`, ""},
	} {
		got := ingest(c.entityType, c.urn, "status", status)
		if v := string(got["browsePaths"].Value); v != `{"paths":`+c.path+`}` {
			t.Errorf("%s: browse paths %s", c.urn, v)
		}
		if v := string(got["browsePathsV2"].Value); v != `{"path":`+c.v2+`}` {
			t.Errorf("%s: browse paths v2 %s", c.urn, v)
		}
		want := ""
		if c.platform != "" {
			want = `{"platform":"` + c.platform + `"}`
		}
		if v := string(got["dataPlatformInstance"].Value); v != want {
			t.Errorf("%s: platform %s", c.urn, v)
		}
	}
	tag := ingest("tag", "urn:li:tag:x", "status", status)
	if len(tag) != 2 {
		t.Errorf("a tag has %v", tag)
	}
	h.Put("", write.Upsert, "urn:li:dataset:(urn:li:dataPlatform:hive,given,PROD)", "browsePaths", `{"paths":["/mine"]}`)
	if got := h.Value("urn:li:dataset:(urn:li:dataPlatform:hive,given,PROD)", "browsePaths", 0); got != `{"paths":["/mine"]}` {
		t.Errorf("a given path was replaced: %s", got)
	}
}

func TestDelete(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "ownership", `{"owners":[{"owner":"`+catalogtest.Ada+`","type":"DATAOWNER"}],"lastModified":`+catalogtest.Stamp+`}`)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"nice","description":"d"}`)
	h.Put("", write.Upsert, catalogtest.Upstream, "upstreamLineage", `{"upstreams":[{"dataset":"`+catalogtest.Table+`","type":"COPY"}]}`)

	h.Put("", write.Delete, catalogtest.Table, "datasetProperties", "")
	if got := h.Value(catalogtest.Table, "datasetProperties", 0) + h.Value(catalogtest.Table, "datasetProperties", 1); got != `{"name":"nice","description":"d"}` {
		t.Errorf("the history of a deleted aspect: %s", got)
	}
	nodes, err := h.Store.Entities(context.Background(), []string{catalogtest.Table})
	if err != nil || nodes[0].Properties["name"] != "db.Orders" || nodes[0].Properties["description"] != nil {
		t.Errorf("the name falls back to the key's: %+v %v", nodes, err)
	}
	h.Put("", write.Delete, catalogtest.Table, "ownership", "")
	if got := h.Neighbours("INCOMING", catalogtest.Ada); len(got) != 0 {
		t.Errorf("edges of a deleted aspect: %v", got)
	}
	if h.Put("", write.Delete, catalogtest.Table, "ownership", "").Changed {
		t.Error("deleting what is not there changed something")
	}
	h.Put("", write.Upsert, catalogtest.Table, "ownership", `{"owners":[],"lastModified":`+catalogtest.Stamp+`}`)
	if got := h.Value(catalogtest.Table, "ownership", -1); !strings.Contains(got, catalogtest.Ada) {
		t.Errorf("numbering goes on after a delete: %s", got)
	}

	h.Put("", write.Delete, catalogtest.Table, "datasetKey", "")
	if ok, err := h.Exists(context.Background(), catalogtest.URN(catalogtest.Table)); ok || err != nil {
		t.Errorf("the entity is still there: %v", err)
	}
	if got := h.Neighbours("OUTGOING", catalogtest.Upstream, "DownstreamOf"); !slices.Equal(got, []string{catalogtest.Table}) {
		t.Errorf("what others say of it: %v", got)
	}
	last := h.Logged()[len(h.Logged())-1]
	if last.Kind != catalog.ChangeDelete || last.Aspect != "datasetKey" || !strings.Contains(string(last.Previous), "db.Orders") {
		t.Errorf("the change: %+v", last)
	}
}

func TestSoftDeleteMarksTheNode(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for _, removed := range []bool{true, false, true} {
		h.Put("", write.Upsert, catalogtest.Table, "status", fmt.Sprintf(`{"removed":%t}`, removed))
		nodes, err := h.Store.Entities(context.Background(), []string{catalogtest.Table})
		if err != nil || nodes[0].Removed != removed || !nodes[0].Exists {
			t.Errorf("removed %t: %+v %v", removed, nodes, err)
		}
	}
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"name":"x"}`)
	if nodes, _ := h.Store.Entities(context.Background(), []string{catalogtest.Table}); !nodes[0].Removed {
		t.Error("another aspect took the mark away")
	}
	h.Put("", write.Delete, catalogtest.Table, "status", "")
	if nodes, _ := h.Store.Entities(context.Background(), []string{catalogtest.Table}); nodes[0].Removed {
		t.Error("without a status it is still removed")
	}
}

func TestConcurrentPatches(t *testing.T) {
	h := catalogtest.NewHarness(t)
	const writers, rounds = 16, 8
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				tag := fmt.Sprintf("urn:li:tag:%d-%d", w, r)
				h.Put("", write.Patch, catalogtest.Table, "globalTags", `[{"op":"add","path":"/tags/`+tag+`","value":{"tag":"`+tag+`"}}]`)
			}
		})
	}
	group.Wait()
	if n := len(h.Neighbours("OUTGOING", catalogtest.Table, "TaggedWith")); n != 100 {
		t.Errorf("a page of %d", n)
	}
	page, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: catalogtest.URN(catalogtest.Table), Direction: "OUTGOING", Count: 1000})
	if tagged := slices.DeleteFunc(page.Relationships, func(r read.Relationship) bool { return r.Type != "TaggedWith" }); err != nil || len(tagged) != writers*rounds {
		t.Errorf("%d tags, want %d: %v", len(tagged), writers*rounds, err)
	}
}

func TestBatch(t *testing.T) {
	h := catalogtest.NewHarness(t)
	var proposals []write.Proposal
	for n := range 2500 {
		proposals = append(proposals, catalogtest.Proposal(write.Upsert, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", n%1200), "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n)))
	}
	proposals[7].AspectName = "nothing"
	proposals[8].Aspect = &write.GenericAspect{[]byte(`{"x":1}`), "application/json"}
	proposals[1300].ChangeType = write.Create
	items, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		want := map[int]catalog.Code{7: catalog.Invalid, 8: catalog.Validation, 1300: catalog.Precondition}[i]
		if (item.Err != nil) != (want != "") || item.Err != nil && catalog.CodeOf(item.Err) != want {
			t.Errorf("item %d: %v, want %q", i, item.Err, want)
		}
		if item.Err == nil && (!item.Changed || item.URN != proposals[i].EntityURN) {
			t.Errorf("item %d: %+v", i, item)
		}
	}
	urn := proposals[5].EntityURN
	for version, want := range map[int64]string{0: "2405", 1: "5", 2: "1205"} {
		if got := h.Value(urn, "datasetProperties", version); got != `{"description":"`+want+`"}` {
			t.Errorf("version %d: %s, want %s", version, got, want)
		}
	}
}

func TestSnapshotIsOneTransaction(t *testing.T) {
	h := catalogtest.NewHarness(t)
	snapshot := func(second string) []write.Snapshot {
		return []write.Snapshot{
			{Value: []byte(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:x","aspects":[]}}`)},
			{Value: []byte(`{"com.linkedin.metadata.snapshot.DatasetSnapshot":{"urn":"` + catalogtest.Table + `","aspects":[{"com.linkedin.common.Status":{"removed":false}},` + second + `]}}`)},
		}
	}
	for name, c := range map[string]struct {
		second string
		want   catalog.Code
	}{
		"unknown field":  {`{"com.linkedin.common.BrowsePaths":{"x":1}}`, catalog.Validation},
		"unknown record": {`{"com.linkedin.common.Nothing":{}}`, catalog.Invalid},
		"not of dataset": {`{"com.linkedin.tag.TagProperties":{"name":"x"}}`, catalog.Invalid},
	} {
		_, err := h.IngestSnapshots(context.Background(), snapshot(c.second), catalog.WriteOptions{})
		h.Want(c.want, err)
		if n := len(h.Logged()); n != 0 {
			t.Errorf("%s: %d changes", name, n)
		}
	}
	_, err := h.IngestSnapshots(context.Background(), snapshot(`{"com.example.common.BrowsePaths":{"paths":["/a"]}}`), catalog.WriteOptions{})
	h.Want("", err)
	if ok, _ := h.Exists(context.Background(), catalogtest.URN("urn:li:tag:x")); !ok {
		t.Error("a snapshot without aspects makes no entity")
	}
	if got := h.Value(catalogtest.Table, "browsePaths", 0); got != `{"paths":["/a"]}` {
		t.Errorf("browse paths: %s", got)
	}
}

func TestStoreFailures(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "status", `{"removed":false}`)
	before := len(h.Logged())
	for _, c := range []struct {
		cause error
		want  catalog.Code
	}{
		{fmt.Errorf("no route: %w", graphstore.ErrUnavailable), catalog.Unavailable},
		{graphstore.ErrClosed, catalog.Unavailable},
		{context.DeadlineExceeded, catalog.Timeout},
		{errors.New("secret detail"), catalog.Internal},
	} {
		for _, f := range []*error{&h.Store.Fail, &h.Store.FailCommit} {
			*f = c.cause
			_, err := h.Ingest(context.Background(), catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":true}`), catalog.WriteOptions{})
			h.Want(c.want, err)
			if strings.Contains(catalog.MessageOf(err), "secret") || strings.Contains(catalog.MessageOf(err), "route") {
				t.Errorf("the message tells internals: %s", catalog.MessageOf(err))
			}
			items, err := h.IngestBatch(context.Background(), []write.Proposal{catalogtest.Proposal(write.Upsert, catalogtest.Table, "status", `{"removed":true}`), catalogtest.Proposal(write.Upsert, catalogtest.Upstream, "status", `{"removed":true}`)}, catalog.WriteOptions{})
			if err != nil || catalog.CodeOf(items[0].Err) != c.want || catalog.CodeOf(items[1].Err) != c.want {
				t.Errorf("batch: %v %v", items, err)
			}
			*f = nil
		}
	}
	if n := len(h.Logged()); n != before {
		t.Errorf("failed writes left %d changes", n-before)
	}
	if got := h.Value(catalogtest.Table, "status", 0); got != `{"removed":false}` {
		t.Errorf("the value is %s", got)
	}
}

func TestAwaitChanges(t *testing.T) {
	h := catalogtest.NewHarness(t)
	got := make(chan int)
	go func() {
		changes, _, err := h.AwaitChanges(context.Background(), "", 10, time.Minute)
		if err != nil {
			t.Error(err)
		}
		got <- len(changes)
	}()
	h.Put("", write.Upsert, "urn:li:dataset:(urn:li:dataPlatform:hive,x,PROD)", "status", `{"removed":false}`)
	if n := <-got; n == 0 {
		t.Error("nothing came")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := h.AwaitChanges(ctx, "", 10, time.Minute); err != nil && catalog.CodeOf(err) == catalog.Internal {
		t.Error(err)
	}
}

// TestRandomWrites compares versions and edges with a plain model.
func TestRandomWrites(t *testing.T) {
	h := catalogtest.NewHarness(t)
	seed := testseed.Of(t)
	random := rand.New(rand.NewPCG(seed, 2))
	history := map[string][]string{}
	current := map[string]string{}
	for range testsize.Of(120, 1200) {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,r%d,PROD)", random.IntN(3))
		if random.IntN(5) == 0 {
			h.Put("", write.Delete, urn, "globalTags", "")
			if current[urn] != "" {
				history[urn] = append(history[urn], current[urn])
				current[urn] = ""
			}
			continue
		}
		tag := fmt.Sprintf("urn:li:tag:%d", random.IntN(3))
		value := catalogtest.MustJSON(t, map[string]any{"tags": []any{map[string]any{"tag": tag}}})
		h.Put("", write.Upsert, urn, "globalTags", value)
		if current[urn] != "" && current[urn] != value {
			history[urn] = append(history[urn], current[urn])
		}
		current[urn] = value
	}
	for urn, versions := range history {
		for i, want := range versions {
			if len(versions)-i > 20 {
				continue // retention has taken it
			}
			if got := h.Value(urn, "globalTags", int64(i+1)); got != want {
				t.Errorf("version %d of %s is %s, want %s", i+1, urn, got, want)
			}
		}
		if got := h.Value(urn, "globalTags", 0); got != current[urn] {
			t.Errorf("%s is %s, want %s", urn, got, current[urn])
		}
		edges := h.Neighbours("OUTGOING", urn, "TaggedWith")
		if (len(edges) == 1) != (current[urn] != "") || len(edges) == 1 && !strings.Contains(current[urn], edges[0]) {
			t.Errorf("%s has edges %v with %s", urn, edges, current[urn])
		}
	}
}

// TestKeyFollowsURN: connectors send key aspects that differ from the URN. The
// URN decides, in proposals and in snapshots, and the write is not refused.
func TestKeyFollowsURN(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Ada, "corpUserKey", `{"username":"eve"}`)
	if got := h.Value(catalogtest.Ada, "corpUserKey", 0); got != `{"username":"ada"}` {
		t.Errorf("the key is %s", got)
	}
	if _, err := h.Ingest(context.Background(), catalogtest.Proposal(write.Upsert, catalogtest.Ada, "corpUserKey", `{"name":"eve"}`), catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Validation {
		t.Errorf("a key that is not one: %v", err)
	}
}

// breaking is a store whose transactions break.
type breaking struct{ graphstore.Store }

func (breaking) Update(context.Context, []string, func(graphstore.Tx) error) error {
	panic("no update")
}

// TestBrokenBatchLeavesNothing: the goroutine that prepares a batch ends when the one that writes it has
// panicked.
func TestBrokenBatchLeavesNothing(t *testing.T) {
	h := catalogtest.NewHarness(t)
	c := services.New(services.Options{Store: breaking{h.Store}})
	proposals := make([]write.Proposal, 4000)
	for i := range proposals {
		proposals[i] = catalogtest.Proposal(write.Upsert, catalogtest.Dataset("hive", fmt.Sprint("t", i), "PROD"), "status", `{"removed":false}`)
	}
	before := goleak.IgnoreCurrent()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was hidden")
			}
		}()
		_, _ = c.IngestBatch(t.Context(), proposals, catalog.WriteOptions{})
	}()
	goleak.VerifyNone(t, before)
}

// failingTx refuses every write and counts them.
type failingTx struct {
	graphstore.Tx
	writes int
}

func (f *failingTx) Now() int64 { return 1 }

func (f *failingTx) Write(graphstore.Batch) error {
	f.writes++
	return errors.New("the disk is full")
}

// failingStore has a failingTx.
type failingStore struct {
	graphstore.Store
	tx failingTx
}

func (f *failingStore) Update(_ context.Context, _ []string, fn func(graphstore.Tx) error) error {
	return fn(&f.tx)
}

// TestMirrorValuesStops: nothing is written after a write that failed.
func TestMirrorValuesStops(t *testing.T) {
	store := &failingStore{Store: catalogtest.NewHarness(t).Store}
	c := services.New(services.Options{Store: store})
	err := c.MirrorValues(t.Context(), catalogtest.Table, "datasetProfile", []graphstore.TimeSeriesRange{{URN: catalogtest.Table, Aspect: "datasetProfile"}}, nil)
	if err == nil || store.tx.writes != 1 {
		t.Errorf("%d writes: %v", store.tx.writes, err)
	}
}
