package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

const (
	bo   = "urn:li:corpuser:bo"
	team = "urn:li:corpGroup:team"
)

// onStores runs a test on both stores. onStores starts a Neo4j only for the large size.
func onStores(t *testing.T, test func(t *testing.T, h *catalogtest.Harness)) {
	if testsize.Of(0, 1) == 0 {
		test(t, catalogtest.NewHarness(t))
		return
	}
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		test(t, &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t, Store: &catalogtest.Faulty{Store: store}})
	})
}

// fillFeeds runs the writer of feeds until the test ends.
func (s *server) fillFeeds(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var filling sync.WaitGroup
	filling.Go(func() {
		_ = s.Followers.Run(ctx, delivery.Worker{Name: feed.Follower, Deliver: s.catalog.Feed.Deliver})
	})
	t.Cleanup(func() {
		stop()
		filling.Wait()
	})
}

// columns returns a schema.
func columns(paths ...string) string {
	for i, path := range paths {
		paths[i] = fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path)
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[` + strings.Join(paths, ",") + `]}`
}

func ownedBy(owner string) string {
	return `{"owners":[{"owner":"` + owner + `","type":"TECHNICAL_OWNER"}],"lastModified":` + catalogtest.Stamp + `}`
}

// warehouse writes two ways of lineage: raw → mart by the columns a and b, and raw → report
// without columns. Bo owns mart, and the team owns report.
func warehouse(h *catalogtest.Harness) {
	raw, mart, report := table(0), table(1), table(2)
	fine := func(column string) string {
		return fmt.Sprintf(`{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}`, catalogtest.ColumnOf(raw, column), catalogtest.ColumnOf(mart, column))
	}
	upstream := `{"upstreams":[{"dataset":"` + raw + `","type":"TRANSFORMED"}]`
	h.Say(raw, "schemaMetadata", columns("a", "b", "c"))
	h.Say(mart, "upstreamLineage", upstream+`,"fineGrainedLineages":[`+fine("a")+","+fine("b")+`]}`)
	h.Say(mart, "ownership", ownedBy(bo))
	h.Say(report, "upstreamLineage", upstream+`}`)
	h.Say(report, "ownership", ownedBy(team))
	catalogtest.Past(h.T)
}

// items returns the feed items in messages as text, each once.
func items(t *testing.T, messages []message) []string {
	t.Helper()
	var said []string
	seen := map[string]bool{}
	for _, m := range messages {
		var body struct {
			Data []feed.Item `json:"data"`
		}
		if err := json.Unmarshal([]byte(m.Body), &body); err != nil || m.Type != "feed" {
			t.Errorf("%s: %v", m.Body, err)
		}
		for i := range body.Data {
			item := &body.Data[i]
			if seen[item.ID+item.Actor] {
				continue
			}
			seen[item.ID+item.Actor] = true
			a := item.Affected[0]
			said = append(said, fmt.Sprintf("%s %s: %s %s %d", item.Actor, item.Summary, a.URN, a.Effect, len(a.Path)))
		}
	}
	return said
}

// TestFeed: a webhook sends, in order, the items of the owners of entities downstream of a
// dropped column, with certain and possible effects, even if the receiver fails at first and
// another server writes the feeds.
func TestFeed(t *testing.T) { onStores(t, testFeed) }

func testFeed(t *testing.T, h *catalogtest.Harness) {
	filler := serve(h, quick)
	warehouse(h)
	r := receive(t, func(n int) int {
		if n <= 3 {
			return 500
		}
		return 200
	})
	s := serve(h, quick)
	s.hook(t, "told", r.URL, streams.Filter{Format: streams.FormatFeed, Actors: []string{team, bo}})
	h.Say(table(0), "schemaMetadata", columns("b", "c"))
	h.Say(table(0), "schemaMetadata", columns("c"))
	h.Say(table(0), "schemaMetadata", columns("c", "d")) // this change breaks nothing
	filler.fillFeeds(t)
	testclock.Await(t, "four items", func() bool { return len(items(t, r.messages())) >= 4 })
	want := []string{
		team + " Column a was removed: affects 1 possibly of yours: " + table(2) + " possible 2",
		bo + " Column a was removed: affects 1 certainly of yours: " + table(1) + " certain 2",
		team + " Column b was removed: affects 1 possibly of yours: " + table(2) + " possible 2",
		bo + " Column b was removed: affects 1 certainly of yours: " + table(1) + " certain 2",
	}
	if got := items(t, r.messages()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFeedDeadLetter: items that a receiver does not accept are stored as a dead letter. A
// replay sends the same message.
func TestFeedDeadLetter(t *testing.T) { onStores(t, testFeedDeadLetter) }

func testFeedDeadLetter(t *testing.T, h *catalogtest.Harness) {
	warehouse(h)
	r := receive(t, always(500))
	s := serve(h, webhooks.Retry{First: time.Millisecond, Most: time.Millisecond, Attempts: 2, Age: time.Hour})
	s.fillFeeds(t)
	s.hook(t, "told", r.URL, streams.Filter{Format: streams.FormatFeed, Actors: []string{bo}, Kinds: []string{"technical_schema"}})
	h.Say(table(0), "schemaMetadata", columns("b", "c"))
	var letters []webhooks.Letter
	testclock.Await(t, "a dead letter", func() bool {
		var err error
		letters, err = s.Letters(t.Context(), "told", "", 10)
		return err == nil && len(letters) == 1
	})
	if positions, err := s.FeedPositions(t.Context(), bo); err != nil || len(positions) != 2 || positions[1] != letters[0].Before {
		t.Errorf("positions %q (%v), the letter is after %s", positions, err, letters[0].Before)
	}
	if _, err := s.Update(t.Context(), "told", &webhooks.Spec{Filter: &streams.Filter{Format: streams.FormatFeed, Actors: []string{team}}}); err != nil {
		t.Fatal(err)
	}
	if positions, err := s.FeedPositions(t.Context(), bo); err != nil || len(positions) != 1 || positions[0] != letters[0].Before {
		t.Errorf("of another actor now: positions %q (%v), the letter is after %s", positions, err, letters[0].Before)
	}
	r.become(always(200))
	replay, err := s.Replay(t.Context(), "told", webhooks.All)
	if err != nil || replay.Replayed != 1 {
		t.Fatalf("%+v, %v", replay, err)
	}
	if got := r.messages(); len(got) != 1 || got[0].ID != letters[0].Message || len(items(t, got)) != 1 {
		t.Errorf("%+v", got)
	}
}
