package embedded

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

func openHere(t *testing.T, dir string) *Index {
	t.Helper()
	x, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func tag(name string) indexer.Document {
	d := indexer.Document{
		URN: "urn:li:tag:" + name, Type: "tag", Weight: 1, Values: map[string][]string{"name": {name}},
		Completions: map[string][]string{"name": {name}},
	}
	d.Text[indexer.TextName] = []string{name}
	return d
}

// TestSearchesWaitForNobody: the index answers every question while a write, a merge and a
// save hold the locks that others of their kind wait for.
func TestSearchesWaitForNobody(t *testing.T) {
	x, ctx := openHere(t, t.TempDir()), context.Background()
	if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{tag("a")}, Cursor: "1"}); err != nil {
		t.Fatal(err)
	}
	c := x.core.Load()
	c.writing.Lock()
	c.mu.Lock()
	c.disk.Lock()
	x.mu.Lock() // Swap holds mu while it replaces the index
	found, err := x.Search(ctx, &indexer.Query{Text: indexer.Text{Tokens: []string{"a"}}, Size: 1, Facets: []string{"name"}, FacetSize: 1})
	if err != nil || found.Total != 1 {
		t.Errorf("search: %+v, %v", found, err)
	}
	if hits, err := x.Suggest(ctx, &indexer.SuggestQuery{Tokens: []string{"a"}, Fields: []string{"name"}, Size: 1}); err != nil || len(hits) != 1 {
		t.Errorf("suggestions: %+v, %v", hits, err)
	}
	if _, err := x.Groups(ctx, &indexer.GroupQuery{Field: indexer.FieldAncestors}); err != nil {
		t.Error(err)
	}
	if cursor, err := x.Cursor(ctx); err != nil || cursor != "1" {
		t.Errorf("cursor: %q, %v", cursor, err)
	}
	if err := x.Ping(ctx); err != nil {
		t.Error(err)
	}
	x.mu.Unlock()
	c.disk.Unlock()
	c.mu.Unlock()
	c.writing.Unlock()
}

// TestUnchanged: a batch with unchanged documents and deletes of absent ones leaves the
// view as it is.
func TestUnchanged(t *testing.T) {
	x, ctx := openHere(t, t.TempDir()), context.Background()
	b := indexer.Batch{Put: []indexer.Document{tag("a"), tag("b")}, Cursor: "1"}
	if err := x.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	before := x.core.Load().current.Load()
	b.Delete = []string{"urn:li:tag:absent"}
	if err := x.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	if x.core.Load().current.Load() != before {
		t.Error("the same documents make another state")
	}
	b.Cursor = "2"
	if err := x.Write(ctx, b); err != nil {
		t.Fatal(err)
	}
	after := x.core.Load().current.Load()
	if after.cursor != "2" || len(after.parts) != len(before.parts) || after.parts[0] != before.parts[0] {
		t.Errorf("another cursor changes %+v to %+v", before.parts, after.parts)
	}
	changed := tag("b")
	changed.Numbers = map[string]int64{"rows": 1}
	if err := x.Write(ctx, indexer.Batch{Put: []indexer.Document{tag("a"), changed}}); err != nil {
		t.Fatal(err)
	}
	if v := x.core.Load().current.Load(); v.parts[len(v.parts)-1].docs != 1 {
		t.Errorf("one changed document makes a segment of %d", v.parts[len(v.parts)-1].docs)
	}
}

// TestFilesAreDeleted: the files of merged segments, and of an index that was replaced or
// abandoned, are deleted when their last reader releases them.
func TestFilesAreDeleted(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	x := openHere(t, dir)
	files := func() int {
		paths, err := filepath.Glob(filepath.Join(dir, directory, "*"+segmentSuffix))
		if err != nil {
			t.Fatal(err)
		}
		return len(paths)
	}
	write := func(w indexer.Writer, c *core, name string) {
		if err := w.Write(ctx, indexer.Batch{Put: []indexer.Document{tag(name)}}); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
	}
	write(x, x.core.Load(), "a")
	given, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write(given, given.(*build).core, "b")
	if n := files(); n != 2 {
		t.Errorf("%d files beside a build, want 2", n)
	}
	if err := given.Abandon(); err != nil || files() != 1 {
		t.Errorf("%d files after the build was given up, %v", files(), err)
	}
	held := x.acquire() // a long search holds its view like this
	next, err := x.Rebuild(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write(next, next.(*build).core, "c")
	if err := next.Swap(ctx); err != nil || files() != 2 {
		t.Errorf("%d files while the former index is read, %v", files(), err)
	}
	if urn := string(held.parts[0].urn(0)); urn != "urn:li:tag:a" {
		t.Errorf("the former index has %s", urn)
	}
	held.release()
	if n := files(); n != 1 {
		t.Errorf("%d files at the end, want 1", n)
	}
	for n := range mergeAt {
		write(x, x.core.Load(), string(rune('d'+n)))
	}
	testclock.Await(t, "the files are merged", func() bool { return files() < mergeAt })
}
