package lineage_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

var reader lineage.Reader

func TestMain(m *testing.M) {
	reader.Parser = parser.New(testsql.Cache())
	code := m.Run()
	_ = reader.Parser.Close()
	os.Exit(code)
}

var shop = map[string][]string{
	"orders": {"id", "customer", "amount", "state", "note"}, "customers": {"id", "name", "region", "email"},
	"items": {"order_id", "sku", "qty"},
}

func tables(_ context.Context, parts []string) (*lineage.Table, error) {
	name := parts[len(parts)-1]
	for known, columns := range shop {
		if strings.EqualFold(known, name) {
			return &lineage.Table{Name: known, Columns: columns}, nil
		}
	}
	return nil, nil
}

// written is a statement in few words: outputs as "name<how:table.column+…", reads as
// "clause:table.column".
func written(s lineage.Statement) (outputs, reads []string) {
	for _, o := range s.Columns {
		var from []string
		for _, c := range o.Sources {
			mark := ""
			if c.Possible {
				mark = "?"
			}
			from = append(from, c.Table+"."+c.Column+mark)
		}
		slices.Sort(from)
		outputs = append(outputs, fmt.Sprintf("%s<%.1s:%s", o.Output, o.How, strings.Join(from, "+")))
	}
	for _, r := range s.ColumnsRead {
		reads = append(reads, r.Clause+":"+r.Table+"."+r.Column)
	}
	slices.Sort(reads)
	return outputs, slices.Compact(reads)
}

func TestQueries(t *testing.T) {
	for _, c := range []struct{ dialect, sql, outputs, reads string }{
		{
			"postgres", "select id, amount * 2 as twice from orders where state = 'x' order by note",
			"id<i:orders.id twice<t:orders.amount", "filter:orders.state order:orders.note",
		},
		{
			"postgres", "with c as (select o.id, sum(amount) total from orders o join customers k on k.id = o.customer where region = 'EU' group by o.id) select id, total from c",
			"id<i:orders.id total<a:orders.amount", "filter:customers.region group:orders.id join:customers.id join:orders.customer",
		},
		{
			"postgres", "select o.id from orders o join customers c using (id) where o.state having c.name",
			"id<i:orders.id", "filter:orders.state having:customers.name join:customers.id join:orders.id",
		},
		{"snowflake", "select id from orders qualify state", "id<i:orders.id", "qualify:orders.state"},
		{ // a join that begins with a query, in parentheses with an alias
			"postgres", "select t.q from ((select x.id from orders x) s join items k(p, q) on q = s.id) t",
			"q<i:items.sku", "join:items.sku join:orders.id",
		},
		{
			"postgres", "select * from items i join orders o on o.id = i.order_id",
			"order_id<i:items.order_id sku<i:items.sku qty<i:items.qty id<i:orders.id customer<i:orders.customer amount<i:orders.amount state<i:orders.state note<i:orders.note",
			"join:items.order_id join:orders.id",
		},
		{
			"postgres", "select u.*, n from unknown u cross join lateral (select count(*) n, max(qty) m from items where order_id = u.id) l",
			"n<t: *<i:unknown.*", "filter:items.order_id filter:unknown.id select:items.qty",
		},
		{"postgres", "select to_jsonb(c) j from customers c", "j<t:customers.email+customers.id+customers.name+customers.region", ""},
		{"postgres", "select a from (select 1) as x(a) union select name from customers", "a<i:customers.name", ""},
		{"postgres", "select a.b, b.n from orders as a(b, c) join customers as b(d, n) on a.c = b.d", "b<i:orders.id n<i:customers.name", "join:customers.id join:orders.customer"},
		{"postgres", "select sku from items natural join (select id as order_id from orders) o", "sku<i:items.sku", "join:items.order_id join:orders.id"},
		{
			"postgres", "select id from orders where customer in (select id from customers where region = 'EU') and exists (select 1 from items where order_id = orders.id)",
			"id<i:orders.id", "filter:customers.region filter:items.order_id filter:orders.customer filter:orders.id subquery:customers.id",
		},
		{
			"postgres", "select row_number() over (partition by customer order by amount) n, sum(amount) over w s from orders window w as (order by id)",
			"n<t: s<a:orders.amount", "window:orders.amount window:orders.customer window:orders.id",
		},
		{"postgres", "with recursive r as (select id, 1 as depth from orders union all select r.id, depth + 1 from r) select id, depth from r", "id<i:orders.id depth<t:", ""},
		{"postgres", "select x, y from a join b on a.k = b.k", "x<i:a.x?+b.x? y<i:a.y?+b.y?", "join:a.k join:b.k"},
		{"postgres", "select state s, count(*) from orders group by s having count(*) > 1 order by 2", "s<i:orders.state count<t:", "group:orders.state"},
		{"postgres", "insert into items (sku, qty) select note, amount from orders where id > 1", "sku<i:orders.note qty<i:orders.amount", "filter:orders.id"},
		{"postgres", "insert into items select id, note, amount from orders", "order_id<i:orders.id sku<i:orders.note qty<i:orders.amount", ""},
		{
			"postgres", "insert into items as i (order_id, qty) select id, amount from orders on conflict (order_id) do update set qty = i.qty + excluded.qty",
			"order_id<i:orders.id qty<t:items.qty+orders.amount", "",
		},
		{"postgres", "update orders set amount = i.qty * 2 from items i where i.order_id = orders.id", "amount<t:items.qty", "filter:items.order_id filter:orders.id"},
		{"postgres", "delete from orders using customers c where c.id = customer and region = 'x'", "", "filter:customers.id filter:customers.region filter:orders.customer"},
		{"postgres", "create view v(a) as select id from orders; select a from v", "a<i:orders.id / a<i:v.a", ""},
		{
			"postgres", "create temp table v as select id a, amount from orders where state = 'x'; insert into items (qty) select amount from v where a > 1",
			"a<i:orders.id amount<i:orders.amount / qty<i:orders.amount", "filter:orders.state / filter:orders.id",
		},
		{"tsql", "select id as a, n = isnull(note, '') into #t from [orders] o; select #t.a from #t", "a<i:orders.id n<t:orders.note / a<i:orders.id", ""},
		{"tsql", "update o set o.amount = i.qty from orders o join items i on i.order_id = o.id", "amount<i:items.qty", "join:items.order_id join:orders.id"},
		{
			"tsql", "merge into orders t using (select * from items) s on t.id = s.order_id when matched and s.qty > 0 then update set t.amount = s.qty when not matched then insert (id, note) values (s.order_id, s.sku);",
			"amount<i:items.qty id<i:items.order_id note<i:items.sku", "filter:items.qty join:items.order_id join:orders.id",
		},
		{"mysql", "update orders o join items i on i.order_id = o.id set o.amount = i.qty", "amount<i:items.qty", "join:items.order_id join:orders.id"},
		{
			"snowflake", "select id as a, a + 1 as b from orders qualify row_number() over (partition by customer order by id) = 1",
			"a<i:orders.id b<t:orders.id", "window:orders.customer window:orders.id",
		},
		{"snowflake", "select f.value::string v, note:a.b::int w from orders, lateral flatten(input => note) f", "v<t:orders.note w<t:orders.note", ""},
		{"bigquery", "select * except (email, id) replace (upper(name) as name) from customers", "name<t:customers.name region<i:customers.region", "select:customers.email select:customers.id"},
		{"duckdb", "select q.* exclude (amount) from (select id, amount, note from orders) q", "id<i:orders.id note<i:orders.note", "select:orders.amount"},
		{"postgres", "table items", "order_id<i:items.order_id sku<i:items.sku qty<i:items.qty", ""},
		{"postgres", "create view v as table items", "order_id<i:items.order_id sku<i:items.sku qty<i:items.qty", ""},
		{"postgres", "select r.sku from (table shop.items) r where r.qty > 1", "sku<i:items.sku", "filter:items.qty star:items.order_id"},
		{
			"oracle", "create global temporary table made on commit preserve rows as with c as (select id, amount from orders) select id, sum(amount) as total from c group by id; select total from made",
			"id<i:orders.id total<a:orders.amount / total<a:orders.amount", "group:orders.id",
		},
		{"oracle", "create global temporary table made as with c as (select id from orders) select id from c intersect select customer as id from orders; select id from made", "id<i:orders.id / id<i:orders.id", "filter:orders.customer"},
		{"bigquery", "select e, i.x from t, unnest(arr) as e cross join t.items i", "e<t:t.arr x<t:t.items", ""},
		{"spark", "select q, transform(arr, v -> v + amount) w from orders lateral view explode(note) z as q", "q<t:orders.note w<t:orders.amount", ""},
		{"clickhouse", "select sumIf(amount, state = 'x') s from orders prewhere id = 1", "s<a:orders.amount+orders.state", "filter:orders.id"},
		{"oracle", "select o.state, max(o.amount) keep (dense_rank last order by o.id) as newest from orders o group by o.state", "state<i:orders.state newest<a:orders.amount", "group:orders.state order:orders.id"},
		{"bigquery", "insert items (sku)\nselect note from orders where id > 1", "sku<i:orders.note", "filter:orders.id"},
		{"oracle", "select o.id from orders o, customers c where o.customer = c.id(+)", "id<i:orders.id", "filter:customers.id filter:orders.customer"},
		{"duckdb", "from orders select id", "id<i:orders.id", ""},
		{"snowflake", "select * from (select customer, state, amount from orders) pivot (sum(amount) for state in ('a', 'b')) p", "customer<i:orders.customer *<a:orders.amount", "group:orders.state"},
		{"postgres", "delete from shop.orders as o using shop.items i where i.order_id = o.id and i.qty > 1", "", "filter:items.order_id filter:items.qty filter:orders.id"},
		{"postgres", "create view v as (select name from customers limit 1) union (select sku from items)", "name<i:customers.name+items.sku", ""},
		{"redshift", "create table t distkey (1) sortkey (1) as with q as (select id from orders) select * from q", "id<i:orders.id", ""},
		{"snowflake", "create or replace view v with tag (a = 'b') as select id from orders", "id<i:orders.id", ""},
		{"postgres", "select x1 from (orders o join items i on o.id = i.order_id) as q(x1, x2)", "x1<i:orders.id", "join:items.order_id join:orders.id"},
		{"postgres", "select j.a, column2 from orders, jsonb_to_recordset(note) as j(a int, b text), (values (1, 2)) v", "a<t:orders.note column2<t:", ""},
		{"mysql", "select u.tag from orders o cross join json_table(o.note, '$[*]' columns (tag varchar(9) path '$')) as u", "tag<t:orders.note", ""},
		{"tsql", "select z.q from orders o outer apply (select qty as q from items where order_id = o.id) z", "q<i:items.qty", "filter:items.order_id filter:orders.id"},
		{"duckdb", "select * from items join (select id as order_id, note as sku2 from orders) o using (order_id)", "order_id<i:items.order_id+orders.id sku<i:items.sku qty<i:items.qty sku2<i:orders.note", "join:items.order_id join:orders.id"},
		{"postgres", "select id from orders where amount > (select max(qty) from items) union all select id from customers union select order_id from items", "id<i:customers.id+items.order_id+orders.id", "filter:orders.amount subquery:items.qty"},
		{"spark", "select order_id, sku from items left semi join (select id as order_id from orders) o using (order_id)", "order_id<i:items.order_id sku<i:items.sku", "join:items.order_id join:orders.id"},
		{"postgres", "select o.added, o.id from orders o", "added<i:orders.added? id<i:orders.id", ""},
		{"postgres", "select customers.* /* all */, 1 from customers", "id<i:customers.id name<i:customers.name region<i:customers.region email<i:customers.email _col_0<t:", ""},
		{"clickhouse", "select amount as id, id + 1 as next from orders where id = 2", "id<i:orders.amount next<t:orders.amount", "filter:orders.amount"},
		{"postgres", `select "ID", "Amount" from "Orders"`, "ID<i:orders.id Amount<i:orders.amount", ""},
	} {
		statements, err := reader.Read(t.Context(), c.sql, lineage.Settings{Dialect: c.dialect, Tables: tables})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var outputs, reads []string
		for _, s := range statements {
			o, r := written(s)
			outputs, reads = append(outputs, strings.Join(o, " ")), append(reads, strings.Join(r, " "))
		}
		if got := strings.Join(outputs, " / "); got != c.outputs {
			t.Errorf("%s\n got %s\nwant %s", c.sql, got, c.outputs)
		}
		if got := strings.Trim(strings.Join(reads, " / "), " /"); got != c.reads {
			t.Errorf("%s\n reads %s\n  want %s", c.sql, got, c.reads)
		}
	}
}
