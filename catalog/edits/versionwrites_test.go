package edits_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestVersionsByProposals: writes and deletions of versionProperties maintain the latest
// version of the set, both in the set and in the versions.
func TestVersionsByProposals(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		ctx := context.Background()
		const plain, generated = "LEXICOGRAPHIC_STRING", "ALPHANUMERIC_GENERATED_BY_DATAHUB"
		table := func(n int) string {
			return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,versioned.%02d,PROD)", n)
		}
		set := func(name string) string { return "urn:li:versionSet:(" + name + ",dataset)" }
		put := func(n int, in, sortID, scheme, more string) write.Proposal {
			return catalogtest.Proposal(write.Upsert, table(n), "versionProperties",
				`{"versionSet":"`+set(in)+`","version":{"versionTag":"v`+sortID+`"},"sortId":"`+sortID+`","versioningScheme":"`+scheme+`"`+more+`}`)
		}
		tree := func(urn, aspect string) catalog.Tree {
			value, err := jsontree.DecodeObject([]byte(h.Value(urn, aspect, 0)))
			if err != nil {
				return catalog.Tree{}
			}
			return value
		}
		// want expects the latest version of a set and, of the versions 1 to 12, that only the
		// latest is marked.
		want := func(when, in string, latest int, members ...int) {
			t.Helper()
			if got := jsontree.Text(tree(set(in), "versionSetProperties"), "latest"); got != table(latest) {
				t.Errorf("%s: the latest of %s is %q, want %q", when, in, got, table(latest))
			}
			for _, n := range members {
				if got := tree(table(n), "versionProperties")["isLatest"]; got != (n == latest) {
					t.Errorf("%s: isLatest of %d is %v", when, n, got)
				}
			}
		}
		do := func(p write.Proposal) { t.Helper(); h.Attempt("", p) }
		do(put(1, "a", "abc", plain, ""))
		want("the first", "a", 1, 1)
		if got := jsontree.Text(tree(set("a"), "versionSetProperties"), "versioningScheme"); got != plain || h.Value(set("a"), "versionSetKey", 0) == "" {
			t.Errorf("the set: %q %s", got, h.Value(set("a"), "versionSetKey", 0))
		}
		do(put(2, "a", "bbb", plain, ""))
		want("a later one", "a", 2, 1, 2)
		do(put(3, "a", "aaa", plain, `,"isLatest":true`)) // isLatest in the value of a writer has no effect
		want("an earlier one", "a", 2, 1, 2, 3)
		if result := h.Attempt("", put(2, "a", "bbb", plain, "")); result.Changed {
			t.Error("the same again is a change")
		}
		p := catalogtest.Proposal(write.Patch, table(3), "versionProperties", `[{"op":"replace","path":"/sortId","value":"ccc"}]`)
		p.Aspect.ContentType = "application/json-patch+json"
		do(p)
		want("a patch", "a", 3, 1, 2, 3)

		// Several versions are written in any order: each in a request of its own, in one
		// batch, and together.
		order := []int{7, 5, 9, 6, 8}
		for _, how := range []string{"each", "batch", "whole"} {
			var proposals []write.Proposal
			for _, n := range order {
				proposals = append(proposals, put(n, how, fmt.Sprintf("%02d", n), plain, ""))
			}
			var err error
			switch how {
			case "each":
				for _, p := range proposals {
					do(p)
				}
			case "batch":
				_, err = h.IngestBatch(ctx, proposals, catalog.WriteOptions{})
			case "whole":
				_, err = h.IngestWhole(ctx, proposals, catalog.WriteOptions{})
			}
			h.Want("", err)
			want(how, how, 9, order...)
		}
		for _, left := range []string{"each", "batch"} { // all versions have left these sets for the next set
			if got := h.Value(set(left), "versionSetKey", 0); got != "" {
				t.Errorf("a set that all versions have left: %s", got)
			}
		}

		do(put(10, "generated", "abc", generated, "")) // a new set accepts any sort id
		want("a scheme", "generated", 10, 10)
		refused := map[string]write.Proposal{
			"another scheme": put(11, "a", "ddd", generated, ""), "an id of another scheme": put(11, "generated", "abd", generated, ""),
			"no set": put(11, "x),tag:(y", "a", plain, ""),
			"a set of other entities": catalogtest.Proposal(write.Upsert, table(11), "versionProperties",
				`{"versionSet":"urn:li:versionSet:(a,mlModel)","version":{"versionTag":"v"},"sortId":"zzz"}`),
		}
		for name, p := range refused {
			if _, err := h.Ingest(ctx, p, catalog.WriteOptions{}); !slices.Contains([]catalog.Code{catalog.Validation, catalog.Invalid}, catalog.CodeOf(err)) || err == nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		do(put(11, "generated", "BBBBBBBB", generated, ""))

		// The version before a deleted one becomes the latest.
		do(catalogtest.Proposal(write.Delete, table(9), "versionProperties", ""))
		want("a deleted aspect", "whole", 8, 5, 6, 7, 8)
		_, err := h.Removal.Delete(ctx, catalogtest.URN(table(8)), false, catalog.WriteOptions{})
		h.Want("", err)
		want("a deleted entity", "whole", 7, 5, 6, 7)
		do(catalogtest.Proposal(write.Delete, table(5), "datasetKey", ""))
		want("another deleted entity", "whole", 7, 6, 7)
		_, err = h.Edits.UnlinkVersion(ctx, catalogtest.URN(set("whole")), catalogtest.URN(table(7)), catalog.WriteOptions{})
		h.Want("", err)
		want("an unlinked version", "whole", 6, 6)
		do(catalogtest.Proposal(write.Delete, table(6), "datasetKey", ""))
		if got := h.Value(set("whole"), "versionSetKey", 0); got != "" {
			t.Errorf("a set without versions is left: %s", got)
		}
		do(put(6, "whole", "01", plain, ""))
		want("a version of a set that was deleted", "whole", 6, 6)
	})
}
