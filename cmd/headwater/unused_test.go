package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/unused"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestUnused: a query log says which columns are read, and unused lists the others, by dataset, platform and words.
func TestUnused(t *testing.T) {
	server := sampleServer(t)
	log := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(log, []byte("query,day\n\"select c.email from public.customers c where c.customer_id = 1\",2026-11-27\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := headwater(t, "", "sql", "--log", log, "--dialect", "postgres", "--database", "shop", "--server", server, "--ingest"); code != cli.ExitOK {
		t.Fatal(errs)
	}
	verdicts := map[string]string{}
	code, out, errs := headwater(t, "", "unused", "shop.public.customers", "--all", "--days", "3650", "-o", "json", "--server", server)
	for line := range strings.Lines(out) {
		var c unused.Column
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		verdicts[c.Path] = c.Verdict
		if c.Basis.Queries == 0 {
			t.Errorf("%s: no query is known", c.Path)
		}
	}
	if code != cli.ExitOK || verdicts["email"] != unused.VerdictRead || verdicts["customer_id"] != unused.VerdictRead {
		t.Errorf("exit %d: %v %s", code, verdicts, errs)
	}
	code, out, errs = headwater(t, "", "unused", "--platform", "postgres", "--server", server)
	if code != cli.ExitOK || !strings.Contains(out, "RESTS ON") || !strings.Contains(out, " datasets unused, ") || strings.Contains(out, "snowflake") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--days", "0"}, cli.ExitUsage, "--days must be from 1 to 3650"},
		{[]string{"shop.public.orders", "--query", "x"}, cli.ExitUsage, "not both"},
		{[]string{"nosuchtable"}, cli.ExitNotFound, "nosuchtable"},
	} {
		code, out, errs := headwater(t, "", append(append([]string{"unused"}, c.args...), "--server", server)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s%s", c.args, code, out, errs)
		}
	}
}
