package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// TestTypeMembers: WithTypes gives values their other form, and WithoutTypes returns the
// original values.
func TestTypeMembers(t *testing.T) {
	r := Default()
	for _, c := range []struct{ aspect, usual, typed string }{
		{"status", `{"removed":true}`, `{"__type":"Status","removed":true}`},
		{"mlModelMetrics", `{"performanceMeasures":[]}`, `{"__type":"Metrics","performanceMeasures":[]}`},
		{
			"schemaMetadata", `{"platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"a","type":{"type":{"com.linkedin.schema.ArrayType":{"nestedType":["x"]}}},"glossaryTerms":{"terms":[]}}]}`,
			`{"__type":"SchemaMetadata","platformSchema":{"__type":"OtherSchema","rawSchema":""},"fields":[{"fieldPath":"a","type":{"type":{"__type":"ArrayType","nestedType":["x"]}},"glossaryTerms":{"__type":"GlossaryTerms","terms":[]}}]}`,
		},
		{"chartInfo", `{"title":"a","inputs":[{"string":"urn:li:dataset:x"}]}`, `{"__type":"ChartInfo","title":"a","inputs":[{"string":"urn:li:dataset:x"}]}`},
		{"datasetProperties", `{"customProperties":{"__type":"x","com.linkedin.schema.StringType":"y"}}`, `{"__type":"DatasetProperties","customProperties":{"__type":"x","com.linkedin.schema.StringType":"y"}}`},
	} {
		typed, err := r.WithTypes(c.aspect, json.RawMessage(c.usual))
		if err != nil || !jsontree.EqualText(typed, json.RawMessage(c.typed)) {
			t.Errorf("%s with types: %s %v", c.aspect, typed, err)
		}
		for _, text := range []string{c.typed, c.usual} {
			usual, err := r.WithoutTypes(c.aspect, json.RawMessage(text))
			if err != nil || !jsontree.EqualText(usual, json.RawMessage(c.usual)) {
				t.Errorf("%s without types: %s %v", c.aspect, usual, err)
			}
		}
	}
	for _, bad := range []string{`{"fields":[{"type":{"type":{"__type":"StrinType"}}}]}`, `{"fields":[{"type":{"type":{"__type":5}}}]}`, `[]`, `{"a":`} {
		if usual, err := r.WithoutTypes("schemaMetadata", json.RawMessage(bad)); err == nil {
			t.Errorf("%s: %s", bad, usual)
		} else if strings.Contains(bad, "StrinType") && !strings.Contains(err.Error(), "did you mean StringType") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
