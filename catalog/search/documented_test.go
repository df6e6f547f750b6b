package search_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/sample"
)

// documentedQuery matches a query in a table of docs/search.md.
var documentedQuery = regexp.MustCompile("`(/q [^`]+)`")

// TestDocumentedQueries: each query in docs/search.md finds some entities of the sample
// catalog, and all queries but one do not find all of them. The wrong queries are refused with
// the errors that the document states.
func TestDocumentedQueries(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testservers.Root(), "docs", "search.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Structured queries\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("docs/search.md has no section about structured queries")
	}
	c, ctx := testcatalog.New(t), context.Background()
	if _, err := sample.Load(ctx, c); err != nil {
		t.Fatal(err)
	}
	if err := c.Follower.Await(ctx); err != nil {
		t.Fatal(err)
	}
	everything, err := c.Search.Search(ctx, search.Request{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := 0, 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "| \n"), " | ")
		if len(cells) != 2 {
			continue
		}
		for _, match := range documentedQuery.FindAllStringSubmatch(cells[0], -1) {
			result, err := c.Search.Search(ctx, search.Request{Input: match[1], Count: 1})
			switch {
			case strings.HasPrefix(cells[1], "the query is wrong"):
				wrong++
				if catalog.CodeOf(err) != catalog.Invalid || err.Error() != cells[1] {
					t.Errorf("%s:\n%v, documented is\n%s", match[1], err, cells[1])
				}
			case err != nil:
				t.Errorf("%s: %v", match[1], err)
			default:
				right++
				if all := result.Total == everything.Total; result.Total == 0 || all != (match[1] == "/q *") {
					t.Errorf("%s finds %d of %d", match[1], result.Total, everything.Total)
				}
			}
		}
	}
	if right < 15 || wrong < 5 {
		t.Errorf("the tables have %d queries and %d wrong ones", right, wrong)
	}
}
