package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/model"
)

// TestGraphQL tests every operation of the GraphQL interface, its effect and its failure,
// in both dialects and on both kinds of server.
func TestGraphQL(t *testing.T) {
	for _, b := range backends() {
		for _, d := range []model.Dialect{model.LI(), model.Example()} {
			t.Run(b.name+" "+d.Name, func(t *testing.T) {
				flags := b.flags(t)
				s := start(t, flags...)
				c := &graphClient{dialectClient: &dialectClient{server: s, t: t, d: d}, worked: map[string]bool{}, failed: map[string]bool{}}
				c.setUp()
				for _, step := range slices.Concat(graphSteps, entitySteps, pageSteps, clientSteps) {
					c.step(step)
				}
				c.badRun()
				c.awaitIndex(time.Minute)
				for _, step := range detailSteps {
					c.step(step)
				}
				c.seeElsewhere()
				if b.name != "embedded" {
					seeInNeo4j(t, flags[1])
				}
				c.checkCovered()
				s.stop()
			})
		}
	}
}

// graphClient sends GraphQL requests, and remembers which operations have worked and
// failed.
type graphClient struct {
	*dialectClient
	worked, failed map[string]bool
}

// graphStep is a request and its expected answer: the value of its only operation, with *
// for any value, or otherwise the code of the error.
type graphStep struct {
	query string
	want  string
	code  int
}

// graphNames has the URNs that @name stands for in the steps, as GraphQL strings.
var graphNames = map[string]string{
	"orders": "dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD)", "raw": "dataset:(urn:<ns>:dataPlatform:hive,gql.raw,PROD)",
	"customers": "dataset:(urn:<ns>:dataPlatform:hive,gql.customers,PROD)", "nodataset": "dataset:(urn:<ns>:dataPlatform:hive,gql.none,PROD)",
	"chart": "chart:(looker,gql1)", "dashboard": "dashboard:(looker,gql1)", "flow": "dataFlow:(airflow,gql,PROD)",
	"job": "dataJob:(urn:<ns>:dataFlow:(airflow,gql,PROD),load)", "job2": "dataJob:(urn:<ns>:dataFlow:(airflow,gql,PROD),clean)",
	"announced": "announcedChange:pr-212100140d8956ec2e2b", "container": "container:gqldb", "inner": "container:gqlschema", "ada": "corpuser:gqlada", "bob": "corpuser:gqlbob", "nobody": "corpuser:gqlnobody", "system": "corpuser:__datahub_system",
	"group": "corpGroup:gqlteam", "newgroup": "corpGroup:gqlnew", "nogroup": "corpGroup:gqlnone", "pii": "tag:gqlpii", "old": "tag:gqlold", "notag": "tag:gqlnone",
	"newtag": "tag:gqlnewtag", "revenue": "glossaryTerm:gqlrevenue", "money": "glossaryTerm:gqlmoney", "noterm": "glossaryTerm:gqlnone",
	"finance": "glossaryNode:gqlfinance", "sub": "glossaryNode:gqlsub", "nonode": "glossaryNode:gqlnone", "sales": "domain:gqlsales", "nodomain": "domain:gqlnone", "retail": "domain:gqlretail",
	"product": "dataProduct:gqlproduct", "assertion": "assertion:gqlassert", "notebook": "notebook:(querybook,gql)", "test": "test:gqltest",
	"model": "mlModel:(urn:<ns>:dataPlatform:mlflow,gql,PROD)", "modelgroup": "mlModelGroup:(urn:<ns>:dataPlatform:mlflow,gql,PROD)",
	"feature": "mlFeature:(gql,age)", "table": "mlFeatureTable:(urn:<ns>:dataPlatform:feast,gql)", "key": "mlPrimaryKey:(gql,id)",
	"hive": "dataPlatform:hive", "view": "dataHubView:gqlview", "noview": "dataHubView:gqlnone", "owntype": "ownershipType:gqlown", "notype": "ownershipType:gqlnone",
	"property": "structuredProperty:gqlproperty", "checked": "assertion:gqlchecked",
	"noassertion": "assertion:gqlnone", "nochart": "chart:(looker,gqlnone)", "market": "domain:gqlmarket", "product2": "dataProduct:gqlother",
	"noproduct": "dataProduct:gqlnone", "saved": "query:gqlquery", "nosaved": "query:gqlnone", "post": "post:gqlpost", "nopost": "post:gqlnone",
	"incident": "incident:gqlincident", "noincident": "incident:gqlnone", "app": "application:gqlapp", "noapp": "application:gqlnone",
	"guide": "document:gqlguide", "book": "document:gqlbook", "nodoc": "document:gqlnone", "attribute": "businessAttribute:gqlkey", "noattribute": "businessAttribute:gqlnone",
	"contract": "dataContract:gqlcontract", "tier": "structuredProperty:gqltier", "noproperty": "structuredProperty:gqlnone", "form": "form:gqlform", "noform": "form:gqlnone",
	"idcolumn": "schemaField:(urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD),id)", "removed": "dataset:(urn:<ns>:dataPlatform:hive,gql.removed,PROD)",
	"texts": "dataType:datahub.string", "ofdatasets": "entityType:datahub.dataset", "ofcolumns": "entityType:datahub.schemaField",
	"run": "dataHubExecutionRequest:gqlrun", "asked": "dataHubExecutionRequest:gqlasked", "nosource": "dataHubIngestionSource:gqlnone", "versions": "versionSet:(gql,dataset)", "connection": "dataHubConnection:gql", "dynamic": "form:gqldynamic",
	"source": "dataHubIngestionSource:gql", "keeper": "ownershipType:gqlkeeps", "newtest": "test:gqlnew", "notest": "test:gqlnone", "undone": "dataset:(urn:<ns>:dataPlatform:hive,gql.undone,PROD)", "role": "dataHubRole:gqlrole", "policy": "dataHubPolicy:gqlpolicy", "token": "dataHubAccessToken:gqltoken",
}

func (c *graphClient) named(name string) string { return c.spell("urn:<ns>:" + graphNames[name]) }

var atName = regexp.MustCompile(`@([a-z0-9]+)`)

// fill replaces names by URNs.
func (c *graphClient) fill(text string) string {
	return atName.ReplaceAllStringFunc(c.spell(text), func(name string) string {
		quoted, err := json.Marshal(c.named(name[1:]))
		if err != nil || graphNames[name[1:]] == "" {
			c.t.Fatalf("%s: %v", name, err)
		}
		return string(quoted)
	})
}

func (c *graphClient) setUp() {
	for _, p := range [][3]string{
		{"orders", "datasetProperties", `{"name":"Orders","description":"Every order","customProperties":{"a":"1"}}`},
		{"orders", "schemaMetadata", `{"schemaName":"orders","platform":"urn:<ns>:dataPlatform:hive","version":0,"hash":"","platformSchema":{"<prefix>.schema.OtherSchema":{"rawSchema":"x"}},"fields":[{"fieldPath":"id","description":"The key","nativeDataType":"bigint","type":{"type":{"<prefix>.schema.NumberType":{}}}},{"fieldPath":"customer.name","nativeDataType":"string","type":{"type":{"<prefix>.schema.StringType":{}}}}]}`},
		{"orders", "upstreamLineage", `{"upstreams":[{"dataset":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.raw,PROD)","type":"TRANSFORMED"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["urn:<ns>:schemaField:(urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.raw,PROD),id)"],"downstreams":["urn:<ns>:schemaField:(urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD),id)"]}]}`},
		{"orders", "browsePathsV2", `{"path":[{"id":"urn:<ns>:container:gqldb","urn":"urn:<ns>:container:gqldb"}]}`},
		{"orders", "datasetProfile", `{"timestampMillis":1700000000000,"rowCount":5}`},
		{"orders", "datasetUsageStatistics", `{"timestampMillis":1700000000000,"eventGranularity":{"unit":"DAY","multiple":1},"totalSqlQueries":4,"userCounts":[{"user":"urn:<ns>:corpuser:gqlada","count":4}]}`},
		{"orders", "container", `{"container":"urn:<ns>:container:gqlschema"}`},
		{"raw", "datasetProperties", `{"name":"Raw orders","description":"As they come"}`},
		{"customers", "datasetProperties", `{"name":"Customers"}`},
		{"chart", "chartInfo", `{"title":"Sales","description":"d","lastModified":{}}`},
		{"dashboard", "dashboardInfo", `{"title":"Board","description":"d","lastModified":{}}`},
		{"flow", "dataFlowInfo", `{"name":"Load all"}`},
		{"job", "dataJobInfo", `{"name":"Load","type":{"string":"SQL"}}`},
		{"job2", "dataJobInfo", `{"name":"Clean","type":{"string":"SQL"}}`},
		{"container", "containerProperties", `{"name":"shop"}`},
		{"inner", "containerProperties", `{"name":"public"}`},
		{"inner", "container", `{"container":"urn:<ns>:container:gqldb"}`},
		{"ada", "corpUserInfo", `{"active":true,"displayName":"Ada","email":"ada(at)example.com"}`},
		{"bob", "corpUserInfo", `{"active":true,"displayName":"Bob"}`},
		{"group", "corpGroupInfo", `{"displayName":"Team","admins":[],"members":[],"groups":[]}`},
		{"pii", "tagProperties", `{"name":"PII","description":"Personal"}`},
		{"old", "tagProperties", `{"name":"Old"}`},
		{"revenue", "glossaryTermInfo", `{"name":"Revenue","definition":"Money in","termSource":"INTERNAL"}`},
		{"money", "glossaryTermInfo", `{"name":"Money","definition":"Means","termSource":"INTERNAL"}`},
		{"product", "dataProductProperties", `{"name":"Sales data","assets":[{"destinationUrn":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD)"}]}`},
		{"assertion", "assertionInfo", `{"type":"DATASET","datasetAssertion":{"dataset":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD)","scope":"DATASET_ROWS","operator":"BETWEEN"}}`},
		{"assertion", "assertionRunEvent", `{"timestampMillis":1700000000000,"runId":"r1","assertionUrn":"urn:<ns>:assertion:gqlassert","asserteeUrn":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD)","status":"COMPLETE","result":{"type":"FAILURE","rowCount":3}}`},
		{"notebook", "notebookInfo", `{"title":"Notes","changeAuditStamps":{}}`},
		{"test", "testInfo", `{"name":"T","category":"C","definition":{"type":"JSON","json":"{}"}}`},
		{"model", "mlModelProperties", `{"description":"m"}`},
		{"modelgroup", "mlModelGroupProperties", `{"description":"g"}`},
		{"feature", "mlFeatureProperties", `{"description":"f"}`},
		{"table", "mlFeatureTableProperties", `{"description":"t"}`},
		{"key", "mlPrimaryKeyProperties", `{"description":"k","sources":[]}`},
		{"hive", "dataPlatformInfo", `{"name":"hive","displayName":"Hive","type":"FILE_SYSTEM","datasetNameDelimiter":"."}`},
		{"view", "dataHubViewInfo", `{"name":"Raw only","type":"GLOBAL","definition":{"entityTypes":["dataset"],"filter":{"or":[{"and":[{"field":"name","value":"","values":["Raw orders"],"condition":"EQUAL"}]}]}},"created":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"},"lastModified":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"}}`},
		{"product2", "dataProductProperties", `{"name":"Other","assets":[{"destinationUrn":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.customers,PROD)"}]}`},
		{"saved", "queryProperties", `{"statement":{"value":"SELECT 1"},"source":"MANUAL","name":"One","created":{"time":1,"actor":"urn:<ns>:corpuser:gqlada"},"lastModified":{"time":1,"actor":"urn:<ns>:corpuser:gqlada"}}`},
		{"saved", "querySubjects", `{"subjects":[{"entity":"urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD)"},{"entity":"urn:<ns>:schemaField:(urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.orders,PROD),id)"}]}`},
		{"post", "postInfo", `{"type":"HOME_PAGE_ANNOUNCEMENT","content":{"title":"Gqlold","type":"TEXT"},"created":1,"lastModified":1}`},
		{"role", "dataHubRoleInfo", `{"name":"Gqlrole","description":"Reads"}`},
		{"policy", "dataHubPolicyInfo", `{"displayName":"Gqlpolicy","description":"d","type":"METADATA","state":"ACTIVE","privileges":["EDIT_ENTITY"],"actors":{"users":["urn:<ns>:corpuser:gqlada"],"roles":["urn:<ns>:dataHubRole:gqlrole"],"allGroups":true}}`},
		{"token", "dataHubAccessTokenInfo", `{"name":"Gqltoken","actorUrn":"urn:<ns>:corpuser:gqlada","ownerUrn":"urn:<ns>:corpuser:gqlada","createdAt":5}`},
		{"property", "propertyDefinition", `{"qualifiedName":"gqlproperty","valueType":"urn:<ns>:dataType:datahub.string","entityTypes":["urn:<ns>:entityType:datahub.dataset"]}`},
		{"incident", "incidentInfo", `{"type":"SQL","title":"Old","entities":["urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,gql.customers,PROD)"],"status":{"state":"ACTIVE","lastUpdated":{"time":1,"actor":"urn:<ns>:corpuser:gqlada"}},"created":{"time":1,"actor":"urn:<ns>:corpuser:gqlada"}}`},
		{"removed", "status", `{"removed":true}`},
		{"keeper", "ownershipTypeInfo", `{"name":"Gqlholder","created":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"},"lastModified":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"}}`},
		{"source", "dataHubIngestionSourceInfo", `{"name":"Gql","type":"file","config":{"recipe":"{}"}}`},
		{"asked", "dataHubExecutionRequestInput", `{"task":"TEST_CONNECTION","args":{},"executorId":"default","source":{"type":"MANUAL_TEST_CONNECTION"},"requestedAt":1}`},
		{"run", "dataHubExecutionRequestInput", `{"task":"RUN_INGEST","args":{},"executorId":"default","source":{"type":"CLI","ingestionSource":"urn:<ns>:dataHubIngestionSource:gql"},"requestedAt":1}`},
		{"run", "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":7}`},
		{"connection", "dataHubConnectionDetails", `{"type":"JSON","name":"Gql"}`},
		{"owntype", "ownershipTypeInfo", `{"name":"Custodian","created":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"},"lastModified":{"time":0,"actor":"urn:<ns>:corpuser:gqlada"}}`},
	} {
		c.propose(http.StatusOK, "UPSERT", "urn:<ns>:"+graphNames[p[0]], p[1], p[2])
	}
	c.awaitIndex(time.Minute)
}

// ask sends a query in Ada's name.
func (c *graphClient) ask(query string) (errors []any, data map[string]any) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		c.t.Fatal(err)
	}
	status, answer := c.send(http.MethodPost, "/api/graphql", string(body), "X-DataHub-Actor", c.named("ada"))
	envelope, ok := answer.(map[string]any)
	_, hasData := envelope["data"]
	if extensions, _ := envelope["extensions"].(map[string]any); status != http.StatusOK || !ok || !hasData || extensions == nil || len(extensions) != 0 {
		c.t.Fatalf("%s: %d %v", query, status, answer)
	}
	errors, _ = envelope["errors"].([]any)
	data, _ = envelope["data"].(map[string]any)
	return errors, data
}

// codeKinds has the kinds of errors by their codes.
var codeKinds = map[int]string{400: "BAD_REQUEST", 404: "NOT_FOUND", 409: "CONFLICT"}

func (c *graphClient) step(s graphStep) {
	c.t.Helper()
	query := c.fill(s.query)
	errors, data := c.ask(query)
	operation := operationIn(s.query)
	if s.code != 0 {
		code, _ := at(errors, 0, "extensions", "code").(float64)
		if int(code) != s.code || data[operation] != nil || at(errors, 0, "extensions", "type") != codeKinds[s.code] ||
			at(errors, 0, "message") == "" || at(errors, 0, "path", 0) != operation {
			c.t.Errorf("%s: should fail with %d: %v %v", query, s.code, errors, data)
		}
		c.failed[operation] = true
		return
	}
	c.worked[operation] = true
	if len(errors) > 0 {
		c.t.Errorf("%s: %v", query, errors)
		return
	}
	if s.want == "*" && data[operation] != nil {
		return
	}
	var want any
	if err := json.Unmarshal([]byte(c.fill(s.want)), &want); err != nil {
		c.t.Fatalf("%s: %v", s.want, err)
	}
	if got := text(data[operation]); got != text(want) {
		c.t.Errorf("%s:\n got %s\nwant %s", query, got, text(want))
	}
}

var operationName = regexp.MustCompile(`\{\s*(\w+)`)

// operationIn returns the name of a request's only operation.
func operationIn(query string) string { return operationName.FindStringSubmatch(query)[1] }

// seeElsewhere reads over REST the metadata that the steps have written over GraphQL.
func (c *graphClient) seeElsewhere() {
	aspects := at(c.want(http.StatusOK, http.MethodGet, "/entitiesV2/"+url.PathEscape(c.named("orders")), ""), "aspects")
	for _, check := range []struct {
		path []any
		want any
	}{
		{[]any{"editableSchemaMetadata", "value", "editableSchemaFieldInfo", 0, "description"}, "**Who** ordered\n\n* one\n* two"},
		{[]any{"globalTags", "value", "tags", 0, "tag"}, c.named("old")},
		{[]any{"ownership", "value", "owners", 0, "owner"}, c.named("bob")},
		{[]any{"ownership", "value", "owners", 0, "source", "type"}, "MANUAL"},
		{[]any{"ownership", "created", "actor"}, c.named("ada")},
		{[]any{"upstreamLineage", "value", "upstreams", 1, "properties", "source"}, "UI"},
		{[]any{"institutionalMemory", "value", "elements", 0, "url"}, "https://example.com/runbook"},
	} {
		if got := at(aspects, check.path...); got != check.want {
			c.t.Errorf("%v over REST: %v, want %v", check.path, got, check.want)
		}
	}
	for path, want := range map[string]string{"/api/graphiql": "GraphiQL", "/restli/docs": "/api/graphql"} {
		if status, page := c.send(http.MethodGet, path, ""); status != http.StatusOK || !strings.Contains(fmt.Sprint(page), want) {
			c.t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := c.send(http.MethodGet, "/api/graphql", ""); status != http.StatusMethodNotAllowed {
		c.t.Errorf("GET /api/graphql: %d", status)
	}
	status, _ := c.send(http.MethodGet, "/entities/"+url.PathEscape(c.named("nodataset")), "")
	if status != http.StatusNotFound {
		c.t.Errorf("what failed left something behind: %d", status)
	}
	if found := c.action("search", fmt.Sprintf(`{"input":"*","entity":"dataset","start":0,"count":10,"filter":{"or":[{"and":[{"field":"tags","value":%q,"condition":"EQUAL"}]}]}}`, c.named("old"))); at(found, "numEntities") != 1.0 {
		c.t.Errorf("the tagged dataset is found %v times", at(found, "numEntities"))
	}
}

// seeInNeo4j reads in Neo4j, as an analyst does, the metadata that the steps have written
// over GraphQL.
func seeInNeo4j(t *testing.T, uri string) {
	for _, query := range []string{
		`MATCH (d:Dataset {name: 'Orders'})-[:OwnedBy]->(u:Corpuser) WHERE u.urn ENDS WITH 'gqlbob' RETURN d.urn AS urn`,
		`MATCH (d:Dataset {name: 'Orders'})-[:TaggedWith]->(t:Tag) WHERE t.urn ENDS WITH 'gqlold' RETURN d.urn AS urn`,
		`MATCH (d:Dataset {name: 'Orders'})-[r:DownstreamOf]->(u:Dataset {name: 'Customers'}) RETURN d.urn AS urn`,
	} {
		if rows := cypher(t, uri, query); len(rows) != 1 {
			t.Errorf("%s: %v", query, rows)
		}
	}
}

// neverFail are operations that fail for no input.
var neverFail = []string{
	"me", "appConfig", "getEntityCounts", "globalViewsSettings", "updateUserSetting", "listRecommendations",
	"isAnalyticsEnabled", "getAnalyticsCharts", "getMetadataAnalyticsCharts", "getHighlights",
	"ingestionForms", "ingestionForm", "ingestionRecipeProblems", "listLifecycleStages", "createServiceAccount", "docPropagationSettings", "globalHomePageSettings", "updateDocPropagationSettings", "updateApplicationsSettings",
}

// checkCovered compares the tried operations with those in the schema.
func (c *graphClient) checkCovered() {
	_, data := c.ask(`{ __schema { queryType { fields { name } } mutationType { fields { name } } } }`)
	known := map[string]bool{}
	for _, kind := range []string{"queryType", "mutationType"} {
		fields, _ := at(data["__schema"], kind, "fields").([]any)
		for _, f := range fields {
			name, _ := at(f, "name").(string)
			known[name] = true
			if c.worked[name] == slices.Contains(neverWork, name) || !c.failed[name] && !slices.Contains(neverFail, name) {
				c.t.Errorf("%s is not tried (worked %v, failed %v)", name, c.worked[name], c.failed[name])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.worked)) {
		if !known[name] {
			c.t.Errorf("%s is not in the schema", name)
		}
	}
	if len(known) < 90 || strings.TrimSpace(c.named("orders")) == "" {
		c.t.Errorf("%d operations", len(known))
	}
}
