package embedded_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/graphstore/storetest"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func open(t testing.TB, dir string) *embedded.Store {
	t.Helper()
	return openAt(t, dir, nil)
}

func openAt(t testing.TB, dir string, now func() time.Time) *embedded.Store {
	t.Helper()
	s, err := embedded.Open(context.Background(), embedded.Options{Dir: dir, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	var dir string
	storetest.Run(t, storetest.Backend{
		New: func(t *testing.T) graphstore.Store {
			dir = t.TempDir()
			return open(t, dir)
		},
		Reopen: func(t *testing.T) graphstore.Store { return open(t, dir) },
		Bounded: func(t *testing.T, queue int, patience time.Duration) graphstore.Store {
			s, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Queue: queue, Patience: patience})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		At: func(t *testing.T, now func() time.Time) graphstore.Store {
			dir = t.TempDir()
			return openAt(t, dir, now)
		},
		ReopenAt: func(t *testing.T, now func() time.Time) graphstore.Store { return openAt(t, dir, now) },
		Keep: func(t *testing.T) func(*testing.T) {
			copied, from := filepath.Join(t.TempDir(), "kept"), dir
			if err := os.CopyFS(copied, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			return func(t *testing.T) {
				if err := errors.Join(os.RemoveAll(from), os.CopyFS(from, os.DirFS(copied))); err != nil {
					t.Fatal(err)
				}
			}
		},
		GraphSize: testsize.Of(5_000, 100_000),
	})
}

// TestWalkOnOneConnection: a walk needs no second connection, so concurrent walks cannot wait
// for each other.
func TestWalkOnOneConnection(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := embedded.Open(ctx, embedded.Options{Dir: t.TempDir(), Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const first, second = "urn:li:dataset:(urn:li:dataPlatform:x,a,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,b,PROD)"
	kind := graphstore.EdgeKind{Type: "DownstreamOf", SourceType: "dataset", DestinationType: "dataset"}
	err = s.Update(ctx, []string{first}, func(tx graphstore.Tx) error {
		return tx.Write(graphstore.Batch{
			Nodes: []graphstore.NodeUpdate{{URN: first, Type: "dataset", Exists: true}},
			AddEdges: []graphstore.EdgeStatement{{
				EdgeID:     graphstore.EdgeID{Owner: first, Aspect: "upstreamLineage", Path: "p", Source: first, Type: kind.Type, Destination: second},
				SourceType: "dataset", DestinationType: "dataset", Since: 1,
			}},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, asOf := range []int64{0, 5} {
		walk, err := s.Walk(ctx, graphstore.WalkQuery{From: []string{first}, Steps: []graphstore.Step{{EdgeKind: kind}}, Limit: 9, AsOf: asOf})
		if err != nil || len(walk.Visits) != 1 {
			t.Errorf("as of %d: %+v %v", asOf, walk, err)
		}
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := embedded.Open(context.Background(), embedded.Options{Dir: dir}); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("a second opening: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Close(); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(filepath.Join(dir, "headwater.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v: %v", info.Mode(), err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "headwater.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 999"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Open(context.Background(), embedded.Options{Dir: dir}); !errors.Is(err, graphstore.ErrNewerSchema) {
		t.Errorf("data of a newer schema: %v", err)
	}
}

// TestKilledProcess writes in a child process, kills the child, and finds all writes that the
// child had reported.
func TestKilledProcess(t *testing.T) {
	if dir := os.Getenv("HEADWATER_TEST_CHILD"); dir != "" {
		s := open(t, dir)
		for n := 0; ; n++ {
			urn := fmt.Sprintf("urn:li:tag:%d", n)
			err := s.Update(context.Background(), []string{urn}, func(tx graphstore.Tx) error {
				return tx.Write(graphstore.Batch{Nodes: []graphstore.NodeUpdate{{URN: urn, Type: "tag", Exists: true}}})
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(urn)
		}
	}
	dir := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run", "^TestKilledProcess$")
	child.Env = append(os.Environ(), "HEADWATER_TEST_CHILD="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var reported []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if reported = append(reported, lines.Text()); len(reported) == 300 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended well")
	}
	s := open(t, dir)
	defer s.Close()
	found, err := s.Entities(context.Background(), reported)
	if err != nil || len(found) < len(reported)-1 { // the last reported line may be cut
		t.Errorf("%d of %d reported writes are there: %v", len(found), len(reported), err)
	}
}

// TestPingTellsOfTheFile: a store whose file was deleted or replaced is not ready.
func TestPingTellsOfTheFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close() //nolint:errcheck // its file is gone
	if err := s.Ping(ctx); err != nil {
		t.Errorf("a good store: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".ready-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	file := filepath.Join(dir, "headwater.db")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(ctx); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("a deleted file: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(ctx); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("another file of its name: %v", err)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(ctx); err != nil {
		t.Errorf("the file is back: %v", err)
	}
}

// TestPingOnAFullDisk: a store whose disk is full is not ready, and is ready again when the
// disk has room. The test fills a small disk, where it may mount one.
func TestPingOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted: %s", out)
	}
	defer exec.Command("umount", dir).Run() //nolint:errcheck // the test is over
	s := open(t, dir)
	defer s.Close() //nolint:errcheck // this test is about Ping
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	_ = os.WriteFile(ballast, make([]byte, 8<<20), 0o600) // the write fails once it has filled the disk
	if err := s.Ping(t.Context()); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("a disk with room again: %v", err)
	}
}
