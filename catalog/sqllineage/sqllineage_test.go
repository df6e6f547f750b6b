package sqllineage_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
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
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	reader := lineage.Reader{Parser: parser.New(filepath.Join(cache, "headwater", "sql"))}
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

// TestOthersStay: what others have stated of a table stays, and what the statements state again is
// replaced.
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
	r := of(t, "select amount from orders where id = 1; select 1; select x from nowhere; create table t as select amount from orders; insert into gone select amount from t", nil)
	var queries []any
	for _, p := range r.Proposals {
		if p.Aspect == model.AspectQuerySubjects {
			queries = append(queries, p.Value["subjects"])
		}
	}
	want := []any{
		[]any{catalog.Tree{"entity": urn("orders")}},
		[]any{catalog.Tree{"entity": urn("orders")}, catalog.Tree{"entity": urn("t")}},
		[]any{catalog.Tree{"entity": urn("t")}},
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

func TestStoredFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := sqllineage.Of([]lineage.Statement{{Kind: "insert", Reads: []string{"a"}, Writes: []string{"b"}}}, sqllineage.Given{
		URN: func(table string) (string, bool) { return urn(table), true }, Stored: func(string) (catalog.Tree, error) { return nil, broken },
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
