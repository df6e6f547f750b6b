package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestSQLIntoCatalog writes the lineage of a script into a catalog, and asks the catalog for it.
func TestSQLIntoCatalog(t *testing.T) {
	server := sampleServer(t)
	script := filepath.Join(t.TempDir(), "views.sql")
	if err := os.WriteFile(script, []byte(`create view public.paid as
select o.order_id, o.total, c.email
from public.orders o
join public.customers c on c.customer_id = o.customer_id
where o.status = 'paid';
insert into public.nowhere select order_id from public.orders, audit.gone`), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"sql", script, "--dialect", "postgres", "--database", "shop", "--server", server}
	for range 2 { // a second time changes nothing
		code, out, errs := headwater(t, "", append(args, "--ingest", "--run-id", "views")...)
		if code != cli.ExitOK || !strings.Contains(out, "total    ← shop.public.orders.total (identity)") {
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
		if !strings.Contains(errs, "; run views") || !strings.Contains(errs, "left out: shop.audit.gone, shop.public.nowhere") {
			t.Errorf("told %s", errs)
		}
	}
	_, out, _ := headwater(t, "", "impact", "shop.public.orders.status", "--server", server)
	if !strings.Contains(out, "certain  shop.public.paid") {
		t.Errorf("the filter of the view is not in the impact:\n%s", out)
	}
	_, out, _ = headwater(t, "", "lineage", "shop.public.paid", "--upstream", "--server", server, "-o", "json")
	if strings.Count(out, `"urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"`) == 0 {
		t.Errorf("the view has no upstream: %s", out)
	}
}

func TestSQLWithoutCatalog(t *testing.T) {
	code, _, errs := headwater(t, "select 1", "sql", "-", "--dialect", "postgres", "--server", "127.0.0.1:1", "--ingest")
	if code != cli.ExitOK || !strings.HasPrefix(errs, "0 records written") {
		t.Errorf("a statement without tables: exit %d: %s", code, errs)
	}
	code, _, errs = headwater(t, "select a from t", "sql", "-", "--dialect", "postgres", "--server", "127.0.0.1:1")
	if code != cli.ExitUnreachable {
		t.Errorf("a server that is away: exit %d: %s", code, errs)
	}
	code, out, errs := headwater(t, "select a from t", "sql", "-", "--dialect", "postgres")
	if code != cli.ExitOK || !strings.Contains(out, "a ← t.a (identity)") {
		t.Errorf("without a server: exit %d: %s%s", code, out, errs)
	}
}

// TestSQLLog writes the queries and the usage of a query log into a catalog, twice, and asks the catalog for them.
func TestSQLLog(t *testing.T) {
	server := sampleServer(t)
	log := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(log, []byte(`User Name,query text,calls,last_run
ada,"select order_id, total from public.orders where status = 'paid'",3,2026-11-27 10:00:00
bo@larkspur.example,"SELECT order_id, total FROM public.orders WHERE status = 'open'",1,2026-11-27T12:00:00Z
,"create table public.copied as select total from public.orders, public.gone",1,1795773600
ada,select,x,
`), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"sql", "--log", log, "--dialect", "postgres", "--database", "shop", "--server", server}
	code, out, errs := headwater(t, "", append(args, "--ingest", "--run-id", "log")...)
	for _, part := range []string{"4 runs by ada (3), bo@larkspur.example (1), last 2026-11-27T12:00:00Z: SELECT order_id", "filter: shop.public.orders.status, line 1"} {
		if !strings.Contains(out, part) {
			t.Errorf("%s is not in %s", part, out)
		}
	}
	for _, part := range []string{"4 entries, 2 statements", "1 entry left out, the first in line 5: the count must be", ", 0 failed", "run log", "left out: shop.public.gone"} {
		if code != cli.ExitOK || !strings.Contains(errs, part) {
			t.Errorf("exit %d: %s is not in %s", code, part, errs)
		}
	}
	code, out, errs = headwater(t, "", append(args, "--ingest", "-o", "json")...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var sent struct {
		Created, Updated, Succeeded int
		NotInCatalog                []string
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sent); err != nil || code != cli.ExitOK || len(lines) != 4 || !strings.HasPrefix(lines[0], `{"leftOut":{"reason":"the count must be`) || !strings.HasSuffix(lines[0], `"entries":1,"line":5}}`) {
		t.Fatalf("exit %d: %v: %s%s", code, err, out, errs)
	}
	if sent.Created != 0 || sent.Updated != 0 || sent.Succeeded == 0 || len(sent.NotInCatalog) != 1 {
		t.Errorf("a second time changes something: %+v", sent)
	}
	_, out, _ = headwater(t, "", "get", "shop.public.orders", "--server", server, "--aspect", "datasetUsageStatistics", "-o", "json")
	for _, part := range []string{`"fieldPath": "status"`, `"totalSqlQueries": 5`, `"userEmail": "bo@larkspur.example"`} {
		if !strings.Contains(out, part) {
			t.Errorf("%s is not in the usage: %s", part, out)
		}
	}
	_, out, _ = headwater(t, "", "lineage", "shop.public.copied", "--upstream", "--server", server)
	if !strings.Contains(out, "shop.public.orders") {
		t.Errorf("the table that is made has no upstream: %s", out)
	}
}

// TestSQLLogOfThen: a statement of a log is read with the columns that its tables had when it ran last, and with
// today's columns if the catalog did not know the tables then. A log asks at most limits.SQLPastSchemas questions about
// the past.
func TestSQLLogOfThen(t *testing.T) {
	fields := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{"fieldPath":%q}`, name))
		}
		return fmt.Sprintf(`{"fields":[%s]}`, strings.Join(list, ","))
	}
	const begin, day = 1_790_000_000_000, 24 * 60 * 60 * 1000
	var asked atomic.Int64
	var each atomic.Bool // the columns change at each moment
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		urn := "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
		envelope := func(at int, value string) string {
			return fmt.Sprintf(`"aspects":{"schemaMetadata":{"name":"schemaMetadata","value":%s,"created":{"time":%d}}}`, value, at)
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/entitiesV2"):
			fmt.Fprintf(w, `{"results":{%q:{%s}}}`, urn, envelope(begin+20*day, fields("id", "amount")))
		case strings.HasPrefix(r.URL.Path, "/entity-at/"):
			asked.Add(1)
			at, err := strconv.Atoi(r.URL.Query().Get("asOf"))
			if err != nil || at < begin+10*day {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprint(w, `{"status":404,"message":"nothing was stored of it then"}`)
				return
			}
			since := begin + 10*day
			if each.Load() {
				since = at
			}
			fmt.Fprintf(w, `{%s}`, envelope(since, fields("id", "price", "state")))
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	defer server.Close()
	read := func(log string) string {
		t.Helper()
		code, out, errs := headwater(t, log, "sql", "-", "--log", "--log-format", "csv", "--dialect", "postgres", "--database", "shop", "--default-schema", "public", "--server", server.URL)
		if code != cli.ExitOK {
			t.Fatal(code, errs)
		}
		return out
	}
	of := func(table string, atDay int) string {
		return fmt.Sprintf("query,time\nselect * from %s,%d\n", table, begin+atDay*day)
	}
	for _, c := range []struct{ log, has, lacks string }{
		{of("orders", 21), "amount", "price"},
		{of("orders", 15), "price", "amount"},
		{of("orders", 10), "state", "amount"},
		{of("orders", 5), "amount", "price"},
		{"query\nselect * from orders\n", "amount", "price"},
	} {
		if out := read(c.log); !strings.Contains(out, c.has) || strings.Contains(out, c.lacks) {
			t.Errorf("%s: %s", c.log, out)
		}
	}
	each.Store(true)
	for _, more := range []int{0, 1} {
		var log strings.Builder
		log.WriteString("query,time\n")
		for i := range limits.SQLPastSchemas + more {
			fmt.Fprintf(&log, "select id as c%d from orders,%d\n", i, begin+15*day+i*1000)
		}
		asked.Store(0)
		read(log.String())
		if got := asked.Load(); got != limits.SQLPastSchemas {
			t.Errorf("%d statements ask %d questions", limits.SQLPastSchemas+more, got)
		}
	}
}

func TestSQLLogWrong(t *testing.T) {
	for _, c := range []struct {
		log  string
		args []string
		code int
		want string
	}{
		{"qeury,user\nselect 1,ada\n", []string{"--log", "--log-format", "csv"}, cli.ExitFailure, `unknown column "qeury" of a query log (did you mean query?); --ignore-column names`},
		{"query,warehouse\nselect 1,x\n", []string{"--log", "--log-format", "csv", "--ignore-column", "Warehouse"}, cli.ExitOK, "1 entry, 1 statement"},
		{"select 1;", []string{"--log", "--log-format", "xml"}, cli.ExitUsage, `unknown form of a log "xml"; the forms are csv, json, sql`},
		{"select 1;", []string{"--ignore-column", "x"}, cli.ExitUsage, "give --log, too"},
		{"select 1;", []string{"--log", "--ingest", "--in-flight", "0"}, cli.ExitUsage, "--in-flight must be from 1 to 64"},
	} {
		code, out, errs := headwater(t, c.log, append([]string{"sql", "-", "--dialect", "postgres"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s%s", c.args, code, out, errs)
		}
	}
}
