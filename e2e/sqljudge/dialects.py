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
            unnest="cross join lateral unnest({a}.tags) as {u}(tag)", text="text",
            functions=(
                "to_char({d}, 'YYYY-MM')::text", "extract(year from {d})::text", "{a}[1]", "date_trunc('month', {d})::text",
                "cast({d} at time zone 'UTC' as text)", '{t} collate "C"', "substring({t} from 1 for 3)", "overlay({t} placing 'x' from 1)",
                "case {t} when 'a' then {t2} end", "concat_ws('-', {t}, {t2})", "regexp_replace({t}, '[a-z]', {t2})", "array_to_string({a}, {t})",
                "({n}::numeric(10,2))::text", "trim(both 'x' from {t})", "greatest({t}, {t2})",
            ),
            aggregates=(
                "string_agg({t}, ',')", "string_agg({t}, ',' order by {n})", "percentile_cont(0.5) within group (order by {i})::text",
                "array_agg({t} order by {d})::text", "max({t}) filter (where {i} > 1)", "bool_or({n} > 1)::text",
            )),
    Dialect("redshift", has=having(FULL + " qualify lateral_alias delete_using except_star", "filter", "lateral", "named_window"),
            unnest=", {a}.tags as tag", resolved=RESOLVED, element="",
            array="super",
            functions=(
                "nvl({t}, 'x')", "{t}::varchar(10)", "datediff(day, {d}, current_date)", "dateadd(month, 1, {d})", "decode({t}, 'a', {t2}, 'b')",
                "{a}[0]", "nvl2({t}, {t2}, 'x')", "extract(year from {d})",
            ),
            aggregates=(
                "listagg({t}, ',')", "listagg({t}, ',') within group (order by {t2})", "approximate count(distinct {t})", "median({n})",
            )),
    Dialect("snowflake", ("SALES", "PUBLIC"), folds="upper",
            has=having(FULL + " qualify lateral_alias exclude_star replace_star grouping_sets", "filter", "named_window", "lateral"),
            unnest=", lateral flatten(input => {a}.tags) {u}", element="value", array="array",
            functions=(
                "iff({n} > 0, {t}, 'none')", "coalesce(nullif({t}, ''), 'x')", "{t}::varchar(10)", "datediff('day', {d}, current_date)",
                "dateadd('month', 1, {d})", "{a}[0]::string", "{a}[0]:name::string", "decode({t}, 'a', {t2}, 'b')",
                "object_construct('a', {t}, 'b', {n})", "zeroifnull({n})", "try_to_number({t})", "split_part({t}, '-', 1)",
                "transform({a}, x varchar -> upper(x))", "date_trunc('month', {d})", "nvl2({t}, {t2}, 'x')", "to_varchar({d}, 'YYYY')",
            ),
            aggregates=(
                "listagg({t}, ',')", "listagg({t}, ',') within group (order by {t2})", "array_agg({t}) within group (order by {d})",
                "max_by({t}, {n})", "count_if({n} > 1)", "object_agg({t}, {n}::variant)",
            )),
    Dialect("bigquery", ("acme-prod", "shop"), "``", "keep",
            has=having(FULL + " qualify except_star replace_star except_distinct grouping_sets", "natural", "filter", "lateral", "ctas_typed"),
            except_="except distinct", unnest="cross join unnest({a}.tags) as {u}", element="", array="array<string>",
            text="string",
            functions=(
                "safe_cast({t} as int64)", "format_date('%Y-%m', {d})", "date_diff({d}, current_date, day)", "date_add({d}, interval 1 month)",
                "{a}[offset(0)]", "{a}[safe_ordinal(1)]", "if({n} > 0, {t}, {t2})", "struct({t} as x, {n} as y)", "concat({t}, '-', {t2})",
                "extract(isoweek from {d})", "array(select upper(el) from unnest({a}) as el)", "split({t}, '-')[offset(0)]",
                "regexp_extract({t}, r'^a(.*)$')", "ifnull({t}, {t2})", "timestamp_trunc({s}, hour)",
            ),
            aggregates=(
                "string_agg({t}, ',')", "string_agg({t}, ',' order by {n} limit 3)", "array_agg({t} ignore nulls order by {d})", "countif({n} > 1)",
                "any_value({t})", "approx_quantiles({n}, 4)",
            )),
    Dialect("databricks", ("main", "shop"), "``", "keep",
            has=having(FULL + " qualify lateral_alias except_star semi grouping_sets", "delete_using"), update="",
            unnest="lateral view explode({a}.tags) {u} as tag", array="array<string>",
            text="string",
            functions=(
                "nvl({t}, 'x')", "date_format({d}, 'yyyy-MM')", "datediff({d}, current_date())", "{a}[0]", "transform({a}, x -> concat(x, {t}))",
                "if({n} > 0, {t}, {t2})", "named_struct('x', {t}, 'y', {n})", "{t}::string", "get_json_object({t}, '$.a')", "{t}:a.b",
                "size(filter({a}, x -> x = {t}))", "date_trunc('MONTH', {d})", "try_cast({t} as int)",
            ),
            aggregates=(
                "concat_ws('-', collect_list({t}))", "collect_set({t})", "max_by({t}, {n})", "count_if({n} > 1)", "percentile_approx({n}, 0.5)",
            )),
    Dialect("spark", ("shop",), "``", "keep", has=having(FULL + " semi lateral_alias grouping_sets"), update="",
            unnest="lateral view outer explode({a}.tags) {u} as tag", array="array<string>",
            text="string",
            functions=(
                "nvl({t}, 'x')", "date_format({d}, 'yyyy-MM')", "datediff({d}, current_date())", "{a}[0]", "transform({a}, x -> concat(x, {t}))",
                "if({n} > 0, {t}, {t2})", "named_struct('x', {t}, 'y', {n})", "get_json_object({t}, '$.a')", "exists({a}, x -> x = {t})",
                "{t} rlike '^a'", "map('a', {t}, {t2}, 'b')",
            ),
            aggregates=(
                "collect_set({t})", "first({t}, true)", "percentile_approx({n}, 0.5)",
            )),
    Dialect("mysql", ("shop",), "``", "keep", has=having(FULL, "full", "filter", "merge", "grouping_sets"), update="join", unnest="cross join json_table({a}.tags, '$[*]' columns (tag varchar(100) path '$')) as {u}", resolved=RESOLVED, 
            array="json",
            text="char",
            functions=(
                "ifnull({t}, 'x')", "date_format({d}, '%Y-%m')", "timestampdiff(day, {d}, current_date)", "date_add({d}, interval 1 month)",
                "{a}->>'$[0]'", "json_extract({a}, '$[0]')", "if({n} > 0, {t}, {t2})", "{t} regexp '^a'", "concat_ws('-', {t}, {t2})", "{n} div 2",
                "cast({n} as signed)", "binary {t}",
            ),
            aggregates=(
                "group_concat({t})", "group_concat(distinct {t} order by {t2} separator ';')", "json_arrayagg({t})", "std({n})",
            )),
    Dialect("tsql", ("sales", "dbo"), "[]", "keep",
            has=having(FULL + " apply", "using", "natural", "recursive", "filter", "lateral", "ordinal", "groupalias") | {"recursive_plain"},
            limit="", update="tsql", unnest="cross apply string_split({a}.tags, ',') as {u}", resolved=RESOLVED, element="value",
            array="nvarchar(max)", text="nvarchar(50)",
            functions=(
                "isnull({t}, 'x')", "iif({n} > 0, {t}, 'none')", "datediff(day, {d}, getdate())", "dateadd(month, 1, {d})",
                "json_value({a}, '$[0]')", "convert(nvarchar(20), {d}, 112)", "{t} + '-' + {t2}", "try_cast({t} as int)", "choose({i}, {t}, {t2})",
                "stuff({t}, 1, 1, {t2})", "{t} collate Latin1_General_CI_AS", "format({d}, 'yyyy')",
            ),
            aggregates=(
                "string_agg({t}, ',')", "string_agg({t}, ',') within group (order by {t2})", "stdev({n})",
            )),
    Dialect("trino", ("hive", "shop"), folds="lower", has=having(FULL + " grouping_sets", "groupalias"), update="",
            unnest="cross join unnest({a}.tags) as {u}(tag)", array="array(varchar)",
            functions=(
                "try_cast({t} as bigint)", "date_format({d}, '%Y-%m')", "date_diff('day', {d}, current_date)", "{d} + interval '1' day",
                "element_at({a}, 1)", "transform({a}, x -> concat(x, {t}))", "if({n} > 0, {t}, {t2})", "json_extract_scalar({t}, '$.a')",
                "row({t}, {n})", "{a}[1]", "reduce({a}, '', (st, x) -> st || x, st -> st)", "filter({a}, x -> x <> {t})", "at_timezone({s}, 'UTC')",
                "map(array[{t}], array[{n}])",
            ),
            aggregates=(
                "listagg({t}, ',') within group (order by {t2})", "array_agg({t} order by {n})", "max_by({t}, {n})", "count_if({n} > 1)",
                "approx_distinct({t})", "listagg({t}, ',') within group (order by {n})",
            )),
    Dialect("duckdb", has=having(FULL + " qualify lateral_alias exclude_star replace_star semi distinct_on delete_using returning group_all union_by_name"),
            folds="keep", unnest="cross join unnest({a}.tags) as {u}(tag)",
            functions=(
                "strftime({d}, '%Y-%m')", "date_diff('day', {d}, current_date)", "{d} + interval 1 day", "{a}[1]", "{a}[1:2]",
                "list_transform({a}, lambda x: x || {t})", "{t}::varchar", "struct_pack(x := {t}, y := {n})", "[{t}, {t2}]", "{t} similar to 'a.*'",
                "if({n} > 0, {t}, {t2})", "date_trunc('month', {d})", "extract(year from {d})", "list_filter({a}, lambda x: x = {t})",
                "[x for x in {a} if x <> {t}]", "{'k': {t}}",
            ),
            aggregates=(
                "string_agg({t}, ',')", "string_agg({t}, ',' order by {n})", "arg_max({t}, {n})", "list({t} order by {d})",
                "max({t}) filter (where {i} > 1)", "quantile_cont({n}, 0.5)", "count_if({n} > 1)",
            )),
    Dialect("sqlite", (), has=having(FULL, "lateral", "merge", "ctas_typed"), folds="keep", unnest="cross join json_each({a}.tags) as {u}", resolved=RESOLVED, element="value", array="text",
            text="text",
            functions=(
                "ifnull({t}, 'x')", "strftime('%Y-%m', {d})", "julianday({d})", "{a}->>0", "json_extract({a}, '$[0]')", "iif({n} > 0, {t}, {t2})",
                "{t} glob 'a*'", "printf('%s-%s', {t}, {t2})", "{t} collate nocase", "substr({t}, 1, 3)", "{t} is not {t2}",
            ),
            aggregates=(
                "group_concat({t})", "group_concat({t}, ';')", "total({n})", "max({t}) filter (where {i} > 1)", "json_group_array({t})",
            )),
    Dialect("clickhouse", ("shop",), '""', "keep",
            has=having(FULL + " except_star prewhere limit_by lateral_alias grouping_sets", "natural", "merge", "lateral", "recursive", "filter"),
            update="", unnest="array join {a}.tags as tag", resolved=RESOLVED, element="", array="Array(String)",
            text="String",
            functions=(
                "if({n} > 0, {t}, 'none')", "toString({n})", "formatDateTime({d}, '%Y')", "dateDiff('day', {d}, today())", "{a}[1]",
                "arrayMap(x -> concat(x, {t}), {a})", "multiIf({n} > 1, {t}, {n2} > 0, 'b', 'c')", "{n} > 0 ? {t} : {t2}", "toDate({s})",
                "tuple({t}, {n}).1", "{d} + interval 1 day", "arrayFilter(x -> x = {t}, {a})", "splitByChar('-', {t})[1]", "{t}::String",
                "ifNull({t}, {t2})",
            ),
            aggregates=(
                "uniq({t})", "sumIf({n}, {n2} > 0)", "groupArray({t})", "argMax({t}, {n})", "countIf({n} > 1)", "quantile(0.5)({n})",
                "groupUniqArray(3)({t})", "uniqExact({t}, {n})",
            )),
    Dialect("oracle", ("SHOP",), folds="upper",
            has=having(FULL + " grouping_sets", "recursive", "filter", "ordinal", "groupalias", "lateral") | {"recursive_plain"},
            limit="fetch first {} rows only", except_="minus", update="subquery", unnest="cross join json_table({a}.tags, '$[*]' columns (tag varchar2(50) path '$')) {u}", resolved=RESOLVED, 
            array="clob",
            text="varchar2(50)",
            functions=(
                "nvl({t}, 'x')", "decode({t}, 'a', 1, 2)", "months_between({d}, sysdate)", "{d} + interval '1' day", "json_value({a}, '$[0]')",
                "nvl2({t}, {t2}, 'x')", "to_char({d}, 'YYYY')", "case {t} when 'a' then {t2} end", "trunc({d}, 'MM')",
                "regexp_substr({t}, '[a-z]+')", "extract(year from {d})", "instr({t}, {t2})",
            ),
            aggregates=(
                "listagg({t}, ',') within group (order by {t2})", "max({t}) keep (dense_rank last order by {n})",
                "listagg({t}, ',') within group (order by {n})", "median({n})", "xmlagg(xmlelement(x, {t}))",
            )),
]}
