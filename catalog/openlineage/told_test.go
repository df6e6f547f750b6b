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

func toldOf(t *testing.T, h *catalogtest.Harness) *openlineage.Kept {
	t.Helper()
	urn, err := model.ParseURN("urn:li:dataProcessInstance:" + streamRun)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := h.OpenLineage.Kept(t.Context(), urn)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestEventsOfRun: a run keeps its latest events as they came, in any order of arrival: as many as the setting says
// and as fit. Of an event that is too large, the size is kept. The events go with the run.
func TestEventsOfRun(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		h := catalogtest.HarnessOn(t, store)
		alone(h, func(o *openlineage.Options) { o.Events = 4 })
		var events []string
		for i := range 12 {
			events = append(events, heartbeat(i, 10))
		}
		takeAll(t, h, events)
		kept := toldOf(t, h)
		if len(kept.Events) != 4 || !kept.OlderDropped {
			t.Fatalf("%d events are kept, older ones dropped: %v", len(kept.Events), kept.OlderDropped)
		}
		for i, e := range kept.Events {
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
		if again := toldOf(t, h); len(again.Events) != 1 || again.OlderDropped {
			t.Errorf("%d events of a run that was deleted", len(again.Events))
		}
	})
}

// TestEventsOfRunInAnyOrder: which events are kept depends neither on the order in which they come nor on how often.
func TestEventsOfRunInAnyOrder(t *testing.T) {
	var events []string
	for i := range 14 {
		events = append(events, heartbeat(i, []int{10, limits.OpenLineageEventBytes - 1000, limits.OpenLineageEventBytes, 30_000, limits.OpenLineageRunEventBytes / 5}[i%5]))
	}
	var want *openlineage.Kept
	for seed := range uint64(6) {
		h := catalogtest.NewHarness(t)
		alone(h, func(o *openlineage.Options) { o.Events = limits.DefaultOpenLineageEvents })
		order := slices.Concat(events, events[5:9])
		if seed > 0 {
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		takeAll(t, h, order)
		kept := toldOf(t, h)
		size, tooLarge := 0, 0
		for _, e := range kept.Events {
			size += len(e.Event)
			if e.Event == nil {
				tooLarge++
			}
		}
		if size > limits.OpenLineageRunEventBytes || tooLarge == 0 || !kept.OlderDropped || len(kept.Events) < 5 {
			t.Fatalf("%d events of %d bytes, %d without their texts", len(kept.Events), size, tooLarge)
		}
		if want == nil {
			want = kept
		}
		if diff := cmp.Diff(want.Events, kept.Events); diff != "" {
			t.Fatalf("seed %d: %.600s", seed, diff)
		}
	}
}

// TestNoEventsOfRun: without the setting, no events are kept.
func TestNoEventsOfRun(t *testing.T) {
	h := catalogtest.NewHarness(t)
	alone(h, func(o *openlineage.Options) { o.Events = 0 })
	takeAll(t, h, []string{heartbeat(1, 1)})
	if kept := toldOf(t, h); len(kept.Events) != 0 || kept.OlderDropped {
		t.Errorf("%+v", kept.Events)
	}
	if limits.OpenLineageEvents < limits.DefaultOpenLineageEvents {
		t.Error("the default is more than may be kept")
	}
}
