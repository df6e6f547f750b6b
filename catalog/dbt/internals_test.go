package dbt

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// endless is a file without an end.
type endless struct{}

func (endless) Read(to []byte) (int, error) { return len(to), nil }

// TestBytesLimit: an artifact as large as the limit is read, an artifact one byte larger is refused.
func TestBytesLimit(t *testing.T) {
	if n, err := io.Copy(io.Discard, limited(io.LimitReader(endless{}, limits.DBTArtifactBytes))); err != nil || n != limits.DBTArtifactBytes {
		t.Errorf("%d bytes: %v", n, err)
	}
	_, err := io.Copy(io.Discard, limited(io.LimitReader(endless{}, limits.DBTArtifactBytes+1)))
	if want := "the file has more than 536870912 bytes"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPython: values are spelled as Python spells them. The right sides are outputs of Python 3.11.
func TestPython(t *testing.T) {
	for value, want := range map[string][2]string{
		`"it's"`:                     {"it's", `"it's"`},
		`["it's", "a\"b'c"]`:         {`["it's", 'a"b\'c']`, `["it's", "a\"b'c"]`},
		`{"b": [1, 2.0], "a": null}`: {`{'b': [1, 2.0], 'a': None}`, `{"b": [1, 2.0], "a": null}`},
		`true`:                       {"True", "true"},
		`null`:                       {"None", "null"},
		`-0`:                         {"0", "0"},
		`1e16`:                       {"1e+16", "1e+16"},
		`0.00001`:                    {"1e-05", "1e-05"},
		`123456789012345678901`:      {"123456789012345678901", "123456789012345678901"},
		`["é\u0001😀\u00a0\\"]`:       {`['é\x01😀\xa0\\']`, `["\u00e9\u0001\ud83d\ude00\u00a0\\"]`},
		`["a\nb\tc"]`:                {`['a\nb\tc']`, `["a\nb\tc"]`},
	} {
		if got := pythonText(json.RawMessage(value)); got != want[0] {
			t.Errorf("str of %s: %s, want %s", value, got, want[0])
		}
		if got := pythonJSON(json.RawMessage(value)); got != want[1] {
			t.Errorf("dumps of %s: %s, want %s", value, got, want[1])
		}
	}
}

// TestTestNames: a generic test has a name of its own if dbt would have made another one. The names are those that dbt
// 1.11 makes.
func TestTestNames(t *testing.T) {
	arguments := func(text string) object {
		var o object
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, c := range []struct {
		name, test, tested, arguments string
		own                           bool
	}{
		{"unique_orders_id", "unique", "model.shop.orders", `{"column_name": "id", "model": "x"}`, false},
		{"orders_are_unique", "unique", "model.shop.orders", `{"column_name": "id", "model": "x"}`, true},
		{"source_unique_raw_orders_id", "unique", "source.shop.raw.orders", `{"column_name": "id"}`, false},
		{"unique_orders_v2_id", "unique", "model.shop.orders.v2", `{"column_name": "id"}`, false},
		{"unique_orders_id", "unique", "model.shop.orders.v2", `{"column_name": "id"}`, false},
		{"dbt_utils_unique_orders_id", "dbt_utils.unique", "model.shop.orders", `{"column_name": "id"}`, false},
		{"accepted_values_stg_picks_kilos__False__10_5__20_25___1", "accepted_values", "model.orchard.stg_picks", `{"column_name": "kilos", "values": [10.5, 20.25, -1], "quote": false}`, false},
		{"relationships_stg_picks_tree__tree__ref_trees_", "relationships", "model.orchard.stg_picks", `{"column_name": "tree", "to": "ref('trees')", "field": "tree"}`, false},
		{"later_orders_2024_01_01_00_00_00", "later", "model.shop.orders", `{"than": "2024-01-01T00:00:00"}`, false},
		{"accepted_values_a_long_name_of_7a8b1ab6e3eb1ec8b9e6c0bc5f4ab0f1", "accepted_values", "model.shop.a_long_name_of_a_model", `{"column_name": "a_long_name_of_a_column", "values": ["one", "two"]}`, true},
		{"anything", "", "model.shop.orders", `{}`, false},
		{"anything", "unique", "odd", `{}`, false},
	} {
		n := &Node{Name: c.name, test: &test{name: c.test, arguments: arguments(c.arguments)}}
		if got := n.hasOwnName([]string{c.tested}); got != c.own {
			t.Errorf("%s of %s: %t", c.name, c.test, got)
		}
	}
	short, full := madeName("accepted_values_a_long_name_of_a_model", arguments(`{"column_name": "a_long_name_of_a_column", "values": ["one", "two"]}`), pythonText)
	n := &Node{Name: short, test: &test{name: "accepted_values", arguments: arguments(`{"column_name": "a_long_name_of_a_column", "values": ["one", "two"]}`)}}
	if len(short) != 63 || len(full) < 64 || n.hasOwnName([]string{"model.shop.a_long_name_of_a_model"}) {
		t.Errorf("%s, %s", short, full)
	}
}

// TestColumnTypes: kinds are those of the client, with lengths on the platforms for which it reads them.
func TestColumnTypes(t *testing.T) {
	for _, c := range [][3]string{
		{"integer", "duckdb", "Number"},
		{"DECIMAL(38,2)", "duckdb", "Null"},
		{"DECIMAL(38,2)", "snowflake", "Number"},
		{"decimal(38, 2)", "snowflake", "Number"},
		{"TIMESTAMP_NTZ(9)", "snowflake", "Time"},
		{"TIMESTAMP(9)", "snowflake", "Time"},
		{"TIMESTAMP", "duckdb", "Bytes"},
		{"numeric(9,2)", "postgres", "Number"},
		{"character varying(256)", "redshift", "String"},
		{"odd[]", "postgres", "Array"},
		{"odd", "postgres", "Null"},
		{"timestamp(3)", "trino", "Time"},
		{"VARCHAR(3)", "trino", "String"},
		{"array<int>", "athena", "Array"},
		{"decimal(10,0)", "athena", "Number"},
		{"long varchar(3)", "vertica", "String"},
		{"", "postgres", "Null"},
	} {
		if got := columnType(c[0], c[1]); got != c[2] {
			t.Errorf("%s on %s: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
