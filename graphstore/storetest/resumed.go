package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

// testResumed: a statement that ended and that a rollback made current again keeps the stamps
// of its first start. Between its end and the rollback the statement was not current.
func testResumed(t *testing.T, s graphstore.Store) {
	a, b := urn(1), urn(2)
	first := statement(a, "DownstreamOf", b, "upstreamLineage", "p", 100)
	addEdges(t, s, a, first)
	endEdge(t, s, first, 200)
	resumed := first
	resumed.Resumed, resumed.ResumedActor = 300, "urn:li:corpuser:undoes"
	addEdges(t, s, a, resumed)

	wantAt := func(state string, current map[int64]bool) {
		t.Helper()
		for at, is := range current {
			want, visited := []string{}, []string{}
			if is {
				want, visited = []string{"DownstreamOf " + b}, []string{"1 " + b}
			}
			name := fmt.Sprintf("%s, as of %d", state, at)
			wantEqual(t, name, ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: at}), want)
			wantEqual(t, name+", walked", visits(t, s, graphstore.WalkQuery{From: []string{a}, Steps: upstreamSteps, AsOf: at}), visited)
			_, total := edges(t, s, graphstore.EdgeQuery{URNs: []string{b}, Direction: graphstore.Incoming, AsOf: at})
			if total != int64(len(want)) {
				t.Errorf("%s: %d edges lead to the other end, want %d", name, total, len(want))
			}
		}
	}
	wantAt("resumed", map[int64]bool{99: false, 100: true, 199: true, 200: false, 299: false, 300: true})
	want := graphstore.Edge{
		Source: a, Type: "DownstreamOf", Destination: b, Owners: []string{a}, Since: 100, SinceRun: "run", SinceActor: actor,
		Resumed: 300, ResumedActor: "urn:li:corpuser:undoes",
	}
	found, _ := edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	wantEqual(t, "resumed", found, []graphstore.Edge{want})

	ended := func(want map[int64]*graphstore.EndedStatement) {
		t.Helper()
		for at, of := range want {
			update(t, s, []string{a}, func(tx graphstore.Tx) error {
				other := first.EdgeID
				other.Path = "another"
				found, err := tx.Ended([]graphstore.StatementAt{{EdgeID: other, At: at}, {EdgeID: first.EdgeID, At: at}})
				wantEqual(t, fmt.Sprintf("the ended statement of %d", at), found, []*graphstore.EndedStatement{nil, of})
				return err
			})
		}
	}
	earlier := &graphstore.EndedStatement{EdgeStatement: first, Until: 200, UntilRun: "run2", UntilActor: actor}
	ended(map[int64]*graphstore.EndedStatement{99: nil, 100: earlier, 200: earlier, 201: nil})

	endEdge(t, s, resumed, 400)
	wantAt("ended again", map[int64]bool{150: true, 250: false, 300: true, 399: true, 400: false})
	later := &graphstore.EndedStatement{EdgeStatement: resumed, Until: 400, UntilRun: "run2", UntilActor: actor}
	ended(map[int64]*graphstore.EndedStatement{99: nil, 100: later, 400: later, 401: nil})
	history := must[map[string]graphstore.History](t)(s.History(context.Background(), []string{a}))[a]
	wantEqual(t, "ended", history.Ended, []graphstore.EndedStatement{*earlier, *later})

	// The edge now has two statements. The edge is current since the earlier of the times 250 and
	// 300 at which the two statements became current. The time of the first statement is the time
	// at which the edge was first stated.
	addEdges(t, s, a, resumed, statement(a, "DownstreamOf", b, "upstreamLineage", "q", 250))
	found, _ = edges(t, s, graphstore.EdgeQuery{URNs: []string{a}})
	want.Resumed, want.ResumedActor = 250, ""
	wantEqual(t, "stated twice", found, []graphstore.Edge{want})
}
