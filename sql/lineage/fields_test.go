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
