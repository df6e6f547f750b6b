package browser

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/model"
)

var update = flag.Bool("update", false, "write headwater.grass")

func modelNames() (labels, types []string) {
	registry := model.Default()
	for _, e := range registry.Entities() {
		labels = append(labels, e.Label)
	}
	return labels, registry.RelationshipNames()
}

// TestPalette: every label and relationship type of the model is in one family, and no family names an
// unknown one.
func TestPalette(t *testing.T) {
	labels, types := modelNames()
	for _, c := range []struct {
		what     string
		families []family
		names    []string
	}{
		{"label", nodeFamilies, slices.Concat(labels, storeLabels)},
		{"relationship type", relationshipFamilies, slices.Concat(types, storeTypes)},
	} {
		count := map[string]int{}
		for _, f := range c.families {
			for _, name := range f.names {
				if count[name]++; !slices.Contains(c.names, name) {
					t.Errorf("the family %s names the %s %s, which does not exist", f.name, c.what, name)
				}
			}
		}
		for _, name := range c.names {
			if count[name] != 1 {
				t.Errorf("the %s %s is in %d families of style.go, not in one", c.what, name, count[name])
			}
		}
	}
}

// TestStyle holds the style sheet of the model to the file in this folder, and checks
// that a custom type has a rule too.
func TestStyle(t *testing.T) {
	labels, types := modelNames()
	style := Style(labels, types)
	if *update {
		if err := os.WriteFile("headwater.grass", []byte(style), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("headwater.grass")
	if err != nil {
		t.Fatal(err)
	}
	if style != string(want) {
		t.Error("headwater.grass is not the style of the model; run the test with -update")
	}
	rule := regexp.MustCompile(`^(node|relationship)(\.\w+)? \{( [a-z-]+: ("[^":;]*"|[^ ":;]+);)+ \}$`)
	for line := range strings.Lines(style) {
		if !rule.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("Neo4j Browser cannot read %q", line)
		}
	}
	custom := Style(append(labels, "Spaceship"), append(types, "FlownBy"))
	if !strings.Contains(custom, "node.Spaceship {") || !strings.Contains(custom, "relationship.FlownBy {") {
		t.Error("what a custom model adds has no style")
	}
}

// TestQuestions: every file has a question, an explanation and a statement that only
// reads and that needs no parameters.
func TestQuestions(t *testing.T) {
	writes := regexp.MustCompile(`(?i)\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|LOAD|CALL)\b`)
	number := 0
	for _, g := range Groups() {
		if len(g.Questions) == 0 {
			t.Errorf("%s has no questions", g.Folder)
		}
		for i := range g.Questions {
			q := &g.Questions[i]
			number++
			if q.Number != number || !strings.HasPrefix(q.File, fmt.Sprintf("%02d_", number)) {
				t.Errorf("%s/%s is number %d", g.Folder, q.File, number)
			}
			if !strings.HasSuffix(q.Title, "?") || strings.Count(q.Explanation, ".") < 2 || !strings.HasSuffix(q.Explanation, ".") {
				t.Errorf("%s: %q, %q", q.File, q.Title, q.Explanation)
			}
			if q.Statement == "" || strings.Contains(q.Statement, "$") || strings.Contains(q.Statement, ";") || writes.MatchString(q.Statement) {
				t.Errorf("%s: %s", q.File, q.Statement)
			}
			var whole strings.Builder
			for _, p := range q.Pieces() {
				whole.WriteString(p.Text)
			}
			if whole.String() != q.Statement {
				t.Errorf("%s: the pieces are %q", q.File, whole.String())
			}
			if first, _, _ := strings.Cut(q.Statement, "\n"); strings.HasPrefix(first, "WITH") != (len(q.Parameters()) > 0) {
				t.Errorf("%s: the parameters of %q are %v", q.File, first, q.Parameters())
			}
		}
	}
	page, err := os.ReadFile("../../docs/neo4j-browser.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range Groups() {
		var titles []string
		for _, q := range g.Questions {
			titles = append(titles, q.Title)
		}
		if row := "| " + g.Title + " | " + strings.Join(titles, " · ") + " |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/neo4j-browser.md lacks %s", row)
		}
	}
	if number < 20 {
		t.Errorf("%d questions", number)
	}
}

// cleaned matches the parts of a guide that Neo4j Browser removes as a protection against scripts.
var cleaned = regexp.MustCompile(`(?i)(\s+(on[^\s=]+)[^\s=]*\s*=\s*("[^"]*"|'[^']*'|[\w\-.:]+\s*))`)

// TestGuide: the guide contains every statement, as Neo4j Browser takes it from the
// page.
func TestGuide(t *testing.T) {
	page, err := Guide("http://catalog.example:8080")
	if err != nil {
		t.Fatal(err)
	}
	if found := cleaned.FindString(string(page)); found != "" {
		t.Errorf("Neo4j Browser would remove %q", found)
	}
	if !strings.Contains(string(page), `data-exec="style http://catalog.example:8080/browser/style.grass"`) {
		t.Error("the guide does not load the style")
	}
	tags := regexp.MustCompile(`<[^>]*>`)
	var statements []string
	for _, found := range regexp.MustCompile(`(?s)<pre class="pre-scrollable code runnable">(.*?)</pre>`).FindAllSubmatch(page, -1) {
		statements = append(statements, html.UnescapeString(tags.ReplaceAllString(string(found[1]), "")))
	}
	var want []string
	for _, g := range Groups() {
		for _, q := range g.Questions {
			want = append(want, q.Statement)
		}
	}
	if !slices.Equal(statements, want) {
		t.Errorf("the guide has the statements %q", statements)
	}
}

// TestArchive: the archive has a file for each question, which begins with the comment
// that Neo4j Browser takes as its name.
func TestArchive(t *testing.T) {
	text, err := Archive()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f.Name+"\n"+string(content))
	}
	var want []string
	for _, g := range Groups() {
		for _, q := range g.Questions {
			want = append(want, "Headwater "+strings.ToLower(g.Title)+"/"+q.File+"\n// "+q.Title+"\n// ")
		}
	}
	if len(files) != len(want) {
		t.Fatalf("%d files", len(files))
	}
	for i := range files {
		if !strings.HasPrefix(files[i], want[i]) {
			t.Errorf("%s begins differently from %s", files[i], want[i])
		}
	}
}
