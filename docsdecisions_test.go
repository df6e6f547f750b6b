package headwater_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// decisionRow is a row of the index of decisions: number, file, line, state.
var decisionRow = regexp.MustCompile(`^\| \[(\d{4})\]\((\d{4}-[a-z0-9-]+\.md)\) \| (.+\.) \| (.+) \|$`)

// decisionState matches the states that the index may give a decision.
var decisionState = regexp.MustCompile(`^(holds|diary shrunk|replaced by (\d{4})( in part)?(; diary shrunk)?)$`)

// TestDecisionsIndex checks that the index has one row for each decision, in order, that the
// numbers of decisions have no gaps, and that a decision which a later one replaces names it.
func TestDecisionsIndex(t *testing.T) {
	files, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(index)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| [") {
			continue
		}
		row := decisionRow.FindStringSubmatch(line)
		if row == nil {
			t.Errorf("not the form of a row: %s", line)
			continue
		}
		rows = append(rows, row)
	}
	if len(rows) != len(files) {
		t.Fatalf("the index has %d rows for %d decisions", len(rows), len(files))
	}
	for i, file := range files {
		number, row := fmt.Sprintf("%04d", i+1), rows[i]
		if name := filepath.Base(file); !strings.HasPrefix(name, number+"-") || row[1] != number || row[2] != name {
			t.Errorf("decision %s: the file is %s, the row names %s and %s", number, name, row[1], row[2])
		}
		state := decisionState.FindStringSubmatch(row[4])
		if state == nil {
			t.Errorf("decision %s has the state %q", number, row[4])
			continue
		}
		if by := state[2]; by != "" && (by <= number || by > fmt.Sprintf("%04d", len(files))) {
			t.Errorf("decision %s is replaced by %s, which is no later decision", number, by)
		} else if text, err := os.ReadFile(file); err != nil {
			t.Error(err)
		} else if by != "" && !strings.Contains(string(text), "]("+by+"-") {
			t.Errorf("decision %s does not name %s, which replaces it", number, by)
		}
	}
}

// decisionInCode is how a comment of the source names a decision.
var decisionInCode = regexp.MustCompile(`docs/decisions/(\d{4}-[a-z0-9-]+\.md)`)

// TestDecisionsInCode fails when a comment names a decision that is no file. Where the code keeps an
// invariant, its comment names the decision that has the reasons.
func TestDecisionsInCode(t *testing.T) {
	named := 0
	for _, f := range readImports(t) {
		text, err := os.ReadFile(filepath.FromSlash(f.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range decisionInCode.FindAllSubmatch(text, -1) {
			named++
			if _, err := os.Stat(filepath.Join("docs", "decisions", string(match[1]))); err != nil {
				t.Errorf("%s: %v", f.path, err)
			}
		}
	}
	if named < 25 {
		t.Errorf("only %d comments name a decision", named)
	}
}
