package lineage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
)

// TestUnknownColumn: a question about a column that the entity's schema lacks
// is answered with NotFound and the nearest names, not with "nothing".
func TestUnknownColumn(t *testing.T) {
	h := catalogtest.NewLineageHarness(t)
	schema := func(fields ...string) string {
		var list []string
		for _, f := range fields {
			list = append(list, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, f))
		}
		return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(list, ",") + `]}`
	}
	h.Say(catalogtest.MartTable, "schemaMetadata", schema("total", "net_revenue", "former"))
	before := time.Now().UnixMilli()
	h.Say(catalogtest.MartTable, "schemaMetadata", schema("total", "net_revenue", "[version=2.0].[type=struct].[type=string].deep.name"))
	ask := map[string]func(column string, asOf int64) error{
		"impact": func(column string, asOf int64) error {
			_, err := h.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.MartTable, column)), AsOf: asOf}})
			return err
		},
		"lineage": func(column string, asOf int64) error {
			_, err := h.Lineage.Of(context.Background(), lineage.Request{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.MartTable, column)), Direction: lineage.Upstream, AsOf: asOf}, Count: 10})
			return err
		},
	}
	for name, ask := range ask {
		for _, c := range []struct {
			column string
			asOf   int64
			says   string
		}{
			{"total", 0, ""},
			{"net_revenue", 0, ""}, // without lineage
			{"deep.name", 0, ""},
			{"Net_Revenue", 0, "did you mean net_revenue?"},
			{"netrevenue", 0, "did you mean net_revenue?"},
			{"name", 0, "did you mean deep.name?"},
			{"former", 0, `no column "former"`},
			{"former", before, ""},
			{"nosuch", before, `no column "nosuch"`},
		} {
			err := ask(c.column, c.asOf)
			if c.says == "" && err != nil || c.says != "" && (catalog.CodeOf(err) != catalog.NotFound || !strings.Contains(catalog.MessageOf(err), c.says)) {
				t.Errorf("%s of %s as of %d: %v, want %q", name, c.column, c.asOf, err, c.says)
			}
		}
	}
	if _, err := h.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: catalogtest.URN(catalogtest.ColumnOf(catalogtest.RawTable, "any"))}}); err != nil {
		t.Errorf("an entity without a schema has any column: %v", err)
	}
}
