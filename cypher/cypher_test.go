package cypher

import (
	"strings"
	"testing"
)

func TestStatements(t *testing.T) {
	s, err := Load([]string{"OwnedBy", "DownstreamOf"})
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
	if _, err := s.Text("read/nothing"); err == nil {
		t.Error("a statement that does not exist")
	}
	if _, err := Load([]string{"a`b"}); err == nil {
		t.Error("a name with a backtick")
	}
	if m := s.Migrations(); len(m) == 0 || len(m[0]) < 10 {
		t.Errorf("migrations: %v", m)
	}
}
