package quality_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/quality"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

const (
	orders  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,quality.orders,PROD)"
	modelOf = "urn:li:dataset:(urn:li:dataPlatform:dbt,quality.orders,PROD)"
	email   = "urn:li:schemaField:(" + orders + ",email)"
)

// checked makes a catalog with a table that has checks, and with a dbt model of the table.
func checked(t *testing.T, store graphstore.Store) *catalogtest.Harness {
	h := &catalogtest.Harness{Services: services.New(services.Options{Store: store, Now: testclock.Now}), T: t}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	h.Say(orders, "datasetProperties", `{"name":"orders","customProperties":{},"lastModified":{"time":500,"actor":"urn:li:corpuser:ada"}}`)
	h.Say(orders, "siblings", `{"siblings":["`+modelOf+`"],"primary":false}`)
	h.Say(modelOf, "status", `{"removed":false}`)
	h.Say(orders, "operation", `{"timestampMillis":900,"lastUpdatedTimestamp":800,"operationType":"INSERT","numAffectedRows":0,"actor":"urn:li:corpuser:bob"}`)
	h.Say(orders, "operation", `{"timestampMillis":700,"lastUpdatedTimestamp":700,"operationType":"DELETE"}`)
	h.Say(orders, "datasetProfile", `{"timestampMillis":900,"rowCount":120,"columnCount":4}`)
	h.Say(modelOf, "datasetProfile", `{"timestampMillis":950,"rowCount":7}`)
	check := func(id, about, more string, results ...string) {
		h.Say("urn:li:assertion:"+id, "assertionInfo", `{"type":"DATASET","datasetAssertion":{"dataset":"`+about+`","scope":"DATASET_ROWS","operator":"_NATIVE_","nativeType":"`+id+`"`+more+`}}`)
		for i, result := range results {
			if result != "" {
				result = `{"type":"` + result + `","unexpectedCount":3}`
			} else {
				result = "null"
			}
			h.Say("urn:li:assertion:"+id, "assertionRunEvent", fmt.Sprintf(
				`{"timestampMillis":%d,"status":"COMPLETE","runId":"r%d","assertionUrn":"urn:li:assertion:%s","asserteeUrn":"%s","result":%s}`, 1000+i, i, id, about, result))
		}
	}
	check("passes", orders, "", "FAILURE", "SUCCESS")
	check("fails", orders, `,"fields":["`+email+`"]`, "SUCCESS", "FAILURE")
	check("runs_now", orders, "", "FAILURE", "INIT", "")
	check("never_ran", orders, "")
	check("breaks", modelOf, "", "ERROR")
	check("gone", orders, "", "FAILURE")
	h.Say("urn:li:assertion:gone", "status", `{"removed":true}`)
	h.Say("urn:li:incident:open", "incidentInfo", `{"type":"FIELD","title":"Mails are missing","entities":["`+orders+`"],"status":{"state":"ACTIVE","lastUpdated":`+catalogtest.Stamp+`},"created":{"time":40,"actor":"urn:li:corpuser:ada"}}`)
	h.Say("urn:li:incident:closed", "incidentInfo", `{"type":"FIELD","entities":["`+orders+`"],"status":{"state":"RESOLVED","lastUpdated":`+catalogtest.Stamp+`},"created":{"time":30,"actor":"urn:li:corpuser:ada"}}`)
	return h
}

// shown writes a state as lines of text.
func shown(s *quality.State) string {
	var b strings.Builder
	if u := s.Updated; u != nil {
		fmt.Fprintf(&b, "updated %d %s by %s", u.Time, u.Operation, u.Actor)
		if u.Rows != nil {
			fmt.Fprintf(&b, " rows %d", *u.Rows)
		}
		b.WriteByte('\n')
	}
	if p := s.Profile; p != nil {
		fmt.Fprintf(&b, "profile %d rows %d of %s\n", p.Time, *p.Rows, p.Of)
	}
	for _, one := range s.Series {
		fmt.Fprintf(&b, "series %s %d\n", one.Aspect, one.Time)
	}
	for i := range s.Assertions {
		a := &s.Assertions[i]
		fmt.Fprintf(&b, "%s: %s at %d %v\n", a.Name, a.Result.Result, a.Time, a.Figures)
	}
	fmt.Fprintf(&b, "%+v\n", s.Counts)
	for _, one := range s.Incidents {
		fmt.Fprintf(&b, "incident %s since %d\n", one.Title, one.Since)
	}
	for i := range s.Results {
		fmt.Fprintf(&b, "result %s at %d in %s\n", s.Results[i].Result, s.Results[i].Time, s.Results[i].Run)
	}
	return b.String()
}

func TestState(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := checked(t, store)
		of := func(urn string) string {
			t.Helper()
			s, err := h.Quality.Of(context.Background(), model.StoredURN(urn), 0)
			if err != nil {
				t.Fatal(urn, err)
			}
			return shown(s)
		}
		// The last change is the change with the newest data. An assertion that is running
		// keeps its last result. The results of the assertions about the dbt model belong to
		// the table too.
		want := `updated 800 INSERT by urn:li:corpuser:bob rows 0
profile 900 rows 120 of 
series datasetProfile 900
series operation 900
fails orders.email: FAILURE at 1001 [unexpectedCount=3]
runs_now orders: FAILURE at 1000 [unexpectedCount=3]
breaks orders: ERROR at 1000 [unexpectedCount=3]
never_ran orders:  at 0 []
passes orders: SUCCESS at 1001 [unexpectedCount=3]
{Passed:1 Failed:2 Errors:1 Never:1}
incident Mails are missing since 40
`
		if diff := cmp.Diff(want, of(orders)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff("fails orders.email: FAILURE at 1001 [unexpectedCount=3]\n{Passed:0 Failed:1 Errors:0 Never:0}\n", of(email)); diff != "" {
			t.Error("a column:", diff)
		}
		want = `series assertionRunEvent 1001
passes orders: SUCCESS at 1001 [unexpectedCount=3]
{Passed:1 Failed:0 Errors:0 Never:0}
result SUCCESS at 1001 in r1
result FAILURE at 1000 in r0
`
		if diff := cmp.Diff(want, of("urn:li:assertion:passes")); diff != "" {
			t.Error("an assertion:", diff)
		}
		h.Say("urn:li:tag:none_of_it", "tagProperties", `{"name":"none of it"}`)
		if diff := cmp.Diff("{Passed:0 Failed:0 Errors:0 Never:0}\n", of("urn:li:tag:none_of_it")); diff != "" {
			t.Error("a tag:", diff)
		}
		for _, urn := range []string{strings.Replace(orders, "orders", "nothing", 1), strings.Replace(email, "orders", "nothing", 1)} {
			_, err := h.Quality.Of(context.Background(), model.StoredURN(urn), 0)
			h.Want(catalog.NotFound, err)
		}
		many, err := h.Quality.OfMany(context.Background(), []model.URN{model.StoredURN(modelOf), model.StoredURN(orders), model.StoredURN(orders)})
		if err != nil || len(many) != 3 || len(many[0].Assertions) != 1 || len(many[2].Assertions) != 5 || many[0].Profile.Time != 950 || many[1].Updated.Time != 800 {
			t.Errorf("%+v %v", many, err)
		}
	})
}

// TestStateAtAMoment: the state at a moment has the checks and results of that moment, also of a
// check that was deleted since. Before the first record, the state is empty.
func TestStateAtAMoment(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		before := testclock.Now().Add(-time.Minute).UnixMilli() // the clock of the store may be another one
		h := checked(t, store)
		at := catalogtest.Past(t)
		of := func(urn string, at int64) *quality.State {
			t.Helper()
			s, err := h.Quality.Of(context.Background(), model.StoredURN(urn), at)
			if err != nil {
				t.Fatal(urn, err)
			}
			return s
		}
		then := shown(of(orders, 0))
		h.Say("urn:li:assertion:passes", "assertionRunEvent", fmt.Sprintf(`{"timestampMillis":%d,"runId":"later","assertionUrn":"urn:li:assertion:passes","asserteeUrn":%q,"status":"COMPLETE","result":{"type":"FAILURE"}}`, at+1, orders))
		h.Say("urn:li:assertion:fails", "status", `{"removed":true}`)
		h.Say(orders, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":7,"columnCount":4}`, at+1))
		h.Attempt("", write.Proposal{EntityType: "assertion", EntityURN: "urn:li:assertion:breaks", ChangeType: write.Delete, AspectName: "assertionInfo"})
		if now := shown(of(orders, 0)); now == then || strings.Contains(now, "breaks") {
			t.Fatalf("nothing has changed: %s", now)
		}
		past := of(orders, at)
		if diff := cmp.Diff(then, shown(past)); diff != "" || past.AsOf != at || past.Partial {
			t.Errorf("the state of then, %d %s: %s", past.AsOf, past.Reason, diff)
		}
		if results := of("urn:li:assertion:passes", at).Results; len(results) != 2 || results[0].Run != "r1" {
			t.Errorf("the results of then: %+v", results)
		}
		if empty := of(orders, before); len(empty.Assertions)+len(empty.Incidents) != 0 || empty.Counts != (quality.Counts{}) {
			t.Errorf("before the first record: %s", shown(empty))
		}
		_, err := h.Quality.Of(context.Background(), model.StoredURN(orders), -1)
		h.Want(catalog.Invalid, err)
	})
}

// TestAssertionNodes: the name of an assertion in the graph is the name of its check, or its
// key if its info was deleted.
func TestAssertionNodes(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		h := checked(t, store)
		name := func() string {
			t.Helper()
			named, err := h.Name(context.Background(), []string{"urn:li:assertion:fails"})
			if err != nil {
				t.Fatal(err)
			}
			return named["urn:li:assertion:fails"].Name
		}
		if got := name(); got != "fails orders.email" {
			t.Errorf("it is called %q", got)
		}
		h.Attempt("", write.Proposal{EntityType: "assertion", EntityURN: "urn:li:assertion:fails", ChangeType: write.Delete, AspectName: "assertionInfo"})
		if got := name(); got != "fails" {
			t.Errorf("without its info it is called %q", got)
		}
	})
}
