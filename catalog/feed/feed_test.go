package feed_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testclock"
)

const (
	bo    = "urn:li:corpuser:bo"
	cy    = "urn:li:corpuser:cy"
	group = "urn:li:corpGroup:sales"
)

// reader delivers the log to feeds, as a follower of it.
type reader struct {
	*catalogtest.Harness
	cursor string
}

func newReader(t *testing.T, store graphstore.Store) *reader {
	t.Helper()
	return &reader{Harness: &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t}}
}

// follow delivers what was written since, twice: as after a crash.
func (r *reader) follow() {
	r.T.Helper()
	for {
		changes, next, err := r.Changes(context.Background(), r.cursor, catalog.MaxChanges)
		if err != nil {
			r.T.Fatal(err)
		}
		if len(changes) == 0 {
			return
		}
		for range 2 {
			if err := r.Feed.Deliver(context.Background(), changes); err != nil {
				r.T.Fatal(err)
			}
		}
		r.cursor = next
	}
}

func (r *reader) items(actor string, since int64) []feed.Item {
	r.T.Helper()
	found, err := r.Feed.Feed(context.Background(), feed.Request{Actor: catalogtest.URN(actor), From: since, Count: limits.MaxFeedPage})
	if err != nil {
		r.T.Fatal(err)
	}
	return found.Items
}

// told is what a feed tells since a moment, in words.
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

// short is the name of an entity, or of a column with that of its table.
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

// derives is lineage from a table, and between columns if they are given.
func derives(from string, columns ...string) string {
	fine := ""
	if len(columns) > 0 {
		fine = fmt.Sprintf(`,"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}]`, columns[0], columns[1])
	}
	return fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED"}]%s}`, from, fine)
}

// newWarehouse is raw → clean → mart by columns, and clean → report of which nothing
// states the columns. Bo owns mart, the group, of which Cy is, owns the report.
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

// TestDroppedColumn: dropping a column upstream tells the owner of what is two hops
// downstream: certain with the path, or possible if only tables are known to derive.
func TestDroppedColumn(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		r := newWarehouse(t, store)
		for _, actor := range []string{bo, cy} {
			r.want("how it was loaded", actor, 0)
		}
		since := catalogtest.Past(t)
		r.Say(table("raw"), "schemaMetadata", schema("b"))
		r.follow()
		r.want("certain", bo, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER mart certain 2 raw,a>clean,a>mart,total")
		r.want("possible", cy, since, "raw: TECHNICAL_SCHEMA REMOVE; OWNER report possible 2 raw>clean>report")
		items := r.items(bo, since)
		if len(items) != 1 || items[0].Summary != "Column a was removed: affects 1 certainly of yours" || !slices.Equal(items[0].Affected[0].Columns, []string{"total"}) ||
			items[0].Certain != 1 || items[0].Possible != 0 || items[0].ChangedBy != catalogtest.Ada {
			t.Errorf("%+v", items)
		}

		since = catalogtest.Past(t)
		r.Say(table("raw"), "schemaMetadata", schema("b", "c"))
		r.Say(table("raw"), "schemaMetadata", schema("c"))
		r.follow()
		r.want("a column that nothing derives from", bo, since)
		r.want("nor states that it does not", cy, since)

		since = catalogtest.Past(t)
		testclock.Forward(time.Hour) // it is not new any more
		r.Say(table("clean"), "status", `{"removed":true}`)
		r.follow()
		r.want("soft-deleted", bo, since, "clean: LIFECYCLE SOFT_DELETE; OWNER mart certain 1 clean>mart")
		since = catalogtest.Past(t)
		if _, err := r.DeleteEntities(context.Background(), catalogtest.URNs(table("clean")), false, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		r.follow()
		r.want("deleted", bo, since, "clean: LIFECYCLE HARD_DELETE; OWNER mart certain 1 clean>mart")
	})
}
