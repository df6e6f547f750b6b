package limits

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/limits.md")

// page is docs/limits.md.
func page() string {
	var b strings.Builder
	b.WriteString("# Limits\n\nA request beyond a limit is refused and changes nothing; the error names the limit. This table\nis generated from `internal/limits` (`go test ./internal/limits -update`). It is also in the\nOpenAPI document, under `x-limits`.\n\n| limit | value | unit | setting | meaning |\n| --- | ---: | --- | --- | --- |\n")
	for _, l := range All() {
		setting := ""
		if l.Setting != "" {
			setting = "`--" + l.Setting + "`"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", l.Name, l.Value, l.Unit, setting, l.Meaning)
	}
	return b.String()
}

// TestPage checks that the documentation matches the table.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "limits.md")
	if *update {
		if err := os.WriteFile(file, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != page() {
		t.Error("docs/limits.md differs from the table; run the test with -update and look at the difference")
	}
}

// TestTable: every row is complete and has a unique name.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range All() {
		if l.Name == "" || l.Value <= 0 || l.Unit == "" || !strings.HasSuffix(l.Meaning, ".") || seen[l.Name] {
			t.Errorf("%+v", l)
		}
		seen[l.Name] = true
	}
}
