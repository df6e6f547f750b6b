package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// TestOverlayOfCheck: the change of files of SQL is written as an overlay. Lineage and impact over the overlay follow
// the change, and the catalog's own stay as they are.
func TestOverlayOfCheck(t *testing.T) {
	server, dir := goldenServer(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const tables = "create table ov.orders (id int, amount int, region int);\ncreate table ov.rates (id int, rate int);\n"
	base := write("base.sql", tables+"create view ov.days as select amount as total, region from ov.orders;\ncreate view ov.board as select total from ov.days;\n")
	head := write("head.sql", tables+"create view ov.days as select rate as total from ov.rates;\ncreate view ov.board as select total from ov.days;\ncreate view ov.fresh as select total from ov.days;\n")
	overlay, before := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "before.json")
	empty := write("empty.json", "{}")
	run := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := headwater(t, "", append(args, "--server", server)...)
		if code != want {
			t.Fatalf("%v: exit %d, want %d: %s%s", args, code, want, out, errs)
		}
		return out
	}
	// The catalog gets the lineage of base: an overlay over an empty catalog is a first ingestion.
	run(cli.ExitOK, "check", "--base", empty, "--head", base, "--dialect", "postgres", "--overlay-out", before)
	text, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	var written struct{ Overlay []json.RawMessage }
	if err := json.Unmarshal(text, &written); err != nil || len(written.Overlay) < 8 {
		t.Fatalf("%v %s", err, text)
	}
	all, err := json.Marshal(written.Overlay)
	if err != nil {
		t.Fatal(err)
	}
	run(cli.ExitOK, "ingest", write("all.json", string(all)))
	run(cli.ExitRefused, "check", "--base", base, "--head", head, "--dialect", "postgres", "--overlay-out", overlay, "--policy", write("policy.yaml", "fail on: [possible impact, certain impact]\n"))

	walk := func(args ...string) string { return run(cli.ExitOK, append([]string{"lineage"}, args...)...) }
	days := "urn:li:dataset:(urn:li:dataPlatform:postgres,ov.days,PROD)"
	rates := "urn:li:dataset:(urn:li:dataPlatform:postgres,ov.rates,PROD)"
	if out := walk(days); !strings.Contains(out, "ov.orders") || strings.Contains(out, "ov.rates") {
		t.Errorf("the catalog says %s", out)
	}
	if out := walk(days, "--overlay", overlay); strings.Contains(out, "ov.orders") || !strings.Contains(out, "ov.rates") {
		t.Errorf("over the change, it is %s", out)
	}
	if out := walk(rates, "--downstream", "--overlay", overlay); !strings.Contains(out, "ov.fresh") || !strings.Contains(out, "ov.board") {
		t.Errorf("over the change, it is %s", out)
	}
	if out := walk("urn:li:schemaField:("+rates+",rate)", "--downstream", "--overlay", overlay, "-o", "json"); !strings.Contains(out, "ov.fresh,PROD),total)") {
		t.Errorf("over the change, the columns are %s", out)
	}
	if out := run(cli.ExitOK, "impact", rates, "--column", "rate", "--overlay", overlay, "-o", "json"); !strings.Contains(out, "ov.board") || !strings.Contains(out, `"certain"`) {
		t.Errorf("over the change, the impact is %s", out)
	}
	if out := walk(days); !strings.Contains(out, "ov.orders") || strings.Contains(out, "ov.rates") {
		t.Errorf("afterwards the catalog says %s", out)
	}
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"lineage", days, "--overlay", filepath.Join(dir, "none.json")}, "no such file"},
		{[]string{"lineage", days, "--overlay", empty}, "is no overlay"},
		{[]string{"lineage", days, "--overlay", overlay, "--diff", "2026-01-01"}, "about the present"},
		{[]string{"impact", days, "--overlay", overlay, "--format", "csv"}, "no csv format"},
	} {
		code, out, errs := headwater(t, "", append(one.args, "--server", server)...)
		if code != cli.ExitUsage || !strings.Contains(errs, one.want) {
			t.Errorf("%v: exit %d %s%s, want %q", one.args, code, out, errs, one.want)
		}
	}
}
