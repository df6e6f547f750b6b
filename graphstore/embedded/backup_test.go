package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
)

func twin(side string, i int) string { return fmt.Sprintf("urn:li:corpuser:%s%05d", side, i) }

// putTwins writes two entities in one transaction.
func putTwins(s *embedded.Store, i int) error {
	urns := []string{twin("a", i), twin("b", i)}
	return s.Update(context.Background(), urns, func(tx graphstore.Tx) error {
		var b graphstore.Batch
		for _, urn := range urns {
			b.Nodes = append(b.Nodes, graphstore.NodeUpdate{URN: urn, Type: "corpuser", Exists: true})
			b.PutVersions = append(b.PutVersions, graphstore.Aspect{URN: urn, Name: "corpUserInfo", Seq: 1, Value: []byte(fmt.Sprintf(`{"n":%d}`, i))})
		}
		return tx.Write(b)
	})
}

// TestBackupWhileWriting: a backup contains all writes that ended before it began. Of later
// writes, the backup contains the first writes: whole transactions, in order.
func TestBackupWhileWriting(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	s := open(t, dir)
	const before = 300
	for i := range before {
		if err := putTwins(s, i); err != nil {
			t.Fatal(err)
		}
	}
	var (
		stop    atomic.Bool
		written atomic.Int64
		ended   = make(chan error, 1)
	)
	written.Store(before)
	go func() {
		for i := before; !stop.Load(); i++ {
			if err := putTwins(s, i); err != nil {
				ended <- err
				return
			}
			written.Add(1)
		}
		ended <- nil
	}()
	file := filepath.Join(into, "a backup? of 100%#1.db")
	acknowledged := written.Load()
	made, err := embedded.WriteBackup(t.Context(), dir, file)
	stop.Store(true)
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	last := written.Load()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	restored := filepath.Join(t.TempDir(), "new", "data")
	if _, err := embedded.RestoreBackup(t.Context(), file, restored); err != nil {
		t.Fatal(err)
	}
	s = open(t, restored)
	defer s.Close() //nolint:errcheck // it was only read
	_, total, err := s.ListEntities(t.Context(), "corpuser", graphstore.Page{})
	if err != nil {
		t.Fatal(err)
	}
	if total%2 != 0 || total/2 < acknowledged || total/2 > last || total != made.Entities {
		t.Errorf("the backup has %d entities (it says %d), %d pairs were written before it and %d until its end", total, made.Entities, acknowledged, last)
	}
	for i := range int(total / 2) {
		found, err := s.LatestAspects(t.Context(), []string{twin("a", i), twin("b", i)}, nil)
		if err != nil || len(found) != 2 {
			t.Fatalf("of pair %d there are %d: %v", i, len(found), err)
		}
	}
	if err := putTwins(s, int(last)+1); err != nil {
		t.Errorf("the restored store cannot be written: %v", err)
	}
}

// TestBackupNames: a backup creates a missing directory, and the error for a bad name states
// the fault of the name.
func TestBackupNames(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	s := open(t, dir)
	if err := errors.Join(putTwins(s, 0), s.Close()); err != nil {
		t.Fatal(err)
	}
	plain, busy := filepath.Join(into, "plain.txt"), filepath.Join(into, "busy.db")
	for _, file := range []string{plain, busy + ".part"} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const slash = string(os.PathSeparator)
	for _, c := range []struct{ name, in, says string }{
		{name: into, in: into},
		{name: filepath.Join(into, "backups"), in: filepath.Join(into, "backups")},
		{name: filepath.Join(into, "new", "deep") + slash, in: filepath.Join(into, "new", "deep")},
		{name: filepath.Join(into, "with.dot") + slash, in: filepath.Join(into, "with.dot")},
		{name: filepath.Join(into, "catalog.db"), in: into},
		{name: filepath.Join(into, "missing", "catalog.db"), says: "there is no directory " + filepath.Join(into, "missing")},
		{name: filepath.Join(plain, "catalog.db"), says: "there is no directory " + plain},
		{name: plain + slash, says: "cannot be written"},
		{name: busy, says: "a backup is being written to " + busy + ".part"},
		{name: "", says: "needs the name"},
	} {
		made, err := embedded.WriteBackup(t.Context(), dir, c.name)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q: %v, want %q", c.name, err, c.says)
			}
			continue
		}
		if err != nil || filepath.Dir(made.File) != c.in {
			t.Errorf("%q: %q %v, want a file in %s", c.name, made.File, err, c.in)
			continue
		}
		if _, err := embedded.CheckBackup(t.Context(), made.File); err != nil {
			t.Errorf("%q: %v", c.name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(into, "backups")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory that was made: %v %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(into, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of a file was made: %v", err)
	}
}

// TestDamagedBackup: a file that is no intact backup is neither restored nor overwritten.
func TestDamagedBackup(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	s := open(t, dir)
	for i := range 200 {
		if err := putTwins(s, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	made, err := embedded.WriteBackup(t.Context(), dir, into) // a backup of a store that no process uses
	if err != nil {
		t.Fatal(err)
	}
	if embedded.NewestBackup(dir).IsZero() {
		t.Error("it is not known that there is a backup")
	}
	if _, err := embedded.WriteBackup(t.Context(), dir, made.File); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second backup of the same name: %v", err)
	}
	if err := os.Rename(made.File, made.File+".moved"); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.WriteBackup(t.Context(), dir, made.File); !errors.Is(err, os.ErrExist) {
		t.Errorf("a backup over the checksum of another: %v", err)
	}
	if err := os.Rename(made.File+".moved", made.File); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(made.File)
	if err != nil {
		t.Fatal(err)
	}
	half := len(text) / 2
	damaged := map[string][]byte{
		"half":       text[:half],
		"no pages":   nil,
		"other file": []byte("this is not a database, but it is long enough to be taken for one if nobody looks"),
		"a hole":     append(append(append([]byte{}, text[:half]...), make([]byte, 8192)...), text[half+8192:]...),
	}
	for name, content := range damaged {
		file := filepath.Join(t.TempDir(), "damaged.db")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := embedded.CheckBackup(t.Context(), file); !errors.Is(err, embedded.ErrBadBackup) {
			t.Errorf("%s: %v", name, err)
		}
		target := t.TempDir()
		if _, err := embedded.RestoreBackup(t.Context(), file, target); !errors.Is(err, embedded.ErrBadBackup) {
			t.Errorf("%s is restored: %v", name, err)
		}
		if entries, err := os.ReadDir(target); err != nil || len(entries) > 0 {
			t.Errorf("%s leaves %v: %v", name, entries, err)
		}
	}
	// The database accepts a changed letter in a value, so only the checksum reveals it.
	at := len(text) - 3
	text[at] ^= 1
	if err := os.WriteFile(made.File, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.CheckBackup(t.Context(), made.File); !errors.Is(err, embedded.ErrBadBackup) {
		t.Errorf("another letter: %v", err)
	}
}

// TestRestoreKeepsWhatIsThere: a restore does not change a directory that has a store or is in
// use.
func TestRestoreKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	made, err := embedded.WriteBackup(t.Context(), dir, filepath.Join(t.TempDir(), "b.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.RestoreBackup(t.Context(), made.File, dir); !errors.Is(err, graphstore.ErrUnavailable) {
		t.Errorf("into a directory in use: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.RestoreBackup(t.Context(), made.File, dir); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a store: %v", err)
	}
	if _, err := embedded.WriteBackup(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "b.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a backup of nothing: %v", err)
	}
}

// TestCheckIsInterrupted: a check that is cancelled tells nothing about the backup.
func TestCheckIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	made, err := embedded.WriteBackup(t.Context(), dir, filepath.Join(t.TempDir(), "b.db"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.CheckBackup(ctx, made.File); !errors.Is(err, context.Canceled) || errors.Is(err, embedded.ErrBadBackup) {
		t.Error(err)
	}
	target := t.TempDir()
	if _, err := embedded.RestoreBackup(ctx, made.File, target); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(target); err != nil || len(entries) > 0 {
		t.Errorf("%v: %v", entries, err)
	}
}

// TestBackupIsInterrupted: a backup that is cancelled leaves no file.
func TestBackupIsInterrupted(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	s := open(t, dir)
	defer s.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.WriteBackup(ctx, dir, filepath.Join(into, "b.db")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(into); err != nil || len(entries) > 0 {
		t.Errorf("%v: %v", entries, err)
	}
}
