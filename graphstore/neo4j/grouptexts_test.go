package neo4j

import (
	"regexp"
	"testing"

	"github.com/headwater-io/headwater/cypher"
)

// TestGroupParameters: statements of groups take their rows in one map. If a list were a
// parameter of its own, the database would make another plan, in up to a second, whenever the
// list has ten times as many items.
func TestGroupParameters(t *testing.T) {
	statements, err := cypher.Load([]string{"OwnedBy", "DownstreamOf"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := newGroupTexts(statements, []string{"OwnedBy", "DownstreamOf"})
	if err != nil {
		t.Fatal(err)
	}
	states, err := statements.Text("write/group_states")
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\$\w+`)
	for _, text := range []string{texts.plain, texts.edges, states} {
		found := parameter.FindAllString(text, -1)
		if len(found) == 0 {
			t.Errorf("no parameters in %s", text)
		}
		for _, name := range found {
			switch name {
			case "$group", "$token", "$now":
			default:
				t.Errorf("parameter %s in %s", name, text)
			}
		}
	}
}
