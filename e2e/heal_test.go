package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// sameDatasets checks that a search finds exactly the datasets that the store lists, and
// that there are want.
func (s *server) sameDatasets(want int) {
	s.t.Helper()
	texts := func(answer any) []string {
		list, _ := answer.([]any)
		var urns []string
		for _, item := range list {
			urn, ok := item.(string)
			if !ok {
				urn, _ = at(item, "entity").(string)
			}
			if urn == "" {
				s.t.Fatalf("no URN: %v", item)
			}
			urns = append(urns, urn)
		}
		slices.Sort(urns)
		return urns
	}
	stored := texts(at(s.action("listUrns", `{"entity":"dataset","start":0,"count":10000}`), "entities"))
	answer := s.action("search", `{"input":"*","entity":"dataset","start":0,"count":10000}`)
	found := texts(at(answer, "entities"))
	if len(stored) != want || !slices.Equal(stored, found) || at(answer, "numEntities") != float64(want) {
		s.t.Errorf("the store has %d datasets, the index finds %d (total %v), want %d", len(stored), len(found), at(answer, "numEntities"), want)
	}
}

// writeAndFind writes datasets that wait for the index, and returns how many of them the
// index lacks when the write is answered.
func (s *server) writeAndFind(from, to int) (missing int) {
	s.t.Helper()
	for n := from; n < to; n++ {
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal&wait=index", loadedDataset(n)); status != http.StatusOK {
			s.t.Fatalf("dataset %d: %d %v", n, status, answer)
		}
		found := s.action("search", fmt.Sprintf(`{"input":"id:load.t%05d","entity":"dataset","start":0,"count":10}`, n))
		if at(found, "numEntities") != 1.0 {
			missing++
		}
	}
	return missing
}

// restorable is a kind of server whose store can be restored to an earlier state while its
// index stays unchanged.
type restorable struct {
	name  string
	flags func(t *testing.T) (flags []string, saveState func() (restore func()))
}

func restorables() []restorable {
	return []restorable{
		{"embedded", func(t *testing.T) ([]string, func() func()) {
			dir := t.TempDir()
			return []string{"--data", dir}, func() func() {
				saved := t.TempDir()
				copyStore(t, dir, saved)
				return func() { copyStore(t, saved, dir) }
			}
		}},
		{"neo4j and typesense", func(t *testing.T) ([]string, func() func()) {
			uri := testservers.Neo4j(t)
			wipe(t, uri)
			flags := append([]string{"--graph", uri}, typesenseFlags(testservers.Typesense(t))...)
			return flags, func() func() {
				cypher(t, uri, "MATCH (n) SET n.kept = true")
				cypher(t, uri, "MATCH (s:ChangeShard) SET s.keptSeq = s.seq, s.keptTime = s.time")
				return func() { // delete all nodes written since
					cypher(t, uri, "MATCH (n) WHERE n.kept IS NULL DETACH DELETE n")
					cypher(t, uri, "MATCH (s:ChangeShard) SET s.seq = s.keptSeq, s.time = s.keptTime")
					cypher(t, uri, "MATCH (n) REMOVE n.kept, n.keptSeq, n.keptTime")
				}
			}
		}},
	}
}

// copyStore copies the files of the graph store, but none of the index.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		name := "headwater.db" + suffix
		text, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			err = os.RemoveAll(filepath.Join(to, name))
		} else if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRestoredStoreBesideNewerIndex restores the store to an earlier copy, but not the
// index. Whatever is written then, the index must come to equal the store, a write that
// waited for the index must be in it, and a reader of the log with a later position must
// get an error.
func TestRestoredStoreBesideNewerIndex(t *testing.T) {
	for _, b := range restorables() {
		t.Run(b.name, func(t *testing.T) {
			flags, saveState := b.flags(t)
			s := start(t, flags...)
			s.loadDatasets(0, 60)
			s.awaitIndex(time.Minute)
			_, early := s.send(http.MethodGet, "/events?from=now", "")
			s.stop()
			restore := saveState()

			s = start(t, flags...)
			s.loadDatasets(100, 220)
			s.awaitIndex(time.Minute)
			s.sameDatasets(180)
			_, late := s.send(http.MethodGet, "/events?from=now", "")
			s.stop()
			restore()

			s = start(t, flags...)
			if missing := s.writeAndFind(1000, 1120); missing > 0 {
				t.Errorf("%d of 120 writes that waited for the index are not in it", missing)
			}
			s.awaitIndex(time.Minute)
			s.sameDatasets(180)
			if missing := s.writeAndFind(2000, 2020); missing > 0 {
				t.Errorf("%d of 20 more are not in it", missing)
			}
			s.awaitIndex(time.Minute)
			s.sameDatasets(200)
			if status, answer := s.send(http.MethodGet, fmt.Sprintf("/events?from=%s", at(late, "next")), ""); status != http.StatusGone {
				t.Errorf("a cursor of a lost change: %d %v", status, answer)
			}
			status, answer := s.send(http.MethodGet, fmt.Sprintf("/events?from=%s&limit=1000", at(early, "next")), "")
			events, _ := at(answer, "events").([]any)
			if status != http.StatusOK || len(events) < 140 {
				t.Errorf("a cursor from before the copy: %d, %d events", status, len(events))
			}
			_, state := s.send(http.MethodGet, "/index", "")
			if reason, _ := at(state, "buildReason").(string); !strings.Contains(reason, "restored") || at(state, "builds") != 1.0 {
				t.Errorf("/index says %v", state)
			}
			s.stop()

			s = start(t, flags...) // the next start must find a healthy index
			s.awaitIndex(time.Minute)
			s.sameDatasets(200)
			if _, state := s.send(http.MethodGet, "/index", ""); at(state, "builds") != 0.0 {
				t.Errorf("built again: %v", state)
			}
			s.stop()
		})
	}
}

// searchFiles returns the files of the embedded index: the snapshot and the segments.
func searchFiles(t *testing.T, dir string) (snapshot string, segments []string) {
	t.Helper()
	segments, err := filepath.Glob(filepath.Join(dir, "search", "*.segment"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("segments of the index: %q, %v", segments, err)
	}
	return filepath.Join(dir, "search", "snapshot"), segments
}

// TestGarbageSearchFile: with any content in the index's files, the server starts, reports
// the damage, and rebuilds the index.
func TestGarbageSearchFile(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "--data", dir)
	s.loadDatasets(0, 50)
	s.awaitIndex(time.Minute)
	s.stop()
	for name, garbage := range map[string]func([]byte) []byte{
		"garbage":                 func([]byte) []byte { return bytes.Repeat([]byte("garbage!"), 20_000) },
		"truncated":               func(sound []byte) []byte { return sound[:len(sound)/3] },
		"zero length":             func([]byte) []byte { return nil },
		"snapshot of garbage":     func([]byte) []byte { return bytes.Repeat([]byte("garbage!"), 20_000) },
		"snapshot of zero length": func([]byte) []byte { return nil },
	} {
		path, segments := searchFiles(t, dir)
		if !strings.Contains(name, "snapshot") {
			path = segments[0]
		}
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, garbage(sound), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, "--data", dir)
		s.awaitIndex(time.Minute)
		s.sameDatasets(50)
		_, state := s.send(http.MethodGet, "/index", "")
		if reason, _ := at(state, "buildReason").(string); at(state, "builds") != 1.0 || !strings.Contains(reason, "damaged") {
			t.Errorf("%s: /index says %v", name, state)
		}
		if status, answer := s.send(http.MethodGet, "/health/ready", ""); status != http.StatusOK {
			t.Errorf("%s: ready: %d %v", name, status, answer)
		}
		if !strings.Contains(s.log.String(), "damaged") {
			t.Errorf("%s: the log does not say it: %s", name, s.log)
		}
		s.stop()
	}
}

// TestFlippedBytesWhileServing: if the running server reads damaged data, it rebuilds the
// index. Until then, the readiness check reports the damage, and nothing else fails.
func TestFlippedBytesWhileServing(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "--data", dir)
	s.loadDatasets(0, 600)
	s.awaitIndex(time.Minute)
	s.stop() // so that all documents are in the file and none in memory
	s = start(t, "--data", dir)
	_, segments := searchFiles(t, dir)
	for _, path := range segments {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err == nil {
			_, err = f.WriteAt(bytes.Repeat([]byte{0x5A}, int(info.Size()/2)), info.Size()/4)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	built := false
	for n := 1000; n < 1400 && !built; n++ {
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", loadedDataset(n)); status != http.StatusOK {
			t.Fatalf("a write beside a damaged index: %d %v", status, answer)
		}
		status, answer := s.send(http.MethodPost, "/entities?action=search", `{"input":"number","entity":"dataset","start":0,"count":1000}`)
		if status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Errorf("a search: %d %v", status, answer)
		}
		_, state := s.send(http.MethodGet, "/index", "")
		built = at(state, "builds") != 0.0
	}
	if !built {
		t.Fatal("the damage was not noticed")
	}
	s.awaitIndex(time.Minute)
	total, _ := at(s.action("listUrns", `{"entity":"dataset","start":0,"count":1}`), "total").(float64)
	s.sameDatasets(int(total))
	_, state := s.send(http.MethodGet, "/index", "")
	if reason, _ := at(state, "buildReason").(string); !strings.Contains(reason, "damaged") || at(state, "broken") != nil {
		t.Errorf("/index says %v", state)
	}
	if status, answer := s.send(http.MethodGet, "/health/ready", ""); status != http.StatusOK {
		t.Errorf("ready: %d %v", status, answer)
	}
	s.stop()
}
