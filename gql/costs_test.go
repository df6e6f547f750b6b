package gql

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/gql/generated"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestEveryFieldHasACost: fields of Query and Mutation, and other fields with arguments, have a
// row in the tables of costs, and each row is for a field that exists.
func TestEveryFieldHasACost(t *testing.T) {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	seen := map[string]map[string]bool{"Query": {}, "Mutation": {}, "": {}}
	tables := map[string]map[string]cost{"Query": queryCosts, "Mutation": mutationCosts, "": fieldCosts}
	for _, of := range schema.Types {
		table := of.Name
		if tables[table] == nil {
			table = ""
		}
		for _, f := range of.Fields {
			if strings.HasPrefix(f.Name, "__") || strings.HasPrefix(of.Name, "__") {
				continue
			}
			seen[table][f.Name] = true
			needs := table != "" || len(f.Arguments) > 0
			if _, ok := tables[table][f.Name]; !ok && needs {
				t.Errorf("%s.%s has no cost", of.Name, f.Name)
			}
		}
	}
	for table, costs := range tables {
		for name := range costs {
			if !seen[table][name] {
				t.Errorf("a cost of the field %s %s, which does not exist", table, name)
			}
		}
	}
}

// times selects a field n times, under different aliases.
func times(alias string, n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d:%s ", alias, i, field)
	}
	return b.String()
}

func braced(fields ...string) string { return "{" + strings.Join(fields, "") + "}" }

func costly(n int, field string) string { return braced(times("a", n, field)) }

// TestCostOfAQuery: a field costs at each place of an operation. Fields of several types at one
// place cost once.
func TestCostOfAQuery(t *testing.T) {
	c := newChecker(generated.NewExecutableSchema(generated.Config{}).Schema())
	const recent, dataset = `recentChanges{changes{time}}`, `dataset(urn:"x"){lineage(input:{direction:UPSTREAM}){total}}`
	most := limits.MaxGraphQLCost / int(walked)
	for query, refused := range map[string]bool{
		costly(most, recent):   false,
		costly(most+1, recent): true,
		braced(times("a", most-1, recent), times("b", int(walked)/3, dataset)):   false,
		braced(times("a", most-1, recent), times("b", int(walked)/3+1, dataset)): true,
		costly(limits.MaxGraphQLFields, `appConfig{appVersion}`):                 false,
		"query a " + costly(most, recent) + " query b " + costly(most, recent):   false,
		"{...f}fragment f on Query" + costly(most+1, recent):                     true,
		braced(times("a", most-1, recent), times("b", int(walked)/3, `entity(urn:"x"){...on Dataset{lineage(input:{direction:UPSTREAM}){total}}...on Chart{lineage(input:{direction:UPSTREAM}){total}}...on Dashboard{lineage(input:{direction:UPSTREAM}){total}}}`)): false,
		"mutation" + costly(most+1, `rollbackRun(input:{runId:"x",confirm:"x"}){next}`): true,
	} {
		_, err := c.document(t.Context(), query)
		if got := err != nil; got != refused {
			t.Errorf("%.80s…: %v", query, err)
		} else if refused && !strings.Contains(err.Error(), "cost") {
			t.Errorf("%.80s…: %v", query, err)
		}
	}
}

// runReads counts the reads of runs, and the largest number of reads that run at once.
type runReads struct {
	graphstore.Store
	running, most, all atomic.Int64
}

func (r *runReads) Runs(ctx context.Context, q graphstore.RunsQuery) ([]graphstore.Run, int64, error) {
	r.all.Add(1)
	if running := r.running.Add(1); running > r.most.Load() {
		r.most.Store(running)
	}
	defer r.running.Add(-1)
	return r.Store.Runs(ctx, q)
}

// TestOneDearFieldAtATime: a query resolves one dear field at a time, and resolves none after
// the caller has left.
func TestOneDearFieldAtATime(t *testing.T) {
	store := &runReads{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		store.Store = s
		return store
	})
	h := New(Options{Catalog: c})
	ask := func(ctx context.Context) string {
		body := fmt.Sprintf(`{"query":%q}`, costly(20, `listRuns(input:{}){total}`))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/graphql", strings.NewReader(body)))
		return w.Body.String()
	}
	if answer := ask(t.Context()); strings.Contains(answer, `"errors"`) || store.all.Load() < 20 || store.most.Load() != 1 {
		t.Errorf("%d reads, %d at a time: %.200s", store.all.Load(), store.most.Load(), answer)
	}
	before := store.all.Load()
	left, leave := context.WithCancel(t.Context())
	leave()
	if ask(left); store.all.Load() != before {
		t.Errorf("%d reads for a caller who has left", store.all.Load()-before)
	}
}
