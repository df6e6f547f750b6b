package postgres

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestDatabase reads tables, keys, views, procedures and profiles of a real database.
func TestDatabase(t *testing.T) {
	address, name := testservers.Postgres(t), fmt.Sprintf("read%d", time.Now().UnixNano())
	run(t, address, "postgres", "CREATE DATABASE "+name)
	run(t, address, name,
		`CREATE TABLE customers (id int PRIMARY KEY, "the name" text NOT NULL, born date, score numeric(6,2), seen timestamptz, tags text[], ok boolean)`,
		`COMMENT ON TABLE customers IS 'who "buys", and where'`, `COMMENT ON COLUMN customers.score IS 'ä{b}'`,
		`CREATE TABLE bought (customer int, place int, at int, CONSTRAINT who FOREIGN KEY (customer) REFERENCES customers (id), PRIMARY KEY (place, at))`,
		`INSERT INTO customers VALUES (1, 'a,"b"', '2000-01-02', 1.50, '2026-11-30 20:40:09.25+00', '{x,"y z"}', true), (2, 'NULL', NULL, 3, NULL, NULL, false)`,
		`CREATE VIEW named AS SELECT c.id, b.place FROM customers c JOIN bought b ON b.customer = c.id`,
		`CREATE PROCEDURE tidy(days int) LANGUAGE SQL AS 'DELETE FROM bought'`, `COMMENT ON PROCEDURE tidy IS 'tidies'`,
		`ANALYZE`,
	)
	c, r := read(map[string]any{"host_port": address, "username": "postgres", "database": name})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	db, err := (&driver{c}).Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := db.Path(); !cmp.Equal(got, []string{"public"}) {
		t.Errorf("the path is %q", got)
	}
	if got, err := db.Schemas(t.Context()); err != nil || !cmp.Equal(got, []string{"information_schema", "public"}) {
		t.Errorf("the schemas are %q, %v", got, err)
	}
	found := map[string]*relational.Table{}
	for table, err := range db.Tables(t.Context(), "public", relational.What{Tables: true, Views: true, Sizes: true}) {
		if err != nil {
			t.Fatal(err)
		}
		one := *table
		found[table.Name] = &one
	}
	customers, bought, named := found["customers"], found["bought"], found["named"]
	if len(found) != 3 || customers == nil || bought == nil || named == nil {
		t.Fatalf("%d tables: %v", len(found), found)
	}
	if *customers.Comment != `who "buys", and where` || *customers.Rows != 2 || customers.Bytes == nil || *customers.Bytes <= 0 || named.Comment != nil || named.Rows != nil {
		t.Errorf("%+v", customers)
	}
	var columns []string
	for _, one := range customers.Columns {
		text := one.Name + " " + one.Native
		if !one.Nullable {
			text += " required"
		}
		if one.Key {
			text += " key"
		}
		if one.Comment != nil {
			text += " " + *one.Comment
		}
		columns = append(columns, text)
	}
	want := []string{
		"id INTEGER required key", "the name TEXT required", "born DATE", "score NUMERIC(6, 2) ä{b}", "seen TIMESTAMP WITH TIME ZONE", "tags TEXT[]", "ok BOOLEAN",
	}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Error(diff)
	}
	foreign := []relational.ForeignKey{{Name: "who", Columns: []string{"customer"}, Referred: []string{"id"}, Table: relational.Name{Schema: "public", Table: "customers"}}}
	if diff := cmp.Diff(foreign, bought.Foreign); diff != "" || bought.Columns[0].Key || !bought.Columns[1].Key || !bought.Columns[2].Key {
		t.Error(diff, bought.Columns)
	}
	sources := []relational.Name{{Schema: "public", Table: "bought"}, {Schema: "public", Table: "customers"}}
	if diff := cmp.Diff(sources, named.Sources); diff != "" || !named.View || named.Materialized || !strings.Contains(named.Definition, "JOIN bought b") {
		t.Error(diff, named.Definition)
	}
	procedures, err := db.Procedures(t.Context(), "public")
	if err != nil || len(procedures) != 1 || procedures[0].Name != "tidy" || !strings.Contains(procedures[0].Arguments, "days integer") || procedures[0].Definition != "DELETE FROM bought" || *procedures[0].Comment != "tidies" {
		t.Errorf("%+v, %v", procedures, err)
	}
	testProfile(t, db, customers)
}

// run runs statements in a database.
func run(t *testing.T, address, database string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+address+"/"+database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func testProfile(t *testing.T, db relational.Database, customers *relational.Table) {
	t.Helper()
	asked := make([]*relational.Column, len(customers.Columns))
	for i := range customers.Columns {
		asked[i] = &customers.Columns[i]
	}
	p := &relational.Profiling{StatementSeconds: 60, Distinct: true, Min: true, Max: true, Mean: true, Median: true, Deviation: true, Samples: true, MaxSamples: 5}
	made, err := db.Profile(t.Context(), customers, asked, p)
	if err != nil || made.Rows != 2 || len(made.Columns) != len(asked) {
		t.Fatalf("%+v, %v", made, err)
	}
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	var got []string
	for _, one := range made.Columns {
		got = append(got, strings.Join(append([]string{one.Name, text(one.Min), text(one.Max), text(one.Mean), text(one.Median)}, one.Samples...), "|"))
		if one.Distinct == nil || *one.Distinct != one.NotNull || one.NotNull != 2 && one.Name != "born" && one.Name != "seen" && one.Name != "tags" {
			t.Errorf("%+v", one)
		}
	}
	want := []string{
		`id|1|2|1.5|1.5|1|2`, `the name|-|-|-|-|a,"b"|NULL`, `born|2000-01-02|2000-01-02|-|-|2000-01-02`, `score|1.5|3.0|2.25|2.25|1.50|3.00`,
		`seen|2026-11-30T20:40:09.250000+00:00|2026-11-30T20:40:09.250000+00:00|-|-|2026-11-30 20:40:09.250000+00:00`, `tags|-|-|-|-|{x,"y z"}`, `ok|-|-|-|-|True|False`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
