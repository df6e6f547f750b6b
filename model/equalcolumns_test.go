package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestWithoutEqualColumns: lists of columns that are equal are left out of a comparison, unless other lists may state
// the same edges.
func TestWithoutEqualColumns(t *testing.T) {
	const (
		columns = `"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD),x)"],"downstreams":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD),x)"],"confidenceScore":1.0}]`
		fields  = `"inputDatasetFields":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD),x)"]`
	)
	value := func(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
	plain := value(`"inputDatasets":["x"]`, `"outputDatasets":[]`)
	same := value(`"inputDatasets":["x"]`, columns, `"outputDatasets":[]`)
	for _, c := range []struct {
		name, aspect, a, b string
		wantA, wantB       string
	}{
		{"an equal list", AspectDataJobInputOutput, same, value(columns, `"outputDatasets":["y"]`), plain, value(`"outputDatasets":["y"]`)},
		{"an equal list alone", AspectUpstreamLineage, value(columns), value(columns), "{}", "{}"},
		{"another list", AspectDataJobInputOutput, same, value(`"fineGrainedLineages":[]`), same, value(`"fineGrainedLineages":[]`)},
		{"no list", AspectDataJobInputOutput, same, plain, same, plain},
		{"no lists", AspectDataJobInputOutput, plain, plain, plain, plain},
		{"a list of columns besides", AspectDataJobInputOutput, same, value(fields, columns), same, value(fields, columns)},
		{"an aspect without columns", AspectStatus, value(columns), value(columns), value(columns), value(columns)},
		{"a missing value", AspectDataJobInputOutput, "", same, "", same},
		{"a damaged value", AspectDataJobInputOutput, same, strings.TrimSuffix(same, "}"), same, strings.TrimSuffix(same, "}")},
	} {
		a, b := WithoutEqualColumns(c.aspect, json.RawMessage(c.a), json.RawMessage(c.b))
		if string(a) != c.wantA || string(b) != c.wantB {
			t.Errorf("%s: %s and %s are compared, want %s and %s", c.name, a, b, c.wantA, c.wantB)
		}
	}
}
