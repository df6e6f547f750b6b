package testaccess

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// Section compares a section of docs/privileges.md with the text that a test has made, or rewrites it.
func Section(t *testing.T, name, text string, update bool) {
	t.Helper()
	file := filepath.Join(testservers.Root(), "docs", "privileges.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, begun := strings.Cut(string(page), begin)
	stored, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("docs/privileges.md has no section %s", name)
	}
	if stored == text {
		return
	}
	if !update {
		t.Errorf("the section %s of docs/privileges.md differs from what is needed; run the test with -update and look at the difference", name)
		return
	}
	if err := os.WriteFile(file, []byte(before+begin+text+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Table returns a table in Markdown.
func Table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	line(strings.Split(strings.Repeat("---,", len(head)-1)+"---", ","))
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// Shorten returns needs as one text. Needs that differ only in the type of the entity become one.
func Shorten(needs []string) string {
	types := map[string][]string{}
	var order []string
	for _, need := range needs {
		what, entityType, _ := strings.Cut(need, " on the ")
		entityType, rest, _ := strings.Cut(entityType, ", ")
		if what += "\x00" + rest; types[what] == nil {
			order = append(order, what)
		}
		types[what] = append(types[what], entityType)
	}
	texts := make([]string, len(order))
	for i, what := range order {
		need, rest, _ := strings.Cut(what, "\x00")
		if of := types[what]; of[0] != "" {
			need += " on the " + strings.Join(of, ", ")
		}
		if rest != "" {
			need += ", " + rest
		}
		texts[i] = need
	}
	return strings.Join(texts, "; ")
}
