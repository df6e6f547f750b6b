package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// connectorFiles returns files of real connectors: a selection with lineage, containers,
// profiles and legacy snapshots; in the large size, all files.
func connectorFiles(t *testing.T) []string {
	t.Helper()
	data := filepath.Join(testservers.Root(), "..", "shared", "data")
	all, err := filepath.Glob(filepath.Join(data, "sources", "*.json"))
	if err != nil || len(all) == 0 {
		t.Skip("the reference data is not here")
	}
	others := []string{filepath.Join(data, "bootstrap_mce.json"), filepath.Join(data, "demo-profiles.json"), filepath.Join(data, "test_containers.json")}
	if testsize.Of(0, 1) == 1 {
		return append(all, others...)
	}
	for _, name := range []string{"kafka_*", "dbt_*", "looker_*"} {
		found, err := filepath.Glob(filepath.Join(data, "sources", name))
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, found...)
	}
	return others
}

// loadConnectors loads files, and gives their entities a past: they are written again,
// changed, marked as removed, deleted, and rolled back.
func (s *server) loadConnectors(t *testing.T, files []string) {
	t.Helper()
	s.run(t, append([]string{"ingest", "--run-id", "connectors"}, files...)...)
	s.run(t, append([]string{"ingest", "--run-id", "again", "--restart"}, files...)...)
	urns, _ := at(s.action("listUrns", `{"entity":"dataset","start":0,"count":10000}`), "entities").([]any)
	for n, urn := range urns {
		switch {
		case n%7 == 0:
			s.proposeIn(t, "changed", urn, "datasetProperties", fmt.Sprintf(`{"description":"changed %d"}`, n))
		case n%7 == 1:
			s.proposeIn(t, "undone", urn, "datasetProperties", fmt.Sprintf(`{"description":"undone %d"}`, n))
			s.proposeIn(t, "undone", urn, "upstreamLineage", `{"upstreams":[]}`)
		case n%7 == 2:
			s.proposeIn(t, "changed", urn, "status", `{"removed":true}`)
		case n%21 == 3:
			s.action("delete", fmt.Sprintf(`{"urn":%q}`, urn))
		}
	}
	s.run(t, "runs", "rollback", "undone", "--yes")
}

func (s *server) proposeIn(t *testing.T, run string, urn any, aspect, value string) {
	t.Helper()
	body := fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT","aspectName":%q,"aspect":{"value":%q,"contentType":"application/json"},"systemMetadata":{"lastObserved":%d,"runId":%q}}}`,
		urn, aspect, value, time.Now().UnixMilli(), run)
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", body); status != http.StatusOK {
		t.Fatalf("%s of %s: %d %v", aspect, urn, status, answer)
	}
}

// replicaBackends are the stores of replicas. All have the same kind of index as the
// source, because engines differ in their answers about misspelt words.
func replicaBackends() []backend {
	return []backend{
		{"embedded", func(t *testing.T) []string { return []string{"--data", t.TempDir()} }},
		{"neo4j", func(t *testing.T) []string {
			uri := testservers.Neo4j(t)
			wipe(t, uri)
			return []string{"--graph", uri, "--data", t.TempDir()}
		}},
	}
}

// answersAs compares the runs and searches of a server with those of its source, whose
// export it already equals.
func (s *server) answersAs(source *server, which string) {
	s.t.Helper()
	for _, each := range []*server{source, s} {
		each.awaitIndex(time.Minute)
	}
	compare := func(what string, ask func(*server) any) {
		s.t.Helper()
		if diff := cmp.Diff(ask(source), ask(s)); diff != "" {
			s.t.Errorf("%s, %s (-source +replica):\n%.3000s", which, what, diff)
		}
	}
	compare("runs", func(each *server) any {
		_, answer := each.send(http.MethodPost, "/runs?action=list", `{"includeSoft":true,"pageSize":1000}`)
		return unordered(answer)
	})
	for _, request := range append(searches(), [2]string{"searchAcrossEntities", `{"input":"changed","start":0,"count":10000}`}) {
		compare(strings.Join(request[:], " "), func(each *server) any { return unordered(wholeFacets(each.action(request[0], request[1]))) })
	}
}

// TestReplicasOfConnectors: replicas on either backend equal an embedded server to which
// real connectors have written: aspects, edges, their past, time series, runs and searches.
func TestReplicasOfConnectors(t *testing.T) {
	files := connectorFiles(t)
	source := start(t, "--data", t.TempDir())
	source.loadConnectors(t, files)
	lines := source.exportedLines()
	t.Logf("%d files: %d lines in the export, %.150s", len(files), len(lines), lines[len(lines)-2])
	for _, b := range replicaBackends()[:testsize.Of(1, 2)] { // TestRebuiltFromKafka covers the other backend
		t.Run(b.name, func(t *testing.T) {
			flags := b.flags(t)
			began := time.Now()
			replica := startVerb(t, append([]string{"follow", source.base}, flags...)...)
			replica.level(source)
			t.Logf("level after %v", time.Since(began).Round(time.Millisecond))
			replica.answersAs(source, b.name)
			replica.stop()
		})
	}
	source.stop()
}

// TestReplicaOfTrimmedLog: a source whose log lacks its beginning can still fill a replica.
func TestReplicaOfTrimmedLog(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	source := start(t, "--sample", "--data", data)
	source.writeSome("before")
	source.awaitIndex(time.Minute)
	source.stop()
	source = start(t, "--data", data, "--changes-kept", "10")
	if !testclock.Poll(time.Minute, func() bool {
		status, _ := source.send(http.MethodGet, "/events?limit=1", "")
		return status == http.StatusGone
	}) {
		t.Fatalf("the log is not trimmed: %s", source.log)
	}
	flags := []string{"follow", source.base, "--data", t.TempDir()}
	replica := startVerb(t, flags...)
	replica.kill() // at any position of the log
	replica = startVerb(t, flags...)
	source.writeSome("after")
	replica.level(source)
	replica.answersAs(source, "from a trimmed log")
	replica.stop()
	source.stop()
}
