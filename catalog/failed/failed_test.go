package failed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

func keepMany(t *testing.T, s *failed.Service, first, n int) {
	t.Helper()
	proposals := make([]failed.Proposal, n)
	for i := range proposals {
		proposals[i] = failed.Proposal{Topic: "t", Offset: int64(first + i), Error: "refused"}
	}
	if err := s.Store(t.Context(), proposals); err != nil {
		t.Fatal(err)
	}
}

// all lists all proposals, in pages, and checks the sizes of the pages.
func all(t *testing.T, s *failed.Service, page int) (offsets []int64) {
	t.Helper()
	for after := ""; ; {
		proposals, next, err := s.List(t.Context(), after, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range proposals {
			offsets = append(offsets, p.Offset)
		}
		if next == "" {
			return offsets
		}
		if len(proposals) != page {
			t.Fatalf("%d on a page of %d that is not the last", len(proposals), page)
		}
		after = next
	}
}

// TestPages: the newest proposals are first, in pages of any size, also within one batch.
func TestPages(t *testing.T) {
	h := catalogtest.NewHarness(t)
	now := time.UnixMilli(1_700_000_000_000)
	s := failed.New(records.New(h.Store), func() time.Time { return now })
	if found, next, err := s.List(t.Context(), "", 10); err != nil || len(found) != 0 || next != "" {
		t.Error(found, next, err)
	}
	keepMany(t, s, 0, 0)
	const batches, size = 3, 7
	for b := range batches {
		now = now.Add(time.Millisecond)
		keepMany(t, s, b*size, size)
	}
	for _, page := range []int{1, 2, size, batches * size, limits.MaxFailedPage} {
		offsets := all(t, s, page)
		if len(offsets) != batches*size {
			t.Fatalf("%d in pages of %d", len(offsets), page)
		}
		for i, offset := range offsets {
			if want := int64(batches*size - 1 - i); offset != want {
				t.Errorf("in pages of %d, place %d has the offset %d, want %d", page, i, offset, want)
			}
		}
	}
}

// TestPruned: the store has at most the newest limits.FailedProposals proposals, and the
// proposals since the last pruning.
func TestPruned(t *testing.T) {
	h := catalogtest.NewHarness(t)
	now := time.UnixMilli(1_700_000_000_000)
	s := failed.New(records.New(h.Store), func() time.Time { return now })
	total, batch := limits.FailedProposals+testsize.Of(350, 999_000), testsize.Of(50, 1000)
	for first := 0; first < total; first += batch {
		now = now.Add(time.Millisecond)
		keepMany(t, s, first, batch)
	}
	offsets := all(t, s, limits.MaxFailedPage)
	if len(offsets) < limits.FailedProposals || len(offsets) >= limits.FailedProposals+100 {
		t.Errorf("%d are kept", len(offsets))
	}
	for i, offset := range offsets {
		if want := int64(total - 1 - i); offset != want {
			t.Fatalf("place %d has the offset %d, want %d", i, offset, want)
		}
	}
	// Another process prunes the proposals of an earlier one.
	now = now.Add(time.Millisecond)
	keepMany(t, failed.New(records.New(h.Store), func() time.Time { return now }), total, 1)
	if offsets := all(t, s, limits.MaxFailedPage); len(offsets) != limits.FailedProposals || offsets[0] != int64(total) {
		t.Errorf("%d are kept, the newest of them %d", len(offsets), offsets[0])
	}
}

func TestTexts(t *testing.T) {
	h := catalogtest.NewHarness(t)
	s := failed.New(records.New(h.Store), time.Now)
	long := strings.Repeat("é", 1<<20)
	if err := s.Store(t.Context(), []failed.Proposal{{URN: long, Aspect: long, Error: long}}); err != nil {
		t.Fatal(err)
	}
	found, _, err := s.List(t.Context(), "", 1)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if p := found[0]; p.Time == 0 || len(p.URN)+len(p.Aspect)+len(p.Error) > 10_000 || !strings.HasPrefix(p.Error, "éé") {
		t.Errorf("%d, %d and %d bytes are kept", len(p.URN), len(p.Aspect), len(p.Error))
	}
}

func TestListRefuses(t *testing.T) {
	s := failed.New(records.New(catalogtest.NewHarness(t).Store), time.Now)
	for _, c := range []struct {
		after string
		limit int
	}{{"../x", 1}, {"a", 1}, {"", 0}, {"", -1}, {"", limits.MaxFailedPage + 1}} {
		t.Run(fmt.Sprintf("%q %d", c.after, c.limit), func(t *testing.T) {
			if _, _, err := s.List(t.Context(), c.after, c.limit); catalog.CodeOf(err) != catalog.Invalid {
				t.Error(err)
			}
		})
	}
}
