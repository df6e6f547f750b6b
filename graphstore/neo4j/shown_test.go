package neo4j_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

const (
	shownTable   = "urn:li:dataset:(urn:li:dataPlatform:hive,shop.orders,PROD)"
	shownSibling = "urn:li:dataset:(urn:li:dataPlatform:dbt,shop.orders,PROD)"
	shownColumn  = "urn:li:schemaField:(" + shownTable + ",email)"
)

// These queries return, as texts, the nodes and relationships that people see.
const (
	shownColumns = `MATCH (c:SchemaField)-[:COLUMN_OF]->(d:Dataset {qualifiedName: 'shop.orders', platformId: 'hive'})
		RETURN c.name + ' ' + coalesce(c.dataType, '-') + ' ' + coalesce(c.nativeType, '-') + ' ' + coalesce(toString(c.nullable), '-') + ' ' +
		coalesce(c.description, '-') + ' ' + coalesce(c.editedDescription, '-') AS what ORDER BY what`
	shownLabels = `MATCH (c:SchemaField)-[r:HAS_TAG|HAS_TERM]->(l) RETURN c.name + ' ' + type(r) + ' ' + l.name + ' ' + r.aspect AS what ORDER BY what`
	shownOwners = `MATCH (:Dataset)-[r:OwnedBy|ENDED]->(o) WHERE o:Corpuser RETURN type(r) + ' ' + o.name + ' ' + reduce(t = '', x IN r.types | t + x + ',') AS what ORDER BY what`
	shownNode   = `MATCH (d:Dataset {platformId: 'hive'}) UNWIND ['subtypes', 'customProperties', 'structuredProperties', 'rowCount', 'columnCount', 'profiledOn'] AS k
		WITH d, k WHERE d[k] IS NOT NULL RETURN k + ' ' + CASE WHEN d[k] IS :: LIST<ANY> THEN reduce(t = '', x IN d[k] | t + x + ',') ELSE toString(d[k]) END AS what ORDER BY what`
)

type shownHarness struct {
	*catalogtest.Harness
	uri string
}

func newShownHarness(t *testing.T) *shownHarness {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	store := catalogtest.OpenNeo4j(t, uri)
	t.Cleanup(func() { _ = store.Close() })
	f := &catalogtest.Faulty{Store: store}
	return &shownHarness{&catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}, uri}
}

func (h *shownHarness) see(what, statement string, want ...string) {
	h.T.Helper()
	t, _ := h.T.(*testing.T)
	wantTexts(t, what, h.uri, statement, want...)
}

// migrate checks that a database of the release before is migrated to the same graph that the
// present release writes.
func (h *shownHarness) migrate() {
	h.T.Helper()
	t, _ := h.T.(*testing.T)
	before := seen(t, h.uri)
	toLayoutBeforeShown(t, h.uri)
	if err := catalogtest.OpenNeo4j(t, h.uri).Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, seen(t, h.uri)); diff != "" {
		t.Errorf("after the migration (-want +got):\n%s", diff)
	}
}

// answers returns the nodes of columns and of the table as the store returns them to the
// catalog.
func (h *shownHarness) answers(urns ...string) []graphstore.Entity {
	h.T.Helper()
	found, err := h.Store.Entities(context.Background(), urns)
	if err != nil {
		h.T.Fatal(err)
	}
	return found
}

func shownField(path, more string) string {
	return `{"fieldPath":"` + path + `","nullable":true,"type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"varchar"` + more + `}`
}

func shownSchema(fields ...string) string {
	list := ""
	for i, f := range fields {
		if i > 0 {
			list += ","
		}
		list += f
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + list + `]}`
}

const (
	piiTag    = `,"description":"Where to write.","globalTags":{"tags":[{"tag":"urn:li:tag:PII"}]}`
	emailTerm = `,"glossaryTerms":{"terms":[{"urn":"urn:li:glossaryTerm:Email"}],"auditStamp":` + catalogtest.Stamp + `}`
)

// TestShownColumns: columns have the types, descriptions and labels of the latest values of
// aspects, after every way in which these change. Answers of the store do not contain them.
func TestShownColumns(t *testing.T) {
	h := newShownHarness(t)
	h.Say(shownTable, "schemaMetadata", shownSchema(shownField("id", ""), shownField("email", piiTag+emailTerm)))
	h.see("a schema", shownColumns, "email STRING varchar true Where to write. -", "id STRING varchar true - -")
	h.see("its labels", shownLabels, "email HAS_TAG PII schemaMetadata", "email HAS_TERM Email schemaMetadata")
	h.Say(shownTable, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"id","description":"A number.","globalTags":{"tags":[{"tag":"urn:li:tag:PII"}]}}]}`)
	h.see("what people wrote", shownColumns, "email STRING varchar true Where to write. -", "id STRING varchar true - A number.")
	h.Say(shownColumn, "globalTags", `{"tags":[{"tag":"urn:li:tag:Own"}]}`)
	h.see("labels of three aspects", shownLabels, "email HAS_TAG Own globalTags", "email HAS_TAG PII schemaMetadata", "email HAS_TERM Email schemaMetadata", "id HAS_TAG PII editableSchemaMetadata")
	for _, e := range h.answers(shownColumn) {
		if diff := cmp.Diff(map[string]any{"name": "email", "fieldPath": "email", "parent": shownTable}, e.Properties); diff != "" {
			t.Errorf("a column in answers (-want +got):\n%s", diff)
		}
	}
	relationships, err := h.Store.Edges(context.Background(), graphstore.EdgeQuery{URNs: []string{shownColumn}, Direction: graphstore.Outgoing, Page: graphstore.Page{Count: 10}})
	if page := relationships[shownColumn]; err != nil || page.Total != 1 || page.Edges[0].Type != "TaggedWith" {
		t.Errorf("relationships of the column: %+v %v", page, err)
	}

	h.migrate()
	h.Say(shownTable, "schemaMetadata", shownSchema(shownField("email", "")))
	h.see("a schema without id and labels", shownColumns, "email STRING varchar true - -", "id - - - - A number.")
	h.see("what is left of labels", shownLabels, "email HAS_TAG Own globalTags", "id HAS_TAG PII editableSchemaMetadata")
	h.Put("", "DELETE", shownTable, "editableSchemaMetadata", "")
	h.see("without what people wrote", shownColumns, "email STRING varchar true - -")
	h.Say(shownTable, "schemaMetadata", shownSchema(shownField("email", piiTag)))
	h.see("tagged again", shownLabels, "email HAS_TAG Own globalTags", "email HAS_TAG PII schemaMetadata")
	h.Attempt("", write.Proposal{EntityType: "schemaField", EntityURN: shownColumn, ChangeType: "DELETE", AspectName: "schemaFieldKey"})
	h.see("the column as an entity is deleted", shownLabels, "email HAS_TAG PII schemaMetadata")
	h.see("but not what its schema says", shownColumns, "email STRING varchar true Where to write. -")
	h.Put("", "DELETE", shownTable, "datasetKey", "")
	h.see("everything is deleted", `MATCH (e:Entity) RETURN e.urn`)
}

// TestShownDetails: owners have types, and a node has its details and the numbers of the newest
// profile, also after a rollback.
func TestShownDetails(t *testing.T) {
	h := newShownHarness(t)
	h.Say(shownTable, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"},{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"},{"owner":"urn:li:corpuser:bo","type":"CUSTOM","typeUrn":"urn:li:ownershipType:__system__technical_owner"}],"lastModified":`+catalogtest.Stamp+`}`)
	h.see("owners", shownOwners, "OwnedBy ada DATAOWNER,TECHNICAL_OWNER,", "OwnedBy bo TECHNICAL_OWNER,")
	h.Say(shownTable, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"BUSINESS_OWNER"}],"lastModified":`+catalogtest.Stamp+`}`)
	h.see("other owners", shownOwners, "ENDED bo TECHNICAL_OWNER,", "OwnedBy ada BUSINESS_OWNER,")
	h.Say(shownTable, "siblings", `{"siblings":["`+shownSibling+`"],"primary":false}`)
	h.Say(shownSibling, "siblings", `{"siblings":["`+shownTable+`"],"primary":true}`)
	h.see("siblings", `MATCH (a)-[:SiblingOf {primary: true}]->(b) RETURN a.platformId + ' ' + b.platformId`, "dbt hive")
	h.Say(shownTable, "subTypes", `{"typeNames":["View"]}`)
	h.Say(shownTable, "datasetProperties", `{"customProperties":{"tier":"gold","a":"b"},"qualifiedName":"the.orders"}`)
	h.see("a stated qualified name", `MATCH (d {platformId: 'hive'}) RETURN d.qualifiedName`, "the.orders")
	h.Say(shownTable, "datasetProperties", `{"customProperties":{"tier":"gold"}}`)
	h.see("the one of the URN", `MATCH (d {platformId: 'hive'}) RETURN d.qualifiedName`, "shop.orders")
	h.see("details", shownNode, "customProperties tier=gold,", "subtypes View,")
	profile := func(run string, at, rows int, more string) {
		t.Helper()
		p := catalogtest.Proposal(write.Upsert, shownTable, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d,"columnCount":3%s}`, at, rows, more))
		if run != "" {
			p.System = &catalog.SystemMetadata{RunID: run}
		}
		h.Attempt("", p)
	}
	profile("", 2000, 20, "")
	profile("late", 3000, 30, "")
	profile("", 1000, 10, "")
	profile("", 4000, 4, `,"partitionSpec":{"type":"PARTITION","partition":"p"}`)
	h.see("the newest profile of the whole table", shownNode, "columnCount 3", "customProperties tier=gold,", "profiledOn 3000", "rowCount 30", "subtypes View,")
	if found := h.answers(shownTable); !cmp.Equal(found[0].Properties, map[string]any{"name": "shop.orders", "qualifiedName": "shop.orders", "origin": "PROD", "platform": "urn:li:dataPlatform:hive"}) {
		t.Errorf("the table in answers: %v", found[0].Properties)
	}
	h.migrate()
	if _, err := h.Removal.Rollback(context.Background(), removal.RollbackRequest{Origin: removal.Origin{RunID: "late"}}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.see("after the rollback", shownNode, "columnCount 3", "customProperties tier=gold,", "profiledOn 2000", "rowCount 20", "subtypes View,")
	h.see("records of rollbacks are no time series", `MATCH (e)-[r]->(t:TimeSeries) WHERE t.aspect IN ['takenBack', 'rollbacks'] RETURN DISTINCT type(r)`, "HAS_RECORD")
	h.Put("", "DELETE", shownTable, "subTypes", "")
	h.Put("", "DELETE", shownTable, "datasetProperties", "")
	h.see("without both aspects", shownNode, "columnCount 3", "profiledOn 2000", "rowCount 20")
	h.see("marks", `MATCH (e:Entity) WHERE e.removed IS NULL RETURN e.urn`)
}

// seen returns the graph as people see it, without the properties that every write changes. An
// ended edge keeps its properties.
func seen(t *testing.T, uri string) []string {
	t.Helper()
	found := append(texts(t, uri, `MATCH (e:Entity) UNWIND keys(e) AS k WITH e, k WHERE NOT k STARTS WITH '_'
		RETURN e.urn + ' ' + k + ' ' + CASE WHEN e[k] IS :: LIST<ANY> THEN reduce(t = '', x IN e[k] | t + x + ',') ELSE toString(e[k]) END AS what`),
		texts(t, uri, `MATCH (a:Entity)-[r]->(b) WHERE type(r) <> 'ENDED'
		RETURN a.urn + ' ' + type(r) + ' ' + coalesce(b.urn, '') + coalesce(b.key, '') + reduce(t = '', x IN coalesce(r.types, []) | t + x + ',') + coalesce(toString(r.primary), '') + coalesce(toString(b.rowCount), '') AS what`)...)
	slices.Sort(found)
	return found
}

// toLayoutBeforeShown changes a database to the layout after migration 6.
func toLayoutBeforeShown(t *testing.T, uri string) {
	t.Helper()
	for _, statement := range []string{
		"MATCH (e:Entity) REMOVE e.qualifiedName, e.platformId, e.subtypes, e.customProperties, e.structuredProperties, e.rowCount, e.columnCount, e.profiledOn",
		"MATCH (c:SchemaField) REMOVE c.dataType, c.nativeType, c.nullable, c.description, c.editedDescription",
		"MATCH (c:SchemaField) WHERE c.entityType IS NULL REMOVE c.removed",
		"MATCH ()-[r:HAS_TAG|HAS_TERM]->() DELETE r",
		"MATCH ()-[r:OwnedBy|SiblingOf]->() REMOVE r.types, r.primary",
		"MATCH (t:TimeSeries) REMOVE t.rowCount, t.columnCount, t.sizeInBytes",
		"MATCH (e)-[r:HAS_RECORD]->(t) CREATE (e)-[:HAS_TIME_SERIES]->(t) DELETE r",
		"MATCH (s:HeadwaterSchema) SET s.version = 6",
	} {
		query(t, uri, statement)
	}
}

// TestShownOnReplicas: people see the same graph on a replica as on its source, although the
// statements that the replica receives do not contain the properties for people.
func TestShownOnReplicas(t *testing.T) {
	h := newShownHarness(t)
	source := catalogtest.NewHarness(t)
	repeat := func() {
		t.Helper()
		stored, err := source.Store.History(context.Background(), []string{shownTable})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Mirror(context.Background(), []write.Mirrored{{URN: shownTable, Whole: true, State: stored[shownTable]}}); err != nil {
			t.Fatal(err)
		}
	}
	owner := func(kind string) {
		source.Say(shownTable, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"`+kind+`"}],"lastModified":`+catalogtest.Stamp+`}`)
	}
	owner("TECHNICAL_OWNER")
	source.Say(shownTable, "schemaMetadata", shownSchema(shownField("email", piiTag)))
	repeat()
	h.see("owners", shownOwners, "OwnedBy ada TECHNICAL_OWNER,")
	h.see("labels", shownLabels, "email HAS_TAG PII schemaMetadata")
	owner("BUSINESS_OWNER")
	source.Say(shownTable, "schemaMetadata", shownSchema(shownField("email", "")))
	repeat()
	h.see("another kind", shownOwners, "OwnedBy ada BUSINESS_OWNER,")
	h.see("no labels", shownLabels)
}
