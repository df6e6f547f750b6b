package visible_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// manyTags is a store that contains only tags.
type manyTags struct {
	graphstore.Store
	total int
}

func (m manyTags) ListEntities(_ context.Context, _ string, page graphstore.Page) ([]string, int64, error) {
	urns := []string{}
	for i := page.Start; i < min(page.Start+page.Count, m.total); i++ {
		urns = append(urns, fmt.Sprintf("urn:li:tag:%06d", i))
	}
	return urns, int64(m.total), nil
}

func TestVisibleRows(t *testing.T) {
	s := see(t, nil, policySets["nothing"])
	for _, more := range []int{0, 1} {
		store := visible.NewStore(manyTags{total: limits.VisibleRows + more}, model.Default())
		urns, total, err := store.ListEntities(s.ctx, "tag", graphstore.Page{Count: 10})
		if more == 0 && (err != nil || total != 0 || len(urns) != 0) || more == 1 && (err == nil || !strings.Contains(err.Error(), "look through more than")) {
			t.Errorf("%d more: %v %d %v", more, urns, total, err)
		}
	}
}

// manyValues is an index whose fields have many values.
type manyValues struct {
	indexer.Index
	total int
	asked indexer.Expr
}

func (m *manyValues) Values(_ context.Context, _ string, most int) ([]string, error) {
	var values []string
	for i := range min(m.total, most) {
		values = append(values, fmt.Sprintf("urn:li:tag:%06d", i))
	}
	return values, nil
}

func (m *manyValues) Search(_ context.Context, q *indexer.Query) (*indexer.Result, error) {
	m.asked = q.Filter
	return &indexer.Result{}, nil
}

func TestVisiblePresence(t *testing.T) {
	s := see(t, nil, policySets["nothing"])
	for _, more := range []int{0, 1} {
		inner := &manyValues{total: limits.VisiblePresence + more}
		_, err := visible.NewIndex(inner, s.Store, model.Default()).Search(s.ctx, &indexer.Query{Filter: indexer.In{Field: "hasTags", Values: []string{"true"}}})
		if more == 0 && (err != nil || inner.asked == nil) || more == 1 && (catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), `"tags"`) || inner.asked != nil) {
			t.Errorf("%d more: %v, asked %t", more, err, inner.asked != nil)
		}
	}
}

func TestVisibleValues(t *testing.T) {
	s := see(t, things(rand.New(rand.NewPCG(1, 2)), 3), nil)
	for _, more := range []int{0, 1} {
		values := make([]string, limits.VisibleValues-1+more) // one more is piet, who may read piet
		for i := range values {
			values[i] = fmt.Sprintf("urn:li:tag:t%d", i)
		}
		s.as([]policies.Policy{allow(criterion("URN", policies.Equals, values...))})
		result, err := s.index.Search(s.ctx, &indexer.Query{Size: 10})
		if more == 0 && (err != nil || result.Total != 4) || more == 1 && err == nil {
			t.Errorf("%d more: %+v %v", more, result, err)
		}
	}
}
