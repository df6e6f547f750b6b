package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/rest/call"
)

// bare are the headers of a search as the interface documents it: without a version header.
var bare = []string{"Content-Type", "application/json"}

const (
	ordersURN = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"
	itemsURN  = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.items,DEV)"
)

// newShop serves two datasets, a chart and a soft-deleted dataset.
func newShop(t *testing.T) *httptest.Server {
	t.Helper()
	server := newServer(t)
	put := func(entityType, urn, aspect, value string) {
		t.Helper()
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(`{"proposal":{"entityType":%q,"entityUrn":%q,"changeType":"UPSERT","aspectName":%q,"aspect":{"value":%s,"contentType":"application/json"}}}`, entityType, urn, aspect, text)
		if status, answer, _ := request(t, server, http.MethodPost, "/aspects?action=ingestProposal", body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", urn, status, answer)
		}
	}
	put("dataset", ordersURN, "datasetProperties", `{"description":"Every order"}`)
	put("dataset", ordersURN, "globalTags", `{"tags":[{"tag":"urn:li:tag:Engineering"}]}`)
	put("dataset", itemsURN, "datasetProperties", `{"description":"What orders hold"}`)
	put("dataset", "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders_old,PROD)", "status", `{"removed":true}`)
	put("chart", "urn:li:chart:(looker,baz1)", "chartInfo", `{"title":"Orders a day","description":"","lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:a"},"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}}`)
	return server
}

// ask sends an action and returns its value.
func ask(t *testing.T, server *httptest.Server, action, body string, headers ...string) map[string]any {
	t.Helper()
	status, text, _ := request(t, server, http.MethodPost, "/entities?action="+action, body, headers...)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", action, body, status, text)
	}
	var answer struct {
		Value map[string]any `json:"value"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return answer.Value
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// TestSearchShape compares a whole search answer with the documented one.
func TestSearchShape(t *testing.T) {
	server := newShop(t)
	const body = `{"input":"tags:Engineering","entity":"dataset","start":0,"count":10}`
	facets := func(names ...string) string {
		var list []string
		for _, pair := range names {
			name, value, _ := strings.Cut(pair, "=")
			list = append(list, fmt.Sprintf(`{"name":%q,"aggregations":{%q:1}}`, name, value))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	want := decoded(t, `{"numEntities":1,"pageSize":10,"from":0,"entities":["`+ordersURN+`"],"metadata":{
		"urns":["`+ordersURN+`"],"matches":[{"matchedFields":[{"name":"tags","value":"urn:li:tag:Engineering"}]}],
		"searchResultMetadatas":`+facets("_entityType=dataset", "platform=urn:li:dataPlatform:hive", "origin=PROD", "tags=urn:li:tag:Engineering")+`}}`)
	got := ask(t, server, "search", body, bare...)
	metadata := got["metadata"].(map[string]any)
	aggregations := metadata["aggregations"].([]any)
	delete(metadata, "aggregations")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantFirst := decoded(t, `{"name":"_entityType","displayName":"Type","aggregations":{"dataset":1},"filterValues":[{"value":"dataset","facetCount":1}]}`)
	if diff := cmp.Diff(any(wantFirst), aggregations[0]); diff != "" {
		t.Errorf("aggregations (-want +got):\n%s", diff)
	}
	// Clients that send the version header get objects.
	objects := ask(t, server, "search", body)["entities"]
	wantObjects := []any{map[string]any{"entity": ordersURN, "matchedFields": []any{map[string]any{"name": "tags", "value": "urn:li:tag:Engineering"}}}}
	if diff := cmp.Diff(any(wantObjects), objects); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// foundURNs returns the entities of an answer as one text.
func foundURNs(value map[string]any) string { return fmt.Sprint(value["entities"]) }

// TestSearchActions: searches of one type and across types, their defaults and facets.
func TestSearchActions(t *testing.T) {
	server := newShop(t)
	if got := ask(t, server, "search", `{"input":"*","entity":"dataset","facets":[]}`, bare...); foundURNs(got) != "["+itemsURN+" "+ordersURN+"]" ||
		len(got["metadata"].(map[string]any)["aggregations"].([]any)) != 0 || got["pageSize"] != 10.0 {
		t.Errorf("defaults: %v", got)
	}
	across := ask(t, server, "searchAcrossEntities", `{"input":"orders"}`, bare...)
	if across["numEntities"] != 3.0 {
		t.Errorf("across: %v", across)
	}
	names := ""
	for _, a := range across["metadata"].(map[string]any)["aggregations"].([]any) {
		names += a.(map[string]any)["name"].(string) + " "
	}
	if !strings.HasPrefix(names, "_entityType ") || !strings.HasSuffix(names, " entity ") {
		t.Errorf("facets across: %s", names)
	}
	if got := ask(t, server, "filter", `{"entity":"dataset","filter":{"or":[{"and":[{"field":"origin","value":"DEV","condition":"EQUAL"}]}]}}`, bare...); foundURNs(got) != "["+itemsURN+"]" {
		t.Errorf("filter: %v", got)
	}
}

// TestScrollAcrossEntities reads all pages of a scroll.
// TestSearchAsTyped: only a request that sets asTyped gets entities with most of the words, and is
// told which words they lack.
func TestSearchAsTyped(t *testing.T) {
	server := newShop(t)
	for action, types := range map[string]string{"search": `"entity":"dataset"`, "searchAcrossEntities": `"entities":["dataset"]`} {
		plain := ask(t, server, action, `{"input":"hive order nosuch",`+types+`}`, bare...)
		if plain["numEntities"] != 0.0 || plain["typed"] != nil {
			t.Errorf("%s without asTyped: %v", action, plain)
		}
		typed := ask(t, server, action, `{"input":"hive order nosuch",`+types+`,"asTyped":true}`)
		hits := typed["entities"].([]any)
		if len(hits) != 2 || fmt.Sprint(typed["typed"]) != "map[all:0 kinds:[hive] words:[hive order nosuch]]" {
			t.Fatalf("%s as typed: %v", action, typed)
		}
		if hit := hits[0].(map[string]any); hit["entity"] != ordersURN || fmt.Sprint(hit["missing"]) != "[nosuch]" {
			t.Errorf("%s as typed: %v", action, hit)
		}
		urns := ask(t, server, action, `{"input":"hive order nosuch",`+types+`,"asTyped":true}`, bare...)
		matches := urns["metadata"].(map[string]any)["matches"].([]any)
		if len(matches) != 2 || fmt.Sprint(matches[0].(map[string]any)["missing"]) != "[nosuch]" {
			t.Errorf("%s as typed, with URNs: %v", action, urns)
		}
	}
}

func TestScrollAcrossEntities(t *testing.T) {
	server := newShop(t)
	var scrolled []string
	scroll := ""
	for range 5 {
		page := ask(t, server, "scrollAcrossEntities", fmt.Sprintf(`{"input":"*","entities":["dataset","chart"],"count":1,"scrollId":%q}`, scroll), bare...)
		scrolled = append(scrolled, foundURNs(page))
		next, more := page["scrollId"].(string)
		if scroll = next; !more {
			break
		}
	}
	if len(scrolled) != 3 {
		t.Errorf("scrolling: %v", scrolled)
	}
}

// TestListCountAndComplete lists the entities of a type, counts entities, and completes
// names.
func TestListCountAndComplete(t *testing.T) {
	server := newShop(t)
	list := ask(t, server, "list", `{"entity":"dataset","start":1,"count":5,"sort":{"field":"urn","order":"DESCENDING"}}`)
	if diff := cmp.Diff(decoded(t, `{"entities":["`+itemsURN+`"],"start":1,"count":1,"total":2}`), list); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if status, text, _ := request(t, server, http.MethodPost, "/entities?action=getTotalEntityCount", `{"entity":"dataset"}`); status != 200 || text != `{"value":2}` {
		t.Errorf("count: %d %s", status, text)
	}
	counts := ask(t, server, "batchGetTotalEntityCount", `{"entities":["dataset","chart","tag"]}`)
	if diff := cmp.Diff(decoded(t, `{"dataset":2,"chart":1,"tag":0}`), counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	suggested := ask(t, server, "autocomplete", `{"query":"ord","entity":"dataset","limit":10,"start":0}`)
	if diff := cmp.Diff(decoded(t, `{"query":"ord","suggestions":["shop.orders"],"entities":[{"urn":"`+ordersURN+`"}]}`), suggested); diff != "" {
		t.Errorf("autocomplete (-want +got):\n%s", diff)
	}
}

// TestBrowseShape compares whole answers about browse paths of both kinds.
func TestBrowseShape(t *testing.T) {
	server := newShop(t)
	browsed := ask(t, server, "browse", `{"path":"/looker","entity":"chart","start":0,"limit":10}`)
	wantBrowse := decoded(t, `{"numEntities":1,"pageSize":10,"from":0,"numGroups":0,"numElements":1,"groups":[],
		"entities":[{"name":"Orders a day","urn":"urn:li:chart:(looker,baz1)"}],"metadata":{"totalNumEntities":0,"groups":[],"path":"/looker"}}`)
	if diff := cmp.Diff(wantBrowse, browsed); diff != "" {
		t.Errorf("browse (-want +got):\n%s", diff)
	}
	root := ask(t, server, "browse", `{"path":"","entity":"dataset"}`)
	if diff := cmp.Diff(any(decoded(t, `{"totalNumEntities":2,"path":"","groups":[{"name":"dev","count":1},{"name":"prod","count":1}]}`)), root["metadata"]); diff != "" {
		t.Errorf("browse the root (-want +got):\n%s", diff)
	}
	v2 := ask(t, server, "browseV2", `{"path":"","entity":"dataset"}`)
	if diff := cmp.Diff(any([]any{decoded(t, `{"name":"shop","count":2,"hasSubGroups":false}`)}), v2["groups"]); diff != "" {
		t.Errorf("browse v2 (-want +got):\n%s", diff)
	}
	if status, text, _ := request(t, server, http.MethodPost, "/entities?action=getBrowsePaths", `{"urn":"`+ordersURN+`"}`); status != 200 || text != `{"value":["/prod/hive/shop"]}` {
		t.Errorf("paths: %d %s", status, text)
	}
}

// TestSearchErrors: a search that has no meaning is refused with 400 and the interface's
// form of errors.
func TestSearchErrors(t *testing.T) {
	server := newShop(t)
	for _, c := range []struct{ action, body, message string }{
		{"search", `{"input":"*"}`, "entity is required"},
		{"search", `{"input":"*","entity":"nothing"}`, "Failed to find entity with name nothing"},
		{"search", `{"input":5,"entity":"dataset"}`, "parameter input"},
		{"search", `{"input":"*","entity":"dataset","count":-1}`, "must not be negative"},
		{"search", `{"input":"*","entity":"dataset","filter":{"or":[{"and":[{"field":"nonsense","value":"x","condition":"EQUAL"}]}]}}`, `"nonsense" is not searchable`},
		{"search", `{"input":"*","entity":"dataset","filter":{"or":[{"and":[{"field":"origin","value":"x","condition":"NEARLY"}]}]}}`, "unknown condition"},
		{"search", `{"input":"*","entity":"dataset","filter":[]}`, "filter"},
		{"search", `{"input":"*","entity":"dataset","sort":{"field":"tags"}}`, "cannot be sorted"},
		{"search", `{"input":"*","entity":"dataset","facets":["description"]}`, "not a facet"},
		{"scrollAcrossEntities", `{"input":"*","scrollId":"???"}`, "scroll token"},
		{"searchAcrossEntities", `{"input":"*","entities":["x"]}`, "Failed to find entity"},
		{"autocomplete", `{"entity":"dataset"}`, "query and entity are required"},
		{"autocomplete", `{"entity":"dataset","query":"x","field":"description"}`, "cannot be completed"},
		{"browse", `{"path":""}`, "entity is required"},
		{"browseV2", `{"path":""}`, "entity is required"},
		{"getBrowsePaths", `{}`, "urn is required"},
		{"getBrowsePaths", `{"urn":"nonsense"}`, "nonsense"},
		{"getTotalEntityCount", `{}`, "entity is required"},
		{"batchGetTotalEntityCount", `{"entities":["x"]}`, "Failed to find entity"},
	} {
		status, text, _ := request(t, server, http.MethodPost, "/entities?action="+c.action, c.body)
		var body call.ErrorBody
		if err := json.Unmarshal([]byte(text), &body); err != nil || status != http.StatusBadRequest || body.Status != status || !strings.Contains(body.Message, c.message) {
			t.Errorf("%s %s: %d %s", c.action, c.body, status, text)
		}
	}
	if status, text, _ := request(t, server, http.MethodPost, "/entities?action=ingest&wait=forever", `{"entity":{"value":{}}}`); status != http.StatusBadRequest || !strings.Contains(text, "parameter wait") {
		t.Errorf("wait=forever: %d %s", status, text)
	}
}

// TestIndexEndpoints reads the state of the index and rebuilds it.
func TestIndexEndpoints(t *testing.T) {
	server := newShop(t)
	request(t, server, http.MethodPost, "/entities?action=search", `{"input":"*","entity":"dataset"}`) // the search waits until the index has all writes
	if status, text, _ := request(t, server, http.MethodGet, "/health/ready", ""); status != 200 || !strings.Contains(text, `"search":{"status":"ok","lag":0}`) {
		t.Errorf("ready: %d %s", status, text)
	}
	if status, text, _ := request(t, server, http.MethodPost, "/index?action=rebuild", `{}`); status != 200 || !strings.Contains(text, `"building":true`) {
		t.Errorf("rebuild: %d %s", status, text)
	}
	var state gotIndexAnswer
	testclock.Await(t, "the index is rebuilt", func() bool {
		_, text, _ := request(t, server, http.MethodGet, "/index", "")
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			t.Fatal(err)
		}
		return !state.Building
	})
	if state.Building || state.BuildError != "" || state.Done != 4 || state.Lag != 0 {
		t.Errorf("after the rebuild: %+v", state)
	}
	for _, wait := range []string{"?action=ingestProposal&wait=index", "?action=ingestProposal"} {
		body := `{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:Waited","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"Waited\"}","contentType":"application/json"}}}`
		if status, text, _ := request(t, server, http.MethodPost, "/aspects"+wait, body, "X-RestLi-Protocol-Version", "2.0.0", call.WaitHeader, "index"); status != 200 {
			t.Errorf("%s: %d %s", wait, status, text)
		}
	}
	if got := ask(t, server, "search", `{"input":"waited","entity":"tag"}`); got["numEntities"] != 1.0 {
		t.Errorf("what was waited for: %v", got)
	}
}
