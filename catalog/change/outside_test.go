package change_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

func duckdb(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:duckdb,shop.main." + table + ",PROD)"
}

// outsideFile is a catalog of entities that use the project's models: an extract that reads a column and a dashboard
// behind the extract, a dashboard on the model that joins, a dashboard that says nothing of columns, a contract and an
// assertion.
func outsideFile(t *testing.T) *change.CatalogFile {
	t.Helper()
	text := asJSON(t, map[string]any{
		"headwaterCatalog": 1,
		"entities": []any{
			map[string]any{"urn": "urn:li:dataset:(urn:li:dataPlatform:s3,extract,PROD)", "name": "extract", "type": "dataset", "platform": "s3", "owners": []any{map[string]any{"urn": "urn:li:corpuser:bela", "email": "bela@shop.example"}}, "domains": []string{"urn:li:domain:marketing"}},
			map[string]any{"urn": "urn:li:dashboard:(looker,extracts)", "name": "Extracts", "type": "dashboard", "platform": "looker"},
			map[string]any{"urn": "urn:li:dashboard:(looker,countries)", "name": "Countries", "type": "dashboard", "platform": "looker"},
			map[string]any{"urn": "urn:li:dashboard:(looker,customers)", "name": "Customers", "type": "dashboard", "platform": "looker"},
			map[string]any{"urn": "urn:li:assertion:a", "name": "a", "type": "assertion"},
			map[string]any{"urn": "urn:li:dataContract:c", "name": "c", "type": "dataContract"},
			map[string]any{"urn": duckdb("country_revenue"), "name": "country_revenue", "type": "dataset", "platform": "duckdb", "owners": []any{map[string]any{"urn": "urn:li:corpuser:ada"}}},
		},
		"edges": []any{
			map[string]any{"from": duckdb("stg_customers"), "fromColumn": "customer_id", "to": "urn:li:dataset:(urn:li:dataPlatform:s3,extract,PROD)", "toColumn": "id", "kind": "value"},
			map[string]any{"from": "urn:li:dataset:(urn:li:dataPlatform:s3,extract,PROD)", "to": "urn:li:dashboard:(looker,extracts)", "kind": "entity"},
			map[string]any{"from": duckdb("stg_customers"), "fromColumn": "customer_id", "to": duckdb("country_revenue"), "toColumn": "country", "kind": "read"},
			map[string]any{"from": duckdb("country_revenue"), "to": "urn:li:dashboard:(looker,countries)", "kind": "entity"},
			map[string]any{"from": duckdb("stg_customers"), "to": "urn:li:dashboard:(looker,customers)", "kind": "entity"},
			map[string]any{"from": duckdb("stg_customers"), "fromColumn": "customer_id", "to": "urn:li:assertion:a", "kind": "about"},
			map[string]any{"from": duckdb("country_revenue"), "to": "urn:li:dataContract:c", "kind": "about"},
		},
	})
	f, err := change.ReadCatalogFile(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// beyond compares a commit and asks a catalog about it.
func beyond(t *testing.T, c *commit, catalog change.Catalog) *change.Result {
	t.Helper()
	before := projectFiles(t)
	base, head := stateOf(t, before), stateOf(t, c.edited(t, before))
	r := compared(t, base, head)
	incomplete, err := r.Beyond(t.Context(), base, head, catalog)
	if err != nil || incomplete != "" {
		t.Fatal(incomplete, err)
	}
	return r
}

// TestBeyond: entities that others make of a column fail too, with their owners; entities behind a failing model fail; and entities that the
// project defines are not named twice.
func TestBeyond(t *testing.T) {
	all := commits(t)
	r := beyond(t, &all[0], outsideFile(t))
	var got []string
	for i := range r.Certain {
		if at := &r.Certain[i]; at.Outside {
			got = append(got, at.Name+": "+strings.Join(at.Via, " > "))
		}
	}
	want := []string{
		"Countries: shop.main.stg_customers.customer_id > shop.main.country_revenue > Countries",
		"Extracts: shop.main.stg_customers.customer_id > extract > Extracts",
		"extract: shop.main.stg_customers.customer_id > extract",
	}
	if diff := cmp.Diff(want, sorted(got)); diff != "" {
		t.Error(diff)
	}
	at := slices.IndexFunc(r.Certain, func(i change.Impact) bool { return i.Name == "extract" })
	if e := r.Certain[at]; len(e.Owners) != 1 || e.Owners[0].Email != "bela@shop.example" || len(e.Domains) != 1 || e.Why != "lineage leads from customer_id to id" {
		t.Errorf("%+v", e)
	}
	at = slices.IndexFunc(r.Certain, func(i change.Impact) bool { return i.Name == "shop.main.country_revenue" })
	if e := r.Certain[at]; len(e.Owners) != 2 { // the owner in the project, and the owner in the catalog
		t.Errorf("%+v", e)
	}
	if len(r.Possible) != 1 || r.Possible[0].Name != "Customers" {
		t.Errorf("possible: %+v", r.Possible)
	}
	if len(r.Contracts) != 1 || r.Contracts[0].Effect != change.Certain || !slices.ContainsFunc(r.Assertions, func(h change.Hurt) bool { return h.Name == "a" && h.Effect == change.Certain }) {
		t.Errorf("%+v %+v", r.Contracts, r.Assertions)
	}
}

// TestBeyondRepaired: a model that does not read the column any more keeps the entities behind it from failing.
func TestBeyondRepaired(t *testing.T) {
	all := commits(t)
	at := slices.IndexFunc(all, func(c commit) bool { return c.Name == "a column is renamed with all that read it" })
	if r := beyond(t, &all[at], outsideFile(t)); len(r.Certain)+len(r.Possible) != 0 {
		t.Errorf("%+v %+v", r.Certain, r.Possible)
	}
}

// TestRetypeBeyond: a column's change of type affects entities outside the project only possibly.
func TestRetypeBeyond(t *testing.T) {
	base, head := schema(t, `{"s.a": {"id": "bigint"}}`), schema(t, `{"s.a": {"id": "int"}}`)
	r := compared(t, base, head)
	f, err := change.ReadCatalogFile(strings.NewReader(`{"headwaterCatalog": 1, "edges": [{"from": "urn:li:dataset:(urn:li:dataPlatform:postgres,s.a,PROD)", "fromColumn": "ID", "to": "urn:li:chart:(looker,x)", "kind": "value"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Beyond(t.Context(), base, head, f); err != nil || len(r.Certain) != 0 || len(r.Possible) != 1 {
		t.Errorf("%v %+v", err, r)
	}
}

// asked counts questions.
type asked struct{ count int }

func (a *asked) Readers(context.Context, string, string, string) ([]change.Affected, error) {
	a.count++
	return nil, nil
}
func (a *asked) Behind(context.Context, string, bool) ([]change.Affected, error) { return nil, nil }
func (a *asked) Attached(context.Context, string, string) (change.Attached, error) {
	return change.Attached{}, nil
}

func (a *asked) Details(context.Context, []string) (map[string]change.Details, error) {
	return nil, nil
}

// TestQuestions: a comparison asks a catalog at most as many questions as the limit; a result that needs more
// says that it is incomplete.
func TestQuestions(t *testing.T) {
	for _, more := range []int{0, 1} {
		var b strings.Builder
		for i := range limits.CheckQuestions + more {
			fmt.Fprintf(&b, `, "c%d": "int"`, i)
		}
		base, head := schema(t, `{"s.a": {"id": "int"`+b.String()+`}}`), schema(t, `{"s.a": {"id": "int"}}`)
		r, catalog := compared(t, base, head), &asked{}
		incomplete, err := r.Beyond(t.Context(), base, head, catalog)
		if err != nil || catalog.count != limits.CheckQuestions || (incomplete != "") != (more > 0) {
			t.Errorf("%d more: %d questions, %q, %v", more, catalog.count, incomplete, err)
		}
	}
}

// TestFileBuilder: the file has names, types, edges, owners and labels of aspects, and nothing else.
func TestFileBuilder(t *testing.T) {
	b := change.NewFileBuilder()
	add := func(urn string, aspects map[string]string) {
		raw := map[string]json.RawMessage{}
		for name, text := range aspects {
			raw[name] = json.RawMessage(text)
		}
		b.Add(model.Default(), urn, raw)
	}
	orders, paid := "urn:li:dataset:(urn:li:dataPlatform:duckdb,orders,PROD)", "urn:li:dataset:(urn:li:dataPlatform:duckdb,paid,PROD)"
	field := func(path string) string { return "urn:li:schemaField:(" + orders + "," + path + ")" }
	add(orders, map[string]string{
		model.AspectSchemaMetadata: `{"schemaName": "x", "platform": "urn:li:dataPlatform:duckdb", "version": 0, "hash": "", "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": "secret"}},
			"fields": [{"fieldPath": "email", "nativeDataType": "text", "nullable": false, "description": "secret", "type": {"type": {"com.linkedin.schema.StringType": {}}}}, {"fieldPath": "a.b", "nativeDataType": "int", "type": {"type": {"com.linkedin.schema.NumberType": {}}}}]}`,
		model.AspectEditableSchemaMetadata: `{"editableSchemaFieldInfo": [{"fieldPath": "email", "globalTags": {"tags": [{"tag": "urn:li:tag:PII"}]}}]}`,
		model.AspectOwnership:              `{"owners": [{"owner": "urn:li:corpuser:ada", "type": "DATAOWNER"}], "lastModified": {"time": 0, "actor": "urn:li:corpuser:ada"}}`,
		model.AspectDomains:                `{"domains": ["urn:li:domain:sales"]}`,
	})
	add("urn:li:corpuser:ada", map[string]string{model.AspectCorpUserInfo: `{"active": true, "displayName": "Ada Wren", "email": "ada@shop.example"}`})
	add(paid, map[string]string{model.AspectUpstreamLineage: `{"upstreams": [{"dataset": "` + orders + `", "type": "TRANSFORMED", "auditStamp": {"time": 0, "actor": "urn:li:corpuser:ada"}}],
		"fineGrainedLineages": [{"upstreamType": "FIELD_SET", "downstreamType": "FIELD", "upstreams": ["` + field("email") + `"], "downstreams": ["` + strings.ReplaceAll(field("contact"), orders, paid) + `"]},
		{"upstreamType": "FIELD_SET", "downstreamType": "FIELD", "transformOperation": "INDIRECT:FILTER", "upstreams": ["` + field("state") + `"], "downstreams": ["` + strings.ReplaceAll(field("contact"), orders, paid) + `"]}]}`})
	add("urn:li:assertion:x", map[string]string{model.AspectAssertionInfo: `{"type": "CUSTOM", "customAssertion": {"type": "dbt", "entity": "` + orders + `", "field": "` + field("email") + `"}}`})
	add("urn:li:dataset:(urn:li:dataPlatform:duckdb,gone,PROD)", map[string]string{model.AspectStatus: `{"removed": true}`})
	text, err := json.Marshal(b.File())
	if err != nil || bytes.Contains(text, []byte("secret")) {
		t.Fatalf("%v %s", err, text)
	}
	f, err := change.ReadCatalogFile(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var edges []string
	for _, e := range f.Edges {
		edges = append(edges, fmt.Sprint(e.Kind, " ", e.FromColumn, " ", e.ToColumn))
	}
	if diff := cmp.Diff([]string{"about  ", "about email ", "entity  ", "read state contact", "value email contact"}, sorted(edges)); diff != "" {
		t.Error(diff)
	}
	if len(f.Entities) != 3 || f.Entities[1].Owners[0].Email != "ada@shop.example" || f.Entities[1].Domains[0] != "urn:li:domain:sales" {
		t.Errorf("%+v", f.Entities)
	}
	labels, _ := f.Labels(t.Context())
	tables, _ := f.Tables(t.Context(), []string{orders, paid, "urn:li:dataset:(urn:li:dataPlatform:duckdb,none,PROD)"})
	if len(labels[orders]["email"]) != 1 || len(tables) != 2 || len(tables[orders].Columns) != 1 || !tables[orders].Columns[0].NotNull {
		t.Errorf("%+v %+v", labels, tables)
	}
	for text, want := range map[string]string{`{}`: "version 0 of a catalog in a file is unknown", `[]`: "it is not a catalog that headwater check export has written"} {
		if _, err := change.ReadCatalogFile(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
