// Package storetest is the conformance suite of graph stores. The suite tests the promises of
// [graphstore.Store], and every backend must pass the suite. The tests of a backend call [Run].
package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/graphstore"
)

// Backend makes the stores that the suite tests.
type Backend struct {
	// New returns an empty store, which the suite closes.
	New func(t *testing.T) graphstore.Store
	// Reopen opens a store on the data that the store closed last has left. The suite closes the
	// returned store. If Reopen is nil, Run skips the cases about restarts.
	Reopen func(t *testing.T) graphstore.Store
	// Bounded returns an empty store in which at most queue updates of one entity wait, each for
	// at most patience. If Bounded is nil, Run skips the cases about these bounds.
	Bounded func(t *testing.T, queue int, patience time.Duration) graphstore.Store
	// At is like New, and ReopenAt is like Reopen, for a store that reads the time from now. If At
	// is nil, Run skips the cases about clocks.
	At, ReopenAt func(t *testing.T, now func() time.Time) graphstore.Store
	// Keep copies the data of a store that is closed. The returned function puts the copy in place
	// of the data that a closed store has left by then. If Keep is nil, Run skips the cases about
	// restored copies.
	Keep func(t *testing.T) (restore func(t *testing.T))
	// Writes leaves out the cases about answers that do not depend on the way in which the store
	// writes.
	Writes bool
	// GraphSize is the number of entities of the graph that the case "LargeGraph" writes.
	GraphSize int
}

// answers are the cases that [Backend.Writes] leaves out.
var answers = []string{
	"LatestAspects", "AspectVersions", "ListEntities", "CountAspects", "CountLike", "AsOf", "EdgesOfKinds", "Hub", "EdgesToParts", "WithPrefix",
	"Walk", "WalkPatience", "WalkRandom", "WalkDuringWrites", "Trace", "History", "HistoryDuringWrites", "Holdings", "Predecessors",
	"Runs", "Rows", "RunTimeSeries", "TimeSeriesOfMany", "TimeSeriesOfAll", "NewestChanges", "TailUnderLoad", "Followers", "Reached", "RecordRaces", "RecordReads", "RecordBound",
	"ReadsDuringWrites", "TrimDuringReads",
}

// Run runs the cases of the suite as subtests of t. Run skips the cases for which b has no
// function.
func Run(t *testing.T, b Backend) {
	cases := map[string]func(*testing.T, graphstore.Store){
		"Versions": testVersions, "VersionNumbers": testVersionNumbers, "WhatWasBefore": testWhatWasBefore, "Observe": testObserve, "ArchiveAndRestore": testArchiveAndRestore,
		"DeleteVersions": testDeleteVersions, "LatestAspects": testLatestAspects, "AspectVersions": testAspectVersions, "Bytes": testBytes,
		"Nodes": testNodes, "ListEntities": testListEntities, "CountAspects": testCountAspects,
		"Edges": testEdges, "SameEdgeTwice": testSameEdgeTwice, "AsOf": testAsOf, "Resumed": testResumed, "EdgeAttributes": testEdgeAttributes, "EdgesOfKinds": testEdgesOfKinds, "EnsureEdges": testEnsureEdges,
		"Hub": testHub, "SelfEdge": testSelfEdge, "DeleteEntities": testDeleteEntities, "DeleteAndWrite": testDeleteAndWrite, "DeleteStatementsAboutOthers": testDeleteStatementsAboutOthers,
		"Columns": testColumns, "CountLike": testCountLike, "Walk": testWalk, "Trace": testTrace, "WalkPatience": testWalkPatience, "WalkRandom": testWalkRandom, "WalkDuringWrites": testWalkDuringWrites, "WithPrefix": testWithPrefix, "EdgesToParts": testEdgesToParts,
		"Runs": testRuns, "Rows": testRows, "RunTimeSeries": testRunTimeSeries, "Predecessors": testPredecessors, "Holdings": testHoldings, "History": testHistory, "HistoryDuringWrites": testHistoryDuringWrites,
		"TimeSeries": testTimeSeries, "TimeSeriesOfMany": testTimeSeriesOfMany, "TimeSeriesOfAll": testTimeSeriesOfAll, "DeleteTimeSeries": testDeleteTimeSeries,
		"Changes": testChanges, "NewestChanges": testNewestChanges, "ValuesOfNobody": testValuesOfNobody, "ChangesOfRemovedVersions": testPrunedChanges, "LargeChanges": testLargeChanges, "Followers": testFollowers, "TailUnderLoad": testTailUnderLoad, "Reached": testReached, "Records": testRecords, "TrimChanges": testTrimChanges, "RecordRaces": testRecordRaces, "RecordReads": testRecordReads, "ReadsDuringWrites": testReadsDuringWrites, "TrimDuringReads": testTrimDuringReads, "RecordBound": testRecordBound,
		"FailedUpdate": testFailedUpdate, "PanickingUpdate": testPanickingUpdate, "UnnamedEntity": testUnnamedEntity, "LockAlone": testLockAlone,
		"OneHotAspect": testOneHotAspect, "FailuresAmongMany": testFailuresAmongMany, "Transfers": testTransfers, "ToggledEdge": testToggledEdge, "HotEntity": testHotEntity, "CallerLeaves": testCallerLeaves, "CrossingUpdates": testCrossingUpdates, "SharedEnds": testSharedEnds,
		"HostileTexts": testHostileTexts, "LargeValue": testLargeValue, "Cancelled": testCancelled, "RandomOperations": testRandomOperations,
	}
	for _, name := range answers {
		if cases[name] == nil {
			t.Errorf("there is no case %s to leave out", name)
		}
	}
	for name, run := range cases {
		if b.Writes && slices.Contains(answers, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			store := b.New(t)
			defer closeStore(t, store)
			run(t, store)
		})
	}
	if !b.Writes {
		t.Run("LargeGraph", func(t *testing.T) {
			store := b.New(t)
			defer closeStore(t, store)
			testLargeGraph(t, store, b.GraphSize)
		})
	}
	t.Run("Closed", func(t *testing.T) { testClosed(t, b.New(t)) })
	t.Run("CloseWaits", func(t *testing.T) { testCloseWaits(t, b.New(t)) })
	if b.Bounded != nil {
		t.Run("QueueLength", func(t *testing.T) { testQueueLength(t, b.Bounded) })
		t.Run("QueueTime", func(t *testing.T) { testQueueTime(t, b.Bounded) })
	}
	if b.At != nil {
		t.Run("Clock", func(t *testing.T) { testClock(t, b) })
		t.Run("OutsideTimes", func(t *testing.T) { testOutsideTimes(t, b) })
	}
	if b.Reopen != nil {
		t.Run("Restart", func(t *testing.T) { testRestart(t, b) })
	}
	if b.Keep != nil {
		t.Run("Restored", func(t *testing.T) { testRestored(t, b) })
	}
	t.Run("OtherLog", func(t *testing.T) { testOtherLog(t, b) })
}

func closeStore(t *testing.T, s graphstore.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func urn(n int) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:test,table_%06d,PROD)", n)
}

func key(urn, aspect string) graphstore.AspectKey {
	return graphstore.AspectKey{URN: urn, Name: aspect}
}

func value(n int) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)) }

const actor = "urn:li:corpuser:tester"

func system(run string) graphstore.SystemMetadata {
	return graphstore.SystemMetadata{
		LastObserved: 7, RunID: run, RegistryName: "reg", RegistryVersion: "1", Properties: map[string]string{"k": "v"},
		PipelineName: "pipe", SchemaVersion: 3,
	}
}

// update runs a transaction and fails the test if the transaction fails.
func update(t testing.TB, s graphstore.Store, urns []string, fn func(graphstore.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), urns, fn); err != nil {
		t.Fatal(err)
	}
}

// write applies one batch in a transaction of its own.
func write(t testing.TB, s graphstore.Store, urns []string, b graphstore.Batch) {
	t.Helper()
	update(t, s, urns, func(tx graphstore.Tx) error { return tx.Write(b) })
}

// node returns the update that makes the dataset urn exist.
func node(urn string) graphstore.NodeUpdate {
	return graphstore.NodeUpdate{URN: urn, Type: "dataset", Exists: true}
}

// putNext writes the next version of an aspect the way package catalog does: the latest version
// is archived first. putNext returns the number of the new version.
func putNext(tx graphstore.Tx, urn, aspect string, v json.RawMessage) (int64, error) {
	states, err := tx.Aspects([]graphstore.AspectKey{key(urn, aspect)})
	if err != nil {
		return 0, err
	}
	seq := states[0].NextSeq
	change := graphstore.Change{
		Time: tx.Now(), Actor: actor, Kind: graphstore.ChangeUpsert, URN: urn, EntityType: "dataset", Aspect: aspect, Seq: seq,
	}
	if states[0].Latest != nil {
		change.Replaces(states[0].Latest)
	}
	return seq, tx.Write(graphstore.Batch{
		PutVersions: []graphstore.Aspect{{
			URN: urn, Name: aspect, Seq: seq, Value: v, CreatedOn: tx.Now(), CreatedBy: actor, System: system("run"),
		}},
		Nodes:   []graphstore.NodeUpdate{node(urn)},
		Changes: []graphstore.Change{change},
	})
}

func put(t testing.TB, s graphstore.Store, urn, aspect string, v json.RawMessage) {
	t.Helper()
	update(t, s, []string{urn}, func(tx graphstore.Tx) error {
		_, err := putNext(tx, urn, aspect, v)
		return err
	})
}

func version(t testing.TB, s graphstore.Store, urn, aspect string, n int64) (graphstore.Aspect, bool) {
	t.Helper()
	a, ok, err := s.AspectVersion(context.Background(), key(urn, aspect), n)
	if err != nil {
		t.Fatal(err)
	}
	return a, ok
}

func wantVersion(t testing.TB, s graphstore.Store, urn, aspect string, asked, number int64, v json.RawMessage) {
	t.Helper()
	a, ok := version(t, s, urn, aspect, asked)
	if !ok {
		t.Errorf("version %d of %s is not there", asked, aspect)
		return
	}
	if a.Version != number || string(a.Value) != string(v) || a.URN != urn || a.Name != aspect {
		t.Errorf("version %d of %s: got number %d value %s, want %d %s", asked, aspect, a.Version, a.Value, number, v)
	}
}

func wantNoVersion(t testing.TB, s graphstore.Store, urn, aspect string, asked int64) {
	t.Helper()
	if a, ok := version(t, s, urn, aspect, asked); ok {
		t.Errorf("version %d of %s is there: %s", asked, aspect, a.Value)
	}
}

// statement returns the statement that the aspect of source has an edge to destination.
func statement(source, edgeType, destination, aspect, path string, since int64) graphstore.EdgeStatement {
	return graphstore.EdgeStatement{
		EdgeID:     graphstore.EdgeID{Owner: source, Aspect: aspect, Path: path, Source: source, Type: edgeType, Destination: destination},
		SourceType: "dataset", DestinationType: "dataset", Since: since, SinceRun: "run", SinceActor: actor,
	}
}

func edges(t testing.TB, s graphstore.Store, q graphstore.EdgeQuery) ([]graphstore.Edge, int64) {
	t.Helper()
	if q.Count == 0 {
		q.Count = 1000
	}
	found, err := s.Edges(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	page, ok := found[q.URNs[0]]
	if !ok || len(found) != len(q.URNs) {
		t.Errorf("edges of %v: %d entries", q.URNs, len(found))
	}
	return page.Edges, page.Total
}

// ends returns the type and the other end of each edge that q finds, as "type urn".
func ends(t testing.TB, s graphstore.Store, q graphstore.EdgeQuery) []string {
	t.Helper()
	found, _ := edges(t, s, q)
	list := []string{}
	for _, e := range found {
		other := e.Destination
		if q.Direction == graphstore.Incoming {
			other = e.Source
		}
		list = append(list, e.Type+" "+other)
	}
	return list
}

func wantEqual(t testing.TB, what string, got, want any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, append(options, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
