package change_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/schemafile"
)

func schemaState(t *testing.T, kind, text string) *change.State {
	t.Helper()
	schemas, err := schemafile.Read(kind, []byte(text), schemafile.Settings{Name: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := change.FromSchemas([]change.SchemaFile{{Name: "orders." + kind, Text: text, Schemas: schemas}}, change.SchemaNames{
		Names: change.Names{Platform: "kafka"},
		Table: func(*schemafile.Schema) string { return "orders" },
		PlatformURN: func(platform, table string) string {
			return "urn:li:dataset:(urn:li:dataPlatform:" + platform + "," + table + ",PROD)"
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func record(fields string) string {
	return `{"type":"record","name":"Order","fields":[` + fields + `]}`
}

// TestSchemasCompared: the answer about two schemas of a file names exactly their differences.
func TestSchemasCompared(t *testing.T) {
	const line = `{"name":"line","type":{"type":"record","name":"Line","fields":[{"name":"sku","type":"string"}%s]}}`
	lines := func(more string) string { return strings.Replace(line, "%s", more, 1) }
	for _, one := range []struct{ kind, base, head, want string }{
		{schemafile.Avro, record(lines("")), record(lines("")), ""},
		{schemafile.Avro, record(lines(`,{"name":"n","type":"int"}`)), record(lines("")), "columnDropped orders.line.n"},
		{schemafile.Avro, record(lines("")), record(lines(`,{"name":"n","type":["null","int"]}`)), "columnAdded orders.line.n"},
		{
			schemafile.Avro, record(lines("")), record(`{"name":"item","aliases":["line"],"type":{"type":"record","name":"Line","fields":[{"name":"sku","type":"string"}]}}`),
			"columnRenamed orders.line>item 1, columnRenamed orders.line.sku>item.sku 1",
		},
		{schemafile.Avro, record(`{"name":"a","type":"long"}`), record(`{"name":"a","type":"int"}`), "columnRetyped orders.a narrowed"},
		{schemafile.Avro, record(`{"name":"a","type":"int"}`), record(`{"name":"a","type":["null","long"]}`), "columnRetyped orders.a, nullabilityChanged orders.a"},
		{schemafile.Avro, record(`{"name":"a","type":["int","string"]}`), record(`{"name":"a","type":["int","string","long"]}`), "columnRetyped orders.a"},
		{schemafile.Avro, record(`{"name":"a","type":["int","string","long"]}`), record(`{"name":"a","type":["int","string"]}`), "columnRetyped orders.a narrowed"},
		{schemafile.Avro, record(`{"name":"a","type":{"type":"enum","name":"E","symbols":["X","Y"]}}`), record(`{"name":"a","type":{"type":"enum","name":"E","symbols":["X"]}}`), "columnRetyped orders.a narrowed"},
		{schemafile.Avro, record(`{"name":"a","type":{"type":"enum","name":"E","symbols":["X"]}}`), record(`{"name":"a","type":{"type":"enum","name":"E","symbols":["X","Z"]}}`), "columnRetyped orders.a"},
		{schemafile.Avro, record(`{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}}`), record(`{"name":"a","type":{"type":"bytes","logicalType":"decimal","precision":7,"scale":2}}`), "columnRetyped orders.a narrowed"},
		{schemafile.Avro, record(`{"name":"a","type":"int"},{"name":"b","type":"int"}`), record(`{"name":"b","type":"int"},{"name":"a","type":"int"}`), ""},
		{schemafile.JSONSchema, `{"required":["a"],"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, "nullabilityChanged orders.a"},
		{schemafile.JSONSchema, `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string","format":"date"}}}`, "columnRetyped orders.a narrowed"},
		{schemafile.JSONSchema, `{"properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":{"type":"number"}}}`, "columnRetyped orders.a"},
		{schemafile.JSONSchema, `{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}}}}`, `{"properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}`, "columnDropped orders.a.object.x"},
	} {
		r := compared(t, schemaState(t, one.kind, one.base), schemaState(t, one.kind, one.head))
		var got []string
		for i := range r.Changes {
			c := &r.Changes[i]
			text := c.Kind + " " + c.Table + "." + c.Column
			if c.Kind == change.ColumnRenamed {
				text += ">" + c.NewName + " " + map[bool]string{true: "1", false: "unsure"}[c.Sure == 1]
			}
			if c.Narrowed {
				text += " narrowed"
			}
			got = append(got, text)
		}
		want := strings.Split(one.want, ", ")
		if one.want == "" {
			want = nil
		}
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			t.Errorf("%s\n%s\n%s", one.base, one.head, diff)
		}
	}
}

// TestSchemaAgainstCatalog: a schema of a file has no changes against the catalog to which its source has written it, and
// a change names the path that the catalog has.
func TestSchemaAgainstCatalog(t *testing.T) {
	const stored = `{"fields":[
		{"fieldPath":"[version=2.0].[key=True].[type=string].id","nativeDataType":"id","nullable":false},
		{"fieldPath":"[version=2.0].[type=Order].[type=string].note","nativeDataType":"string","nullable":true},
		{"fieldPath":"[version=2.0].[type=Order].[type=long].at","nativeDataType":"at","nullable":false,"jsonProps":"{\"logicalType\": \"timestamp-millis\"}"},
		{"fieldPath":"[version=2.0].[type=Order].[type=array].[type=Line].lines","nativeDataType":"lines","nullable":false},
		{"fieldPath":"[version=2.0].[type=Order].[type=array].[type=Line].lines.[type=string].sku","nativeDataType":"sku","nullable":false},
		{"fieldPath":"[version=2.0].[type=Order].[type=union].either","nativeDataType":"union","nullable":false},
		{"fieldPath":"[version=2.0].[type=Order].[type=union].[type=int].either","nativeDataType":"int","nullable":false},
		{"fieldPath":"[version=2.0].[type=Order].[type=union].[type=string].either","nativeDataType":"string","nullable":false}]}`
	const text = `{"type":"record","name":"Order","fields":[{"name":"note","type":["null","string"]},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
		{"name":"lines","type":{"type":"array","items":{"type":"record","name":"Line","fields":[{"name":"sku","type":"string"}]}}},{"name":"either","type":["int","string"]}]}`
	against := func(text string) *change.Result {
		head := schemaState(t, schemafile.Avro, text)
		base := change.FromTables(head, func(*change.Node) *change.Table {
			return &change.Table{Columns: change.ColumnsOf(json.RawMessage(stored), nil), Fields: change.FieldsOf(json.RawMessage(stored), nil)}
		})
		return compared(t, base, head)
	}
	if r := against(text); len(r.Changes) != 0 {
		t.Errorf("%+v", r.Changes)
	}
	r := against(strings.Replace(text, `{"name":"sku","type":"string"}`, "", 1))
	if len(r.Changes) != 1 || r.Changes[0].Kind != change.ColumnDropped || r.Changes[0].Column != "lines.sku" || r.Changes[0].Path != "[version=2.0].[type=Order].[type=array].[type=Line].lines.[type=string].sku" {
		t.Errorf("%+v", r.Changes)
	}
	if columns := change.ColumnsOf(json.RawMessage(stored), nil); len(columns) != 4 || columns[1].Type != "timestamp-millis" {
		t.Errorf("the columns without those inside others are %+v", columns)
	}
}

// TestSchemasOfOneTable: two schemas of one table are an error that names both files.
func TestSchemasOfOneTable(t *testing.T) {
	one := schemafile.Schema{Name: "a"}
	_, err := change.FromSchemas([]change.SchemaFile{{Name: "x.avsc", Schemas: []schemafile.Schema{one}}, {Name: "y.avsc", Schemas: []schemafile.Schema{one}}},
		change.SchemaNames{Table: func(s *schemafile.Schema) string { return s.Name }})
	if err == nil || err.Error() != "x.avsc and y.avsc both have a schema of a" {
		t.Error(err)
	}
}
