package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/internal/sqlite"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// connectorComparison is a recipe that the client and headwater ingest source run.
type connectorComparison struct {
	name, kind string
	config     map[string]any
	// allowed are the differences that must occur; no others may.
	allowed []dbtDifference
}

// Differences between the client and headwater ingest source. A pattern is about the entity's type, the aspect, the
// place, and the entity.
var (
	differOperations = dbtDifference{`^dataset transformOperation `, "`fineGrainedLineages.transformOperation`", "Headwater has OpenLineage's words, such as `DIRECT:AGGREGATION`; the client writes the expression as its parser spells it"}
	differStatements = dbtDifference{`^query queryProperties \.statement\.value `, "`queryProperties.statement` of views", "Headwater has the text of the database; the client formats it anew"}
	differUnknowns   = dbtDifference{`^(dataset upstreamLineage|dataJob dataJobInputOutput) \.fineGrainedLineages\[\]\.confidenceScore `, "the confidence in columns of tables that are not read", "0.9 where the name can mean one column only; the client writes 0.2 or 0.35"}
	differMatviews   = dbtDifference{`^dataset viewProperties \.materialized `, "`viewProperties.materialized`", "it is true of materialized views; the client writes false"}
	differPath       = dbtDifference{`path_`, "names without a schema in views, procedures and foreign keys", "PostgreSQL leaves out a schema that is in the search path; the client then takes the one of the view or table, Headwater the one that has the table"}
	differWindows    = dbtDifference{`win_`, "columns that windows and LATERAL read", "the client counts the columns of PARTITION BY and ORDER BY as sources of a value; to Headwater they are not"}
	differOddValues  = dbtDifference{`^dataset datasetProfile \.fieldProfiles\[\]\.sampleValues(\[\]|\b).*odd_values`, "samples of intervals, bytes, `jsonb` and arrays", "Headwater shows them as the database writes them, and of bytes none; the client shows Python's values"}
	differDeletes    = dbtDifference{`^dataJob dataJobInputOutput \.inputDatasets .*(deletes|pr)_`, "the inputs of procedures that delete and update", "the client counts the changed table as an input"}
	differLiteNames  = dbtDifference{`^(dataset upstreamLineage|query querySubjects) .*sqlite`, "the upstreams of views in SQLite", "the client leaves out the schema `main` and writes names in lower case, so that no such datasets exist"}
	differChanged    = dbtDifference{`^dataset operation only headwater `, "`operation`", "Headwater states when rows were last changed, where the database tells it"}
)

// TestConnectors compares headwater ingest source with the sources of the unmodified client on PostgreSQL, MariaDB and
// SQLite. It installs the client, so it runs only if HEADWATER_TEST_CONNECTORS is set, as in make test-connectors.
func TestConnectors(t *testing.T) {
	if os.Getenv("HEADWATER_TEST_CONNECTORS") == "" {
		t.Skip("make test-connectors compares headwater ingest source with the client's sources")
	}
	postgres, maria, lite := filledPostgres(t), filledMySQL(t), filledSQLite(t)
	full := map[string]any{"enabled": true}
	schemas := map[string]any{"allow": []string{"sales", "hr", "other"}, "deny": []string{"other"}}
	comparisons := []connectorComparison{
		{"postgres", "postgres", withSettings(postgres, "profiling", full), []dbtDifference{differOperations, differStatements, differUnknowns, differMatviews, differPath, differWindows, differOddValues, differDeletes, differChanged}},
		{"postgres instance", "postgres", withSettings(postgres, "platform_instance", "main inst", "env", "dev", "schema_pattern", schemas, "table_pattern", map[string]any{"deny": []string{`.*\.sales\.CUST`}}, "include_stored_procedures", false,
			"profiling", map[string]any{"enabled": true, "profile_table_level_only": true}), []dbtDifference{differOperations, differStatements, differUnknowns, differMatviews, differChanged}},
		{"postgres without lineage", "postgres", withSettings(postgres, "include_view_lineage", false, "include_tables", false), []dbtDifference{differMatviews, differUnknowns, differDeletes}},
		{"sqlite", "sqlalchemy", withSettings(lite, "profiling", full), []dbtDifference{differOperations, differStatements, differLiteNames}},
		{"mysql", "mysql", withSettings(maria, "profiling", full), []dbtDifference{differOperations, differStatements, differChanged}},
		{"mariadb", "mariadb", withSettings(maria, "platform_instance", "m", "database", "shop", "view_pattern", map[string]any{"deny": []string{"shop.agg"}}), []dbtDifference{differOperations, differStatements, differChanged}},
	}
	var rows []string
	for _, c := range comparisons {
		t.Run(c.name, func(t *testing.T) {
			theirs, ours := c.client(t), c.headwater(t)
			if len(ours) < 20 {
				t.Fatalf("there are %d aspects", len(ours))
			}
			c.compare(t, theirs, ours)
			t.Logf("%d aspects of the client, %d of headwater", len(theirs), len(ours))
			for _, d := range c.allowed {
				if row := fmt.Sprintf("| %s | %s |", d.text, d.reason); !slices.Contains(rows, row) {
					rows = append(rows, row)
				}
			}
		})
	}
	sort.Strings(rows)
	compareRows(t, filepath.Join("docs", "connectors.md"), "<!-- written by TestConnectors -->\n| what differs | why |\n| --- | --- |\n", rows)
	t.Run("stale", func(t *testing.T) { removesStale(t, postgres) })
	t.Run("10,000 tables", readsManyTables)
}

func withSettings(config map[string]any, settings ...any) map[string]any {
	more := maps.Clone(config)
	for i := 0; i < len(settings); i += 2 {
		more[settings[i].(string)] = settings[i+1]
	}
	return more
}

func connectorFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "e2e", "connectors", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// postgresConn connects to a new database.
func postgresConn(t *testing.T, address string) (conn *pgx.Conn, database string) {
	t.Helper()
	connect := func(database string) *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+address+"/"+database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		return conn
	}
	database = fmt.Sprintf("connectors%d", time.Now().UnixNano())
	if _, err := connect("postgres").Exec(t.Context(), "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	return connect(database), database
}

func filledPostgres(t *testing.T) map[string]any {
	t.Helper()
	address := testservers.Postgres(t)
	conn, database := postgresConn(t, address)
	if _, err := conn.PgConn().Exec(t.Context(), connectorFile(t, "postgres.sql")).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"host_port": address, "username": "postgres", "password": "none", "database": database}
}

func filledMySQL(t *testing.T) map[string]any {
	t.Helper()
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.MultiStatements = "root", "tcp", testservers.MySQL(t), true
	db, err := sql.Open("mysql", c.FormatDSN())
	if err == nil {
		defer db.Close()
		_, err = db.ExecContext(t.Context(), connectorFile(t, "mysql.sql"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"host_port": c.Addr, "username": "root", "database_pattern": map[string]any{"allow": []string{"shop$", "hr$"}}}
}

func filledSQLite(t *testing.T) map[string]any {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.db")
	db, err := sqlite.Open(file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), connectorFile(t, "sqlite.sql"))
	}
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"connect_uri": "sqlite:///" + file, "platform": "sqlite"}
}

// recipe writes the recipe of the comparison.
func (c connectorComparison) recipe(t *testing.T, sink string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"source": map[string]any{"type": c.kind, "config": c.config}, "sink": map[string]any{"type": "file", "config": map[string]string{"filename": sink}}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	writeFiles(t, folder, map[string]string{"recipe.yml": string(text)}) // JSON is YAML
	return filepath.Join(folder, "recipe.yml")
}

func (c connectorComparison) client(t *testing.T) map[string]any {
	t.Helper()
	written := filepath.Join(t.TempDir(), "written.json")
	runProgram(t, filepath.Dir(written), filepath.Join(pythonFor(t, "connectors"), "bin", "datahub"), []string{"ingest", "-c", c.recipe(t, written)}, false, "DATAHUB_TELEMETRY_ENABLED=false")
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	var records []map[string]any
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("pegasus2avro."), nil), &records); err != nil {
		t.Fatal(err)
	}
	return comparableAspects(t, records)
}

func (c connectorComparison) headwater(t *testing.T) map[string]any {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	cmd := exec.Command(program, "ingest", "source", c.recipe(t, "none"), "--dry-run")
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &told)
	}
	return comparableAspects(t, linesOf(t, out))
}

func linesOf(t *testing.T, out []byte) []map[string]any {
	t.Helper()
	var records []map[string]any
	for line := range bytes.Lines(out) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

// comparableAspects returns the aspects of records without times, with lists in an order, and with queries named after views.
func comparableAspects(t *testing.T, records []map[string]any) map[string]any {
	t.Helper()
	for i := range records {
		records[i] = plainOf("", records[i]).(map[string]any)
	}
	aspects := aspectsOf(t, records)
	views := map[string]string{}
	for key := range aspects {
		if urn, found := strings.CutSuffix(key, " viewProperties"); found {
			sum := sha256.Sum256([]byte(urn))
			views["urn:li:query:view_"+hex.EncodeToString(sum[:])] = urn
		}
	}
	named := map[string]any{}
	for key, value := range aspects {
		at := strings.LastIndex(key, " ")
		if view := views[key[:at]]; view != "" {
			key = "urn:li:query:" + view + key[at:]
		}
		named[key] = value
	}
	return named
}

// listOrders are the members by which the elements of lists have an order.
var listOrders = map[string]string{"upstreams": "dataset", "fineGrainedLineages": "downstreams", "subjects": "entity", "foreignKeys": "name"}

func plainOf(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for member, one := range v {
			if member != "time" && member != "timestampMillis" && member != "lastObserved" {
				made[member] = plainOf(member, one)
			}
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i, one := range v {
			made[i] = plainOf("", one)
		}
		if by := listOrders[name]; by != "" {
			slices.SortStableFunc(made, func(a, b any) int { return strings.Compare(fmt.Sprint(at(a, by), a), fmt.Sprint(at(b, by), b)) })
		}
		return made
	}
	return value
}

// compare fails for every difference that is not allowed, and for every allowed difference that does not occur.
func (c connectorComparison) compare(t *testing.T, theirs, ours map[string]any) {
	t.Helper()
	used := map[string]bool{}
	check := func(key, place, detail string) {
		cut := strings.LastIndex(key, " ")
		where := strings.Split(key, ":")[2] + " " + key[cut+1:] + " " + place + " in " + key[:cut]
		if strings.HasSuffix(place, ".transformOperation") {
			where = "dataset transformOperation in " + key[:cut]
			if strings.Split(key, ":")[2] == "dataJob" {
				used[differOperations.where] = true
				return
			}
		}
		for _, d := range c.allowed {
			if regexp.MustCompile(d.where).MatchString(where) {
				used[d.where] = true
				return
			}
		}
		t.Errorf("%s\n%s", where, detail)
	}
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		if value, ok := ours[key]; ok {
			differences(theirs[key], value, "", func(path string, a, b any) {
				check(key, path, fmt.Sprintf("client:    %v\nheadwater: %v", a, b))
			})
		} else {
			check(key, "only client", fmt.Sprint(theirs[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[key]; !ok {
			check(key, "only headwater", fmt.Sprint(ours[key]))
		}
	}
	for _, d := range c.allowed {
		if !used[d.where] {
			t.Errorf("the allowed difference %s does not occur", d.where)
		}
	}
}

// compareRows compares the rows of a table in a page, after its head, with the found rows.
func compareRows(t *testing.T, name, head string, rows []string) {
	t.Helper()
	file := filepath.Join(testservers.Root(), name)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), head)
	_, after, ends := strings.Cut(rest, "<!-- end -->")
	if !found || !ends {
		t.Fatalf("%s lacks the table of differences", name)
	}
	want := before + head + strings.Join(rows, "\n") + "\n<!-- end -->" + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s lacks what was compared; run the test with -update and look at the difference", name)
	}
}
