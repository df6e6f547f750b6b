"""Writes generated statements with their schemas as JSON, one case a line, the same for the same seed.

A case has an "id", a "dialect", its "kinds" (the constructs in it), "sql", "schema" as `headwater sql` takes it, and
"known", the schema with names folded as sqlglot folds them. Where sqlglot does not resolve the names of a kind of
statement (UPDATE, MERGE, DELETE), "oracle" has queries that give the same columns to the same names.

Usage: generate.py SEED NUMBER [DIALECT…]
"""

import json
import random
import re
import sys

from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from dialects import DIALECTS, TABLES, TYPES, columns
from known import cases
from queries import Scope, Source
from selects import Selects


# How dialects make a table of a query, besides CREATE TABLE; "into" is SELECT … INTO.
TABLES_MADE = {
    "postgres": ("create temporary table", "create table if not exists", "create materialized view", "create unlogged table"),
    "redshift": ("create temp table", "create table if not exists"),
    "snowflake": ("create or replace table", "create or replace transient table", "create table if not exists"),
    "bigquery": ("create or replace table", "create table if not exists", "create materialized view"),
    "databricks": ("create or replace table", "create table if not exists"),
    "spark": ("create table if not exists", "create or replace temporary view"),
    "mysql": ("create table if not exists", "create temporary table"),
    "tsql": ("into", "into"),
    "trino": ("create table if not exists", "create or replace table"),
    "duckdb": ("create or replace table", "create temp table"),
    "sqlite": ("create table if not exists", "create temporary table"),
    "clickhouse": ("create or replace table", "create table if not exists"),
    "oracle": ("create global temporary table", "create materialized view"),
}
# What stands between the name of a new table and AS.
AFTER = {"clickhouse": "engine = MergeTree order by tuple() "}


def written(text):
    """A text as the database takes it, of one that has other words for sqlglot."""
    return re.sub("\1(.*?)\2.*?\3", r"\1", text)


def resolvable(text):
    """The same text as sqlglot can resolve its names."""
    return re.sub("\1.*?\2(.*?)\3", r"\1", text)


class Statements(Selects):
    """Statements that write, over the queries of Selects."""

    def case(self):
        self.begin()
        made = self.pick(*["query"] * 12, "insert", "insert", "ctas", "view", "view", "update", "delete", "merge")
        if made != "query" and (not self.d.able(made) and made != "update" or made == "update" and not self.d.update):
            made = "query"
        case = getattr(self, "make_" + made)()
        case["kinds"] = sorted(self.kinds | {case.pop("kind", made)})
        if made in ("update", "delete", "merge"):
            case["no_tables"] = True  # whether the changed table counts as read is a matter of taste
        if "\1" in case["sql"] and "oracle" not in case:
            case["oracle"] = [case["sql"]]
        case["sql"] = written(case["sql"])
        if "oracle" in case:
            case["oracle"] = [resolvable(text) for text in case["oracle"]]
        return case

    def make_query(self):
        return {"sql": self.statement()[0], "kind": "select"}

    def make_insert(self):
        text, cols = self.statement()
        targets = [n for n, _ in columns("report")]
        listed = ""
        if len(cols) > len(targets) or self.chance(60):
            targets = self.random.sample(targets, min(len(targets), len(cols)))
            listed = f" ({', '.join(self.name(t, False) for t in targets)})"
        if len(cols) > len(targets):
            return self.make_query()
        if self.d.name == "databricks" and not listed and self.chance(30):
            return {"sql": f"insert overwrite table {self.table('report')} {text}", "oracle": [text], "targets": targets}
        words, after = "insert into", ""
        if self.d.name in ("databricks", "spark", "snowflake") and self.chance(25):
            words = "insert overwrite" + (" table" if self.d.name != "snowflake" else " into")
        elif self.d.name == "bigquery" and self.chance(30):
            words = "insert"
        elif self.d.name == "mysql" and self.chance(30):
            words = self.pick("insert ignore into", "replace into")
        elif self.d.name == "sqlite" and self.chance(25):
            words = "insert or replace into"
        elif self.d.name == "duckdb" and self.chance(20):
            words = "insert or ignore into"
        if self.d.name in ("postgres", "duckdb", "sqlite") and words == "insert into" and " where " in text.rsplit(" from ", 1)[-1] and self.chance(20):
            after = " on conflict (customer_id) do nothing"
        if self.d.name in ("postgres", "duckdb", "sqlite", "tsql") and text.startswith("with ") and self.chance(50):
            self.kinds.add("WITH before INSERT")
            main = self.main
            return {"sql": f"{text[:len(text) - len(main)]}{words} {self.table('report')}{listed} {main}{after}", "oracle": [text], "targets": targets}
        return {"sql": f"{words} {self.table('report')}{listed} {text}{after}", "oracle": [text], "targets": targets}

    def make_ctas(self):
        text, cols = self.statement()
        if len({n for n, _ in cols}) < len(cols):
            return self.make_query()
        name = self.table(f"made_{self.random.randint(1, 10**9)}")
        before = self.pick("create table", "create table", *TABLES_MADE.get(self.d.name, ()))
        if before == "into":
            main = self.main
            head, _, rest = main.partition(" from ")
            if " into " in head or "(" in head or not rest:
                return self.make_query()
            self.kinds.add("SELECT INTO")
            return {"sql": f"{text[:len(text) - len(main)]}{head} into {name} from {rest}", "oracle": [text]}
        return {"sql": f"{before} {name} {AFTER.get(self.d.name, '')}as {text}", "oracle": [text]}

    def make_view(self):
        text, cols = self.statement()
        if len({n for n, _ in cols}) < len(cols):
            return self.make_query()
        name, case = self.table(f"view_{self.random.randint(1, 10**9)}"), {}
        listed = ""
        if self.chance(20) and self.d.name not in ("clickhouse",):
            case["targets"] = [f"p{i}" for i in range(len(cols))]
            listed = f" ({', '.join(case['targets'])})"
        replace = self.pick("", "or replace ") if self.d.name not in ("sqlite", "redshift", "tsql") else ""
        return {"sql": f"create {replace}view {name}{listed} as {text}", "oracle": [text], **case}

    def target(self):
        """The table that a statement changes, and a source beside it."""
        self.ctes = []
        self.used.add("r")
        scope = Scope(qualified=True, sources=[Source("r", columns("report"))])
        source = self.source(scope, 1)
        return scope, source

    def sets(self, scope):
        chosen = self.random.sample([c for c in columns("report") if c[1] in "nti"], self.pick(1, 2))
        return [(n, self.expr(scope, k)) for n, k in chosen]

    def make_update(self):
        scope, source = self.target()
        joined = f"r.customer_id = {scope.sources[1].alias}.{self.first(scope.sources[1])}"
        sets, where = self.sets(scope), self.simple(scope)
        report, as_ = self.table("report"), "" if self.d.name == "oracle" else "as "
        written = ", ".join(f"{n} = {e}" for n, e in sets)
        if self.d.update == "subquery":
            scope.sources = scope.sources[:1]
            n = self.scalar(scope, "n")
            where = self.simple(scope)
            return {"sql": f"update {report} r set total = {n} where {where}", "oracle": [f"select {n} as total from {report} r where {where}"]}
        oracle = [f"select {', '.join(f'{e} as {n}' for n, e in sets)} from {report} {as_}r cross join {source} where {joined} and {where}"]
        if self.d.update == "tsql":
            text = f"update r set {written} from {report} as r join {source} on {joined} where {where}"
        elif self.d.update == "join":
            text = f"update {report} as r join {source} on {joined} set {', '.join(f'r.{n} = {e}' for n, e in sets)} where {where}"
        else:
            text = f"update {report} as r set {written} from {source} where {joined} and {where}"
        return {"sql": text, "oracle": oracle}

    def first(self, source):
        names = [n for n, k in source.cols if k == "i"] or [n for n, _ in source.cols]
        return self.name(names[0], False)

    def make_delete(self):
        self.ctes = []
        scope = Scope()
        scope.sources = [Source("r", columns("report"))]
        report, as_ = self.table("report"), "" if self.d.name == "oracle" else "as "
        if self.able("delete_using", 40):
            source = self.base(scope)
            where = f"r.customer_id = {scope.sources[1].alias}.{self.first(scope.sources[1])} and {self.simple(scope)}"
            return {"sql": f"delete from {report} as r using {source} where {where}", "reads_only": True,
                    "oracle": [f"select 1 as one from {report} as r cross join {source} where {where}"]}
        where = f"{self.simple(scope)} and {self.exists(scope) if self.chance(50) else self.predicate(scope)}"
        oracle = f"select 1 as one from {report} {as_}r where {where}"
        if self.d.name == "tsql":
            return {"sql": f"delete r from {report} as r where {where}", "oracle": [oracle], "reads_only": True}
        return {"sql": f"delete from {report} {as_}r where {where}", "oracle": [oracle], "reads_only": True}

    def make_merge(self):
        scope, source = self.target()
        mine = Scope(qualified=True, sources=scope.sources[1:])
        joined = f"r.customer_id = {mine.sources[0].alias}.{self.first(mine.sources[0])}"
        report, as_ = self.table("report"), "" if self.d.name == "oracle" else "as "
        sets, more = self.sets(scope), f" and {self.simple(scope)}" if self.chance(40) and self.d.name != "oracle" else ""
        text = f"merge into {report} {as_}r using {source} on ({joined})"
        text += f" when matched{more} then update set {', '.join(f'{n} = {e}' for n, e in sets)}"
        both = f"from {report} {as_}r cross join {source} where {joined}"
        oracle = [f"select {', '.join(f'{e} as {n}' for n, e in sets)} {both}{more}"]
        if self.chance(70):
            chosen = self.random.sample([c for c in columns("report") if c[1] in "nti"], 2)
            values = [(n, self.expr(mine, k, 0)) for n, k in chosen]
            text += f" when not matched then insert ({', '.join(n for n, _ in values)}) values ({', '.join(e for _, e in values)})"
            oracle.append(f"select {', '.join(f'{e} as {n}' for n, e in values)} {both}")
        return {"sql": text + (";" if self.d.name == "tsql" else ""), "oracle": oracle}


def schemas(d):
    """The schema as `headwater sql` takes it, and the one with the names that sqlglot gives them."""
    upper = d.folds == "upper"
    maker = Statements(random.Random(0), d)
    schema, known = {}, {}

    def stored(name):
        return name.upper() if upper and maker.plain(name) else name

    def folded(identifier):
        return normalize_identifiers(identifier, dialect=d.name).name

    for table in TABLES:
        parts = [*d.prefix, stored(table)]
        cols = {stored(n): d.array if k == "a" else TYPES[k] for n, k in columns(table)}
        schema[".".join(parts)] = cols
        whole = normalize_identifiers(exp.table_(*[exp.to_identifier(p, quoted=True) for p in ([None] * (3 - len(parts)) + parts)[::-1]]), dialect=d.name)
        known[".".join(p.name for p in whole.parts)] = {
            folded(exp.column(exp.to_identifier(n, quoted=True)).this): t for n, t in cols.items()}
    return schema, known


def main():
    seed, number = int(sys.argv[1]), int(sys.argv[2])
    names = sys.argv[3:] or list(DIALECTS)
    for position, name in enumerate(names):
        d = DIALECTS[name]
        schema, known = schemas(d)
        maker = Statements(random.Random(f"{seed} {name}"), d)
        for i in range(number // len(names) + (position < number % len(names))):
            print(json.dumps({"id": f"{name}-{i}", "dialect": name, **maker.case(), "schema": schema, "known": known}))
    if not sys.argv[3:]:
        for case in cases():
            print(json.dumps(case))


if __name__ == "__main__":
    main()
