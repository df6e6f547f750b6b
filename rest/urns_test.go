package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/model"
)

// writingCalls are tried in order. @name stands for the URN of an entity of urnsOfCalls in
// the spelling of the run, =name for the URN in the usual spelling. ~name stands for the
// URN in the spelling of the run without blanks around it, where the server refuses blanks.
var writingCalls = []struct {
	target, body string
	status       int
}{
	{"/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"~orders","changeType":"UPSERT","aspectName":"globalTags","aspect":{"value":"{\"tags\":[{\"tag\":\"urn:li:tag:Pii\"},{\"tag\":\"urn:li:tag:old\"}]}","contentType":"application/json"}}}`, 200},
	{"/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"~orders","changeType":"PATCH","aspectName":"globalTags","aspect":{"value":"[{\"op\":\"remove\",\"path\":\"/tags/urn:li:tag:old\"}]","contentType":"application/json"}}}`, 200},
	{"/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"~raw","changeType":"CREATE","aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}}`, 200},
	{"/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"~raw","changeType":"CREATE","aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}}`, 422},
	{"/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataset","entityUrn":"~raw","changeType":"DELETE","aspectName":"status"}}`, 200},
	{"/aspects?action=ingestProposalBatch", `{"proposals":[{"entityType":"dataset","entityUrn":"~raw","aspectName":"status","aspect":{"value":"{\"removed\":true}","contentType":"application/json"}},{"entityType":"dataset","entityUrn":"=raw","aspectName":"status","aspect":{"value":"{\"removed\":true}","contentType":"application/json"}}]}`, 200},
	{"/aspects?action=ingestProposalBatch", `{"proposals":[{"entityType":"tag","entityUrn":"~old","aspectName":"status","aspect":{"value":"{\"removed\":true}","contentType":"application/json"}},{"entityType":"dataset","entityUrn":"~old","aspectName":"status","aspect":{"value":"{\"removed\":true}","contentType":"application/json"}}]}`, 400},
	{"/entities?action=ingest", `{"entity":{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"~old","aspects":[{"com.linkedin.tag.TagProperties":{"name":"older"}}]}}}}`, 200},
	{"/entities?action=batchIngest", `{"entities":[{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"~new","aspects":[{"com.linkedin.tag.TagProperties":{"name":"new"}}]}}},{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"=new","aspects":[{"com.linkedin.tag.TagProperties":{"name":"newer"}}]}}}]}`, 200},
	{"/usageStats?action=batchIngest", `{"buckets":[{"bucket":5,"duration":"DAY","resource":"~orders","metrics":{"uniqueUserCount":1}}]}`, 200},
	{"/openapi/v3/entity/dataset?async=false", `[{"urn":"~orders","status":{"value":{"removed":false}}},{"urn":"=raw","status":{"value":{"removed":false}}}]`, 200},
	{"/openapi/v3/entity/generic?async=false", `{"tag":[{"urn":"~old","status":{"value":{"removed":false}}}],"dataset":[{"urn":"~raw","status":{"value":{"removed":true}}}]}`, 200},
	{"/entities?action=edit", `{"urn":"@orders","add":{"tags":["@Pii","@old"]},"dryRun":true}`, 200},
	{"/entities?action=edit", `{"urn":"@orders","add":{"tags":["@Pii","=Pii"],"owners":[{"owner":" urn:li:corpuser:nobody "}]}}`, 404},
	{"/entities?action=edit", `{"urn":"@orders","add":{"tags":["@old"]},"remove":{"tags":["@Pii","=Pii"]},"description":"d"}`, 200},
	{"/entities?action=edit", `{"urn":"@orders","add":{"tags":["@Pii"]},"remove":{"tags":["=old","@none"]},"domain":null,"description":null}`, 200},
	{"/entities?action=restore", `{"urn":"@orders","version":1,"aspects":["globalTags"],"label":"@old","dryRun":true}`, 200},
	{"/entities?action=restore", `{"urn":"@orders","version":1,"aspects":["globalTags"],"label":"@old"}`, 200},
	{"/openapi/v3/entity/dataset/batchGet", `[{"urn":"@orders","status":{}},{"urn":"=orders"}]`, 200},
	{"/entities?action=delete", `{"urn":"@orders","aspectName":"datasetUsageStatistics"}`, 200},
	{"/entities?action=deleteReferences", `{"urn":"@Pii","dryRun":true}`, 200},
	{"/entities?action=deleteReferences", `{"urn":"@Pii"}`, 200},
	{"/entities?action=batchDelete", `{"urns":["@Pii","=Pii","@none","@raw"],"soft":true,"systemMetadata":{"lastObserved":1}}`, 200},
	{"/entities?action=batchDelete", `{"urns":["@Pii","=Pii"],"soft":true,"undo":true,"systemMetadata":{"lastObserved":1}}`, 200},
	{"/entities?action=batchDelete", `{"urns":["@Pii","=old","urn:li:tag: x "]}`, 200},
	{"/entities?action=batchDelete", `{"urns":["@new","nonsense"]}`, 400},
	{"/entities?action=batchDelete", `{"urns":["@new","=new","@none"],"references":true,"dryRun":true}`, 200},
	{"/entities?action=batchDelete", `{"urns":["@new","=new","@none"],"references":true}`, 200},
	{"/openapi/entities/v1/", `[{"entityType":"tag","entityUrn":"~old","aspect":{"__type":"TagProperties","name":"v1"}}]`, 201},
	{"/openapi/platform/entities/v1/", `[{"entityType":"tag","entityUrn":"~old","aspectName":"status","changeType":"UPSERT","aspect":{"value":{"__type":"Status","removed":true},"contentType":"application/json"}}]`, 201},
	{"/operations?action=truncateTimeseriesAspect", `{"entityType":"dataset","aspect":"datasetUsageStatistics","endTimeMillis":10,"dryRun":false}`, 200},
	{"/entities?action=delete", `{"urn":"@raw","dryRun":true}`, 200},
	{"/entities?action=delete", `{"urn":"@raw"}`, 200},
	{"/entities?action=delete", `{"urn":"@none"}`, 200},
	{"/runs?action=rollback", `{"runId":"no such run","dryRun":false}`, 200},
	{"/entities?action=deleteAll", `{"registryId":"no:1","dryRun":false}`, 200},
}

// urnsOfCalls are the entities of writingCalls.
var urnsOfCalls = map[string]string{
	"orders": catalogtest.Table, "raw": catalogtest.Upstream, "Pii": "urn:li:tag:Pii", "old": "urn:li:tag:old", "new": "urn:li:tag:new", "none": "urn:li:tag:none",
}

var urnNamed = regexp.MustCompile(`"[@=~][A-Za-z]+"`)

// serveHarness serves a catalog, and returns the harness with which a test reads its store.
func serveHarness(t *testing.T) (*catalogtest.SearchHarness, *httptest.Server) {
	t.Helper()
	h, registry := catalogtest.NewSearchHarness(t), prometheus.NewRegistry()
	closing, closeNow := context.WithCancel(context.Background())
	server := httptest.NewServer(New(Options{
		Catalog: h.Services, Version: "test", MaxBodyBytes: 20 << 20, KafkaForm: form.Text, Registry: registry, Gatherer: registry, Closing: closing,
		Audit: audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now}), Policies: testcatalog.Policies(h.Services, h.Store, nil),
	}))
	t.Cleanup(func() {
		closeNow()
		server.Close()
	})
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	return h, server
}

// TestSpellings: every writing call has the same answer and leaves the same state, whatever
// the spelling of its URNs. This also holds for a second call with the usual spelling.
func TestSpellings(t *testing.T) {
	usual := func(urn string) string { return urn }
	plain, plainServer := serveHarness(t)
	odd, oddServer := serveHarness(t)
	fill := func(body string, spell func(string) string) string {
		return urnNamed.ReplaceAllStringFunc(body, func(name string) string {
			urn := urnsOfCalls[name[2:len(name)-1]]
			switch name[1] {
			case '@':
				urn = spell(urn)
			case '~':
				urn = strings.TrimSpace(spell(urn))
			}
			return catalogtest.MustJSON(t, urn)
		})
	}
	var pairs []string
	for _, urn := range urnsOfCalls {
		quoted := catalogtest.MustJSON(t, catalogtest.Odd(urn))
		pairs = append(pairs, quoted, `"`+urn+`"`, strings.TrimSpace(catalogtest.Odd(urn)), urn)
	}
	asCallers := strings.NewReplacer(pairs...) // answers repeat the caller's spelling of refused items and deleted values
	for _, c := range writingCalls {
		for round, spell := range []func(string) string{catalogtest.Odd, usual} {
			testclock.Forward(time.Millisecond) // a later write of the same value is a new version of a time series
			status, want, _ := request(t, plainServer, http.MethodPost, c.target, fill(c.body, usual))
			if round == 0 && status != c.status {
				t.Errorf("%s %s: %d, want %d: %s", c.target, c.body, status, c.status, want)
			}
			otherStatus, got, _ := request(t, oddServer, http.MethodPost, c.target, fill(c.body, spell))
			got = asCallers.Replace(got)
			if diff := cmp.Diff(fmt.Sprint(status, want), fmt.Sprint(otherStatus, got)); diff != "" {
				t.Errorf("%s %s, round %d, answers otherwise when URNs are spelled otherwise (-usual +other):\n%s", c.target, c.body, round, diff)
			}
		}
		if diff := cmp.Diff(strings.Split(plain.State(), "\n"), strings.Split(odd.State(), "\n")); diff != "" {
			t.Fatalf("%s %s leaves another state when URNs are spelled otherwise (-usual +other):\n%s", c.target, c.body, diff)
		}
	}
}

// TestWritingCallsAreTried: writingCalls, and so TestSpellings, has every call that writes.
func TestWritingCallsAreTried(t *testing.T) {
	for _, e := range (&Server{}).allEndpoints() {
		if e.Action == "" || !slices.Contains([]string{"Write", "Delete", "Usage"}, e.Tag) || slices.Contains([]string{"queryRange", "query"}, e.Action) || e.Action == "getTimeseriesStats" {
			continue
		}
		target := e.Path + "?action=" + e.Action
		if !slices.ContainsFunc(writingCalls, func(c struct {
			target, body string
			status       int
		},
		) bool {
			return c.target == target
		}) {
			t.Errorf("no call of %s", target)
		}
	}
}

// TestBatchDeleteChecksFirst: an invalid URN is refused before any entity is deleted.
func TestBatchDeleteChecksFirst(t *testing.T) {
	h, server := serveHarness(t)
	var urns []string
	for i := range removal.DeletionsAtOnce + 1 {
		urns = append(urns, fmt.Sprintf("urn:li:tag:del%03d", i))
		h.Say(urns[i], model.AspectStatus, `{"removed":false}`)
	}
	before := len(h.Logged())
	for _, bad := range []string{"x", "", "urn:li:tag:zzz ␟"} {
		for _, soft := range []bool{false, true} {
			body := catalogtest.MustJSON(t, map[string]any{"urns": append(slices.Clone(urns), bad), "soft": soft})
			if status, answer, _ := request(t, server, http.MethodPost, "/entities?action=batchDelete", body); status != http.StatusBadRequest || len(h.Logged()) != before {
				t.Errorf("%q: %d %s, %d changes", bad, status, answer, len(h.Logged())-before)
			}
		}
	}
}

// TestBadURNs: calls that read or delete one entity refuse a text that is not the URN of an
// entity.
func TestBadURNs(t *testing.T) {
	_, server := serveHarness(t)
	for _, bad := range []string{"x", "urn:li:nothing:x", "urn:li:chart:x"} {
		for target, body := range map[string]string{
			"/entities?action=delete":                   `{"urn":"%s"}`,
			"/entities?action=deleteReferences":         `{"urn":"%s"}`,
			"/entities?action=exists":                   `{"urn":"%s"}`,
			"/aspects?action=getTimeseriesAspectValues": `{"urn":"%s","entity":"dataset","aspect":"datasetProfile"}`,
			"/usageStats?action=queryRange":             `{"resource":"%s","duration":"DAY"}`,
		} {
			if status, answer, _ := request(t, server, http.MethodPost, target, fmt.Sprintf(body, bad)); status != http.StatusBadRequest || !strings.Contains(answer, bad) {
				t.Errorf("%s of %q: %d %s", target, bad, status, answer)
			}
		}
		for _, target := range []string{"/entities/%s", "/entitiesV2/%s", "/entitiesV2?ids=List(%s)", "/aspects/%s?aspect=status", "/relationships?direction=INCOMING&urn=%s"} {
			target = fmt.Sprintf(target, model.EncodeURN(bad))
			if status, answer, _ := request(t, server, http.MethodGet, target, ""); status != http.StatusBadRequest || !strings.Contains(answer, bad) {
				t.Errorf("%s: %d %s", target, status, answer)
			}
		}
	}
}
