package naming

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/openlineage-names.md")

const (
	tableBegins = "<!-- written by TestPage -->\n"
	tableEnds   = "<!-- end -->\n"
)

// table is the table of stores, with the URNs that the package makes.
func table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| store | namespace begins with | an example | platform and name in the URN | rule |\n| --- | --- | --- | --- | --- |\n")
	s := &Settings{}
	for _, known := range stores {
		urn := "none"
		d := Dataset{Namespace: known.namespace, Name: known.example}
		if platform := s.Platform(d.Namespace); platform != known.platform {
			t.Errorf("%s: the platform of %s is %s", known.title, d.Namespace, platform)
		}
		if !s.Passing(d) {
			made, err := s.DatasetURN(d)
			if err != nil {
				t.Fatal(err)
			}
			parts := made.Parts()
			urn = "`" + strings.TrimPrefix(parts[0], "urn:li:dataPlatform:") + "," + parts[1] + "`"
		}
		fmt.Fprintf(&b, "| %s | `%s` | `%s` `%s` | %s | %s |\n", known.title, strings.Join(known.schemes, "`, `"), d.Namespace, d.Name, urn, known.rule)
	}
	return b.String()
}

// TestPage compares the table of docs/openlineage-names.md with the stores.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "openlineage-names.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tableBegins)
	old, after, ended := strings.Cut(rest, tableEnds)
	if !begun || !ended {
		t.Fatal("the page has no place for the table")
	}
	made := table(t)
	if *update {
		if err := os.WriteFile(file, []byte(before+tableBegins+made+tableEnds+after), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if old != made {
		t.Error("docs/openlineage-names.md differs from the stores; run the test with -update and look at the difference")
	}
}

// Each scheme belongs to one store, and is written as namespaces are compared.
func TestSchemes(t *testing.T) {
	seen := map[string]string{}
	for _, known := range stores {
		for _, scheme := range known.schemes {
			if other, ok := seen[scheme]; ok || scheme != strings.ToLower(scheme) {
				t.Errorf("%s: %s, also of %q", known.title, scheme, other)
			}
			seen[scheme] = known.title
		}
	}
}
