package proposals_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestEvents: OpenLineage events of a topic are taken, between proposals of other topics. A record
// that is no event is given back and listed, and does not stop the others.
func TestEvents(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	b.consume(b)
	event := func(kind, job, sides string) [2]string {
		return [2]string{"run:" + job, fmt.Sprintf(`{"eventType":%q,"eventTime":"2026-11-27T10:00:00Z","producer":"https://example.com","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",`+
			`"run":{"runId":"01939c4e-0000-7000-8000-000000000001"},"job":{"namespace":"nightly","name":%q}%s}`, kind, job, sides)}
	}
	b.send("events",
		event("START", "load", `,"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders"}]`),
		[2]string{"x", "poison"}, [2]string{"x", `{"eventTime":"2026-11-27T10:00:00Z"}`}, [2]string{"x", ""},
		[2]string{"x", `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}"}, [2]string{"x", "[" + strings.Repeat("0,", 100_000) + "0]"},
		event("COMPLETE", "load", `,"outputs":[{"namespace":"postgres://db:5432","name":"shop.public.daily"}]`))
	b.send(wire.ProposalTopic, described(tableURN(1), "beside"))
	b.awaitAspect(tableURN(1), "datasetProperties", "beside")
	const job = "urn:li:dataJob:(urn:li:dataFlow:(unknown,load,nightly),load)"
	b.awaitAspect(job, "dataJobInputOutput", "shop.public.orders")
	b.awaitAspect(job, "dataJobInputOutput", "shop.public.daily")
	var listed []failed.Proposal
	testclock.Await(t, "five are listed", func() bool {
		var err error
		if listed, _, err = b.Failed.List(t.Context(), "", 100); err != nil {
			t.Fatal(err)
		}
		return len(listed) == 5
	})
	for _, p := range listed {
		if p.Topic != b.prefix+"events" || p.Error == "" || strings.Contains(p.Error, "poison") {
			t.Errorf("%+v", p)
		}
	}
}

// TestEventsInGroups: events are taken in groups, in the order of their partition. An event that cannot be taken yet
// comes again and a bad event is given back, while the other events of the group are taken. After a restart no event
// comes again.
func TestEventsInGroups(t *testing.T) {
	b := newHarness(t, testservers.Kafka(t))
	const n, late, bad = 400, 7, 9
	var mu sync.Mutex
	var largest, tries int
	var taken []string
	b.take = func(ctx context.Context, events []json.RawMessage, o catalog.WriteOptions) []error {
		mu.Lock()
		defer mu.Unlock()
		largest = max(largest, len(events))
		errs := b.OpenLineage.TakeAll(ctx, events, o)
		for i, event := range events {
			var job struct{ Job struct{ Name string } }
			if err := json.Unmarshal(event, &job); err != nil {
				t.Error(err)
			}
			if job.Job.Name == fmt.Sprintf("load_%d", late) {
				if tries++; tries == 1 {
					errs[i] = catalog.Errorf(catalog.Busy, "try again")
					continue
				}
			}
			if errs[i] == nil {
				taken = append(taken, job.Job.Name)
			}
		}
		return errs
	}
	var records [][2]string
	for i := range n {
		run := fmt.Sprintf("01939c4e-0000-7000-8000-%012x", i)
		if i == bad {
			run = ""
		}
		records = append(records, [2]string{"one", fmt.Sprintf(`{"eventType":"START","eventTime":"2026-11-27T10:00:00Z","producer":"https://example.com","run":{"runId":%q},"job":{"namespace":"nightly","name":"load_%d"}}`, run, i)})
	}
	b.send("events", records...)
	stop := b.consume(b)
	b.awaitAspect(fmt.Sprintf("urn:li:dataJob:(urn:li:dataFlow:(unknown,load_%d,nightly),load_%[1]d)", n-1), "dataJobInfo", fmt.Sprintf("load_%d", n-1))
	testclock.Await(t, "the bad event is listed, and the late one is taken", func() bool {
		listed, _, err := b.Failed.List(t.Context(), "", 100)
		mu.Lock()
		defer mu.Unlock()
		return err == nil && len(listed) == 1 && strings.Contains(listed[0].Error, "runId") && tries == 2 && len(taken) == n-1
	})
	stop()
	before := len(taken)
	if largest < 10 {
		t.Errorf("the largest group has %d events", largest)
	}
	last := -1
	for _, name := range taken {
		i, err := strconv.Atoi(strings.TrimPrefix(name, "load_"))
		switch {
		case err != nil:
			t.Error(err)
		case i == late:
		case i < last:
			t.Fatalf("event %d is taken after event %d", i, last)
		default:
			last = i
		}
	}
	b.consume(b)
	b.send("events", [2]string{"one", `{"eventType":"START","eventTime":"2026-11-27T10:00:00Z","producer":"https://example.com","run":{"runId":"01939c4e-0000-7000-8000-ffffffffffff"},"job":{"namespace":"nightly","name":"load_last"}}`})
	b.awaitAspect("urn:li:dataJob:(urn:li:dataFlow:(unknown,load_last,nightly),load_last)", "dataJobInfo", "load_last")
	mu.Lock()
	defer mu.Unlock()
	if second := len(taken) - before; second > 1 {
		t.Errorf("%d committed events have come again", second-1)
	}
}
