package e2e

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestDocumentedLinks fails for a link on any page of the repository to a file or heading
// that does not exist.
func TestDocumentedLinks(t *testing.T) {
	pages := map[string]*page{}
	for _, p := range markdown(t) {
		pages[p.name] = p
	}
	links := 0
	for _, p := range pages {
		for _, target := range p.links() {
			links++
			u, err := url.Parse(target)
			if err != nil || u.IsAbs() {
				if err != nil {
					t.Errorf("%s: the link %q: %v", p.name, target, err)
				}
				continue
			}
			name := p.name
			if u.Path != "" {
				name = path.Join(path.Dir(p.name), u.Path)
			}
			if _, err := os.Stat(filepath.Join(testservers.Root(), filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: the link %q leads to nothing", p.name, target)
				continue
			}
			if to := pages[name]; u.Fragment != "" && (to == nil || !to.anchors()[u.Fragment]) {
				t.Errorf("%s: %s has no heading for the link %q", p.name, name, target)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// links returns the targets of a page's links and pictures.
func (p *page) links() []string {
	var links []string
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Link:
				links = append(links, string(n.Destination))
			case *ast.Image:
				links = append(links, string(n.Destination))
			}
		}
		return ast.WalkContinue, nil
	})
	return links
}

var anchorTag = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)

// anchors returns the fragments that lead to places of a page. GitHub makes them from
// headings: lower-case letters, digits, and dashes for blanks. Further headings with the
// same name get -1, -2, ….
func (p *page) anchors() map[string]bool {
	anchors := map[string]bool{}
	for _, m := range anchorTag.FindAllSubmatch(p.source, -1) {
		anchors[string(m[1])] = true
	}
	times := map[string]int{}
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		heading, ok := n.(*ast.Heading)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, plain(heading, p.source))
		if times[slug]++; times[slug] > 1 {
			slug += "-" + strconv.Itoa(times[slug]-1)
		}
		anchors[slug] = true
		return ast.WalkSkipChildren, nil
	})
	return anchors
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if text, ok := n.(*ast.Text); ok && entering {
			b.Write(text.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
