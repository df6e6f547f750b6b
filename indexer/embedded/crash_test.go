package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/indexer/embedded"
	"github.com/headwater-io/headwater/internal/testing/testseed"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// The environment of a process that writes until it is killed.
const (
	victimDir  = "HEADWATER_TEST_VICTIM_DIR"
	victimSeed = "HEADWATER_TEST_VICTIM_SEED"
)

// crashBatch makes the n-th batch, which is the same in every process.
func crashBatch(m *model, n int) indexer.Batch {
	b := m.batch(500, 40)
	b.Cursor = strconv.Itoa(n)
	return b
}

// TestVictim is the process that TestKilled kills.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("only TestKilled runs this")
	}
	seed, err := strconv.ParseUint(os.Getenv(victimSeed), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	x, ctx := small(t, dir), context.Background()
	cursor, err := x.Cursor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done, _ := strconv.Atoi(cursor) // 0 if there is no cursor
	m := newModel(seed)
	for n := 1; ; n++ {
		if b := crashBatch(m, n); n > done {
			if err := x.Write(ctx, b); err != nil {
				t.Fatal(err)
			}
			fmt.Println(n)
		}
	}
}

// TestKilled: wherever a process is killed, the next process finds the complete state of
// the index at some earlier position, without any later change, and continues from that
// position.
func TestKilled(t *testing.T) {
	dir, seed, ctx := t.TempDir(), testseed.Of(t), context.Background()
	last, moments := 0, rand.New(rand.NewPCG(seed, 2))
	for range testsize.Of(6, 60) {
		victim := exec.Command(os.Args[0], "-test.run=^TestVictim$")
		victim.Env = append(os.Environ(), victimDir+"="+dir, victimSeed+"="+strconv.FormatUint(seed, 10))
		written, err := victim.StdoutPipe()
		if err == nil {
			err = victim.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(written)
		for range moments.IntN(80) {
			lines.Scan()
		}
		if err := victim.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := victim.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		x := small(t, dir)
		if x.Damage() != "" {
			t.Fatal(x.Damage())
		}
		cursor, err := x.Cursor(ctx)
		if err != nil {
			t.Fatal(err)
		}
		done, _ := strconv.Atoi(cursor) // 0 if there is no cursor
		if done < last {
			t.Fatalf("the index went back from %d to %d", last, done)
		}
		last = done
		m := newModel(seed)
		for n := 1; n <= done; n++ {
			crashBatch(m, n)
		}
		m.check(t, x)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last == 0 {
		t.Error("nothing was ever saved")
	}
}

// filesOf lists the files of an index.
func filesOf(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "search", "*"))
	if err != nil || len(paths) < 2 {
		t.Fatalf("the index has the files %q, %v", paths, err)
	}
	return paths
}

// TestDamagedFiles: the index does not use a file that has changed since it was written. It
// still opens, is empty and has no position, reports the damage, and works.
func TestDamagedFiles(t *testing.T) {
	m, sound, ctx, random := newModel(1), t.TempDir(), context.Background(), testseed.Rand(t, 3)
	x := small(t, sound)
	for range 10 {
		if err := x.Write(ctx, m.batch(200, 50)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.Write(ctx, indexer.Batch{Cursor: "7"}), x.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range filesOf(t, sound) {
		for name, spoil := range map[string]func(text []byte) []byte{
			"empty":     func([]byte) []byte { return nil },
			"short":     func(text []byte) []byte { return text[:len(text)/2] },
			"one byte":  func(text []byte) []byte { return text[:len(text)-1] },
			"longer":    func(text []byte) []byte { return append(text, 'x') },
			"noise":     func(text []byte) []byte { return randomBytes(random, len(text)) },
			"a bit":     func(text []byte) []byte { text[random.IntN(len(text))] ^= 1 << random.IntN(8); return text },
			"the first": func(text []byte) []byte { text[0] ^= 0xff; return text },
			"the last":  func(text []byte) []byte { text[len(text)-1] ^= 0xff; return text },
			"missing":   nil,
		} {
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(sound)); err != nil {
					t.Fatal(err)
				}
				spoilFile(t, filepath.Join(dir, "search", filepath.Base(path)), spoil)
				x := open(t, dir, "")
				if gone := spoil == nil && filepath.Base(path) == "snapshot"; (x.Damage() == "") != gone {
					t.Errorf("the damage is %q", x.Damage())
				}
				worksAsNew(t, x)
			})
		}
	}
}

func spoilFile(t *testing.T, path string, spoil func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
	case spoil == nil:
		err = os.Remove(path)
	default:
		err = os.WriteFile(path, spoil(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func randomBytes(random *rand.Rand, n int) []byte {
	noise := make([]byte, n)
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	return noise
}

// worksAsNew checks that the index is empty, has no position, and accepts a document.
func worksAsNew(t *testing.T, x *embedded.Index) {
	t.Helper()
	ctx := context.Background()
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "" {
		t.Errorf("the cursor is %q, %v", cursor, err)
	}
	if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{newModel(2).document(1)}}); err != nil {
		t.Error(err)
	}
	if found, err := x.Search(ctx, &indexer.Query{Size: 5}); err != nil || found.Total != 1 {
		t.Errorf("the new index holds %+v, %v", found, err)
	}
}

// TestFormerFiles: the index of an earlier release is deleted.
func TestFormerFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"search.db", "search.db-wal", "search.db-shm", "search-build.db", "search-damaged.db", "headwater.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("former"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	worksAsNew(t, open(t, dir, ""))
	left, err := filepath.Glob(filepath.Join(dir, "*.db*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "headwater.db" {
		t.Errorf("left are %q, %v", left, err)
	}
}

// TestUnusableDirectory: Open returns an error for a directory that it may not use, and
// leaves the directory unchanged.
func TestUnusableDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "search"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.Open(context.Background(), embedded.Options{Dir: dir}); err == nil {
		t.Error("a file in place of the directory is taken")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "search")); err != nil || string(text) != "a file" {
		t.Errorf("it was touched: %q, %v", text, err)
	}
}

// TestDamageWhileServing: files that change or shrink while the index serves never end the
// process. The operation that reads such a file reports damage, and a rebuild replaces the
// files.
func TestDamageWhileServing(t *testing.T) {
	random := testseed.Rand(t, 4)
	for name, change := range map[string]func(path string, size int64) error{
		"overwritten": func(path string, size int64) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(randomBytes(random, int(size)), 0)
			return errors.Join(err, f.Close())
		},
		"cut off": func(path string, _ int64) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			m, dir, ctx := newModel(3), t.TempDir(), context.Background()
			x := open(t, dir, "")
			if err := errors.Join(x.Write(ctx, m.batch(5000, 5000)), x.Write(ctx, m.batch(5000, 5000)), x.Close()); err != nil {
				t.Fatal(err)
			}
			x = open(t, dir, "")
			for _, path := range filesOf(t, dir) {
				info, err := os.Stat(path)
				if err == nil && filepath.Ext(path) == ".segment" {
					err = change(path, info.Size())
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			damage := 0
			report := func(err error) {
				if errors.Is(err, indexer.ErrDamaged) {
					damage++
				} else if err != nil {
					t.Errorf("reported as %v", err)
				}
			}
			for range 20 {
				_, err := x.Search(ctx, &indexer.Query{Size: 3000, Text: indexer.Text{Tokens: []string{"order"}}, Facets: []string{"tags"}, FacetSize: 5})
				report(err)
				_, err = x.Search(ctx, &indexer.Query{Size: 3000, Filter: m.condition(2)})
				report(err)
				_, err = x.Groups(ctx, &indexer.GroupQuery{Field: indexer.FieldAncestors})
				report(err)
				report(x.Write(ctx, m.batch(5000, 50)))
			}
			if damage == 0 {
				t.Fatal("nobody came upon the damage")
			}
			m.rebuildSound(t, x)
			m.check(t, x)
			if err := x.Close(); err != nil {
				t.Error(err)
			}
			if x = open(t, dir, ""); x.Damage() != "" {
				t.Errorf("opened again, the damage is %q", x.Damage())
			}
			m.check(t, x)
		})
	}
}

// rebuildSound replaces the index by one with the documents of the model.
func (m *model) rebuildSound(t *testing.T, x indexer.Index) {
	t.Helper()
	ctx := context.Background()
	var b indexer.Batch
	for urn := range m.docs {
		b.Put = append(b.Put, m.docs[urn])
	}
	build, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(build.Write(ctx, b), build.Swap(ctx)); err != nil {
		t.Fatal(fmt.Errorf("rebuild: %w", err))
	}
}
