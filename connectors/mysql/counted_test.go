package mysql_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/mysql"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
)

// shop is a database of a test, with the checkpoints of its runs.
type shop struct {
	*testing.T
	db     *sql.DB
	name   string
	config map[string]any
	last   json.RawMessage
}

func (s *shop) Last(context.Context, string, string) (json.RawMessage, error) { return s.last, nil }

func newShop(t *testing.T) *shop {
	t.Helper()
	address := testservers.MySQL(t)
	s := &shop{T: t, name: fmt.Sprintf("shop%d", time.Now().UnixNano())}
	open := func(database string) *sql.DB {
		c := driver.NewConfig()
		c.User, c.Net, c.Addr, c.DBName = "root", "tcp", address, database
		db, err := sql.Open("mysql", c.FormatDSN())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	if _, err := open("").ExecContext(t.Context(), "CREATE DATABASE "+s.name); err != nil {
		t.Fatal(err)
	}
	s.db = open(s.name)
	s.config = map[string]any{"host_port": address, "username": "root", "database": s.name, "include_usage_statistics": true}
	s.run("CREATE TABLE orders (id int, total int)", "CREATE TABLE archive (id int, total int)")
	return s
}

func (s *shop) run(statements ...string) {
	s.Helper()
	for _, text := range statements {
		if _, err := s.db.ExecContext(s.Context(), text); err != nil {
			s.Fatalf("%s: %v", text, err)
		}
	}
}

func (s *shop) urn(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:mariadb," + s.name + "." + table + ",PROD)"
}

// read reads the database as a run does, keeps its state, and returns its aspects by entity and name. With several values of
// an aspect, the last one counts.
func (s *shop) read() (map[string]map[string]any, *connectors.Report) {
	s.Helper()
	memory := &connectors.Memory{Platform: "mariadb", Pipeline: "nightly", Checkpoints: s}
	c := &mysql.Connector{Platform: "mariadb", SQL: &lineage.Reader{Parser: testsql.Parser()}}
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

// TestUsage: the digests of the server say which tables and columns were queried today, and when statements wrote.
func TestUsage(t *testing.T) {
	s := newShop(t)
	for i := range 3 {
		s.run(fmt.Sprintf("SELECT id, total FROM orders WHERE total IN (%d, 7, 8)", i))
	}
	began := time.Now().Add(-2 * time.Second)
	s.run("INSERT INTO archive SELECT id, total FROM orders WHERE id = 5")
	usage := func() any {
		aspects, report := s.read()
		if len(report.Warnings) > 0 {
			t.Errorf("%v", report.Warnings)
		}
		at, _ := aspects[s.urn("archive")+" "+model.AspectOperation]["lastUpdatedTimestamp"].(float64)
		if moment := time.UnixMilli(int64(at)); moment.Before(began.Truncate(time.Second)) || moment.After(time.Now()) {
			t.Errorf("the table was written at %s", moment)
		}
		if fields := fmt.Sprint(aspects[s.urn("orders")+" "+model.AspectDatasetUsageStatistics]["fieldCounts"]); !strings.Contains(fields, "fieldPath:total") {
			t.Errorf("the columns are %s", fields)
		}
		return aspects[s.urn("orders")+" "+model.AspectDatasetUsageStatistics]["totalSqlQueries"]
	}
	if first := usage(); first != 4.0 { // the server has begun to count the statements today
		t.Errorf("at first, %v queries", first)
	}
	s.run("SELECT id, total FROM orders WHERE total IN (9, 7, 8)")
	if later := usage(); later != 5.0 {
		t.Errorf("later, %v queries", later)
	}
}
