package history_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/removal"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// TestVersions: the list has the versions of an aspect, the newest first, with the rolled-back
// versions and the times when the aspect was absent.
func TestVersions(t *testing.T) {
	h := catalogtest.NewHarness(t)
	read := func(aspect string, start, count int) (string, int) {
		t.Helper()
		found, total, err := h.History.Versions(context.Background(), catalogtest.URN(catalogtest.Table), aspect, start, count)
		h.Want("", err)
		var lines []string
		for _, v := range found {
			line := fmt.Sprintf("%d %d %s %s", v.Version, v.Number, v.Value, v.Run)
			if v.RolledBackAt != 0 {
				line += " rolled back by " + v.RolledBackBy
			}
			if v.Value != nil && (v.Written == 0 || v.Actor == "") {
				t.Errorf("%s has no stamps", line)
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		return strings.Join(lines, "\n"), total
	}
	expect := func(when, aspect string, want ...string) {
		t.Helper()
		got, total := read(aspect, 0, limits.MaxHistoryCount)
		if got != strings.Join(want, "\n") || total != len(want) {
			t.Errorf("%s: %d\n%s\nwant:\n%s", when, total, got, strings.Join(want, "\n"))
		}
		for start := range want {
			if got, _ := read(aspect, start, 1); got != want[start] {
				t.Errorf("%s, from %d: %s", when, start, got)
			}
		}
	}
	run := func(run, value string) {
		h.Run(run, catalogtest.Table, "globalTags", value)
		testclock.Forward(2 * time.Millisecond)
	}
	a, b, c := `{"tags":[{"tag":"urn:li:tag:a"}]}`, `{"tags":[{"tag":"urn:li:tag:b"}]}`, `{"tags":[{"tag":"urn:li:tag:c"}]}`
	expect("of an entity that does not exist", "globalTags")
	run("first", a)
	run("second", b)
	expect("two versions", "globalTags", "0 2 "+b+" second", "1 1 "+a+" first")
	run("bad", c)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
	testclock.Forward(2 * time.Millisecond)
	rolledBack := "-1 0 " + c + " bad rolled back by " + catalogtest.Ada
	expect("after a rollback", "globalTags", rolledBack, "0 2 "+b+" second", "1 1 "+a+" first")
	h.Put("", "DELETE", catalogtest.Table, "globalTags", "")
	testclock.Forward(2 * time.Millisecond)
	expect("after a delete", "globalTags", "-1 0", rolledBack, "2 2 "+b+" second", "1 1 "+a+" first")
	run("third", a)
	expect("when it is there again", "globalTags", "0 3 "+a+" third", "-1 0", rolledBack, "2 2 "+b+" second", "1 1 "+a+" first")

	h.Run("bad", catalogtest.Table, "glossaryTerms", `{"terms":[],"auditStamp":`+catalogtest.Stamp+`}`)
	testclock.Forward(2 * time.Millisecond)
	h.Rollback("", removal.RollbackRequest{Origin: catalogtest.OfRun("bad")})
	found, total, err := h.History.Versions(context.Background(), catalogtest.URN(catalogtest.Table), "glossaryTerms", 0, 5)
	h.Want("", err)
	if total != 2 || found[0].Value != nil || found[0].Actor != catalogtest.Ada || found[0].Written != found[1].RolledBackAt || found[1].Run != "bad" {
		t.Errorf("what only the bad run wrote: %+v", found)
	}
	for _, bad := range []struct {
		aspect       string
		start, count int
	}{{"nothing", 0, 5}, {"datasetProfile", 0, 5}, {"chartInfo", 0, 5}, {"globalTags", -1, 5}, {"globalTags", 0, -1}, {"globalTags", 0, limits.MaxHistoryCount + 1}} {
		_, _, err := h.History.Versions(context.Background(), catalogtest.URN(catalogtest.Table), bad.aspect, bad.start, bad.count)
		h.Want(catalog.Invalid, err)
	}
}

// TestVersionsWithLargeValues: a page ends early when its values are large. Every value is
// read, although not all are in memory at once.
func TestVersionsWithLargeValues(t *testing.T) {
	h, versions := catalogtest.NewHarness(t), 9
	for i := range versions {
		h.Say(catalogtest.Table, "datasetProperties", fmt.Sprintf(`{"description":"%d%s"}`, i, strings.Repeat("x", limits.MaxHistoryBytes/3)))
	}
	read, pages := 0, 0
	for ; read < versions; pages++ {
		found, total, err := h.History.Versions(context.Background(), catalogtest.URN(catalogtest.Table), "datasetProperties", read, 10)
		h.Want("", err)
		if total != versions || len(found) == 0 || len(found) > 4 {
			t.Fatalf("a page of %d after %d of %d versions", len(found), read, total)
		}
		for i := range found {
			if want := fmt.Sprintf(`{"description":"%dxxx`, versions-1-read-i); !strings.HasPrefix(string(found[i].Value), want) {
				t.Errorf("version %d begins with %.30s, want %s", found[i].Version, found[i].Value, want)
			}
		}
		read += len(found)
	}
	if pages < 3 {
		t.Errorf("%d versions in %d pages", read, pages)
	}
}
