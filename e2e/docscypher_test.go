package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDocumentedCypher runs the Cypher statements of every page on the sample catalog in
// Neo4j. Each must return rows.
func TestDocumentedCypher(t *testing.T) {
	pages := slices.DeleteFunc(documents(t), func(p *page) bool {
		return !slices.ContainsFunc(p.blocks, (*block).isCypher)
	})
	if len(pages) == 0 {
		t.Fatal("no page shows Cypher")
	}
	flags := backends()[1].flags(t)
	s := start(t, append(flags, "--sample")...)
	s.awaitIndex(time.Minute)
	for _, p := range pages {
		// Parameters hold until the end of the page, as in Neo4j Browser.
		parameters := map[string]any{"urn": martOrders}
		for _, b := range p.blocks {
			if b.isCypher() {
				for _, statement := range statements(b.text) {
					runDocumented(t, flags[1], b, statement, parameters)
				}
			}
		}
	}
	s.stop()
}

func (b *block) isCypher() bool { return b.lang == "cypher" && !b.elsewhere() }

var (
	cypherComment = regexp.MustCompile(`(?m)^\s*//.*$`)
	cypherSet     = regexp.MustCompile(`^:params?\s+(\w+)\s*=>\s*(.+)$`)
)

// statements splits a text for Neo4j Browser into statements. A statement ends with a
// semicolon at the end of a line. A :param line is a statement of its own.
func statements(text string) []string {
	var all []string
	var statement strings.Builder
	for line := range strings.Lines(cypherComment.ReplaceAllString(text, "")) {
		line = strings.TrimSpace(line)
		if cypherSet.MatchString(strings.TrimSuffix(line, ";")) {
			all = append(all, strings.TrimSuffix(line, ";"))
			continue
		}
		statement.WriteString(strings.TrimSuffix(line, ";") + "\n")
		if strings.HasSuffix(line, ";") {
			all = append(all, statement.String())
			statement.Reset()
		}
	}
	if strings.TrimSpace(statement.String()) != "" {
		all = append(all, statement.String())
	}
	return all
}

func runDocumented(t *testing.T, uri string, b *block, statement string, parameters map[string]any) {
	t.Helper()
	if m := cypherSet.FindStringSubmatch(statement); m != nil {
		rows, err := cypherWith(uri, "RETURN "+m[2]+" AS value", nil)
		if err != nil {
			t.Errorf("%s:%d: %s: %v", b.page.name, b.line, statement, err)
			return
		}
		parameters[m[1]] = rows[0]["value"]
		return
	}
	rows, err := cypherWith(uri, statement, parameters)
	if err != nil {
		t.Errorf("%s:%d: %v\n%s", b.page.name, b.line, err, statement)
	} else if len(rows) == 0 {
		t.Errorf("%s:%d: finds nothing\n%s", b.page.name, b.line, statement)
	}
}
