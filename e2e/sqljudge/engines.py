"""DuckDB and SQLite judge which columns views read: a view that reads a column cannot be queried without it.

For each column of the tables of dialects.py, each engine gets the tables, loses that column by ALTER TABLE, and is
asked for every view. A view that then fails has read the column. Writes a result for each view, one a line, as
score.py does.

A view may read a column and still work without it: "*" and NATURAL JOIN take what is there, and a name may come to
mean a column of a query around, or an output. So a view that works is evidence only where each name has an alias
before it and no star is around; the generated views are of both kinds, and "read without reason" is counted in the
former.

Usage: engines.py BINARY SEED NUMBER
"""

import dataclasses
import json
import random
import sqlite3
import sys

import duckdb

import verb
from dialects import DIALECTS, TABLES, TYPES, columns
from generate import Statements, written

# In brackets, a name of SQLite is never taken for a text, as one in double quotes is that names no column.
ENGINES = {"duckdb": DIALECTS["duckdb"], "sqlite": dataclasses.replace(DIALECTS["sqlite"], quotes="[]")}


class Qualified(Statements):
    """Makes queries in which an alias is before each name."""

    def refs(self, scope, kinds, outer=True):
        was, scope.qualified = scope.qualified, True
        found = super().refs(scope, kinds, outer)
        scope.qualified = was
        return found

    def able(self, construct, percent):
        return construct not in ("natural", "lateral_alias", "using", "group_all") and super().able(construct, percent)

    def star(self, scope, items, cols, top):
        return False


def tables(engine, without=None):
    """A database with the tables, less one column."""
    database = duckdb.connect() if engine == "duckdb" else sqlite3.connect(":memory:")
    prefix = ""
    if engine == "duckdb":
        database.execute("create schema shop")
        prefix = "shop."
    for table in TABLES:
        listed = ", ".join(f'"{n}" {"varchar[]" if k == "a" and engine == "duckdb" else TYPES[k]}' for n, k in columns(table))
        database.execute(f'create table {prefix}"{table}" ({listed})')
    if without:
        table, column = without
        database.execute(f'alter table {prefix}"{table}" drop column "{column}"')
    return database


def works(database, text):
    """Whether a query can be asked; otherwise the reason why it cannot."""
    try:
        database.execute(f"explain {text}").fetchall()
    except (duckdb.Error, sqlite3.Error) as error:
        return str(error)
    return ""


def judge(engine, binary, seed, number):
    whole = tables(engine)
    views, refused = [], 0
    for kind, make in (("qualified", Qualified), ("any", Statements)):
        maker = make(random.Random(f"{seed} {engine} {kind}"), ENGINES[engine])
        count = 0
        while count < number:
            maker.begin()
            text = written(maker.statement()[0])
            if kind == "qualified" and maker.unused:
                continue  # neither engine looks at a WITH query that nothing reads
            reason = works(whole, text)
            if reason:
                refused += 1
                print(f"{engine}: {reason.splitlines()[0]}\n  {text}", file=sys.stderr)
                if refused > 20 * number:
                    raise SystemExit(f"{engine} refuses too many queries")
                continue
            count += 1
            views.append({"id": f"{engine}-{kind}-{count}", "kind": kind, "sql": text, "broken": set()})
    prefix = "shop." if engine == "duckdb" else ""
    for table in TABLES:
        for column, _ in columns(table):
            database = tables(engine, (table, column))
            for view in views:
                if table in view["sql"] and works(database, view["sql"]):
                    view["broken"].add((f"{prefix}{table}".lower(), column.lower()))
            database.close()
    schema = {prefix + t: {n: TYPES[k] for n, k in columns(t)} for t in TABLES}
    read = verb.read(binary, [{"id": v["id"], "dialect": engine, "sql": v["sql"], "schema": schema} for v in views])
    for view in views:
        print(json.dumps(result(engine, view, read[view["id"]])))


def result(engine, view, statements):
    wanted, got = view["broken"], verb.all_read(statements)
    if view["kind"] == "any":
        got = got & wanted
    problems = verb.not_understood(statements)
    texts = [f"{kind}: {', '.join('.'.join(c) for c in sorted(found))}"
             for kind, found in (("not read", wanted - got), ("read without reason", got - wanted)) if found]
    return {
        "id": view["id"], "dialect": engine, "kinds": [view["kind"]], "sql": view["sql"], "known": True, "unsure": None,
        "parsed": bool(statements) and not problems, "told": problems, "edges": [0, 0, 0], "how": [0, 0],
        "reads": [len(wanted & got), len(got - wanted), len(wanted - got)], "mistakes": texts,
    }


def main():
    for engine in ENGINES:
        judge(engine, sys.argv[1], sys.argv[2], int(sys.argv[3]))


if __name__ == "__main__":
    main()
