package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// absences has a row for each claim of the pages: some words of the claim, and a trial of
// the claim on a server with the sample catalog. A row without a trial says in about why
// the claim names no feature of a server.
var absences = []struct {
	page, words string
	about       string
	tried       func(*absence)
}{
	{page: "README.md", words: "make test-short needs only Go", about: "tests"},
	{page: "docs/agents.md", words: "impact has no stated", tried: (*absence).impactIsWithoutStated},
	{page: "docs/attacks.md", words: "the versions have no gaps", about: "a promise"},
	{page: "docs/backup.md", words: "can be read only by their owner", about: "a promise"},
	{page: "docs/backup.md", words: "exists only while the server runs", about: "a user of systemd"},
	{page: "docs/backup.md", words: "does not have the change that the cursor names", about: "a condition"},
	{page: "docs/check.md", words: "The tables of the catalog have no expressions", about: "the catalog as a base; catalog/change decides it"},
	{page: "docs/coming-from-datahub.md", words: "async has no effect", tried: shownBy("TestAsyncIsDurable")},
	{page: "docs/coming-from-datahub.md", words: "no limit of hops", tried: answers("GET", "/lineage/"+marts("orders")+"?hops=2147483647", "", 200, `"total"`)},
	{page: "docs/coming-from-datahub.md", words: "own web application", tried: answers("GET", "/ui/search", "", 200, "<title>Headwater")},
	{page: "docs/coming-from-datahub.md", words: "Evaluation of assertions", tried: refusedQuery(`mutation { runAssertion(urn: "urn:li:assertion:larkspur-not-empty-orders") { type } }`, "does not evaluate assertions")},
	{page: "docs/coming-from-datahub.md", words: "Semantic search", tried: refusedQuery(`{ semanticSearchAcrossEntities(input: {query: "*"}) { total } }`, "does not search by meaning")},
	{page: "docs/coming-from-datahub.md", words: "writes only the values that are missing here", about: "a promise"},
	{page: "docs/command-line.md", words: "the entity or run asked for does not exist", about: "a condition"},
	{page: "docs/command-line.md", words: "the server cannot be reached", about: "a condition"},
	{page: "docs/command-line.md", words: "no tools that write, and no get_me", about: "another program"},
	{page: "docs/dbt.md", words: "For them, use the client: skip_missing_upstreams_in_lineage", about: "settings; connectors/dbt/settings_test.go tries each"},
	{page: "docs/deployment.md", words: "more replicas are not possible", tried: (*absence).oneServerForADirectory},
	{page: "docs/events.md", words: "The restating of an equal value has no events", tried: (*absence).equalValueIsNoEvent},
	{page: "docs/getting-started.md", words: "reads no sources itself", tried: (*absence).recipeIsNoFile},
	{page: "docs/graphql.md", words: "something named in a mutation does not exist", about: "a condition"},
	{page: "docs/graphql.md", words: "are read only if they are selected", about: "a promise"},
	{page: "docs/graphql.md", words: "isAnalyticsEnabled is false", tried: answersQuery(`{ isAnalyticsEnabled getAnalyticsCharts { title } getHighlights { title } }`, `{"isAnalyticsEnabled":false,"getAnalyticsCharts":[],"getHighlights":[]}`)},
	{page: "docs/graphql.md", words: "createAccessToken, getInviteToken", tried: (*absence).makesNoTokens},
	{page: "docs/graphql.md", words: "semanticSearchAcrossEntities an error", tried: answersQuery(`{ appConfig { semanticSearchConfig { enabled } } }`, `"enabled":false`)},
	{page: "docs/graphql.md", words: "runAssertion, runAssertions", tried: refusedQuery(`mutation { runAssertion(urn: "urn:li:assertion:larkspur-not-empty-orders") { type } }`, "does not evaluate assertions")},
	{page: "docs/graphql.md", words: "entities get the form only by batchAssignForm", tried: (*absence).filterAssignsNoForm},
	{page: "docs/graphql.md", words: "roles and tokens have no effect on access", tried: anybodyWrites},
	{page: "docs/ingestion.md", words: "the model has no place for it", about: "the model; gql/clientsubjects_test.go has it"},
	{page: "docs/json-output.md", words: "Both have only what the verb changes", about: "a promise"},
	{page: "docs/limits.md", words: "has no data", about: "a condition"},
	{page: "docs/limits.md", words: "reads no byte of the answer", about: "a condition"},
	{page: "docs/lineage.md", words: "A store of an earlier release does not have the edges", about: "an earlier release"},
	{page: "docs/neo4j-browser.md", words: "has no version, no history and no change record", about: "writes around the server"},
	{page: "docs/operations.md", words: "It writes no default platforms", tried: (*absence).readOnlyWritesNoPlatforms},
	{page: "docs/replicas.md", words: "reads no proposals", about: "a replica; the folder app decides it"},
	{page: "docs/replicas.md", words: "the source does not have the log", about: "a condition"},
	{page: "docs/rest.md", words: "something to add does not exist", about: "a condition"},
	{page: "docs/rest.md", words: "An equal write only updates lastObserved", tried: (*absence).equalValueIsNoEvent},
	{page: "docs/rest.md", words: "or there is none", about: "a condition"},
	{page: "docs/rest.md", words: "A RESTATE has no conditions", tried: (*absence).restateIsUnconditional},
	{page: "docs/rest.md", words: "durable before it is answered; async has no effect", tried: shownBy("TestAsyncIsDurable")},
	{page: "docs/rest.md", words: "batchSize has no effect", tried: answers("POST", "/operations?action=truncateTimeseriesAspect", `{"entityType":"dataset","aspect":"datasetProfile","endTimeMillis":1,"batchSize":1,"dryRun":true}`, 200, "")},
	{page: "docs/rest.md", words: "there are no tasks", tried: answers("POST", "/operations?action=getEsTaskStatus", `{}`, 400, "/index")},
	{page: "docs/search.md", words: "In quotes these characters", tried: answers("POST", "/entities?action=search", `{"input":"/q \"a*b?c~d\"","entity":"dataset","start":0,"count":1}`, 200, "numEntities")},
	{page: "docs/timeline.md", words: "The reference of 0.10.5 has no timeline", about: "the reference"},
	{page: "docs/timeline.md", words: "are accepted but have no events", tried: answers("GET", "/openapi/timeline/v1/"+marts("orders")+"?categories=LIFECYCLE,RUN&startTime=1", "", 200, "[]")},
	{page: "docs/timeline.md", words: "Rollbacks by earlier releases have no records", about: "an earlier release"},
	{page: "docs/troubleshooting.md", words: "The command line cannot reach the server", about: "a condition"},
	{page: "docs/troubleshooting.md", words: "A column does not exist", about: "a condition"},
	{page: "docs/sql.md", words: "no write of the client brings them back", about: "a promise"},
}

// An absence is the trial of a claim on a server.
type absence struct {
	t      *testing.T
	server *server
	data   string
}

// marts returns the URN of a mart of the sample, encoded for a path.
func marts(name string) string {
	return url.PathEscape("urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts." + name + ",PROD)")
}

// ask sends a request, checks the status, and returns the answer as text.
func (a *absence) ask(method, target, body string, status int, headers ...string) string {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.server.base+target, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	request.Header.Set("Accept", "text/html, application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	text := string(read)
	if answer.StatusCode != status {
		a.t.Fatalf("%s %s: %d, not %d: %.500s", method, target, answer.StatusCode, status, text)
	}
	return text
}

// answers returns a trial: a request, its status, and words of its answer.
func answers(method, target, body string, status int, words string) func(*absence) {
	return func(a *absence) {
		a.t.Helper()
		if text := a.ask(method, target, body, status); !strings.Contains(text, words) {
			a.t.Errorf("%q is not in the answer: %.1000s", words, text)
		}
	}
}

// query sends a GraphQL query and returns the answer as text.
func (a *absence) query(query string) string {
	a.t.Helper()
	body, _ := json.Marshal(map[string]string{"query": query})
	return a.ask("POST", "/api/graphql", string(body), 200)
}

func answersQuery(query, words string) func(*absence) {
	return func(a *absence) {
		a.t.Helper()
		if text := a.query(query); strings.Contains(text, `"errors"`) || !strings.Contains(text, words) {
			a.t.Errorf("%s is not in the answer: %.1000s", words, text)
		}
	}
}

func refusedQuery(query, words string) func(*absence) {
	return func(a *absence) {
		a.t.Helper()
		if text := a.query(query); !strings.Contains(text, `"errors"`) || !strings.Contains(text, words) {
			a.t.Errorf("the query is not refused with %q: %.1000s", words, text)
		}
	}
}

// shownBy returns a trial that a test with this name exists. That test tries the claim.
func shownBy(test string) func(*absence) {
	return func(a *absence) {
		out, err := exec.CommandContext(a.t.Context(), "grep", "-rl", "--include=*_test.go", "func "+test+"(", filepath.Join(testservers.Root(), "e2e"), filepath.Join(testservers.Root(), "gql")).Output()
		if err != nil || len(out) == 0 {
			a.t.Errorf("there is no test %s: %v", test, err)
		}
	}
}

// propose writes an aspect of a tag and returns the answer.
func (a *absence) propose(change, aspect, value, conditions string, headers ...string) string {
	a.t.Helper()
	body := fmt.Sprintf(`{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:absence","changeType":%q,"aspectName":%q,"aspect":{"contentType":"application/json","value":%q},"headers":{%s}}}`, change, aspect, value, conditions)
	return a.ask("POST", "/aspects?action=ingestProposal", body, 200, headers...)
}

func anybodyWrites(a *absence) {
	a.t.Helper()
	a.propose("UPSERT", "tagProperties", `{"name":"absence"}`, "")
	a.propose("UPSERT", "tagProperties", `{"name":"absence"}`, "", "Authorization", "Bearer nobody gave this token")
}

// makesNoTokens: the server of these trials runs with --auth off.
func (a *absence) makesNoTokens() {
	refusedQuery(`mutation { createAccessToken(input: {type: PERSONAL, actorUrn: "urn:li:corpuser:ada.wren", duration: ONE_HOUR, name: "n"}) { accessToken } }`, "does not issue access tokens")(a)
	anybodyWrites(a)
}

func (a *absence) impactIsWithoutStated() {
	call := func(tool, arguments string) string {
		return a.ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`, 200, "Content-Type", "application/json")
	}
	if text := call("lineage", `{"of":"marts.orders"}`); !strings.Contains(text, `stated`) {
		a.t.Fatalf("lineage has no stated: %.500s", text)
	}
	if text := call("impact", `{"of":"orders.net_revenue","change":"drop"}`); !strings.Contains(text, "certain") || strings.Contains(text, `stated\"`) {
		a.t.Errorf("impact has stated: %.1000s", text)
	}
}

func (a *absence) oneServerForADirectory() {
	path, err := binary()
	if err != nil {
		a.t.Fatal(err)
	}
	out, err := exec.CommandContext(a.t.Context(), path, "serve", "--data", a.data, "--listen", "127.0.0.1:0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "in use by another process") {
		a.t.Errorf("a second server: %v: %s", err, out)
	}
}

func (a *absence) equalValueIsNoEvent() {
	a.propose("UPSERT", "tagProperties", `{"name":"equal"}`, "")
	var end struct{ Next string }
	if err := json.Unmarshal([]byte(a.ask("GET", "/events?from=now", "", 200, "Accept", "application/json")), &end); err != nil {
		a.t.Fatal(err)
	}
	events := "/events?from=" + url.QueryEscape(end.Next)
	a.propose("UPSERT", "tagProperties", `{"name":"equal"}`, "")
	if text := a.ask("GET", events, "", 200, "Accept", "application/json"); strings.Contains(text, "tagProperties") {
		a.t.Errorf("an equal value has an event: %s", text)
	}
	a.propose("UPSERT", "tagProperties", `{"name":"another"}`, "")
	if text := a.ask("GET", events, "", 200, "Accept", "application/json"); !strings.Contains(text, "tagProperties") {
		a.t.Errorf("another value has no event: %s", text)
	}
}

func (a *absence) restateIsUnconditional() {
	a.propose("UPSERT", "tagProperties", `{"name":"restated"}`, "")
	a.propose("RESTATE", "tagProperties", `{"name":"restated"}`, `"If-Version-Match":"77"`)
}

func (a *absence) recipeIsNoFile() {
	path, err := binary()
	if err != nil {
		a.t.Fatal(err)
	}
	recipe := filepath.Join(testservers.Root(), "docs", "example", "dbt", "manifest.json")
	out, err := exec.CommandContext(a.t.Context(), path, "ingest", recipe, "--dry-run", "--server", a.server.base).CombinedOutput()
	if err == nil {
		a.t.Errorf("what dbt writes is ingested without the client: %s", out)
	}
}

func (a *absence) filterAssignsNoForm() {
	const form = `urn:li:form:absence`
	answersQuery(`mutation { createForm(input: {id: "absence", name: "absence", type: COMPLETION, prompts: []}) { urn } }`, form)(a)
	answersQuery(`mutation { createDynamicFormAssignment(input: {formUrn: "`+form+`", orFilters: [{and: [{field: "platform", values: ["urn:li:dataPlatform:snowflake"]}]}]}) }`, "true")(a)
	orders, _ := url.PathUnescape(marts("orders"))
	answersQuery(`{ dataset(urn: "`+orders+`") { forms { incompleteForms { form { urn } } } } }`, `"dataset"`)(a)
	if text := a.query(`{ dataset(urn: "` + orders + `") { forms { incompleteForms { form { urn } } } } }`); strings.Contains(text, form) {
		a.t.Errorf("a filter assigns a form: %s", text)
	}
}

func (a *absence) readOnlyWritesNoPlatforms() {
	s := start(a.t, "--data", a.t.TempDir(), "--read-only")
	_, answer := s.send("POST", "/entities?action=getTotalEntityCount", `{"entity":"dataPlatform"}`)
	if text, _ := json.Marshal(answer); string(text) != `{"value":0}` {
		a.t.Errorf("a read-only server has platforms: %s", text)
	}
	s.stop()
}
