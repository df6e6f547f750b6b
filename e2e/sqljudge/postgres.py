"""PostgreSQL judges which columns views read: its own record of dependencies against `headwater sql`.

Makes a database with the tables of dialects.py and with views: those of hard.py and generated ones. For each view,
pg_depend has the columns on which it depends. They are compared with all columns that the command says are read.
Writes a result for each view, one a line, as score.py does.

PostgreSQL records no columns for a row as a whole (SELECT to_jsonb(t) FROM t), although the value has all of them.
In a view with such a row, a column that the command names beyond the record is not a mistake.

Usage: postgres.py ADDRESS BINARY SEED NUMBER
"""

import json
import os
import random
import sys

import psycopg2

import verb
from dialects import DIALECTS, TABLES, columns
from generate import Statements, written
from hard import OVER, VIEWS

TYPES = {"i": "integer", "n": "numeric", "t": "text", "d": "date", "s": "timestamp", "a": "text[]"}

READS = """
SELECT DISTINCT n.nspname || '.' || c.relname, a.attname
FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
WHERE r.ev_class = %s::regclass AND d.refobjid <> r.ev_class AND d.refobjsubid > 0 AND n.nspname IN ('shop', 'judged')
"""

WHOLE = "SELECT ev_action::text LIKE '%%:varattno 0 %%' FROM pg_rewrite WHERE ev_class = %s::regclass"

COLUMNS = """
SELECT n.nspname || '.' || c.relname, a.attname, format_type(a.atttypid, NULL)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE n.nspname IN ('shop', 'judged') AND a.attnum > 0 ORDER BY c.oid, a.attnum
"""


def quoted(name):
    return '"' + name + '"'


def connect(address, database):
    host, port = address.rsplit(":", 1)
    connection = psycopg2.connect(host=host, port=port, user="postgres", dbname=database)
    connection.autocommit = True
    return connection


def queries(seed, number):
    """Pairs of a view's name and its query."""
    found = [(f"hard_{i}", text) for i, text in enumerate(VIEWS)] + [(f"over_{i}", text) for i, text in enumerate(OVER)]
    maker = Statements(random.Random(f"{seed} views"), DIALECTS["postgres"])
    while len(found) < number + len(VIEWS) + len(OVER):
        maker.begin()
        text, cols = maker.statement()
        if len({n for n, _ in cols}) == len(cols):
            found.append((f"made_{len(found)}", written(text)))
    return found


def main():
    address, binary, seed, number = sys.argv[1:]
    database = f"sqljudge{os.getpid()}"
    connect(address, "postgres").cursor().execute(f"CREATE DATABASE {database}")
    cursor = connect(address, database).cursor()
    cursor.execute("CREATE SCHEMA shop; CREATE SCHEMA judged")
    for table in TABLES:
        listed = ", ".join(f"{quoted(n)} {TYPES[k]}" for n, k in columns(table))
        cursor.execute(f"CREATE TABLE shop.{quoted(table)} ({listed})")
    cases, refused = [], []
    for name, text in queries(seed, int(number)):
        sql = f"create view judged.{name} as {text}"
        try:
            cursor.execute(sql)
        except psycopg2.Error as error:
            refused.append(f"{str(error).splitlines()[0]}\n  {sql}")
            continue
        cursor.execute(READS, (f"judged.{name}",))
        reads = cursor.fetchall()
        cursor.execute(WHOLE, (f"judged.{name}",))
        cases.append({"id": name, "dialect": "postgres", "kinds": [name.split("_")[0]], "sql": sql, "reads": reads, "whole": cursor.fetchone()[0]})
    cursor.execute(COLUMNS)
    schema = {}
    for relation, column, kind in cursor.fetchall():
        schema.setdefault(relation, {})[column] = kind
    cursor.close()
    connect(address, "postgres").cursor().execute(f"DROP DATABASE {database} WITH (FORCE)")
    for text in refused:
        print(text, file=sys.stderr)
    for case in cases:
        case["schema"] = schema
    judge(binary, cases)


def judge(binary, cases):
    read = verb.read(binary, cases)
    for case in cases:
        statements = read[case["id"]]
        wanted, got = {(t.lower(), c.lower()) for t, c in case["reads"]}, verb.all_read(statements)
        if case["whole"]:
            got = {(t, c) for t, c in got if (t, c) in wanted}
        problems = verb.not_understood(statements)
        texts = [f"not resolved: {p}" for p in verb.not_understood(statements, of_names=True)]
        for kind, found in (("not read", wanted - got), ("read without reason", got - wanted)):
            if found:
                texts.append(f"{kind}: {', '.join('.'.join(c) for c in sorted(found))}")
        print(json.dumps({
            "id": case["id"], "dialect": "postgres", "kinds": case["kinds"], "sql": case["sql"], "known": True, "unsure": None,
            "parsed": bool(statements) and not problems, "told": problems, "edges": [0, 0, 0], "how": [0, 0],
            "reads": [len(wanted & got), len(got - wanted), len(wanted - got)], "mistakes": texts,
        }))


if __name__ == "__main__":
    main()
