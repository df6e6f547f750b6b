package catalog

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

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testsize"
)

func TestChangeTypes(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "datasetProperties", `{"description":"a"}`)
	h.put(Conflict, Create, table, "datasetProperties", `{"description":"b"}`)
	h.put("", Create, table, "status", `{"removed":false}`)
	h.put("", "", table, "datasetProperties", `{"description":"c"}`)
	h.put("", Patch, table, "globalTags", `[{"op":"add","path":"/tags/urn:li:tag:x","value":{"tag":"urn:li:tag:x"}}]`)
	h.put(Invalid, Patch, table, "globalTags", `[{"op":"remove","path":"/tags/none"}]`)
	h.put(Validation, Patch, table, "globalTags", `[{"op":"add","path":"/nothing","value":1}]`)
	h.put(Invalid, Patch, table, "status", `[]`)
	h.put(Invalid, Patch, table, "datasetProfile", `[]`)
	h.put(Invalid, "RESTATE", table, "status", `{}`)
	if got := h.value(table, "globalTags", 0); got != `{"tags":[{"tag":"urn:li:tag:x"}]}` {
		t.Errorf("patched: %s", got)
	}
	if got := h.neighbours("OUTGOING", table, "TaggedWith"); !slices.Equal(got, []string{"urn:li:tag:x"}) {
		t.Errorf("tags: %v", got)
	}
}

func TestProposalRules(t *testing.T) {
	h := newHarness(t)
	key := func(p Proposal, urn string) Proposal {
		p.EntityURN = ""
		p.EntityKeyAspect = &GenericAspect{Value: []byte(urn), ContentType: "application/json"}
		return p
	}
	good := proposal(Upsert, ada, "status", `{"removed":false}`)
	for name, c := range map[string]struct {
		change func(*Proposal)
		want   Code
	}{
		"as it is":               {func(*Proposal) {}, ""},
		"type in another case":   {func(p *Proposal) { p.EntityType = "CorpUser" }, ""},
		"unknown type":           {func(p *Proposal) { p.EntityType = "nothing" }, Invalid},
		"type of another entity": {func(p *Proposal) { p.EntityType = "dataset" }, Invalid},
		"no urn":                 {func(p *Proposal) { p.EntityURN = "" }, Invalid},
		"key instead of urn":     {func(p *Proposal) { *p = key(*p, `{"username":"bob"}`) }, ""},
		"bad key":                {func(p *Proposal) { *p = key(*p, `{"name":"bob"}`) }, Validation},
		"bad urn":                {func(p *Proposal) { p.EntityURN = "urn:li:corpuser" }, Invalid},
		"unknown namespace":      {func(p *Proposal) { p.EntityURN = "urn:zz:corpuser:a" }, Invalid},
		"no aspect name":         {func(p *Proposal) { p.AspectName = "" }, Invalid},
		"aspect of another type": {func(p *Proposal) { p.AspectName = "datasetProperties" }, Invalid},
		"no aspect":              {func(p *Proposal) { p.Aspect = nil }, Invalid},
		"content type":           {func(p *Proposal) { p.Aspect = &GenericAspect{[]byte(`{}`), "text/plain"} }, Invalid},
		"charset": {func(p *Proposal) {
			p.Aspect = &GenericAspect{[]byte(`{"removed":true}`), "application/json; charset=utf-8"}
		}, ""},
		"no JSON":   {func(p *Proposal) { p.Aspect = &GenericAspect{[]byte(`{`), "application/json"} }, Invalid},
		"too large": {func(p *Proposal) { p.Aspect = &GenericAspect{make([]byte, MaxAspectBytes+1), "application/json"} }, TooLarge},
		"key aspect": {func(p *Proposal) {
			p.AspectName, p.Aspect = "corpUserKey", &GenericAspect{[]byte(`{"username":"ada"}`), "application/json"}
		}, ""},
		"key of another": {func(p *Proposal) {
			p.AspectName, p.Aspect = "corpUserKey", &GenericAspect{[]byte(`{"username":"eve"}`), "application/json"}
		}, ""},
	} {
		p := good
		c.change(&p)
		_, err := h.Ingest(context.Background(), p, WriteOptions{})
		if got := map[bool]Code{true: ""}[err == nil]; err != nil && CodeOf(err) != c.want || err == nil && c.want != got {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestEqualWrite(t *testing.T) {
	h := newHarness(t)
	write := func(run string, observed int64, value string) WriteResult {
		p := proposal(Upsert, table, "upstreamLineage", value)
		p.System = &SystemMetadata{RunID: run, LastObserved: observed}
		return h.ingest("", p)
	}
	value := `{"upstreams":[{"dataset":"` + upstream + `","type":"COPY"}]}`
	write("one", 10, value)
	before := len(h.changes())
	if write("two", 20, " "+value).Changed {
		t.Error("an equal write changed something")
	}
	e, err := h.Entity(context.Background(), table, []string{"upstreamLineage"})
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Aspects["upstreamLineage"].System; s.RunID != "one" || s.LastObserved != 20 {
		t.Errorf("after an equal write: %+v", s)
	}
	changes := h.changes()[before:]
	if len(changes) != 1 || changes[0].Kind != ChangeRestate {
		t.Errorf("equal lineage is restated: %+v", changes)
	}
	h.put("", Upsert, table, "status", `{"removed":false}`)
	before = len(h.changes())
	h.put("", Upsert, table, "status", `{ "removed": false }`)
	if n := len(h.changes()); n != before {
		t.Errorf("an equal write left %d changes", n-before)
	}
}

func TestVersionsAndRetention(t *testing.T) {
	h := newHarness(t)
	for n := 1; n <= 25; n++ {
		h.put("", Upsert, table, "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n))
	}
	for version, want := range map[int64]string{0: "25", 24: "24", 5: "5", -1: "24", -2: "23"} {
		if got := h.value(table, "datasetProperties", version); got != `{"description":"`+want+`"}` {
			t.Errorf("version %d is %s, want %s", version, got, want)
		}
	}
	for _, gone := range []int64{4, 1, 25} {
		if got := h.value(table, "datasetProperties", gone); got != "" {
			t.Errorf("version %d is there: %s", gone, got)
		}
	}
}

func TestDefaultAspects(t *testing.T) {
	h := newHarness(t)
	ingest := func(entityType, urn, aspect, value string) map[string]EnvelopedAspect {
		p := proposal(Upsert, urn, aspect, value)
		p.EntityType = entityType
		h.ingest("", p)
		e, err := h.Entity(context.Background(), urn, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.Aspects
	}
	const status = `{"removed":false}`
	ingest("dataPlatform", "urn:li:dataPlatform:files", "dataPlatformInfo", `{"name":"files","type":"FILE_SYSTEM","datasetNameDelimiter":"/"}`)
	for _, c := range []struct{ entityType, urn, path, v2, platform string }{
		{"dataset", table, `["/prod/hive/db"]`, `[{"id":"db"}]`, "urn:li:dataPlatform:hive"},
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
	h.put("", Upsert, "urn:li:dataset:(urn:li:dataPlatform:hive,given,PROD)", "browsePaths", `{"paths":["/mine"]}`)
	if got := h.value("urn:li:dataset:(urn:li:dataPlatform:hive,given,PROD)", "browsePaths", 0); got != `{"paths":["/mine"]}` {
		t.Errorf("a given path was replaced: %s", got)
	}
}

func TestDelete(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "ownership", `{"owners":[{"owner":"`+ada+`","type":"DATAOWNER"}],"lastModified":`+stamp+`}`)
	h.put("", Upsert, table, "datasetProperties", `{"name":"nice","description":"d"}`)
	h.put("", Upsert, upstream, "upstreamLineage", `{"upstreams":[{"dataset":"`+table+`","type":"COPY"}]}`)

	h.put("", Delete, table, "datasetProperties", "")
	if got := h.value(table, "datasetProperties", 0) + h.value(table, "datasetProperties", 1); got != `{"name":"nice","description":"d"}` {
		t.Errorf("the history of a deleted aspect: %s", got)
	}
	nodes, err := h.store.Entities(context.Background(), []string{table})
	if err != nil || nodes[0].Properties["name"] != "db.Orders" || nodes[0].Properties["description"] != nil {
		t.Errorf("the name falls back to the key's: %+v %v", nodes, err)
	}
	h.put("", Delete, table, "ownership", "")
	if got := h.neighbours("INCOMING", ada); len(got) != 0 {
		t.Errorf("edges of a deleted aspect: %v", got)
	}
	if h.put("", Delete, table, "ownership", "").Changed {
		t.Error("deleting what is not there changed something")
	}
	h.put("", Upsert, table, "ownership", `{"owners":[],"lastModified":`+stamp+`}`)
	if got := h.value(table, "ownership", -1); !strings.Contains(got, ada) {
		t.Errorf("numbering goes on after a delete: %s", got)
	}

	h.put("", Delete, table, "datasetKey", "")
	if ok, err := h.Exists(context.Background(), table); ok || err != nil {
		t.Errorf("the entity is still there: %v", err)
	}
	if got := h.neighbours("OUTGOING", upstream, "DownstreamOf"); !slices.Equal(got, []string{table}) {
		t.Errorf("what others say of it: %v", got)
	}
	last := h.changes()[len(h.changes())-1]
	if last.Kind != ChangeDelete || last.Aspect != "datasetKey" || !strings.Contains(string(last.Previous), "db.Orders") {
		t.Errorf("the change: %+v", last)
	}
}

func TestSoftDeleteMarksTheNode(t *testing.T) {
	h := newHarness(t)
	for _, removed := range []bool{true, false, true} {
		h.put("", Upsert, table, "status", fmt.Sprintf(`{"removed":%t}`, removed))
		nodes, err := h.store.Entities(context.Background(), []string{table})
		if err != nil || nodes[0].Removed != removed || !nodes[0].Exists {
			t.Errorf("removed %t: %+v %v", removed, nodes, err)
		}
	}
	h.put("", Upsert, table, "datasetProperties", `{"name":"x"}`)
	if nodes, _ := h.store.Entities(context.Background(), []string{table}); !nodes[0].Removed {
		t.Error("another aspect took the mark away")
	}
	h.put("", Delete, table, "status", "")
	if nodes, _ := h.store.Entities(context.Background(), []string{table}); nodes[0].Removed {
		t.Error("without a status it is still removed")
	}
}

func TestConcurrentPatches(t *testing.T) {
	h := newHarness(t)
	const writers, rounds = 16, 8
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for r := range rounds {
				tag := fmt.Sprintf("urn:li:tag:%d-%d", w, r)
				h.put("", Patch, table, "globalTags", `[{"op":"add","path":"/tags/`+tag+`","value":{"tag":"`+tag+`"}}]`)
			}
		})
	}
	group.Wait()
	if n := len(h.neighbours("OUTGOING", table, "TaggedWith")); n != 100 {
		t.Errorf("a page of %d", n)
	}
	page, err := h.Relationships(context.Background(), RelationshipQuery{URN: table, Direction: "OUTGOING", Count: 1000})
	if tagged := slices.DeleteFunc(page.Relationships, func(r Relationship) bool { return r.Type != "TaggedWith" }); err != nil || len(tagged) != writers*rounds {
		t.Errorf("%d tags, want %d: %v", len(tagged), writers*rounds, err)
	}
}

func TestBatch(t *testing.T) {
	h := newHarness(t)
	var proposals []Proposal
	for n := range 2500 {
		proposals = append(proposals, proposal(Upsert, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,t%d,PROD)", n%1200), "datasetProperties", fmt.Sprintf(`{"description":"%d"}`, n)))
	}
	proposals[7].AspectName = "nothing"
	proposals[8].Aspect = &GenericAspect{[]byte(`{"x":1}`), "application/json"}
	proposals[1300].ChangeType = Create
	items, err := h.IngestBatch(context.Background(), proposals, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		want := map[int]Code{7: Invalid, 8: Validation, 1300: Conflict}[i]
		if (item.Err != nil) != (want != "") || item.Err != nil && CodeOf(item.Err) != want {
			t.Errorf("item %d: %v, want %q", i, item.Err, want)
		}
		if item.Err == nil && (!item.Changed || item.URN != proposals[i].EntityURN) {
			t.Errorf("item %d: %+v", i, item)
		}
	}
	urn := proposals[5].EntityURN
	for version, want := range map[int64]string{0: "2405", 1: "5", 2: "1205"} {
		if got := h.value(urn, "datasetProperties", version); got != `{"description":"`+want+`"}` {
			t.Errorf("version %d: %s, want %s", version, got, want)
		}
	}
}

func TestSnapshotIsOneTransaction(t *testing.T) {
	h := newHarness(t)
	snapshot := func(second string) []Snapshot {
		return []Snapshot{
			{Value: []byte(`{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:x","aspects":[]}}`)},
			{Value: []byte(`{"com.linkedin.metadata.snapshot.DatasetSnapshot":{"urn":"` + table + `","aspects":[{"com.linkedin.common.Status":{"removed":false}},` + second + `]}}`)},
		}
	}
	for name, c := range map[string]struct {
		second string
		want   Code
	}{
		"unknown field":  {`{"com.linkedin.common.BrowsePaths":{"x":1}}`, Validation},
		"unknown record": {`{"com.linkedin.common.Nothing":{}}`, Invalid},
		"not of dataset": {`{"com.linkedin.tag.TagProperties":{"name":"x"}}`, Invalid},
	} {
		h.want(c.want, h.IngestSnapshots(context.Background(), snapshot(c.second), WriteOptions{}))
		if n := len(h.changes()); n != 0 {
			t.Errorf("%s: %d changes", name, n)
		}
	}
	h.want("", h.IngestSnapshots(context.Background(), snapshot(`{"com.example.common.BrowsePaths":{"paths":["/a"]}}`), WriteOptions{}))
	if ok, _ := h.Exists(context.Background(), "urn:li:tag:x"); !ok {
		t.Error("a snapshot without aspects makes no entity")
	}
	if got := h.value(table, "browsePaths", 0); got != `{"paths":["/a"]}` {
		t.Errorf("browse paths: %s", got)
	}
}

func TestStoreFailures(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, table, "status", `{"removed":false}`)
	before := len(h.changes())
	for _, c := range []struct {
		cause error
		want  Code
	}{
		{fmt.Errorf("no route: %w", graphstore.ErrUnavailable), Unavailable},
		{graphstore.ErrClosed, Unavailable},
		{context.DeadlineExceeded, Timeout},
		{errors.New("secret detail"), Internal},
	} {
		for _, f := range []*error{&h.store.fail, &h.store.failCommit} {
			*f = c.cause
			_, err := h.Ingest(context.Background(), proposal(Upsert, table, "status", `{"removed":true}`), WriteOptions{})
			h.want(c.want, err)
			if strings.Contains(MessageOf(err), "secret") || strings.Contains(MessageOf(err), "route") {
				t.Errorf("the message tells internals: %s", MessageOf(err))
			}
			items, err := h.IngestBatch(context.Background(), []Proposal{proposal(Upsert, table, "status", `{"removed":true}`), proposal(Upsert, upstream, "status", `{"removed":true}`)}, WriteOptions{})
			if err != nil || CodeOf(items[0].Err) != c.want || CodeOf(items[1].Err) != c.want {
				t.Errorf("batch: %v %v", items, err)
			}
			*f = nil
		}
	}
	if n := len(h.changes()); n != before {
		t.Errorf("failed writes left %d changes", n-before)
	}
	if got := h.value(table, "status", 0); got != `{"removed":false}` {
		t.Errorf("the value is %s", got)
	}
}

func TestAwaitChanges(t *testing.T) {
	h := newHarness(t)
	got := make(chan int)
	go func() {
		changes, _, err := h.AwaitChanges(context.Background(), "", 10, time.Minute)
		if err != nil {
			t.Error(err)
		}
		got <- len(changes)
	}()
	h.put("", Upsert, "urn:li:dataset:(urn:li:dataPlatform:hive,x,PROD)", "status", `{"removed":false}`)
	if n := <-got; n == 0 {
		t.Error("nothing came")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := h.AwaitChanges(ctx, "", 10, time.Minute); err != nil && CodeOf(err) == Internal {
		t.Error(err)
	}
}

// TestRandomWrites compares versions and edges with a plain model.
func TestRandomWrites(t *testing.T) {
	h := newHarness(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	history := map[string][]string{}
	current := map[string]string{}
	for range testsize.Of(120, 1200) {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,r%d,PROD)", random.IntN(3))
		if random.IntN(5) == 0 {
			h.put("", Delete, urn, "globalTags", "")
			if current[urn] != "" {
				history[urn] = append(history[urn], current[urn])
				current[urn] = ""
			}
			continue
		}
		tag := fmt.Sprintf("urn:li:tag:%d", random.IntN(3))
		value := mustJSON(t, map[string]any{"tags": []any{map[string]any{"tag": tag}}})
		h.put("", Upsert, urn, "globalTags", value)
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
			if got := h.value(urn, "globalTags", int64(i+1)); got != want {
				t.Errorf("version %d of %s is %s, want %s", i+1, urn, got, want)
			}
		}
		if got := h.value(urn, "globalTags", 0); got != current[urn] {
			t.Errorf("%s is %s, want %s", urn, got, current[urn])
		}
		edges := h.neighbours("OUTGOING", urn, "TaggedWith")
		if (len(edges) == 1) != (current[urn] != "") || len(edges) == 1 && !strings.Contains(current[urn], edges[0]) {
			t.Errorf("%s has edges %v with %s", urn, edges, current[urn])
		}
	}
}

// TestKeyFollowsURN: connectors send key aspects that differ from the URN. The
// URN decides, in proposals and in snapshots, and the write is not refused.
func TestKeyFollowsURN(t *testing.T) {
	h := newHarness(t)
	h.put("", Upsert, ada, "corpUserKey", `{"username":"eve"}`)
	if got := h.value(ada, "corpUserKey", 0); got != `{"username":"ada"}` {
		t.Errorf("the key is %s", got)
	}
	if _, err := h.Ingest(context.Background(), proposal(Upsert, ada, "corpUserKey", `{"name":"eve"}`), WriteOptions{}); CodeOf(err) != Validation {
		t.Errorf("a key that is not one: %v", err)
	}
}
