package gql_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// documentInfo returns the aspect of a document with a title, a state and the time of its last
// change.
func documentInfo(title, state, modified, more string) string {
	return `{"title":"` + title + `","status":{"state":"` + state + `"},"contents":{"text":"t"},"created":` + actorStamp + `,"lastModified":{"time":` + modified + `,"actor":"urn:li:corpuser:a"}` + more + `}`
}

const (
	aboutOrders = `,"relatedAssets":[{"asset":"` + orders + `"}]`
	inBook      = `,"parentDocument":{"document":"urn:li:document:book"},"source":{"sourceType":"EXTERNAL"}`
)

// mcpMetadata are the aspects that TestMCPMembers reads, each with its entity.
var mcpMetadata = [][3]string{
	{"urn:li:document:old", "documentInfo", documentInfo("Old", "PUBLISHED", "1", aboutOrders)},
	{"urn:li:document:new", "documentInfo", documentInfo("New", "PUBLISHED", "3", aboutOrders+inBook)},
	{"urn:li:document:new", "subTypes", `{"typeNames":["FAQ"]}`},
	{"urn:li:document:new", "domains", `{"domains":["urn:li:domain:sales"]}`},
	{"urn:li:document:draft", "documentInfo", documentInfo("Draft", "UNPUBLISHED", "2", aboutOrders)},
	{"urn:li:document:draft", "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"}]}`},
	{"urn:li:document:other", "documentInfo", documentInfo("Other", "PUBLISHED", "4", "")},
	{"urn:li:application:till", "applicationProperties", `{"name":"Till","description":"Takes money","customProperties":{"k":"v"}}`},
	{"urn:li:application:nameless", "applicationProperties", `{}`},
	{"urn:li:assertion:fresh", "assertionInfo", `{"type":"FRESHNESS","entityUrn":"` + orders + `","note":{"content":"Older","lastModified":` + actorStamp + `},"freshnessAssertion":{"type":"DATASET_CHANGE","entity":"` + orders + `","schedule":{"type":"FIXED_INTERVAL","fixedInterval":{"unit":"HOUR","multiple":6}},"filter":{"type":"SQL","sql":"id > 1"}}}`},
	{"urn:li:assertion:fresh", "assertionNote", `{"content":"Call Ada","lastModified":` + actorStamp + `}`},
	{"urn:li:assertion:columns", "assertionInfo", `{"type":"DATA_SCHEMA","note":{"content":"In the value","lastModified":` + actorStamp + `},"schemaAssertion":{"entity":"` + orders + `","compatibility":"SUPERSET","schema":{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}}}`},
	{"urn:li:assertion:length", "assertionInfo", `{"type":"FIELD","fieldAssertion":{"type":"FIELD_VALUES","entity":"` + orders + `","fieldValuesAssertion":{"field":{"path":"id","type":"NUMBER","nativeType":"int"},"transform":{"type":"LENGTH"},"operator":"LESS_THAN","failThreshold":{"type":"COUNT","value":0}}}}`},
	{"urn:li:assertion:fresh", "assertionRunEvent", `{"timestampMillis":9,"runId":"r","assertionUrn":"urn:li:assertion:fresh","asserteeUrn":"` + orders + `","status":"COMPLETE","result":{"type":"ERROR","error":{"type":"SOURCE_QUERY_FAILED","properties":{"message":"no"}}}}`},
	{orders, "datasetProfile", `{"timestampMillis":1,"rowCount":7,"sizeInBytes":70}`},
	{orders, "datasetProfile", `{"timestampMillis":2,"rowCount":8}`},
	{orders, "status", `{"removed":false}`},
}

// mcpCatalog is a catalog with mcpMetadata.
func mcpCatalog(t *testing.T) (*services.Services, http.Handler) {
	t.Helper()
	c := testcatalog.New(t)
	for _, m := range mcpMetadata {
		writeAspect(t, c, m[0], m[1], m[2])
	}
	awaitIndex(t, c)
	return c, gql.New(gql.Options{Catalog: c})
}

// TestMCPMembers: the members for which the official MCP server asks return the stored values.
func TestMCPMembers(t *testing.T) {
	_, h := mcpCatalog(t)
	for _, one := range []struct{ query, want string }{
		{
			`assertion(urn: "urn:li:assertion:fresh") { info { type entityUrn note freshnessAssertion { type entityUrn schedule { type cron { cron } fixedInterval { unit multiple } } filter { type sql } } } runEvents { runEvents { result { error { displayMessage } } } } }`,
			`{"info":{"type":"FRESHNESS","entityUrn":"` + orders + `","note":"Call Ada","freshnessAssertion":{"type":"DATASET_CHANGE","entityUrn":"` + orders + `","schedule":{"type":"FIXED_INTERVAL","cron":null,"fixedInterval":{"unit":"HOUR","multiple":6}},"filter":{"type":"SQL","sql":"id > 1"}}},"runEvents":{"runEvents":[{"result":{"error":{"displayMessage":"no"}}}]}}`,
		},
		{
			`assertion(urn: "urn:li:assertion:columns") { info { entityUrn note schemaAssertion { entityUrn compatibility fields { path type nativeType } } freshnessAssertion { type } } }`,
			`{"info":{"entityUrn":"` + orders + `","note":"In the value","schemaAssertion":{"entityUrn":"` + orders + `","compatibility":"SUPERSET","fields":[{"path":"id","type":"NUMBER","nativeType":"int"}]},"freshnessAssertion":null}}`,
		},
		{
			`assertion(urn: "urn:li:assertion:length") { info { entityUrn note fieldAssertion { filter { type } fieldValuesAssertion { transform { type } operator } } } }`,
			`{"info":{"entityUrn":"` + orders + `","note":null,"fieldAssertion":{"filter":null,"fieldValuesAssertion":{"transform":{"type":"LENGTH"},"operator":"LESS_THAN"}}}}`,
		},
		{ // the member entity is the entity of the assertion here, not the entity type
			`searchAcrossEntities(input: {query: "*", types: [ASSERTION], orFilters: [{and: [{field: "entity", values: ["` + orders + `"]}, {field: "assertionType", values: ["FRESHNESS"]}]}]}) { searchResults { entity { urn } } }`,
			`{"searchResults":[{"entity":{"urn":"urn:li:assertion:fresh"}}]}`,
		},
		{
			`searchAcrossEntities(input: {query: "*", types: [ASSERTION], orFilters: [{and: [{field: "entity", values: ["urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"]}]}]}) { total }`,
			`{"total":0}`,
		},
		{
			`searchAcrossEntities(input: {query: "*", orFilters: [{and: [{field: "entity", values: ["APPLICATION"]}]}]}) { total facets { field aggregations { value } } }`,
			`{"total":2,"facets":[{"field":"_entityType","aggregations":[{"value":"APPLICATION"}]}]}`,
		},
		{
			`entity(urn: "urn:li:application:till") { type ... on Application { exists properties { name description customProperties { key value } } relatedDocuments(input: {}) { total } } }`,
			`{"type":"APPLICATION","exists":true,"properties":{"name":"Till","description":"Takes money","customProperties":[{"key":"k","value":"v"}]},"relatedDocuments":{"total":0}}`,
		},
		{`entity(urn: "urn:li:application:nameless") { ... on Application { properties { name } } }`, `{"properties":{"name":"nameless"}}`},
		{ // the newest profile, which states no size
			`dataset(urn: "` + orders + `") { statsSummary { rowCount sizeInBytes queryCountPercentileLast30Days } }`,
			`{"statsSummary":{"rowCount":8,"sizeInBytes":null,"queryCountPercentileLast30Days":null}}`,
		},
		{`entity(urn: "urn:li:document:draft") { ... on Document { platform { urn } info { status { state } } } }`, `{"platform":{"urn":"urn:li:dataPlatform:datahub"},"info":{"status":{"state":"UNPUBLISHED"}}}`},
	} {
		checkAnswer(t, ask(t, h, "{ answer: "+one.query+" }", nil), one.query, one.want)
	}
}

// TestRelatedDocuments: the documents about an entity are the published documents and the drafts of
// the actor. The document that was modified last is the first.
func TestRelatedDocuments(t *testing.T) {
	_, h := mcpCatalog(t)
	for _, one := range []struct{ actor, input, want string }{
		{"", ``, `{"start":0,"count":100,"total":2,"documents":[{"info":{"title":"New"}},{"info":{"title":"Old"}}]}`},
		{"urn:li:corpuser:ada", ``, `{"start":0,"count":100,"total":3,"documents":[{"info":{"title":"New"}},{"info":{"title":"Draft"}},{"info":{"title":"Old"}}]}`},
		{"urn:li:corpuser:bob", ``, `{"start":0,"count":100,"total":2,"documents":[{"info":{"title":"New"}},{"info":{"title":"Old"}}]}`},
		{"", `start: 1, count: 1`, `{"start":1,"count":1,"total":2,"documents":[{"info":{"title":"Old"}}]}`},
		{"", `rootOnly: true`, `{"start":0,"count":100,"total":1,"documents":[{"info":{"title":"Old"}}]}`},
		{"", `rootOnly: true, parentDocuments: ["urn:li:document:book"]`, `{"start":0,"count":100,"total":1,"documents":[{"info":{"title":"New"}}]}`},
		{"", `types: ["FAQ"], domains: ["urn:li:domain:sales"], sourceType: EXTERNAL`, `{"start":0,"count":100,"total":1,"documents":[{"info":{"title":"New"}}]}`},
		{"", `sourceType: NATIVE`, `{"start":0,"count":100,"total":0,"documents":[]}`},
	} {
		query := `{ answer: dataset(urn: "` + orders + `") { relatedDocuments(input: {` + one.input + `}) { start count total documents { info { title } } } } }`
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/api/graphql", strings.NewReader(string(body)))
		if one.actor != "" {
			r = r.WithContext(requestinfo.WithActor(r.Context(), one.actor))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		checkAnswer(t, w.Body.String(), one.actor+query, `{"relatedDocuments":`+one.want+`}`)
	}
}

// TestDescriptions: descriptions that people write about an entity are stored beside the
// ingested ones.
func TestDescriptions(t *testing.T) {
	c, h := mcpCatalog(t)
	for urn, aspect := range map[string]string{orders: "editableDatasetProperties", "urn:li:application:till": "applicationProperties"} {
		query := `mutation { answer: updateDescription(input: {resourceUrn: "` + urn + `", description: "Ours"}) }`
		checkAnswer(t, ask(t, h, query, nil), query, `true`)
		if value := stored(t, c, urn, aspect); !strings.Contains(value, `"description":"Ours"`) {
			t.Errorf("%s of %s: %s", aspect, urn, value)
		}
	}
}
