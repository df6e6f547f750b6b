package lineage_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/model"
)

// TestFindColumnStatedTwice: a column that a schema states twice is found and counted once, also
// if only the second statement has the label.
func TestFindColumnStatedTwice(t *testing.T) {
	h := catalogtest.NewSearchHarness(t)
	table := catalogtest.Dataset("hive", "found.twice", "PROD")
	once := schemaWith(map[string][]string{"mail": {}})
	twice := strings.Replace(once, `"fields":[`, `"fields":[{"fieldPath":"mail","nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}},`, 1)
	h.Say(table, model.AspectSchemaMetadata, strings.Replace(twice, labelsOf(), labelsOf(personal), 1))
	h.Follow()
	h.Await()
	for name, r := range map[string]lineage.ColumnsRequest{
		"by words": {Words: "mail", Count: 10},
		"by label": {Labels: catalogtest.URNs(personal), Count: 10},
	} {
		found, err := h.Lineage.FindColumns(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Columns) != 1 || found.Total != 1 || found.Datasets != 1 {
			t.Errorf("%s: %d columns, %d in all, of %d datasets", name, len(found.Columns), found.Total, found.Datasets)
		}
	}
}
