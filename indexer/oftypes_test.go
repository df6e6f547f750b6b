package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/headwater-io/headwater/indexer"
)

func typeIs(types ...string) indexer.In {
	return indexer.In{Field: indexer.FieldType, Values: types}
}

// TestOfTypes: conditions on types that the whole does not ask for are decided.
func TestOfTypes(t *testing.T) {
	tag := indexer.In{Field: "tags", Values: []string{"pii"}}
	own := typeIs("secret", "policy")
	limited := indexer.Or{indexer.And{indexer.Not{Expr: own}, indexer.Not{Expr: tag}}, indexer.And{typeIs("policy"), tag}, typeIs("secret")}
	for name, c := range map[string]struct{ asked, want indexer.Expr }{
		"types with no part of their own": {typeIs("dataset", "chart"), indexer.And{typeIs("dataset", "chart"), indexer.Not{Expr: tag}}},
		"a type that always passes":       {typeIs("secret"), typeIs("secret")},
		"a type with its part":            {typeIs("policy"), indexer.And{typeIs("policy"), tag}},
		"a type on either side":           {typeIs("dataset", "secret"), indexer.And{typeIs("dataset", "secret"), indexer.Or{indexer.And{indexer.Not{Expr: typeIs("secret")}, indexer.Not{Expr: tag}}, typeIs("secret")}}},
		"no type":                         {tag, indexer.And{tag, limited}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := indexer.OfTypes(indexer.And{c.asked, limited}); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if got := indexer.OfTypes(indexer.And{typeIs("dataset"), typeIs("secret")}); !indexer.IsNever(got) {
		t.Errorf("an entity is a dataset and a secret: %v", got)
	}
}

// TestOfTypesHolds: a condition and its decided form hold for the same documents.
func TestOfTypesHolds(t *testing.T) {
	types, tags := []string{"dataset", "chart", "secret", "policy"}, []string{"a", "b"}
	random := rand.New(rand.NewPCG(1, 2))
	some := func(of []string) (values []string) {
		for _, value := range of {
			if random.IntN(2) == 0 {
				values = append(values, value)
			}
		}
		return values
	}
	var condition func(depth int) indexer.Expr
	parts := func(depth int) []indexer.Expr {
		list := make([]indexer.Expr, random.IntN(4))
		for i := range list {
			list[i] = condition(depth - 1)
		}
		return list
	}
	condition = func(depth int) indexer.Expr {
		switch n := random.IntN(5); {
		case depth == 0 || n == 0:
			if random.IntN(2) == 0 {
				return typeIs(some(types)...)
			}
			return indexer.In{Field: "tags", Values: some(tags)}
		case n == 1:
			return indexer.Not{Expr: condition(depth - 1)}
		case n == 2:
			return indexer.Or(parts(depth))
		}
		return indexer.And(parts(depth))
	}
	var docs []*indexer.Document
	for _, kind := range types {
		for n := range 4 {
			docs = append(docs, &indexer.Document{Type: kind, Values: map[string][]string{indexer.FieldType: {kind}, "tags": tags[n%2 : n%2+n/2]}})
		}
	}
	for range 20_000 {
		e := indexer.And{typeIs(some(types)...), condition(4)}
		decided := indexer.OfTypes(e)
		for _, d := range docs {
			if got, want := indexer.Holds(decided, d), indexer.Holds(e, d); got != want {
				t.Fatalf("%s of a %s with %v holds: %t, not %t, as %s", fmt.Sprint(e), d.Type, d.Values["tags"], got, want, fmt.Sprint(decided))
			}
		}
	}
}
