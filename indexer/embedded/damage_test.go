package embedded_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/embedded"
)

// refuse makes an index's file refuse documents, until the function returned is
// called.
func refuse(t testing.TB, dir string, urns ...string) func() {
	t.Helper()
	exec := func(statement string) {
		t.Helper()
		db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "search.db")+"?_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(context.Background(), statement)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for i, urn := range urns {
		for _, event := range []string{"INSERT", "UPDATE"} {
			exec(fmt.Sprintf("CREATE TRIGGER refuse_%s_%d BEFORE %s ON doc WHEN NEW.urn = '%s' BEGIN SELECT RAISE(ABORT, 'refused'); END", event, i, event, urn))
			exec(fmt.Sprintf("CREATE TRIGGER refuse_value_%s_%d BEFORE %s ON doc_value WHEN NEW.doc = (SELECT id FROM doc WHERE urn = '%s') BEGIN SELECT RAISE(ABORT, 'refused'); END", event, i, event, urn))
		}
	}
	return func() {
		for i := range urns {
			for _, event := range []string{"INSERT", "UPDATE"} {
				exec(fmt.Sprintf("DROP TRIGGER refuse_%s_%d", event, i))
				exec(fmt.Sprintf("DROP TRIGGER refuse_value_%s_%d", event, i))
			}
		}
	}
}

func document(n int) indexer.Document {
	urn := fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.table_%06d,PROD)", n)
	return indexer.Document{
		URN: urn, Type: "dataset", Weight: 1,
		Values: map[string][]string{
			indexer.FieldURN: {urn}, indexer.FieldType: {"dataset"}, indexer.FieldRemoved: {"false"}, "name": {fmt.Sprintf("table_%06d", n)},
		},
		Text: [indexer.TextClasses][]string{{fmt.Sprintf("table %06d", n)}, {}, {strings.Repeat("some words of it ", 20)}, {}},
	}
}

// filled makes the file of an index with documents in a directory.
func filled(t testing.TB, dir string, documents int) {
	t.Helper()
	x := open(t, dir, "")
	var batch indexer.Batch
	for n := range documents {
		batch.Put = append(batch.Put, document(n))
	}
	batch.Cursor = "7"
	if err := errors.Join(x.Write(context.Background(), batch), x.Close()); err != nil {
		t.Fatal(err)
	}
}

// Whatever is in the file, the index opens: what cannot be read is set aside
// and said, and the new index is empty, has no position and works.
func TestGarbageAtStart(t *testing.T) {
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rand.IntN(256))
	}
	for name, spoil := range map[string]func(sound []byte) []byte{
		"noise":    func([]byte) []byte { return noise },
		"short":    func([]byte) []byte { return []byte("no database") },
		"text":     func([]byte) []byte { return bytes.Repeat([]byte("a line of a log\n"), 5000) },
		"header":   func(sound []byte) []byte { return append(bytes.Clone(noise[:100]), sound[100:]...) },
		"half":     func(sound []byte) []byte { return sound[:len(sound)/2/8192*8192] },
		"one page": func(sound []byte) []byte { return sound[:8192] },
		"first page": func(sound []byte) []byte {
			return append(append(bytes.Clone(sound[:100]), noise[:8092]...), sound[8192:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, ctx := t.TempDir(), context.Background()
			filled(t, dir, 200)
			path := filepath.Join(dir, "search.db")
			sound, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, spoil(sound), 0o600); err != nil {
				t.Fatal(err)
			}
			x := open(t, dir, "")
			if x.Damage() == "" {
				t.Error("the damage is not told")
			}
			if _, err := os.Stat(filepath.Join(dir, "search-damaged.db")); err != nil {
				t.Errorf("the damaged file is not kept: %v", err)
			}
			if cursor, err := x.Cursor(ctx); err != nil || cursor != "" {
				t.Errorf("the cursor is %q, %v", cursor, err)
			}
			if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{document(1)}}); err != nil {
				t.Error(err)
			}
			if found, err := x.Search(ctx, &indexer.Query{Size: 5}); err != nil || found.Total != 1 {
				t.Errorf("the new index holds %+v, %v", found, err)
			}
		})
	}
}

// An empty file is a new index; one whose logs alone are garbage opens too.
func TestEmptyAndStrayFiles(t *testing.T) {
	ctx := context.Background()
	for name, spoil := range map[string]func(dir string) error{
		"zero length": func(dir string) error { return os.WriteFile(filepath.Join(dir, "search.db"), nil, 0o600) },
		"garbage log": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "search.db-wal"), bytes.Repeat([]byte("garbage"), 9999), 0o600)
		},
		"garbage build": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "search-build.db"), []byte("garbage"), 0o600)
		},
	} {
		dir := t.TempDir()
		filled(t, dir, 3)
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		x := open(t, dir, "")
		if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{document(1)}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		build, err := x.Rebuild(ctx)
		if err == nil {
			err = errors.Join(build.Write(ctx, indexer.Batch{Cursor: "9"}), build.Swap(ctx))
		}
		if err != nil {
			t.Errorf("%s: rebuild: %v", name, err)
		}
	}
}

// What is no file, or may not be opened, is said and not touched.
func TestUnusableFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "search.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Open(context.Background(), embedded.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a directory in the file's place: %v", err)
	}
	if os.Getuid() == 0 {
		return // root may open everything
	}
	dir = t.TempDir()
	filled(t, dir, 3)
	path = filepath.Join(dir, "search.db")
	if err := os.Chmod(path, 0o000); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Open(context.Background(), embedded.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file without permissions: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("it was touched: %v", err)
	}
}

// Bytes that flip while the index serves are reported as damage, by whoever
// comes upon them, and a rebuild puts a sound file in the place of the damaged.
func TestDamageWhileServing(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	filled(t, dir, 3000)
	x := open(t, dir, "")
	spoilPages(t, filepath.Join(dir, "search.db"))
	damage := 0
	report := func(err error) {
		if errors.Is(err, indexer.ErrDamaged) {
			damage++
		} else if err != nil {
			t.Errorf("reported as %v", err)
		}
	}
	_, err := x.Search(ctx, &indexer.Query{Size: 3000, Text: indexer.Text{Tokens: []string{"words"}}})
	report(err)
	_, err = x.Search(ctx, &indexer.Query{Size: 3000})
	report(err)
	report(x.Write(ctx, indexer.Batch{Put: []indexer.Document{document(1500), document(5000)}, Cursor: "8"}))
	if damage == 0 {
		t.Fatal("nobody came upon the damage")
	}
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(build.Write(ctx, indexer.Batch{Put: []indexer.Document{document(1)}, Cursor: "9"}), build.Swap(ctx)); err != nil {
		t.Fatal(err)
	}
	if found, err := x.Search(ctx, &indexer.Query{Size: 5}); err != nil || found.Total != 1 {
		t.Errorf("rebuilt, it holds %+v, %v", found, err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	x = open(t, dir, "")
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "9" || x.Damage() != "" {
		t.Errorf("reopened, the cursor is %q, %v, the damage %q", cursor, err, x.Damage())
	}
}

// spoilPages overwrites every page of a file but the first few, where the
// tables are described and the position is.
func spoilPages(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for page := int64(40); page < info.Size()/8192; page++ {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xA5}, 8192), page*8192); err != nil {
			t.Fatal(err)
		}
	}
}
