package gql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// asked counts the calls to an index.
type asked struct {
	indexer.Index
	calls atomic.Int64
}

func (a *asked) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	a.calls.Add(1)
	return a.Index.Search(ctx, q)
}

func (a *asked) SearchMany(ctx context.Context, queries []*indexer.Query) ([]indexer.Answer, error) {
	a.calls.Add(1)
	return a.Index.SearchMany(ctx, queries)
}

func (a *asked) Suggest(ctx context.Context, q *indexer.SuggestQuery) ([]indexer.Hit, error) {
	a.calls.Add(1)
	return a.Index.Suggest(ctx, q)
}

func (a *asked) Groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	a.calls.Add(1)
	return a.Index.Groups(ctx, q)
}

// pageEntities returns n entities of each kind that lists have, with the aspects that their
// fields show.
func pageEntities(n int) [][3]string {
	id := fmt.Sprintf("paged%02d", n)
	dataset := "urn:li:dataset:(urn:li:dataPlatform:hive," + id + ",PROD)"
	next := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,paged%02d,PROD)", (n+1)%60)
	user := "urn:li:corpuser:" + id
	return [][3]string{
		{user, "corpUserInfo", `{"active":true,"displayName":"Paged","fullName":"` + id + `","email":"` + id + `@x.com","managerUrn":"urn:li:corpuser:boss` + id + `"}`},
		{user, "corpUserEditableInfo", `{"title":"paged"}`},
		{"urn:li:corpGroup:" + id, "corpGroupInfo", `{"displayName":"Paged ` + id + `","admins":[],"members":[],"groups":[]}`},
		{"urn:li:domain:" + id, "domainProperties", `{"name":"Paged ` + id + `"}`},
		{"urn:li:domain:" + id, "ownership", `{"owners":[{"owner":"` + user + `","type":"TECHNICAL_OWNER"}]}`},
		{"urn:li:container:" + id, "containerProperties", `{"name":"Paged ` + id + `"}`},
		{"urn:li:container:" + id, "domains", `{"domains":["urn:li:domain:` + id + `"]}`},
		{"urn:li:dataProduct:" + id, "dataProductProperties", `{"name":"Paged ` + id + `","assets":[{"destinationUrn":"` + dataset + `"},{"destinationUrn":"` + next + `"}]}`},
		{"urn:li:glossaryNode:" + id, "glossaryNodeInfo", `{"definition":"","name":"Paged ` + id + `"}`},
		{"urn:li:glossaryTerm:" + id, "glossaryTermInfo", `{"definition":"","termSource":"INTERNAL","name":"Paged ` + id + `"}`},
		{"urn:li:dataJob:(urn:li:dataFlow:(airflow,paged,prod)," + id + ")", "dataJobInfo", `{"name":"Paged ` + id + `","type":{"string":"x"}}`},
		{dataset, "datasetProperties", `{"name":"Paged ` + id + `"}`},
		{dataset, "ownership", `{"owners":[{"owner":"` + user + `","type":"TECHNICAL_OWNER"}]}`},
		{dataset, "domains", `{"domains":["urn:li:domain:` + id + `"]}`},
		{dataset, "container", `{"container":"urn:li:container:` + id + `"}`},
		{dataset, "browsePathsV2", `{"path":[{"id":"paged"},{"id":"` + id + `"},{"id":"below"}]}`},
		{dataset, "browsePaths", `{"paths":["/prod/paged/x"]}`},
		{dataset, "upstreamLineage", `{"upstreams":[{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)","type":"TRANSFORMED"}]}`},
		{dataset, "siblings", `{"siblings":["` + next + `"],"primary":true}`},
		{dataset, "datasetUsageStatistics", `{"timestampMillis":1700000000000,"eventGranularity":{"unit":"DAY","multiple":1},"uniqueUserCount":1,"totalSqlQueries":3,"userCounts":[{"user":"` + user + `","count":3}],"fieldCounts":[{"fieldPath":"id","count":2}]}`},
		{dataset, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"id","globalTags":{"tags":[{"tag":"urn:li:tag:paged"}]}}]}`},
		{dataset, "datasetProfile", `{"timestampMillis":1700000000000,"rowCount":5}`},
		{dataset, "datasetProfile", `{"timestampMillis":1700000000001,"rowCount":6}`},
		{dataset, "operation", `{"timestampMillis":1700000000000,"operationType":"INSERT","lastUpdatedTimestamp":1}`},
		{"urn:li:dashboard:(looker," + id + ")", "dashboardUsageStatistics", `{"timestampMillis":1700000000001,"eventGranularity":{"unit":"DAY","multiple":1},"viewsCount":3,"uniqueUserCount":1,"userCounts":[{"user":"` + user + `","viewsCount":3}]}`},
		{"urn:li:dashboard:(looker," + id + ")", "dashboardInfo", `{"title":"Paged ` + id + `","description":"","charts":[],"lastModified":{"created":{"time":1,"actor":"` + user + `"},"lastModified":{"time":2,"actor":"` + user + `"}}}`},
		{"urn:li:chart:(looker," + id + ")", "chartUsageStatistics", `{"timestampMillis":1700000000001,"eventGranularity":{"unit":"DAY","multiple":1},"viewsCount":3,"uniqueUserCount":1,"userCounts":[{"user":"` + user + `","viewsCount":3}]}`},
		{"urn:li:chart:(looker," + id + ")", "chartInfo", `{"title":"Paged ` + id + `","description":"","lastModified":{"created":{"time":1,"actor":"` + user + `"},"lastModified":{"time":2,"actor":"` + user + `"}}}`},
		{"urn:li:assertion:" + id, "assertionInfo", `{"type":"DATASET","datasetAssertion":{"dataset":"` + dataset + `","scope":"DATASET_ROWS","operator":"BETWEEN"}}`},
		{"urn:li:assertion:" + id, "assertionRunEvent", `{"timestampMillis":1700000000000,"runId":"r","asserteeUrn":"` + dataset + `","assertionUrn":"urn:li:assertion:` + id + `","status":"COMPLETE","result":{"type":"SUCCESS"}}`},
	}
}

// datasetFields are the fields of a dataset on a page that read more than aspects.
const datasetFields = `... on Dataset { usageStats(range: ALL) { buckets { bucket } aggregations { users { user { properties { email } } } } }
	statsSummary { topUsersLast30Days { properties { email } } }
	profiles: datasetProfiles(limit: 5) { rowCount } since: datasetProfiles(startTimeMillis: 1, limit: 5) { rowCount }
	operations(startTimeMillis: 1) { operationType } health { status }
	assertions { assertions { runEvents(limit: 5) { total } } }
	ownership { owners { owner { ... on CorpUser { properties { email manager { properties { email } } } relationships(input: {types: [], direction: INCOMING}) { total } } } } }
	container { properties { name } } domain { domain { properties { name } } } siblings { siblings { ... on Dataset { properties { name } } } }
	downstream: lineage(input: {direction: DOWNSTREAM}) { total } }`

// foundFields are the fields of a search within an item of a page.
const foundFields = `start count total searchResults { matchedFields { name } entity { type ` + datasetFields + ` ... on Container { properties { name } entities(input: {}) { total } } } }
	facets { field aggregations { value count entity { urn ... on Domain { properties { name } entities(input: {count: 1}) { total } } } } }`

// TestPageCalls: the number of calls to the store and to the index for a page of any list of
// the schema depends on the shape of the query, not on the number of items of the page.
func TestPageCalls(t *testing.T) {
	store, index := &counting{}, &asked{}
	c := testcatalog.WrappedBoth(t, func(s graphstore.Store) graphstore.Store {
		store.Store = s
		return store
	}, func(x indexer.Index) indexer.Index {
		index.Index = x
		return index
	})
	var urns []string
	for n := range 60 {
		for _, p := range pageEntities(n) {
			writeAspect(t, c, p[0], p[1], p[2])
		}
		urns = append(urns, fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,paged%02d,PROD)", n))
	}
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	for _, one := range []struct{ name, query, item string }{
		{"search", `{ list: search(input: {type: DATASET, query: "paged", count: %d}) { searchResults { entity { item: urn ` + datasetFields + ` } } } }`, ""},
		{"searchAcrossEntities", `{ list: searchAcrossEntities(input: {types: [DATASET], query: "*", count: %d}) { searchResults { entity { item: urn ` + datasetFields + ` } } } }`, ""},
		{"charts", `{ list: searchAcrossEntities(input: {types: [CHART], query: "*", count: %d}) { searchResults { entity { item: urn ... on Chart { statsSummary { viewCount topUsersLast30Days { properties { email } } } } } } } }`, ""},
		{"dashboards", `{ list: searchAcrossEntities(input: {types: [DASHBOARD], query: "*", count: %d}) { searchResults { entity { item: urn ... on Dashboard { statsSummary { viewCount topUsersLast30Days { properties { email } } } usageStats { aggregations { users { user { properties { email } } } } } } } } } }`, ""},
		{"scrollAcrossEntities", `{ list: scrollAcrossEntities(input: {types: [DATASET], query: "*", count: %d}) { searchResults { entity { item: urn ` + datasetFields + ` } } } }`, ""},
		{"searchAcrossLineage", `{ list: searchAcrossLineage(input: {urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)", direction: DOWNSTREAM, query: "*", count: %d}) { searchResults { paths { path { type } } entity { item: urn ` + datasetFields + ` } } } }`, ""},
		{"scrollAcrossLineage", `{ list: scrollAcrossLineage(input: {urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)", direction: DOWNSTREAM, query: "*", count: %d}) { searchResults { entity { item: urn } } } }`, ""},
		{"relationships", `{ list: dataset(urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)") { relationships(input: {types: ["DownstreamOf"], direction: INCOMING, count: %d}) { relationships { entity { item: urn ` + datasetFields + ` } } } } }`, ""},
		{"lineage", `{ list: dataset(urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)") { lineage(input: {direction: DOWNSTREAM, count: %d}) { relationships { entity { item: urn ` + datasetFields + ` } } } } }`, ""},
		{"entities", `{ list: entities(urns: [%s]) { item: urn ` + datasetFields + ` } }`, "urns"},
		{"browse", `{ list: browse(input: {type: DATASET, path: ["prod", "paged", "x"], count: %d}) { entities { item: urn ` + datasetFields + ` } } }`, ""},
		{"browseV2", `{ list: browseV2(input: {type: DATASET, path: ["paged"], count: %d}) { groups { item: name hasSubGroups entity { urn } } } }`, ""},
		{"autoComplete", `{ list: autoComplete(input: {type: DATASET, query: "paged", limit: %d}) { entities { item: urn ` + datasetFields + ` } } }`, ""},
		{"autoCompleteForMultiple", `{ list: autoCompleteForMultiple(input: {types: [DATASET], query: "paged", limit: %d}) { suggestions { entities { item: urn ` + datasetFields + ` } } } }`, ""},
		{"listDomains", `{ list: listDomains(input: {start: 0, count: %d}) { domains { item: urn properties { name } ownership { owners { owner { ... on CorpUser { properties { email } } } } } } } }`, ""},
		{"listUsers", `{ list: listUsers(input: {start: 0, count: %d}) { users { item: urn properties { email manager { properties { email } } } editableProperties { title } status relationships(input: {types: [], direction: INCOMING}) { total } } } }`, ""},
		{"listGroups", `{ list: listGroups(input: {start: 0, count: %d}) { groups { item: urn properties { displayName } memberCount: relationships(input: {types: ["IsMemberOfGroup"], direction: INCOMING, count: 1}) { total } } } }`, ""},
		{"getRootGlossaryTerms", `{ list: getRootGlossaryTerms(input: {start: 0, count: %d}) { terms { item: urn properties { name } parentNodes { count } relationships(input: {types: [], direction: INCOMING}) { total } } } }`, ""},
		{"getRootGlossaryNodes", `{ list: getRootGlossaryNodes(input: {start: 0, count: %d}) { nodes { item: urn properties { name } parentNodes { count } children: relationships(input: {types: ["IsPartOf"], direction: INCOMING}) { total } } } }`, ""},
		{"containers", `{ list: searchAcrossEntities(input: {types: [CONTAINER], query: "*", count: %d}) { searchResults { entity { item: urn ... on Container { properties { name } parentContainers { count } } } } } }`, ""},
		{"entities of domains", `{ list: listDomains(input: {start: 0, count: %d}) { domains { item: urn entities(input: {count: 3}) { ` + foundFields + ` } more: entities(input: {query: "paged", filters: [{field: "removed", values: ["false"]}]}) { total } } } }`, ""},
		{"entities of containers", `{ list: searchAcrossEntities(input: {types: [CONTAINER], query: "*", count: %d}) { searchResults { entity { item: urn ... on Container { entities(input: {count: 3}) { ` + foundFields + ` } } } } } }`, ""},
		{"entities of data products", `{ list: searchAcrossEntities(input: {types: [DATA_PRODUCT], query: "*", count: %d}) { searchResults { entity { item: urn ... on DataProduct { entities(input: {query: "*"}) { ` + foundFields + ` } } } } } }`, ""},
		{"entities of the domains of a page", `{ list: searchAcrossEntities(input: {types: [DATASET], query: "*", count: %d}) { searchResults { entity { item: urn ... on Dataset { domain { domain { entities { total } } } container { entities { total } } } } } } }`, ""},
		{"lineageGraph", `{ list: lineageGraph(input: {urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)", direction: DOWNSTREAM, limit: %d}) {
			nodes { item: urn name subType platformName parent { name } owners { name } tags { name } terms { name } domain { name } upstreams downstreams columns }
			edges { upstream sinceActor { name } provenance { actor { ... on CorpUser { properties { email } } } } } } }`, ""},
		{"lineageChanges", `{ list: lineageChanges(input: {urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)", from: 1, count: %d}) {
			changes { item: description entity { name platformName } part { name } upstream { name } actor { name } } } }`, ""},
		{"impact", `{ list: impact(input: {urn: "urn:li:dataset:(urn:li:dataPlatform:hive,pagedsource,PROD)", count: %d}) {
			owners { owner { name } email } rows { entity { item: urn name platformName } path { entity { name } edge { sinceActor { name } } } } } }`, ""},
		{"labelledColumns", `{ list: labelledColumns(input: {labels: ["urn:li:tag:paged"], count: %d}) {
			columns { column { item: urn name } dataset { name platformName } labels { label { name } edited } owners { owner { name } email } } } }`, ""},
		{"entityRefs", `{ list: entityRefs(urns: [%s]) { item: urn name platformName exists } }`, "urns"},
		{"suggest", `{ list: suggest(input: {text: "paged", limit: %d}) { kind item: text entity { name platformName } } }`, ""},
		{"run", `{ list: run(input: {runId: "no-run-id-provided", start: 36, values: true, count: %d}) { summary { runId } effects { item: aspect created before after entity { name platformName } } } }`, ""},
		{"assertions", `{ list: searchAcrossEntities(input: {types: [ASSERTION], query: "*", count: %d}) { searchResults { entity { item: urn ... on Assertion { info { type } runEvents(limit: 5) { total runEvents { status } } } } } } }`, ""},
	} {
		calls := func(count int) (stored, searched int64) {
			query := ""
			if one.item == "urns" {
				text, err := json.Marshal(urns[:count])
				if err != nil {
					t.Fatal(err)
				}
				query = fmt.Sprintf(one.query, strings.Trim(string(text), "[]"))
			} else {
				query = fmt.Sprintf(one.query, count)
			}
			stored, searched = store.calls.Load(), index.calls.Load()
			answer := ask(t, h, query, nil)
			if n := strings.Count(answer, `"item":`); strings.Contains(answer, `"errors"`) || n != count {
				t.Errorf("%s: %d items for %d: %.500s", one.name, n, count, answer)
			}
			return store.calls.Load() - stored, index.calls.Load() - searched
		}
		storedFew, searchedFew := calls(5)
		storedMany, searchedMany := calls(50)
		if one.name == "run" { // the values of ten rows are read together, in two calls
			storedFew += 2 * 4
		}
		if storedFew != storedMany || searchedFew != searchedMany {
			t.Errorf("%s: %d calls to the store and %d to the index for 5 items, %d and %d for 50", one.name, storedFew, searchedFew, storedMany, searchedMany)
		}
		t.Logf("%s: %d calls to the store, %d to the index", one.name, storedMany, searchedMany)
	}
}
