package gql_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestExtensionsSayWhatTheIndexLacks: if the index lacks changes that were written before the
// request, the extensions of the answer say so; otherwise they do not.
func TestExtensionsSayWhatTheIndexLacks(t *testing.T) {
	s := catalogtest.NewIndexedHarness(t, follower.Index{Wait: time.Millisecond})
	h := gql.New(gql.Options{Catalog: s.Services})
	const query = `{ search(input: {type: DATASET, query: "*"}) { total } }`
	release := s.HoldIndex()
	s.Add(1)
	if answer := ask(t, h, query, nil); !strings.Contains(answer, `"extensions":{"searchIndex":{"changesBehind":`) || strings.Contains(answer, `"changesBehind":0`) {
		t.Errorf("behind: %s", answer)
	}
	release()
	s.Await()
	if answer := ask(t, h, query, nil); answer != `{"data":{"search":{"total":1}},"extensions":{}}` {
		t.Errorf("caught up: %s", answer)
	}
	s.Index.Hold.Lock()
	defer s.Index.Hold.Unlock()
	s.Follower.Sighted(indexer.ErrDamaged)
	testclock.Await(t, "the rebuild begins", s.Follower.Building)
	if answer := ask(t, h, query, nil); !strings.HasSuffix(answer, `"extensions":{"searchIndex":{"changesBehind":null}}}`) {
		t.Errorf("incomplete: %s", answer)
	}
}

// TestMutationThenSearch: after the answer of a mutation, a search finds the changes of the
// mutation.
func TestMutationThenSearch(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	h := gql.New(gql.Options{Catalog: s.Services})
	for _, name := range []string{"one", "two", "three"} {
		ask(t, h, `mutation { createTag(input: {id: "`+name+`", name: "`+name+`"}) }`, nil)
		if answer := ask(t, h, `{ search(input: {type: TAG, query: "`+name+`"}) { total } }`, nil); !strings.Contains(answer, `"total":1`) {
			t.Errorf("%s: %s", name, answer)
		}
	}
	if lag, err := s.Follower.Lag(context.Background()); err != nil || lag != 0 {
		t.Errorf("%d changes are not indexed, %v", lag, err)
	}
}
