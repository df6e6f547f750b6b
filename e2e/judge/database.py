"""Makes tables and views in a PostgreSQL database, and asks PostgreSQL which views break.

Reads {"address", "database", "statements"} as JSON from standard input. Writes, for each column
of each table and view, the relations that are lost or lose a foreign key when the column is
dropped, and the definition of each view as PostgreSQL has it.

What reads a column of a table is lost in a real DROP COLUMN, which is rolled back. A view's
column cannot be dropped, so PostgreSQL's record of what reads it (pg_depend) is followed; for
tables, the record and the drop must agree.
"""

import json
import sys
from collections import defaultdict

import psycopg2
from psycopg2 import errors
from psycopg2.extensions import quote_ident

RELATIONS = """
SELECT c.oid, n.nspname, c.relname, c.relkind, CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_'
"""

# Which view reads which column (0: the relation as a whole), also through a key that its
# GROUP BY relies on and through the type of the relation's rows.
READS = """
SELECT r.ev_class, d.refobjid, d.refobjsubid
FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
UNION
SELECT r.ev_class, k.conrelid, unnest(k.conkey)
FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
JOIN pg_constraint k ON d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid
UNION
SELECT r.ev_class, t.typrelid, 0
FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
JOIN pg_type t ON d.refclassid = 'pg_type'::regclass AND d.refobjid = t.oid AND t.typrelid <> 0
"""

FOREIGN_KEYS = "SELECT oid, conrelid FROM pg_constraint WHERE contype = 'f'"

COLUMNS = "SELECT attrelid, attnum, attname FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped ORDER BY 1, 2"


def connect(address, database):
    host, port = address.rsplit(":", 1)
    return psycopg2.connect(host=host, port=port, user="postgres", dbname=database)


def make(order):
    admin = connect(order["address"], "postgres")
    admin.autocommit = True
    with admin.cursor() as cursor:
        cursor.execute(f'CREATE DATABASE {quote_ident(order["database"], admin)}')
    admin.close()
    connection = connect(order["address"], order["database"])
    with connection.cursor() as cursor:
        for statement in order["statements"]:
            try:
                cursor.execute(statement)
            except psycopg2.Error as error:
                sys.exit(f"{error}\n{statement}")
    connection.commit()
    return connection


def behind(read_by, relation, column):
    """The views that break with a column: its readers, and all readers of those."""
    broken = set(read_by[relation, column])
    frontier = list(broken)
    while frontier:
        for reader in read_by[frontier.pop(), None]:
            if reader not in broken:
                broken.add(reader)
                frontier.append(reader)
    return broken


def lost(connection, relations, table, column):
    """What a drop takes with it: views, and tables whose foreign keys it takes."""
    name = f'{quote_ident(relations[table][0], connection)}.{quote_ident(relations[table][1], connection)}'
    drop = f"ALTER TABLE {name} DROP COLUMN {quote_ident(column, connection)}"
    with connection.cursor() as cursor:
        cursor.execute(FOREIGN_KEYS)
        keys = dict(cursor.fetchall())
        cursor.execute("SAVEPOINT before")
        try:
            cursor.execute(drop + " RESTRICT")
            refused = False
        except errors.DependentObjectsStillExist:
            refused = True
        cursor.execute("ROLLBACK TO before")
        cursor.execute(drop + " CASCADE")
        cursor.execute("SELECT oid FROM pg_class")
        left = {oid for (oid,) in cursor.fetchall()}
        cursor.execute(FOREIGN_KEYS)
        keys_left = dict(cursor.fetchall())
        cursor.execute("ROLLBACK TO before")
    views = {oid for oid in relations if oid not in left}
    tables = {owner for key, owner in keys.items() if key not in keys_left and owner != table}
    assert refused == bool(views or tables), f"{drop}: refused is {refused}, and it takes {views} and {tables}"
    return views, tables


def main():
    connection = make(json.load(sys.stdin))
    with connection.cursor() as cursor:
        cursor.execute(RELATIONS)
        relations = {oid: rest for oid, *rest in cursor.fetchall()}
        cursor.execute(READS)
        read_by = defaultdict(set)
        for view, relation, column in cursor.fetchall():
            read_by[relation, column].add(view)
            read_by[relation, None].add(view)
        cursor.execute(COLUMNS)
        columns = [row for row in cursor.fetchall() if row[0] in relations]
    def named(oids):
        return sorted(".".join(relations[oid][:2]) for oid in oids)

    answer = {"columns": [], "views": {}}
    for relation, number, column in columns:
        views, tables = behind(read_by, relation, number), set()
        if relations[relation][2] == "r":
            recorded = views
            views, tables = lost(connection, relations, relation, column)
            assert views == recorded, f"{relations[relation][:2]} {column}: a drop takes {named(views)}, recorded are {named(recorded)}"
        direct = read_by[relation, number]
        answer["columns"].append({
            "relation": named([relation])[0], "column": column, "readers": named(read_by[relation, None]),
            "direct": named(direct | tables), "broken": named(views | tables),
        })
    answer["views"] = {named([oid])[0]: rest[3] for oid, rest in relations.items() if rest[2] == "v"}
    json.dump(answer, sys.stdout)


main()
