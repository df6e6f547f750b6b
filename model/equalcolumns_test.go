package model

import "testing"

// TestWithoutEqualColumns: lists of columns that are equal are left out of a comparison, unless other lists may state
// the same edges.
func TestWithoutEqualColumns(t *testing.T) {
	const columns = `"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD),x)"],"downstreams":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,b,PROD),x)"],"confidenceScore":1.0}]`
	parse := func(more string) *Value {
		t.Helper()
		v, err := Default().ParseStored(AspectDataJobInputOutput, []byte(`{"inputDatasets":[],"outputDatasets":[]`+more+`}`))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	with := func(v *Value) bool { _, has := v.Tree["fineGrainedLineages"]; return has }
	same := parse("," + columns)
	for _, c := range []struct {
		name  string
		other *Value
		kept  bool
	}{
		{"an equal list", parse("," + columns), false},
		{"another list", parse(`,"fineGrainedLineages":[]`), true},
		{"no list", parse(""), true},
		{"a list of columns besides", parse(`,"inputDatasetFields":["urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,a,PROD),x)"],` + columns), true},
	} {
		a, b := WithoutEqualColumns(same, c.other)
		if with(a) != c.kept || with(c.other) != with(b) && c.kept {
			t.Errorf("%s: the columns are kept: %v and %v", c.name, with(a), with(b))
		}
	}
	if !with(same) {
		t.Error("the value itself has lost its columns")
	}
	if a, b := WithoutEqualColumns(nil, same); a != nil || b != same {
		t.Error("a missing value")
	}
}
