package model

import (
	"slices"
	"testing"
)

func TestNodeName(t *testing.T) {
	for text, want := range map[string]string{
		"urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)": "analytics.marts.orders",
		"urn:li:corpuser:ada.wren":      "ada.wren",
		"urn:li:tag:PII":                "PII",
		"urn:li:dataPlatform:snowflake": "snowflake",
		"urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,prod),load_orders)":          "load_orders",
		"urn:li:dataFlow:(airflow,daily,prod)":                                       "daily",
		"urn:li:glossaryTerm:Finance.Revenue":                                        "Finance.Revenue",
		columnIn(datasetA, "net_revenue"):                                            "net_revenue",
		columnIn(datasetA, "[version=2.0].[type=struct].[type=string].address.city"): "address.city",
		columnIn(datasetA, "round%28a%2Cb%29"):                                       "round(a,b)",
		columnIn(datasetA, "[version=2.0]"):                                          "[version=2.0]",
		"urn:li:dataPlatformInstance:(urn:li:dataPlatform:kafka,eu)":                 "eu",
		"urn:li:versionSet:(v1,mlModel)":                                             "v1",
		"urn:li:unheardOf:(a,b)":                                                     "b",
	} {
		if got := Default().NodeName(StoredURN(text)); got != want {
			t.Errorf("%s has the name %q, want %q", text, got, want)
		}
	}
}

// TestNodeNamesOfEveryType: the key of every entity type has a name, and the key aspect
// gives the node the same name.
func TestNodeNamesOfEveryType(t *testing.T) {
	r := Default()
	for _, e := range r.Entities() {
		parts := make([]string, len(e.KeyFields))
		for i, field := range e.KeyFields {
			parts[i] = "part" + string(rune('a'+i))
			if field.typ.kind == kindURN {
				parts[i] = datasetA
			}
		}
		u, err := BuildURN("li", e.Name, parts...)
		if err != nil {
			t.Fatal(err)
		}
		key, err := r.KeyValue(u)
		if err != nil {
			t.Fatal(err)
		}
		value, err := r.ParseStored(e.KeyAspect, key)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := r.NodeProperties(e.Name, value)["name"].(string)
		if want == datasetA {
			want = "a" // the name of the dataset in the key
		}
		if got := r.NodeName(u); got != want || got == "" {
			t.Errorf("%s has the name %q, its key gives %q", u, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	r := Default()
	schema := func(paths ...string) *Value {
		var fields []any
		for _, path := range paths {
			fields = append(fields, map[string]any{"fieldPath": path})
		}
		a, _ := r.Aspect(AspectSchemaMetadata)
		return &Value{Aspect: a, Tree: map[string]any{"fields": fields}}
	}
	u := owner(t, datasetA)
	var got []string
	for _, c := range Columns(u, schema("id", "round(a,b)", "", "id")) {
		got = append(got, c.URN)
	}
	if want := []string{columnIn(datasetA, "id"), columnIn(datasetA, "round%28a%2Cb%29")}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	holder, path, ok := ColumnOf(StoredURN(got[1]))
	if !ok || holder.String() != datasetA || path != "round(a,b)" {
		t.Errorf("%s is column %q of %s (%t)", got[1], path, holder, ok)
	}
	if _, _, ok := ColumnOf(u); ok {
		t.Error("a dataset is a column")
	}
	if Columns(u, nil) != nil || Columns(u, parsed(t, "status", `{"removed":true}`)) != nil {
		t.Error("what is not a schema has columns")
	}
}

func columnIn(dataset, path string) string {
	return "urn:li:schemaField:(" + dataset + "," + path + ")"
}
