package feed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

const (
	bo    = "urn:li:corpuser:bo"
	cy    = "urn:li:corpuser:cy"
	group = "urn:li:corpGroup:sales"
)

// reader delivers the log to the feeds, as a follower does.
type reader struct {
	*catalogtest.Harness
	cursor string
}

func newReader(t *testing.T, store graphstore.Store) *reader {
	t.Helper()
	return &reader{Harness: &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t}}
}

// follow delivers the changes since the last call, if the feeds want them. follow delivers them
// twice, as after a crash.
func (r *reader) follow() {
	r.T.Helper()
	ctx := context.Background()
	for {
		heads, next, err := r.FollowChangeHeads(ctx, r.cursor, catalog.MaxChanges, 0)
		if err != nil {
			r.T.Fatal(err)
		}
		if len(heads) == 0 {
			return
		}
		wanted, err := r.Feed.Wants(ctx, heads)
		if err != nil {
			r.T.Fatal(err)
		}
		if wanted {
			var changes []catalog.Change
			if changes, next, err = r.Changes(ctx, r.cursor, catalog.MaxChanges); err != nil {
				r.T.Fatal(err)
			}
			for range 2 {
				if err := r.Feed.Deliver(ctx, changes); err != nil {
					r.T.Fatal(err)
				}
			}
		}
		r.cursor = next
	}
}

// Say writes an aspect at a moment of its own.
func (r *reader) Say(urn, aspect, value string) {
	r.T.Helper()
	r.Harness.Say(urn, aspect, value)
	catalogtest.Past(r.T)
}

func (r *reader) items(actor string, since int64) []feed.Item {
	r.T.Helper()
	found, err := r.Feed.Feed(context.Background(), feed.Request{Actor: catalogtest.URN(actor), From: since, Count: limits.MaxFeedPage})
	if err != nil {
		r.T.Fatal(err)
	}
	return found.Items
}

// told returns the items of a feed since a moment as text.
func (r *reader) told(actor string, since int64) []string {
	r.T.Helper()
	list := []string{}
	for _, item := range r.items(actor, since) {
		said := short(item.Entity) + ":"
		for i := range item.Events {
			said += " " + item.Events[i].Category + " " + item.Events[i].Operation
		}
		for _, a := range item.Affected {
			said += fmt.Sprintf("; %s %s %s %d %s", a.Because, short(a.URN), a.Effect, a.Degree, strings.Join(shortened(a.Path), ">"))
		}
		list = append(list, said)
	}
	return list
}

func shortened(urns []string) []string {
	list := make([]string, len(urns))
	for i, urn := range urns {
		list[i] = short(urn)
	}
	return list
}

// short returns the name of an entity; for a column, with the name of its table.
func short(urn string) string {
	for _, part := range []string{"urn:li:dataset:(urn:li:dataPlatform:", "urn:li:schemaField:(", ",PROD)", "urn:li:", ")"} {
		urn = strings.ReplaceAll(urn, part, "")
	}
	return strings.ReplaceAll(urn, "hive,db.", "")
}

func (r *reader) want(what, actor string, since int64, wanted ...string) {
	r.T.Helper()
	if got := r.told(actor, since); !slices.Equal(got, wanted) {
		r.T.Errorf("%s:\n got %q\nwant %q", what, got, wanted)
	}
}

func owned(urn ...string) string {
	for i := range urn {
		urn[i] = `{"owner":"` + urn[i] + `","type":"TECHNICAL_OWNER"}`
	}
	return `{"owners":[` + strings.Join(urn, ",") + `],"lastModified":` + catalogtest.Stamp + `}`
}

func table(name string) string { return catalogtest.Dataset("hive", "db."+name, "PROD") }

func schema(columns ...string) string {
	for i, path := range columns {
		columns[i] = fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, path)
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[` + strings.Join(columns, ",") + `]}`
}

// derives returns lineage from a table, and between columns if they are given.
func derives(from string, columns ...string) string {
	fine := ""
	if len(columns) > 0 {
		fine = fmt.Sprintf(`,"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}]`, columns[0], columns[1])
	}
	return fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED"}]%s}`, from, fine)
}

// newWarehouse writes two ways of lineage: raw → clean → mart with columns, and clean →
// report without columns. Bo owns mart. A group with the member Cy owns report.
func newWarehouse(t *testing.T, store graphstore.Store) *reader {
	t.Helper()
	r := newReader(t, store)
	column := catalogtest.ColumnOf
	r.Say(table("raw"), "schemaMetadata", schema("a", "b"))
	r.Say(table("clean"), "schemaMetadata", schema("a"))
	r.Say(table("clean"), "upstreamLineage", derives(table("raw"), column(table("raw"), "a"), column(table("clean"), "a")))
	r.Say(table("mart"), "upstreamLineage", derives(table("clean"), column(table("clean"), "a"), column(table("mart"), "total")))
	r.Say(table("report"), "upstreamLineage", derives(table("clean")))
	r.Say(table("mart"), "ownership", owned(bo))
	r.Say(table("report"), "ownership", owned(group))
	r.Say(cy, "groupMembership", `{"groups":["`+group+`"]}`)
	r.follow()
	return r
}

// TestDroppedColumn: when a column is dropped, the owner of an entity two hops downstream is
// told. The effect is certain and has a path if column lineage leads to the entity, or to a
// table that fails before it. The effect is possible if the SQL of the table in between may
// read the column.
func TestDroppedColumn(t *testing.T) {
	check := func(t *testing.T, store graphstore.Store) {
		r := newWarehouse(t, store)
		for _, actor := range []string{bo, cy} {
			r.want("how it was loaded", actor, 0)
		}
		since := catalogtest.Past(t)
		r.Say(table("raw"), "schemaMetadata", schema("b"))
		r.follow()
		r.want("certain", bo, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER mart certain 2 raw,a>clean,a>mart,total")
		r.want("behind what fails", cy, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER report certain 2 raw,a>clean>report")
		items := r.items(bo, since)
		if len(items) != 1 || items[0].Summary != "Column a was removed: affects 1 certainly of yours" || !slices.Equal(items[0].Affected[0].Columns, []string{"total"}) ||
			items[0].Certain != 1 || items[0].Possible != 0 || items[0].ChangedBy != catalogtest.Ada {
			t.Errorf("%+v", items)
		}

		since = catalogtest.Past(t)
		r.Say(table("raw"), "schemaMetadata", schema("b", "c"))
		r.Say(table("raw"), "schemaMetadata", schema("c"))
		r.follow()
		r.want("a column that may be joined on", bo, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER mart possible 2 raw>clean>mart")
		r.want("behind what may fail", cy, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER report possible 2 raw>clean>report")
		r.Say(table("clean"), "viewProperties", `{"materialized":false,"viewLanguage":"SQL","viewLogic":"select a from db.raw"}`)
		r.Say(table("raw"), "schemaMetadata", schema("c", "d"))
		since = catalogtest.Past(t)
		r.Say(table("raw"), "schemaMetadata", schema("c"))
		r.follow()
		r.want("a column that the SQL does not name", bo, since)
		r.want("nor what stands behind it", cy, since)

		since = catalogtest.Past(t)
		testclock.Forward(time.Hour) // clean is not new any more
		r.Say(table("clean"), "status", `{"removed":true}`)
		r.follow()
		r.want("soft-deleted", bo, since, "clean: LIFECYCLE SOFT_DELETE; OWNER mart certain 1 clean>mart")
		r.Say(table("clean"), "ownership", owned("urn:li:corpuser:dee"))
		r.follow()
		since = catalogtest.Past(t)
		if _, err := r.DeleteEntities(context.Background(), catalogtest.URNs(table("clean")), false, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		r.follow()
		r.want("deleted", bo, since, "clean: LIFECYCLE HARD_DELETE; OWNER mart certain 1 clean>mart")
		r.want("deleted, to who owned it", "urn:li:corpuser:dee", since, "clean: LIFECYCLE HARD_DELETE; OWNER clean certain 0 clean")
	}
	if testsize.Of(0, 1) == 0 { // this test alone would start a Neo4j, so only make soak runs it there
		check(t, catalogtest.NewHarness(t).Store)
		return
	}
	catalogtest.EmptyStores(t, check)
}

// TestOutputsOfADeletedJob: only the job states its outputs, and after its deletion no aspect
// states them. The owners of the outputs, and of the entities that derive from the outputs, are
// told of the deletion.
func TestOutputsOfADeletedJob(t *testing.T) {
	r := newReader(t, catalogtest.NewHarness(t).Store)
	const job, short = "urn:li:dataJob:(urn:li:dataFlow:(airflow,nightly,PROD),load)", "dataJob:(dataFlow:(airflow,nightly,load"
	r.Say(job, "dataJobInfo", `{"name":"load","type":{"string":"SPARK"}}`)
	r.Say(job, "dataJobInputOutput", fmt.Sprintf(`{"inputDatasets":[],"outputDatasets":[%q]}`, table("clean")))
	r.Say(table("clean"), "ownership", owned(cy))
	r.Say(table("mart"), "ownership", owned(bo))
	r.Say(table("mart"), "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"COPY"}]}`, table("clean")))
	r.follow()
	testclock.Forward(time.Hour)
	since := catalogtest.Past(t)
	if _, err := r.DeleteEntities(context.Background(), catalogtest.URNs(job), false, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.follow()
	r.want("the owner of the output", cy, since, short+": LIFECYCLE HARD_DELETE; OWNER clean certain 1 "+short+">clean")
	r.want("the owner of what is made from it", bo, since, short+": LIFECYCLE HARD_DELETE; OWNER mart certain 2 "+short+">clean>mart")
}

func newEmbedded(t *testing.T) *reader {
	t.Helper()
	h := catalogtest.NewHarness(t)
	r := newWarehouse(t, h.Store)
	r.Store = h.Store
	return r
}

// TestDirectChanges: owners and subscribers are told of changes of an entity itself. They are
// told of changes that may break it unless the subscription is direct.
func TestDirectChanges(t *testing.T) {
	r := newEmbedded(t)
	testclock.Forward(time.Hour)
	subscribe := func(want catalog.Code, actor, entity string, direct bool, categories ...string) {
		t.Helper()
		_, err := r.Feed.Subscribe(context.Background(), catalogtest.URN(actor), catalogtest.URN(entity), categories, direct)
		r.Want(want, err)
	}
	const dee, eve = "urn:li:corpuser:dee", "urn:li:corpuser:eve"
	subscribe("", dee, table("clean"), false)
	subscribe("", eve, table("clean"), true, "TAG", "LIFECYCLE", "TAG")
	subscribe(catalog.NotFound, dee, table("none"), false)
	subscribe(catalog.Invalid, dee, table("clean"), false, "TAGS")
	subscribe(catalog.Invalid, table("raw"), table("clean"), false)

	since := catalogtest.Past(t)
	r.Say(table("clean"), "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	r.Say(table("clean"), "editableDatasetProperties", `{"description":"d"}`)
	r.Say(table("mart"), "globalTags", `{"tags":[{"tag":"urn:li:tag:pii"}]}`)
	r.follow()
	r.want("all categories", dee, since, "clean: DOCUMENTATION ADD; SUBSCRIPTION clean certain 0 clean", "clean: TAG ADD; SUBSCRIPTION clean certain 0 clean")
	r.want("some categories", eve, since, "clean: TAG ADD; SUBSCRIPTION clean certain 0 clean")
	r.want("an owner, of the own table only", bo, since, "mart: TAG ADD; OWNER mart certain 0 mart")
	if items := r.items(bo, since); items[0].Summary != "Tag urn:li:tag:pii was added" {
		t.Errorf("summary %q", items[0].Summary)
	}

	since = catalogtest.Past(t)
	r.Say(table("raw"), "deprecation", `{"deprecated":true,"note":"","actor":"`+catalogtest.Ada+`"}`)
	r.Say(table("raw"), "status", `{"removed":true}`)
	r.Say(table("mart"), "ownership", owned(cy))
	r.follow()
	r.want("upstream", dee, since, "raw: LIFECYCLE SOFT_DELETE; SUBSCRIPTION clean certain 1 raw>clean", "raw: DEPRECATION MODIFY; SUBSCRIPTION clean certain 1 raw>clean")
	r.want("not upstream", eve, since)
	r.want("an owner no more", bo, since, "mart: OWNER REMOVE OWNER ADD; OWNER mart certain 0 mart",
		"raw: LIFECYCLE SOFT_DELETE; OWNER mart certain 2 raw>clean>mart", "raw: DEPRECATION MODIFY; OWNER mart certain 2 raw>clean>mart")

	r.Say(table("mart"), "ownership", owned(cy, bo, dee))
	r.follow()
	since = catalogtest.Past(t)
	r.Say(table("mart"), "ownership", owned(cy))
	r.follow()
	for _, actor := range []string{bo, dee, cy} {
		r.want("each owner who is none any more", actor, since, "mart: OWNER REMOVE OWNER REMOVE; OWNER mart certain 0 mart")
	}

	since = catalogtest.Past(t)
	r.Say("urn:li:assertion:a", "assertionRunEvent", `{"timestampMillis":1,"status":"COMPLETE","runId":"r","assertionUrn":"urn:li:assertion:a","asserteeUrn":"`+table("clean")+`","result":{"type":"FAILURE"}}`)
	r.Say(table("report"), "upstreamLineage", `{"upstreams":[]}`)
	r.follow()
	r.want("an assertion failed", cy, since, "report: LINEAGE REMOVE; OWNER report certain 0 report", "assertion:a: RUN COMPLETED; OWNER mart certain 1 clean>mart; OWNER report certain 1 clean>report")
	r.want("of the dataset followed", dee, since, "assertion:a: RUN COMPLETED; SUBSCRIPTION clean certain 0 clean")

	r.Want("", r.Feed.Unsubscribe(context.Background(), catalogtest.URN(dee), catalogtest.URN(table("clean"))))
	r.Want(catalog.NotFound, r.Feed.Unsubscribe(context.Background(), catalogtest.URN(dee), catalogtest.URN(table("clean"))))
	since = catalogtest.Past(t)
	r.Say(table("clean"), "globalTags", `{"tags":[]}`)
	r.follow()
	r.want("no subscription any more", dee, since)
	list, err := r.Feed.Subscriptions(context.Background(), catalogtest.URN(eve))
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Categories, []string{"LIFECYCLE", "TAG"}) || !list[0].Direct {
		t.Errorf("subscriptions %+v %v", list, err)
	}
}

// TestLoading: the loading of entities is no news: nothing is read or written for it.
func TestLoading(t *testing.T) {
	h := catalogtest.NewHarness(t)
	store := &counting{Store: h.Store}
	r := newReader(t, store)
	for i := range 50 {
		r.Say(table(fmt.Sprint("t", i)), "schemaMetadata", schema("a", "b"))
		r.Say(table(fmt.Sprint("t", i)), "ownership", owned(bo))
	}
	changes := r.Logged()
	heads, _, err := r.FollowChangeHeads(context.Background(), "", catalog.MaxChanges, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]catalog.ChangeHead{heads[:77], heads[77:]} {
		if wanted, err := r.Feed.Wants(context.Background(), part); wanted || err != nil {
			t.Errorf("the values of a load are wanted: %v, %v", wanted, err)
		}
	}
	store.reads, store.writes = 0, 0
	if err := r.Feed.Deliver(context.Background(), changes); err != nil {
		t.Fatal(err)
	}
	if store.reads > 0 || store.writes > 0 {
		t.Errorf("%d reads, %d writes", store.reads, store.writes)
	}
	later := slices.DeleteFunc(changes, func(c catalog.Change) bool { return c.Aspect == "datasetKey" })
	another := newReader(t, store) // a server that has not seen how the entity began
	if err := another.Feed.Deliver(context.Background(), later); err != nil {
		t.Fatal(err)
	}
	if store.reads > 2 || store.writes > 0 {
		t.Errorf("the rest of a load: %d reads, %d writes", store.reads, store.writes)
	}
	r.want("a load", bo, 0)
}

// counting is a store that counts the reads and writes of feeds.
type counting struct {
	graphstore.Store
	reads, writes int
}

func (c *counting) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	c.reads++
	return c.Store.Edges(ctx, q)
}

func (c *counting) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	c.reads++
	return c.Store.LatestAspects(ctx, urns, names)
}

func (c *counting) PutRecord(ctx context.Context, name string, value json.RawMessage, revision string) (string, error) {
	c.writes++
	return c.Store.PutRecord(ctx, name, value, revision)
}

// TestUnsent: items that still have to be sent are kept longer.
func TestUnsent(t *testing.T) {
	r := newEmbedded(t)
	testclock.Forward(time.Hour)
	r.Say(table("mart"), "editableDatasetProperties", `{"description":"d"}`)
	changes := r.Logged()
	last := changes[len(changes)-1]
	const sent, beyond = 50, 150
	r.Feed.KeepUnsent(func(context.Context, string) ([]string, error) { return []string{fmt.Sprintf("%d.1", sent)}, nil })
	var many []catalog.Change
	for i := range limits.MaxFeedItems + beyond {
		one := last
		one.Cursor, one.Time = fmt.Sprintf("%d.1", i+1), last.Time+int64(i)
		many = append(many, one)
	}
	for part := range slices.Chunk(many, 100) {
		if err := r.Feed.Deliver(context.Background(), part); err != nil {
			t.Fatal(err)
		}
	}
	all, err := r.Store.ListRecords(context.Background(), "feed/", "", 2*limits.MaxFeedItems)
	if err != nil || len(all) < limits.MaxFeedItems+beyond-sent {
		t.Errorf("%d kept (%v)", len(all), err)
	}
	told, err := r.Feed.Told(context.Background(), []string{bo}, many[sent:])
	if err != nil {
		t.Fatal(err)
	}
	for i, items := range told {
		if len(items) != 1 || items[0].Time != many[sent+i].Time || items[0].Size == 0 {
			t.Fatalf("of change %d: %+v", sent+i, items)
		}
	}
	if told, err := r.Feed.Told(context.Background(), []string{bo}, many[:1]); err != nil || len(told[0]) != 0 {
		t.Errorf("what was sent is kept too: %+v (%v)", told, err)
	}
}

// TestToldElsewhere: the items of a change are known after any server has written the feeds up
// to the change, and not before.
func TestToldElsewhere(t *testing.T) {
	r := newEmbedded(t)
	r.Say(table("raw"), "schemaMetadata", schema("b"))
	changes := r.Logged()
	last := changes[len(changes)-1:]
	known := ""
	other := feed.New(feed.Options{
		Store: r.Store, Records: records.New(r.Store), Patience: time.Nanosecond,
		Position: func(context.Context) (string, bool, error) { return known, known != "", nil },
	})
	for _, known = range []string{"", changes[len(changes)-2].Cursor} {
		_, err := other.Told(t.Context(), []string{bo}, last)
		r.Want(catalog.Busy, err)
	}
	r.follow()
	known = last[0].Cursor
	told, err := other.Told(t.Context(), []string{cy, group, bo}, changes[len(changes)-2:])
	if err != nil || len(told) != 2 || len(told[0]) != 0 || len(told[1]) != 2 || told[1][0].Actor != group || told[1][1].Actor != bo {
		t.Errorf("%+v %v", told, err)
	}
}

// TestLongFeed: the oldest items are deleted, and pages are ordered by time.
func TestLongFeed(t *testing.T) {
	r := newEmbedded(t)
	testclock.Forward(time.Hour)
	r.Say(table("mart"), "editableDatasetProperties", `{"description":"d"}`)
	changes := r.Logged()
	last := changes[len(changes)-1]
	var many []catalog.Change
	for i := range limits.MaxFeedItems + 150 {
		one := last
		one.Cursor, one.Time = fmt.Sprint(i), last.Time+int64(i)
		many = append(many, one)
	}
	if err := r.Feed.Deliver(context.Background(), many); err != nil {
		t.Fatal(err)
	}
	left, err := r.Store.ListRecords(context.Background(), "feed/", "", 2*limits.MaxFeedItems)
	if err != nil || len(left) < limits.MaxFeedItems || len(left) > limits.MaxFeedItems+100 {
		t.Errorf("%d kept (%v)", len(left), err)
	}
	page, err := r.Feed.Feed(context.Background(), feed.Request{Actor: catalogtest.URN(bo), From: last.Time + 10, To: last.Time + limits.MaxFeedItems + 100, Count: 3})
	if err != nil || len(page.Items) != 3 || page.Items[0].Time != last.Time+limits.MaxFeedItems+100 || page.Items[2].Time != page.Items[0].Time-2 {
		t.Errorf("%+v %v", page, err)
	}
	for _, bad := range []feed.Request{{Count: 0}, {Count: limits.MaxFeedPage + 1}, {Count: 1, From: 2, To: 1}, {Count: 1, From: -1}} {
		bad.Actor = catalogtest.URN(bo)
		_, err := r.Feed.Feed(context.Background(), bad)
		r.Want(catalog.Invalid, err)
	}
}
