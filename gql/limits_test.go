package gql_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/graphiql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestLimits: a query that would be too much work is refused with a clear error before any work
// is done. Queries that clients send are not refused.
func TestLimits(t *testing.T) {
	h := newHandler(t)
	deep := strings.Repeat(`relationships(input: {types: [], direction: OUTGOING, count: 1}) { relationships { entity { `, 20) + "urn" + strings.Repeat(" } } }", 20)
	fragments := "query { ...f0 }"
	for i := range 25 {
		fragments += fmt.Sprintf(" fragment f%d on Query { a: appConfig { appVersion } ...f%d ...f%d }", i, i+1, i+1)
	}
	fragments += " fragment f25 on Query { appConfig { appVersion } }"
	below := "query { me { corpUser { ...f0 } } }"
	for i := range 13 {
		below += fmt.Sprintf(" fragment f%d on CorpUser { a: properties { manager { ...f%d } } b: properties { manager { ...f%d } } }", i, i+1, i+1)
	}
	below += " fragment f13 on CorpUser { urn }"
	for _, c := range []struct{ name, query, says string }{
		{"depth", `{ entity(urn: "` + orders + `") { ` + deep + ` } }`, "fields within each other"},
		{"repeats", `{ dataset(urn: "` + orders + `") { ` + strings.Repeat("urn ", 4900) + `} }`, "more than 100 times"},
		{"repeats of all", "{" + strings.Repeat(" urn", 14990) + " }", "token"},
		{"repeats in fragments", `{ dataset(urn: "` + orders + `") { ` + strings.Repeat("... { "+strings.Repeat("urn ", 60)+" } ", 2) + `} }`, "more than 100 times"},
		{"fields", `{ ` + each(501, "a%d: __typename ") + `}`, "501 fields of one object"},
		{"aliases of pages", `{ ` + each(501, `a%d: searchAcrossEntities(input: {query: "*", count: 10000}) { total } `) + `}`, "501 fields of one object"},
		{"spreads", `{ me { ` + strings.Repeat("...f ", 101) + `} } fragment f on AuthenticatedUser { corpUser { urn } }`, "more than 100 times"},
		{"fragment definitions", `{ ` + each(301, "...f%d ") + `} ` + each(301, "fragment f%d on Query { __typename } "), "301 fragments"},
		{"operations", each(51, "query q%d { __typename } "), "51 operations"},
		{"variables", `query q(` + each(501, "$v%d: Int ") + `) { __typename }`, "501 variables"},
		{"directives", `{ __typename ` + strings.Repeat("@skip(if: false) ", 11) + `}`, "11 directives"},
		{"inline fragments within each other", `{ me { ` + strings.Repeat("... on AuthenticatedUser { ", 40) + `corpUser { urn }` + strings.Repeat(" }", 40) + ` } }`, "directly within each other"},
		{"fragments within each other", fragments, "directly within each other"},
		{"fragments that double below", below, "fields when its fragments are put in place"},
		{"fragments that double at every level", `{ entity(urn: "` + orders + `") { ` + strings.Repeat(`... on Dataset { ... on Dataset { ... { relationships(input: {types: [], direction: OUTGOING, count: 1}) { relationships { entity { `, 8) + "urn" + strings.Repeat(" } } } } } }", 8) + ` } }`, "fields when its fragments are put in place"},
		{"a cycle of fragments", `{ me { ...a } } fragment a on AuthenticatedUser { corpUser { urn } ...b } fragment b on AuthenticatedUser { corpUser { urn } ...a }`, "within itself"},
		{"nested introspection", `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`, "Maximum introspection depth"},
		{"tokens", "{" + strings.Repeat(" a", 20000) + " }", "token"},
		{"comments", "{" + strings.Repeat("#\n", 20000) + " __typename }", "token"},
		{"text", `{ entity(urn: "` + strings.Repeat("x", 1<<20) + `") { urn } }`, "bytes, at most 1048576"},
		{"long names", `{ ` + strings.Repeat("x", 1000) + ` }`, "has 1000 bytes"},
		{"deep values", `{ entity(urn: ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `) { urn } }`, "levels"},
		{"values deeper than is parsed", `{ entity(urn: ` + strings.Repeat("[", 4900) + strings.Repeat("]", 4900) + `) { urn } }`, "nesting depth"},
		{"a client's scroll", `{ scrollAcrossEntities(input: {query: "*", count: 10000}) { nextScrollId searchResults { entity { urn } } } }`, ""},
		{"pages within pages", `{ searchAcrossEntities(input: {query: "*", count: 1000}) { searchResults { entity { relationships(input: {types: [], direction: OUTGOING, count: 10000}) { total } } } } }`, ""},
		{"many questions", `{ ` + each(300, `a%d: searchAcrossEntities(input: {query: "*", count: 10000}) { searchResults { entity { urn type } matchedFields { name value } } } `) + ` }`, ""},
		{"standard introspection", introspection, ""},
	} {
		answer := ask(t, h, c.query, nil)
		var got struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions map[string]any
			}
		}
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case c.says == "" && len(got.Errors) > 0:
			t.Errorf("%s: %.500s", c.name, answer)
		case c.says != "" && (len(got.Errors) == 0 || got.Data != nil || !strings.Contains(got.Errors[0].Message, c.says) || got.Errors[0].Extensions["code"] != 400.0):
			t.Errorf("%s: %.500s", c.name, answer)
		}
	}
}

// each repeats a format with the numbers from 0.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// introspection is the query that the Python client sends before its first other query.
const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType } directives { name description locations args { ...InputValue } } } }
fragment FullType on __Type { kind name description fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields { ...InputValue } interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`

// TestErrors: errors in the query itself have the form of the interface too.
func TestErrors(t *testing.T) {
	h := newHandler(t)
	for query, want := range map[string]string{
		`{`:                                     `"extensions":{"classification":"InvalidSyntax","code":400,"type":"BAD_REQUEST"}`,
		`{ nope }`:                              `"extensions":{"classification":"ValidationError","code":400,"type":"BAD_REQUEST"}`,
		`{ dataset(urn: 1) {urn} }`:             `"classification":"ValidationError","code":400`,
		`mutation { raiseIncident(input: {}) }`: `"classification":"ValidationError","code":400`,
		`query q($n: Long!) { dataset(urn: "x") { schemaMetadata(version: $n) { name } } }`:         `"classification":"ValidationError","code":400`,
		`{ dataset(urn: "urn:li:dataset:(a)") { urn } }`:                                            `"path":["dataset"],"locations":[{"line":1,"column":3}],"extensions":{"classification":"DataFetchingException","code":400,"type":"BAD_REQUEST"}`,
		`{ dataset(urn: "urn:example:dataset:(urn:example:dataPlatform:hive,none,PROD)") { urn } }`: `"code":404,"type":"NOT_FOUND"}}],"data":{"dataset":null}`,
		`query a { __typename } query b { __typename }`:                                             `"code":400`,
	} {
		if answer := ask(t, h, query, nil); !strings.HasPrefix(answer, `{"errors":[{"message":"`) || !strings.Contains(answer, want) || !strings.HasSuffix(answer, `,"extensions":{}}`) {
			t.Errorf("%s: %s", query, answer)
		}
	}
}

// TestUnknown: in one dialect, an entity that was never ingested is an empty object; in the
// other dialect, it is an error.
func TestUnknown(t *testing.T) {
	h := newHandler(t)
	for query, want := range map[string]string{
		`{ dataset(urn: "urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)") { urn type name origin exists platform { name } properties { name } } }`: `{"data":{"dataset":{"urn":"urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)","type":"DATASET","name":"none","origin":"PROD","exists":false,"platform":{"name":"hive"},"properties":null}},"extensions":{}}`,
		`{ entities(urns: ["urn:example:tag:none", "` + orders + `"]) { urn } }`:                                                                        `"code":404,"type":"NOT_FOUND"}}],"data":{"entities":[null,{"urn":"` + orders + `"}]},"extensions":{}}`,
		`{ tag(urn: "urn:example:tag:none") { urn } }`:                                                                                                  `{"errors":[{"message":"Did not find urn: urn:example:tag:none"`,
	} {
		if answer := ask(t, h, query, nil); !strings.Contains(answer, want) {
			t.Errorf("%s: %s", query, answer)
		}
	}
}

// TestMixedPage: of entities of several types at one place, each has only its own values,
// although the values are read for all of them together.
func TestMixedPage(t *testing.T) {
	c := testcatalog.New(t)
	writeAspect(t, c, orders, "datasetProperties", `{"name":"Orders"}`)
	writeAspect(t, c, "urn:li:container:abc", "containerProperties", `{"name":"shop"}`)
	writeAspect(t, c, "urn:li:chart:(looker,1)", "chartInfo", `{"title":"Sales","description":"","lastModified":{}}`)
	writeAspect(t, c, "urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada"}`)
	h := gql.New(gql.Options{Catalog: c})
	answer := ask(t, h, `query q($urns: [String!]!) { entities(urns: $urns) {
		... on Dataset { d: platform { name } dp: properties { name } }
		... on Container { c: platform { name } cp: properties { name } }
		... on Chart { h: platform { name } hp: properties { name } }
		... on CorpUser { up: properties { displayName } }
	} }`, map[string]any{"urns": []string{orders, "urn:li:container:abc", "urn:li:chart:(looker,1)", "urn:li:corpuser:ada"}})
	want := `{"data":{"entities":[{"d":{"name":"hive"},"dp":{"name":"Orders"}},{"c":{"name":"unknown"},"cp":{"name":"shop"}},{"h":{"name":"looker"},"hp":{"name":"Sales"}},{"up":{"displayName":"Ada"}}]},"extensions":{}}`
	if answer != want {
		t.Errorf("got  %s\nwant %s", answer, want)
	}
}

func TestOperationName(t *testing.T) {
	h := newHandler(t)
	_, answer := post(t, h, `{"query":"query a { me { corpUser { urn } } } query b($v: String!) { entityExists(urn: $v) }","operationName":"b","variables":{"v":"`+orders+`"}}`)
	if answer != `{"data":{"entityExists":true},"extensions":{}}` {
		t.Error(answer)
	}
	_, answer = post(t, h, `{"query":"query a { __typename }","operationName":"c"}`)
	if !strings.Contains(answer, `"code":400`) || !strings.Contains(answer, `"data":null`) {
		t.Error(answer)
	}
}

// TestActor: a request is made on behalf of the actor of its context.
func TestActor(t *testing.T) {
	h := newHandler(t)
	r := httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(`{"query":"{ me { corpUser { urn } } }"}`))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(requestinfo.WithActor(r.Context(), "urn:li:corpuser:ada")))
	if got := w.Body.String(); got != `{"data":{"me":{"corpUser":{"urn":"urn:li:corpuser:ada"}}},"extensions":{}}` {
		t.Error(got)
	}
	if got := ask(t, h, `{ me { corpUser { urn } } }`, nil); !strings.Contains(got, "__datahub_system") {
		t.Error(got)
	}
}

func TestGraphiQL(t *testing.T) {
	h := graphiql.Handler("/api/graphiql")
	for path, want := range map[string]string{
		"/api/graphiql": "<title>Headwater GraphiQL</title>", "/api/graphiql/": "graphiql.min.js", "/api/graphiql/start.js": "ReactDOM",
		"/api/graphiql/graphiql.min.js": "GraphiQL", "/api/graphiql/graphiql.min.css": "graphiql", "/api/graphiql/react.production.min.js": "React",
		"/api/graphiql/react-dom.production.min.js": "React", "/api/graphiql/LICENSES.txt": "MIT",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %s", path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/api/graphiql/nothing", "/api/graphiql/../server.go", "/api/graphiql/assets/graphiql.min.js.gz"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// FuzzQuery: for any request, the answer has the envelope, and no error is an error of the
// server.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{ dataset(urn: \"` + orders + `\") { ...d } } fragment d on Dataset { properties { name } lineage(input: {direction: UPSTREAM}) { total } }"}`,
		`{"query":"mutation m($i: DescriptionUpdateInput!) { updateDescription(input: $i) }","variables":{"i":{"description":"x","resourceUrn":"urn:li:tag:a"}}}`,
		`{"query":"{ searchAcrossEntities(input: {query: \"a\", orFilters: [{and: [{field: \"name\", values: [\"x\"], condition: CONTAIN}]}]}) { total } }","operationName":null}`,
		`{"query":"query q($n: Int = 3) { a: autoComplete(input: {type: TAG, query: \"x\", limit: $n}) { suggestions } }","variables":{"n":99999999999999999999}}`,
		introspectionBody(), `{"query":"{ __typename @skip(if: true) }"}`, `[]`, `{"query":"\u0000"}`, `{"query":"{ entities(urns: []) { urn } }"}`,
	} {
		f.Add(seed)
	}
	h := gql.New(gql.Options{Catalog: testcatalog.New(f)})
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(body)))
		var envelope struct {
			Errors []struct {
				Message    string
				Extensions struct{ Code int }
			}
			Data       json.RawMessage
			Extensions map[string]any
		}
		if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil || envelope.Data == nil || envelope.Extensions == nil || w.Code != 200 && w.Code != 400 {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
		for _, e := range envelope.Errors {
			if e.Extensions.Code >= 500 {
				t.Fatalf("%q: %s", body, w.Body)
			}
		}
	})
}

func introspectionBody() string {
	text, err := json.Marshal(map[string]string{"query": introspection})
	if err != nil {
		return "{}"
	}
	return string(text)
}
