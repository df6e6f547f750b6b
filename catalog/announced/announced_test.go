package announced_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/model"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

const (
	pull = "https://git.example/larkspur/orders/pull/12"
	bo   = "urn:li:corpuser:bo"
	ben  = "urn:li:corpuser:ben"
)

func table(name string) string { return catalogtest.Dataset("postgres", "shop."+name, "PROD") }

func schema(columns ...string) string {
	var fields []string
	for _, c := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, c))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

// house is a catalog in which mart.a derives from orders.state, and bo follows mart.
type house struct{ *catalogtest.Harness }

func newHouse(t *testing.T, store graphstore.Store) house {
	t.Helper()
	h := house{catalogtest.HarnessOn(t, store)}
	h.Say(table("orders"), model.AspectSchemaMetadata, schema("id", "state", "note"))
	h.Say(table("mart"), model.AspectUpstreamLineage, fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED","auditStamp":%s}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,state)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,a)"]}]}`,
		table("orders"), catalogtest.Stamp, table("orders"), table("mart")))
	h.subscribe(bo, table("mart"))
	testclock.Forward(time.Hour) // so that the entities are not new
	h.settle()
	return h
}

func (h house) subscribe(actor, entity string, categories ...string) {
	h.T.Helper()
	if _, err := h.Feed.Subscribe(h.T.Context(), catalogtest.URN(actor), catalogtest.URN(entity), categories, false); err != nil {
		h.T.Fatal(err)
	}
}

func onStores(t *testing.T, test func(h house)) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) { test(newHouse(t, store)) })
}

// settle matches what has arrived, and fills the feeds, until both have every change of the log.
func (h house) settle() {
	h.T.Helper()
	stop := h.follow()
	defer stop()
	for _, name := range []string{announced.Follower, feed.Follower} { // the feeds tell what the matching writes
		testclock.Await(h.T, "the follower "+name+" has every change", func() bool {
			all, err := h.Delivery.Followers(context.Background())
			at := slices.IndexFunc(all, func(f delivery.Follower) bool { return f.Name == name })
			return err == nil && at >= 0 && all[at].Lag == 0
		})
	}
}

func (h house) follow() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := h.Announced.Run(ctx); err != nil {
			h.T.Error(err)
		}
	})
	running.Go(func() {
		if err := h.Delivery.Run(ctx, delivery.Worker{Name: feed.Follower, Wants: h.Feed.Wants, Deliver: h.Feed.Deliver}); err != nil {
			h.T.Error(err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

func draft(members ...announced.Member) *announced.Draft {
	d := &announced.Draft{PullRequest: pull, Author: "ada"}
	d.Changes, d.Certain = members, 1
	d.Exceptions = []announced.Exception{{Name: "Sales", Rule: "certain impact", Who: "cleo", Until: "2026-12-31", Reason: "It is shut down."}}
	return d
}

func dropped(tableName, column string) announced.Member {
	return announced.Member{Kind: change.ColumnDropped, Table: tableName, Column: column, Datasets: []string{table(tableName)}, Sure: 1}
}

func (h house) announce(d *announced.Draft) *announced.Change {
	h.T.Helper()
	made, err := h.Announced.Announce(h.T.Context(), d, catalogtest.ByAda.WithoutWait())
	if err != nil {
		h.T.Fatal(err)
	}
	return made
}

// told returns what the feed of an actor tells of announced changes, the newest first.
func (h house) told(ctx context.Context, actor string) []string {
	h.T.Helper()
	found, err := h.Feed.Feed(ctx, feed.Request{Actor: catalogtest.URN(actor), Count: limits.MaxFeedPage})
	if err != nil {
		h.T.Fatal(err)
	}
	told := []string{}
	for _, item := range found.Items {
		if item.Events[0].Category == "ANNOUNCED_CHANGE" {
			told = append(told, item.Summary)
		}
	}
	return told
}

func (h house) wantTold(actor string, want ...string) {
	h.T.Helper()
	if got := h.told(h.T.Context(), actor); !slices.Equal(got, append([]string{}, want...)) {
		h.T.Errorf("%s is told %q, want %q", actor, got, want)
	}
}

func (h house) list(r announced.Request) []announced.Change {
	h.T.Helper()
	if r.Count == 0 {
		r.Count = limits.AnnouncedPage
	}
	found, err := h.Announced.List(h.T.Context(), r)
	if err != nil {
		h.T.Fatal(err)
	}
	return found.Changes
}

func states(list []announced.Change) string {
	var all []string
	for i := range list {
		all = append(all, list[i].State)
	}
	return strings.Join(all, " ")
}

// TestArrives: an announced change is matched when it arrives, with the run that wrote it, and told to subscribers
// downstream; a change that nobody announced is told too.
func TestArrives(t *testing.T) {
	onStores(t, func(h house) {
		made := h.announce(draft(dropped("orders", "state"), dropped("orders", "never")))
		if made.State != announced.StateAnnounced || made.Title != "larkspur/orders 12" || made.Repository != "https://git.example/larkspur/orders" || made.Exceptions[0].Who != "cleo" || made.Created.Actor != catalogtest.Ada {
			h.T.Errorf("%+v", made)
		}
		h.subscribe(ben, table("orders"), "ANNOUNCED_CHANGE")
		h.settle()
		h.wantTold(bo)
		h.Run("nightly", table("orders"), model.AspectSchemaMetadata, schema("id", "note"))
		h.settle()
		h.wantTold(bo, "shop.orders: Column state was removed, as announced in "+pull+": affects 1 certainly of yours")
		h.wantTold(ben, "shop.orders: Column state was removed, as announced in "+pull)
		got, err := h.Announced.Get(h.T.Context(), catalogtest.URN(made.URN))
		if err != nil || got.State != announced.StatePartly || len(got.Changes[0].Arrivals) != 1 || len(got.Changes[1].Arrivals) != 0 {
			h.T.Fatalf("%+v, %v", got, err)
		}
		if a := got.Changes[0].Arrivals[0]; a.RunID != "nightly" || a.Dataset != table("orders") || a.Time == 0 || a.Description != "Column state was removed" || !strings.HasSuffix(a.Field, ",state)") {
			h.T.Errorf("%+v", a)
		}
		h.Run("nightly", table("orders"), model.AspectSchemaMetadata, schema("id"))
		h.settle()
		// of the columns from which the mart derives, only state is stated
		h.wantTold(bo, "shop.orders: Column note was removed, which nobody announced: affects 1 possibly of yours", "shop.orders: Column state was removed, as announced in "+pull+": affects 1 certainly of yours")
		h.wantTold(ben, "shop.orders: Column note was removed, which nobody announced", "shop.orders: Column state was removed, as announced in "+pull)
		all := h.list(announced.Request{})
		if states(all) != "UNANNOUNCED PARTLY_ARRIVED" || all[0].Title != "Column note was removed" || all[0].Changes[0].Arrivals[0].RunID != "nightly" {
			h.T.Errorf("%+v", all)
		}
		if some := h.list(announced.Request{States: []string{"unannounced"}}); len(some) != 1 {
			h.T.Errorf("%+v", some)
		}
		if some := h.list(announced.Request{Dataset: catalogtest.URN(table("mart"))}); len(some) != 0 {
			h.T.Errorf("%+v", some)
		}
		if some := h.list(announced.Request{Dataset: catalogtest.URN(table("orders")), PullRequest: pull}); len(some) != 1 || some[0].URN != made.URN {
			h.T.Errorf("%+v", some)
		}
	})
}

// TestNobodyAnnounces: in a catalog to which nobody has announced anything, nothing is recorded.
func TestNobodyAnnounces(t *testing.T) {
	onStores(t, func(h house) {
		h.Say(table("orders"), model.AspectSchemaMetadata, schema("id"))
		h.settle()
		h.wantTold(bo)
		if all := h.list(announced.Request{}); len(all) != 0 {
			h.T.Errorf("%+v", all)
		}
	})
}

// TestDeleted: the deletion of a dataset for good is one change; the loss of its columns is not told separately.
func TestDeleted(t *testing.T) {
	onStores(t, func(h house) {
		gone := announced.Member{Kind: change.TableRemoved, Table: "orders", Datasets: []string{table("orders")}}
		made := h.announce(draft(gone))
		h.Say(table("orders"), model.AspectStatus, `{"removed":true}`)
		h.settle()
		if _, err := h.Removal.Delete(h.T.Context(), catalogtest.URN(table("orders")), false, catalogtest.ByAda.WithoutWait()); err != nil {
			h.T.Fatal(err)
		}
		h.settle()
		if all := h.list(announced.Request{}); states(all) != "ARRIVED" || all[0].URN != made.URN {
			h.T.Errorf("%+v", all)
		}
		h.wantTold(bo, "shop.orders: The entity was soft-deleted, as announced in "+pull+": affects 1 certainly of yours")
	})
}

// TestAgain: a second announcement of a pull request replaces the promise of the first; parts that have arrived stay. A
// pull request that promises nothing any more is withdrawn.
func TestAgain(t *testing.T) {
	onStores(t, func(h house) {
		first := h.announce(draft(dropped("orders", "state"), dropped("orders", "note")))
		h.Say(table("orders"), model.AspectSchemaMetadata, schema("id", "note"))
		h.settle()
		testclock.Forward(time.Hour)
		second := h.announce(draft(dropped("orders", "state")))
		if second.URN != first.URN || second.State != announced.StateArrived || second.LastAnnounced == nil || second.Created != first.Created || second.ExpiresAt <= first.ExpiresAt {
			h.T.Errorf("%+v", second)
		}
		if _, err := h.Announced.Withdraw(h.T.Context(), catalogtest.URN(second.URN), "", catalogtest.ByAda.WithoutWait()); catalog.CodeOf(err) != catalog.Conflict {
			h.T.Errorf("one that has arrived: %v", err)
		}
		if third := h.announce(draft()); third.State != announced.StateWithdrawn || third.Reason == "" {
			h.T.Errorf("%+v", third)
		}
		other := draft(dropped("orders", "id"))
		other.Project = "sub"
		fourth := h.announce(other)
		if fourth.URN == first.URN || fourth.Title != "larkspur/orders 12 (sub)" {
			h.T.Errorf("%+v", fourth)
		}
		withdrawn, err := h.Announced.Withdraw(h.T.Context(), catalogtest.URN(fourth.URN), "closed", catalogtest.ByAda.WithoutWait())
		if err != nil || withdrawn.State != announced.StateWithdrawn || withdrawn.Reason != "closed" {
			h.T.Errorf("%+v, %v", withdrawn, err)
		}
		if nothing, err := h.Announced.Announce(h.T.Context(), &announced.Draft{PullRequest: pull + "3"}, catalogtest.ByAda.WithoutWait()); err != nil || nothing != nil {
			h.T.Errorf("%+v, %v", nothing, err)
		}
	})
}

// TestExpires: a change that has not arrived in time has expired, and is not matched any more.
func TestExpires(t *testing.T) {
	onStores(t, func(h house) {
		d := draft(dropped("orders", "state"))
		d.Days = 2
		made := h.announce(d)
		testclock.Forward(49 * time.Hour)
		if got, err := h.Announced.Get(h.T.Context(), catalogtest.URN(made.URN)); err != nil || got.State != announced.StateExpired {
			h.T.Errorf("%+v, %v", got, err)
		}
		h.Say(table("orders"), model.AspectSchemaMetadata, schema("id", "note"))
		h.settle()
		if all := h.list(announced.Request{}); states(all) != "UNANNOUNCED EXPIRED" {
			h.T.Errorf("%+v", all)
		}
		h.wantTold(bo, "shop.orders: Column state was removed, which nobody announced: affects 1 certainly of yours")
	})
}

// TestRefused: bad announcements are refused, and change nothing.
func TestRefused(t *testing.T) {
	h := newHouse(t, catalogtest.NewHarness(t).Store)
	ctx := t.Context()
	made := h.announce(draft(dropped("orders", "state")))
	long := strings.Repeat("x", limits.AnnouncedText+1)
	with := func(change func(d *announced.Draft)) *announced.Draft {
		d := draft(dropped("orders", "note"))
		change(d)
		return d
	}
	before := h.State()
	for name, test := range map[string]struct {
		draft *announced.Draft
		want  string
	}{
		"no address":     {with(func(d *announced.Draft) { d.PullRequest = "larkspur/orders#12" }), "pullRequest is the address"},
		"another scheme": {with(func(d *announced.Draft) { d.PullRequest = "javascript://x/alert" }), "pullRequest is the address"},
		"days":           {with(func(d *announced.Draft) { d.Days = limits.AnnouncedDays + 1 }), "1 to 365 days"},
		"a kind":         {with(func(d *announced.Draft) { d.Changes[0].Kind = "columnDroped" }), "did you mean columnDropped"},
		"no dataset":     {with(func(d *announced.Draft) { d.Changes[0].Datasets = nil }), "1 to 10 datasets"},
		"too many": {with(func(d *announced.Draft) {
			d.Changes[0].Datasets = slices.Repeat([]string{table("a")}, limits.AnnouncedDatasets+1)
		}), "1 to 10 datasets"},
		"no dataset's URN": {with(func(d *announced.Draft) { d.Changes[0].Datasets = []string{"urn:li:tag:a"} }), "urn:li:tag:a"},
		"sure":             {with(func(d *announced.Draft) { d.Changes[0].Sure = 2 }), "from 0 to 1"},
		"a text":           {with(func(d *announced.Draft) { d.Author = long }), "at most 2000 are allowed"},
		"a member's text":  {with(func(d *announced.Draft) { d.Changes[0].How = long }), "at most 2000 are allowed"},
		"an effect":        {with(func(d *announced.Draft) { d.Effects = []announced.Effect{{URN: "no"}} }), "no"},
		"an exception":     {with(func(d *announced.Draft) { d.Exceptions[0].Reason = long }), "at most 2000 are allowed"},
		"negative":         {with(func(d *announced.Draft) { d.Possible = -1 }), "not negative"},
		"members":          {with(func(d *announced.Draft) { d.Changes = slices.Repeat(d.Changes, limits.AnnouncedMembers+1) }), "at most 1000 changes"},
		"effects":          {with(func(d *announced.Draft) { d.Effects = make([]announced.Effect, limits.AnnouncedEffects+1) }), "at most 100 effects"},
	} {
		if _, err := h.Announced.Announce(ctx, test.draft, catalogtest.ByAda); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	if h.State() != before {
		t.Error("a refused announcement changed something")
	}
	stranger := requestinfo.WithCaller(ctx, requestinfo.Caller{Actor: "urn:li:corpuser:piet", Means: requestinfo.ByToken})
	if _, err := h.Announced.Announce(stranger, draft(dropped("orders", "state")), catalogtest.ByAda); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a stranger: %v", err)
	}
	if _, err := h.Announced.Withdraw(stranger, catalogtest.URN(made.URN), "", catalogtest.ByAda.WithoutWait()); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("a stranger withdraws: %v", err)
	}
	if _, err := h.Announced.Withdraw(ctx, catalogtest.URN("urn:li:announcedChange:none"), "", catalogtest.ByAda.WithoutWait()); catalog.CodeOf(err) != catalog.NotFound {
		t.Errorf("nothing: %v", err)
	}
	if _, err := h.Announced.Get(ctx, catalogtest.URN("urn:li:tag:none")); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a tag: %v", err)
	}
	if _, err := h.Announced.List(ctx, announced.Request{Count: limits.AnnouncedPage + 1}); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a long page: %v", err)
	}
	if _, err := h.Announced.List(ctx, announced.Request{Count: 1, States: []string{"arived"}}); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "did you mean ARRIVED?") {
		t.Errorf("a state: %v", err)
	}
	fits := with(func(d *announced.Draft) {
		d.PullRequest, d.Author, d.Days = pull+"4", long[1:], limits.AnnouncedDays
		d.Effects = make([]announced.Effect, limits.AnnouncedEffects)
		d.Changes = nil
		for i := range limits.AnnouncedMembers {
			d.Changes = append(d.Changes, dropped("orders", fmt.Sprint("c", i)))
		}
		d.Changes[0].Datasets = nil
		for i := range limits.AnnouncedDatasets {
			d.Changes[0].Datasets = append(d.Changes[0].Datasets, table(fmt.Sprint("t", i)))
		}
	})
	if made := h.announce(fits); len(made.Changes) != limits.AnnouncedMembers {
		t.Error(len(made.Changes))
	}
}

// TestKinds: the names of kinds are those of package change.
func TestKinds(t *testing.T) {
	want := []string{change.TableRemoved, change.ColumnDropped, change.ColumnRenamed, change.ColumnRetyped, change.Nullability, change.LineageLost, change.MeaningChanged, change.RowsChanged}
	if !slices.Equal(announced.Kinds(), want) {
		t.Errorf("%v, want %v", announced.Kinds(), want)
	}
}

// crowded is a store that claims to have many announced changes, and remembers how many edges were asked for.
type crowded struct {
	announced.Store
	total int64
	asked int
}

func (c *crowded) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	urns, total, err := c.Store.ListEntities(ctx, entityType, page)
	return urns, max(total, c.total), err
}

func (c *crowded) Edges(ctx context.Context, q graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	c.asked = q.Count
	return c.Store.Edges(ctx, q)
}

// TestRoom: a catalog keeps limits.AnnouncedChanges. The oldest changes that nobody announced make room for new ones;
// if there are none, one more change is refused. At most limits.AnnouncedOfTable announcements about a table are read.
func TestRoom(t *testing.T) {
	h := newHouse(t, catalogtest.NewHarness(t).Store)
	h.announce(draft(dropped("orders", "state")))
	full := &crowded{Store: h.Announced.Store, total: limits.AnnouncedChanges}
	h.Announced.Store = full
	other := draft(dropped("orders", "note"))
	other.Project = "sub"
	if _, err := h.Announced.Announce(t.Context(), other, catalogtest.ByAda.WithoutWait()); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), "has 10000 announced changes") {
		t.Errorf("%v", err)
	}
	full.total--
	h.announce(other)
	h.Say(table("orders"), model.AspectSchemaMetadata, schema("state", "note"))
	h.settle()
	if full.asked != limits.AnnouncedOfTable {
		t.Errorf("%d announcements of a table are read", full.asked)
	}
	if all := h.list(announced.Request{States: []string{announced.StateUnannounced}}); len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	full.total++
	other.Project = "sub2"
	h.announce(other)
	if all := h.list(announced.Request{States: []string{announced.StateUnannounced}}); len(all) != 0 {
		t.Errorf("the oldest unannounced change stays: %+v", all)
	}
}
