package cypher

import (
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
	text, err = s.Walk("read/walk_out", []string{"DownstreamOf", FedBy}, []string{"Dataset", "DataJob"}, 5)
	if err != nil || !strings.Contains(text, "-[:`DownstreamOf`|`FED_BY`*1..5]->") || !strings.Contains(text, "n:`Dataset`|`DataJob`") {
		t.Errorf("%s %v", text, err)
	}
	if text, err = s.Walk("read/walk_in", []string{"DownstreamOf"}, []string{"Dataset"}, 0); err != nil || !strings.Contains(text, "*1..]-") {
		t.Errorf("%s %v", text, err)
	}
	if text, err := s.Walk("read/walk_out", []string{"OwnedBy"}, []string{"Dataset) DETACH DELETE n //"}, 1); err == nil {
		t.Errorf("an unknown label stands in %s", text)
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
