package typesense_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/indextest"
	"github.com/headwater-io/headwater/indexer/typesense"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

var indexes atomic.Int64

// options returns options with the fields of the suite's documents.
func options(prefix string, nodes ...string) typesense.Options {
	return typesense.Options{
		Nodes: nodes, Key: testservers.TypesenseKey, Prefix: prefix,
		Facets:      []string{indexer.FieldType, "platform", "tags"},
		Numbers:     []string{"rows", "lastModifiedAt"},
		SortKeys:    []string{indexer.FieldURN, "name"},
		Completions: []string{"name"},
	}
}

func open(t testing.TB, o typesense.Options) *typesense.Index {
	t.Helper()
	x, err := typesense.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestConformance(t *testing.T) {
	front, address := newFront(t, testservers.Typesense(t))
	used := map[indexer.Index]typesense.Options{}
	indextest.Run(t, indextest.Backend{
		Many: 10_200, Rounds: testsize.Of(100, 250),
		New: func(t testing.TB) indexer.Index {
			o := options(fmt.Sprintf("t%d_%d", time.Now().UnixNano(), indexes.Add(1)), address)
			x := open(t, o)
			used[x] = o
			return x
		},
		Reopen: func(t testing.TB, x indexer.Index) indexer.Index {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			reopened := open(t, used[x])
			used[reopened] = used[x]
			return reopened
		},
		Refuse: func(t testing.TB, _ indexer.Index, urns ...string) func() {
			allow := front.refuse(urns...)
			t.Cleanup(allow)
			return allow
		},
	})
}

// TestSetKey: requests carry the key that was set last.
func TestSetKey(t *testing.T) {
	x := open(t, options(fmt.Sprintf("t%d_%d", time.Now().UnixNano(), indexes.Add(1)), testservers.Typesense(t)))
	for _, c := range []struct {
		key    string
		served bool
	}{{testservers.TypesenseKey, true}, {"another", false}, {testservers.TypesenseKey, true}} {
		x.SetKey(c.key)
		if _, err := x.Cursor(t.Context()); (err == nil) != c.served {
			t.Errorf("with the key %s: %v", c.key, err)
		}
	}
}
