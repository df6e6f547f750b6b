package sample

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// damaged are the marts to which the bad run wrote.
var damaged = []string{"orders", "customers", "revenue_daily"}

// testWarehouse emits the metadata that the bad run read from the test warehouse instead of the
// real one. The tables there are copies that lack columns and derive from other tables.
func (b *builder) testWarehouse() {
	lost := map[string][]string{"orders": {"gross_revenue", "net_revenue"}, "customers": {"email", "city"}, "revenue_daily": {"gross_revenue"}}
	from := map[string]string{"orders": "analytics.raw.orders", "customers": "analytics.raw.customers", "revenue_daily": "analytics.raw.payments"}
	for i := range marts {
		m := &marts[i]
		if !slices.Contains(damaged, m.name) {
			continue
		}
		t := table{platform: "snowflake", name: "analytics.marts." + m.name, about: "Copy for tests. Do not use."}
		for _, c := range m.columnsAt(pricesStaged) {
			definition, _, _ := strings.Cut(c, "<")
			if name, _, _ := strings.Cut(definition, ":"); !slices.Contains(lost[m.name], name) {
				t.columns = append(t.columns, definition)
			}
		}
		b.put(t.urn(), model.AspectDatasetProperties, t.properties())
		b.put(t.urn(), model.AspectSchemaMetadata, b.schema(&t))
		b.put(t.urn(), model.AspectUpstreamLineage, b.lineage(t.urn(), []string{dataset("snowflake", from[m.name])}, nil))
	}
}
