package model_test

import (
	"slices"
	"testing"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

const (
	checkedOrders = `urn:li:dataset:(urn:li:dataPlatform:postgres,shop.marts.orders,PROD)`
	checkedColumn = `urn:li:schemaField:(` + checkedOrders + `,customer_id)`
)

// TestAssertionName: the name of an assertion says what it checks, for assertions of the clients'
// sources, of the newest kinds, and with names of their own. No name contains a hash.
func TestAssertionName(t *testing.T) {
	dbt := func(native, more string) string {
		return `{"type":"DATASET","customProperties":{"dbt_unique_id":"test.shop.x"},"datasetAssertion":{"dataset":"` + checkedOrders + `","fields":["` + checkedColumn + `"],"nativeType":"` + native + `"` + more + `}}`
	}
	for info, want := range map[string]string{
		dbt("not_null_orders_customer_id", `,"operator":"NOT_NULL"`):                                                                         "not_null orders.customer_id",
		dbt("unique_orders_customer_id", `,"aggregation":"UNIQUE_PROPOTION","operator":"EQUAL_TO","parameters":{"value":{"value":"1.0"}}`):   "unique orders.customer_id",
		dbt("source_not_null_raw_orders_customer_id", ``):                                                                                    "not_null orders.customer_id",
		dbt("accepted_values_orders_custome_0123456789abcdef0123456789abcdef", `,"operator":"IN","parameters":{"value":{"value":"[1, 2]"}}`): "accepted_values orders.customer_id",
		dbt("relationships_orders_customer_id__id__ref_customers_", `,"logic":"orders.customer_id referential integrity to customers.id"`):   "relationships orders.customer_id to customers.id",
		dbt("dbt_utils_expression_is_true_orders_total_0", ``):                                                                               "dbt_utils_expression_is_true orders.customer_id",
		dbt("dbt_utils_at_least_one_orders_v2_customer_id", `,"nativeParameters":{"model":"{{ get_where_subquery(ref('orders_v2')) }}"}`):    "dbt_utils_at_least_one orders.customer_id",
		dbt("orders_add_up", ``): "orders_add_up orders.customer_id",
		`{"type":"CUSTOM","customAssertion":{"type":"dbt","entity":"` + checkedOrders + `","field":"` + checkedColumn + `","nativeType":"not_null_orders_customer_id","operator":"NOT_NULL","aggregation":"IDENTITY"}}`:                  "not_null orders.customer_id",
		`{"type":"CUSTOM","customAssertion":{"type":"dbt Freshness","entity":"` + checkedOrders + `"}}`:                                                                                                                                  "dbt Freshness orders",
		`{"type":"DATASET","datasetAssertion":{"dataset":"` + checkedOrders + `","fields":["` + checkedColumn + `"],"nativeType":"expect_column_values_to_be_between","operator":"BETWEEN"}}`:                                            "expect_column_values_to_be_between orders.customer_id",
		`{"type":"DATASET","datasetAssertion":{"dataset":"` + checkedOrders + `","scope":"DATASET_ROWS","operator":"GREATER_THAN","aggregation":"ROW_COUNT","parameters":{"value":{"value":"0","type":"NUMBER"}}}}`:                      "row_count orders > 0",
		`{"type":"DATASET","datasetAssertion":{"dataset":"` + checkedOrders + `","fields":["` + checkedColumn + `"],"operator":"NOT_NULL"}}`:                                                                                             "not_null orders.customer_id",
		`{"type":"FRESHNESS","freshnessAssertion":{"type":"DATASET_CHANGE","entity":"` + checkedOrders + `","schedule":{"type":"FIXED_INTERVAL","fixedInterval":{"unit":"HOUR","multiple":8}}}}`:                                         "freshness orders within 8 hours",
		`{"type":"VOLUME","volumeAssertion":{"type":"ROW_COUNT_TOTAL","entity":"` + checkedOrders + `","rowCountTotal":{"operator":"BETWEEN","parameters":{"minValue":{"value":"1"},"maxValue":{"value":"9"}}}}}`:                        "volume orders between 1 and 9",
		`{"type":"FIELD","fieldAssertion":{"type":"FIELD_METRIC","entity":"` + checkedOrders + `","fieldMetricAssertion":{"field":{"path":"total"},"metric":"NULL_COUNT","operator":"LESS_THAN","parameters":{"value":{"value":"5"}}}}}`: "null_count orders.total < 5",
		`{"type":"FIELD","fieldAssertion":{"type":"FIELD_VALUES","entity":"` + checkedOrders + `","fieldValuesAssertion":{"field":{"path":"total"},"operator":"NOT_NULL"}}}`:                                                             "not_null orders.total",
		`{"type":"DATA_SCHEMA","schemaAssertion":{"entity":"` + checkedOrders + `"}}`:                                                                                                                                                    "schema orders",
		`{"type":"CUSTOM","description":"  Orders add up\nevery day","customAssertion":{"type":"x","entity":"` + checkedOrders + `"}}`:                                                                                                   "Orders add up",
		`{"type":"DATASET"}`: "dataset",
		`{}`:                 "",
	} {
		tree, err := jsontree.DecodeObject([]byte(info))
		if err != nil {
			t.Fatal(info, err)
		}
		if got := model.AssertionName(tree); got != want {
			t.Errorf("%s\n is named %q, want %q", info, got, want)
		}
	}
}

// TestAssertionSubject: AssertionSubject reads the subject from each kind of condition.
func TestAssertionSubject(t *testing.T) {
	for info, want := range map[string][]string{
		`{"datasetAssertion":{"dataset":"` + checkedOrders + `","fields":["` + checkedColumn + `"]}}`:                               {checkedOrders, "customer_id"},
		`{"customAssertion":{"entity":"` + checkedOrders + `","field":"` + checkedColumn + `","fields":["` + checkedColumn + `"]}}`: {checkedOrders, "customer_id"},
		`{"fieldAssertion":{"entity":"` + checkedOrders + `","fieldPath":"a","fieldValuesAssertion":{"field":{"path":"b"}}}}`:       {checkedOrders, "b", "a"},
		`{"sqlAssertion":{"entity":"` + checkedOrders + `"}}`:                                                                       {checkedOrders},
		`{"entityUrn":"` + checkedOrders + `"}`:                                                                                     {checkedOrders},
		`{}`:                                                                                                                        {""},
	} {
		tree, err := jsontree.DecodeObject([]byte(info))
		if err != nil {
			t.Fatal(info, err)
		}
		entity, columns := model.AssertionSubject(tree)
		if got := append([]string{entity}, columns...); !slices.Equal(got, want) {
			t.Errorf("%s is about %v, want %v", info, got, want)
		}
	}
}
