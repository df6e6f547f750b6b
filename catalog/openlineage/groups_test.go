package openlineage

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// waiting makes events of actors, which wait in this order.
func waiting(q *queue, actors ...string) {
	all := make([]*taking, len(actors))
	for i, actor := range actors {
		ctx := requestinfo.WithCaller(context.Background(), requestinfo.Caller{Actor: actor})
		if actor == "server" {
			ctx = write.OwnWork(ctx)
		}
		all[i] = &taking{ctx: ctx, event: &event{}, size: 10, o: catalog.WriteOptions{Actor: actor}, done: make(chan error, 1)}
	}
	q.enter(all)
}

func groupOf(q *queue) (actors []string) {
	for _, t := range q.next() {
		actors = append(actors, t.o.Actor)
	}
	return actors
}

// TestGroups: a group has the events of one caller, in their order, and the others wait on.
func TestGroups(t *testing.T) {
	var q queue
	waiting(&q, "ada", "bob", "ada", "server", "ada", "bob")
	for _, want := range []string{`["ada","ada","ada"]`, `["bob","bob"]`, `["server"]`, `null`} {
		if got, _ := json.Marshal(groupOf(&q)); string(got) != want {
			t.Errorf("a group of %s, want %s", got, want)
		}
	}
	many := make([]string, maxGroup+3)
	waiting(&q, many...)
	if first, second := len(groupOf(&q)), len(groupOf(&q)); first != maxGroup || second != 3 {
		t.Errorf("groups of %d and %d events", first, second)
	}
	waiting(&q, "ada", "ada", "ada")
	q.waiting[0].size, q.waiting[1].size = maxGroupBytes+1, maxGroupBytes
	for _, want := range []int{1, 1, 1} {
		if got := len(groupOf(&q)); got != want {
			t.Errorf("a group of %d large events, want %d", got, want)
		}
	}
}

// TestQueueFull: events that find no room are refused, and the events before them are taken.
func TestQueueFull(t *testing.T) {
	var q queue
	q.waiting = make([]*taking, limits.MaxQueuedWrites-1)
	if n := q.enter([]*taking{nil, {}, {}, {}}); n != 2 || len(q.waiting) != limits.MaxQueuedWrites {
		t.Errorf("%d of 4 events have entered, %d wait", n, len(q.waiting))
	}
}

// TestPause: a leader waits until as many events wait as it has just answered, and not longer than it may.
func TestPause(t *testing.T) {
	var q queue
	waiting(&q, "ada")
	began := time.Now()
	q.pause(1, time.Hour) // enough events wait
	q.pause(2, 0)         // no time is left
	if took := time.Since(began); took > longestPause*100 {
		t.Errorf("pauses without a reason took %v", took)
	}
	arrived := make(chan struct{})
	q.arrived, q.awaited = arrived, 3
	waiting(&q, "ada")
	if q.awaited != 3 {
		t.Error("two events have ended a pause for three")
	}
	waiting(&q, "ada")
	<-arrived
	if q.awaited != 0 || q.arrived != nil {
		t.Error("three events have not ended a pause for three")
	}
	q.pause(9, time.Nanosecond)
	if q.awaited != 0 || q.arrived != nil {
		t.Error("a pause that is over still waits")
	}
}

// TestSecondGroup: a second group begins only if a whole group waits.
func TestSecondGroup(t *testing.T) {
	var q queue
	waiting(&q, make([]string, manyWait-1)...)
	if !q.begin() || q.begin() {
		t.Error("two groups are made of few events")
	}
	waiting(&q, "")
	if !q.begin() || q.begin() {
		t.Error("many events do not make two groups")
	}
}
