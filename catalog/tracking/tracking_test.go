package tracking_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/tracking"
	"github.com/headwater-io/headwater/internal/limits"
)

type counter struct {
	*catalogtest.Harness
	*tracking.Service
	now time.Time
}

func newCounter(t *testing.T, h *catalogtest.Harness) *counter {
	c := &counter{Harness: h, now: time.Date(2026, 11, 24, 23, 59, 0, 0, time.UTC)}
	c.Service = tracking.New(tracking.Options{
		Records: records.New(h.Store), Server: h.Writer, Entities: h.Reader, Now: func() time.Time { return c.now }, Logger: slog.New(slog.DiscardHandler),
	})
	return c
}

func (c *counter) view(t *testing.T, urn string, n int) {
	t.Helper()
	for range n {
		if err := c.Track(tracking.Event{Type: tracking.ViewEvent, EntityURN: urn}); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *counter) most(t *testing.T, limit int) (found []string) {
	t.Helper()
	most, err := c.Most(t.Context(), limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range most {
		found = append(found, fmt.Sprintf("%s %d", v.URN[len("urn:li:tag:"):], v.Views))
	}
	return found
}

func tag(name string) string { return "urn:li:tag:" + name }

// TestMost: the views that two servers over one store count are summed up, before and after
// they are stored, for limits.ViewDays. Entities that cannot be opened are left out.
func TestMost(t *testing.T) {
	h := catalogtest.NewHarness(t)
	for _, name := range []string{"a", "b", "c", "gone"} {
		h.Say(tag(name), "tagProperties", `{"name":"x"}`)
	}
	h.Say(tag("gone"), "status", `{"removed":true}`)
	one, two := newCounter(t, h), newCounter(t, h)
	check := func(c *counter, what string, want ...string) {
		t.Helper()
		if got := c.most(t, 10); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check(one, "nothing")
	one.view(t, tag("a"), 2)
	one.view(t, " "+tag("b"), 1)
	one.view(t, tag("gone"), 9)
	one.view(t, tag("never"), 9)
	two.view(t, tag("b"), 2)
	check(one, "in memory", "a 2", "b 1")
	for _, c := range []*counter{one, two, one} {
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check(two, "stored", "b 3", "a 2")
	if got := two.most(t, 1); !slices.Equal(got, []string{"b 3"}) {
		t.Error(got)
	}
	one.now = one.now.Add(2 * time.Minute) // the next day
	one.view(t, tag("a"), 2)
	check(one, "two days", "a 4", "b 3")
	if err := one.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(one, "two days, stored", "a 4", "b 3")
	one.now = one.now.AddDate(0, 0, limits.ViewDays-1)
	one.view(t, tag("c"), 1)
	check(one, "without the oldest day", "a 2", "c 1")
	if err := one.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if days, err := h.Store.ListRecords(t.Context(), "views/", "", 10); err != nil || len(days) != 2 {
		t.Errorf("%v: the days that are kept: %v", err, days)
	}
}

// TestTrack checks which events are counted, and how many.
func TestTrack(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(tag("a"), "tagProperties", `{"name":"x"}`)
	c := newCounter(t, h)
	for _, e := range []tracking.Event{{Type: "PageViewEvent"}, {Type: "SearchEvent", EntityURN: "x"}, {Type: tracking.SearchEvent}} {
		if err := c.Track(e); err != nil {
			t.Error(e, err)
		}
	}
	for _, e := range []tracking.Event{{}, {Type: "a b"}, {Type: tracking.ViewEvent}, {Type: tracking.ViewEvent, EntityURN: "urn:li:nothing:x"}} {
		if err := c.Track(e); catalog.CodeOf(err) != catalog.Invalid {
			t.Error(e, err)
		}
	}
	h.SetReadOnly(true)
	c.view(t, tag("a"), 1)
	h.SetReadOnly(false)
	c.view(t, tag("a"), limits.TrackedViews+5)
	if got, want := c.most(t, 1), fmt.Sprint("a ", limits.TrackedViews); !slices.Equal(got, []string{want}) {
		t.Errorf("%v, want %s", got, want)
	}
	for _, limit := range []int{0, limits.MaxPopular + 1} {
		if _, err := c.Most(t.Context(), limit); catalog.CodeOf(err) != catalog.Invalid {
			t.Error(limit, err)
		}
		if _, err := c.MostSearched(t.Context(), limit); catalog.CodeOf(err) != catalog.Invalid {
			t.Error(limit, err)
		}
	}
}

// TestManyEntities: a record of a day has the entities with the most views.
func TestManyEntities(t *testing.T) {
	h := catalogtest.NewHarness(t)
	h.Say(tag("a"), "tagProperties", `{"name":"x"}`)
	c := newCounter(t, h)
	c.view(t, tag("a"), 2)
	for n := range limits.ViewedEntities + 5 {
		c.view(t, tag(fmt.Sprint("n", n)), 1)
	}
	if err := errors.Join(c.Flush(t.Context()), c.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := c.most(t, 5); !slices.Equal(got, []string{"a 2"}) {
		t.Error(got)
	}
	record, _, err := h.Store.Record(t.Context(), "views/2026-11-24")
	if err != nil || len(record.Value) > limits.ViewedEntities*30 {
		t.Errorf("%v: %d bytes", err, len(record.Value))
	}
}

// TestMostSearched: a search is counted by its words if it found something and its first page
// was shown. Counts in memory and stored counts are summed up.
func TestMostSearched(t *testing.T) {
	h := catalogtest.NewHarness(t)
	one, two := newCounter(t, h), newCounter(t, h)
	longest := strings.Repeat("x", limits.TrackedQuery)
	for _, e := range []tracking.Event{
		{Query: "Net  Revenue ", Total: 3, Page: 1},
		{Query: "net revenue", Total: 1},
		{Query: "net revenue", Total: 1, Page: 2},
		{Query: "nothing like it", Total: 0, Page: 1},
		{Query: "*", Total: 900},
		{Query: " ", Total: 900},
		{Query: "a\x00b", Total: 1},
		{Query: "\xff", Total: 1},
		{Query: longest + "x", Total: 1},
		{Query: longest, Total: 1},
	} {
		e.Type = tracking.SearchEvent
		if err := one.Track(e); err != nil {
			t.Error(e, err)
		}
	}
	want := []tracking.Searched{{Query: "net revenue", Searches: 2}, {Query: longest, Searches: 1}}
	for _, step := range []string{"in memory", "stored"} {
		if got, err := one.MostSearched(t.Context(), 10); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v %v", step, got, err)
		}
		if err := one.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := two.MostSearched(t.Context(), 1); err != nil || !slices.Equal(got, want[:1]) {
		t.Errorf("of another server: %v %v", got, err)
	}
	if got := two.most(t, 10); len(got) != 0 {
		t.Errorf("searches count as views: %v", got)
	}
}
