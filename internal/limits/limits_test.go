package limits

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/limits.md anew")

// page is docs/limits.md.
func page() string {
	var b strings.Builder
	b.WriteString("# Limits\n\nWhat goes beyond is refused, changes nothing, and is told with the limit. The table is\nmade from `internal/limits` (`go test ./internal/limits -update`), and is in the\nOpenAPI document under `x-limits`.\n\n| limit | value | unit | setting | meaning |\n| --- | ---: | --- | --- | --- |\n")
	for _, l := range All() {
		setting := ""
		if l.Setting != "" {
			setting = "`--" + l.Setting + "`"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", l.Name, l.Value, l.Unit, setting, l.Meaning)
	}
	return b.String()
}

// TestPage holds the documentation to the table.
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

// TestTable: every row says something, under a name of its own.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range All() {
		if l.Name == "" || l.Value <= 0 || l.Unit == "" || !strings.HasSuffix(l.Meaning, ".") || seen[l.Name] {
			t.Errorf("%+v", l)
		}
		seen[l.Name] = true
	}
}
