package history_test

import (
	"context"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/write"
)

// TestSchemaHistory: the changes of columns decide the numbers of versions.
func TestSchemaHistory(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	write := func(description string, fields ...string) {
		var list []string
		for _, f := range fields {
			path, kind, _ := strings.Cut(f, ":")
			list = append(list, `{"fieldPath":"`+path+`","description":"`+description+`","nativeDataType":"`+kind+`","type":{"type":{"com.linkedin.schema.StringType":{}}}}`)
		}
		h.Put("", write.Upsert, catalogtest.Table, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.Schemaless":{}},"fields":[`+strings.Join(list, ",")+`]}`)
	}
	history := func(semantic string) string {
		t.Helper()
		found, err := h.History.SchemaHistory(ctx, catalogtest.URN(catalogtest.Table), semantic)
		if err != nil {
			return string(catalog.CodeOf(err))
		}
		var b strings.Builder
		for _, v := range found.Versions {
			b.WriteString(v.Semantic + "=" + v.Stamp + " ")
		}
		for _, f := range found.Fields {
			b.WriteString("| " + f.FieldPath + " " + f.Operation + " " + f.Version.Semantic + " ")
		}
		return strings.TrimSpace(b.String())
	}
	if got := history(""); got != "" {
		t.Errorf("of a dataset without a schema: %s", got)
	}
	write("a", "id:String", "name:String")
	write("other words", "id:String", "name:String")
	write("a", "id:String", "name:String", "age:Number")
	write("a", "id:Number", "name:String", "age:Number")
	write("a", "id:Number", "age:Number")
	for semantic, want := range map[string]string{
		"":               "2.0.0=schemaMetadata:0 1.0.0=schemaMetadata:4 0.1.0=schemaMetadata:3 0.0.0=schemaMetadata:1 | id MODIFY 1.0.0 | age ADD 0.1.0",
		"0.1.0":          "2.0.0=schemaMetadata:0 1.0.0=schemaMetadata:4 0.1.0=schemaMetadata:3 0.0.0=schemaMetadata:1 | id ADD 0.0.0 | name ADD 0.0.0 | age ADD 0.1.0",
		"1.0.0-computed": "2.0.0=schemaMetadata:0 1.0.0=schemaMetadata:4 0.1.0=schemaMetadata:3 0.0.0=schemaMetadata:1 | id MODIFY 1.0.0 | name ADD 0.0.0 | age ADD 0.1.0",
		"7.0.0":          string(catalog.NotFound),
	} {
		if got := history(semantic); got != want {
			t.Errorf("version %q:\n got %s\nwant %s", semantic, got, want)
		}
	}
	if _, err := h.History.SchemaHistory(ctx, catalogtest.URN(catalogtest.Ada), ""); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("of a user: %v", err)
	}
}
