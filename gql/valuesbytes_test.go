package gql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// valuesOf returns n values of datasetProperties that have so many bytes together.
func valuesOf(n, bytes int) []string {
	values := make([]string, n)
	for i := range values {
		size := bytes / n
		if i == 0 {
			size += bytes % n
		}
		head := fmt.Sprintf(`{"description":"%d`, i)
		values[i] = head + strings.Repeat("x", size-len(head)-len(`"}`)) + `"}`
	}
	return values
}

// TestLimitsOfValues: a page of the versions of an aspect, and one of the values of a run, has as many bytes of
// values as the limits allow. With one byte more it ends one value earlier, and the next page goes on there.
func TestLimitsOfValues(t *testing.T) {
	const n = 4
	for name, c := range map[string]struct {
		most int
		// urn is the entity of the value with a number.
		urn   func(i int) string
		query func(start int) string
	}{
		"aspectHistory": {limits.MaxHistoryBytes, func(int) string { return orders }, func(start int) string {
			return fmt.Sprintf(`{ page: aspectHistory(input: {urn: %q, aspect: "datasetProperties", start: %d, count: %d}) { total rows: versions { value } } }`, orders, start, limits.MaxHistoryCount)
		}},
		"run": {limits.MaxRunBytes, func(i int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,db.large%d,PROD)", i) }, func(start int) string {
			return fmt.Sprintf(`{ page: run(input: {runId: "large", values: true, start: %d, count: %d}) { total rows: effects { value: after } } }`, start, limits.MaxRunCount)
		}},
	} {
		for more, want := range []int{n, n - 1} {
			services := testcatalog.New(t)
			say := func(urn, aspect, value, run string) {
				if _, err := services.Ingest(context.Background(), write.Proposal{
					EntityType: "dataset", EntityURN: urn, AspectName: aspect, System: &catalog.SystemMetadata{RunID: run},
					Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
				}, catalog.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for i, value := range valuesOf(n, c.most+more) {
				say(c.urn(i), "status", `{"removed":false}`, "before") // the run that creates an entity writes its key too
				say(c.urn(i), "datasetProperties", value, "large")
			}
			h := gql.New(gql.Options{Catalog: services})
			read, first := 0, 0
			for total := n; read < total; {
				var answer struct {
					Data struct {
						Page struct {
							Total int
							Rows  []struct{ Value string }
						}
					}
				}
				text := ask(t, h, c.query(read), nil)
				if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Data.Page.Rows) == 0 {
					t.Fatalf("%s: %v: %.300s", name, err, text)
				}
				if read == 0 {
					first = len(answer.Data.Page.Rows)
				}
				read, total = read+len(answer.Data.Page.Rows), answer.Data.Page.Total
			}
			if first != want || read != n {
				t.Errorf("%s: with %d bytes beyond the limit, the first page has %d values and all pages have %d, want %d and %d", name, more, first, read, want, n)
			}
		}
	}
}
