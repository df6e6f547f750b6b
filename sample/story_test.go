package sample_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/sample"
)

// today is the machine's time in these tests.
var today = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// TestStory: each event of the story is found at its moment, on both stores.
func TestStory(t *testing.T) {
	for name, open := range map[string]func(*testing.T, *sample.Past) graphstore.Store{
		"embedded": func(t *testing.T, p *sample.Past) graphstore.Store { return openEmbedded(t, p.Now) },
		"neo4j": func(t *testing.T, p *sample.Past) graphstore.Store {
			uri := testservers.Neo4j(t)
			testservers.WipeNeo4j(t, uri)
			return catalogtest.OpenNeo4jAt(t, uri, p.Now)
		},
	} {
		t.Run(name, func(t *testing.T) {
			past := &sample.Past{Machine: func() time.Time { return today }}
			store := open(t, past)
			defer store.Close()
			c := services.New(services.Options{Store: store, Now: past.Now})
			if _, err := past.Load(context.Background(), c); err != nil {
				t.Fatal(err)
			}
			s := newTeller(t, c)
			for _, e := range timelines {
				s.tells(e.urn, e.category, e.want)
			}
			for _, w := range walks {
				if got := s.upstream(w.urn, w.at); !slices.Equal(got, w.want) {
					t.Errorf("upstream of %s at %s: %q, wanted %q", w.urn, w.at, got, w.want)
				}
			}
			s.versions()
			s.runs()
			s.profiles()
			s.firstWritten()
			s.inOrder()
			s.goesOn()
		})
	}
}

func openEmbedded(t *testing.T, now func() time.Time) graphstore.Store {
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func mart(name string) string { return warehouse("marts." + name) }

func warehouse(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics." + name + ",PROD)"
}

const boardPack = "urn:li:dataset:(urn:li:dataPlatform:s3,larkspur-lake/exports/board_pack,PROD)"

// timelines lists the lines of timelines that show events of the story. Other lines of the same
// timelines are not listed.
var timelines = []struct {
	urn, category string
	want          []string
}{
	{mart("delivery_times"), "TECHNICAL_SCHEMA", []string{"2026-10-13T03:00 omar.reyes: Column carrier was added"}},
	{mart("orders"), "TAG", []string{
		"2026-10-14T10:20 bela.norris: Tag urn:li:tag:Certified was added", "2026-11-13T11:30 mira.castel: Tag urn:li:tag:Finance was added",
	}},
	{mart("orders"), "TECHNICAL_SCHEMA", []string{
		"2026-10-20T03:00 omar.reyes: Column net_amount was renamed to net_revenue",
		"2026-11-11T03:00 omar.reyes: Column net_revenue was removed (run larkspur-nightly-2026-11-11, rolled back since)",
		"2026-11-11T09:42 ines.falk: Column net_revenue was added (rollback of run larkspur-nightly-2026-11-11)",
	}},
	{mart("orders"), "GLOSSARY_TERM", []string{"2026-10-21T13:45 mira.castel: Glossary term urn:li:glossaryTerm:NetRevenue was added"}},
	{mart("loyalty"), "OWNER", []string{
		"2026-10-06T03:00 omar.reyes: Owner urn:li:corpuser:noor.valdez (TECHNICAL_OWNER) was added",
		"2026-10-26T09:10 tessa.quill: Owner urn:li:corpuser:noor.valdez (TECHNICAL_OWNER) was removed",
		"2026-10-26T09:10 tessa.quill: Owner urn:li:corpuser:bela.norris (TECHNICAL_OWNER) was added",
	}},
	{mart("loyalty"), "TAG", []string{"2026-10-30T15:30 jun.petrov: Tag urn:li:tag:Experimental was added"}},
	{mart("web_sessions"), "TECHNICAL_SCHEMA", []string{"2026-11-01T03:00 omar.reyes: Column searches was added"}},
	{warehouse("staging.stg_orders"), "TECHNICAL_SCHEMA", []string{"2026-11-08T03:00 omar.reyes: Column loaded_at was added"}},
	{mart("customers"), "TAG", []string{"2026-11-09T10:15 ada.wren: Tag urn:li:tag:PII was added"}},
	{mart("revenue_daily"), "DOCUMENTATION", []string{
		"2026-10-20T03:00 omar.reyes: The description in datasetProperties was changed from 'Revenue by day.' to 'Revenue by day; the monthly close reads this.'",
		"2026-11-11T09:42 ines.falk: The description in datasetProperties was changed from 'Copy for tests. Do not use.' to 'Revenue by day; the monthly close reads this.' (rollback of run larkspur-nightly-2026-11-11)",
	}},
	{mart("refund_rate"), "DEPRECATION", []string{"2026-11-12T14:05 piet.hollis: The entity was deprecated: 'Use margin_by_product, which has refunds in it.'"}},
}

// walks lists, for entities at moments, the entities one hop upstream. A walk at the moment of
// an event shows the state after the event.
var walks = []struct {
	urn, at string
	want    []string
}{
	{mart("margin_by_product"), "2026-10-05T12:00", nil},
	{mart("margin_by_product"), "2026-11-08T02:59", []string{"build_margin_by_product", "prices", "stg_order_lines", "stg_products"}},
	{mart("margin_by_product"), "2026-11-08T03:00", []string{"build_margin_by_product", "stg_order_lines", "stg_prices", "stg_products"}},
	{boardPack, "2026-10-28T12:00", []string{"print_pack", "revenue_daily"}},
	{boardPack, "2026-10-29T12:00", []string{"executive_summary", "export"}},
	{"urn:li:dashboard:(looker,campaigns)", "2026-11-02T12:00", nil},
	{"urn:li:dashboard:(looker,campaigns)", "2026-11-03T12:00", []string{"Return on spend", "Visits"}},
	{mart("revenue_daily"), "2026-11-11T02:00", []string{"build_revenue_daily", "orders"}},
	{mart("revenue_daily"), "2026-11-11T06:00", []string{"build_revenue_daily", "payments"}},
	{mart("revenue_daily"), "2026-11-11T09:42", []string{"build_revenue_daily", "orders"}},
}

// teller checks a catalog into which the story was loaded.
type teller struct {
	t *testing.T
	c *services.Services
	// log is the change log after the story.
	log []catalog.Change
}

func newTeller(t *testing.T, c *services.Services) teller {
	t.Helper()
	s := teller{t: t, c: c}
	for cursor := ""; ; {
		page, next, err := c.Changes(context.Background(), cursor, catalog.MaxChanges)
		s.failIf(err)
		if len(page) == 0 {
			return s
		}
		s.log, cursor = append(s.log, page...), next
	}
}

func (s teller) failIf(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// tells fails the test unless a timeline has the wanted events.
func (s teller) tells(urn, category string, want []string) {
	s.t.Helper()
	found, err := s.c.History.Timeline(context.Background(), history.TimelineRequest{URN: catalogtest.URN(urn), Categories: []string{category}, Start: 1})
	s.failIf(err)
	var lines []string
	for i := range found {
		for _, e := range found[i].ChangeEvents {
			lines = append(lines, moment(found[i].Timestamp)+" "+strings.TrimPrefix(found[i].Actor, "urn:li:corpuser:")+": "+e.Description)
		}
	}
	for _, line := range want {
		if !slices.Contains(lines, line) {
			s.t.Errorf("the timeline of %s does not have\n%s\nbut\n%s", urn, line, strings.Join(lines, "\n"))
		}
	}
}

const layout = "2006-01-02T15:04"

func moment(millis int64) string { return time.UnixMilli(millis).UTC().Format(layout) }

func (s teller) millis(moment string) int64 {
	at, err := time.Parse(layout, moment)
	s.failIf(err)
	return at.UnixMilli()
}

// upstream returns the names of the entities one hop upstream of an entity at a moment.
func (s teller) upstream(urn, at string) []string {
	s.t.Helper()
	found, err := s.c.Lineage.Of(context.Background(), lineage.Request{
		Walk: lineage.WalkQuery{URN: catalogtest.URN(urn), Direction: "UPSTREAM", MaxHops: 1, AsOf: s.millis(at)}, Count: 100,
	})
	s.failIf(err)
	var names []string
	for i := range found.Entities {
		names = append(names, found.Entities[i].Name)
	}
	slices.Sort(names)
	return names
}

// versions: former values can be read, and a rollback leaves no gap.
func (s teller) versions() {
	for version, column := range map[int64]string{1: "net_amount", 0: "net_revenue"} {
		found, err := s.c.Aspect(context.Background(), catalogtest.URN(mart("orders")), "schemaMetadata", version)
		s.failIf(err)
		if !strings.Contains(string(found.Value), `"`+column+`"`) {
			s.t.Errorf("version %d of the orders' schema has no column %s", version, column)
		}
	}
	if _, err := s.c.Aspect(context.Background(), catalogtest.URN(mart("orders")), "schemaMetadata", 2); catalog.CodeOf(err) != catalog.NotFound {
		s.t.Errorf("the orders have another version of their schema: %v", err)
	}
}

// runs: the list of runs has each run with the time of its last write, without the run that was
// rolled back.
func (s teller) runs() {
	runs, _, err := s.c.Removal.Runs(context.Background(), 0, 100, true)
	s.failIf(err)
	at := map[string]string{}
	for _, r := range runs {
		at[r.RunID] = moment(r.Timestamp)
	}
	for run, want := range map[string]string{
		"larkspur-setup": "2026-10-05T08:00", "larkspur-nightly-2026-10-06": "2026-10-06T03:00", "larkspur-nightly-2026-11-08": "2026-11-08T03:00",
		"larkspur-people-2026-10-23": "2026-10-23T17:00", "larkspur-curation": "2026-11-16T16:00", "larkspur-profiles-2026-11-20": "2026-11-20T04:00",
		"larkspur-nightly-2026-11-11": "",
	} {
		if at[run] != want {
			s.t.Errorf("the run %s wrote last at %q, wanted %q", run, at[run], want)
		}
	}
}

// profiles: each day from 10-05 to 11-19 has a profile.
func (s teller) profiles() {
	found, err := s.c.TimeSeries(context.Background(), read.TimeSeriesRequest{URN: catalogtest.URN(mart("orders")), Entity: "dataset", Aspect: "datasetProfile"})
	s.failIf(err)
	if len(found.Values) != 46 {
		s.t.Errorf("%d profiles of the orders", len(found.Values))
	}
}

// firstWritten: entities of the story are not older than their event, and entities that people
// removed are hidden.
func (s teller) firstWritten() {
	for urn, want := range map[string]string{
		"urn:li:dashboard:(looker,board)": "2026-10-06T03:00", "urn:li:dashboard:(looker,campaigns)": "2026-11-03T08:30",
		"urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_v2,PROD)": "2026-11-05T12:00", "urn:li:dataProduct:revenue": "2026-11-13T11:30",
	} {
		changes := s.changesOf(urn)
		if len(changes) == 0 || moment(changes[0].Time) != want {
			s.t.Errorf("%s was first written at %v, wanted %s", urn, changes, want)
		}
	}
	for urn, want := range map[string]string{
		"urn:li:corpuser:noor.valdez": "2026-10-23T17:00", "urn:li:dataJob:(urn:li:dataFlow:(airflow,board_pack,prod),print_pack)": "2026-10-29T03:00",
		warehouse("raw.employees"): "2026-11-16T16:00",
	} {
		changes := s.changesOf(urn)
		last := changes[len(changes)-1]
		if moment(last.Time) != want || last.Aspect != "status" || !strings.Contains(string(last.Value), "true") {
			s.t.Errorf("%s was not hidden at %s: %+v", urn, want, last)
		}
	}
}

func (s teller) changesOf(urn string) []*catalog.Change {
	var changes []*catalog.Change
	for i := range s.log {
		if s.log[i].URN == urn {
			changes = append(changes, &s.log[i])
		}
	}
	return changes
}

// inOrder: in the log, the times of the changes of an entity never decrease.
func (s teller) inOrder() {
	last, newest := map[string]int64{}, int64(0)
	for i := range s.log {
		c := &s.log[i]
		if c.Time < last[c.URN] {
			s.t.Errorf("a change of %s at %s follows one at %s", c.URN, moment(c.Time), moment(last[c.URN]))
		}
		last[c.URN], newest = c.Time, max(newest, c.Time)
	}
	if newest != s.millis("2026-11-20T04:00") {
		s.t.Errorf("the newest change was at %s", moment(newest))
	}
}

// goesOn: writes after the story get the machine's time.
func (s teller) goesOn() {
	_, err := s.c.Ingest(context.Background(), catalogtest.Proposal(write.Upsert, mart("orders"), "globalTags", `{"tags":[]}`), catalog.WriteOptions{})
	s.failIf(err)
	s.tells(mart("orders"), "TAG", []string{moment(today.UnixMilli()) + " __datahub_system: Tag urn:li:tag:Finance was removed"})
}

// TestPastIsNeverAhead: if the machine's clock is behind the story, no write gets a time in the
// future.
func TestPastIsNeverAhead(t *testing.T) {
	early := time.Date(2026, 10, 20, 12, 0, 0, 0, time.UTC)
	past := &sample.Past{Machine: func() time.Time { return early }}
	store := openEmbedded(t, past.Now)
	defer store.Close()
	c := services.New(services.Options{Store: store})
	if _, err := past.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	log := newTeller(t, c).log
	first, last := log[0].Time, log[len(log)-1].Time
	if moment(first) != "2026-10-05T08:00" || last != early.UnixMilli() {
		t.Errorf("from %s to %s", moment(first), moment(last))
	}
}

// TestStoryIsTold: the documentation lists each event with its moment.
func TestStoryIsTold(t *testing.T) {
	moments := sample.Moments()
	if !slices.IsSortedFunc(moments, strings.Compare) {
		t.Errorf("the events are not in order: %q", moments)
	}
	for file, form := range map[string]string{
		"sample.go": "01-02 15:04", filepath.Join(testservers.Root(), "docs", "sample.md"): "2006-01-02 15:04",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moments {
			at, err := time.Parse(layout, m)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), at.Format(form)) {
				t.Errorf("%s does not have the event of %s", file, m)
			}
		}
	}
}
