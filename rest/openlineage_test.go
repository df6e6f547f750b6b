package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// eventOf is an OpenLineage event of a run.
func eventOf(kind, at, run string) string {
	return fmt.Sprintf(`{"eventType":%q,"eventTime":%q,"run":{"runId":%q,"facets":{"nominalTime":{"nominalStartTime":"2026-11-27T10:00:00Z"}}},"job":{"namespace":"nightly","name":"copy"},`+
		`"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders"}],"outputs":[{"namespace":"hive://h:1","name":"lake.orders"}]}`, kind, at, run)
}

func TestOpenLineageEvents(t *testing.T) {
	server := newServer(t)
	for _, path := range []string{"/api/v1/lineage", "/api/v1/lineage/", "/openapi/openlineage/api/v1/lineage", "/openapi/openlineage/api/v1/lineage/"} {
		status, body, header := request(t, server, http.MethodPost, path, eventOf("START", "2026-11-27T10:00:00Z", "r1"))
		if status != http.StatusOK || body != `{"status":"success"}` || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	_, lineage, _ := request(t, server, http.MethodGet, "/lineage/urn:li:dataset:(urn:li:dataPlatform:hive,lake.orders,PROD)?direction=UPSTREAM", "")
	if !strings.Contains(lineage, "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)") {
		t.Errorf("the lineage of the output lacks the input: %.500s", lineage)
	}
	for _, c := range []struct{ name, body, want string }{
		{"no JSON", `{`, "unexpected end of JSON input"},
		{"a list", `[]`, "not an object"},
		{"no kind", `{"eventTime":"2026-11-27T10:00:00Z"}`, "no run, no job and no dataset"},
		{"no time", `{"job":{"name":"j"}}`, "eventTime"},
		{"a wrong time", `{"eventTime":"yesterday","job":{"name":"j"}}`, "yesterday"},
		{"a run without id", `{"eventTime":"2026-11-27T10:00:00Z","run":{},"job":{"name":"j"}}`, "run.runId is missing"},
		{"a run without job", `{"eventTime":"2026-11-27T10:00:00Z","run":{"runId":"r"}}`, "job is missing"},
		{"a job without name", `{"eventTime":"2026-11-27T10:00:00Z","job":{"namespace":"n"}}`, "job has no name"},
		{"a dataset without name", `{"eventTime":"2026-11-27T10:00:00Z","dataset":{"namespace":"n"}}`, "dataset has no name"},
		{"an input without name", `{"eventTime":"2026-11-27T10:00:00Z","job":{"name":"j"},"inputs":[{}]}`, "inputs has no name"},
	} {
		status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage", c.body)
		if status != http.StatusBadRequest || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
}

func TestOpenLineageBatch(t *testing.T) {
	server := newServer(t)
	good, bad := eventOf("COMPLETE", "2026-11-27T10:00:05Z", "r2"), `{"eventTime":"2026-11-27T10:00:00Z"}`
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"none", `[]`, 200, `{"status":"success","summary":{"received":0,"successful":0,"failed":0,"retriable":0,"non_retriable":0},"failed_events":[]}`},
		{"good ones", `[` + good + `,` + good + `]`, 200, `{"status":"success","summary":{"received":2,"successful":2,"failed":0,"retriable":0,"non_retriable":0},"failed_events":[]}`},
		{"a bad one", `[` + good + `,` + bad + `]`, 200, `"failed_events":[{"index":1,"reason":"the event has no run, no job and no dataset","retriable":false}]`},
		{"bad ones", `[` + bad + `,` + bad + `]`, 400, "none of the 2 events was taken"},
		{"no list", good, 400, ""},
	} {
		status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage/batch", c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
	list := func(n int) string { return "[" + strings.Repeat("{},", n-1) + good + "]" }
	if status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage/batch", list(limits.MaxOpenLineageEvents)); status != 200 {
		t.Errorf("as many events as there may be: %d %.200s", status, body)
	}
	if status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage/batch", list(limits.MaxOpenLineageEvents+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("one event too many: %d %.200s", status, body)
	}
}

func TestOpenLineageFacets(t *testing.T) {
	server := newServer(t)
	request(t, server, http.MethodPost, "/api/v1/lineage", eventOf("START", "2026-11-27T10:00:00Z", "r3"))
	status, body, _ := request(t, server, http.MethodGet, "/openlineage/facets?urn=urn:li:dataProcessInstance:r3", "")
	var kept struct {
		RunID  string `json:"runId"`
		Facets map[string]struct {
			EventTime string            `json:"eventTime"`
			Facet     map[string]string `json:"facet"`
		} `json:"facets"`
		Inputs []struct{ Name string } `json:"inputs"`
		Events []struct {
			EventType, EventTime string
			Event                json.RawMessage
		} `json:"events"`
	}
	if err := json.Unmarshal([]byte(body), &kept); err != nil || status != 200 {
		t.Fatal(status, body, err)
	}
	facet := kept.Facets["nominalTime"]
	if kept.RunID != "r3" || facet.EventTime != "2026-11-27T10:00:00Z" || facet.Facet["nominalStartTime"] != "2026-11-27T10:00:00Z" || len(kept.Inputs) != 1 || kept.Inputs[0].Name != "shop.public.orders" {
		t.Errorf("%s", body)
	}
	if len(kept.Events) != 1 || kept.Events[0].EventType != "START" || kept.Events[0].EventTime != facet.EventTime || string(kept.Events[0].Event) != eventOf("START", "2026-11-27T10:00:00Z", "r3") {
		t.Errorf("the events of the run: %s", body)
	}
	request(t, server, http.MethodPost, "/aspects?action=ingestProposal", `{"proposal":{"entityType":"dataProcessInstance","entityUrn":"urn:li:dataProcessInstance:other","changeType":"UPSERT","aspectName":"dataProcessInstanceProperties","aspect":{"contentType":"application/json","value":"{\"name\":\"other\",\"type\":\"BATCH_AD_HOC\",\"created\":{\"time\":1,\"actor\":\"urn:li:corpuser:a\"}}"}}}`)
	for target, want := range map[string]int{
		"/openlineage/facets?urn=urn:li:dataProcessInstance:other":                                      200,
		"/openlineage/facets?urn=urn:li:dataJob:(urn:li:dataFlow:(unknown,copy,nightly),copy)":          200,
		"/openlineage/facets?urn=urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)": 200,
		"/openlineage/facets?urn=urn:li:dataProcessInstance:none":                                       404,
		"/openlineage/facets?urn=urn:li:dataset:(urn:li:dataPlatform:postgres,none,PROD)":               404,
		"/openlineage/facets?urn=urn:li:tag:x":                                                          400,
		"/openlineage/facets":                                                                           400,
	} {
		if status, body, _ := request(t, server, http.MethodGet, target, ""); status != want {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
}
