package sql_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql"
)

// sales is the table whose columns the tests look for; clients is another one.
var sales = sql.Table{Name: []string{"shop", "public", "sales"}, Columns: []string{"id", "vat", "client_id", "amount", "Vat"}}

func TestReads(t *testing.T) {
	// want: the clauses; "*" for all columns; "?" if a part could not be read; "" for nothing.
	for name, c := range map[string]struct{ text, column, want string }{
		"where":                         {"create view v as select s.id from sales s where s.vat > 1", "vat", "WHERE"},
		"selected":                      {"select vat from sales", "vat", "SELECT"},
		"not named":                     {"select id from sales where amount > 1", "vat", ""},
		"in a comment":                  {"select id /* vat */ from sales -- vat\nwhere amount > 1", "vat", ""},
		"in a string":                   {"select 'vat', $$vat$$, $x$ vat $x$, E'it\\'s vat' from sales", "vat", ""},
		"quoted":                        {`select "vat" from sales`, "vat", "SELECT"},
		"quoted in another case":        {`select "Vat" from sales`, "vat", ""},
		"not quoted, so in lower case":  {`select VAT from sales`, "Vat", ""},
		"quoted in its own case":        {`select "Vat" from sales`, "Vat", "SELECT"},
		"of another table":              {"select c.vat from sales s join clients c on c.id = s.client_id", "vat", ""},
		"joined":                        {"select c.city from sales s join clients c on c.id = s.client_id", "client_id", "JOIN"},
		"joined by using":               {"select s.id from sales s join clients c using (client_id)", "client_id", "JOIN"},
		"joined in parentheses":         {"select s.id from ((sales s join clients c using (client_id)) left join x on x.a = s.vat)", "vat", "JOIN"},
		"natural":                       {"select s.id from sales s natural join clients c", "vat", "*"},
		"grouped":                       {"select count(*) from sales group by vat", "vat", "GROUP BY"},
		"having":                        {"select 1 from sales having max(vat) > 1", "vat", "HAVING"},
		"ordered":                       {"select id from sales order by vat", "vat", "ORDER BY"},
		"ordered by an alias":           {"select id as vat from sales order by vat", "vat", ""},
		"alias without as":              {"select id vat, amount + 1 client_id from sales", "vat", ""},
		"window":                        {"select sum(amount) over (partition by vat) from sales", "vat", "WINDOW"},
		"named window":                  {"select sum(amount) over vat from sales window vat as (order by client_id)", "vat", ""},
		"in a named window":             {"select sum(amount) over w from sales window w as (order by vat)", "vat", "WINDOW"},
		"star":                          {"select * from sales", "vat", "*"},
		"star of an alias":              {"select s.* from sales s join clients c using (client_id)", "vat", "*"},
		"star of another table":         {"select c.* from sales s join clients c using (client_id)", "vat", ""},
		"count(*)":                      {"select count(*), 2 * amount from sales", "vat", ""},
		"product":                       {"select amount * client_id from sales", "vat", ""},
		"the whole row":                 {"select row_to_json(s) from sales s", "vat", "*"},
		"exists":                        {"select 1 from clients c where exists (select * from sales s where s.client_id = c.id)", "vat", ""},
		"in":                            {"select 1 from clients c where c.id in (select * from sales)", "vat", "*"},
		"correlated":                    {"select 1 from sales s where exists (select 1 from clients c where c.id = s.vat)", "vat", "WHERE"},
		"subquery of another table":     {"select 1 from sales s join (select vat from clients) c on true", "vat", ""},
		"derived table":                 {"select d.x from (select vat as x from sales) d", "vat", "SELECT"},
		"renamed by a derived table":    {"select d.vat from (select id as vat from sales) d", "vat", ""},
		"passed on by a derived table":  {"select d.vat from (select * from sales) d", "vat", "SELECT"},
		"counted in a derived table":    {"select count(*) from (select * from sales) d", "vat", ""},
		"dbt: listed":                   {"with source as (select * from shop.public.sales), renamed as (select id, amount as total from source) select * from renamed", "vat", ""},
		"dbt: read through a star":      {"with source as (select * from shop.public.sales), renamed as (select id, vat as tax from source) select * from renamed", "vat", "SELECT"},
		"dbt: passed on":                {"with a as (select * from sales), b as (select * from a) select * from b", "vat", "*"},
		"dbt: name of the table":        {"with sales as (select * from {{ ref('sales') }}) select sales.id from sales where sales.vat > 1", "vat", "WHERE"},
		"dbt: source":                   {"{{ config(materialized='view') }} select id from {{ source('public', 'sales') }} where vat > 1", "vat", "WHERE"},
		"dbt: a macro":                  {"select {{ cents('amount') }} from {{ ref('sales') }}", "vat", "?"},
		"dbt: a macro with the name":    {"select {{ cents('vat') }} from {{ ref('sales') }}", "vat", "doubt ?"},
		"dbt: if":                       {"select id from {{ ref('sales') }} {% if is_incremental() %} where vat > 1 {% endif %}", "vat", "WHERE"},
		"union":                         {"select id from clients union all select id from sales where vat > 1", "vat", "WHERE"},
		"union in parentheses":          {"(select id from clients) union (select vat from sales) order by 1", "vat", "SELECT"},
		"lateral":                       {"select l.x from sales s, lateral (select c.a + s.vat as x from clients c) l", "vat", "SELECT"},
		"recursive":                     {"with recursive t as (select id, vat from sales union all select t.id, t.vat from t) select id from t", "vat", "SELECT"},
		"recursive over a star":         {"with recursive t as (select * from sales union all select t.* from t) select t.id from t where t.vat > 1", "vat", "WHERE"},
		"case":                          {"select case when vat > 1 then 'a' end vat2 from sales", "vat", "SELECT"},
		"cast":                          {"select cast(id as vat), id::vat, id::numeric(10,2) from sales", "vat", ""},
		"cast of it":                    {"select cast(vat as numeric(10,2)) from sales", "vat", "SELECT"},
		"typed literal":                 {"select vat '1' from sales", "vat", ""},
		"is distinct from":              {"select id from sales where vat is distinct from amount", "amount", "WHERE"},
		"extract":                       {"select extract(year from vat) from sales", "vat", "SELECT"},
		"function of its name":          {"select vat(id) from sales", "vat", ""},
		"another table of its name":     {"select vat from archive.sales", "vat", "SELECT"},
		"tables of one name":            {"select a.vat from archive.sales a join public.sales s on s.id = a.id", "vat", ""},
		"in a database that differs":    {"select vat from shop.public.sales", "vat", "SELECT"},
		"qualified by the table":        {"select public.sales.vat, clients.vat from public.sales, clients", "vat", "SELECT"},
		"a table under another name":    {"select t.vat from synonym_of_sales t", "vat", "SELECT"},
		"nothing is known of the table": {"select t.amount from synonym_of_sales t", "vat", ""},
		"renamed by position":           {"select o.b from sales o(a, b, c, d)", "vat", "SELECT"},
		"another one by its position":   {"select o.a from sales as o(a, b, c, d)", "vat", ""},
		"its name for another column":   {"select o.vat from sales o(vat, b)", "vat", ""},
		"behind the renamed ones":       {"select o.vat from sales o(a)", "vat", "SELECT"},
		"renamed, without a qualifier":  {"select b from sales o(a, b, c, d)", "vat", "SELECT"},
		"a derived table renames":       {"select d.x from (select * from sales) d(x, y, z)", "vat", "SELECT"},
		"an alias of a join":            {"select j.vat from (sales s join clients c using (client_id)) as j", "vat", "SELECT"},
		"renamed within a join":         {"select t.b from (clients c join sales s(a, b, d, e) on c.id = s.a) t", "vat", "SELECT"},
		"an alias of a join renames":    {"select j.x from (sales s join clients c on s.id = c.id) as j(x, y, z)", "vat", "SELECT"},
		"insert":                        {"insert into x (vat) select id from sales where amount > 1", "vat", ""},
		"update":                        {"update x set a = s.vat from sales s where s.id = x.id", "vat", "statement"},
		"merge":                         {"merge into x using sales s on x.id = s.vat when matched then update set a = s.amount", "vat", "statement"},
		"create table as":               {"create table x as (select id from sales where vat = 1)", "vat", "WHERE"},
		"several statements":            {"set x = 1; select id from clients; select id from sales where vat = 1;", "vat", "WHERE"},
		"filter and within group":       {"select count(*) filter (where vat > 1), percentile_cont(0.5) within group (order by amount) from sales", "vat", "SELECT"},
		"distinct on":                   {"select distinct on (vat) id from sales order by amount", "vat", "SELECT"},
		"values":                        {"select id from sales where vat in (values (1), (2))", "vat", "WHERE"},
		"array":                         {"select array[vat, 1] from sales", "vat", "SELECT"},
		"not a query":                   {"view: sales { sql_table_name: sales }", "vat", "?"},
		"does not end":                  {"select 'vat from sales", "vat", "doubt ?"},
		"parenthesis too many":          {"select id) from sales", "vat", "?"},
		"too deep":                      {"select " + strings.Repeat("(", limits.MaxSQLDepth+1) + strings.Repeat(")", limits.MaxSQLDepth+1), "vat", "?"},
		"deep":                          {"select " + strings.Repeat("(", limits.MaxSQLDepth-1) + "vat" + strings.Repeat(")", limits.MaxSQLDepth-1) + " from sales", "vat", "SELECT"},
		"too long":                      {"select id from sales " + strings.Repeat(" ", limits.MaxSQLBytes), "vat", "?"},
		"too many names":                {"select " + strings.Repeat("id,", limits.MaxSQLNames) + "id from sales", "vat", "?"},
		"too many tables":               {"select id from sales" + strings.Repeat(", x", limits.MaxSQLSources), "vat", "?"},
		"empty":                         {"", "vat", "?"},
	} {
		t.Run(name, func(t *testing.T) {
			text := sql.Read(c.text, "SQL", sql.DialectOf("postgres"))
			if got := describe(text.Reads(&sales, c.column)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func describe(r sql.Reading) string {
	parts := r.Clauses
	if r.Names && len(r.Clauses) == 0 {
		parts = append(parts, "doubt")
	}
	if r.Star {
		parts = append(parts, "*")
	}
	if r.Unread != "" {
		parts = append(parts, "?")
	}
	return strings.Join(parts, " ")
}

func TestDialects(t *testing.T) {
	for name, c := range map[string]struct{ platform, text, column, want string }{
		"double quotes are a string":    {"mysql", `select "vat" from sales`, "vat", ""},
		"backticks":                     {"mysql", "select `vat` from `shop`.`sales`", "vat", "SELECT"},
		"comment of one sign":           {"bigquery", "select id # vat\nfrom sales", "vat", ""},
		"comment of two slashes":        {"snowflake", "select id // vat\nfrom sales", "vat", ""},
		"escaped by a backslash":        {"bigquery", `select 'it\'s', vat from sales`, "vat", "SELECT"},
		"not escaped by a backslash":    {"postgres", `select 'C:\', vat from sales`, "vat", "SELECT"},
		"a backslash in doubt":          {"dbt", `select 'it\'s', vat from sales`, "vat", "doubt ?"},
		"brackets":                      {"mssql", "select top 10 [vat] from [public].[sales]", "vat", "SELECT"},
		"top star":                      {"mssql", "select top 10 * from sales", "vat", "*"},
		"upper case":                    {"snowflake", "select vat from shop.public.sales", "VAT", "SELECT"},
		"qualify":                       {"snowflake", "select id from sales qualify row_number() over (partition by vat order by id) = 1", "vat", "WINDOW"},
		"path in a document":            {"snowflake", "select id:vat.amount from sales", "vat", ""},
		"flatten":                       {"snowflake", "select f.value from sales s, lateral flatten(input => s.vat) f", "vat", "FROM"},
		"unnest":                        {"bigquery", "select u from sales s, unnest(s.vat) as u", "vat", "FROM"},
		"except a column":               {"bigquery", "select * except (vat) from sales", "vat", "SELECT *"},
		"part of a column":              {"bigquery", "select s.address.city from sales s", "address.city", "SELECT"},
		"another part of a column":      {"bigquery", "select s.address.zip from sales s", "address.city", ""},
		"part of a column, unqualified": {"bigquery", "select address.city from sales", "address.city", "SELECT"},
		"the column around it":          {"bigquery", "select address from sales", "address.city", "SELECT"},
		"a table in one name":           {"bigquery", "select vat from `shop.public.sales`", "vat", "SELECT"},
		"two tables in one name each":   {"bigquery", "select a.vat from `shop.public.archive` a, `shop.public.sales` s", "vat", ""},
	} {
		t.Run(name, func(t *testing.T) {
			table := sql.Table{Name: sales.Name}
			if got := describe(sql.Read(c.text, "", sql.DialectOf(c.platform)).Reads(&table, c.column)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestOtherLanguages(t *testing.T) {
	if got := describe(sql.Read("view: sales { vat }", "lookml", sql.DialectOf("looker")).Reads(&sales, "vat")); got != "doubt ?" {
		t.Errorf("%q", got)
	}
}

func FuzzReads(f *testing.F) {
	for _, text := range []string{
		"select s.vat from sales s join clients c using (client_id) where s.vat > 1",
		"with recursive t as (select * from sales union all select t.* from t) select t.id from t order by vat",
		"select * except (a) from `a.b`, unnest(x) with offset; merge into x using (select 1) y on a = b",
		"{{ config(a='b') }} select {{ x }} from {{ ref('sales') }} {% if a %} {# b #}",
		`select 'a', "b", [c], $$d$$, E'\'', x::numeric(1,2)[] from ((a natural join b) c) lateral (select 1) d`,
	} {
		f.Add(text, "postgres", "vat")
	}
	f.Fuzz(func(t *testing.T, text, platform, column string) {
		read := sql.Read(text, "SQL", sql.DialectOf(platform))
		found := read.Reads(&sales, column)
		if len(found.Clauses) > 0 && !found.Names {
			t.Error("clauses without the name")
		}
		if found.Unread == "" && column != "" && !strings.Contains(column, ".") && found.Names && !strings.Contains(strings.ToLower(text), strings.ToLower(column)) {
			t.Errorf("%q is read in %q, which does not have it", column, text)
		}
	})
}
