package neo4j_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/cypher"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var relationshipTypes = []string{"DownstreamOf", "OwnedBy", "Consumes"}

func tagUpdate(n int) (string, func(graphstore.Tx) error) {
	urn := fmt.Sprintf("urn:li:tag:%d", n)
	return urn, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			PutVersions: []graphstore.Aspect{{URN: urn, Name: "status", Seq: 1, Value: []byte(`{}`)}},
			Nodes:       []graphstore.NodeUpdate{{URN: urn, Type: "tag", Exists: true}},
		})
	}
}

// TestServersStartTogether: several servers migrate an empty database at once.
func TestServersStartTogether(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestNewerSchemaIsRefused(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	query(t, uri, "MERGE (s:HeadwaterSchema {id: 1}) SET s.version = 999")
	defer testservers.WipeNeo4j(t, uri)
	_, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri})
	if !errors.Is(err, graphstore.ErrNewerSchema) {
		t.Errorf("data of a newer schema: %v", err)
	}
}

func query(t testing.TB, uri, statement string) []*driver.Record {
	t.Helper()
	ctx := context.Background()
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(ctx)
	result, err := driver.ExecuteQuery(ctx, d, statement, nil, driver.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	return result.Records
}

// TestRouting: with neo4j://, the driver finds the only server, and reads see earlier writes.
func TestRouting(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: strings.Replace(uri, "bolt://", "neo4j://", 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 20 {
		urn, fn := tagUpdate(n)
		if err := s.Update(context.Background(), []string{urn}, fn); err != nil {
			t.Fatal(err)
		}
		if found, err := s.Entities(context.Background(), []string{urn}); err != nil || len(found) != 1 {
			t.Fatalf("a write is not seen: %v", err)
		}
	}
}

// TestNobodyThere: an address without a server has an error of its own.
func TestNobodyThere(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := neo4j.Open(ctx, neo4j.Options{URI: "bolt://127.0.0.1:1", User: "me", Password: "hidden"})
	if !errors.Is(err, graphstore.ErrUnavailable) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

// TestServerKilled kills the server during writes. All writes that were answered are stored
// when the server is back, and the store recovers by itself.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a Neo4j of its own, which -short leaves out")
	}
	server, err := testservers.StartNeo4j(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { server.Kill() }()
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: server.URI, RetryTime: time.Second, AcquireTimeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var answered sync.Map
	var next, count atomic.Int64
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for {
				urn, fn := tagUpdate(int(next.Add(1)))
				if err := s.Update(context.Background(), []string{urn}, fn); err != nil {
					if !errors.Is(err, graphstore.ErrUnavailable) {
						t.Errorf("the server is gone: %v", err)
					}
					return
				}
				answered.Store(urn, true)
				if count.Add(1) == 100 {
					server.Kill()
				}
			}
		})
	}
	group.Wait()
	if err := s.Ping(context.Background()); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("ping while it is away: %v", err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	missing := 0
	answered.Range(func(urn, _ any) bool {
		found, err := s.Entities(context.Background(), []string{urn.(string)})
		if err != nil {
			t.Error(err)
			return false
		}
		missing += 1 - len(found)
		return true
	})
	if missing > 0 {
		t.Errorf("%d of %d answered writes are lost", missing, count.Load())
	}
}

// TestFedByOfOlderData: edges that are older than FED_BY get a FED_BY when the database is
// migrated.
func TestFedByOfOlderData(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	defer testservers.WipeNeo4j(t, uri)
	ctx := context.Background()
	open := func() *neo4j.Store {
		s, err := neo4j.Open(ctx, neo4j.Options{URI: uri, RelationshipTypes: storetest.RelationshipTypes, Kinds: storetest.Kinds, Mirrored: storetest.Mirrored})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const job, table = "urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)", "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)"
	produces := storetest.Mirrored[0]
	s := open()
	err := s.Update(ctx, []string{job}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			Nodes: []graphstore.NodeUpdate{{URN: job, Type: "dataJob", Exists: true}},
			AddEdges: []graphstore.EdgeStatement{{
				EdgeID:     graphstore.EdgeID{Owner: job, Aspect: "dataJobInputOutput", Path: "outputDatasets/*", Source: job, Type: produces.Type, Destination: table},
				SourceType: produces.SourceType, DestinationType: produces.DestinationType, Since: 1,
			}},
		})
	})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	query(t, uri, "MATCH ()-[m:FED_BY]->() DELETE m")
	query(t, uri, "MATCH (s:HeadwaterSchema) SET s.version = 1")
	for range 2 { // the second migration has nothing to do
		s = open()
		walk, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{table}, Steps: []graphstore.Step{{EdgeKind: produces, Direction: graphstore.Incoming}}, Limit: 9})
		if err != nil || len(walk.Visits) != 1 || walk.Visits[0].URN != job {
			t.Errorf("after the migration: %+v %v", walk, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		query(t, uri, "MATCH (s:HeadwaterSchema) SET s.version = 1")
	}
	if n, _ := query(t, uri, "MATCH (:Dataset)-[m:FED_BY]->(:DataJob) RETURN count(m) AS n")[0].Get("n"); n != int64(1) {
		t.Errorf("there are %v FED_BY, one is wanted", n)
	}
}

// TestPlans: no statement of a hot path reads nodes that it did not find by an index.
func TestPlans(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri) // plans depend on the data
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	statements, err := cypher.Load(relationshipTypes, []string{"Dataset", "DataJob"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(ctx)
	params := map[string]any{
		"group": map[string]any{"entities": []any{}}, "token": 1, "urns": []any{}, "names": []any{}, "rows": []any{}, "keys": []any{}, "now": 1, "urn": "u", "name": "n", "version": 0,
		"types": []any{}, "limit": 1, "asOf": 1, "start": 0, "count": 1, "aspect": "a", "from": 0, "to": 1, "afterTime": nil, "afterKey": nil,
		"after": []any{0}, "type": "dataset", "cursor": "", "prefix": "u", "suffix": "u", "contains": "u", "bytes": 1,
		"each": 1, "shards": 64, "aspects": []any{}, "statedBy": []any{}, "recent": 1,
	}
	for _, name := range []string{
		"read/entities", "read/latest_named", "read/latest_all", "read/version", "read/versions", "read/versions_numbered", "read/trimmed", "read/oldest_positions", "write/trim_changes", "read/edges_out", "read/edges_in",
		"read/edges_out_as_of", "read/edges_in_as_of", "read/time_series_descending", "read/time_series_ascending", "read/changes", "read/list_entities",
		"read/changes_without_values", "read/tokens", "read/positions", "read/latest_time_series",
		"read/walk_out", "read/walk_in", "read/walk_out_nearest", "read/walk_in_nearest", "read/hop_out_plain", "read/hop_in_plain", "read/hop_out_before", "read/hop_in_before", "read/walk_out_packed", "read/walk_in_packed", "read/walk_out_before", "read/walk_in_before", "read/walk_out_stated", "read/walk_in_stated", "read/stated_out", "read/stated_in", "read/hop_out_as_of", "read/hop_in_as_of", "read/with_prefix",
		"write/add_mirrors", "write/end_mirrors", "write/lock", "write/group_states", "write/aspect_states", "write/last_seq", "write/create_versions", "write/archive", "write/observe", "write/nodes",
		"write/placeholders", "write/add_edges", "write/end_edges", "write/update_edges", "write/put_time_series", "write/put_records", "write/add_changes", "write/delete_versions",
		"write/columns", "write/drop_columns", "write/columns_of", "write/drop_untouched", "write/delete_entities", "schema/describe",
	} {
		text, err := statements.Walk(name, relationshipTypes[:1], []string{"Dataset", "DataJob"}, []cypher.Exception{{Type: relationshipTypes[0], From: "DataJob", To: "Dataset"}}, 5)
		if err != nil {
			t.Fatal(err)
		}
		result, err := driver.ExecuteQuery(ctx, d, "EXPLAIN "+text, params, driver.EagerResultTransformer)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		plan := operators(t, result.Summary.Plan())
		checkPlan(t, name, plan)
		if strings.HasPrefix(name, "read/walk_") && !strings.Contains(plan, "VarLengthExpand(Pruning,BFS,All)") {
			t.Errorf("%s is not a breadth-first walk", name)
		}
	}
}

// TestPlanOfGroups: the statement that writes for a group reads no nodes that it did not find
// by an index, even if the statement was planned for an empty database, because the database
// reuses that plan.
func TestPlanOfGroups(t *testing.T) {
	uri := testservers.Neo4j(t)
	testservers.WipeNeo4j(t, uri)
	s, err := neo4j.Open(context.Background(), neo4j.Options{URI: uri, RelationshipTypes: relationshipTypes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	params := map[string]any{"token": 1, "now": 1, "group": map[string]any{}}
	text := strings.Replace(s.GroupText(), "replan=skip", "replan=force", 1)
	result, err := driver.ExecuteQuery(context.Background(), d, "EXPLAIN "+text, params, driver.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, "a group's statement", operators(t, result.Summary.Plan()))
}

// operators returns a plan as text, with all its branches. The driver's Plan.Children returns
// the last child in place of every child (v5.28.4), so operators reads the private fields of
// the plan.
func operators(t *testing.T, plan driver.Plan) string {
	t.Helper()
	text := fmt.Sprintf("%+v", reflect.ValueOf(plan).Elem().Field(0).Elem())
	if !strings.HasPrefix(text, "{Operator:ProduceResults") && !strings.HasPrefix(text, "{Operator:EmptyResult") {
		t.Fatalf("this is not a plan: %s", text)
	}
	return text
}

func checkPlan(t *testing.T, statement, plan string) {
	t.Helper()
	for _, scan := range []string{"AllNodesScan", "NodeByLabelScan", "RelationshipTypeScan", "NodeIndexScan"} {
		if strings.Contains(plan, scan) {
			t.Errorf("%s: %s\n%s", statement, scan, plan)
		}
	}
}
