package neo4j_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

const (
	orders = "urn:li:dataset:(urn:li:dataPlatform:test,orders,PROD)"
	raw    = "urn:li:dataset:(urn:li:dataPlatform:test,raw,PROD)"
)

func columnOf(holder, path string) string {
	return "urn:li:schemaField:(" + holder + "," + path + ")"
}

// peopleOptions are the options of a store whose database people read. Its schemas are lists of
// paths.
func peopleOptions(uri string) neo4j.Options {
	return neo4j.Options{
		URI: uri, RelationshipTypes: storetest.RelationshipTypes, Kinds: storetest.Kinds, Mirrored: storetest.Mirrored,
		ForPeople: graphstore.ForPeople{
			Describe: storetest.Describe, Aspects: []string{"schemaMetadata"},
			Show: func(a *graphstore.Aspect) (shown graphstore.Shown, _ []graphstore.EdgeStatement, err error) {
				var paths []string
				err = json.Unmarshal(a.Value, &paths)
				for _, path := range paths {
					shown.Columns = append(shown.Columns, graphstore.Column{URN: columnOf(a.URN, path)})
				}
				return shown, nil, err
			},
		},
	}
}

func openForPeople(t testing.TB, uri string) *neo4j.Store {
	t.Helper()
	s, err := neo4j.Open(context.Background(), peopleOptions(uri))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func writeTo(t *testing.T, s *neo4j.Store, urns []string, b graphstore.Batch) {
	t.Helper()
	if err := s.Update(context.Background(), urns, func(tx graphstore.Tx) error { return tx.Write(b) }); err != nil {
		t.Fatal(err)
	}
}

// texts returns the only member of each row of a query.
func texts(t *testing.T, uri, statement string) []string {
	t.Helper()
	found := []string{}
	for _, r := range query(t, uri, statement) {
		found = append(found, fmt.Sprint(r.Values[0]))
	}
	return found
}

func wantTexts(t *testing.T, what, uri, statement string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), texts(t, uri, statement)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const (
	listedColumns = `MATCH (c:SchemaField {inSchema: true})-[:COLUMN_OF]->(d:Dataset) RETURN d.name + ' ' + c.name + ' ' + c.fieldPath AS what ORDER BY what`
	otherColumns  = `MATCH (c:SchemaField)-[:COLUMN_OF]->(d:Dataset) WHERE c.inSchema IS NULL RETURN d.name + ' ' + c.name + ' ' + c.fieldPath AS what ORDER BY what`
	lonelyNodes   = `MATCH (e:Entity) WHERE e.name IS NULL OR e:SchemaField AND COUNT { (e)-[:COLUMN_OF]->() } <> 1 RETURN e.urn AS what ORDER BY what`
)

func schemaOf(urn string, gained, lost []string) graphstore.Batch {
	n := graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true, Properties: map[string]any{"name": storetest.Describe(urn).Name}}
	for _, path := range gained {
		n.Shown.Columns = append(n.Shown.Columns, graphstore.Column{URN: columnOf(urn, path)})
	}
	for _, path := range lost {
		n.Shown.LostColumns = append(n.Shown.LostColumns, columnOf(urn, path))
	}
	return graphstore.Batch{Nodes: []graphstore.NodeUpdate{n}}
}

// TestColumnsForPeople: every column of a schema, and every column about which anything is
// stated, is a node with a name, connected to its entity.
func TestColumnsForPeople(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := openForPeople(t, uri)
	name := storetest.Describe(orders).Name
	rawName := storetest.Describe(raw).Name

	writeTo(t, s, []string{orders}, schemaOf(orders, []string{"id", "net"}, nil))
	wantTexts(t, "a schema", uri, listedColumns, name+" id id", name+" net net")
	wantTexts(t, "nodes without a name", uri, lonelyNodes)

	lineage := graphstore.Batch{AddEdges: []graphstore.EdgeStatement{
		storetest.ColumnEdge(orders, columnOf(orders, "net"), columnOf(raw, "gross")),
		storetest.ColumnEdge(orders, columnOf(orders, "old"), columnOf(raw, "gross")),
	}}
	writeTo(t, s, []string{orders}, lineage)
	wantTexts(t, "columns that no schema has", uri, otherColumns, name+" old old", rawName+" gross gross")
	wantTexts(t, "nodes without a name, with lineage", uri, lonelyNodes)

	writeTo(t, s, []string{orders}, schemaOf(orders, []string{"total"}, []string{"id", "net"}))
	wantTexts(t, "another schema", uri, listedColumns, name+" total total")
	wantTexts(t, "columns that were lost, with lineage", uri, otherColumns, name+" net net", name+" old old", rawName+" gross gross")

	writeTo(t, s, []string{orders}, graphstore.Batch{DeleteEntities: []string{orders}})
	wantTexts(t, "everything that is left", uri, `MATCH (e:Entity) RETURN e.urn`)
}

// TestColumnsOfAGroup: for each column, the last update of a group counts, also if it deletes
// the column.
func TestColumnsOfAGroup(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := openForPeople(t, uri)
	name := storetest.Describe(orders).Name
	err := s.Update(context.Background(), []string{orders}, func(tx graphstore.Tx) error {
		for _, b := range []graphstore.Batch{
			schemaOf(orders, []string{"a", "b"}, nil), schemaOf(orders, []string{"c"}, []string{"a"}), schemaOf(orders, []string{"a"}, []string{"b"}),
		} {
			if err := tx.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, "three schemas", uri, listedColumns, name+" a a", name+" c c")
	wantTexts(t, "columns that were lost at once", uri, otherColumns)

	many := make([]string, 12_000) // more columns than one statement of a group writes
	for i := range many {
		many[i] = fmt.Sprintf("c%05d", i)
	}
	writeTo(t, s, []string{orders}, schemaOf(orders, many, nil))
	wantTexts(t, "a wide schema", uri, `MATCH (c:SchemaField {inSchema: true}) RETURN count(c)`, "12002")
	writeTo(t, s, []string{orders}, schemaOf(orders, nil, many))
	wantTexts(t, "without most of it", uri, `MATCH (c:SchemaField) RETURN count(c)`, "2")
}

// TestTimeSeriesForPeople: values are connected to their entity, and are deleted with it.
func TestTimeSeriesForPeople(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := openForPeople(t, uri)
	value := func(key string, at int64) graphstore.TimeSeriesValue {
		return graphstore.TimeSeriesValue{URN: orders, Aspect: "datasetProfile", Key: key, Timestamp: at, Value: json.RawMessage(`{}`)}
	}
	b := schemaOf(orders, nil, nil)
	b.PutTimeSeries = []graphstore.TimeSeriesValue{value("a", 1), value("b", 2), value("a", 1)}
	writeTo(t, s, []string{orders}, b)
	hanging := `MATCH (d:Dataset)-[:HAS_TIME_SERIES]->(t:TimeSeries:DatasetProfile) RETURN t.key ORDER BY t.key`
	wantTexts(t, "values", uri, hanging, "a", "b")
	writeTo(t, s, []string{orders}, graphstore.Batch{DeleteTimeSeries: []graphstore.TimeSeriesRange{{URN: orders, To: 1}}})
	wantTexts(t, "after a delete", uri, hanging, "b")
	writeTo(t, s, []string{orders}, graphstore.Batch{DeleteEntities: []string{orders}})
	wantTexts(t, "at the end", uri, `MATCH (n) WHERE n:Entity OR n:TimeSeries RETURN labels(n)`)
}

// TestPropertiesForPeople: the names of properties that only the store uses begin with an
// underscore.
func TestPropertiesForPeople(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := openForPeople(t, uri)
	writeTo(t, s, []string{orders}, schemaOf(orders, []string{"id"}, nil))
	writeTo(t, s, []string{orders}, graphstore.Batch{AddEdges: []graphstore.EdgeStatement{storetest.ColumnEdge(orders, columnOf(orders, "id"), columnOf(raw, "id"))}})
	wantTexts(t, "properties", uri, `MATCH (d:Dataset) UNWIND keys(d) AS key RETURN DISTINCT key ORDER BY key`,
		"_changedOn", "_statedSources", "_writeToken", "entityType", "exists", "name", "removed", "urn")
	found, err := s.Entities(context.Background(), []string{orders, raw})
	if err != nil || len(found) != 1 || !cmp.Equal(found[0].Properties, map[string]any{"name": storetest.Describe(orders).Name}) {
		t.Errorf("what the store answers: %+v %v", found, err)
	}
}

// toOldLayout changes a database to the layout that release 0004 wrote.
func toOldLayout(t *testing.T, uri string) {
	t.Helper()
	for _, statement := range []string{
		"MATCH (c:SchemaField) WHERE c.entityType IS NULL DETACH DELETE c",
		"MATCH (e:Entity) WHERE e.entityType IS NULL DETACH DELETE e",
		"MATCH ()-[r:COLUMN_OF|HAS_TIME_SERIES]->() DELETE r",
		"MATCH (e:Entity) SET e.changedOn = e._changedOn, e.writeToken = e._writeToken, e.statedSources = e._statedSources " +
			"REMOVE e._changedOn, e._writeToken, e._statedSources, e.inSchema, e.fieldPath",
		"MATCH (e:Entity) WHERE NOT e.exists REMOVE e.name",
		"MATCH (s:HeadwaterSchema) SET s.version = 4",
	} {
		query(t, uri, statement)
	}
}

// everything returns the graph as people see it, without the properties that every write
// changes.
func everything(t *testing.T, uri string) []string {
	t.Helper()
	found := append(texts(t, uri, `MATCH (e:Entity) UNWIND keys(e) AS k
		RETURN e.urn + ' ' + k + ' ' + CASE k WHEN '_statedSources' THEN toString(size(e[k])) ELSE toString(e[k]) END AS what`),
		texts(t, uri, `MATCH (a:Entity)-[r]->(b) RETURN a.urn + ' ' + type(r) + ' ' + b.urn + coalesce(b.key, '') AS what`)...)
	slices.Sort(found)
	return found
}

// TestMigrationForPeople: a database of the former layout is migrated to the present layout,
// even if the migration is stopped in the middle.
func TestMigrationForPeople(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s := openForPeople(t, uri)
	for i := range 30 {
		u := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:test,table_%02d,PROD)", i)
		upstream := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:test,table_%02d,PROD)", (i+1)%40) // some of the upstream tables are never written
		b := schemaOf(u, []string{"id", "net"}, nil)
		b.PutVersions = []graphstore.Aspect{{URN: u, Name: "schemaMetadata", Seq: 1, Value: json.RawMessage(`["id","net"]`), CreatedOn: 1, CreatedBy: "urn:li:corpuser:a"}}
		b.AddEdges = []graphstore.EdgeStatement{storetest.ColumnEdge(u, columnOf(u, "net"), columnOf(upstream, "net")), storetest.ColumnEdge(u, columnOf(u, "gone"), columnOf(upstream, "net"))}
		b.PutTimeSeries = []graphstore.TimeSeriesValue{{URN: u, Aspect: "datasetProfile", Key: "k", Timestamp: 1, Value: json.RawMessage(`{}`)}}
		err := s.Update(context.Background(), []string{u}, func(tx graphstore.Tx) error {
			if _, err := tx.Aspects([]graphstore.AspectKey{{URN: u, Name: "schemaMetadata"}}); err != nil {
				return err
			}
			return tx.Write(b)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	damaged := graphstore.Batch{
		Nodes:       []graphstore.NodeUpdate{{URN: raw, Type: "dataset", Exists: true, Properties: map[string]any{"name": storetest.Describe(raw).Name}}},
		PutVersions: []graphstore.Aspect{{URN: raw, Name: "schemaMetadata", Seq: 1, Value: json.RawMessage(`{"not":"a list"}`), CreatedOn: 1, CreatedBy: "urn:li:corpuser:a"}},
	}
	writeTo(t, s, []string{raw}, damaged)
	want := everything(t, uri)
	toOldLayout(t, uri)

	options := peopleOptions(uri)
	options.OpenTimeout = 10 * time.Second
	began := time.Now()
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	described := 0
	options.ForPeople.Describe = func(urn string) graphstore.Description {
		if described++; described == 150 {
			time.Sleep(options.OpenTimeout - time.Since(began)) // the timeout does not bound the migration, whose end the test waits for later
			kill()
		}
		return storetest.Describe(urn)
	}
	if s, err := neo4j.Open(ctx, options); err == nil {
		_ = s.Close()
		t.Fatal("the migration was not stopped")
	} else if !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "cancel") {
		t.Fatal(err)
	}
	wantTexts(t, "the version in the middle", uri, "MATCH (s:HeadwaterSchema) RETURN s.version", "6")

	var servers sync.WaitGroup
	for range 2 { // two servers are upgraded at the same time
		servers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			s, err := neo4j.Open(ctx, peopleOptions(uri))
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	servers.Wait()
	if diff := cmp.Diff(want, everything(t, uri)); diff != "" {
		t.Errorf("after the migration (-want +got):\n%s", diff)
	}
	wantTexts(t, "nodes without a name", uri, lonelyNodes)
	wantTexts(t, "the version at the end", uri, "MATCH (s:HeadwaterSchema) RETURN s.version", "8")
}
