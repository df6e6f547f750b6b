package webhooks_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

// awaitAll waits until a receiver has accepted all events after a cursor, and checks their
// order for each entity.
func awaitAll(h *catalogtest.Harness, r *receiver, after string) {
	h.T.Helper()
	want, n := logged(h, after)
	testclock.Await(h.T, "every event arrives", func() bool {
		_, all := r.events()
		return len(all) >= n
	})
	got, _ := r.events()
	if !maps.EqualFunc(got, want, slices.Equal) {
		h.T.Errorf("got %v, want %v", got, want)
	}
}

// TestFlaky: a receiver that fails in every way gets every event, in order.
func TestFlaky(t *testing.T) {
	h := catalogtest.NewHarness(t)
	random := rand.New(rand.NewPCG(1, 2))
	faults := []int{200, 200, 204, 500, 302, hang, reset, 429}
	r := receive(t, func(n int) int {
		if n <= len(faults) {
			return faults[len(faults)-n] // the receiver has each fault once
		}
		return faults[random.IntN(len(faults))]
	})
	s := serve(h, quick)
	h.Put("", "UPSERT", catalogtest.Table, "datasetProperties", `{"description":"before"}`)
	start, err := h.EndOfChanges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.hook(t, "flaky", r.URL, streams.Filter{})
	for i := range 6 {
		write(h, 5*i, 5)
	}
	awaitAll(h, r, start)
	testclock.Await(t, "the answer to the last is counted", func() bool { return s.Deliveries().Delivered > 0 })
	if d := s.Deliveries(); d.Delivered == 0 || d.Failed == 0 || d.Dead != 0 {
		t.Errorf("%+v", d)
	}
}

// TestDeadLetters: a batch that a receiver does not accept becomes a dead letter, later events
// still arrive, and a replay sends the same message.
func TestDeadLetters(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r := receive(t, always(500))
	s := serve(h, webhooks.Retry{First: time.Millisecond, Most: time.Millisecond, Attempts: 3, Age: time.Hour})
	s.hook(t, "hook", r.URL, streams.Filter{Aspects: []string{"datasetProperties"}})
	write(h, 0, 1)
	letters := func() []webhooks.Letter {
		list, err := s.Letters(t.Context(), "hook", "", 10)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	testclock.Await(t, "a dead letter", func() bool { return len(letters()) == 1 })
	if l := letters()[0]; l.Attempts != 3 || l.Status != 500 || l.Events != 1 || len(l.URNs) != 1 || l.URNs[0] != table(0) || !strings.Contains(l.Error, "500") {
		t.Errorf("%+v", l)
	}
	if replay, err := s.Replay(t.Context(), "hook", webhooks.All); err != nil || replay.Replayed != 0 || replay.Left != 1 || replay.Status != 500 || replay.Letter == "" {
		t.Errorf("%+v, %v", replay, err)
	}
	r.become(always(200))
	write(h, 1, 1)
	testclock.Await(t, "what comes after it", func() bool { return len(r.messages()) == 1 })
	if w, err := s.Get(t.Context(), "hook"); err != nil || w.DeadLetters != 1 {
		t.Errorf("%+v, %v", w, err)
	}
	if n, err := s.DeadLetters(t.Context()); n != 1 || err != nil {
		t.Error(n, err)
	}
	letter := letters()[0]
	replay, err := s.Replay(t.Context(), "hook", letter.ID)
	if err != nil || replay.Replayed != 1 || replay.Left != 0 {
		t.Errorf("%+v, %v", replay, err)
	}
	taken := r.messages()
	if m := taken[len(taken)-1]; m.ID != letter.Message || len(m.Data) != 1 || m.Data[0].EntityURN != table(0) {
		t.Errorf("%+v", m)
	}
	if w, err := s.Get(t.Context(), "hook"); err != nil || w.DeadLetters != 0 || len(letters()) != 0 {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := s.Replay(t.Context(), "hook", "none"); catalog.CodeOf(err) != catalog.NotFound {
		t.Error(err)
	}
}

// TestGone: a receiver that answers 410 gets nothing more until the webhook is enabled again.
// Then it gets the events that it missed.
func TestGone(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r := receive(t, always(410))
	s := serve(h, quick)
	s.hook(t, "hook", r.URL, streams.Filter{})
	start, _ := h.EndOfChanges(t.Context())
	write(h, 0, 3)
	testclock.Await(t, "the webhook is disabled", func() bool {
		w, err := s.Get(t.Context(), "hook")
		return err == nil && !w.Enabled && w.State == "disabled" && strings.Contains(w.DisabledReason, "410")
	})
	if r.tried() != 1 {
		t.Errorf("it was asked %d times", r.tried())
	}
	r.become(always(200))
	enabled := true
	if w, err := s.Update(t.Context(), "hook", &webhooks.Spec{Enabled: &enabled}); err != nil || !w.Enabled || w.DisabledReason != "" || w.Secret != "" {
		t.Errorf("%+v, %v", w, err)
	}
	awaitAll(h, r, start)
}

// TestSelected: a webhook sends the events of its filter, and a failing webhook does not delay
// the other webhooks.
func TestSelected(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r, stuck := receive(t, always(200)), receive(t, always(hang))
	s := serve(h, quick)
	s.hook(t, "stuck", stuck.URL, streams.Filter{})
	s.hook(t, "tags", r.URL, streams.Filter{EntityTypes: []string{"tag"}, Kinds: []string{"upsert"}, URNs: []string{"urn:li:tag:P*"}})
	write(h, 0, 3)
	h.Say("urn:li:tag:Other", "tagProperties", `{"name":"Other"}`)
	h.Say("urn:li:tag:PII", "tagProperties", `{"name":"PII"}`)
	testclock.Await(t, "the tag arrives", func() bool { return len(r.messages()) > 0 })
	for _, m := range r.messages() {
		for i := range m.Data {
			if m.Type != "change" || m.Data[i].EntityURN != "urn:li:tag:PII" {
				t.Errorf("%s", m.Body)
			}
		}
	}
	if err := s.Delete(t.Context(), "stuck"); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), "stuck"); catalog.CodeOf(err) != catalog.NotFound {
		t.Error(err)
	}
}

// TestTwoServers: of two servers over one store, one delivers. The other takes over when the
// first stops, also for webhooks that were made on the first.
func TestTwoServers(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r := receive(t, always(200))
	one, two := serve(h, quick), serve(h, quick)
	two.hook(t, "hook", r.URL, streams.Filter{})
	start, _ := h.EndOfChanges(t.Context())
	write(h, 0, 20)
	awaitAll(h, r, start)
	for _, m := range []*server{one, two} {
		// A delivery counts only after the answer to its request was read.
		testclock.Await(t, "the deliveries are noted", func() bool {
			w, err := m.Get(t.Context(), "hook")
			return err == nil && w.Lag == 0
		})
		m.stop()
		write(h, 20, 5)
		if m == one {
			awaitAll(h, r, start)
		}
	}
	_, all := r.events()
	for cursor, n := range all {
		if n != 1 {
			t.Errorf("%s was delivered %d times", cursor, n)
		}
	}
	three := serve(h, quick)
	awaitAll(h, r, start)
	three.stop()
}

// TestRemovedFollower: if somebody removes the follower, the webhook continues from the end of
// the log.
func TestRemovedFollower(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r := receive(t, always(500))
	s := serve(h, quick)
	s.hook(t, "hook", r.URL, streams.Filter{})
	write(h, 0, 5)
	testclock.Await(t, "it fails", func() bool { return r.tried() > 0 })
	testclock.Await(t, "its follower is removed", func() bool { return s.Followers.Remove(t.Context(), "webhook/hook") == nil })
	testclock.Await(t, "it follows again, level", func() bool {
		w, err := s.Get(t.Context(), "hook")
		return err == nil && w.Lag == 0 && w.State != "waiting"
	})
	start, _ := h.EndOfChanges(t.Context())
	r.become(always(200))
	write(h, 5, 1)
	awaitAll(h, r, start)
}

func TestPing(t *testing.T) {
	h := catalogtest.NewHarness(t)
	r := receive(t, always(200))
	s := serve(h, quick)
	s.hook(t, "hook", r.URL, streams.Filter{})
	if ping, err := s.Test(t.Context(), "hook"); err != nil || !ping.Delivered || ping.Status != 200 {
		t.Errorf("%+v, %v", ping, err)
	}
	if m := r.messages(); len(m) != 1 || m[0].Type != "ping" || m[0].Data == nil {
		t.Errorf("%+v", m)
	}
	r.become(always(302))
	if ping, err := s.Test(t.Context(), "hook"); err != nil || ping.Delivered || ping.Status != 302 || ping.Error == "" {
		t.Errorf("%+v, %v", ping, err)
	}
	if _, err := s.Test(t.Context(), "hok"); err == nil || !strings.Contains(err.Error(), "did you mean hook") {
		t.Error(err)
	}
}

// TestOneClock: all times of a webhook that is created, tried, given up and replayed come from
// the clock of the service.
func TestOneClock(t *testing.T) {
	testclock.Forward(100 * 24 * time.Hour)
	h := catalogtest.NewHarness(t)
	r := receive(t, func(n int) int { return map[bool]int{true: 500, false: 200}[n <= 2] })
	s := serve(h, webhooks.Retry{First: time.Millisecond, Most: time.Millisecond, Attempts: 2, Age: time.Hour})
	began := testclock.Now().UnixMilli()
	s.hook(t, "hook", r.URL, streams.Filter{Aspects: []string{"datasetProperties"}})
	write(h, 0, 1)
	var letters []webhooks.Letter
	testclock.Await(t, "a dead letter", func() bool {
		var err error
		letters, err = s.Letters(t.Context(), "hook", "", 10)
		return err == nil && len(letters) == 1
	})
	if l := letters[0]; l.Since < began || l.Time < l.Since {
		t.Errorf("created at %d, failed since %d, given up at %d", began, l.Since, l.Time)
	}
	if replay, err := s.Replay(t.Context(), "hook", webhooks.All); err != nil || replay.Replayed != 1 {
		t.Errorf("%+v, %v", replay, err)
	}
	for _, m := range r.messages() {
		if m.At.UnixMilli() < began/1000*1000 {
			t.Errorf("a message is signed for %s, before its webhook was made", m.At)
		}
	}
}
