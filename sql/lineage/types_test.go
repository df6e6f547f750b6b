package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/lineage"
)

// TestFieldsOfTypes: the types of each dialect give the paths of the fields in them.
func TestFieldsOfTypes(t *testing.T) {
	for kind, want := range map[string]string{
		"STRUCT<city STRING, geo STRUCT<lat FLOAT64, lon FLOAT64>, zip INT64>":                              "city geo geo.lat geo.lon zip",
		"ARRAY<STRUCT<sku STRING OPTIONS(description='a, b'), price NUMERIC(9, 2) NOT NULL>>":               "sku price",
		"struct<city:string,geo:struct<lat:double>,tags:map<string,struct<by:string>>>":                     "city geo geo.lat tags tags.by",
		"STRUCT<`home town`: STRING COMMENT 'a > b', `b.c`: INT, `n`: INT>":                                 "home town n",
		"array<struct<sku: decimal(9,2) COMMENT 'x, y', n: int NOT NULL>>":                                  "sku n",
		"row(city varchar(20), geo row(lat double precision), at timestamp(3) with time zone)":              "city geo geo.lat at",
		"array(row(sku varchar, price decimal(9, 2)))":                                                      "sku price",
		"row(varchar, double precision, timestamp with time zone)":                                          "",
		`row("Home Town" varchar, "double" precision_t)`:                                                    "Home Town double",
		"map(varchar, row(by varchar))":                                                                     "by",
		"Tuple(city String, geo Nullable(Tuple(lat Float64)), kind Enum8('a' = 1, 'b' = 2), n Array(Int8))": "city geo geo.lat kind n",
		"Nested(sku LowCardinality(String), price Decimal(9, 2))":                                           "sku price",
		"Tuple(String, Int8)": "",
		"STRUCT(city VARCHAR, \"geo\" STRUCT(lat DOUBLE)[])[]": "city geo geo.lat",
		"OBJECT(city VARCHAR NOT NULL, geo OBJECT(lat FLOAT))": "city geo geo.lat",
		"MAP(VARCHAR, OBJECT(by VARCHAR))":                     "by",
		"object":                                               "", "VARIANT": "", "struct": "", "int": "", "decimal(9,2)": "", "": "", "struct<": "", "struct<a": "", "struct<a:int": "", "row(": "", ">": "",
		"struct<a:struct<b:int>": "", "struct<:int>": "", "struct<>": "", "'": "", "struct<,>": "", "enum('a','b')": "",
	} {
		if diff := cmp.Diff(strings.Fields(want), strings.Fields(strings.Join(lineage.Fields(kind), " "))); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

// TestLimitsOfTypes: fields are known to a depth and to a size; beyond, the other fields are known nevertheless.
func TestLimitsOfTypes(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat("struct<a:", depth) + "int" + strings.Repeat(">", depth)
	}
	for depth, want := range map[int]int{limits.MaxSQLTypeDepth: limits.MaxSQLTypeDepth, limits.MaxSQLTypeDepth + 1: limits.MaxSQLTypeDepth} {
		if got := len(lineage.Fields(nested(depth))); got != want {
			t.Errorf("of %d levels, %d are known, not %d", depth, got, want)
		}
	}
	wide := func(size int) string {
		var b strings.Builder
		b.WriteString("struct<")
		for i := range size / 16 {
			fmt.Fprintf(&b, "%016d:int,", i)
		}
		return b.String() + "z:int>"
	}
	for size, want := range map[int]int{limits.MaxSQLTypeBytes - 16: limits.MaxSQLTypeBytes / 16, limits.MaxSQLTypeBytes: limits.MaxSQLTypeBytes / 16} {
		if got := len(lineage.Fields(wide(size))); got != want {
			t.Errorf("of a type whose fields have %d bytes, %d fields are known, not %d", size+1, got, want)
		}
	}
}

func FuzzFieldsOfTypes(f *testing.F) {
	for _, kind := range []string{"struct<a:int,b:struct<c:int>>", "row(a int, b array(row(c int)))", "Tuple(a Nullable(String))[]", "map<"} {
		f.Add(kind)
	}
	f.Fuzz(func(t *testing.T, kind string) {
		for _, path := range lineage.Fields(kind) {
			if path == "" || strings.HasPrefix(path, ".") {
				t.Errorf("%q has the path %q", kind, path)
			}
		}
	})
}
