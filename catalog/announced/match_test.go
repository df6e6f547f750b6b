package announced

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/model"
)

const (
	orders = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.orders,PROD)"
	ofDbt  = "urn:li:dataset:(urn:li:dataPlatform:dbt,shop.orders,PROD)"
	raw    = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.raw,PROD)"
)

// schemaOf returns a schema with columns such as "id int" and "state text not null".
func schemaOf(columns ...string) string {
	var fields []string
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		kind, required := strings.CutSuffix(kind, " not null")
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":%q,"nullable":%v,"type":{"type":{"com.linkedin.schema.StringType":{}}}}`, name, kind, !required))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func upstreamsOf(tables ...string) string {
	var list []string
	for _, t := range tables {
		list = append(list, fmt.Sprintf(`{"dataset":%q,"type":"TRANSFORMED","auditStamp":{"time":0,"actor":"urn:li:corpuser:ada"}}`, t))
	}
	return `{"upstreams":[` + strings.Join(list, ",") + `]}`
}

// logged is a change of the log of the table orders.
func logged(aspect, before, after string) *catalog.Change {
	c := &catalog.Change{URN: orders, EntityType: model.EntityDataset, Aspect: aspect, Kind: catalog.ChangeUpsert, Time: 1000, Seq: 2, PreviousSeq: 1}
	if before != "" {
		c.Previous, c.PreviousSystem = json.RawMessage(before), &catalog.SystemMetadata{}
	}
	if after == "" {
		c.Kind = catalog.ChangeDelete
	} else {
		c.Value = json.RawMessage(after)
	}
	return c
}

func member(kind, column string, more ...func(*Member)) Member {
	m := Member{Kind: kind, Column: column, Datasets: []string{orders, ofDbt}}
	for _, change := range more {
		change(&m)
	}
	return m
}

// TestMatching compares arriving changes with announced ones. The outcome is the state, the members that have arrived,
// and the breaking changes that nobody announced.
func TestMatching(t *testing.T) {
	schema, lineage := model.AspectSchemaMetadata, model.AspectUpstreamLineage
	dropped := logged(schema, schemaOf("id int", "state text"), schemaOf("id int"))
	for _, test := range []struct {
		name    string
		members []Member
		logged  *catalog.Change
		want    string
	}{
		{"a dropped column", []Member{member(columnDropped, "state")}, dropped, "ARRIVED columnDropped(state)"},
		{"the letter case does not matter", []Member{member(columnDropped, "STATE")}, dropped, "ARRIVED columnDropped(STATE)"},
		{"by the path of the catalog", []Member{member(columnDropped, "s", func(m *Member) { m.Path = "[version=2.0].[type=string].state" })}, dropped, "ARRIVED columnDropped(s)"},
		{"another column", []Member{member(columnDropped, "id")}, dropped, "ANNOUNCED; unannounced columnDropped(state)"},
		{"another table", []Member{member(columnDropped, "state", func(m *Member) { m.Datasets = []string{raw} })}, dropped, "ANNOUNCED; unannounced columnDropped(state)"},
		{"one of two", []Member{member(columnDropped, "state"), member(columnRetyped, "id")}, dropped, "PARTLY_ARRIVED columnDropped(state)"},
		{"the other one never shows", []Member{member(columnDropped, "state"), member(rowsChanged, "")}, dropped, "ARRIVED columnDropped(state)"},
		{"one more than announced", []Member{member(columnDropped, "state")}, logged(schema, schemaOf("id int", "state text", "x int"), schemaOf("id int")), "ARRIVED columnDropped(state); unannounced columnDropped(x)"},
		{"a rename is a drop", []Member{member(columnRenamed, "state", func(m *Member) { m.NewName = "status" })}, logged(schema, schemaOf("id int", "state text"), schemaOf("id int", "status varchar")), "ARRIVED columnRenamed(state)"},
		{"a drop is a rename", []Member{member(columnDropped, "state")}, logged(schema, schemaOf("id int", "state text"), schemaOf("id int", "status text")), "ARRIVED columnDropped(state)"},
		{"another type", []Member{member(columnRetyped, "id")}, logged(schema, schemaOf("id int"), schemaOf("id bigint")), "ARRIVED columnRetyped(id)"},
		{"another type is no drop", []Member{member(columnDropped, "id")}, logged(schema, schemaOf("id int"), schemaOf("id bigint")), "ANNOUNCED; unannounced columnRetyped(id)"},
		{"nullability", []Member{member(nullability, "id", func(m *Member) { m.NewType = "not null" })}, logged(schema, schemaOf("id int"), schemaOf("id int not null")), "ARRIVED nullabilityChanged(id)"},
		{"the other way round", []Member{member(nullability, "id", func(m *Member) { m.NewType = "not null" })}, logged(schema, schemaOf("id int not null"), schemaOf("id int")), "ANNOUNCED"},
		{"a table soft-deleted", []Member{member(tableRemoved, "")}, logged(model.AspectStatus, `{"removed":false}`, `{"removed":true}`), "ARRIVED tableRemoved()"},
		{"a table soft-deleted first", []Member{member(tableRemoved, "")}, logged(model.AspectStatus, "", `{"removed":true}`), "ARRIVED tableRemoved()"},
		{"a table deleted for good", []Member{member(tableRemoved, "")}, logged(model.AspectDatasetKey, `{}`, ""), "ARRIVED tableRemoved()"},
		{"an unannounced removal", []Member{member(columnDropped, "state")}, logged(model.AspectStatus, `{"removed":false}`, `{"removed":true}`), "ANNOUNCED; unannounced tableRemoved()"},
		{"lineage lost", []Member{member(lineageLost, "state")}, logged(lineage, upstreamsOf(raw), upstreamsOf()), "ARRIVED lineageLost(state)"},
		{"lineage lost by another join", []Member{member(rowsChanged, "")}, logged(lineage, upstreamsOf(raw), upstreamsOf()), "ANNOUNCED"},
		{"lineage lost, unannounced", []Member{member(columnRetyped, "id")}, logged(lineage, upstreamsOf(raw), upstreamsOf()), "ANNOUNCED; unannounced lineageLost()"},
		{"a column added", []Member{member(columnDropped, "state")}, logged(schema, schemaOf("id int"), schemaOf("id int", "state text")), "ANNOUNCED"},
		{"a schema deleted", []Member{member(columnRetyped, "id")}, logged(schema, schemaOf("id int"), ""), "ANNOUNCED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			info := &Info{State: StateAnnounced, ExpiresAt: 1000}
			info.Changes = test.members
			if got := matched(t, info, test.logged); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			before := outline(info)
			if matched(t, info, test.logged); outline(info) != before {
				t.Errorf("matching again: %s, want %s", outline(info), before)
			}
		})
	}
}

// matched matches a change, and tells the outcome.
func matched(t *testing.T, info *Info, c *catalog.Change) string {
	t.Helper()
	events, err := changeevents.New(model.Default()).Of(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	shown := seenIn(c, events)
	announced, _ := info.match(Arrival{Dataset: c.URN, Time: c.Time, Change: changeevents.IdentityOf(c)}, shown)
	told := outline(info)
	var missed []string
	for i := range shown {
		if !announced[i] && shown[i].breaks {
			missed = append(missed, shown[i].kind+"("+shown[i].column+")")
		}
	}
	if len(missed) > 0 {
		told += "; unannounced " + strings.Join(missed, " ")
	}
	return told
}

func outline(info *Info) string {
	told := info.State
	for i := range info.Changes {
		for range info.Changes[i].Arrivals {
			told += " " + info.Changes[i].Kind + "(" + info.Changes[i].Column + ")"
		}
	}
	return told
}

// TestMatchingTwice: the platform's dataset and dbt's dataset are one table. A later change of the table is
// another change.
func TestMatchingTwice(t *testing.T) {
	c := logged(model.AspectSchemaMetadata, schemaOf("id int", "state text"), schemaOf("id int"))
	second := *c
	second.Seq, second.PreviousSeq = 4, 3
	sibling := *c
	sibling.URN = ofDbt
	info := &Info{State: StateAnnounced, ExpiresAt: 1000}
	info.Changes = []Member{member(columnDropped, "state")}
	for _, step := range []struct {
		change *catalog.Change
		want   string
	}{
		{c, "ARRIVED columnDropped(state)"},
		{&sibling, "ARRIVED columnDropped(state) columnDropped(state)"},
		{&second, "ARRIVED columnDropped(state) columnDropped(state); unannounced columnDropped(state)"},
	} {
		if got := matched(t, info, step.change); got != step.want {
			t.Errorf("%s, want %s", got, step.want)
		}
	}
}

// TestMatchingEnds: nothing arrives of a change that has expired or was withdrawn.
func TestMatchingEnds(t *testing.T) {
	c := logged(model.AspectSchemaMetadata, schemaOf("id int", "state text"), schemaOf("id int"))
	for state, expires := range map[string]int64{StateAnnounced: 999, StateWithdrawn: 1000} {
		info := &Info{State: state, ExpiresAt: expires}
		info.Changes = []Member{member(columnDropped, "state")}
		if got, want := matched(t, info, c), state+"; unannounced columnDropped(state)"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	info := &Info{State: StatePartly, ExpiresAt: 1000}
	if diff := cmp.Diff([]string{StatePartly, StateExpired}, []string{info.stateAt(1000), info.stateAt(1001)}); diff != "" {
		t.Error(diff)
	}
}

// TestNames: a title is made from the address of a pull request.
func TestNames(t *testing.T) {
	for address, want := range map[string]string{
		"https://github.com/larkspur/orders/pull/12":            "larkspur/orders 12 https://github.com/larkspur/orders",
		"https://git.example/a/b/c/-/merge_requests/7":          "a/b/c 7 https://git.example/a/b/c",
		"https://bitbucket.org/larkspur/orders/pull-requests/3": "larkspur/orders 3 https://bitbucket.org/larkspur/orders",
		"https://review.example/c/orders/+/99":                  "review.example/c/orders/+/99 ",
	} {
		title, repository := names(&Draft{PullRequest: address})
		if got := title + " " + repository; got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
