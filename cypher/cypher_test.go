package cypher

import (
	"regexp"
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	s, err := Load([]string{"OwnedBy", "DownstreamOf"}, []string{"Dataset", "DataJob"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range s.texts {
		if text == "" || strings.Contains(text, "//") {
			t.Errorf("%s is empty or still has comments: %q", name, text)
		}
	}
	text, err := s.WithTypes("read/edges_out", []string{"OwnedBy", "DownstreamOf"})
	if err != nil || !strings.Contains(text, "[r:`OwnedBy`|`DownstreamOf`]") || strings.Contains(text, TypesPlaceholder) {
		t.Errorf("%s %v", text, err)
	}
	for _, bad := range []string{"Unknown", "OwnedBy`]->() DETACH DELETE e //", ""} {
		if text, err := s.WithTypes("read/edges_out", []string{bad}); err == nil {
			t.Errorf("%q stands in %s", bad, text)
		}
	}
	text, err = s.Walk("read/walk_out", []string{"DownstreamOf", FedBy}, []string{"Dataset", "DataJob"}, nil, 5)
	if err != nil || !strings.Contains(text, "-[:`DownstreamOf`|`FED_BY`*1..5]->") || !strings.Contains(text, "n:`Dataset`|`DataJob`") || strings.Contains(text, "none(") {
		t.Errorf("%s %v", text, err)
	}
	if text, err = s.Walk("read/walk_in", []string{"DownstreamOf"}, []string{"Dataset"}, nil, 0); err != nil || !strings.Contains(text, "*1..]-") {
		t.Errorf("%s %v", text, err)
	}
	if text, err := s.Walk("read/walk_out", []string{"OwnedBy"}, []string{"Dataset) DETACH DELETE n //"}, nil, 1); err == nil {
		t.Errorf("an unknown label stands in %s", text)
	}
	except := Exception{"DownstreamOf", "DataJob", "Dataset"}
	for _, name := range []string{"read/walk_in", "read/walk_out_before"} {
		text, err = s.Walk(name, []string{"DownstreamOf", FedBy}, []string{"Dataset", "DataJob"}, []Exception{except, {FedBy, "Dataset", "DataJob"}}, 0)
		want := "(type(r) = 'DownstreamOf' AND startNode(r):`DataJob` AND endNode(r):`Dataset`) OR (type(r) = 'FED_BY' AND startNode(r):`Dataset` AND endNode(r):`DataJob`)"
		if err != nil || strings.Count(text, want) != strings.Count(s.texts[name], ExceptPlaceholder) || strings.Contains(text, ExceptPlaceholder) {
			t.Errorf("%s %v", text, err)
		}
	}
	for _, bad := range []Exception{{"Unknown", "DataJob", "Dataset"}, {"DownstreamOf", "DataJob) //", "Dataset"}, {"DownstreamOf", "DataJob", ""}} {
		if text, err := s.Walk("read/walk_in", []string{"DownstreamOf"}, []string{"Dataset"}, []Exception{bad}, 0); err == nil {
			t.Errorf("%v stands in %s", bad, text)
		}
	}
	if _, err := s.Text("read/nothing"); err == nil {
		t.Error("a statement that does not exist")
	}
	if _, err := Load([]string{"a`b"}, nil); err == nil {
		t.Error("a name with a backtick")
	}
	if m := s.Migrations(); len(m) == 0 || len(m[0]) < 10 {
		t.Errorf("migrations: %v", m)
	}
}

// labelledMatch finds a MATCH of a node by its label, up to the next clause.
var labelledMatch = regexp.MustCompile(`(?s)MATCH \(\w+:\w.*?(\n|USING INDEX)`)

// beforeHint matches the space between a MATCH and its hint.
var beforeHint = regexp.MustCompile(`\s+USING`)

// TestRows: statements for rows, whose plans are reused, find nodes only by hints. Without a
// hint, the plan for an empty database would read all nodes, and would be reused forever.
func TestRows(t *testing.T) {
	s, err := Load([]string{"OwnedBy"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name := range s.texts {
		text, err := s.Rows(name, []string{"OwnedBy"})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "$rows") || !strings.HasPrefix(text, "CYPHER replan=skip\n") {
			t.Errorf("%s: %s", name, text)
		}
		if !strings.Contains(text, "$batch.rows") || name == "write/trim_changes" { // this statement runs by itself, and rarely
			continue
		}
		checked++
		for _, match := range labelledMatch.FindAllString(beforeHint.ReplaceAllString(text, " USING"), -1) {
			if !strings.HasSuffix(match, "USING INDEX") {
				t.Errorf("%s has no hint for %s", name, match)
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d statements read rows", checked)
	}
}
