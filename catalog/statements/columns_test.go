package statements_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/statements"
)

// TestColumnsOf: the description that people wrote of a column comes before that of its source, and
// a label of both counts once.
func TestColumnsOf(t *testing.T) {
	schema := `{"fields":[
		{"fieldPath":"a","nativeDataType":"INT","nullable":true,"isPartOfKey":true,"description":"stated","globalTags":{"tags":[{"tag":"urn:li:tag:X"}]}},
		{"fieldPath":"b","description":"kept","glossaryTerms":{"terms":[{"urn":"urn:li:glossaryTerm:T"}]}}]}`
	edited := `{"editableSchemaFieldInfo":[
		{"fieldPath":"a","description":"written","globalTags":{"tags":[{"tag":"urn:li:tag:X"},{"tag":"urn:li:tag:Y"}]}},
		{"fieldPath":"b","description":""},{"fieldPath":"gone","description":"of a column that is lost"}]}`
	want := []statements.Column{
		{Path: "a", NativeType: "INT", Nullable: true, Key: true, Description: "written", Tags: []string{"urn:li:tag:X", "urn:li:tag:Y"}, Edited: []string{"urn:li:tag:Y"}},
		{Path: "b", Description: "kept", Terms: []string{"urn:li:glossaryTerm:T"}},
	}
	got, err := statements.ColumnsOf(json.RawMessage(schema), json.RawMessage(edited))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := statements.ColumnsOf(nil, nil); err != nil || len(got) != 0 {
		t.Errorf("without aspects: %v, %v", got, err)
	}
	if _, err := statements.ColumnsOf(json.RawMessage("{"), nil); err == nil {
		t.Error("a schema that is not JSON has columns")
	}
}

// TestColumnLabelsSayWhoStatedThem: a label of a column says who or what stated it if its
// aspect does.
func TestColumnLabelsSayWhoStatedThem(t *testing.T) {
	schema := `{"fields":[{"fieldPath":"a","globalTags":{"tags":[
		{"tag":"urn:li:tag:X"},
		{"tag":"urn:li:tag:Y","attribution":{"time":5,"actor":"urn:li:corpuser:bot","source":"urn:li:dataHubAction:x"}}]}}]}`
	edited := `{"editableSchemaFieldInfo":[{"fieldPath":"a","glossaryTerms":{"terms":[{"urn":"urn:li:glossaryTerm:T","actor":"urn:li:corpuser:eve"},{"urn":"urn:li:glossaryTerm:U"}]}}]}`
	got, err := statements.ColumnsOf(json.RawMessage(schema), json.RawMessage(edited))
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	want := []statements.Label{
		{Kind: statements.LabelTag, URN: "urn:li:tag:Y", Provenance: statements.Provenance{Actor: "urn:li:corpuser:bot", Source: "urn:li:dataHubAction:x", StatedAt: 5}},
		{Kind: statements.LabelTerm, URN: "urn:li:glossaryTerm:T", Provenance: statements.Provenance{Actor: "urn:li:corpuser:eve"}},
	}
	if diff := cmp.Diff(want, got[0].Stated); diff != "" {
		t.Error(diff)
	}
}
