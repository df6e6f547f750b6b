package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var (
	figure  = regexp.MustCompile(`\d`)
	command = regexp.MustCompile("(?m)(?:^|[` ])(make bench|go run |go test )")
)

// TestFiguresOfSectionsHaveCommands fails for a section of docs/benchmarks.md that has
// figures but names no command that measures them.
func TestFiguresOfSectionsHaveCommands(t *testing.T) {
	pages := documents(t)
	p := pages[slices.IndexFunc(pages, func(p *page) bool { return p.name == "docs/benchmarks.md" })]
	var heading string
	var text strings.Builder
	sections := 0
	check := func() {
		if figure.MatchString(text.String()) {
			sections++
			if !command.MatchString(text.String()) {
				t.Errorf("%s: the section %q has figures without a command", p.name, heading)
			}
		}
		text.Reset()
	}
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		if n, ok := n.(*ast.Heading); ok {
			check()
			heading = plain(n, p.source)
			continue
		}
		// The source of this section, up to the next node.
		start, stop := n.Pos(), len(p.source)
		if next := n.NextSibling(); next != nil {
			stop = next.Pos()
		}
		text.Write(p.source[start:stop])
	}
	check()
	if sections < 4 {
		t.Errorf("only %d sections have figures", sections)
	}
}

// TestInstallLine: all pages install the client with the same command, which is that of
// e2e/venv.sh and has the version of the client tests.
func TestInstallLine(t *testing.T) {
	line := regexp.MustCompile(`(?m)^pip install .*acryl-datahub.*$`)
	readme, err := os.ReadFile(filepath.Join(testservers.Root(), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := line.FindString(string(readme))
	requirements, err := os.ReadFile(filepath.Join(testservers.Root(), "e2e", "clients", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`acryl-datahub\[.*\]==(\S+)`).FindSubmatch(requirements)
	if version == nil || !strings.HasSuffix(wanted, "=="+string(version[1])+"'") {
		t.Errorf("the README installs %q, e2e/clients %q", wanted, version)
	}
	for _, p := range documents(t) {
		for _, b := range p.blocks {
			if got := line.FindString(b.text); got != "" && got != wanted {
				t.Errorf("%s:%d: %s\nthe README has\n%s", p.name, b.line, got, wanted)
			}
		}
	}
}
