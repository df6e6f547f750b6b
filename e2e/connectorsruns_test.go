package e2e

import (
	"bufio"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var removedStatus = regexp.MustCompile(`removed\s+true`)

// removesStale reads a database with a state, drops a table, and reads it again: the table is marked as removed. If most
// of the tables are gone, nothing is.
func removesStale(t *testing.T, config map[string]any) {
	conn, database := postgresConn(t, config["host_port"].(string))
	exec1 := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		exec1(fmt.Sprintf("CREATE TABLE t%d (id int)", i))
	}
	s := start(t, backends()[0].flags(t)...)
	defer s.stop()
	recipe := filepath.Join(t.TempDir(), "recipe.yml")
	writeFiles(t, filepath.Dir(recipe), map[string]string{"recipe.yml": fmt.Sprintf(`pipeline_name: shop nightly
source:
  type: postgres
  config: {host_port: "%s", username: postgres, password: "${NO_SECRET:-none}", database: %s}
`, config["host_port"], database)})
	run := func(fails bool) string {
		t.Helper()
		program, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, "ingest", "source", recipe, "--server", s.base).CombinedOutput()
		if (err != nil) != fails {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	removed := func(table string) bool {
		t.Helper()
		urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:postgres,%s.public.%s,PROD)", database, table)
		return removedStatus.MatchString(s.run(t, "get", urn, "--aspect", "status"))
	}
	run(false)
	exec1("DROP TABLE t3")
	run(false)
	if !removed("t3") || removed("t4") {
		t.Error("the dropped table is not marked as removed, or another one is")
	}
	exec1("DROP TABLE t0, t1, t2, t4, t5, t6, t7, t8, t9")
	if out := run(true); !strings.Contains(out, "fail_safe_threshold") || removed("t4") {
		t.Errorf("the guard against removing most tables: %s", out)
	}
	exec1("CREATE TABLE t0 (id int); CREATE TABLE t1 (id int); CREATE TABLE t2 (id int); CREATE TABLE t4 (id int)")
	run(false)
	if !removed("t9") || removed("t4") {
		t.Error("a later run does not remove what the guard kept")
	}
}

// The aims of issue 46 for a database of 10,000 tables, in bytes and seconds.
const (
	aimedMemory  = 200 << 20
	aimedSeconds = 60
)

// readsManyTables reads 10,000 tables and views within the time and the memory that are aimed at.
func readsManyTables(t *testing.T) {
	address := testservers.Postgres(t)
	conn, database := postgresConn(t, address)
	for schema := range 20 {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf(`CREATE SCHEMA s%[1]d; DO $$ BEGIN
			FOR i IN 1..490 LOOP
				EXECUTE format('CREATE TABLE s%[1]d.t%%s (id bigint PRIMARY KEY, customer_id int NOT NULL, name varchar(100), amount numeric(10,2), note text, created timestamptz, updated timestamptz, state smallint, payload jsonb, active boolean)', i);
				EXECUTE format('COMMENT ON TABLE s%[1]d.t%%s IS ''orders of a day''', i);
			END LOOP;
			FOR i IN 1..10 LOOP
				EXECUTE format('CREATE VIEW s%[1]d.v%%s AS SELECT t.id, t.name, sum(u.amount) AS amount FROM s%[1]d.t%%s t JOIN s%[1]d.t%%s u ON u.customer_id = t.id GROUP BY t.id, t.name', i, i, i + 1);
			END LOOP; END $$`, schema), pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	c := connectorComparison{kind: "postgres", config: map[string]any{"host_port": address, "username": "postgres", "database": database}}
	cmd := exec.Command(program, "ingest", "source", c.recipe(t, "none"), "--dry-run")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	schemas, lineage := 0, 0
	for lines := bufio.NewReaderSize(out, 1<<20); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		if strings.Contains(line, `"aspectName":"schemaMetadata"`) {
			schemas++
		}
		if strings.Contains(line, `"aspectName":"upstreamLineage"`) {
			lineage++
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		most <<= 10
	}
	t.Logf("%d tables and views, %d with lineage, in %.1f s with at most %d MiB", schemas, lineage, took.Seconds(), most>>20)
	if schemas != 10_000 || lineage != 200 {
		t.Errorf("%d tables and views, %d with lineage", schemas, lineage)
	}
	if took > aimedSeconds*time.Second || most > aimedMemory {
		t.Errorf("it took %.1f s and %d bytes", took.Seconds(), most)
	}
}
