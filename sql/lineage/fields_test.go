package lineage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/sql/lineage"
)

// people is a table with a struct, a struct in a struct, an array of structs and a map.
const people = `{"people": {"id": "int64", "name": "string", "address": "struct", "address.city": "string", "address.geo": "struct", "address.geo.lat": "float64",
	"items": "array", "items.sku": "string", "items.price": "struct", "items.price.amount": "numeric", "tags": "map"}, "orders": {"person": "int64", "city": "string"}}`

// TestFieldsInsideColumns: a name that goes on after a column means the field of the struct, also through queries, arrays and
// subscripts; a field that is not known means the nearest one that is known around it.
func TestFieldsInsideColumns(t *testing.T) {
	schema, err := lineage.ReadSchema(strings.NewReader(people))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dialect, sql   string
		outputs, reads []string
	}{
		{"bigquery", "select address.city from people", []string{"city<i:people.address.city"}, nil},
		{"bigquery", "select p.address.geo.lat as lat, upper(p.Address.City) as c from people p", []string{"lat<i:people.address.geo.lat", "c<t:people.address.city"}, nil},
		{"databricks", "select address.geo.unknown.more as x, address from people", []string{"x<t:people.address.geo", "address<i:people.address"}, nil},
		{
			"bigquery", "select id from people where address.city = 'Bern' group by id, address.geo.lat having max(address.geo.lat) > 1 order by address.city",
			[]string{"id<i:people.id"},
			[]string{"filter:people.address.city", "group:people.address.geo.lat", "group:people.id", "having:people.address.geo.lat", "order:people.address.city"},
		},
		{"bigquery", "with q as (select address as a, id from people) select q.a.city from q where q.a.geo.lat > 0", []string{"city<i:people.address.city"}, []string{"filter:people.address.geo.lat", "select:people.address", "select:people.id"}},
		{"bigquery", "select x.g.lat from (select address.geo as g from people) x", []string{"lat<i:people.address.geo.lat"}, []string{"select:people.address.geo"}},
		{"bigquery", "select to_json_string(address) as j from people", []string{"j<t:people.address"}, nil},
		{"bigquery", "select f.city from (select parse(address) as f from people)", []string{"city<t:people.address"}, nil},
		{"bigquery", "select i.sku, i.price.amount from people, unnest(items) as i", []string{"sku<t:people.items.sku", "amount<t:people.items.price.amount"}, []string{"select:people.items"}},
		{"bigquery", "select i.sku from people p, p.items as i", []string{"sku<t:people.items.sku"}, []string{"select:people.items"}},
		{"bigquery", "select items[offset(0)].sku from people", []string{"sku<t:people.items.sku"}, nil},
		{"databricks", "select items[0].price.amount as a, tags['x'] as b from people", []string{"a<t:people.items.price.amount", "b<t:people.tags"}, nil},
		{"databricks", "select (items[0]).price.amount as a from people", []string{"a<t:people.items.price.amount"}, nil},
		{"databricks", "select i.sku from people lateral view explode(items) e as i where i.price.amount > 1", []string{"sku<t:people.items.sku"}, []string{"filter:people.items.price.amount", "select:people.items"}},
		{"spark", "select e.i.sku from people lateral view explode(items) e as i", []string{"sku<t:people.items.sku"}, []string{"select:people.items"}},
		{
			"databricks", "select p.id from people p join orders o on p.address.city = o.city and p.id = o.person",
			[]string{"id<i:people.id"},
			[]string{"join:orders.city", "join:orders.person", "join:people.address.city", "join:people.id"},
		},
		{"bigquery", "select * from people", []string{"id<i:people.id", "name<i:people.name", "address<i:people.address", "items<i:people.items", "tags<i:people.tags"}, nil},
		{"duckdb", "select address.city, p.address.geo.lat from people p", []string{"city<i:people.address.city", "lat<i:people.address.geo.lat"}, nil},
		{"bigquery", "select p.address.city from people p union all select o.city from orders o", []string{"city<i:orders.city+people.address.city"}, nil},
	} {
		statements, err := reader.Read(t.Context(), c.sql, lineage.Settings{Dialect: c.dialect, Tables: schema.Tables})
		if err != nil || len(statements) != 1 || len(statements[0].NotUnderstood) > 0 {
			t.Errorf("%s %s: %v %+v", c.dialect, c.sql, err, statements)
			continue
		}
		outputs, reads := written(statements[0])
		if diff := cmp.Diff([2][]string{c.outputs, c.reads}, [2][]string{outputs, reads}); diff != "" {
			t.Errorf("%s %s: %s", c.dialect, c.sql, diff)
		}
	}
}

// typed has, by dialect, the definition of a table whose types have the fields.
var typed = map[string]string{
	"bigquery":   `{"people": {"id": "INT64", "address": "STRUCT<city STRING, geo STRUCT<lat FLOAT64>>", "items": "ARRAY<STRUCT<sku STRING, price NUMERIC(9, 2)>>"}}`,
	"databricks": `{"people": {"id": "int", "address": "struct<city:string,geo:struct<lat:double>>", "items": "array<struct<sku:string,price:decimal(9,2)>>"}}`,
	"trino":      `{"people": {"id": "integer", "address": "row(city varchar, geo row(lat double))", "items": "array(row(sku varchar, price decimal(9, 2)))"}}`,
	"clickhouse": `{"people": {"id": "Int32", "address": "Tuple(city String, geo Tuple(lat Float64))", "items": "Nested(sku String, price Decimal(9, 2))"}}`,
	"duckdb":     `{"people": {"id": "INTEGER", "address": "STRUCT(city VARCHAR, geo STRUCT(lat DOUBLE))", "items": "STRUCT(sku VARCHAR, price DECIMAL(9, 2))[]"}}`,
	"snowflake":  `{"people": {"id": "NUMBER", "address": "OBJECT(city VARCHAR, geo OBJECT(lat FLOAT))", "items": "ARRAY(OBJECT(sku VARCHAR, price NUMBER(9, 2)))"}}`,
	"postgres":   `{"people": {"id": "integer", "address": "row(city text, geo row(lat float8))", "items": "json"}}`,
}

// TestFieldsOfTypedColumns: the types of a schema give the fields; a star after a column means its fields.
func TestFieldsOfTypedColumns(t *testing.T) {
	address := []string{"city<i:people.address.city", "geo<i:people.address.geo"}
	all := []string{"id<i:people.id", "address<i:people.address", "items<i:people.items"}
	elements := []string{"sku<t:people.items.sku", "price<t:people.items.price"}
	none := []string{"select:people.address"}
	for _, c := range []struct {
		dialect, sql   string
		outputs, reads []string
	}{
		{"bigquery", "select address.* from people", address, none},
		{"bigquery", "select p.address.* from people p", address, none},
		{"bigquery", "select people.address.geo.* from people", []string{"lat<i:people.address.geo.lat"}, []string{"select:people.address.geo"}},
		{"bigquery", "select address.* except (geo) from people", address[:1], []string{"select:people.address", "select:people.address.geo"}},
		{"bigquery", "select q.a.* from (select address as a from people) q", address, none},
		{"bigquery", "with q as (select address.* from people) select geo.lat, city from q", []string{"lat<i:people.address.geo.lat", "city<i:people.address.city"}, []string{"select:people.address", "star:people.address.geo"}},
		{"bigquery", "select * from people", all, nil},
		{"bigquery", "select i.* from people, unnest(items) as i", elements, []string{"select:people.items"}},
		{"bigquery", "select i, sku from people, unnest(items) as i", []string{"i<t:people.items", "sku<t:people.items.sku"}, nil},
		{"bigquery", "select * from unnest((select items from people)) as i", []string{"i<t:people.items", "*<t:people.items"}, nil},
		{"databricks", "select address.* from people", address, none},
		{"databricks", "select address['city'] as c, items[0]['sku'] as s from people", []string{"c<i:people.address.city", "s<t:people.items.sku"}, nil},
		{"databricks", "select address:geo.lat as l from people", []string{"l<i:people.address.geo.lat"}, nil},
		{"spark", "select i.* from people lateral view inline(items) i", elements, []string{"select:people.items"}},
		{"spark", "select s, p from people lateral view inline(items) i as s, p", []string{"s<t:people.items.sku", "p<t:people.items.price"}, []string{"select:people.items"}},
		{"trino", "select address.*, t.address.geo.lat from people t", append(address[:2:2], "lat<i:people.address.geo.lat"), none},
		{"trino", "select s, p from people cross join unnest(items) as i(s, p)", []string{"s<t:people.items.sku", "p<t:people.items.price"}, []string{"select:people.items"}},
		{"clickhouse", "select address.*, tupleElement(address, 'city') as c, items.sku from people", append(address[:2:2], "c<i:people.address.city", "sku<i:people.items.sku"), none},
		{"duckdb", "select address.*, address['geo'].lat as l, struct_extract(address, 'city') as c from people", append(address[:2:2], "l<i:people.address.geo.lat", "c<i:people.address.city"), none},
		{"duckdb", "select p.id from people p where p.address['geo']['lat'] > 0", []string{"id<i:people.id"}, []string{"filter:people.address.geo.lat"}},
		{"snowflake", "select address:city::string as c, t.address:geo.lat as l, items[0].sku as s, items:unknown.more as u from people t", []string{"c<t:people.address.city", "l<i:people.address.geo.lat", "s<t:people.items.sku", "u<t:people.items"}, nil},
		{"snowflake", "select id from people where address:geo['lat'] > 0 order by items[id].price", []string{"id<i:people.id"}, []string{"filter:people.address.geo.lat", "order:people.id", "order:people.items.price"}},
		{"postgres", "select (p.address).*, (address).city as c, items->'a' as i from people p", append(address[:2:2], "c<i:people.address.city", "i<t:people.items"), none},
	} {
		schema, err := lineage.ReadSchema(strings.NewReader(typed[strings.Replace(c.dialect, "spark", "databricks", 1)]))
		if err != nil {
			t.Fatal(err)
		}
		statements, err := reader.Read(t.Context(), c.sql, lineage.Settings{Dialect: c.dialect, Tables: schema.Tables})
		if err != nil || len(statements) != 1 || len(statements[0].NotUnderstood) > 0 {
			t.Errorf("%s %s: %v %+v", c.dialect, c.sql, err, statements)
			continue
		}
		outputs, reads := written(statements[0])
		if diff := cmp.Diff([2][]string{c.outputs, c.reads}, [2][]string{outputs, reads}); diff != "" {
			t.Errorf("%s %s: %s", c.dialect, c.sql, diff)
		}
	}
}

// TestFieldsOfTablesOfTheScript: tables that a script makes have the fields of their types, the fields of the columns
// that they were made of, and the fields that ALTER TABLE leaves.
func TestFieldsOfTablesOfTheScript(t *testing.T) {
	for dialect, made := range map[string]string{
		"bigquery":   "create table made (id int64, a struct<city string, geo struct<lat float64>>)",
		"databricks": "create table made (id int, a struct<city: string, geo: struct<lat: double>>)",
		"trino":      "create table made (id int, a row(city varchar, geo row(lat double)))",
		"clickhouse": "create table made (id Int32, a Tuple(city String, geo Tuple(lat Float64)))",
		"duckdb":     "create table made (id int, a struct(city varchar, geo struct(lat double)))",
		"snowflake":  "create table made (id int, a object(city varchar, geo object(lat float)))",
	} {
		script := made + "; create table copy as select a as b, id from made; alter table copy rename column b to c; alter table copy drop column id;" +
			"select a.*, a.geo.lat as l from made; select c.city, c.geo.* from copy; select * from copy"
		statements, err := reader.Read(t.Context(), script, lineage.Settings{Dialect: dialect})
		if err != nil || len(statements) != 7 {
			t.Fatal(dialect, err, len(statements))
		}
		for i, want := range [][]string{
			{"city<i:made.a.city", "geo<i:made.a.geo", "l<i:made.a.geo.lat"}, {"city<i:copy.c.city", "lat<i:copy.c.geo.lat"}, {"c<i:copy.c"},
		} {
			outputs, _ := written(statements[4+i])
			if diff := cmp.Diff(want, outputs); diff != "" || len(statements[4+i].NotUnderstood) > 0 {
				t.Errorf("%s, statement %d: %s %v", dialect, 5+i, diff, statements[4+i].NotUnderstood)
			}
		}
	}
}
