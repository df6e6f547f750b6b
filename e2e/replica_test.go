package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// exportedLines returns the lines of a server's export without the first one, which has the
// time.
func (s *server) exportedLines() []string {
	s.t.Helper()
	status, answer := s.send(http.MethodGet, "/export", "")
	text, _ := answer.(string)
	lines := strings.Split(text, "\n")
	if status != http.StatusOK || len(lines) < 3 {
		s.t.Fatalf("the export: %d %.300v", status, answer)
	}
	return lines[1:]
}

// awaitReplica waits until a replica's own state satisfies a condition.
func (s *server) awaitReplica(what string, patience time.Duration, holds func(state string, lag float64) bool) {
	s.t.Helper()
	var answer any
	if !testclock.Poll(patience, func() bool {
		_, answer = s.send(http.MethodGet, "/replica", "")
		state, _ := at(answer, "state").(string)
		lag, _ := at(answer, "lagChanges").(float64)
		return holds(state, lag)
	}) {
		s.t.Fatalf("the replica is not %s: %v: %s", what, answer, s.log)
	}
}

// level waits until a replica reports that it has all changes, and until its export equals
// its source's.
func (s *server) level(source *server) {
	s.t.Helper()
	s.awaitReplica("level", 10*time.Minute, func(state string, _ float64) bool { return state == "level" })
	want := source.exportedLines()
	var diff string
	if testclock.Poll(time.Minute, func() bool {
		diff = cmp.Diff(want, s.exportedLines())
		return diff == ""
	}) {
		return
	}
	s.t.Fatalf("the replica does not become what its source is (-source +replica):\n%.3000s\n%s", diff, s.log)
}

// writeSome writes entities, some of them twice.
func (s *server) writeSome(name string) {
	s.t.Helper()
	for n := range 40 {
		value, err := json.Marshal(fmt.Sprintf(`{"description":"%s number %d","name":"%s"}`, name, n, name))
		if err != nil {
			s.t.Fatal(err)
		}
		body := fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,replicated.t%d,PROD)","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":%s,"contentType":"application/json"}}}`, n%25, value)
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", body); status != http.StatusOK {
			s.t.Fatalf("%d %v", status, answer)
		}
	}
}

// found returns the number of entities that a search finds and their URNs, all as texts.
func (s *server) found(input string) []string {
	s.t.Helper()
	body := fmt.Sprintf(`{"input":%q,"entity":"dataset","start":0,"count":50}`, input)
	status, answer := s.send(http.MethodPost, "/entities?action=search", body)
	if status != http.StatusOK {
		s.t.Fatalf("%d %v", status, answer)
	}
	hits, _ := at(answer, "value", "entities").([]any)
	found := []string{fmt.Sprint(at(answer, "value", "numEntities"))}
	for i := range hits {
		found = append(found, fmt.Sprint(at(hits, i, "entity")))
	}
	slices.Sort(found)
	return found
}

// TestReplica: a replica is filled from the log, and follows it although it and its source
// are killed. It answers searches as its source does, and refuses writes.
func TestReplica(t *testing.T) {
	t.Parallel()
	sourceFlags := []string{"--sample", "--data", t.TempDir()}
	source := start(t, sourceFlags...)
	listen := strings.TrimPrefix(source.base, "http://")
	flags := []string{"follow", source.base, "--data", t.TempDir(), "--source-token", "secret"}
	replica := startVerb(t, flags...)
	source.writeSome("first")
	replica.kill() // at any position of the log
	source.writeSome("second")
	replica = startVerb(t, flags...)
	replica.level(source)

	replica.kill()
	source.writeSome("third")
	replica = startVerb(t, flags...)
	source.kill()
	replica.awaitReplica("without its source", time.Minute, func(state string, _ float64) bool { return state == "failing" })
	if status, _ := replica.send(http.MethodGet, "/entities/"+url.PathEscape("urn:li:corpuser:datahub"), ""); status >= http.StatusInternalServerError {
		t.Errorf("a replica does not serve without its source: %d", status)
	}
	source = start(t, append(sourceFlags, "--listen", listen)...)
	source.writeSome("fourth")
	replica.level(source)
	replica.awaitReplica("level", time.Minute, func(state string, lag float64) bool { return state == "level" && lag == 0 })
	for _, input := range []string{"fourth", "orders", "*"} {
		if diff := cmp.Diff(source.found(input), replica.found(input)); diff != "" {
			t.Errorf("a search for %s (-source +replica):\n%s", input, diff)
		}
	}

	status, answer := replica.send(http.MethodPost, "/aspects?action=ingestProposal",
		`{"proposal":{"entityType":"tag","entityUrn":"urn:li:tag:x","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"{\"name\":\"x\"}","contentType":"application/json"}}}`)
	if message := fmt.Sprint(at(answer, "message")); status != http.StatusForbidden || !strings.Contains(message, source.base) {
		t.Errorf("a write: %d %s", status, message)
	}
	_, answer = replica.send(http.MethodPost, "/api/graphql", `{"query":"mutation { createTag(input: {name: \"x\"}) }"}`)
	if !strings.Contains(fmt.Sprint(at(answer, "errors")), source.base) {
		t.Errorf("a mutation: %v", answer)
	}
	if _, ready := replica.send(http.MethodGet, "/health/ready", ""); at(ready, "replica", "state") != "level" {
		t.Errorf("readiness: %v", ready)
	}
	if strings.Contains(replica.log.String(), "secret") {
		t.Error("the token is logged")
	}
	replica.stop()
	source.stop()
}

// TestReplicaAndNeo4j: a replica on the other kind of store equals its source, although
// both are killed.
func TestReplicaAndNeo4j(t *testing.T) {
	if testsize.Of(0, 1) == 0 {
		t.Skip("make soak runs it")
	}
	for _, of := range []string{"source", "replica"} {
		t.Run(of, func(t *testing.T) {
			uri := testservers.Neo4j(t)
			wipe(t, uri)
			sourceFlags, replicaFlags := []string{"--sample", "--data", t.TempDir()}, []string{"--data", t.TempDir()}
			if of == "source" {
				sourceFlags = append(sourceFlags, "--graph", uri)
			} else {
				replicaFlags = append(replicaFlags, "--graph", uri)
			}
			source := start(t, sourceFlags...)
			listen := strings.TrimPrefix(source.base, "http://")
			replicaFlags = append([]string{"follow", source.base}, replicaFlags...)
			replica := startVerb(t, replicaFlags...)
			source.writeSome("first")
			replica.awaitReplica("on its way", time.Minute, func(_ string, lag float64) bool { return lag >= 0 })
			replica.kill()
			source.writeSome("second")
			source.kill()
			source = start(t, append(sourceFlags, "--listen", listen)...)
			replica = startVerb(t, replicaFlags...)
			source.writeSome("third")
			replica.level(source)
			replica.stop()
			source.stop()
		})
	}
}
