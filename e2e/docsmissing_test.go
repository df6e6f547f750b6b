package e2e

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// missing matches sentences that say that a feature is missing.
var missing = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bthere (is|are) (no|none|only)\b`,
	`\b(has|have|gives?|speaks?|reads?|writes?|keeps?|serves?|sends?|needs?|knows?|takes?|exists?|works?) only\b`,
	`\b(has|have|gives?|speaks?|reads|writes|keeps|serves|sends|knows|takes) no\b`,
	`\bonly exists?\b`,
	`\b(does|do) not (have|support|offer|exist|evaluate|provide|implement)\b`,
	`\b(not|no longer) (supported|there|evaluated|issued|offered|implemented|available|copied)\b`,
	`\bunsupported\b`,
	`\b(no|without) effect\b`,
	`\b(Headwater|server|page|replica|program|command line) cannot\b`,
	`\bnot possible\b`,
}, "|"))

// missingHeading matches headings of lists and tables whose items are all missing.
var missingHeading = regexp.MustCompile(`(?i)\b(not there|not have|not supported|missing|cannot show)\b`)

// subordinate matches a clause that qualifies a noun or states a condition, such as "a
// field that the model does not have". Such a clause names no missing feature.
var subordinate = regexp.MustCompile(`(?i)\b(that|which|what|whatever|who|whose|where|whether|if|when|while|until|unless|as long as)\b[^,;:.()]*`)

// A claim is a sentence of a page that says that a feature is missing.
type claim struct{ page, text string }

// claims returns the claims of a page: sentences, and the first words of each item and row
// below a heading that says that they are missing.
func (p *page) claims() []claim {
	var found []claim
	listed := false
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			listed = missingHeading.MatchString(plainText(n, p.source))
			return ast.WalkSkipChildren, nil
		case *ast.ListItem, *extast.TableRow:
			if listed {
				found = append(found, claim{p.name, strings.Join(strings.Fields(plainText(n, p.source)), " ")})
				return ast.WalkSkipChildren, nil
			}
		case *ast.Paragraph, *ast.TextBlock, *extast.TableCell:
			for _, sentence := range sentences(plainText(n, p.source)) {
				if missing.MatchString(subordinate.ReplaceAllString(sentence, "")) {
					found = append(found, claim{p.name, sentence})
				}
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, source []byte) string {
	var text strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				text.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					text.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				text.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *ast.ListItem, *extast.TableCell, *ast.Paragraph:
			if !entering {
				text.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return text.String()
}

// sentenceEnd matches the end of a sentence: a punctuation mark, a blank and a new
// beginning.
var sentenceEnd = regexp.MustCompile("[.!?:;]\\**\\s+[A-Z`*/]")

func sentences(text string) []string {
	var list []string
	text = strings.Join(strings.Fields(text), " ")
	for {
		at := sentenceEnd.FindStringIndex(text)
		if at == nil {
			return append(list, text)
		}
		list = append(list, strings.TrimSpace(text[:at[1]-1]))
		text = text[at[1]-1:]
	}
}

// TestDocumentedAbsences tries every feature that a page calls missing. It fails for a
// claim without a row in absences and for a row without a claim, so a page and the server
// change together.
func TestDocumentedAbsences(t *testing.T) {
	data := t.TempDir()
	s := start(t, "--data", data, "--sample")
	s.awaitIndex(time.Minute)
	a := &absence{server: s, data: data}
	claimed := make([]bool, len(absences))
	for _, p := range documents(t) {
		for _, c := range p.claims() {
			row := -1
			for i, r := range absences {
				if r.page == c.page && strings.Contains(c.text, r.words) {
					row = i
				}
			}
			if row < 0 {
				t.Errorf("%s names something as missing, and no row of absences tries it: %q", c.page, c.text)
				continue
			}
			claimed[row] = true
		}
	}
	for i, r := range absences {
		if !claimed[i] {
			t.Errorf("%s no longer says %q: remove its row from absences", r.page, r.words)
			continue
		}
		if (r.tried == nil) == (r.about == "") {
			t.Errorf("the row of %s, %q, has neither a trial nor a reason, or both", r.page, r.words)
		}
		if r.tried == nil {
			continue
		}
		t.Run(strings.ReplaceAll(r.words, " ", "-"), func(t *testing.T) {
			a.t = t
			r.tried(a)
		})
	}
	s.t = t
	s.stop()
}

// TestClaimsAreFound: claims finds sentences and lists that once stayed on a page after the
// feature was built. It ignores sentences about other things.
func TestClaimsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"There is no web page.": 1,
		"People can search. There are no pages for lineage; use REST.": 1,
		"Kafka has only `/events`.":                                    1,
		"Rollbacks are not supported.":                                 1,
		"The server does not have a read-only mode.":                   1,
		"## What is not there\n\n- **The web application.** Use REST.\n- Actions.\n\n## Other\n\n- Reads.": 2,
		"A field that the model does not have is refused.":                                                 0,
		"If there is no such version, the aspect is removed.":                                              0,
	} {
		if found := parsePage("docs/page.md", []byte(text)).claims(); len(found) != want {
			t.Errorf("%q: %d claims were found, not %d: %q", text, len(found), want, found)
		}
	}
}
