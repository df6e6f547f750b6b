"""Statements of kinds that other parsers are known to read wrongly, by the issue that says so."""

from dialects import TYPES, columns

# The name, the kind of hole, and the statement over shop.orders and shop.customers.
HOLES = [
    ("sqllineage-303", "with a as (select amount as a1, vat as a2 from {o}), b as (select * from a) select * from b"),
    ("sqllineage-303-more", "with a as (select amount as a1, vat as a2 from {o}), b as (select *, a2 as a3 from a) select * from b"),
    ("sqlglot-2515", "with c as (select o.amount as y from {o} o) select sum((select max(y) from c)) as total from c"),
    ("openlineage-3809", "select * from (select order_id, amount, vat from {o}) q"),
    ("openlineage-3809-alias", "select q.* from (select order_id, amount, vat from {o}) q"),
    ("openlineage-3809-joined", "select q.*, c.name from (select customer_id as k, amount from {o}) q join {c} c on c.customer_id = q.k"),
]


def cases():
    """The cases, each in some dialects."""
    for dialect in ("postgres", "oracle", "snowflake", "bigquery", "tsql"):
        upper = dialect in ("oracle", "snowflake")
        tables = {f"shop.{t}": {n: TYPES[k] for n, k in columns(t)} for t in ("orders", "customers")}
        if upper:
            tables = {t.upper(): {n.upper(): k for n, k in c.items()} for t, c in tables.items()}
        known = {t: {n if upper else n.lower(): k for n, k in c.items()} for t, c in tables.items()}
        for name, text in HOLES:
            yield {"id": f"{name}-{dialect}", "dialect": dialect, "kinds": ["hole of another parser"],
                   "sql": text.format(o="shop.orders", c="shop.customers"), "schema": tables, "known": known}
            yield {"id": f"{name}-{dialect}-view", "dialect": dialect, "kinds": ["hole of another parser"],
                   "sql": "create view shop.held as " + text.format(o="shop.orders", c="shop.customers"),
                   "oracle": [text.format(o="shop.orders", c="shop.customers")], "schema": tables, "known": known}
