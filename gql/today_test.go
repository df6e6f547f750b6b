package gql_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

const (
	retention = "urn:li:structuredProperty:io.acme.retention"
	steward   = "urn:li:structuredProperty:io.acme.steward"
	idColumn  = "urn:li:schemaField:(" + orders + ",id)"
)

// todaysMetadata are the aspects that TestTodaysMembers reads, each with its entity.
var todaysMetadata = [][3]string{
	{"urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada"}`},
	{retention, "propertyDefinition", `{"qualifiedName":"io.acme.retention","displayName":"Retention","valueType":"urn:li:dataType:datahub.number","entityTypes":["urn:li:entityType:datahub.dataset"],"allowedValues":[{"value":{"double":30.0},"description":"A month"},{"value":{"double":90.0}}]}`},
	{steward, "propertyDefinition", `{"qualifiedName":"io.acme.steward","valueType":"urn:li:dataType:datahub.urn","cardinality":"MULTIPLE","typeQualifier":{"allowedTypes":["urn:li:entityType:datahub.corpuser"]},"entityTypes":["urn:li:entityType:datahub.schemaField","urn:li:entityType:datahub.dataset"],"created":` + actorStamp + `}`},
	{steward, "structuredPropertySettings", `{"isHidden":true}`},
	{orders, "structuredProperties", `{"properties":[{"propertyUrn":"` + retention + `","values":[{"double":30.0}]},{"propertyUrn":"` + steward + `","values":[{"string":"urn:li:corpuser:ada"}]}]}`},
	{orders, "editableDatasetProperties", `{"name":"Our orders","description":"d"}`},
	{orders, "deprecation", `{"deprecated":true,"note":"old","actor":"urn:li:corpuser:ada"}`},
	{orders, "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:t","actor":"urn:li:corpuser:ada"}],"auditStamp":` + actorStamp + `}`},
	{orders, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","nativeDataType":"int","isPartitioningKey":true,"type":{"type":{"com.linkedin.schema.NumberType":{}}}},{"fieldPath":"note","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}]}`},
	{idColumn, "documentation", `{"documentations":[{"documentation":"The key","attribution":{"time":5,"actor":"urn:li:corpuser:ada","sourceDetail":{"propagated":"true"}}}]}`},
	{idColumn, "businessAttributes", `{"businessAttribute":{"businessAttributeUrn":"urn:li:businessAttribute:key"}}`},
	{idColumn, "structuredProperties", `{"properties":[{"propertyUrn":"` + steward + `","values":[{"string":"urn:li:corpuser:nobody"}]}]}`},
	{"urn:li:businessAttribute:key", "businessAttributeInfo", `{"fieldPath":"key","name":"Key","description":"Names a row","type":{"type":{"com.linkedin.schema.NumberType":{}}},"globalTags":{"tags":[{"tag":"urn:li:tag:pii"}]}}`},
	{"urn:li:domain:sales", "domainProperties", `{"name":"Sales","parentDomain":"urn:li:domain:shop"}`},
	{"urn:li:domain:shop", "domainProperties", `{"name":"Shop"}`},
	{"urn:li:domain:sales", "displayProperties", `{"colorHex":"#fff","icon":{"iconLibrary":"MATERIAL","name":"Cart","style":"Outlined"}}`},
	{"urn:li:glossaryNode:n", "glossaryNodeInfo", `{"definition":"d","customProperties":{"a":"b"}}`},
	{"urn:li:incident:late", "incidentInfo", `{"type":"FRESHNESS","title":"Late","description":"d","entities":["` + orders + `"],"priority":1,"assignees":[{"actor":"urn:li:corpuser:ada","assignedAt":` + actorStamp + `}],"status":{"state":"ACTIVE","lastUpdated":` + actorStamp + `},"source":{"type":"ASSERTION_FAILURE","sourceUrn":"urn:li:assertion:volume"},"startedAt":7,"created":` + actorStamp + `}`},
	{"urn:li:document:guide", "documentInfo", `{"title":"Guide","status":{"state":"PUBLISHED"},"contents":{"text":"Read me"},"source":{"sourceType":"EXTERNAL","externalUrl":"https://example.com"},"created":{"time":1,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":2,"actor":"urn:li:corpuser:ada"},"customProperties":{"k":"v"},"relatedAssets":[{"asset":"` + orders + `"}],"parentDocument":{"document":"urn:li:document:book"}}`},
	{"urn:li:document:guide", "subTypes", `{"typeNames":["Runbook"]}`},
	{"urn:li:document:guide", "dataPlatformInstance", `{"platform":"urn:li:dataPlatform:notion"}`},
	{"urn:li:assertion:volume", "assertionInfo", `{"type":"VOLUME","volumeAssertion":{"type":"ROW_COUNT_TOTAL","entity":"` + orders + `","rowCountTotal":{"operator":"GREATER_THAN","parameters":{"value":{"value":"1","type":"NUMBER"}}}},"description":"Not empty","source":{"type":"NATIVE"},"lastUpdated":` + actorStamp + `}`},
	{"urn:li:assertion:field", "assertionInfo", `{"type":"FIELD","fieldAssertion":{"type":"FIELD_METRIC","entity":"` + orders + `","fieldMetricAssertion":{"field":{"path":"id","type":"NUMBER","nativeType":"int"},"metric":"NULL_COUNT","operator":"EQUAL_TO","parameters":{"value":{"value":"0","type":"NUMBER"}}}}}`},
	{"urn:li:assertion:sql", "assertionInfo", `{"type":"SQL","sqlAssertion":{"type":"METRIC","entity":"` + orders + `","statement":"SELECT 1","operator":"NOT_EQUAL_TO","parameters":{"value":{"value":"1","type":"NUMBER"}}}}`},
	{"urn:li:assertion:volume", "assertionRunEvent", `{"timestampMillis":9,"runId":"r","assertionUrn":"urn:li:assertion:volume","asserteeUrn":"` + orders + `","status":"COMPLETE","result":{"type":"ERROR","severity":"HIGH","nativeResults":{"a":"b"},"error":{"type":"SOURCE_QUERY_FAILED","properties":{"message":"no"}}}}`},
	{"urn:li:query:seen", "queryProperties", `{"statement":{"value":"SELECT id","language":"SQL"},"source":"SYSTEM","customProperties":{"k":"v"},"origin":"` + orders + `","created":` + actorStamp + `,"lastModified":` + actorStamp + `}`},
	{"urn:li:query:seen", "querySubjects", `{"subjects":[{"entity":"` + orders + `"},{"entity":"` + idColumn + `"}]}`},
	{"urn:li:query:seen", "dataPlatformInstance", `{"platform":"urn:li:dataPlatform:hive"}`},
	{"urn:li:query:typed", "queryProperties", `{"statement":{"value":"SELECT 2","language":"SQL"},"source":"MANUAL","created":{"time":5,"actor":"urn:li:corpuser:a"},"lastModified":` + actorStamp + `}`},
	{"urn:li:query:typed", "querySubjects", `{"subjects":[{"entity":"` + orders + `"}]}`},
}

// TestTodaysMembers: the members that today's client added return the stored values.
func TestTodaysMembers(t *testing.T) {
	c := testcatalog.New(t)
	for _, m := range todaysMetadata {
		writeAspect(t, c, m[0], m[1], m[2])
	}
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	for _, one := range []struct{ query, want string }{
		{
			`entity(urn: "` + orders + `") { ... on Dataset { structuredProperties { properties { structuredProperty { urn definition { qualifiedName displayName cardinality immutable valueType { info { qualifiedName } } entityTypes { info { type } } typeQualifier { allowedTypes { urn } } allowedValues { description value { ... on NumberValue { numberValue } } } created { time } } settings { isHidden showInColumnsTable } } values { ... on StringValue { stringValue } ... on NumberValue { numberValue } } valueEntities { urn } } } } }`,
			`{"structuredProperties":{"properties":[{"structuredProperty":{"urn":"` + retention + `","definition":{"qualifiedName":"io.acme.retention","displayName":"Retention","cardinality":"SINGLE","immutable":false,"valueType":{"info":{"qualifiedName":"datahub.number"}},"entityTypes":[{"info":{"type":"DATASET"}}],"typeQualifier":null,"allowedValues":[{"description":"A month","value":{"numberValue":30}},{"description":null,"value":{"numberValue":90}}],"created":null},"settings":null},"values":[{"numberValue":30}],"valueEntities":[]},` +
				`{"structuredProperty":{"urn":"` + steward + `","definition":{"qualifiedName":"io.acme.steward","displayName":null,"cardinality":"MULTIPLE","immutable":false,"valueType":{"info":{"qualifiedName":"datahub.urn"}},"entityTypes":[{"info":{"type":"SCHEMA_FIELD"}},{"info":{"type":"DATASET"}}],"typeQualifier":{"allowedTypes":[{"urn":"urn:li:entityType:datahub.corpuser"}]},"allowedValues":null,"created":{"time":1}},"settings":{"isHidden":true,"showInColumnsTable":false}},"values":[{"stringValue":"urn:li:corpuser:ada"}],"valueEntities":[{"urn":"urn:li:corpuser:ada"}]}]}}`,
		},
		{
			`dataset(urn: "` + orders + `") { editableProperties { name description } deprecation { actorEntity { urn } } glossaryTerms { terms { actor { properties { displayName } } } } }`,
			`{"editableProperties":{"name":"Our orders","description":"d"},"deprecation":{"actorEntity":{"urn":"urn:li:corpuser:ada"}},"glossaryTerms":{"terms":[{"actor":{"properties":{"displayName":"Ada"}}}]}}`,
		},
		{
			`dataset(urn: "` + orders + `") { schemaMetadata { fields { isPartitioningKey schemaFieldEntity { urn fieldPath documentation { documentations { documentation attribution { sourceDetail { key value } actor { urn } } } } businessAttributes { businessAttribute { businessAttribute { urn properties { name description type tags { tags { tag { urn } } } } } } } structuredProperties { properties { values { ... on StringValue { stringValue } } } } } } } }`,
			`{"schemaMetadata":{"fields":[{"isPartitioningKey":true,"schemaFieldEntity":{"urn":"` + idColumn + `","fieldPath":"id","documentation":{"documentations":[{"documentation":"The key","attribution":{"sourceDetail":[{"key":"propagated","value":"true"}],"actor":{"urn":"urn:li:corpuser:ada"}}}]},"businessAttributes":{"businessAttribute":{"businessAttribute":{"urn":"urn:li:businessAttribute:key","properties":{"name":"Key","description":"Names a row","type":"NUMBER","tags":{"tags":[{"tag":{"urn":"urn:li:tag:pii"}}]}}}}},"structuredProperties":{"properties":[{"values":[{"stringValue":"urn:li:corpuser:nobody"}]}]}}},` +
				`{"isPartitioningKey":null,"schemaFieldEntity":{"urn":"urn:li:schemaField:(` + orders + `,note)","fieldPath":"note","documentation":null,"businessAttributes":null,"structuredProperties":null}}]}}`,
		},
		{
			`dataset(urn: "` + orders + `") { glossaryTerms { terms { provenance { actor { urn } run source confidence query { urn } detail { key } } } } schemaMetadata { fields { tags { tags { provenance { run } } } } } relationships(input: {types: ["TermedWith"], direction: OUTGOING}) { relationships { provenance { run } } } }`,
			`{"glossaryTerms":{"terms":[{"provenance":{"actor":{"urn":"urn:li:corpuser:ada"},"run":null,"source":null,"confidence":null,"query":null,"detail":[]}}]},"schemaMetadata":{"fields":[{"tags":null},{"tags":null}]},"relationships":{"relationships":[{"provenance":{"run":null}}]}}`,
		},
		{
			`domain(urn: "urn:li:domain:sales") { parentDomains { count domains { urn ... on Domain { properties { name } } } } displayProperties { icon { iconLibrary name style } } }`,
			`{"parentDomains":{"count":1,"domains":[{"urn":"urn:li:domain:shop","properties":{"name":"Shop"}}]},"displayProperties":{"icon":{"iconLibrary":"MATERIAL","name":"Cart","style":"Outlined"}}}`,
		},
		{`glossaryNode(urn: "urn:li:glossaryNode:n") { properties { customProperties { key value } } }`, `{"properties":{"customProperties":[{"key":"a","value":"b"}]}}`},
		{
			`entity(urn: "urn:li:incident:late") { type ... on Incident { incidentType title description priority startedAt created { time } status { state } source { type source { urn } } entity { urn } assignees { ... on CorpUser { urn } } } }`,
			`{"type":"INCIDENT","incidentType":"FRESHNESS","title":"Late","description":"d","priority":"HIGH","startedAt":7,"created":{"time":1},"status":{"state":"ACTIVE"},"source":{"type":"ASSERTION_FAILURE","source":{"urn":"urn:li:assertion:volume"}},"entity":{"urn":"` + orders + `"},"assignees":[{"urn":"urn:li:corpuser:ada"}]}`,
		},
		{`entity(urn: "urn:li:incident:none") { ... on Incident { incidentType entity { urn } status { state } } }`, `{"incidentType":null,"entity":null,"status":null}`},
		{
			`dataset(urn: "` + orders + `") { health { type status message causes } }`,
			`{"health":[{"type":"ASSERTIONS","status":"PASS","message":"All assertions are passing","causes":null},{"type":"INCIDENTS","status":"FAIL","message":"1 of 1 incidents are active","causes":["urn:li:incident:late"]}]}`,
		},
		{
			`entity(urn: "urn:li:document:guide") { type ... on Document { subType platform { name } info { title contents { text semanticText } source { sourceType externalUrl } created { time actor { urn } } customProperties { key value } relatedAssets { asset { urn } } parentDocument { document { urn info { title } } } } settings { showInGlobalContext } } }`,
			`{"type":"DOCUMENT","subType":"Runbook","platform":{"name":"notion"},"info":{"title":"Guide","contents":{"text":"Read me","semanticText":null},"source":{"sourceType":"EXTERNAL","externalUrl":"https://example.com"},"created":{"time":1,"actor":{"urn":"urn:li:corpuser:ada"}},"customProperties":[{"key":"k","value":"v"}],"relatedAssets":[{"asset":{"urn":"` + orders + `"}}],"parentDocument":{"document":{"urn":"urn:li:document:book","info":null}}},"settings":null}`,
		},
		{
			`assertion(urn: "urn:li:assertion:volume") { info { type description source { type } lastUpdated { time } volumeAssertion { type entityUrn rowCountTotal { operator parameters { value { value } } } rowCountChange { type } } fieldAssertion { type } } runEvents { runEvents { result { type severity nativeResults { key value } error { type properties { key value } } } } } }`,
			`{"info":{"type":"VOLUME","description":"Not empty","source":{"type":"NATIVE"},"lastUpdated":{"time":1},"volumeAssertion":{"type":"ROW_COUNT_TOTAL","entityUrn":"` + orders + `","rowCountTotal":{"operator":"GREATER_THAN","parameters":{"value":{"value":"1"}}},"rowCountChange":null},"fieldAssertion":null},"runEvents":{"runEvents":[{"result":{"type":"ERROR","severity":"HIGH","nativeResults":[{"key":"a","value":"b"}],"error":{"type":"SOURCE_QUERY_FAILED","properties":[{"key":"message","value":"no"}]}}}]}}`,
		},
		{
			`assertion(urn: "urn:li:assertion:field") { info { fieldAssertion { type entityUrn fieldMetricAssertion { field { path nativeType } metric operator } fieldValuesAssertion { operator } } } }`,
			`{"info":{"fieldAssertion":{"type":"FIELD_METRIC","entityUrn":"` + orders + `","fieldMetricAssertion":{"field":{"path":"id","nativeType":"int"},"metric":"NULL_COUNT","operator":"EQUAL_TO"},"fieldValuesAssertion":null}}}`,
		},
		{`assertion(urn: "urn:li:assertion:sql") { info { sqlAssertion { type statement operator } } }`, `{"info":{"sqlAssertion":{"type":"METRIC","statement":"SELECT 1","operator":"NOT_EQUAL_TO"}}}`},
		{
			`entity(urn: "urn:li:query:seen") { ... on QueryEntity { platform { name } properties { source origin { urn } customProperties { key } } subjects { dataset { urn } schemaField { urn } } } }`,
			`{"platform":{"name":"hive"},"properties":{"source":"SYSTEM","origin":{"urn":"` + orders + `"},"customProperties":[{"key":"k"}]},"subjects":[{"dataset":{"urn":"` + orders + `"},"schemaField":null},{"dataset":{"urn":"` + orders + `"},"schemaField":{"urn":"` + idColumn + `"}}]}`,
		},
		{
			`listQueries(input: {orFilters: [{and: [{field: "entities", values: ["` + orders + `"]}]}]}) { total queries { urn } }`,
			`{"total":2,"queries":[{"urn":"urn:li:query:typed"},{"urn":"urn:li:query:seen"}]}`,
		},
		{
			`listQueries(input: {source: SYSTEM, orFilters: [{and: [{field: "entities", values: ["` + idColumn + `", "` + orders + `"]}]}]}) { total queries { urn } }`,
			`{"total":1,"queries":[{"urn":"urn:li:query:seen"}]}`,
		},
	} {
		checkAnswer(t, ask(t, h, "{ answer: "+one.query+" }", nil), one.query, one.want)
	}
}

// checkAnswer compares the value of the field "answer" with want.
func checkAnswer(t *testing.T, answer, query, want string) {
	t.Helper()
	var got struct {
		Errors []any
		Data   struct{ Answer any }
	}
	var wanted any
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatalf("%v in %s", err, want)
	}
	if len(got.Errors) > 0 || !reflect.DeepEqual(got.Data.Answer, wanted) {
		t.Errorf("%s\n got %s\nwant %s", query, answer, want)
	}
}

// TestTodaysMutations: structured properties, custom assertions and their results are written.
// A value that its definition does not allow is refused.
func TestTodaysMutations(t *testing.T) {
	c := testcatalog.New(t)
	for _, m := range todaysMetadata {
		if m[1] != "structuredProperties" {
			writeAspect(t, c, m[0], m[1], m[2])
		}
	}
	h := gql.New(gql.Options{Catalog: c})
	set := func(property, values string) string {
		return `upsertStructuredProperties(input: {assetUrn: "` + orders + `", structuredPropertyInputParams: [{structuredPropertyUrn: "` + property + `", values: [` + values + `]}]}) { properties { structuredProperty { urn } values { ... on StringValue { stringValue } ... on NumberValue { numberValue } } } }`
	}
	for _, one := range []struct {
		mutation, want string
		refused        bool
	}{
		{set(retention, `{numberValue: 30}`), `{"properties":[{"structuredProperty":{"urn":"` + retention + `"},"values":[{"numberValue":30}]}]}`, false},
		{set(steward, `{stringValue: "urn:li:corpuser:a"}, {stringValue: "urn:li:corpuser:b"}`), `{"properties":[{"structuredProperty":{"urn":"` + retention + `"},"values":[{"numberValue":30}]},{"structuredProperty":{"urn":"` + steward + `"},"values":[{"stringValue":"urn:li:corpuser:a"},{"stringValue":"urn:li:corpuser:b"}]}]}`, false},
		{set(retention, `{numberValue: 90}`), `{"properties":[{"structuredProperty":{"urn":"` + retention + `"},"values":[{"numberValue":90}]},{"structuredProperty":{"urn":"` + steward + `"},"values":[{"stringValue":"urn:li:corpuser:a"},{"stringValue":"urn:li:corpuser:b"}]}]}`, false},
		{set(retention, `{numberValue: 30}, {numberValue: 90}`), ``, true},
		{set(retention, `{numberValue: 31}`), ``, true},
		{set(retention, `{stringValue: "thirty"}`), ``, true},
		{set(steward, `{stringValue: "a"}`), ``, true},
		{set(retention, `{}`), ``, true},
		{set("urn:li:structuredProperty:none", `{stringValue: "x"}`), ``, true},
		{set("urn:li:tag:pii", `{stringValue: "x"}`), ``, true},
		{
			`removeStructuredProperties(input: {assetUrn: "` + orders + `", structuredPropertyUrns: ["` + retention + `"]}) { properties { structuredProperty { urn } } }`,
			`{"properties":[{"structuredProperty":{"urn":"` + steward + `"}}]}`, false,
		},
		{`removeStructuredProperties(input: {assetUrn: "urn:li:tag:none", structuredPropertyUrns: []}) { properties { values { __typename } } }`, ``, true},
		{
			`upsertCustomAssertion(urn: "urn:li:assertion:mine", input: {entityUrn: "` + orders + `", type: "Freshness", description: "Every day", fieldPath: "id", platform: {name: "monte"}, externalUrl: "https://example.com", operator: BETWEEN, parameters: {minValue: {value: "1", type: NUMBER}}, nativeParameters: [{key: "a", value: "b"}], logic: "x"}) { urn platform { name } info { type description externalUrl source { type } customAssertion { type entityUrn field { path } operator parameters { minValue { value } } nativeParameters { key value } logic } } }`,
			`{"urn":"urn:li:assertion:mine","platform":{"name":"monte"},"info":{"type":"CUSTOM","description":"Every day","externalUrl":"https://example.com","source":{"type":"EXTERNAL"},"customAssertion":{"type":"Freshness","entityUrn":"` + orders + `","field":{"path":"id"},"operator":"BETWEEN","parameters":{"minValue":{"value":"1"}},"nativeParameters":[{"key":"a","value":"b"}],"logic":"x"}}}`, false,
		},
		{`upsertCustomAssertion(input: {entityUrn: "` + orders + `", type: "t", description: "d", platform: {}}) { urn }`, ``, true},
		{`upsertCustomAssertion(input: {entityUrn: "urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)", type: "t", description: "d", platform: {name: "x"}}) { urn }`, ``, true},
		{`reportAssertionResult(urn: "urn:li:assertion:mine", result: {timestampMillis: 5, type: ERROR, severity: LOW, externalUrl: "https://example.com/5", properties: [{key: "rows", value: "7"}], error: {type: UNKNOWN_ERROR, message: "no"}})`, `true`, false},
		{`reportAssertionResult(urn: "urn:li:assertion:none", result: {type: SUCCESS})`, ``, true},
	} {
		answer := ask(t, h, "mutation { answer: "+one.mutation+" }", nil)
		if !one.refused {
			checkAnswer(t, answer, one.mutation, one.want)
			continue
		}
		var got struct{ Errors []any }
		if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Errors) == 0 {
			t.Errorf("%s is not refused: %s", one.mutation, answer)
		}
	}
	read := `dataset(urn: "` + orders + `") { assertions { assertions { urn runEvents { runEvents { timestampMillis asserteeUrn result { type severity externalUrl nativeResults { value } error { properties { value } } } } } } } }`
	var found struct {
		Data struct {
			Answer struct {
				Assertions struct{ Assertions []map[string]json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal([]byte(ask(t, h, "{ answer: "+read+" }", nil)), &found); err != nil {
		t.Fatal(err)
	}
	for _, a := range found.Data.Answer.Assertions.Assertions {
		if string(a["urn"]) == `"urn:li:assertion:mine"` {
			want := `{"runEvents":[{"timestampMillis":5,"asserteeUrn":"` + orders + `","result":{"type":"ERROR","severity":"LOW","externalUrl":"https://example.com/5","nativeResults":[{"value":"7"}],"error":{"properties":[{"value":"no"}]}}}]}`
			if string(a["runEvents"]) != want {
				t.Errorf("the reported result\n got %s\nwant %s", a["runEvents"], want)
			}
			return
		}
	}
	t.Error("the dataset does not have its custom assertion")
}

// columnLineage makes three tables, a → b → c, each with a column x; the table c
// also has a column y that derives from a.x.
func columnLineage(t *testing.T, c *services.Services) (table func(string) string, column func(string, string) string) {
	t.Helper()
	table = func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	column = func(name, path string) string { return "urn:li:schemaField:(" + table(name) + "," + path + ")" }
	edge := func(from, to, query string) string {
		return `{"upstreamType":"FIELD_SET","upstreams":["` + from + `"],"downstreamType":"FIELD","downstreams":["` + to + `"],"query":"` + query + `"}`
	}
	for _, name := range []string{"a", "b", "c"} {
		writeAspect(t, c, table(name), "datasetProperties", `{"name":"`+name+`"}`)
	}
	writeAspect(t, c, table("b"), "upstreamLineage", `{"upstreams":[{"dataset":"`+table("a")+`","type":"TRANSFORMED","query":"urn:li:query:ab"}],"fineGrainedLineages":[`+edge(column("a", "x"), column("b", "x"), "urn:li:query:ab")+`]}`)
	writeAspect(t, c, table("c"), "upstreamLineage", `{"upstreams":[{"dataset":"`+table("b")+`","type":"TRANSFORMED"}],"fineGrainedLineages":[`+edge(column("b", "x"), column("c", "x"), "urn:li:query:bc")+`,`+edge(column("a", "x"), column("c", "y"), "urn:li:query:ac")+`]}`)
	awaitIndex(t, c)
	return table, column
}

// TestTodaysLineage: results are columns, or datasets to which columns are grouped. Degrees are
// filtered, and paths have the queries of their edges.
func TestTodaysLineage(t *testing.T) {
	c := testcatalog.New(t)
	table, column := columnLineage(t, c)
	h := gql.New(gql.Options{Catalog: c})
	keep := `searchFlags: {groupingSpec: {groupingCriteria: {baseEntityType: SCHEMA_FIELD, groupingEntityType: SCHEMA_FIELD}}}`
	degrees := func(values string) string {
		return `orFilters: [{and: [{field: "degree", condition: EQUAL, values: [` + values + `]}]}]`
	}
	search := func(urn, more string) string {
		return `searchAcrossLineage(input: {urn: "` + urn + `", direction: DOWNSTREAM, query: "*", ` + more + `}) { total searchResults { degree entity { urn type } } }`
	}
	scroll := func(urn, more string) string {
		return `scrollAcrossLineage(input: {urn: "` + urn + `", direction: DOWNSTREAM, count: 50, types: null, ` + more + `}) { nextScrollId total searchResults { degree entity { urn type } } }`
	}
	hit := func(degree int, urn, kind string) string {
		return fmt.Sprintf(`{"degree":%d,"entity":{"urn":"%s","type":"%s"}}`, degree, urn, kind)
	}
	start := column("a", "x")
	for _, one := range []struct{ query, want string }{
		{
			search(start, degrees(`"1", "2", "3+"`)+", "+keep),
			`{"total":3,"searchResults":[` + hit(1, column("b", "x"), "SCHEMA_FIELD") + `,` + hit(1, column("c", "y"), "SCHEMA_FIELD") + `,` + hit(2, column("c", "x"), "SCHEMA_FIELD") + `]}`,
		},
		{
			search(start, degrees(`"2"`)+", "+keep),
			`{"total":1,"searchResults":[` + hit(2, column("c", "x"), "SCHEMA_FIELD") + `]}`,
		},
		{
			scroll(start, degrees(`"1", "2", "3+"`)+", "+keep),
			`{"nextScrollId":null,"total":2,"searchResults":[` + hit(1, table("b"), "DATASET") + `,` + hit(1, table("c"), "DATASET") + `]}`,
		},
		{
			`scrollAcrossLineage(input: {urn: "` + start + `", direction: DOWNSTREAM, count: 1, scrollId: "1", types: [SCHEMA_FIELD]}) { nextScrollId total searchResults { degree entity { urn type } } }`,
			`{"nextScrollId":"2","total":3,"searchResults":[` + hit(1, column("c", "y"), "SCHEMA_FIELD") + `]}`,
		},
		{
			`searchAcrossLineage(input: {urn: "` + start + `", direction: DOWNSTREAM, query: "c"}) { total searchResults { degree explored ignoredAsHop truncatedChildren extraProperties { name } entity { urn } paths { path { urn type } } } }`,
			`{"total":1,"searchResults":[{"degree":1,"explored":true,"ignoredAsHop":false,"truncatedChildren":false,"extraProperties":null,"entity":{"urn":"` + table("c") + `"},"paths":[` +
				`{"path":[{"urn":"` + start + `","type":"SCHEMA_FIELD"},{"urn":"urn:li:query:ac","type":"QUERY"},{"urn":"` + column("c", "y") + `","type":"SCHEMA_FIELD"}]},` +
				`{"path":[{"urn":"` + start + `","type":"SCHEMA_FIELD"},{"urn":"urn:li:query:ab","type":"QUERY"},{"urn":"` + column("b", "x") + `","type":"SCHEMA_FIELD"},{"urn":"urn:li:query:bc","type":"QUERY"},{"urn":"` + column("c", "x") + `","type":"SCHEMA_FIELD"}]}]}]}`,
		},
		{
			`searchAcrossLineage(input: {urn: "` + table("c") + `", direction: UPSTREAM, query: "*", maxHops: 2, lineageFlags: {startTimeMillis: null, entitiesExploredPerHopLimit: 10}, ` + degrees(`"2"`) + `}) { total searchResults { degree explored entity { urn } paths { path { urn } } } }`,
			`{"total":1,"searchResults":[{"degree":2,"explored":false,"entity":{"urn":"` + table("a") + `"},"paths":[{"path":[{"urn":"` + table("c") + `"},{"urn":"` + table("b") + `"},{"urn":"urn:li:query:ab"},{"urn":"` + table("a") + `"}]}]}]}`,
		},
	} {
		checkAnswer(t, ask(t, h, "{ answer: "+one.query+" }", nil), one.query, one.want)
	}
}

// TestTodaysSearch: orders, flags and facets of today's searches.
func TestTodaysSearch(t *testing.T) {
	c := testcatalog.New(t)
	for i, name := range []string{"a", "b", "c"} {
		urn := "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)"
		writeAspect(t, c, urn, "datasetProperties", fmt.Sprintf(`{"name":"n%s","lastModified":{"time":%d}}`, name, 10-i))
		writeAspect(t, c, urn, "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"},{"tag":"urn:li:tag:`+name+`"}]}`)
	}
	writeAspect(t, c, "urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)", "status", `{"removed":true}`)
	writeAspect(t, c, "urn:li:tag:pii", "tagProperties", `{"name":"Personal"}`)
	writeAspect(t, c, "urn:li:incident:late", "incidentInfo", `{"type":"FRESHNESS","entities":[],"status":{"state":"ACTIVE","lastUpdated":`+actorStamp+`},"created":`+actorStamp+`}`)
	writeAspect(t, c, "urn:li:domain:shop", "domainProperties", `{"name":"Shop"}`)
	writeAspect(t, c, "urn:li:domain:sales", "domainProperties", `{"name":"Sales","parentDomain":"urn:li:domain:shop"}`)
	writeAspect(t, c, "urn:li:domain:web", "domainProperties", `{"name":"Web","parentDomain":"urn:li:domain:sales"}`)
	for name, domain := range map[string]string{"a": "web", "c": "shop"} {
		writeAspect(t, c, "urn:li:dataset:(urn:li:dataPlatform:hive,"+name+",PROD)", "domains", `{"domains":["urn:li:domain:`+domain+`"]}`)
	}
	writeAspect(t, c, "urn:li:structuredProperty:until", "propertyDefinition", `{"qualifiedName":"until","displayName":"Keep until","valueType":"urn:li:dataType:datahub.date","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	writeAspect(t, c, "urn:li:structuredProperty:keeper", "propertyDefinition", `{"qualifiedName":"keeper","valueType":"urn:li:dataType:datahub.urn","entityTypes":[]}`)
	for name, until := range map[string]string{"a": "2026-12-31", "c": "2027-12-31"} {
		writeAspect(t, c, "urn:li:dataset:(urn:li:dataPlatform:hive,"+name+",PROD)", "structuredProperties", `{"properties":[{"propertyUrn":"urn:li:structuredProperty:until","values":[{"string":"`+until+`"}]},{"propertyUrn":"urn:li:structuredProperty:keeper","values":[{"string":"urn:li:domain:shop"}]}]}`)
	}
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	in := func(condition, domain string) string {
		return `searchAcrossEntities(input: {types: [DATASET], query: "*", orFilters: [{and: [{field: "domains", condition: ` + condition + `, values: ["urn:li:domain:` + domain + `"]}]}], sortInput: {sortCriterion: {field: "urn", sortOrder: ASCENDING}}}) { total searchResults { entity { urn } } }`
	}
	urns := func(names ...string) string {
		text := ""
		for i, name := range names {
			if i > 0 {
				text += ","
			}
			text += `{"entity":{"urn":"urn:li:dataset:(urn:li:dataPlatform:hive,` + name + `,PROD)"}}`
		}
		return text
	}
	const found = `{ total searchResults { entity { urn } } }`
	for _, one := range []struct{ query, want string }{
		{`searchAcrossEntities(input: {types: [DATASET], query: "*", sortInput: {sortCriteria: [{field: "urn", sortOrder: DESCENDING}]}}) ` + found, `{"total":2,"searchResults":[` + urns("c", "a") + `]}`},
		{`scrollAcrossEntities(input: {types: [DATASET], query: "*", sortInput: {sortCriterion: {field: "lastModifiedAt", sortOrder: ASCENDING}}, searchFlags: {includeSoftDeleted: true}}) ` + found, `{"total":3,"searchResults":[` + urns("c", "b", "a") + `]}`},
		{`searchAcrossEntities(input: {types: [DATASET], query: "*", sortInput: null, searchFlags: {includeSoftDeleted: null, filterNonLatestVersions: true}}) { total }`, `{"total":2}`},
		{`searchAcrossEntities(input: {types: null, query: "*", orFilters: [{and: [{field: "_entityType", values: ["INCIDENT"]}]}]}) ` + found, `{"total":1,"searchResults":[{"entity":{"urn":"urn:li:incident:late"}}]}`},
		{`searchAcrossEntities(input: {types: null, query: "*", orFilters: [{and: [{field: "_entityType", values: ["TAG"], negated: true}]}]}) { total }`, `{"total":5}`},
		{in("EQUAL", "shop"), `{"total":1,"searchResults":[` + urns("c") + `]}`},
		{in("DESCENDANTS_INCL", "shop"), `{"total":2,"searchResults":[` + urns("a", "c") + `]}`},
		{in("DESCENDANTS_INCL", "sales"), `{"total":1,"searchResults":[` + urns("a") + `]}`},
		{in("ANCESTORS_INCL", "sales"), `{"total":1,"searchResults":[` + urns("c") + `]}`},
		{in("RELATED_INCL", "sales"), `{"total":2,"searchResults":[` + urns("a", "c") + `]}`},
		{
			`searchAcrossEntities(input: {types: [TAG], query: "*", orFilters: [{and: [{field: "name", condition: IEQUAL, values: ["PERSONAL"]}]}]}) { total }`, `{"total":1}`,
		},
		{
			`aggregateAcrossEntities(input: {types: [DATASET], query: "*", facets: ["tags"], searchFlags: {maxAggValues: 1}}) { facets { aggregations { value displayName count } } }`,
			`{"facets":[{"aggregations":[{"value":"urn:li:tag:pii","displayName":"Personal","count":2}]}]}`,
		},
		{
			`searchAcrossEntities(input: {types: [DATASET], query: "*", orFilters: [{and: [{field: "structuredProperties.until", condition: GREATER_THAN, values: ["2026-12-31"]}]}]}) ` + found,
			`{"total":1,"searchResults":[` + urns("c") + `]}`,
		},
		{
			`aggregateAcrossEntities(input: {types: [DATASET], query: "*", facets: ["structuredProperties.until", "structuredProperties.keeper"]}) { facets { field displayName aggregations { value displayName count entity { urn } } } }`,
			`{"facets":[{"field":"structuredProperties.until","displayName":"Keep until","aggregations":[{"value":"2026-12-31","displayName":"2026-12-31","count":1,"entity":null},{"value":"2027-12-31","displayName":"2027-12-31","count":1,"entity":null}]},` +
				`{"field":"structuredProperties.keeper","displayName":"keeper","aggregations":[{"value":"urn:li:domain:shop","displayName":"Shop","count":2,"entity":{"urn":"urn:li:domain:shop"}}]}]}`,
		},
		{
			`searchAcrossEntities(input: {types: [DATASET], query: "na", searchFlags: {customHighlightingFields: ["description"]}}) { searchResults { matchedFields { name } extraProperties { name } } }`,
			`{"searchResults":[{"matchedFields":[],"extraProperties":null}]}`,
		},
	} {
		checkAnswer(t, ask(t, h, "{ answer: "+one.query+" }", nil), one.query, one.want)
	}
	if answer := ask(t, h, `{ searchAcrossEntities(input: {query: "*", sortInput: {sortCriteria: [{field: "urn", sortOrder: ASCENDING}, {field: "urn", sortOrder: ASCENDING}, {field: "urn", sortOrder: ASCENDING}]}}) { total } }`, nil); !json.Valid([]byte(answer)) || len(answer) < 20 || answer[2:8] != "errors" {
		t.Errorf("three fields to sort by: %s", answer)
	}
}
