package change_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/sql/lineage"
)

// counted counts the texts that are read.
type counted struct {
	change.SQLReader
	reads, ahead int
}

func (c *counted) Read(ctx context.Context, script string, s lineage.Settings) ([]lineage.Statement, error) {
	c.reads++
	return c.SQLReader.Read(ctx, script, s)
}

func (c *counted) Ahead(script, dialect string) {
	c.ahead++
	c.SQLReader.Ahead(script, dialect)
}

// TestMemory: a comparison that was made before reads no SQL again and says the same; after a change, only the texts
// are read that changed, or whose tables did. A memory of another program and a broken memory count as no memory.
func TestMemory(t *testing.T) {
	base := map[string]string{
		"a.sql": "create table s.t (x int, y int, z int);", "b.sql": "create view s.v as select x, y + z as w from s.t where z > 0;",
		"c.sql": "create view s.u as select * from s.v;", "d.sql": "create view s.far as select 1 as one;", "e.sql": "create view s.odd as select q.nothing from s.t q;",
	}
	head := map[string]string{"a.sql": "create table s.t (x int, y int);", "b.sql": base["b.sql"], "c.sql": base["c.sql"], "d.sql": base["d.sql"], "e.sql": base["e.sql"]}
	compare := func(memory *change.Memory, head map[string]string) (*change.Result, *counted) {
		t.Helper()
		c := &counted{SQLReader: sqlReader(t)}
		r, err := change.Compare(t.Context(), c, sqlState(t, base), sqlState(t, head), change.Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		return r, c
	}
	written := func(memory *change.Memory) []byte {
		t.Helper()
		var b bytes.Buffer
		if err := memory.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	same := func(a, b *change.Result) {
		t.Helper()
		if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(change.Change{}, change.Impact{}, change.Unused{})); diff != "" {
			t.Error(diff)
		}
	}
	without, _ := compare(nil, head)
	first := change.NewMemory("1", nil)
	cold, c := compare(first, head)
	same(without, cold)
	if c.reads < 6 || len(cold.Certain) == 0 {
		t.Fatalf("%d reads, %+v", c.reads, cold)
	}
	text := written(first)
	second := change.NewMemory("1", bytes.NewReader(text))
	warm, c := compare(second, head)
	same(without, warm)
	if c.reads != 0 || c.ahead != 0 {
		t.Errorf("%d texts are read again, and %d parsed ahead", c.reads, c.ahead)
	}
	third := change.NewMemory("1", bytes.NewReader(written(second)))
	edited := map[string]string{}
	for name, text := range head {
		edited[name] = strings.ReplaceAll(text, "1 as one", "2 as one")
	}
	again, c := compare(third, edited)
	if c.reads != 1 {
		t.Errorf("%d texts are read for one that is edited", c.reads)
	}
	plain, _ := compare(nil, edited)
	same(plain, again)
	for name, memory := range map[string]*change.Memory{
		"another program": change.NewMemory("2", bytes.NewReader(text)), "half": change.NewMemory("1", bytes.NewReader(text[:len(text)/2])), "noise": change.NewMemory("1", strings.NewReader("noise")),
	} {
		r, c := compare(memory, head)
		same(without, r)
		if c.reads < 6 {
			t.Errorf("%s: %d reads", name, c.reads)
		}
	}
}

// FuzzMemory: no file makes the program fail.
func FuzzMemory(f *testing.F) {
	noise := make([]byte, 100)
	_, _ = rand.Read(noise) // it never fails
	f.Add(noise)
	f.Fuzz(func(_ *testing.T, text []byte) { change.NewMemory("1", bytes.NewReader(text)) })
}
