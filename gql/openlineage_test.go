package gql_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestOpenLineage: GraphQL answers with the same facts from OpenLineage events about a run, a job and a
// dataset as REST, and with the events.
func TestOpenLineage(t *testing.T) {
	c := testcatalog.New(t)
	h := gql.New(gql.Options{Catalog: c})
	const event = `{"eventType":"START","eventTime":"2026-11-27T10:00:00Z","producer":"p","run":{"runId":"r3","facets":{"nominalTime":{"nominalStartTime":"2026-11-27T10:00:00Z"}}},` +
		`"job":{"namespace":"nightly","name":"copy","facets":{"sql":{"query":"select 1"}}},"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":{"documentation":{"description":"All orders"}},"inputFacets":{"dataQualityMetrics":{"rowCount":3}}}]}`
	if err := c.OpenLineage.Take(t.Context(), json.RawMessage(event), catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	const facets = `{ name eventTime runId facet }`
	const query = `query q($urn: String!) { openLineage(urn: $urn) { urn namespace name runId olderDropped facets ` + facets +
		` inputs { namespace name facets ` + facets + ` } outputs { name } events { eventTime eventType bytes event } } }`
	quoted := func(text string) string {
		written, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(written)
	}
	for urn, wanted := range map[string][]string{
		"urn:li:dataProcessInstance:r3": {
			`"runId":"r3"`, `"facets":[{"name":"nominalTime","eventTime":"2026-11-27T10:00:00Z"`, quoted(`{"nominalStartTime":"2026-11-27T10:00:00Z"}`),
			`"inputs":[{"namespace":"postgres://db:5432","name":"shop.public.orders","facets":[{"name":"dataQualityMetrics"`, `"outputs":[]`, `"olderDropped":false`,
			`"eventType":"START"`, `"event":` + quoted(event),
		},
		"urn:li:dataJob:(urn:li:dataFlow:(unknown,copy,nightly),copy)":          {`"namespace":"nightly","name":"copy","runId":null`, `"name":"sql"`, quoted(`{"query":"select 1"}`), `"events":[]`},
		"urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)": {`"name":"shop.public.orders"`, `"name":"documentation"`, `"runId":"r3"`, `"events":[]`},
		"urn:li:dataProcessInstance:none":                                       {`{"errors":[{"message":"`, "no OpenLineage event has told of"},
		"urn:li:tag:x":                                                          {`{"errors":[{"message":"`, "is another entity"},
		"x":                                                                     {`{"errors":[{"message":"`},
	} {
		answer := ask(t, h, query, map[string]any{"urn": urn})
		for _, want := range wanted {
			if !strings.Contains(answer, want) {
				t.Errorf("%s: no %s in %s", urn, want, answer)
			}
		}
	}
}
