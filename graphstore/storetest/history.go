package storetest

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
)

func testHoldings(t *testing.T, s graphstore.Store) {
	put(t, s, urn(1), "ownership", value(1))
	put(t, s, urn(1), "ownership", value(2))
	put(t, s, urn(1), "status", value(3))
	for at := range 3 {
		runValue(t, s, urn(1), "profile", "run", int64(at))
	}
	runValue(t, s, urn(2), "usage", "run", 1)
	addEdges(t, s, urn(1), statement(urn(1), "DownstreamOf", urn(3), "upstreamLineage", "p", 1))
	want := map[string]graphstore.Holdings{
		urn(1): {Versions: 3, TimeSeries: map[string]int64{"profile": 3}},
		urn(2): {TimeSeries: map[string]int64{"usage": 1}},
	}
	urns := []string{urn(1), urn(2), urn(3), urn(4)}
	wantEqual(t, "holdings", must[map[string]graphstore.Holdings](t)(s.Holdings(context.Background(), urns)), want)
	update(t, s, urns, func(tx graphstore.Tx) error {
		found, err := tx.Holdings(urns)
		wantEqual(t, "holdings in a transaction", found, want)
		return err
	})
	wantEqual(t, "of nobody", must[map[string]graphstore.Holdings](t)(s.Holdings(context.Background(), nil)), map[string]graphstore.Holdings{})
}

// testHistory writes an entity, reads the entity's history, deletes the entity and imports the
// history. The entity must then be as it was at first.
func testHistory(t *testing.T, s graphstore.Store) {
	a, b, column := urn(1), urn(2), "urn:li:schemaField:("+urn(1)+",c)"
	for n := range 4 {
		runVersion(t, s, a, "ownership", "run", int64(n+1))
		runVersion(t, s, a, "status", "other", int64(n+1))
	}
	write(t, s, []string{a}, graphstore.Batch{
		Archive:        []graphstore.AspectKey{key(a, "status")},
		DeleteVersions: []graphstore.VersionRange{{Key: key(a, "ownership"), FromSeq: 1, ToSeq: 2}},
	})
	put(t, s, b, "ownership", value(1))
	up := statement(a, "DownstreamOf", b, "upstreamLineage", "p", 5)
	up.EdgeAttributes = graphstore.EdgeAttributes{CreatedOn: 1, CreatedActor: actor, UpdatedOn: 2, UpdatedActor: actor, Properties: []byte(`{"source":"UI"}`), Via: "urn:li:query:q"}
	ofColumn := statement(column, "DownstreamOf", "urn:li:schemaField:("+urn(2)+",c)", "upstreamLineage", "q", 6)
	ofColumn.Resumed, ofColumn.ResumedActor = 8, actor
	ofColumn.Owner, ofColumn.SourceType, ofColumn.DestinationType = a, "schemaField", "schemaField"
	ended := statement(a, "OwnedBy", b, "ownership", "p", 3)
	addEdges(t, s, a, up, ofColumn, ended)
	endEdge(t, s, ended, 7)
	addEdges(t, s, b, statement(b, "OwnedBy", a, "ownership", "p", 9)) // a statement of b, so not in a's history

	read := func() graphstore.History {
		t.Helper()
		found := must[map[string]graphstore.History](t)(s.History(context.Background(), []string{a, urn(9)}))
		if len(found) != 1 {
			t.Errorf("histories of %d entities, want 1", len(found))
		}
		return found[a]
	}
	before := read()
	if len(before.Versions) != 6 || len(before.Current) != 2 || len(before.Ended) != 1 {
		t.Fatalf("history: %+v", before)
	}
	wantEqual(t, "current", before.Current, []graphstore.EdgeStatement{up, ofColumn})
	wantEqual(t, "ended", before.Ended, []graphstore.EndedStatement{{EdgeStatement: ended, Until: 7, UntilRun: "run2", UntilActor: actor}})
	write(t, s, []string{a}, graphstore.Batch{DeleteEntities: []string{a}})
	if found := must[map[string]graphstore.History](t)(s.History(context.Background(), []string{a})); len(found) != 0 {
		t.Errorf("history of what was deleted: %+v", found)
	}
	back := graphstore.Batch{Nodes: []graphstore.NodeUpdate{node(a)}, AddEdges: before.Current, AddEnded: before.Ended}
	for _, v := range before.Versions {
		if v.Version == 0 {
			back.PutVersions = append(back.PutVersions, v)
		} else {
			back.PutArchived = append(back.PutArchived, v)
		}
	}
	write(t, s, []string{a}, back)
	wantEqual(t, "history written back", read(), before)
	wantVersion(t, s, a, "ownership", 0, 0, value(4))
	wantVersion(t, s, a, "ownership", 3, 3, value(3))
	wantNoVersion(t, s, a, "status", 0)
	wantEqual(t, "as of a moment before the end", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}, AsOf: 6}), []string{"DownstreamOf " + b, "OwnedBy " + b})
	wantEqual(t, "now", ends(t, s, graphstore.EdgeQuery{URNs: []string{a}}), []string{"DownstreamOf " + b})
	wantEqual(t, "of the column", ends(t, s, graphstore.EdgeQuery{URNs: []string{column}}), []string{"DownstreamOf " + ofColumn.Destination})
	write(t, s, []string{a}, graphstore.Batch{DeleteEntities: []string{a}})
	wantEqual(t, "of the column, deleted again", ends(t, s, graphstore.EdgeQuery{URNs: []string{column}}), []string{})
}
