package policies_test

import (
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// aspects writes a policy to JSON and returns one of its two aspects.
func aspects(t *testing.T, p *policies.Policy, which int) jsontree.Object {
	t.Helper()
	info, rule := p.Aspects()
	tree := []jsontree.Object{info, rule}[which]
	if tree == nil {
		return nil
	}
	text, err := jsontree.Encode(tree)
	if err != nil {
		t.Fatal(err)
	}
	if tree, err = jsontree.DecodeObject(text); err != nil {
		t.Fatal(err)
	}
	return tree
}
