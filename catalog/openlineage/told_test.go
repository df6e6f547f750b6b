package openlineage_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const streamRun = "0190c3a0-0000-7000-8000-0000000000aa"

// heartbeat is an event of a run that goes on, of about so many bytes.
func heartbeat(second, size int) string {
	return ran("RUNNING", fmt.Sprintf("01:%02d:%02d", second/60, second%60), streamRun, `"beat":{"n":`+fmt.Sprint(second)+`,"pad":"`+strings.Repeat("x", size)+`"}`, `{"namespace":"prod","name":"stream"}`, "")
}

func toldOf(t *testing.T, h *catalogtest.Harness) *openlineage.Sent {
	t.Helper()
	urn, err := model.ParseURN("urn:li:dataProcessInstance:" + streamRun)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := h.OpenLineage.SentAbout(t.Context(), urn)
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// TestEventsOfRun: a run keeps its latest events as they came, in any order of arrival: as many as the setting says
// and as fit. Of an event that is too large, the size is sent. The events go with the run.
func TestEventsOfRun(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		h := catalogtest.HarnessOn(t, store)
		alone(h, func(o *openlineage.Options) { o.Events = 4 })
		var events []string
		for i := range 12 {
			events = append(events, heartbeat(i, 10))
		}
		takeAll(t, h, events)
		sent := toldOf(t, h)
		if len(sent.Events) != 4 || !sent.OlderDropped {
			t.Fatalf("%d events are sent, older ones dropped: %v", len(sent.Events), sent.OlderDropped)
		}
		for i, e := range sent.Events {
			var got, want any
			if err := json.Unmarshal(e.Event, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(events[11-i]), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || e.EventType != "RUNNING" || e.EventTime != fmt.Sprintf("2026-11-27T01:00:%02dZ", 11-i) || e.Bytes != len(events[11-i]) {
				t.Errorf("event %d: %s %s %d %s", i, e.EventTime, e.EventType, e.Bytes, diff)
			}
		}
		urn, err := model.ParseURN("urn:li:dataProcessInstance:" + streamRun)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Removal.Delete(t.Context(), urn, false, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
			t.Fatal(err)
		}
		takeAll(t, h, events[:1])
		if second := toldOf(t, h); len(second.Events) != 1 || second.OlderDropped {
			t.Errorf("%d events of a run that was deleted", len(second.Events))
		}
	})
}

// TestEventsOfRunInAnyOrder: which events are kept depends neither on the order in which they come nor on how often.
func TestEventsOfRunInAnyOrder(t *testing.T) {
	var events []string
	for i := range 14 {
		events = append(events, heartbeat(i, []int{10, limits.OpenLineageEventBytes - 1000, limits.OpenLineageEventBytes, 30_000, limits.OpenLineageRunEventBytes / 5}[i%5]))
	}
	var want *openlineage.Sent
	for seed := range uint64(6) {
		h := catalogtest.NewHarness(t)
		alone(h, func(o *openlineage.Options) { o.Events = limits.DefaultOpenLineageEvents })
		order := slices.Concat(events, events[5:9])
		if seed > 0 {
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		takeAll(t, h, order)
		sent := toldOf(t, h)
		size, tooLarge := 0, 0
		for _, e := range sent.Events {
			size += len(e.Event)
			if e.Event == nil {
				tooLarge++
			}
		}
		if size > limits.OpenLineageRunEventBytes || tooLarge == 0 || !sent.OlderDropped || len(sent.Events) < 5 {
			t.Fatalf("%d events of %d bytes, %d without their texts", len(sent.Events), size, tooLarge)
		}
		if want == nil {
			want = sent
		}
		if diff := cmp.Diff(want.Events, sent.Events); diff != "" {
			t.Fatalf("seed %d: %.600s", seed, diff)
		}
	}
}

// TestNoEventsOfRun: without the setting, no events are sent.
func TestNoEventsOfRun(t *testing.T) {
	h := catalogtest.NewHarness(t)
	alone(h, func(o *openlineage.Options) { o.Events = 0 })
	takeAll(t, h, []string{heartbeat(1, 1)})
	if sent := toldOf(t, h); len(sent.Events) != 0 || sent.OlderDropped {
		t.Errorf("%+v", sent.Events)
	}
	if limits.OpenLineageEvents < limits.DefaultOpenLineageEvents {
		t.Error("the default is more than may be kept")
	}
}
