package derived_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/derived"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

func table(name string) string { return catalogtest.Dataset("postgres", "shop.public."+name, "PROD") }

func column(dataset, path string) string { return "urn:li:schemaField:(" + dataset + "," + path + ")" }

func schema(columns ...string) string {
	var fields []string
	for _, c := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, c))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func view(sql string) string {
	return fmt.Sprintf(`{"materialized":false,"viewLogic":%q,"viewLanguage":"SQL"}`, sql)
}

// house is a catalog whose lineage can be derived.
type house struct{ *catalogtest.Harness }

// run derives until the end of the change log, as a server does that is started and stopped.
func (h house) run(mode derived.Mode) {
	h.T.Helper()
	stop := h.start(mode)
	h.settle(mode)
	stop()
}

func (h house) start(mode derived.Mode) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := h.Derived.Run(ctx, mode); err != nil {
			h.T.Error(err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// settle waits until the whole catalog was gone through in a mode, and the follower has every change since.
func (h house) settle(mode derived.Mode) {
	h.T.Helper()
	var swept struct {
		Mode derived.Mode `json:"mode"`
		Done bool         `json:"done"`
	}
	testclock.Await(h.T, "the lineage is derived", func() bool {
		record, known, err := h.Store.Record(context.Background(), string(records.DerivedSweep))
		if err != nil || !known || json.Unmarshal(record.Value, &swept) != nil || !swept.Done || swept.Mode != mode {
			return false
		}
		all, err := h.Delivery.Followers(context.Background())
		at := slices.IndexFunc(all, func(f delivery.Follower) bool { return f.Name == derived.Follower })
		return err == nil && at >= 0 && all[at].Lag == 0
	})
}

// lineageOf returns the derived lineage of an entity: its tables, and its columns as "down < up, up (way)".
func (h house) lineageOf(urn string) []string {
	h.T.Helper()
	list := []string{}
	text := h.Value(urn, model.AspectDerivedLineage, 0)
	if text == "" {
		return list
	}
	value, err := jsontree.DecodeObject([]byte(text))
	if err != nil {
		h.T.Fatal(err)
	}
	for _, u := range jsontree.Items(value, "upstreams") {
		list = append(list, name(jsontree.Text(u, "dataset")))
	}
	for _, e := range jsontree.Items(value, "fineGrainedLineages") {
		list = append(list, names(jsontree.Texts(e, "downstreams"))+" < "+names(jsontree.Texts(e, "upstreams"))+" "+jsontree.Text(e, "transformOperation"))
	}
	return list
}

// name returns the short name of a table or a column.
func name(urn string) string {
	u := model.StoredURN(urn)
	if u.EntityType() == model.EntityQuery {
		return u.Key()
	}
	if u.EntityType() == model.EntitySchemaField {
		return name(u.Parts()[0]) + "." + u.Parts()[1]
	}
	return u.Parts()[1][strings.LastIndexByte(u.Parts()[1], '.')+1:]
}

func names(urns []string) string {
	var list []string
	for _, u := range urns {
		list = append(list, name(u))
	}
	return strings.Join(list, ",")
}

func (h house) want(urn string, want ...string) {
	h.T.Helper()
	if diff := cmp.Diff(append([]string{}, want...), h.lineageOf(urn)); diff != "" {
		h.T.Error(diff)
	}
}

func onStores(t *testing.T, test func(h house)) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		test(house{catalogtest.HarnessOn(t, store)})
	})
}

// TestDerives: lineage that no client has stated is derived from SQL, and marked as derived. It follows each change of
// the SQL, of the columns, and of the client's lineage, and is taken back when the client states it.
func TestDerives(t *testing.T) {
	onStores(t, func(h house) {
		orders, v := table("orders"), table("v")
		h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount", "state"))
		h.Say(v, model.AspectViewProperties, view("select o.id, sum(o.amount) as total from orders o where o.state = 'paid' group by o.id"))
		h.Say(v, model.AspectSchemaMetadata, schema("ID", "total"))
		h.run(derived.Mode{}) // the sweep
		filter, group := "v.ID,v.total < orders.state INDIRECT:FILTER", "v.ID,v.total < orders.id INDIRECT:GROUP_BY"
		h.want(v, "orders", "v.ID < orders.id DIRECT:IDENTITY", "v.total < orders.amount DIRECT:AGGREGATION", filter, group)
		h.derivedEdge(v, orders, true)

		// A client states a part: only the rest stays derived. A full write of the client loses nothing.
		stated := fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"VIEW","auditStamp":%s}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":[%q],"downstreamType":"FIELD","downstreams":[%q]}]}`,
			orders, catalogtest.Stamp, column(orders, "id"), column(v, "ID"))
		h.Say(v, model.AspectUpstreamLineage, stated)
		h.run(derived.Mode{})
		h.want(v, "v.total < orders.amount DIRECT:AGGREGATION", filter, "v.total < orders.id INDIRECT:GROUP_BY")
		h.derivedEdge(v, orders, false)
		if got := h.Value(v, model.AspectUpstreamLineage, 0); strings.Contains(got, "amount") || strings.Contains(got, "derived") {
			h.T.Errorf("the client's statement became %s", got)
		}

		// Other SQL: lineage that it no longer gives ends.
		h.Say(v, model.AspectViewProperties, view("select id, state as total from orders"))
		h.run(derived.Mode{})
		h.want(v, "v.total < orders.state DIRECT:IDENTITY")

		h.run(derived.Mode{Remove: true})
		h.want(v)
		h.run(derived.Mode{})
		h.want(v, "v.total < orders.state DIRECT:IDENTITY")
	})
}

// derivedEdge checks whether the edge to a table is told to be derived.
func (h house) derivedEdge(from, to string, want bool) {
	h.T.Helper()
	g, err := h.Relationships(context.Background(), read.RelationshipQuery{URN: catalogtest.URN(from), Direction: "OUTGOING", Types: []string{model.RelationshipDownstreamOf}, Count: 10, Provenance: true})
	if err != nil {
		h.T.Fatal(err)
	}
	g.Relationships = slices.DeleteFunc(g.Relationships, func(r read.Relationship) bool { return r.Entity != to })
	text := catalogtest.MustJSON(h.T, g)
	if !strings.Contains(text, to) || strings.Contains(text, `"derived":true`) != want {
		h.T.Errorf("derived %v: %s", want, text)
	}
}

// TestFollows: the lineage follows while a server runs, in whatever order tables and views come, and goes on where it
// stopped.
func TestFollows(t *testing.T) {
	onStores(t, func(h house) {
		v, w, orders := table("v"), table("w"), table("orders")
		stop := h.start(derived.Mode{})
		h.settle(derived.Mode{})
		h.Say(v, model.AspectViewProperties, view("create view v as select * from orders"))
		h.settle(derived.Mode{})
		h.want(v) // the table is not there yet
		h.Say(orders, model.AspectSchemaMetadata, schema("id"))
		h.settle(derived.Mode{})
		h.want(v, "orders", "v.id < orders.id DIRECT:IDENTITY")
		h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount"))
		h.settle(derived.Mode{})
		h.want(v, "orders", "v.id < orders.id DIRECT:IDENTITY", "v.amount < orders.amount DIRECT:IDENTITY")
		stop()
		h.Say(w, model.AspectViewProperties, view("select id from public.orders"))
		h.Say(v, model.AspectViewProperties, view("select amount from orders"))
		h.run(derived.Mode{})
		h.want(v, "orders", "v.amount < orders.amount DIRECT:IDENTITY")
		h.want(w, "orders", "w.id < orders.id DIRECT:IDENTITY")

		// After Forget, derived lineage stays, and the next start finds the changes since.
		h.Want("", h.Derived.Forget(context.Background()))
		h.want(w, "orders", "w.id < orders.id DIRECT:IDENTITY")
		h.Say(w, model.AspectViewProperties, view("select amount from public.orders"))
		h.run(derived.Mode{})
		h.want(w, "orders", "w.amount < orders.amount DIRECT:IDENTITY")
	})
}

// TestJobsAndQueries: the SQL of an OpenLineage job gives the job's column lineage, the SQL of a saved query gives the
// query's subjects, and the SQL of a dbt model gives lineage among the models of dbt.
func TestJobsAndQueries(t *testing.T) {
	h := house{catalogtest.NewHarness(t)}
	orders, report := table("orders"), table("report")
	h.Say(orders, model.AspectSchemaMetadata, schema("id", "amount"))
	h.Say(report, model.AspectSchemaMetadata, schema("total"))
	job := "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
	h.Say(job, model.AspectDataJobInfo, `{"name":"load","type":{"string":"COMMAND"},"customProperties":{"sql":"select sum(amount) as total from public.orders"}}`)
	h.Say(job, model.AspectDataJobInputOutput, fmt.Sprintf(`{"inputDatasets":[%q],"outputDatasets":[%q]}`, orders, report))
	query := "urn:li:query:q"
	h.Say(query, model.AspectQueryProperties, fmt.Sprintf(`{"statement":{"value":"select amount from orders","language":"SQL"},"source":"MANUAL","origin":%q,"created":%s,"lastModified":%[2]s}`, orders, catalogtest.Stamp))
	raw, modelled := catalogtest.Dataset("dbt", "shop.public.raw", "PROD"), catalogtest.Dataset("dbt", "shop.public.clean", "PROD")
	h.Say(raw, model.AspectSchemaMetadata, schema("a"))
	h.Say(modelled, model.AspectViewProperties, `{"materialized":true,"viewLogic":"select a from {{ ref('raw') }}","formattedViewLogic":"select upper(a) as b from \"shop\".\"public\".\"raw\"","viewLanguage":"SQL"}`)
	h.Say(modelled, model.AspectSiblings, fmt.Sprintf(`{"siblings":[%q],"primary":true}`, table("clean")))
	h.run(derived.Mode{})
	h.want(job, "report.total < orders.amount DIRECT:AGGREGATION")
	h.want(modelled, "raw", "clean.b < raw.a DIRECT:TRANSFORMATION")
	h.want(query, "q.amount < orders.amount DIRECT:IDENTITY")
	h.wantReached(column(query, "amount"), "orders.amount")
	observed := "urn:li:query:observed"
	h.Say(observed, model.AspectQueryProperties, fmt.Sprintf(`{"statement":{"value":"select amount from orders","language":"SQL"},"source":"SYSTEM","origin":%q,"created":%s,"lastModified":%[2]s}`, orders, catalogtest.Stamp))
	h.run(derived.Mode{})
	h.want(observed)
	if got := h.affected(column(orders, "amount")); !slices.Contains(got, "q") || slices.Contains(got, "observed") {
		t.Errorf("the loss of a column of a saved query affects %v", got)
	}
	var subjects struct{ Subjects []struct{ Entity string } }
	if err := json.Unmarshal([]byte(h.Value(query, model.AspectDerivedSubjects, 0)), &subjects); err != nil || len(subjects.Subjects) != 2 || subjects.Subjects[1].Entity != column(orders, "amount") {
		t.Errorf("subjects %v, %v", subjects, err)
	}
}

// TestTold: SQL that gives no lineage is counted, and keeps nothing else from being derived.
func TestTold(t *testing.T) {
	h := house{catalogtest.NewHarness(t)}
	h.Say(table("orders"), model.AspectSchemaMetadata, schema("id"))
	h.Say(table("a"), model.AspectViewProperties, view("select 1 from "+strings.Repeat("x", limits.MaxSQLBytes)))
	h.Say(table("b"), model.AspectViewProperties, view("select {{ column }} from orders"))
	h.Say(table("c"), model.AspectViewProperties, view("select id from orders"))
	h.Say(catalogtest.Dataset("nowhere", "d", "PROD"), model.AspectViewProperties, view("select id from orders"))
	h.run(derived.Mode{})
	h.want(table("c"), "orders", "c.id < orders.id DIRECT:IDENTITY")
	want := map[string]int64{"derived": 1, "not_understood": 2, "too_long": 1, "failed": 0, "none": 0}
	if diff := cmp.Diff(want, h.Derived.Counts()); diff != "" {
		t.Error(diff)
	}
}

// slowStore finds tables slowly: it notes how much time a search has, and a search for a table named slow takes all of it.
type slowStore struct {
	derived.Store
	left time.Duration
}

func (s *slowStore) Entities(ctx context.Context, urns []string) ([]graphstore.Entity, error) {
	if until, bounded := ctx.Deadline(); bounded {
		s.left = time.Until(until)
	}
	if strings.Contains(urns[0], "slow") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Store.Entities(ctx, urns)
}

// TestTakesTooLong: SQL that is not read in time is counted as too long, and the SQL after it is read.
func TestTakesTooLong(t *testing.T) {
	for _, patience := range []time.Duration{0, 100 * time.Millisecond} {
		h := house{catalogtest.NewHarness(t)}
		store := &slowStore{Store: h.Store}
		h.Derived = derived.New(derived.Options{
			Registry: h.Registry(), Store: store, Writer: h.Writer, Log: h.Log, Followers: h.Delivery, Records: records.New(h.Store),
			Logger: slog.New(slog.DiscardHandler), Parser: testsql.Parser(), Patience: patience,
		})
		h.Say(table("orders"), model.AspectSchemaMetadata, schema("id"))
		if patience > 0 {
			h.Say(table("a"), model.AspectViewProperties, view("select id from slow"))
		}
		h.Say(table("b"), model.AspectViewProperties, view("select id from orders"))
		h.run(derived.Mode{})
		h.want(table("b"), "orders", "b.id < orders.id DIRECT:IDENTITY")
		switch {
		case patience == 0 && (store.left > limits.SQLDeriveTime || store.left < limits.SQLDeriveTime/2):
			t.Errorf("a text has %v", store.left)
		case patience > 0 && h.Derived.Counts()["too_long"] != 1:
			t.Errorf("outcomes %v", h.Derived.Counts())
		}
	}
}

// TestStoreFails: a write that failed is tried again, and an entity that was deleted meanwhile does not come back.
func TestStoreFails(t *testing.T) {
	h := house{catalogtest.NewHarness(t)}
	v := table("v")
	h.Say(table("orders"), model.AspectSchemaMetadata, schema("id"))
	h.Say(v, model.AspectViewProperties, view("select id from orders"))
	h.Store.FailUpdateAt = h.Store.Updates.Load() + 1
	h.run(derived.Mode{})
	h.want(v, "orders", "v.id < orders.id DIRECT:IDENTITY")
	if _, err := h.Removal.Delete(context.Background(), catalogtest.URN(v), false, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.run(derived.Mode{})
	h.want(v)
}
