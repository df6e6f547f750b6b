package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/postgres"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// shop is a database of a test, with the checkpoints of its runs.
type shop struct {
	*testing.T
	conn   *pgx.Conn
	name   string
	config map[string]any
	last   json.RawMessage
	fail   error
}

func (s *shop) Last(context.Context, string, string) (json.RawMessage, error) { return s.last, s.fail }

func newShop(t *testing.T) *shop {
	t.Helper()
	address := testservers.Postgres(t)
	connect := func(database string) *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+address+"/"+database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		return conn
	}
	s := &shop{T: t, name: fmt.Sprintf("shop%d", time.Now().UnixNano())}
	if _, err := connect("postgres").Exec(t.Context(), "CREATE DATABASE "+s.name); err != nil {
		t.Fatal(err)
	}
	s.conn = connect(s.name)
	s.config = map[string]any{"host_port": address, "username": "postgres", "database": s.name, "include_usage_statistics": true}
	s.run("CREATE TABLE orders (id int, total int)", "CREATE TABLE people (id int, email text)", "CREATE TABLE still (id int)", "INSERT INTO still VALUES (1)")
	return s
}

func (s *shop) run(statements ...string) {
	s.Helper()
	for _, text := range statements {
		if _, err := s.conn.Exec(s.Context(), text, pgx.QueryExecModeSimpleProtocol); err != nil {
			s.Fatalf("%s: %v", text, err)
		}
	}
}

// flushed makes the server publish the counters of this connection.
func (s *shop) flushed() { s.run("SELECT pg_stat_force_next_flush()", "SELECT 1") }

func (s *shop) urn(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres," + s.name + ".public." + table + ",PROD)"
}

// read reads the database as a run does, keeps its state, and returns its aspects by entity and name.
func (s *shop) read() (map[string]map[string]any, *connectors.Report) {
	s.Helper()
	memory := &connectors.Memory{Platform: "postgres", Pipeline: "nightly", Checkpoints: s}
	c := &postgres.Connector{SQL: &lineage.Reader{Parser: testsql.Parser()}}
	c.Remember(memory)
	report, aspects := &connectors.Report{}, map[string]map[string]any{}
	for p, err := range c.Read(s.Context(), s.config, report) {
		if err != nil {
			s.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(p.Aspect.Value), &value); err != nil {
			s.Fatal(err)
		}
		aspects[p.EntityURN+" "+p.AspectName] = value
	}
	for _, p := range memory.State("run", time.Now(), report) {
		if p.AspectName == model.AspectDatahubIngestionCheckpoint {
			s.last = json.RawMessage(p.Aspect.Value)
		}
	}
	return aspects, report
}

// TestUsage: statements that ran since the last run count for the day, by user, and the queries are named
// with their tables.
func TestUsage(t *testing.T) {
	s := newShop(t)
	if _, report := s.read(); strings.Contains(strings.Join(report.Warnings, "\n"), "does not have the extension pg_stat_statements") == false {
		t.Errorf("without the extension, the report says %v", report.Warnings)
	}
	s.run("CREATE EXTENSION pg_stat_statements")
	s.read()
	role := "reader" + s.name
	s.run("CREATE ROLE "+role, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
	for range 3 {
		s.run("SELECT id, total FROM orders WHERE total > 7")
	}
	s.run("SET ROLE "+role, "SELECT id FROM orders WHERE total > 8", "RESET ROLE", "INSERT INTO orders SELECT 1, 2")
	aspects, report := s.read()
	usage := aspects[s.urn("orders")+" "+model.AspectDatasetUsageStatistics]
	counts := map[string]float64{}
	for _, one := range list(usage["userCounts"]) {
		counts[one["user"].(string)] = one["count"].(float64)
	}
	if usage["totalSqlQueries"] != 4.0 || counts["urn:li:corpuser:postgres"] != 3 || counts["urn:li:corpuser:"+role] != 1 {
		t.Errorf("the usage is %v; %v", usage, report.Warnings)
	}
	if fields := fmt.Sprint(usage["fieldCounts"]); !strings.Contains(fields, "fieldPath:total") || !strings.Contains(fields, "count:4") {
		t.Errorf("the columns are %s", fields)
	}
	queries, lineages := 0, 0
	for name, value := range aspects {
		if strings.HasSuffix(name, " "+model.AspectQuerySubjects) && strings.Contains(fmt.Sprint(value), s.urn("orders")) {
			queries++
		}
		if strings.HasSuffix(name, " "+model.AspectUpstreamLineage) {
			lineages++
		}
	}
	if queries < 2 || lineages != 0 {
		t.Errorf("%d queries, and lineage of %d tables", queries, lineages)
	}
	s.run("SELECT id, total FROM orders WHERE total > 9")
	aspects, _ = s.read()
	if total := aspects[s.urn("orders")+" "+model.AspectDatasetUsageStatistics]["totalSqlQueries"]; total != 5.0 {
		t.Errorf("later on the day, %v queries", total)
	}
	s.config["query_exclude_patterns"] = []any{"FROM ORDERS"}
	s.run("SELECT id, total FROM orders WHERE total > 9")
	if aspects, _ = s.read(); aspects[s.urn("orders")+" "+model.AspectDatasetUsageStatistics] != nil {
		t.Error("what the recipe leaves out is stated")
	}
}

func list(value any) (objects []map[string]any) {
	items, _ := value.([]any)
	for _, item := range items {
		objects = append(objects, item.(map[string]any))
	}
	return objects
}

// TestFreshness: a table whose rows have changed since the last run has an operation with the time and its source; an
// unchanged table has none.
func TestFreshness(t *testing.T) {
	s := newShop(t)
	s.run("INSERT INTO orders VALUES (1, 2)")
	s.flushed()
	began := time.Now()
	aspects, _ := s.read()
	operation := func(table string) map[string]any { return aspects[s.urn(table)+" "+model.AspectOperation] }
	basis := func(table string) string {
		properties, _ := operation(table)["customProperties"].(map[string]any)
		return fmt.Sprint(properties["basis"])
	}
	at := func(table string) time.Time {
		moment, _ := operation(table)["lastUpdatedTimestamp"].(float64)
		return time.UnixMilli(int64(moment))
	}
	if basis("orders") != "commit of the newest row" || at("orders").After(began) || began.Sub(at("orders")) > time.Minute || operation("people") != nil {
		t.Errorf("at first: %v, %v", operation("orders"), operation("people"))
	}
	s.run("INSERT INTO people VALUES (1, 'a')", "DELETE FROM orders")
	s.flushed()
	before := time.Now().Add(-time.Second)
	aspects, _ = s.read()
	if basis("people") != "commit of the newest row" || basis("orders") != "counters of changed rows" || at("orders").Before(before) || operation("still") != nil {
		t.Errorf("later: %v, %v, %v", operation("people"), operation("orders"), operation("still"))
	}
	if properties, _ := operation("orders")["customProperties"].(map[string]any); properties["after"] == nil {
		t.Errorf("since when is not said: %v", operation("orders"))
	}
	aspects, _ = s.read()
	if operation("people") != nil || operation("orders") != nil {
		t.Errorf("without changes: %v, %v", operation("people"), operation("orders"))
	}
	s.fail = errors.New("the server is away")
	if _, report := s.read(); !strings.Contains(strings.Join(report.Warnings, "\n"), "the server is away") {
		t.Errorf("without the last state, the report says %v", report.Warnings)
	}
}
