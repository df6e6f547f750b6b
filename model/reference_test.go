package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestLengthOfReferences: a URN in an aspect may be as long as the URN of an entity of its
// type. The URN of a column may be longer than that of an entity.
func TestLengthOfReferences(t *testing.T) {
	user := func(n int) string { return "urn:li:corpuser:" + strings.Repeat("u", n-encodedLen("urn:li:corpuser:")) }
	tag := func(n int) string { return "urn:li:tag:" + strings.Repeat("t", n-encodedLen("urn:li:tag:")) }
	column := func(n int) string {
		before := "urn:li:schemaField:(" + datasetA + ","
		return before + strings.Repeat("c", n-encodedLen(before)-3) + ")"
	}
	for name, c := range map[string]struct {
		aspect, value string
		urn           func(n int) string
		most          int
	}{
		"owners":       {"ownership", `{"owners":[{"owner":"$","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`, user, MaxURNBytes},
		"audit stamps": {"ownership", `{"owners":[],"lastModified":{"time":0,"actor":"$"}}`, user, MaxURNBytes},
		"tags":         {"globalTags", `{"tags":[{"tag":"$"}]}`, tag, MaxURNBytes},
		"upstreams": {"upstreamLineage", `{"upstreams":[{"dataset":"$","type":"VIEW"}]}`, func(n int) string {
			before, after := "urn:li:dataset:(urn:li:dataPlatform:hive,", ",PROD)"
			return before + strings.Repeat("d", n-encodedLen(before)-encodedLen(after)) + after
		}, MaxURNBytes},
		"columns":       {"upstreamLineage", `{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD","upstreams":["$"],"downstreams":["` + column(300) + `"]}]}`, column, limits.MaxColumnURNBytes},
		"columns shown": {"inputFields", `{"fields":[{"schemaFieldUrn":"$","schemaField":{"fieldPath":"a","nativeDataType":"n","type":{"type":{"com.linkedin.schema.StringType":{}}}}}]}`, column, limits.MaxColumnURNBytes},
		"paths shown":   {"inputFields", `{"fields":[{"schemaFieldUrn":"` + column(300) + `","schemaField":{"fieldPath":"$","nativeDataType":"n","type":{"type":{"com.linkedin.schema.StringType":{}}}}}]}`, func(n int) string { return strings.Repeat("p", n) }, maxColumnPath},
	} {
		for _, n := range []int{c.most, c.most + 1, 100_000} {
			urn := c.urn(n)
			if got := encodedLen(urn); got != n {
				t.Fatalf("%s: a URN of %d bytes, not %d", name, got, n)
			}
			_, err := Default().Parse(LI(), c.aspect, []byte(strings.ReplaceAll(c.value, "$", urn)))
			var fault *URNError
			switch {
			case n == c.most && err != nil:
				t.Errorf("%s of %d bytes: %v", name, n, err)
			case n > c.most && (!errors.As(err, &fault) || !strings.Contains(err.Error(), "longer than") || fault.Path == ""):
				t.Errorf("%s of %d bytes: %.300v", name, n, err)
			case n > c.most && len(err.Error()) > 500:
				t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
			}
		}
	}
}
