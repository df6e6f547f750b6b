package write_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// conditional is a proposal with headers, name and text in turn.
func conditional(change, urn, aspect, value string, headers ...string) write.Proposal {
	p := catalogtest.Proposal(change, urn, aspect, value)
	if strings.HasPrefix(urn, "urn:li:tag:") {
		p.EntityType = "tag"
	}
	p.Headers = map[string]string{}
	for i := 0; i < len(headers); i += 2 {
		p.Headers[headers[i]] = headers[i+1]
	}
	return p
}

// systemOf returns the system metadata of an aspect.
func systemOf(t *testing.T, c *services.Services, urn, aspect string) *catalog.SystemMetadata {
	t.Helper()
	e, err := c.Entity(context.Background(), catalogtest.URN(urn), []string{aspect})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Aspects[aspect].System
	if s == nil {
		t.Fatalf("%s of %s has no system metadata", aspect, urn)
	}
	return s
}

// TestSystemMetadataOfVersions: the answer has the version, the actors who wrote the aspect first and last,
// and the run of the version before.
func TestSystemMetadataOfVersions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	put := func(change, run, actor, value string) {
		t.Helper()
		p := catalogtest.Proposal(change, catalogtest.Table, "datasetProperties", value)
		// System metadata that a caller sends back after reading it is ignored.
		p.System = &catalog.SystemMetadata{RunID: run, PipelineName: "of " + run, SchemaVersion: 4, Version: "77", LastRunID: "mine", AspectCreated: &catalog.AuditStamp{Time: 3, Actor: "urn:li:corpuser:me"}}
		_, err := h.Ingest(context.Background(), p, catalog.WriteOptions{Actor: actor})
		h.Want("", err)
	}
	check := func(how, version, lastRun, creator, modifier string) {
		t.Helper()
		s := systemOf(t, h.Services, catalogtest.Table, "datasetProperties")
		if s.Version != version || s.LastRunID != lastRun || s.AspectCreated == nil || s.AspectCreated.Actor != creator || s.AspectModified.Actor != modifier || s.AspectCreated.Time > s.AspectModified.Time {
			t.Errorf("%s: %+v, created %+v, modified %+v", how, s, s.AspectCreated, s.AspectModified)
		}
		if s.PipelineName != "of "+s.RunID || s.SchemaVersion != 4 {
			t.Errorf("%s: pipeline %q, version %d of the schema, run %s", how, s.PipelineName, s.SchemaVersion, s.RunID)
		}
	}
	const eve = "urn:li:corpuser:eve"
	put(write.Upsert, "one", catalogtest.Ada, `{"description":"a"}`)
	check("first", "1", "", catalogtest.Ada, catalogtest.Ada)
	put(write.Upsert, "two", eve, `{"description":"b"}`)
	check("second", "2", "one", catalogtest.Ada, eve)
	put(write.Upsert, "three", catalogtest.Ada, `{ "description":"b"}`)
	check("equal", "2", "one", catalogtest.Ada, eve)
	put(write.Restate, "three", catalogtest.Ada, `{"description":"c"}`)
	check("third", "3", "two", catalogtest.Ada, catalogtest.Ada)
	if got := h.Value(catalogtest.Table, "datasetProperties", 2); got != `{"description":"b"}` {
		t.Errorf("the archived version 2 is %s", got)
	}
	changes := h.Logged()
	if last := changes[len(changes)-1]; last.System.PipelineName != "of three" || last.PreviousSystem.PipelineName != "of two" {
		t.Errorf("the change log has pipelines %q and %q", last.System.PipelineName, last.PreviousSystem.PipelineName)
	}
	if last := changes[len(changes)-1]; last.System.Version != "3" || last.PreviousSystem.Version != "2" {
		t.Errorf("the change log has versions %q and %q", last.System.Version, last.PreviousSystem.Version)
	}
	h.Put("", write.Delete, catalogtest.Table, "datasetProperties", "")
	put(write.Create, "four", eve, `{"description":"d"}`)
	check("after it was deleted", "4", "", eve, eve)
}

// TestVersionsOfEarlierReleases: versions that say nothing about the versions before them have
// numbers too, conditions hold for them, and no statement is invented.
func TestVersionsOfEarlierReleases(t *testing.T) {
	h := catalogtest.NewHarness(t)
	version := func(seq int64) graphstore.Aspect {
		return graphstore.Aspect{
			URN: catalogtest.Table, Name: "datasetProperties", Seq: seq, Value: fmt.Appendf(nil, `{"description":"%d"}`, seq),
			CreatedOn: seq, CreatedBy: catalogtest.Ada, System: graphstore.SystemMetadata{RunID: fmt.Sprint("run ", seq)},
		}
	}
	err := h.Store.Update(context.Background(), []string{catalogtest.Table}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			PutArchived: []graphstore.Aspect{version(1)}, PutVersions: []graphstore.Aspect{version(2)},
			Nodes: []graphstore.NodeUpdate{{URN: catalogtest.Table, Type: "dataset", Exists: true}},
		})
	})
	h.Want("", err)
	check := func(version, lastRun string) {
		t.Helper()
		s := systemOf(t, h.Services, catalogtest.Table, "datasetProperties")
		if s.Version != version || s.LastRunID != lastRun || s.AspectCreated != nil || s.AspectModified == nil {
			t.Errorf("%+v", s)
		}
	}
	check("2", "")
	h.Attempt(catalog.Precondition, conditional(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"x"}`, "If-Version-Match", "1"))
	h.Attempt("", conditional(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"x"}`, "If-Version-Match", "2"))
	check("3", "run 2")
}

// TestConditions tries every condition on an aspect that exists and on one that does
// not.
func TestConditions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"a"}`)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"b"}`)
	written := systemOf(t, h.Services, catalogtest.Table, "datasetProperties").AspectModified.Time
	at := func(ms int64) string { return time.UnixMilli(written + ms).UTC().Format(time.RFC3339Nano) }
	const refused = catalog.Precondition
	for _, c := range []struct {
		name, change, aspect string
		headers              []string
		want                 catalog.Code
		says                 string
	}{
		{"the version", write.Upsert, "datasetProperties", []string{"If-Version-Match", "2"}, "", ""},
		{"in another letter case", write.Upsert, "datasetProperties", []string{"if-version-match", " 2 "}, "", ""},
		{"an older version", write.Upsert, "datasetProperties", []string{"If-Version-Match", "1"}, refused, "expected version 1, actual version 2"},
		{"no version", write.Upsert, "datasetProperties", []string{"If-Version-Match", "-1"}, refused, "expected version -1, actual version 2"},
		{"no version of what is absent", write.Upsert, "status", []string{"If-Version-Match", "-1"}, "", ""},
		{"a version of what is absent", write.Upsert, "status", []string{"If-Version-Match", "1"}, refused, "expected version 1, actual version -1"},
		{"an update", write.Update, "datasetProperties", []string{"If-Version-Match", "1"}, refused, "actual version 2"},
		{"a restatement is not checked", write.Restate, "datasetProperties", []string{"If-Version-Match", "1"}, "", ""},
		{"a patch", write.Patch, "datasetProperties", []string{"If-Version-Match", "1"}, refused, "actual version 2"},
		{"a patch of the version", write.Patch, "datasetProperties", []string{"If-Version-Match", "2"}, "", ""},
		{"a deletion", write.Delete, "datasetProperties", []string{"If-Version-Match", "1"}, refused, "actual version 2"},
		{"a creation counts as no version", write.Create, "status", []string{"If-Version-Match", "-1"}, "", ""},
		{"a creation with a version", write.Create, "datasetProperties", []string{"If-Version-Match", "2"}, refused, "expected version 2, actual version -1"},
		{"a creation of what exists", write.Create, "datasetProperties", nil, refused, "already exists in version 2"},
		{"a creation of an entity that exists", write.CreateEntity, "status", nil, refused, "already exists"},
		{"or nothing", write.Create, "datasetProperties", []string{"If-None-Match", "*"}, "", ""},
		{"or nothing of an entity", write.CreateEntity, "status", []string{"If-None-Match", "*"}, "", ""},
		{"or nothing, of an upsert", write.Upsert, "status", []string{"If-None-Match", "*"}, catalog.Invalid, "CREATE_ENTITY"},
		{"or nothing, of a tag", write.Create, "status", []string{"If-None-Match", "x"}, catalog.Invalid, "must be *"},
		{"modified since", write.Upsert, "datasetProperties", []string{"If-Modified-Since", at(-1)}, "", ""},
		{"modified at that time", write.Upsert, "datasetProperties", []string{"If-Modified-Since", at(0)}, refused, "version 2 was written at " + at(0)},
		{"modified since, absent", write.Upsert, "status", []string{"If-Modified-Since", "2001-01-01T00:00:00Z"}, refused, "does not exist"},
		{"unmodified since", write.Upsert, "datasetProperties", []string{"If-Unmodified-Since", at(0)}, "", ""},
		{"modified after", write.Upsert, "datasetProperties", []string{"If-Unmodified-Since", at(-1)}, refused, "expected no modification after " + at(-1)},
		{"unmodified since, absent", write.Upsert, "status", []string{"If-Unmodified-Since", "2001-01-01T00:00:00Z"}, "", ""},
		{"two conditions, one holds", write.Upsert, "datasetProperties", []string{"If-Version-Match", "2", "If-Unmodified-Since", at(-1)}, refused, "expected no modification"},
		{"a header of something else", write.Upsert, "datasetProperties", []string{"X-DataHub-Sync-Index-Update", "true"}, "", ""},
		{"no number", write.Upsert, "datasetProperties", []string{"If-Version-Match", "x"}, catalog.Invalid, "not a version"},
		{"no time", write.Upsert, "datasetProperties", []string{"If-Modified-Since", "yesterday"}, catalog.Invalid, "not a time"},
	} {
		value := map[string]string{"datasetProperties": `{"description":"b"}`, "status": `{"removed":false}`}[c.aspect]
		if c.change == write.Patch {
			value = `[{"op":"add","path":"/description","value":"b"}]`
		}
		before := len(h.Logged())
		_, err := h.Ingest(context.Background(), conditional(c.change, catalogtest.Table, c.aspect, value, c.headers...), catalog.WriteOptions{})
		if code := codeOf(err); code != c.want || err != nil && !strings.Contains(catalog.MessageOf(err), c.says) {
			t.Errorf("%s: %q %v, want %q that says %q", c.name, code, err, c.want, c.says)
		}
		if c.aspect == "status" && err == nil {
			h.Put("", write.Delete, catalogtest.Table, "status", "")
		} else if n := len(h.Logged()); n != before {
			t.Errorf("%s: %d changes", c.name, n-before)
		}
	}
	series := conditional(write.Upsert, catalogtest.Table, "datasetProfile", `{"timestampMillis":1}`, "If-Version-Match", "1")
	h.Attempt(catalog.Invalid, series)
}

func codeOf(err error) catalog.Code {
	if err == nil {
		return ""
	}
	return catalog.CodeOf(err)
}

// TestCreateWhole: one call creates an entity with its aspects, as clients do, and only the first
// such call does. If a condition fails, nothing of the call is written.
func TestCreateWhole(t *testing.T) {
	h := catalogtest.NewHarness(t)
	create := func(urn string, headers ...string) []write.Proposal {
		return []write.Proposal{
			conditional(write.CreateEntity, urn, "datasetKey", `{"platform":"urn:li:dataPlatform:hive","name":"n","origin":"PROD"}`, headers...),
			conditional(write.CreateEntity, urn, "datasetProperties", `{"description":"first"}`, headers...),
			conditional(write.Create, urn, "status", `{"removed":false}`, headers...),
			conditional(write.Create, urn, "browsePaths", `{"paths":["/own"]}`, headers...),
		}
	}
	whole := func(proposals []write.Proposal) error {
		_, err := h.IngestWhole(context.Background(), proposals, catalog.WriteOptions{})
		return err
	}
	h.Want("", whole(create(catalogtest.Table)))
	if got := h.Value(catalogtest.Table, "browsePaths", 0); got != `{"paths":["/own"]}` {
		t.Errorf("browse paths: %s", got)
	}
	before := len(h.Logged())
	h.Want(catalog.Precondition, whole(create(catalogtest.Table)))
	h.Want("", whole(create(catalogtest.Table, "If-None-Match", "*")))
	h.Want(catalog.Precondition, whole([]write.Proposal{
		catalogtest.Proposal(write.Upsert, catalogtest.Upstream, "status", `{"removed":true}`),
		conditional(write.Upsert, catalogtest.Table, "status", `{"removed":true}`, "If-Version-Match", "9"),
	}))
	if n := len(h.Logged()); n != before {
		t.Errorf("refused calls left %d changes", n-before)
	}
	// Later members of a call see the values of earlier members.
	h.Want("", whole([]write.Proposal{
		conditional(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"second"}`, "If-Version-Match", "1"),
		conditional(write.Upsert, catalogtest.Table, "datasetProperties", `{"description":"third"}`, "If-Version-Match", "2"),
	}))
	// Independent proposals are requests of their own.
	items, err := h.IngestBatch(context.Background(), create(catalogtest.Upstream), catalog.WriteOptions{})
	var codes []catalog.Code
	for i := range items {
		codes = append(codes, codeOf(items[i].Err))
	}
	if want := []catalog.Code{"", catalog.Precondition, "", ""}; err != nil || !slices.Equal(codes[:3], want[:3]) {
		t.Errorf("independent: %q %v, want %q", codes, err, want)
	}
}

// TestDraftsKnowConditions: drafts before the transaction leave out the members that are left out or refused.
func TestDraftsKnowConditions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Put("", write.Upsert, catalogtest.Table, "datasetProperties", `{"customProperties":{"a":"b"}}`)
	var many []string
	for n := range 60 { // more than is applied inside a transaction
		many = append(many, fmt.Sprintf(`{"op":"add","path":"/customProperties/%d","value":"v"}`, n))
	}
	patch := catalogtest.Proposal(write.Patch, catalogtest.Table, "datasetProperties", "["+strings.Join(many, ",")+"]")
	items, err := h.IngestBatch(context.Background(), []write.Proposal{
		conditional(write.Upsert, catalogtest.Table, "datasetProperties", `{"customProperties":{}}`, "If-Version-Match", "7"),
		conditional(write.CreateEntity, catalogtest.Table, "datasetProperties", `{"customProperties":{}}`, "If-None-Match", "*"),
		patch,
	}, catalog.WriteOptions{})
	if err != nil || codeOf(items[0].Err) != catalog.Precondition || items[1].Err != nil || items[1].Changed || items[2].Err != nil {
		t.Fatalf("%+v %v", items, err)
	}
	if got := h.Value(catalogtest.Table, "datasetProperties", 0); !strings.Contains(got, `"a":"b"`) || !strings.Contains(got, `"59":"v"`) {
		t.Errorf("patched: %s", got)
	}
	if n := h.Store.Updates.Load(); n != 2 {
		t.Errorf("%d transactions", n)
	}
}

// TestConditionsUnderRaces: of many writers with the same condition at the same time, exactly one
// succeeds, on both stores.
func TestConditionsUnderRaces(t *testing.T) {
	const writers, rounds = 16, 2
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		c := services.New(services.Options{Store: store, Now: testclock.Now})
		race := func(how string, proposals func(n int) []write.Proposal) {
			t.Helper()
			var won atomic.Int32
			var all sync.WaitGroup
			begin := make(chan struct{})
			for n := range writers {
				all.Go(func() {
					<-begin
					_, err := c.IngestWhole(context.Background(), proposals(n), catalog.WriteOptions{})
					for codeOf(err) == catalog.Busy { // nothing was changed; a busy machine is slow
						_, err = c.IngestWhole(context.Background(), proposals(n), catalog.WriteOptions{})
					}
					switch codeOf(err) {
					case "":
						won.Add(1)
					case catalog.Precondition:
					default:
						t.Errorf("%s: %v", how, err)
					}
				})
			}
			close(begin)
			all.Wait()
			if n := won.Load(); n != 1 {
				t.Errorf("%s: %d of %d succeeded", how, n, writers)
			}
		}
		for round := range rounds {
			urn := fmt.Sprintf("urn:li:tag:race%d", round)
			named := func(n int) string { return fmt.Sprintf(`{"name":"%d of round %d"}`, n, round) }
			race("CREATE_ENTITY", func(n int) []write.Proposal {
				return []write.Proposal{
					conditional(write.CreateEntity, urn, "tagKey", fmt.Sprintf(`{"name":"race%d"}`, round)),
					conditional(write.Create, urn, "tagProperties", named(n)),
				}
			})
			race("If-Version-Match", func(n int) []write.Proposal {
				return []write.Proposal{conditional(write.Upsert, urn, "tagProperties", named(100+n), "If-Version-Match", "1")}
			})
			race("CREATE", func(n int) []write.Proposal {
				return []write.Proposal{conditional(write.Create, urn, "status", `{"removed":false}`)}
			})
			race("a patch of a version", func(n int) []write.Proposal {
				return []write.Proposal{conditional(write.Patch, urn, "tagProperties", fmt.Sprintf(`{"forceGenericPatch":true,"patch":[{"op":"add","path":"/description","value":"%d"}]}`, n), "If-Version-Match", "2")}
			})
			if s := systemOf(t, c, urn, "tagProperties"); s.Version != "3" {
				t.Errorf("the version is %s", s.Version)
			}
		}
	})
}

// TestKeyedPatch: a patch that brings its keys changes any aspect, and the key of an
// entity still follows its URN.
func TestKeyedPatch(t *testing.T) {
	h := catalogtest.NewHarness(t)
	const keys = `"arrayPrimaryKeys":{"tags":["tag"]}`
	h.Put("", write.Patch, catalogtest.Table, "globalTags", `{`+keys+`,"patch":[{"op":"add","path":"/tags/urn:li:tag:x","value":{"tag":"urn:li:tag:x"}}]}`)
	if got := h.Neighbours("OUTGOING", catalogtest.Table, "TaggedWith"); !slices.Equal(got, []string{"urn:li:tag:x"}) {
		t.Errorf("tags: %v", got)
	}
	removal := `{` + keys + `,"patch":[{"op":"remove","path":"/tags/urn:li:tag:y","value":{}}]}`
	if h.Put("", write.Patch, catalogtest.Table, "globalTags", removal).Changed {
		t.Error("the removal of what is absent changed something")
	}
	h.Put("", write.Patch, catalogtest.Table, "institutionalMemory", `{"arrayPrimaryKeys":{"elements":["url"]},"patch":[{"op":"add","path":"/elements/https:~1~1a.example/description","value":"d"}]}`)
	h.Put(catalog.Validation, write.Patch, catalogtest.Table, "institutionalMemory", `{"forceGenericPatch":true,"patch":[{"op":"add","path":"/nothing","value":1}]}`)
	h.Put("", write.Patch, catalogtest.Ada, "corpUserKey", `{"forceGenericPatch":true,"patch":[{"op":"add","path":"/username","value":"eve"}]}`)
	if got := h.Value(catalogtest.Ada, "corpUserKey", 0); got != `{"username":"ada"}` {
		t.Errorf("the key is %s", got)
	}
	h.Put(catalog.Invalid, write.Patch, catalogtest.Table, "datasetProfile", `{"forceGenericPatch":true,"patch":[]}`)
	if got := h.Value(catalogtest.Table, "institutionalMemory", 0); !strings.Contains(got, `"url":"https://a.example"`) {
		t.Errorf("links: %s", got)
	}
}
