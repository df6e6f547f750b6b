package gql_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// ends counts the readings of the end of the change log, and stages those of the life-cycle stages.
type ends struct {
	graphstore.Store
	read atomic.Int64
}

func (e *ends) EndCursor(ctx context.Context) (string, error) {
	e.read.Add(1)
	return e.Store.EndCursor(ctx)
}

type stages struct {
	indexer.Index
	read atomic.Int64
}

func (s *stages) Search(ctx context.Context, q *indexer.Query) (*indexer.Result, error) {
	if q.Size == limits.MaxLifecycleStages {
		s.read.Add(1)
	}
	return s.Index.Search(ctx, q)
}

// TestSearchesOfADocument: the searches of one document wait for the index once, and read the life-cycle stages once,
// whatever their number; those of a mutation find what the mutation has just written.
func TestSearchesOfADocument(t *testing.T) {
	log, index := &ends{}, &stages{}
	c := testcatalog.WrappedBoth(t, func(s graphstore.Store) graphstore.Store {
		log.Store = s
		return log
	}, func(x indexer.Index) indexer.Index {
		index.Index = x
		return index
	})
	const hidden = "urn:li:lifecycleStageType:HIDDEN"
	writeAspect(t, c, hidden, "lifecycleStageTypeInfo", `{"name":"Hidden","settings":{"hideInSearch":true},"created":`+actorStamp+`,"lastModified":`+actorStamp+`}`)
	writeAspect(t, c, orders, "datasetProperties", `{"name":"orders"}`)
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	var document strings.Builder
	for n := range 20 {
		fmt.Fprintf(&document, "a%d: searchAcrossEntities(input: {types: [DATASET], query: \"*\", count: %d}) { total searchResults { entity { urn } } }\n", n, n+1)
		fmt.Fprintf(&document, "b%d: browse(input: {type: DATASET, path: [\"prod\", \"hive\"], count: %d}) { total }\n", n, n+1)
		fmt.Fprintf(&document, "c%d: autoComplete(input: {type: DATASET, query: \"ord\", limit: %d}) { suggestions }\n", n, n+1)
	}
	log.read.Store(0)
	index.read.Store(0)
	answer := ask(t, h, "{"+document.String()+"}", nil)
	if n := strings.Count(answer, `"total":1`); n != 20 {
		t.Errorf("%d of 20 searches find the dataset: %.600s", n, answer)
	}
	if ends, stages := log.read.Load(), index.read.Load(); ends != 1 || stages != 1 {
		t.Errorf("60 searches read the end of the log %d times and the stages %d times, want once", ends, stages)
	}
	search := `searchAcrossEntities(input: {types: [DATASET], query: "*"}) { total }`
	ask(t, h, `mutation { setLifecycleStage(urn: "`+orders+`", lifecycleStageUrn: "`+hidden+`") }`, nil)
	checkAnswer(t, ask(t, h, "{ answer: "+search+" }", nil), "a search after a document that hid the dataset", `{"total":0}`)
}
