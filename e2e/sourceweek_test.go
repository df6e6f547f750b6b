package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// TestSourceStaysInStep: a server reads a database that changes every day of a week, on Neo4j of three days. On
// most days it is killed while it reads, and started again. After each day, the catalog has the tables of the
// database, hides the tables that are gone, and has the lineage of the database's view.
func TestSourceStaysInStep(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			name := "week" + strings.ToLower(strings.ReplaceAll(b.name, "+", ""))
			w := &week{t: t, name: strings.ReplaceAll(name, " ", ""), flags: append(b.flags(t), "--data", t.TempDir())}
			w.host, _, _ = strings.Cut(shopDatabase(t, w.name), "/")
			w.server = start(t, w.flags...)
			w.addSource()
			rng := testseed.Rand(t, 1)
			days := 7
			if b.name != "embedded" {
				days = 3
			}
			for day := range days {
				w.changeDatabase(day)
				run := w.ask()
				if day != 1 {
					testclock.Poll(time.Duration(rng.IntN(900))*time.Millisecond, func() bool { return w.server.seeRun(run).Status == "SUCCESS" })
					w.server.kill()
					w.server = start(t, w.flags...)
				}
				w.awaitSuccess(run)
				w.compare(day)
			}
			w.basis()
			w.server.stop()
		})
	}
}

// week is a database and a server that reads it.
type week struct {
	t                  *testing.T
	flags              []string
	host, name, source string
	recipe             string
	server             *server
	killed             int
}

func (w *week) addSource() {
	w.t.Helper()
	var made struct{ Source string }
	w.recipe = fmt.Sprintf(`{"source":{"type":"postgres","config":{"host_port":%q,"database":%q,"username":"postgres","schema_pattern":{"allow":["public"]},"stateful_ingestion":{"enabled":true}}}}`, w.host, w.name)
	w.server.graph(`mutation($i: UpdateIngestionSourceInput!) { source: createIngestionSource(input: $i) }`, map[string]any{
		"i": map[string]any{"name": "The shop", "type": "postgres", "config": map[string]any{"recipe": w.recipe, "executorId": "default"}},
	}, &made)
	w.source = made.Source
}

// ask asks for a run and returns its URN. A server that was killed may still have a run of the source; then
// ask returns this run.
func (w *week) ask() string {
	w.t.Helper()
	var asked struct{ Run string }
	w.server.graph(`mutation($u: String!) { run: createIngestionExecutionRequest(input: {ingestionSourceUrn: $u}) }`, map[string]any{"u": w.source}, &asked)
	return asked.Run
}

// awaitSuccess waits for the end of a run, and asks for further runs until one succeeds.
func (w *week) awaitSuccess(run string) {
	w.t.Helper()
	for range 5 {
		ended := w.awaitEnd(run)
		if ended.Status == "SUCCESS" {
			return
		}
		if ended.Status != "FAILURE" {
			w.t.Fatalf("the run ended as %+v", ended)
		}
		w.killed++
		run = w.ask()
	}
	w.t.Fatalf("no run has succeeded: %+v", w.server.seeRun(run))
}

// awaitEnd waits for the end of a run. The run of a server that was killed just after its executor had taken
// the run ends with the lease.
func (w *week) awaitEnd(urn string) (run sourceRun) {
	w.t.Helper()
	if !testclock.Poll(3*time.Minute, func() bool {
		run = w.server.seeRun(urn)
		return run.Status != "" && run.Status != "RUNNING"
	}) {
		w.t.Fatalf("the run %s has not ended: %+v", urn, run)
	}
	return run
}

// tables returns the tables that the database has after a day, besides the tables of the shop.
func (w *week) tables(day int) (existing, gone []string) {
	for d := range day + 1 {
		if table := fmt.Sprintf("day_%d", d); d > day-2 {
			existing = append(existing, table)
		} else {
			gone = append(gone, table)
		}
	}
	return existing, gone
}

func (w *week) changeDatabase(day int) {
	w.t.Helper()
	connection, err := pgx.Connect(w.t.Context(), "postgres://postgres@"+w.host+"/"+w.name)
	if err != nil {
		w.t.Fatal(err)
	}
	changes := fmt.Sprintf(`create table day_%[1]d (id bigint primary key, seen_%[1]d text); drop view big_cities;
		create view big_cities as select city, total as total_%[1]d from revenue;`, day)
	if _, gone := w.tables(day); len(gone) > 0 {
		changes += "drop table " + gone[len(gone)-1]
	}
	if _, err = connection.Exec(w.t.Context(), changes); err != nil {
		w.t.Fatal(err)
	}
	if err := connection.Close(w.t.Context()); err != nil {
		w.t.Error(err)
	}
}

// compare compares the catalog with the database after a day.
func (w *week) compare(day int) {
	w.t.Helper()
	existing, gone := w.tables(day)
	got := map[string]string{}
	for _, table := range slices.Concat(existing, gone, []string{"customers", "orders", "revenue", "big_cities"}) {
		aspects := w.aspectsOf(table)
		switch {
		case at(aspects, "status", "value", "removed") == true:
			got[table] = "removed"
		case at(aspects, "schemaMetadata") == nil:
			got[table] = "missing"
		default:
			got[table] = "there"
		}
	}
	want := map[string]string{"customers": "there", "orders": "there", "revenue": "there", "big_cities": "there"}
	for _, table := range existing {
		want[table] = "there"
	}
	for _, table := range gone {
		want[table] = "removed"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("day %d: %s", day, diff)
	}
	if pipeline := at(w.aspectsOf("big_cities"), "schemaMetadata", "systemMetadata", "pipelineName"); pipeline != w.source {
		w.t.Errorf("day %d: the pipeline is %v, and not the source", day, pipeline)
	}
	view := fmt.Sprint(w.aspectsOf("big_cities"))
	if column := fmt.Sprintf("total_%d", day); !strings.Contains(view, "fieldPath:"+column) || !strings.Contains(view, "revenue,PROD),total)") {
		w.t.Errorf("day %d: the view has no column %s from revenue: %s", day, column, view)
	}
}

// basis gives the source a schedule, and checks that the basis of lineage names its next run.
func (w *week) basis() {
	w.t.Helper()
	var changed struct{ Source string }
	w.server.graph(`mutation($u: String!, $i: UpdateIngestionSourceInput!) { source: updateIngestionSource(urn: $u, input: $i) }`, map[string]any{
		"u": w.source, "i": map[string]any{"name": "The shop", "type": "postgres", "config": map[string]any{"recipe": w.recipe, "executorId": "default"}, "schedule": map[string]any{"interval": "0 5 * * *", "timezone": "UTC"}},
	}, &changed)
	var found struct {
		Lineage struct {
			Basis struct {
				Sources []struct {
					Source  string
					NextRun int64
				}
			}
		}
	}
	view := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:postgres,%s.public.big_cities,PROD)", w.name)
	w.server.graph(`query($u: String!) { lineage: lineageGraph(input: {urn: $u, direction: UPSTREAM}) { basis { sources { source nextRun } } } }`, map[string]any{"u": view}, &found)
	sources := found.Lineage.Basis.Sources
	if len(sources) != 1 || sources[0].Source != w.source || time.UnixMilli(sources[0].NextRun).UTC().Format("15:04") != "05:00" {
		w.t.Errorf("the lineage rests on %+v", sources)
	}
}

func (w *week) aspectsOf(table string) any {
	w.t.Helper()
	urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:postgres,%s.public.%s,PROD)", w.name, table)
	status, answer := w.server.send(http.MethodGet, "/entitiesV2/"+url.QueryEscape(urn)+"?aspects=List(status,schemaMetadata,upstreamLineage)", "")
	if status != http.StatusOK {
		w.t.Fatalf("%s: %d %v", urn, status, answer)
	}
	return at(answer, "aspects")
}
