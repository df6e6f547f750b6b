package write

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// TestRemembered: a remembered value is found by its own text only; a value with few edges and one that is too large
// are not remembered.
func TestRemembered(t *testing.T) {
	r, key := newRemembered(), graphstore.AspectKey{URN: "urn:li:dataJob:j", Name: model.AspectDataJobInputOutput}
	of := func(text string) *model.Value { return &model.Value{JSON: []byte(text)} }
	edges := make([]graphstore.EdgeStatement, manyEdges)
	r.put(key, statedValue{of(`{"a":1}`), edges})
	if found, ok := r.find(key, []byte(`{"a":1}`)); !ok || len(found.edges) != manyEdges {
		t.Errorf("found %v, %v", found, ok)
	}
	if _, ok := r.find(key, []byte(`{"a":2}`)); ok {
		t.Error("a value is found by another text")
	}
	r.put(key, statedValue{of(`{"a":2}`), edges[1:]})
	r.put(key, statedValue{of(`{"a":3,"b":"` + strings.Repeat("x", rememberedBytes) + `"}`), edges})
	r.put(key, statedValue{nil, edges})
	if _, ok := r.find(key, []byte(`{"a":1}`)); !ok {
		t.Error("values that are not worth their memory have replaced another one")
	}
}
