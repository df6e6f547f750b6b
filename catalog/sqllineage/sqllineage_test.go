package sqllineage_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

func urn(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres," + table + ",PROD)"
}

func field(table, column string) string {
	return "urn:li:schemaField:(" + urn(table) + "," + column + ")"
}

// of reads a script with the tables orders and customers, of which customers has no known columns.
func of(t *testing.T, script string, stored catalog.Tree) *sqllineage.Result {
	t.Helper()
	reader := lineage.Reader{Parser: parser.New(testsql.Cache())}
	defer reader.Parser.Close()
	schema, err := lineage.ReadSchema(strings.NewReader(`{"orders": {"id": "int", "customer": "int", "amount": "int"}}`))
	if err != nil {
		t.Fatal(err)
	}
	statements, err := reader.Read(t.Context(), script, lineage.Settings{Dialect: "postgres", Tables: schema.Tables})
	if err != nil {
		t.Fatal(err)
	}
	result, err := sqllineage.Of(statements, sqllineage.Given{
		URN:    func(table string) (string, bool) { return urn(table), table == "orders" || table == "customers" },
		Stored: func(string) (catalog.Tree, error) { return stored, nil },
		Actor:  "urn:li:corpuser:ada", Now: time.UnixMilli(5000),
	})
	if err != nil {
		t.Fatal(err)
	}
	registry := model.Default()
	for _, p := range result.Proposals { // each aspect is valid
		value, err := json.Marshal(p.Value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := registry.Parse(registry.Dialects()[0], p.Aspect, value); err != nil {
			t.Errorf("%s of %s: %v", p.Aspect, p.URN, err)
		}
	}
	return result
}

func find(r *sqllineage.Result, urn, aspect string) catalog.Tree {
	at := slices.IndexFunc(r.Proposals, func(p sqllineage.Proposal) bool { return p.URN == urn && p.Aspect == aspect })
	if at < 0 {
		return nil
	}
	return r.Proposals[at].Value
}

func TestView(t *testing.T) {
	script := "create view v as select o.id, sum(amount) as total from orders o join customers c on c.id = o.customer group by o.id"
	r := of(t, script, nil)
	if view := find(r, urn("v"), model.AspectViewProperties); view["viewLogic"] != script || view["materialized"] != false {
		t.Errorf("view %v", view)
	}
	stamp := catalog.Tree{"time": int64(5000), "actor": "urn:li:corpuser:ada"}
	entry := func(way, kind string, upstream string, downstreams ...any) catalog.Tree {
		return catalog.Tree{
			"upstreamType": "FIELD_SET", "upstreams": []any{upstream}, "downstreamType": kind, "downstreams": downstreams,
			"transformOperation": way, "confidenceScore": 1.0,
		}
	}
	id, total := field("v", "id"), field("v", "total")
	join := entry("INDIRECT:JOIN", "FIELD_SET", field("customers", "id"), id, total)
	join["upstreams"] = []any{field("customers", "id"), field("orders", "customer")}
	want := catalog.Tree{
		"upstreams": []any{
			catalog.Tree{"dataset": urn("customers"), "type": "VIEW", "auditStamp": stamp},
			catalog.Tree{"dataset": urn("orders"), "type": "VIEW", "auditStamp": stamp},
		},
		"fineGrainedLineages": []any{
			entry("DIRECT:IDENTITY", "FIELD", field("orders", "id"), id), entry("DIRECT:AGGREGATION", "FIELD", field("orders", "amount"), total),
			join, entry("INDIRECT:GROUP_BY", "FIELD_SET", field("orders", "id"), id, total),
		},
	}
	if diff := cmp.Diff(want, find(r, urn("v"), model.AspectUpstreamLineage)); diff != "" {
		t.Error(diff)
	}
	if len(r.Proposals) != 3 || len(r.Unknown) != 0 {
		t.Errorf("got %v", r)
	}
}

func identity(downstream, upstream string) map[string]any {
	return map[string]any{
		"transformOperation": "DIRECT:IDENTITY", "downstreamType": "FIELD", "downstreams": []any{downstream},
		"upstreamType": "FIELD_SET", "upstreams": []any{upstream},
	}
}

// TestOthersStay: lineage of a table that others have stated stays, and lineage that the statements
// state again is replaced.
func TestOthersStay(t *testing.T) {
	stored := catalog.Tree{
		"upstreams": []any{
			map[string]any{"dataset": urn("orders"), "type": "COPY"}, map[string]any{"dataset": urn("other"), "type": "COPY"},
		},
		"fineGrainedLineages": []any{
			identity(field("customers", "id"), field("old", "x")), identity(field("customers", "name"), field("other", "name")),
		},
	}
	r := of(t, "insert into customers (id) select customer from orders; insert into customers (id) select id from nowhere", stored)
	got := find(r, urn("customers"), model.AspectUpstreamLineage)
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for part, wanted := range map[string]bool{urn("other"): true, "COPY": true, field("old", "x"): false, field("other", "name"): true, field("orders", "customer"): true} {
		if strings.Contains(string(text), part) != wanted {
			t.Errorf("%s: %s", part, text)
		}
	}
	if upstreams, _ := got["upstreams"].([]any); len(upstreams) != 2 {
		t.Errorf("upstreams %v", upstreams)
	}
	if !slices.Equal(r.Unknown, []string{"nowhere"}) {
		t.Errorf("unknown %v", r.Unknown)
	}
}

func TestQueries(t *testing.T) {
	r := of(t, "select amount from orders where id = 1; select 1; SELECT amount FROM orders WHERE id = 2; select x from nowhere; create table t as select amount from orders; insert into gone select amount from t", nil)
	var queries []any
	for _, p := range r.Proposals {
		if p.Aspect == model.AspectQuerySubjects {
			queries = append(queries, p.Value["subjects"])
		}
	}
	want := []any{
		subjects(urn("orders"), field("orders", "amount"), field("orders", "id")),
		subjects(urn("orders"), field("orders", "amount"), urn("t"), field("t", "amount")),
		subjects(urn("t"), field("t", "amount")),
	}
	if diff := cmp.Diff(want, queries); diff != "" {
		t.Error(diff)
	}
	upstream, _ := find(r, urn("t"), model.AspectUpstreamLineage)["upstreams"].([]any)
	if one, _ := upstream[0].(catalog.Tree); !strings.HasPrefix(one["query"].(string), "urn:li:query:") || one["type"] != "TRANSFORMED" {
		t.Errorf("upstream %v", upstream)
	}
	if !slices.Equal(r.Unknown, []string{"gone", "nowhere"}) {
		t.Errorf("unknown %v", r.Unknown)
	}
}

func subjects(urns ...string) []any {
	var list []any
	for _, urn := range urns {
		list = append(list, catalog.Tree{"entity": urn})
	}
	return list
}

// TestRun: the lineage of a statement from a log names the query of the log, and says who ran the query last and when.
func TestRun(t *testing.T) {
	c := sqllineage.NewCollector(sqllineage.Given{
		URN:    func(table string) (string, bool) { return urn(table), true },
		Stored: func(string) (catalog.Tree, error) { return nil, nil },
		Actor:  "urn:li:corpuser:ada", Now: time.UnixMilli(5000), Platform: "urn:li:dataPlatform:postgres",
	})
	s := lineage.Statement{Kind: "insert", Text: "insert into b select x from a", Reads: []string{"a"}, Writes: []string{"b"}}
	some := c.Add(&s, &sqllineage.Run{Query: "urn:li:query:q", Actor: "urn:li:corpuser:bo", At: time.UnixMilli(3000)})
	stamp := catalog.Tree{"time": int64(3000), "actor": "urn:li:corpuser:bo"}
	if len(some) != 3 || some[0].URN != "urn:li:query:q" || some[2].Aspect != model.AspectDataPlatformInstance {
		t.Fatalf("got %v", some)
	}
	if diff := cmp.Diff(stamp, some[0].Value["lastModified"]); diff != "" {
		t.Error(diff)
	}
	for p, err := range c.Lineage() {
		if err != nil {
			t.Fatal(err)
		}
		want := []any{catalog.Tree{"dataset": urn("a"), "type": "TRANSFORMED", "auditStamp": stamp, "query": "urn:li:query:q"}}
		if diff := cmp.Diff(want, p.Value["upstreams"]); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStoredFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := sqllineage.Of([]lineage.Statement{{Kind: "insert", Reads: []string{"a"}, Writes: []string{"b"}}}, sqllineage.Given{
		URN: func(table string) (string, bool) { return urn(table), true }, Stored: func(string) (catalog.Tree, error) { return nil, broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
