package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestColumnEdgesAreBounded: the number of column edges of an aspect is bounded. An entry
// of fine-grained lineage states an edge for every pair of its columns, so a small value
// could state very many.
func TestColumnEdgesAreBounded(t *testing.T) {
	columns := func(table string, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:x,%s,PROD),c%d)"`, table, i)
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	value := func(upstreams, downstreams int) []byte {
		return []byte(`{"upstreams":[],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD_SET","upstreams":` +
			columns("a", upstreams) + `,"downstreams":` + columns("b", downstreams) + `}]}`)
	}
	var fault *ValidationError
	if _, err := Default().Parse(LI(), "upstreamLineage", value(400, 251)); !errors.As(err, &fault) || !strings.Contains(err.Error(), "more than 100000 edges") {
		t.Errorf("too many pairs: %v", err)
	}
	if _, err := Default().Parse(LI(), "upstreamLineage", value(400, 250)); err != nil {
		t.Errorf("as many pairs as are taken: %v", err)
	}
}
