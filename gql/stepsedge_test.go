package gql

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitOfSteps: a query with as many steps as the limit passes, and a query with one step
// more is refused.
func TestLimitOfSteps(t *testing.T) {
	p := &planner{ctx: t.Context(), steps: limits.MaxGraphQLSteps - 1}
	c := collector{planner: p, names: map[string]*joined{}, spread: map[string]bool{}}
	one := part{ast.SelectionSet{&ast.FragmentSpread{Name: "f"}}, 1, &path{}}
	if err := c.add(one, 1, 0); err != nil {
		t.Errorf("the last step: %v", err)
	}
	if err := c.add(one, 1, 0); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("one step more: %v", err)
	}
}
