"""The dialects for which queries are generated: how each spells names, and which constructs it has."""

import re
from dataclasses import dataclass

# The columns of the tables, with their kinds: i(nteger), n(umeric), t(ext), d(ate), s (timestamp), a(rray of texts).
# A name with a capital or a space is quoted wherever it is written.
TABLES = {
    "customers": "customer_id:i name:t email:t city:t created_at:s score:n Home Phone:t",
    "orders": "order_id:i customer_id:i status:t amount:n vat:n ordered_on:d note:t",
    "order_items": "order_id:i line_no:i product_id:i quantity:i price:n discount:n",
    "products": "product_id:i name:t category:t list_price:n weight:n parent_id:i",
    "events": "event_id:i customer_id:i kind:t happened_at:s amount:n tags:a",
    "Ledger": "Id:i customerId:i amount:n Order:t booked_on:d Net Amount:n",
    "report": "customer_id:i name:t total:n status:t day:d",
}

TYPES = {"i": "int", "n": "decimal(18,2)", "t": "varchar", "d": "date", "s": "timestamp", "a": "varchar"}


def columns(table):
    """The columns of a table: pairs of name and kind."""
    return re.findall(r"(?:^| )(\S[^:]*):(\w)", TABLES[table])


@dataclass(frozen=True)
class Dialect:
    name: str
    prefix: tuple = ("shop",)  # what is written before a table's name
    quotes: str = '""'
    folds: str = "lower"  # to which case a name without quotes is folded in the schema
    has: frozenset = frozenset()
    limit: str = "limit {}"
    except_: str = "except"
    update: str = "from"  # from, join, tsql, subquery or ""
    unnest: str = ""  # {a}: the alias of the table, {u}: that of the source
    resolved: str = ""  # the same for sqlglot, where it does not resolve the names of the first
    element: str = "tag"  # the column that it gives
    array: str = "varchar[]"
    functions: tuple = ()  # of one row
    aggregates: tuple = ()
    text: str = "varchar"  # the type of texts in a CAST

    def able(self, construct):
        return construct in self.has


RESOLVED = "cross join unnest({a}.tags) as {u}({name})"
COMMON = "cte union intersect except using cross derived case cast window exists in scalar having order"
FULL = COMMON + " full natural recursive ordinal insert ctas view delete named_window filter lateral merge groupalias"


def having(text, *without):
    return frozenset(text.split()) - frozenset(without)


DIALECTS = {d.name: d for d in [
    Dialect("postgres", has=having(FULL + " distinct_on delete_using returning row_values grouping_sets", "groupalias") | {"groupalias"},
            unnest="cross join lateral unnest({a}.tags) as {u}(tag)", text="text", functions=("to_char({d}, 'YYYY-MM')::text",), aggregates=("string_agg({t}, ',')",)),
    Dialect("redshift", has=having(FULL + " qualify lateral_alias delete_using except_star", "filter", "lateral", "named_window"),
            unnest=", {a}.tags as tag", resolved=RESOLVED, element="",
            array="super", functions=("nvl({t}, 'x')",), aggregates=("listagg({t}, ',')",)),
    Dialect("snowflake", ("SALES", "PUBLIC"), folds="upper",
            has=having(FULL + " qualify lateral_alias exclude_star replace_star grouping_sets", "filter", "named_window", "lateral"),
            unnest=", lateral flatten(input => {a}.tags) {u}", element="value", array="array",
            functions=("iff({n} > 0, {t}, 'none')", "coalesce(nullif({t}, ''), 'x')"), aggregates=("listagg({t}, ',')",)),
    Dialect("bigquery", ("acme-prod", "shop"), "``", "keep",
            has=having(FULL + " qualify except_star replace_star except_distinct grouping_sets", "natural", "filter", "lateral", "ctas_typed"),
            except_="except distinct", unnest="cross join unnest({a}.tags) as {u}", element="", array="array<string>",
            text="string", functions=("safe_cast({t} as int64)", "format_date('%Y-%m', {d})"), aggregates=("string_agg({t}, ',')",)),
    Dialect("databricks", ("main", "shop"), "``", "keep",
            has=having(FULL + " qualify lateral_alias except_star semi grouping_sets", "delete_using"), update="",
            unnest="lateral view explode({a}.tags) {u} as tag", array="array<string>",
            text="string", functions=("nvl({t}, 'x')", "date_format({d}, 'yyyy-MM')"), aggregates=("concat_ws('-', collect_list({t}))",)),
    Dialect("spark", ("shop",), "``", "keep", has=having(FULL + " semi lateral_alias grouping_sets"), update="",
            unnest="lateral view outer explode({a}.tags) {u} as tag", array="array<string>",
            text="string", functions=("nvl({t}, 'x')", "date_format({d}, 'yyyy-MM')")),
    Dialect("mysql", ("shop",), "``", "keep", has=having(FULL, "full", "filter", "merge", "grouping_sets"), update="join", unnest="cross join json_table({a}.tags, '$[*]' columns (tag varchar(100) path '$')) as {u}", resolved=RESOLVED, 
            array="json",
            text="char", functions=("ifnull({t}, 'x')", "date_format({d}, '%Y-%m')"), aggregates=("group_concat({t})",)),
    Dialect("tsql", ("sales", "dbo"), "[]", "keep",
            has=having(FULL + " apply", "using", "natural", "recursive", "filter", "lateral", "ordinal", "groupalias") | {"recursive_plain"},
            limit="", update="tsql", unnest="cross apply string_split({a}.tags, ',') as {u}", resolved=RESOLVED, element="value",
            array="nvarchar(max)", text="nvarchar(50)", functions=("isnull({t}, 'x')", "iif({n} > 0, {t}, 'none')"), aggregates=("string_agg({t}, ',')",)),
    Dialect("trino", ("hive", "shop"), folds="lower", has=having(FULL + " grouping_sets", "groupalias"), update="",
            unnest="cross join unnest({a}.tags) as {u}(tag)", array="array(varchar)",
            functions=("try_cast({t} as bigint)", "date_format({d}, '%Y-%m')"), aggregates=("listagg({t}, ',') within group (order by {t2})",)),
    Dialect("duckdb", has=having(FULL + " qualify lateral_alias exclude_star replace_star semi distinct_on delete_using returning group_all union_by_name"),
            folds="keep", unnest="cross join unnest({a}.tags) as {u}(tag)", functions=("strftime({d}, '%Y-%m')",), aggregates=("string_agg({t}, ',')",)),
    Dialect("sqlite", (), has=having(FULL, "lateral", "merge", "ctas_typed"), folds="keep", unnest="cross join json_each({a}.tags) as {u}", resolved=RESOLVED, element="value", array="text",
            text="text", functions=("ifnull({t}, 'x')", "strftime('%Y-%m', {d})"), aggregates=("group_concat({t})",)),
    Dialect("clickhouse", ("shop",), '""', "keep",
            has=having(FULL + " except_star prewhere limit_by lateral_alias grouping_sets", "natural", "merge", "lateral", "recursive", "filter"),
            update="", unnest="array join {a}.tags as tag", resolved=RESOLVED, element="", array="Array(String)",
            text="String", functions=("if({n} > 0, {t}, 'none')", "toString({n})", "formatDateTime({d}, '%Y')"), aggregates=("uniq({t})", "sumIf({n}, {n2} > 0)")),
    Dialect("oracle", ("SHOP",), folds="upper",
            has=having(FULL + " grouping_sets", "recursive", "filter", "ordinal", "groupalias", "lateral") | {"recursive_plain"},
            limit="fetch first {} rows only", except_="minus", update="subquery", unnest="cross join json_table({a}.tags, '$[*]' columns (tag varchar2(50) path '$')) {u}", resolved=RESOLVED, 
            array="clob",
            text="varchar2(50)", functions=("nvl({t}, 'x')", "decode({t}, 'a', 1, 2)"), aggregates=("listagg({t}, ',') within group (order by {t2})",)),
]}
