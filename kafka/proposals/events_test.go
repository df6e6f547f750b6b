package proposals_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/failed"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestEvents: OpenLineage events of a topic are taken, between proposals of other topics. What is
// not an event is given back and listed, and does not stop the others.
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
