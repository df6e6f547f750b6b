package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
)

// TestColumnsOf: what people wrote about a column comes before what its source states,
// and labels of both count once.
func TestColumnsOf(t *testing.T) {
	schema := `{"fields":[
		{"fieldPath":"a","nativeDataType":"INT","nullable":true,"isPartOfKey":true,"description":"stated","globalTags":{"tags":[{"tag":"urn:li:tag:X"}]}},
		{"fieldPath":"b","description":"kept","glossaryTerms":{"terms":[{"urn":"urn:li:glossaryTerm:T"}]}}]}`
	edited := `{"editableSchemaFieldInfo":[
		{"fieldPath":"a","description":"written","globalTags":{"tags":[{"tag":"urn:li:tag:X"},{"tag":"urn:li:tag:Y"}]}},
		{"fieldPath":"b","description":""},{"fieldPath":"gone","description":"of a column that is lost"}]}`
	want := []catalog.Column{
		{Path: "a", NativeType: "INT", Nullable: true, Key: true, Description: "written", Tags: []string{"urn:li:tag:X", "urn:li:tag:Y"}},
		{Path: "b", Description: "kept", Terms: []string{"urn:li:glossaryTerm:T"}},
	}
	got, err := catalog.ColumnsOf(json.RawMessage(schema), json.RawMessage(edited))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := catalog.ColumnsOf(nil, nil); err != nil || len(got) != 0 {
		t.Errorf("without aspects: %v, %v", got, err)
	}
	if _, err := catalog.ColumnsOf(json.RawMessage("{"), nil); err == nil {
		t.Error("a schema that is not JSON has columns")
	}
}
