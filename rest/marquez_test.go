package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// marquezEvents are two runs of one job and one of another: orders are copied into the lake, and then summed.
var marquezEvents = []string{
	`{"eventType":"START","eventTime":"2026-11-27T10:00:00Z","run":{"runId":"r1","facets":{"nominalTime":{"nominalStartTime":"2026-11-27T10:00:00Z"}}},"job":{"namespace":"nightly","name":"copy","facets":{"documentation":{"description":"Copies orders."}}}}`,
	`{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:05Z","run":{"runId":"r1"},"job":{"namespace":"nightly","name":"copy"},` +
		`"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"schema":{"fields":[{"name":"amount","type":"numeric","description":"in euro"}]}}}],` +
		`"outputs":[{"namespace":"hive://h:1","name":"lake.orders","facets":{"schema":{"fields":[{"name":"amount","type":"double"}]},` +
		`"columnLineage":{"fields":{"amount":{"inputFields":[{"namespace":"postgres://db:5432","name":"shop.public.orders","field":"amount","transformations":[{"type":"DIRECT","subtype":"IDENTITY"}]}]}}}}}]}`,
	`{"eventType":"FAIL","eventTime":"2026-11-27T11:00:05Z","run":{"runId":"r2"},"job":{"namespace":"nightly","name":"copy"}}`,
	`{"eventType":"COMPLETE","eventTime":"2026-11-27T12:00:00Z","run":{"runId":"s1"},"job":{"namespace":"nightly","name":"sum"},` +
		`"inputs":[{"namespace":"hive://h:1","name":"lake.orders"}],` +
		`"outputs":[{"namespace":"hive://h:1","name":"lake.sums","facets":{"schema":{"fields":[{"name":"total","type":"double"}]},` +
		`"columnLineage":{"fields":{"total":{"inputFields":[{"namespace":"hive://h:1","name":"lake.orders","field":"amount","transformations":[{"type":"DIRECT","subtype":"AGGREGATION"}]}]}}}}}]}`,
}

// serverTimes are the times that the server sets.
var serverTimes = regexp.MustCompile(`"(createdAt|updatedAt)":"[0-9T:.-]+Z"`)

// marquez asks a server that has taken the events.
func marquez(t *testing.T, server *httptest.Server, target string, want int) string {
	t.Helper()
	status, body, _ := request(t, server, http.MethodGet, "/api/v1"+target, "")
	if status != want {
		t.Fatalf("%s: %d %s", target, status, body)
	}
	return serverTimes.ReplaceAllString(body, `"$1":"T"`)
}

func postEvents(t *testing.T, server *httptest.Server) {
	t.Helper()
	for _, event := range marquezEvents {
		if status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage", event); status != http.StatusOK {
			t.Fatal(status, body)
		}
	}
	for urn, aspect := range map[string][2]string{
		"urn:li:dataset:(urn:li:dataPlatform:mysql,crm.people,PROD)": {"datasetProperties", `{"description":"People."}`},
		"urn:li:dataset:(urn:li:dataPlatform:mysql,crm.people,DEV)":  {"datasetProperties", `{"description":"People to try."}`},
		"urn:li:dataJob:(urn:li:dataFlow:(airflow,crm,prod),load)":   {"dataJobInfo", `{"name":"Load people","type":{"string":"COMMAND"}}`},
		"urn:li:dataset:(urn:li:dataPlatform:mysql,crm.gone,PROD)":   {"status", `{"removed":true}`},
		"urn:li:tag:private": {"tagProperties", `{"name":"private","description":"Not for all."}`},
		"urn:li:dataJob:(urn:li:dataFlow:(airflow,removed,other),ended)":      {"status", `{"removed":true}`},
		"urn:li:dataset:(urn:li:dataPlatform:snowflake,UPPER.CASE.NAME,PROD)": {"datasetProperties", `{"description":"No event can name it."}`},
	} {
		text, _ := json.Marshal(map[string]any{"proposal": map[string]any{
			"entityType": strings.SplitN(urn, ":", 4)[2], "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect[0],
			"aspect": map[string]string{"value": aspect[1], "contentType": "application/json"},
		}})
		if status, body, _ := request(t, server, http.MethodPost, "/aspects?action=ingestProposal", string(text), "X-RestLi-Protocol-Version", "2.0.0"); status != http.StatusOK {
			t.Fatal(status, body)
		}
	}
}

// TestMarquezAnswers compares whole answers.
func TestMarquezAnswers(t *testing.T) {
	server := newServer(t)
	postEvents(t, server)
	space := func(name string) string {
		return `{"name":"` + name + `","createdAt":"T","updatedAt":"T","ownerName":"anonymous","description":null,"isHidden":false}`
	}
	run := `"durationMs":5000,"args":{},"jobVersion":null,"inputDatasetVersions":[],"outputDatasetVersions":[],"facets":`
	r1 := `{"id":"r1","createdAt":"T","updatedAt":"T","nominalStartTime":"2026-11-27T10:00:00Z","nominalEndTime":null,"state":"COMPLETED","startedAt":"2026-11-27T10:00:00.000Z","endedAt":"2026-11-27T10:00:05.000Z",` + run + `{"nominalTime":{"nominalStartTime":"2026-11-27T10:00:00Z"}}}`
	for target, want := range map[string]string{
		"/namespaces":                  `{"namespaces":[` + space("hive://h:1") + `,` + space("mysql") + `,` + space("nightly") + `,` + space("postgres://db:5432") + `,` + space("prod") + `]}`,
		"/namespaces?limit=1&offset=2": `{"namespaces":[` + space("nightly") + `]}`,
		"/namespaces/nightly":          space("nightly"),
		"/namespaces/mysql/datasets": `{"datasets":[{"id":{"namespace":"mysql","name":"crm.people"},"type":"DB_TABLE","name":"crm.people","physicalName":"crm.people","createdAt":"T","updatedAt":"T","namespace":"mysql","sourceName":"mysql",` +
			`"fields":[],"tags":[],"lastModifiedAt":null,"description":"People.","currentVersion":null,"columnLineage":null,"facets":{},"deleted":false}],"totalCount":1}`,
		"/namespaces/nightly/datasets": `{"datasets":[],"totalCount":0}`,
		"/namespaces/mysql/jobs":       `{"jobs":[],"totalCount":0}`,
		"/namespaces/prod/jobs/crm.load": `{"id":{"namespace":"prod","name":"crm.load"},"type":"BATCH","name":"crm.load","simpleName":"Load people","parentJobName":null,"parentJobUuid":null,"createdAt":"T","updatedAt":"T","namespace":"prod",` +
			`"inputs":[],"outputs":[],"location":null,"description":null,"latestRun":null,"latestRuns":[],"facets":{},"currentVersion":null,"tags":[],"labels":[]}`,
		"/jobs/runs/r1":                 r1,
		"/jobs/runs/r1/facets":          `{"runId":"r1","facets":{"nominalTime":{"nominalStartTime":"2026-11-27T10:00:00Z"}}}`,
		"/jobs/runs/r1/facets?type=job": `{"runId":"r1","facets":{"documentation":{"description":"Copies orders."}}}`,
		"/tags":                         `{"tags":[{"name":"private","description":"Not for all."}]}`,
		"/search?q=lake.sums&sort=NAME&filter=DATASET&namespace=hive%3A%2F%2Fh%3A1&limit=1": `{"totalCount":1,"results":[{"type":"DATASET","name":"lake.sums","updatedAt":"T","namespace":"hive://h:1","nodeId":"dataset:hive://h:1:lake.sums"}]}`,
		"/search?q=sum&filter=JOB": `{"totalCount":1,"results":[{"type":"JOB","name":"sum","updatedAt":"T","namespace":"nightly","nodeId":"job:nightly:sum"}]}`,
	} {
		if got := marquez(t, server, target, http.StatusOK); got != want {
			t.Errorf("%s answers\n%s, want\n%s", target, got, want)
		}
	}
	var job struct {
		Description     string
		Inputs, Outputs []struct{ Namespace, Name string }
		LatestRun       struct{ ID, State string }
		LatestRuns      []struct{ ID, State, EndedAt string }
	}
	readAnswer(t, marquez(t, server, "/namespaces/nightly/jobs/copy", 200), &job)
	if got := fmt.Sprint(job); got != `{Copies orders. [{postgres://db:5432 shop.public.orders}] [{hive://h:1 lake.orders}] {r2 FAILED} [{r2 FAILED 2026-11-27T11:00:05.000Z} {r1 COMPLETED 2026-11-27T10:00:05.000Z}]}` {
		t.Error(got)
	}
	var dataset struct {
		Fields        []struct{ Name, Type, Description string }
		ColumnLineage []struct {
			Name        string
			InputFields []struct{ Namespace, Dataset, Field, TransformationType string }
		}
		Facets map[string]any
	}
	readAnswer(t, marquez(t, server, "/namespaces/hive%3A%2F%2Fh%3A1/datasets/lake.orders", 200), &dataset)
	if got := fmt.Sprint(dataset.Fields, dataset.ColumnLineage, len(dataset.Facets)); got != `[{amount double }] [{amount [{postgres://db:5432 shop.public.orders amount DIRECT:IDENTITY}]}] 2` {
		t.Error(got)
	}
}

func readAnswer(t *testing.T, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatal(err, body)
	}
}

// marquezGraph returns the nodes of a graph, with the ends of their edges.
func marquezGraph(t *testing.T, body string) []string {
	t.Helper()
	var answer struct {
		Graph []struct {
			ID       string
			InEdges  []struct{ Origin, Destination string }
			OutEdges []struct{ Origin, Destination string }
		}
	}
	readAnswer(t, body, &answer)
	var nodes []string
	for _, n := range answer.Graph {
		text := n.ID
		for _, e := range n.InEdges {
			if e.Destination != n.ID {
				t.Errorf("an edge into %s ends at %s", n.ID, e.Destination)
			}
			text += " <" + e.Origin
		}
		for _, e := range n.OutEdges {
			if e.Origin != n.ID {
				t.Errorf("an edge out of %s begins at %s", n.ID, e.Origin)
			}
			text += " >" + e.Destination
		}
		nodes = append(nodes, text)
	}
	return nodes
}

func TestMarquezGraphs(t *testing.T) {
	server := newServer(t)
	postEvents(t, server)
	const orders, lake, sums = "dataset:postgres://db:5432:shop.public.orders", "dataset:hive://h:1:lake.orders", "dataset:hive://h:1:lake.sums"
	const amount, copied, total = "datasetField:postgres://db:5432:shop.public.orders:amount", "datasetField:hive://h:1:lake.orders:amount", "datasetField:hive://h:1:lake.sums:total"
	near := []string{lake + " <job:nightly:copy", orders + " >job:nightly:copy", "job:nightly:copy <" + orders + " >" + lake}
	all := []string{lake + " <job:nightly:copy >job:nightly:sum", sums + " <job:nightly:sum", orders + " >job:nightly:copy", "job:nightly:copy <" + orders + " >" + lake, "job:nightly:sum <" + lake + " >" + sums}
	up := []string{copied + " <" + amount + " >" + total, total + " <" + copied, amount + " >" + copied}
	for _, c := range []struct {
		target string
		want   []string
	}{
		{"/lineage?depth=0&nodeId=job:nightly:copy", near},
		{"/lineage?depth=0&nodeId=" + orders, near},
		{"/lineage?depth=0&nodeId=" + lake, all},
		{"/lineage?depth=1&nodeId=" + orders, all},
		{"/lineage?nodeId=job:nightly:sum", all},
		{"/lineage?nodeId=dataset:mysql:crm.people", []string{"dataset:mysql:crm.people"}},
		{"/lineage?nodeId=job:prod:crm.load", []string{"job:prod:crm.load"}},
		{"/column-lineage?nodeId=" + sums, up},
		{"/column-lineage?nodeId=" + total, up},
		{"/column-lineage?depth=1&nodeId=" + total, []string{copied + " >" + total, total + " <" + copied}},
		{"/column-lineage?nodeId=" + amount, []string{amount}},
		{"/column-lineage?withDownstream=true&nodeId=" + amount, up},
		{"/column-lineage?nodeId=dataset:mysql:crm.people", nil},
		{"/column-lineage?depth=0&nodeId=" + sums, nil},
	} {
		if got := marquezGraph(t, marquez(t, server, c.target, 200)); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.target, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestMarquezErrors: errors have the shape that clients of Marquez read.
func TestMarquezErrors(t *testing.T) {
	server := newServer(t)
	postEvents(t, server)
	for target, want := range map[string]int{
		"/namespaces/none": 404, "/namespaces/none/datasets": 404, "/namespaces/none/jobs": 404, "/namespaces/mysql/datasets/crm.gone": 404, "/namespaces/other": 404,
		"/namespaces/mysql/datasets/none": 404, "/namespaces/nightly/jobs/none": 404, "/namespaces/nightly/jobs/none/runs": 404, "/namespaces/snowflake": 404, "/jobs/runs/none": 404, "/jobs/runs/none/facets": 404,
		"/jobs/runs/r1/facets?type=dataset": 400, "/jobs?limit=0": 400, "/jobs?offset=-1": 400, "/jobs?limit=x": 400, "/jobs?lastRunStates=FAILED": 400,
		fmt.Sprintf("/jobs?limit=%d", limits.MarquezPage): 200, fmt.Sprintf("/jobs?limit=%d", limits.MarquezPage+1): 400,
		"/lineage": 400, "/lineage?nodeId=run:r1": 400, "/lineage?nodeId=job:nightly:none": 404, "/lineage?nodeId=dataset:hive:none": 404, "/lineage?nodeId=dataset:none": 404,
		fmt.Sprintf("/lineage?nodeId=job:nightly:copy&depth=%d", limits.MarquezDepth): 200, fmt.Sprintf("/lineage?nodeId=job:nightly:copy&depth=%d", limits.MarquezDepth+1): 400, "/lineage?nodeId=job:nightly:copy&depth=-1": 400,
		"/column-lineage?nodeId=job:nightly:copy": 400, "/column-lineage?nodeId=datasetField:hive://h:1:lake.sums:none": 404, "/column-lineage?nodeId=dataset:hive:none": 404,
		"/search": 400, "/search?q=x&filter=TAG": 400, "/search?q=x&sort=age": 400, "/search?q=x&limit=0": 400,
	} {
		body := marquez(t, server, target, want)
		var e struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		readAnswer(t, body, &e)
		if want != 200 && (e.Code != want || e.Message == "" || strings.Contains(body, "exceptionClass")) {
			t.Errorf("%s: %s", target, body)
		}
	}
	if status, body, _ := request(t, server, http.MethodPost, "/api/v1/lineage", `{}`); status != 400 || !strings.Contains(body, "exceptionClass") {
		t.Errorf("the error of an event has another shape: %d %s", status, body)
	}
}

// TestMarquezHides: datasets and jobs that the caller may not see are answered like unknown ones, in lists and
// graphs too, and facets are only for callers who may read every entity.
func TestMarquezHides(t *testing.T) {
	s := serveHiding(t)
	event := `{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:00Z","run":{"runId":"h1"},"job":{"namespace":"nightly","name":"mix","facets":{"custom":{"about":"zebra"}}},` +
		`"inputs":[{"namespace":"hive","name":"db.before"},{"namespace":"hive","name":"db.zebra"}],"outputs":[{"namespace":"hive","name":"db.after"},{"namespace":"hive://zebra","name":"db.zebra2"}]}`
	if err := s.h.OpenLineage.Take(context.Background(), json.RawMessage(event), catalog.WriteOptions{Actor: "urn:li:corpuser:zebra"}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, caller := range []string{"", "urn:li:corpuser:piet"} {
		s.caller = caller
		for _, target := range []string{"/namespaces", "/namespaces/hive/datasets", "/namespaces/nightly/jobs", "/jobs", "/namespaces/nightly/jobs/mix", "/lineage?nodeId=job:nightly:mix", "/lineage?nodeId=dataset:hive:db.after", "/column-lineage?nodeId=dataset:hive:db.after&withDownstream=true", "/tags"} {
			body := marquez(t, s.Server, target, 200)
			told := strings.Contains(strings.ReplaceAll(body, "zebras", ""), hiddenName)
			if caller == "" {
				seen[target] = told
			} else if told || !seen[target] {
				t.Errorf("%s tells the hidden %v, and without a caller %v: %s", target, told, seen[target], body)
			}
		}
		want := map[bool]int{true: 200, false: 404}[caller == ""]
		for _, target := range []string{"/namespaces/hive/datasets/db.zebra", "/namespaces/hive%3A%2F%2Fzebra", "/namespaces/hive%3A%2F%2Fzebra/datasets", "/namespaces/prod/jobs/zebra.job", "/lineage?nodeId=dataset:hive:db.zebra", "/lineage?nodeId=job:prod:zebra.job", "/column-lineage?nodeId=datasetField:hive:db.zebra:c0"} {
			marquez(t, s.Server, target, want)
		}
	}
	if body := marquez(t, s.Server, "/namespaces/nightly/jobs/mix", 200); !strings.Contains(body, `"facets":{}`) || !strings.Contains(body, `"inputs":[{"namespace":"hive","name":"db.before"}]`) {
		t.Error(body)
	}
}
