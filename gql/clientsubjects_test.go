package gql_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// The tests in this file run the operations of the SDK and the CLI that do more than read and
// describe data: forms, version sets, ingestion sources, roles, tokens, connections.

// step is an operation of a test with its answer, or with a part of the message of its error.
type step struct{ operation, want, refused string }

// askAll runs steps in order. A step that begins with "query " is a query; the other steps are
// mutations.
func askAll(t *testing.T, h http.Handler, steps []step) {
	t.Helper()
	for _, s := range steps {
		query := "mutation { answer: " + s.operation + " }"
		if read, ok := strings.CutPrefix(s.operation, "query "); ok {
			query = "{ answer: " + read + " }"
		}
		answer := ask(t, h, query, nil)
		switch {
		case s.refused == "":
			checkAnswer(t, answer, s.operation, s.want)
		case !strings.Contains(answer, `{"errors":[{"message":"`) || !strings.Contains(answer, s.refused):
			t.Errorf("%s: %s, want an error with %q", s.operation, answer, s.refused)
		}
	}
}

// stored reads the stored value of an aspect.
func stored(t *testing.T, c *services.Services, urn, aspect string) string {
	t.Helper()
	u, err := c.Registry().ReadURN(urn)
	if err != nil {
		t.Fatal(err)
	}
	value, err := c.Aspect(t.Context(), u, aspect, 0)
	if err != nil {
		return ""
	}
	return string(value.Value)
}

const raw = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.raw,PROD)"

// TestForms: an entity gets a form once, with the prompts of the form. A filter is stored with
// the form.
func TestForms(t *testing.T) {
	c := testcatalog.New(t)
	writeAspect(t, c, "urn:li:form:owner", "formInfo", `{"name":"Owner","prompts":[{"id":"who","title":"Who?","type":"STRUCTURED_PROPERTY"}]}`)
	writeAspect(t, c, orders, "status", `{"removed":false}`)
	writeAspect(t, c, raw, "forms", `{"incompleteForms":[],"completedForms":[{"urn":"urn:li:form:owner"}]}`)
	before := stored(t, c, raw, "forms")
	assign := func(form, urn string) string {
		return fmt.Sprintf(`batchAssignForm(input: {formUrn: "%s", entityUrns: ["%s", "%s"]})`, form, raw, urn)
	}
	filter := func(field string) string {
		return `createDynamicFormAssignment(input: {formUrn: "urn:li:form:owner", orFilters: [{and: [{field: "` + field + `", values: ["urn:li:dataPlatform:hive"], condition: EQUAL, negated: false}]}]})`
	}
	askAll(t, gql.New(gql.Options{Catalog: c}), []step{
		{assign("urn:li:form:owner", orders), "true", ""},
		{assign("urn:li:form:none", orders), "", "does not exist"},
		{assign("urn:li:form:owner", "urn:li:chart:(looker,none)"), "", "does not exist"},
		{assign(orders, orders), "", "is not a form"},
		{filter("platform"), "true", ""},
	})
	first := stored(t, c, orders, "forms")
	for _, part := range []string{`"completedForms":[]`, `"urn":"urn:li:form:owner"`, `"incompletePrompts":[{"id":"who"`} {
		if !strings.Contains(first, part) {
			t.Errorf("%s lacks %s", first, part)
		}
	}
	askAll(t, gql.New(gql.Options{Catalog: c}), []step{{assign("urn:li:form:owner", orders), "true", ""}})
	if second := stored(t, c, orders, "forms"); second != first {
		t.Errorf("assigned again: %s, before %s", second, first)
	}
	if now := stored(t, c, raw, "forms"); now != before {
		t.Errorf("the completed form is now %s, before %s", now, before)
	}
	if got := stored(t, c, "urn:li:form:owner", "dynamicFormAssignment"); !strings.Contains(got, `"field":"platform"`) {
		t.Errorf("the filter of the form: %s", got)
	}
}

// TestVersionSets: versions are linked and unlinked. The set always names its latest version,
// and only the latest version is marked as the latest.
func TestVersionSets(t *testing.T) {
	c := testcatalog.New(t)
	version := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,shop.v%d,PROD)", i)
	}
	for i := range 4 {
		writeAspect(t, c, version(i), "status", `{"removed":false}`)
	}
	writeAspect(t, c, "urn:li:chart:(looker,c)", "status", `{"removed":false}`)
	const set = "urn:li:versionSet:(shop,dataset)"
	link := func(set, urn, label string) string {
		return fmt.Sprintf(`linkAssetVersion(input: {versionSet: "%s", linkedEntity: "%s", version: "%s", comment: "c"}) { urn type latestVersion { urn } }`, set, urn, label)
	}
	unlink := func(urn string) string {
		return fmt.Sprintf(`unlinkAssetVersion(input: {versionSet: "%s", unlinkedEntity: "%s"}) { urn latestVersion { urn } }`, set, urn)
	}
	linked := func(latest string) string {
		return fmt.Sprintf(`{"urn":"%s","type":"VERSION_SET","latestVersion":{"urn":"%s"}}`, set, latest)
	}
	unlinked := func(latest string) string {
		return fmt.Sprintf(`{"urn":"%s","latestVersion":{"urn":"%s"}}`, set, latest)
	}
	marked := func(want ...string) {
		t.Helper()
		for i, mark := range want {
			value, isLatest := stored(t, c, version(i), "versionProperties"), fmt.Sprintf(`"isLatest":%s`, mark)
			if mark == "" && value != "" || mark != "" && !strings.Contains(value, isLatest) {
				t.Errorf("version %d is %s, want %s", i, value, isLatest)
			}
		}
	}
	h := gql.New(gql.Options{Catalog: c})
	askAll(t, h, []step{
		{link(set, version(0), "1"), linked(version(0)), ""},
		{link(set, version(1), "2"), linked(version(1)), ""},
		{link(set, version(2), "3"), linked(version(2)), ""},
		{link(set, version(0), "4"), "", "is already a version in " + set},
		{link("urn:li:versionSet:(other,dataset)", version(0), "1"), "", "is already a version in " + set},
		{link(set, "urn:li:chart:(looker,c)", "4"), "", "of another type"},
		{link(set, version(3), " "), "", "must not be blank"},
		{link(set, version(9), "9"), "", "does not exist"},
	})
	marked("false", "false", "true", "")
	askAll(t, h, []step{
		{unlink(version(1)), unlinked(version(2)), ""},
		{unlink(version(2)), unlinked(version(0)), ""},
		{unlink(version(3)), "null", ""},
	})
	marked("true", "", "", "")
	askAll(t, h, []step{
		{link(set, version(3), "5"), linked(version(3)), ""},
		{unlink(version(3)), unlinked(version(0)), ""},
		{unlink(version(0)), `{"urn":"` + set + `","latestVersion":null}`, ""},
		{`query entityExists(urn: "` + set + `")`, "false", ""},
		{`query entityExists(urn: "urn:li:versionSet:(other,dataset)")`, "false", ""},
	})
	marked("", "", "", "")
}

// TestIngestionSources: a recipe is stored and listed with its runs. A recipe that cannot run is refused.
func TestIngestionSources(t *testing.T) {
	c := testcatalog.New(t)
	const source = "urn:li:dataHubIngestionSource:nightly"
	put := func(urn, rest string) string {
		return fmt.Sprintf(`updateIngestionSource(urn: "%s", input: {name: "Nightly", type: "snowflake", config: {recipe: "{\"source\":{\"type\":\"t\"}}", executorId: "default", version: "1.7", debugMode: true, extraArgs: [{key: "a", value: "b"}]}%s})`, urn, rest)
	}
	h := gql.New(gql.Options{Catalog: c})
	askAll(t, h, []step{
		{put(source, " source: {type: SYSTEM}"), `"` + source + `"`, ""},
		{put(source, ` schedule: {interval: "0 0 * * *", timezone: "Europe/Berlin"}`), `"` + source + `"`, ""},
		{`query ingestionSource(urn: "` + source + `") { schedule { interval timezone } }`, `{"schedule":{"interval":"0 0 * * *","timezone":"Europe/Berlin"}}`, ""},
		{put(source, ""), `"` + source + `"`, ""},
		{put(source, ` schedule: {interval: "0 0 * *", timezone: "UTC"}`), "", "must have five fields"},
		{put(source, ` schedule: {interval: "0 0 * * *", timezone: "Berlin"}`), "", "the time zone Berlin is unknown"},
		{put(source, ` description: "d"`), `"` + source + `"`, ""}, // the description is not stored, as in the reference
		{put("urn:li:tag:x", ""), "", "is not a dataHubIngestionSource"},
	})
	writeAspect(t, c, "urn:li:dataHubIngestionSource:other", "dataHubIngestionSourceInfo", `{"name":"Other","type":"hive","schedule":{"interval":"* * * * *","timezone":"UTC"},"config":{"recipe":"{}"}}`)
	for i, run := range []string{"first", "second"} {
		urn := "urn:li:dataHubExecutionRequest:" + run
		writeAspect(t, c, urn, "dataHubExecutionRequestInput", fmt.Sprintf(`{"task":"RUN_INGEST","args":{"k":"v"},"executorId":"default","source":{"type":"CLI","ingestionSource":"%s"},"requestedAt":%d}`, source, i+1))
	}
	writeAspect(t, c, "urn:li:dataHubExecutionRequest:second", "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":7}`)
	awaitIndex(t, c)
	const runs = `executions { total executionRequests { id input { task arguments { key value } source { type ingestionSource } } source { name } result { startTimeMs status } } }`
	run := func(id, result string) string {
		return `{"id":"` + id + `","input":{"task":"RUN_INGEST","arguments":[{"key":"k","value":"v"}],"source":{"type":"CLI","ingestionSource":"` + source + `"}},"source":{"name":"Nightly"},"result":` + result + `}`
	}
	nightly := `{"urn":"` + source + `","name":"Nightly","type":"snowflake","schedule":null,"source":{"type":"SYSTEM"},"config":{"recipe":"{\"source\":{\"type\":\"t\"}}","version":"1.7","executorId":"default","debugMode":true,"extraArgs":[{"key":"a","value":"b"}]},"executions":{"total":2,"executionRequests":[` +
		run("second", `{"startTimeMs":7,"status":"SUCCESS"}`) + "," + run("first", "null") + `]}}`
	const selection = `{ urn name type schedule { interval } source { type } config { recipe version executorId debugMode extraArgs { key value } } ` + runs + ` }`
	askAll(t, h, []step{
		{`query ingestionSource(urn: "` + source + `") ` + selection, nightly, ""},
		{`query ingestionSource(urn: "urn:li:tag:x") { urn }`, "", "is of another type"},
		{
			`query listIngestionSources(input: {start: 0, count: 100, filters: [{field: "name", values: ["ightl"], condition: CONTAIN}]}) { total ingestionSources ` + selection + ` }`,
			`{"total":1,"ingestionSources":[` + nightly + `]}`, "",
		},
		{
			`query listIngestionSources(input: {}) { ingestionSources { name source { type } schedule { interval } executions { executionRequests { id } } } }`,
			`{"ingestionSources":[{"name":"Nightly","source":{"type":"SYSTEM"},"schedule":null,"executions":{"executionRequests":[{"id":"second"},{"id":"first"}]}},{"name":"Other","source":null,"schedule":{"interval":"* * * * *"},"executions":{"executionRequests":[]}}]}`, "",
		},
		{`query executionRequest(urn: "urn:li:dataHubExecutionRequest:second") { type result { status } }`, `{"type":"EXECUTION_REQUEST","result":{"status":"SUCCESS"}}`, ""},
		{
			`query ingestionSource(urn: "` + source + `") { nextRun ownership { owners { type } } latestSuccessfulExecution { id } executions(filters: [{field: "executionResultStatus", values: ["FAILURE"]}]) { total } }`,
			`{"nextRun":null,"ownership":null,"latestSuccessfulExecution":{"id":"second"},"executions":{"total":0}}`, "",
		},
		{`query listExecutionRequests(input: {}) { start count total executionRequests { id } }`, `{"start":0,"count":20,"total":2,"executionRequests":[{"id":"second"},{"id":"first"}]}`, ""},
		{`query listExecutionRequests(input: {start: 1, count: 1, sort: {field: "requestTimeMs", sortOrder: ASCENDING}}) { total executionRequests { id } }`, `{"total":2,"executionRequests":[{"id":"second"}]}`, ""},
		{`query listExecutionRequests(input: {systemSources: true}) { total }`, `{"total":2}`, ""},
		{`query listExecutionRequests(input: {systemSources: false}) { total }`, `{"total":0}`, ""},
	})
}

// TestRolesAndTokens: roles of users and groups and the metadata of tokens are changed in their stored form.
func TestRolesAndTokens(t *testing.T) {
	c := testcatalog.New(t)
	writeAspect(t, c, "urn:li:dataHubRole:Reader", "dataHubRoleInfo", `{"name":"Reader","description":"d"}`)
	writeAspect(t, c, "urn:li:corpuser:ada", "corpUserInfo", `{"active":true}`)
	writeAspect(t, c, "urn:li:dataHubAccessToken:abc", "dataHubAccessTokenInfo", `{"name":"t","actorUrn":"urn:li:corpuser:ada","ownerUrn":"urn:li:corpuser:ada","createdAt":1}`)
	h := gql.New(gql.Options{Catalog: c})
	role := func(role, actor string) string {
		return `batchAssignRole(input: {roleUrn: ` + role + `, actors: ["` + actor + `"]})`
	}
	askAll(t, h, []step{
		{role(`"urn:li:dataHubRole:Reader"`, "urn:li:corpuser:ada"), "true", ""},
		{role(`"urn:li:dataHubRole:None"`, "urn:li:corpuser:ada"), "", "does not exist"},
		{role(`"urn:li:dataHubRole:Reader"`, "urn:li:corpuser:none"), "", "does not exist"},
		{role(`"urn:li:dataHubRole:Reader"`, "urn:li:tag:x"), "", "is not a corpuser or corpGroup"},
		{`query corpUser(urn: "urn:li:corpuser:ada") { relationships(input: {types: ["IsMemberOfRole"], direction: OUTGOING}) { relationships { entity { urn } } } }`, `{"relationships":{"relationships":[{"entity":{"urn":"urn:li:dataHubRole:Reader"}}]}}`, ""},
		{role("null", "urn:li:corpuser:ada"), "true", ""},
		{`query corpUser(urn: "urn:li:corpuser:ada") { relationships(input: {types: ["IsMemberOfRole"], direction: OUTGOING}) { total } }`, `{"relationships":{"total":0}}`, ""},
		{`revokeAccessToken(tokenId: "abc")`, "true", ""},
		{`revokeAccessToken(tokenId: "abc")`, "", "does not exist"},
		{`query listAccessTokens(input: {}) { total }`, `{"total":0}`, ""},
	})
}

// TestNotHere: an operation for a feature that this server lacks returns an error that says this, and the
// settings of such features are off.
func TestNotHere(t *testing.T) {
	c := testcatalog.New(t)
	writeAspect(t, c, "urn:li:dataHubConnection:slack", "dataHubConnectionDetails", `{"type":"JSON","name":"Slack","json":{"encryptedBlob":"x"}}`)
	writeAspect(t, c, "urn:li:dataHubConnection:slack", "dataPlatformInstance", `{"platform":"urn:li:dataPlatform:slack"}`)
	writeAspect(t, c, "urn:li:platformResource:r", "platformResourceInfo", `{"resourceType":"offset","primaryKey":"topic"}`)
	h := gql.New(gql.Options{Catalog: c})
	askAll(t, h, []step{
		{`query appConfig { semanticSearchConfig { enabled enabledEntities embeddingConfig { provider } } entityIndexV3 { enabled } managedIngestionConfig { enabled } }`, `{"semanticSearchConfig":{"enabled":false,"enabledEntities":[],"embeddingConfig":null},"entityIndexV3":{"enabled":false},"managedIngestionConfig":{"enabled":false}}`, ""},
		{`query semanticSearchAcrossEntities(input: {query: "*"}) { total }`, "", "does not search by meaning"},
		{`query getInviteToken(input: {}) { inviteToken }`, "", "invites nobody"},
		{`createAccessToken(input: {type: PERSONAL, actorUrn: "urn:li:corpuser:ada", duration: ONE_HOUR, name: "n"}) { accessToken }`, "", "does not issue access tokens"},
		{`runAssertion(urn: "urn:li:assertion:a") { type }`, "", "does not evaluate assertions"},
		{`runAssertions(urns: ["urn:li:assertion:a"]) { passingCount results { assertion { urn } result { type } } }`, "", "does not evaluate assertions"},
		{`runAssertionsForAsset(urn: "` + orders + `") { failingCount errorCount }`, "", "does not evaluate assertions"},
		{`query connection(urn: "urn:li:dataHubConnection:none") { urn }`, "null", ""},
		{`query connection(urn: "urn:li:dataHubConnection:slack") { urn platform { name } details { type name } }`, `{"urn":"urn:li:dataHubConnection:slack","platform":{"name":"slack"},"details":{"type":"JSON","name":"Slack"}}`, ""},
		{`query connection(urn: "urn:li:dataHubConnection:slack") { details { json { blob } } }`, "", "not encrypted in the form of this server"},
		{`query entity(urn: "urn:li:platformResource:r") { type ... on DataHubPlatformResource { info { resourceType primaryKey secondaryKeys } properties { customProperties { key value } } } }`, `{"type":"PLATFORM_RESOURCE","info":{"resourceType":"offset","primaryKey":"topic","secondaryKeys":null},"properties":{"customProperties":[]}}`, ""},
	})
}
