package gql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// loadSchema reads the schema from its source files.
func loadSchema(t *testing.T) *ast.Schema {
	t.Helper()
	paths, err := filepath.Glob("generated/schema/*.graphql")
	if err != nil || len(paths) == 0 {
		t.Fatal("no schema", err)
	}
	var sources []*ast.Source
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: path, Input: string(text)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// arguments are the arguments for fields that require arguments.
var arguments = map[string]string{
	"relationships":    `(input: {types: [], direction: OUTGOING, count: 5})`,
	"lineage":          `(input: {direction: UPSTREAM, count: 5})`,
	"runs":             `(direction: INCOMING)`,
	"relatedDocuments": `(input: {count: 5})`,
	"versionsSearch":   `(input: {query: "*", count: 5})`,
}

// everything selects all fields of a type, down to a depth.
func everything(schema *ast.Schema, def *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString("{ __typename")
	for _, f := range def.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		below := schema.Types[f.Type.Name()]
		call := ""
		if given, ok := arguments[f.Name]; ok && f.Arguments.ForName(strings.Trim(strings.SplitN(given, ":", 2)[0], "(")) != nil {
			call = given
		}
		switch below.Kind {
		case ast.Scalar, ast.Enum:
			fmt.Fprintf(&b, " %s%s", f.Name, call)
		case ast.Union:
			fmt.Fprintf(&b, " %s%s { __typename }", f.Name, call)
		default:
			if depth > 0 {
				fmt.Fprintf(&b, " %s%s %s", f.Name, call, everything(schema, below, depth-1))
			}
		}
	}
	b.WriteString(" }")
	return b.String()
}

// otherNames are the names in the model of types for which fields of Query have other names.
var otherNames = map[string]string{
	"corpUser": model.EntityCorpuser, "connection": model.EntityDataHubConnection,
	"ingestionSource": model.EntityDataHubIngestionSource, "executionRequest": model.EntityDataHubExecutionRequest,
}

// sampleURNs returns the entities of the sample catalog by the field of Query that reads them,
// with one entity of each type that the sample catalog does not have.
func sampleURNs(t *testing.T, c *services.Services, schema *ast.Schema) map[string][]string {
	t.Helper()
	for _, p := range extraEntities {
		writeAspect(t, c, p[0], p[1], p[2])
	}
	urns := map[string][]string{}
	for _, f := range schema.Query.Fields {
		def := schema.Types[f.Type.Name()]
		if def.Kind != ast.Object || len(f.Arguments) != 1 || f.Arguments[0].Name != "urn" {
			continue
		}
		if f.Name == "getServiceAccount" || f.Name == "openLineage" { // TestServiceAccounts and TestOpenLineage ask for them
			continue
		}
		if def.Fields.ForName("urn") == nil { // the type describes something about an entity, and is not an entity
			continue
		}
		name := f.Name
		if other, ok := otherNames[name]; ok {
			name = other
		}
		page, err := c.ListURNs(context.Background(), name, 0, 1000)
		if err != nil || page.Total == 0 {
			t.Errorf("%s: %d in the sample, %v", name, page.Total, err)
		}
		urns[f.Name] = page.Entities
	}
	return urns
}

// extraEntities are entities of types that the sample catalog does not have, and aspects that
// none of its entities has.
var extraEntities = [][3]string{
	{"urn:li:test:fresh", "testInfo", `{"name":"Fresh","category":"Quality","description":"d","definition":{"type":"JSON","json":"{}"}}`},
	{"urn:li:notebook:(querybook,1)", "notebookInfo", `{"title":"n","description":"d","customProperties":{"a":"b"},"changeAuditStamps":{"created":{"time":0,"actor":"urn:li:corpuser:a"},"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}}`},
	{"urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)", "mlModelGroupProperties", `{"description":"d","createdAt":5,"version":{"versionTag":"1"}}`},
	{"urn:li:mlPrimaryKey:(customers,id)", "mlPrimaryKeyProperties", `{"description":"d","dataType":"ORDINAL","sources":["urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"]}`},
	{"urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,customers)", "mlFeatureTableProperties", `{"description":"d","mlFeatures":["urn:li:mlFeature:(customers,age)"],"mlPrimaryKeys":["urn:li:mlPrimaryKey:(customers,id)"]}`},
	{"urn:li:mlFeature:(customers,age)", "mlFeatureProperties", `{"description":"d","dataType":"COUNT","sources":[]}`},
	{"urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn-1,PROD)", "mlModelProperties", `{"description":"d","date":1,"version":{"versionTag":"3"},"type":"t","hyperParams":[{"name":"h","value":"1"}],"trainingMetrics":[{"name":"m","value":"2"}],"mlFeatures":["urn:li:mlFeature:(customers,age)"],"tags":["x"],"groups":["urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)"]}`},
	{"urn:li:dataProduct:marts", "dataProductProperties", `{"name":"Marts","assets":[{"destinationUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"}]}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "datasetProfile", `{"timestampMillis":1700000000000,"rowCount":5,"columnCount":1,"fieldProfiles":[{"fieldPath":"id","uniqueCount":5,"uniqueProportion":1.0,"sampleValues":["1"]}],"partitionSpec":{"type":"PARTITION","partition":"d=1","timePartition":{"startTimeMillis":1700000000000,"length":{"unit":"DAY","multiple":1}}}}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "siblings", `{"siblings":["urn:li:dataset:(urn:li:dataPlatform:dbt,shop.orders,PROD)"],"primary":true}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "embed", `{"renderUrl":"https://example.com"}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "datasetDeprecation", `{"deprecated":true,"note":"old","decommissionTime":7}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.KeyValueSchema":{"keySchema":"k","valueSchema":"v"}},"fields":[{"fieldPath":"id","type":{"type":{"com.linkedin.schema.RecordType":{}}},"nativeDataType":"row","globalTags":{"tags":[{"tag":"urn:li:tag:x"}]}}],"primaryKeys":["id"],"foreignKeys":[{"name":"f","foreignFields":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD),id)"],"sourceFields":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD),id)"],"foreignDataset":"urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD)"}]}`},
	{"urn:li:dashboard:(looker,views)", "dashboardUsageStatistics", `{"timestampMillis":1700000000000,"viewsCount":5,"lastViewedAt":1,"favoritesCount":2}`},
	{"urn:li:dashboard:(looker,views)", "dashboardUsageStatistics", `{"timestampMillis":1700000000001,"eventGranularity":{"unit":"DAY","multiple":1},"viewsCount":3,"executionsCount":1,"uniqueUserCount":1,"userCounts":[{"user":"urn:li:corpuser:a","viewsCount":3}]}`},
	{"urn:li:chart:(looker,1)", "chartInfo", `{"title":"c","description":"d","lastModified":{"created":{"time":1,"actor":"urn:li:corpuser:a"},"lastModified":{"time":2,"actor":"urn:li:corpuser:a"},"deleted":{"time":3,"actor":"urn:li:corpuser:a"}},"inputs":[{"string":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"}],"type":"BAR","access":"PUBLIC"}`},
	{"urn:li:chart:(looker,1)", "chartUsageStatistics", `{"timestampMillis":1700000000000,"viewsCount":9}`},
	{"urn:li:chart:(looker,1)", "inputFields", `{"fields":[{"schemaFieldUrn":"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD),id)"}]}`},
	{"urn:li:corpuser:settled", "corpUserSettings", `{"appearance":{"showSimplifiedHomepage":true}}`},
	{"urn:li:corpuser:settled", "corpUserStatus", `{"status":"ACTIVE","lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`},
	{"urn:li:dataPlatformInstance:(urn:li:dataPlatform:hive,eu)", "dataPlatformInstanceProperties", `{"name":"Europe"}`},
	{"urn:li:dataHubConnection:slack", "dataHubConnectionDetails", `{"type":"JSON","name":"Slack"}`},
	{"urn:li:dataHubIngestionSource:nightly", "dataHubIngestionSourceInfo", `{"name":"Nightly","type":"snowflake","platform":"urn:li:dataPlatform:snowflake","schedule":{"interval":"0 0 * * *","timezone":"UTC"},"config":{"recipe":"{}","executorId":"default","extraArgs":{"a":"b"}}}`},
	{"urn:li:dataHubExecutionRequest:run", "dataHubExecutionRequestInput", `{"task":"RUN_INGEST","args":{"a":"b"},"executorId":"default","source":{"type":"MANUAL","ingestionSource":"urn:li:dataHubIngestionSource:nightly"},"requestedAt":5,"actorUrn":"urn:li:corpuser:a"}`},
	{"urn:li:dataHubExecutionRequest:run", "dataHubExecutionRequestResult", `{"status":"SUCCESS","startTimeMs":6,"durationMs":7,"report":"r","structuredReport":{"type":"t","serializedValue":"{}","contentType":"application/json"}}`},
	{"urn:li:application:pricing", "applicationProperties", `{"description":"d","customProperties":{"a":"b"}}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "applications", `{"applications":["urn:li:application:pricing"]}`},
	{"urn:li:document:guide", "documentInfo", `{"title":"t","contents":{"text":"c"},"status":{"state":"PUBLISHED"},"created":{"time":1,"actor":"urn:li:corpuser:a"},"lastModified":{"time":1,"actor":"urn:li:corpuser:a"},"relatedAssets":[{"asset":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"}]}`},
	{"urn:li:businessAttribute:key", "businessAttributeInfo", `{"fieldPath":"k","name":"k","created":{"time":1,"actor":"urn:li:corpuser:a"},"lastModified":{"time":1,"actor":"urn:li:corpuser:a"}}`},
	{"urn:li:incident:late", "incidentInfo", `{"type":"SQL","entities":["urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"],"status":{"state":"ACTIVE","lastUpdated":{"time":1,"actor":"urn:li:corpuser:a"}},"created":{"time":1,"actor":"urn:li:corpuser:a"},"assignees":[{"actor":"urn:li:corpuser:a","assignedAt":{"time":1,"actor":"urn:li:corpuser:a"}}]}`},
	{"urn:li:dataContract:orders", "dataContractProperties", `{"entity":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)","freshness":[{"assertion":"urn:li:assertion:a"}]}`},
	{"urn:li:dataContract:orders", "dataContractStatus", `{"state":"PENDING"}`},
	{"urn:li:form:review", "formInfo", `{"name":"r","prompts":[{"id":"p","title":"t","type":"STRUCTURED_PROPERTY","structuredPropertyParams":{"urn":"urn:li:structuredProperty:p"}}],"actors":{"users":["urn:li:corpuser:a"]}}`},
	{"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)", "forms", `{"incompleteForms":[],"completedForms":[{"urn":"urn:li:form:review","completedPrompts":[{"id":"p","lastModified":{"time":1,"actor":"urn:li:corpuser:a"},"fieldAssociations":{"completedFieldPrompts":[{"fieldPath":"id","lastModified":{"time":1,"actor":"urn:li:corpuser:a"}}]}}]}],"verifications":[{"form":"urn:li:form:review"}]}`},
	{"urn:li:announcedChange:pr-1", "announcedChangeInfo", `{"title":"shop/orders 1","state":"PARTLY_ARRIVED","reason":"r","pullRequest":"https://git.example/shop/orders/pull/1","repository":"https://git.example/shop/orders","project":"p","author":"Ada","created":{"time":1,"actor":"urn:li:corpuser:ada"},"expiresAt":9999999999999,"certain":1,"possible":1,"refused":true,"effects":[{"urn":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)","name":"n","effect":"certain","why":"w"}],"exceptions":[{"name":"n","rule":"contract","who":"ada","until":"2027-01-01","reason":"r"}],"changes":[{"kind":"columnRenamed","datasets":["urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"],"column":"a","newName":"b","oldType":"int","newType":"text","arrivals":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)","time":1,"actor":"urn:li:corpuser:ada","runId":"r","change":"c","description":"d"}]}]}`},
	{"urn:li:versionSet:(orders,dataset)", "versionSetProperties", `{"latest":"urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)","versioningScheme":"LEXICOGRAPHIC_STRING"}`},
}

func writeAspect(t testing.TB, c *services.Services, urn, aspect, value string) {
	t.Helper()
	u, err := c.Registry().ReadURN(urn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ingest(context.Background(), write.Proposal{
		EntityType: u.EntityType(), EntityURN: urn, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}, catalog.WriteOptions{})
	if err != nil {
		t.Fatalf("%s %s: %v", urn, aspect, err)
	}
}

// TestEveryField selects every field of every type for every entity of the
// sample catalog.
func TestEveryField(t *testing.T) {
	schema, c := loadSchema(t), testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	urns := sampleURNs(t, c, schema)
	h := gql.New(gql.Options{Catalog: c})
	for _, f := range schema.Query.Fields {
		for i, urn := range urns[f.Name] {
			depth := 1
			if i == 0 || strings.Contains(urn, "shop.orders") {
				depth = 3
			}
			query := fmt.Sprintf("query q($urn: String!) { %s(urn: $urn) %s }", f.Name, everything(schema, schema.Types[f.Type.Name()], depth))
			answer := ask(t, h, query, map[string]any{"urn": urn})
			var got struct {
				Errors json.RawMessage
				Data   map[string]map[string]any
			}
			if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Errors != nil || got.Data[f.Name]["urn"] != urn {
				t.Errorf("%s %s: %.1000s", f.Name, urn, answer)
			}
		}
	}
}

// counting counts the calls to a store, and can make the store unreachable.
type counting struct {
	graphstore.Store
	calls atomic.Int64
	away  atomic.Bool
}

// TestStoreAway: while the store is unreachable, the fields that need it have errors with the
// code 503, and a write returns an error and writes nothing.
func TestStoreAway(t *testing.T) {
	counter := &counting{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		counter.Store = s
		return counter
	})
	writeAspect(t, c, orders, "datasetProperties", `{"name":"Orders"}`)
	h := gql.New(gql.Options{Catalog: c})
	counter.away.Store(true)
	for query, data := range map[string]string{
		`{ dataset(urn: "` + orders + `") { urn properties { name } } }`:                        `{"dataset":{"urn":"` + orders + `","properties":null}}`,
		`{ entityExists(urn: "` + orders + `") }`:                                               `{"entityExists":null}`,
		`mutation { batchUpdateSoftDeleted(input: {urns: ["` + orders + `"], deleted: true}) }`: `{"batchUpdateSoftDeleted":null}`,
	} {
		answer := ask(t, h, query, nil)
		if !strings.Contains(answer, `"extensions":{"classification":"DataFetchingException","code":503,"type":"UNAVAILABLE"}}],"data":`+data) {
			t.Errorf("%s: %s", query, answer)
		}
	}
	counter.away.Store(false)
	if answer := ask(t, h, `{ dataset(urn: "`+orders+`") { status { removed } } }`, nil); answer != `{"data":{"dataset":{"status":null}},"extensions":{}}` {
		t.Error(answer)
	}
}

func (c *counting) Update(ctx context.Context, urns []string, fn func(graphstore.Tx) error) error {
	if c.away.Load() {
		return graphstore.ErrUnavailable
	}
	return c.Store.Update(ctx, urns, fn)
}

func (c *counting) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	if c.away.Load() {
		return nil, graphstore.ErrUnavailable
	}
	c.calls.Add(1)
	return c.Store.Entities(ctx, urns)
}

func (c *counting) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	if c.away.Load() {
		return nil, graphstore.ErrUnavailable
	}
	c.calls.Add(1)
	return c.Store.LatestAspects(ctx, urns, names)
}

func (c *counting) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	c.calls.Add(1)
	return c.Store.Edges(ctx, q)
}

func (c *counting) LatestTimeSeries(ctx context.Context, urns, aspects []string) (map[string][]graphstore.TimeSeriesValue, error) {
	c.calls.Add(1)
	return c.Store.LatestTimeSeries(ctx, urns, aspects)
}

func (c *counting) TimeSeries(ctx context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	c.calls.Add(1)
	return c.Store.TimeSeries(ctx, q)
}

func (c *counting) TimeSeriesOfMany(ctx context.Context, q graphstore.ManyTimeSeries) ([][]graphstore.TimeSeriesValue, error) {
	c.calls.Add(1)
	return c.Store.TimeSeriesOfMany(ctx, q)
}

func (c *counting) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	c.calls.Add(1)
	return c.Store.Walk(ctx, q)
}

func (c *counting) AspectVersion(ctx context.Context, key graphstore.AspectKey, version int64) (graphstore.Aspect, bool, error) {
	c.calls.Add(1)
	return c.Store.AspectVersion(ctx, key, version)
}

func (c *counting) AspectVersions(ctx context.Context, key graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	c.calls.Add(1)
	return c.Store.AspectVersions(ctx, key, page)
}

func (c *counting) Rows(ctx context.Context, q graphstore.RowQuery) ([]graphstore.Row, string, error) {
	c.calls.Add(1)
	return c.Store.Rows(ctx, q)
}

func (c *counting) RowsOf(ctx context.Context, urns []string) ([]graphstore.Row, error) {
	c.calls.Add(1)
	return c.Store.RowsOf(ctx, urns)
}

func (c *counting) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	c.calls.Add(1)
	return c.Store.Runs(ctx, q)
}

func (c *counting) VersionsBefore(ctx context.Context, keys []graphstore.AspectKey, origin graphstore.Origin) ([]*graphstore.Aspect, error) {
	c.calls.Add(1)
	return c.Store.VersionsBefore(ctx, keys, origin)
}

func (c *counting) History(ctx context.Context, urns []string) (map[string]graphstore.History, error) {
	c.calls.Add(1)
	return c.Store.History(ctx, urns)
}

// awaitIndex waits until the follower has read the whole change log.
func awaitIndex(t *testing.T, c *services.Services) {
	t.Helper()
	if err := c.Follower.Await(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestStoreCalls: the number of calls to the store depends on the shape of the query, not on
// the number of entities of a page.
func TestStoreCalls(t *testing.T) {
	counter := &counting{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		counter.Store = s
		return counter
	})
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,counted.t%02d,PROD)", i)
		writeAspect(t, c, urn, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"},{"owner":"urn:li:corpuser:u`+fmt.Sprint(i)+`","type":"DATA_STEWARD"}]}`)
		writeAspect(t, c, urn, "globalTags", `{"tags":[{"tag":"urn:li:tag:t`+fmt.Sprint(i%7)+`"}]}`)
		writeAspect(t, c, urn, "upstreamLineage", `{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,counted.t00,PROD)","type":"TRANSFORMED"}]}`)
	}
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	for _, one := range []struct {
		selection string
		most      int64
	}{
		{`urn type`, 0},
		{`... on Dataset { name platform { name } origin }`, 0},
		{`... on Dataset { properties { description } editableProperties { description } subTypes { typeNames } status { removed } deprecation { note } }`, 1},
		{`... on Dataset { ownership { owners { owner { ... on CorpUser { username properties { fullName } editableProperties { title } } } } } }`, 2},
		{`... on Dataset { tags { tags { tag { name properties { colorHex } ownership { owners { owner { ... on CorpUser { properties { email manager { properties { email } } } } } } } } } } }`, 4},
		{`... on Dataset { domain { domain { properties { name } } } platform { properties { displayName } } exists glossaryTerms { terms { term { properties { name } parentNodes { count } } } } }`, 6},
		{`... on Dataset { relationships(input: {types: ["OwnedBy"], direction: OUTGOING}) { relationships { entity { urn ... on CorpUser { properties { fullName } } } } } }`, 2},
		{`... on Dataset { lineage(input: {direction: UPSTREAM}) { total relationships { entity { ... on Dataset { properties { name } } } } } }`, 7},
		{`... on Dataset { datasetProfiles(limit: 1) { rowCount } operations(limit: 1) { operationType } health { status } }`, 4},
		{`... on Dataset { datasetProfiles(limit: 5) { rowCount } operations(startTimeMillis: 1) { operationType } usageStats(range: ALL) { buckets { bucket } } statsSummary { queryCountLast30Days } }`, 4},
	} {
		calls := func(count int) int64 {
			query := fmt.Sprintf(`{ searchAcrossEntities(input: {query: "counted", types: [DATASET], count: %d}) { searchResults { entity { %s } } } }`, count, one.selection)
			before := counter.calls.Load()
			answer := ask(t, h, query, nil)
			if strings.Contains(answer, `"errors"`) || strings.Count(answer, `"entity":`) < count {
				t.Errorf("%s: %.300s", one.selection, answer)
			}
			return counter.calls.Load() - before
		}
		few, many := calls(5), calls(50)
		one.most++ // the store is also asked for the hits themselves
		if few != many || many > one.most {
			t.Errorf("%s: %d calls for 5 entities, %d for 50, at most %d expected", one.selection, few, many, one.most)
		}
	}
}
