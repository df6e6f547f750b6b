package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
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
		if !strings.Contains(errs, "written in run views") || !strings.Contains(errs, "left out: shop.audit.gone, shop.public.nowhere") {
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
	if code != cli.ExitOK || !strings.HasPrefix(errs, "0 aspects of 0 entities") {
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
