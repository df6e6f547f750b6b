"""What sqlglot knows of a query: which columns of tables flow to which output, and which are read.

Sqlglot resolves the names (qualify) and the scopes (build_scope); the flow follows from its tree. Reads cases as
JSON, one a line, from standard input, and writes them with "expected" or, if sqlglot cannot resolve the names,
with "unsure", which is its message.

Two kinds of edges are told apart. "must" are columns whose values an output is computed from. "may" are columns on
which an output depends without holding their values, and of which programs differ: partitions and orders of
windows, filters of aggregations, queries after EXISTS and IN, the right side of EXCEPT and INTERSECT, and the other
sides of a column that USING or NATURAL merges. A judge counts neither the presence nor the absence of a "may" as a
mistake, because both kinds must be among the columns read.
"""

import json
import logging
import sys

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope
from sqlglot.schema import MappingSchema

sys.setrecursionlimit(10000)
logging.disable(logging.CRITICAL)
# Functions of windows that take the value of one row.
OF_A_ROW = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
ORDER = ["", "identity", "transformation", "aggregation"]


class Unsure(Exception):
    """Sqlglot has not resolved a name."""


class Flow:
    """The columns that flow into a value: pairs of table and column; how: one of ORDER."""

    def __init__(self, must=(), may=(), how=""):
        self.must, self.may, self.how = set(must), set(may), how

    def add(self, other):
        self.must |= other.must
        self.may |= other.may
        self.how = max(self.how, other.how, key=ORDER.index)

    def at_least(self, how):
        if self.must or self.may:
            self.how = max(self.how, how, key=ORDER.index)
        return self

    def only_may(self):
        return Flow((), self.must | self.may)


def table_name(table):
    return ".".join(part.name for part in table.parts)


def merged_by_join(node):
    """Whether a COALESCE is a column that a USING has merged."""
    parts = [node.this, *node.expressions]
    return node.args.get("merged") or (
        isinstance(node, exp.Coalesce) and len(parts) > 1
        and all(isinstance(p, exp.Column) and p.table for p in parts)
        and len({p.name for p in parts}) == 1 and len({p.table for p in parts}) == len(parts)
    )


class Query:
    """A query whose names sqlglot has resolved."""

    def __init__(self, sql, dialect, schema, written=None):
        """Written is the query as somebody wrote it, if the names of sql are resolved already."""
        tree = sqlglot.parse_one(sql, read=dialect)
        joins = sqlglot.parse_one(written or sql, read=dialect).find_all(exp.Join)
        self.merges = any(j.args.get("using") or j.args.get("method") == "NATURAL" for j in joins)
        known = MappingSchema(schema, dialect=dialect, normalize=False)
        self.tree = qualify(tree, schema=known, dialect=dialect, quote_identifiers=False, identify=False)
        self.root = build_scope(self.tree)
        if self.root is None:
            raise Unsure("not a query")
        self.scopes = {}
        for scope in self.root.traverse():
            self.scopes.setdefault(id(scope.expression), scope)
        self.done, self.busy = {}, set()

    def outputs(self, scope):
        """Pairs of name and Flow, in order."""
        if isinstance(scope.expression, exp.Lateral) and "" in scope.sources:
            return self.outputs(scope.sources[""])
        key = id(scope.expression)
        if key in self.done:
            return self.done[key]
        if key in self.busy:  # a recursive query reads what its first part gives
            return self.outputs(scope.set_operation_scopes[0]) if scope.set_operation_scopes and id(scope.set_operation_scopes[0].expression) not in self.busy else []
        self.busy.add(key)
        if scope.set_operation_scopes:
            left, right = (self.outputs(s) for s in scope.set_operation_scopes)
            result = self.set_operation(scope.expression, left, right)
        elif isinstance(scope.expression, exp.Select):
            result = [(s.alias_or_name, self.flow(s.unalias(), scope)) for s in scope.expression.selects]
        elif isinstance(scope.expression, exp.Subquery):
            result = self.outputs(self.scopes[id(scope.expression.unnest())])
        else:
            raise Unsure(f"a scope of {type(scope.expression).__name__}")
        self.busy.discard(key)
        self.done[key] = result
        return result

    def set_operation(self, node, left, right):
        by_name, result = dict((n.lower(), f) for n, f in right), []
        for i, (name, flow) in enumerate(left):
            other = by_name.get(name.lower()) if node.args.get("by_name") else right[i][1] if i < len(right) else None
            both = Flow()
            both.add(flow)
            if other is not None:
                both.add(other if isinstance(node, exp.Union) else other.only_may())
            result.append((name, both))
        return result

    def flow(self, node, scope):
        """The columns that flow into an expression."""
        if isinstance(node, exp.Column):
            return self.column(node, scope)
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self.flow(node.this, scope)
        result = Flow()
        if isinstance(node, (exp.Exists, exp.In)) and (isinstance(node, exp.Exists) or node.args.get("query")):
            for child in node.iter_expressions():
                one = self.flow(child, scope)
                result.add(one if child.arg_key == "this" and isinstance(node, exp.In) else one.only_may())
            return result.at_least("transformation")
        if isinstance(node, (exp.Subquery, exp.Query)):
            inner = self.scopes.get(id(node.unnest()))
            if inner is None:
                raise Unsure("a query without a scope")
            for _, flow in self.outputs(inner):
                result.add(flow)
            return result.at_least("transformation")
        if isinstance(node, exp.Coalesce) and self.merges and merged_by_join(node):
            for i, part in enumerate([node.this, *node.expressions]):
                one = self.flow(part, scope)
                result.add(one if i == 0 else one.only_may())
            return result.at_least("identity")
        for child in node.iter_expressions():
            one = self.flow(child, scope)
            aside = isinstance(child, (exp.Order, exp.Ordered, exp.Where, exp.WindowSpec)) or isinstance(node, exp.Window) and child.arg_key != "this"
            if isinstance(node, (exp.WithinGroup,)):
                aside = False
            result.add(one.only_may() if aside else one)
        aggregates = isinstance(node, (exp.AggFunc, exp.CombinedAggFunc)) and not isinstance(node, OF_A_ROW)
        return result.at_least("aggregation" if aggregates else "transformation")

    def source(self, column, scope):
        """The table or the scope that a column is of, with the scope in which it is found."""
        while scope is not None:
            if column.table:
                if column.table in scope.sources:
                    return scope.sources[column.table]
            else:
                for name, source in scope.sources.items():
                    if isinstance(source, Scope) and isinstance(source.expression, exp.UDTF):
                        names = {n.lower() for n in source.expression.alias_column_names} | {source.expression.alias.lower(), name.lower()}
                        if column.name.lower() in names:
                            return source
            scope = scope.parent
        return None

    def column(self, column, scope):
        source = self.source(column, scope)
        if source is None:
            if not column.table and self.is_output(column, scope):
                return Flow()  # it is read where it is computed
            raise Unsure(f"{column.sql()} is of no source")
        if isinstance(source, exp.Table):
            if not isinstance(source.this, exp.Identifier):
                return Flow()
            if not column.name or source.args.get("pivots") or any(c.this == source.name for c in self.tree.find_all(exp.CTE)):
                raise Unsure(f"{column.sql()} is a column by number, of a PIVOT or of a WITH query out of scope")
            return Flow([(table_name(source), column.name)], (), "identity")
        if isinstance(source.expression, exp.UDTF) and "" not in source.sources:
            result = Flow()
            for inner in source.expression.find_all(exp.Column):
                result.add(self.column(inner, source.parent or source))
            return result.at_least("transformation")
        for name, flow in self.outputs(source):
            if name == column.name:
                return Flow(flow.must, flow.may, flow.how)
        names = source.outer_columns
        if column.name in names and len(names) == len(self.outputs(source)):
            return self.outputs(source)[names.index(column.name)][1]
        if id(source.expression) in self.busy:
            return Flow()
        raise Unsure(f"{column.sql()} is not an output of its source")

    def is_output(self, column, scope):
        """Whether the name of a column is that of an output of the query around it."""
        query = scope.expression
        return isinstance(query, exp.Query) and column.name.lower() in {n.lower() for n in query.named_selects}

    def reads(self):
        """All columns of tables that are read anywhere."""
        found = set()
        for column in self.tree.find_all(exp.Column):
            if isinstance(column.this, exp.Star):
                continue
            node = column.parent
            while node is not None and id(node) not in self.scopes:
                node = node.parent
            scope = self.scopes[id(node)] if node is not None else self.root
            source = self.source(column, scope)
            if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
                self.column(column, scope)
                found.add((table_name(source), column.name))
            elif source is None and (column.table or not self.is_output(column, scope)):
                raise Unsure(f"{column.sql()} is of no source")
        return found

    def tables(self):
        return {
            table_name(s) for scope in self.root.traverse() for s in scope.sources.values()
            if isinstance(s, exp.Table) and isinstance(s.this, exp.Identifier)
        }


def nested(schema):
    """The schema as sqlglot takes it: {"a.b": columns} as {"a": {"b": columns}}."""
    result = {}
    for name, columns in schema.items():
        inner, parts = result, name.split(".")
        for part in parts[:-1]:
            inner = inner.setdefault(part, {})
        inner[parts[-1]] = columns
    return result


def expected(case):
    """The expectation of a case: its queries' edges, added up, and all columns that they read."""
    edges, outputs, reads, tables = {}, [], set(), set()
    for query in case.get("oracle") or [case["sql"]]:
        q = Query(query, case["dialect"], nested(case["known"]), case.get("resolves") and case["sql"])
        for i, (name, flow) in enumerate(q.outputs(q.root)):
            if case.get("targets"):
                if i >= len(case["targets"]):
                    raise Unsure("more outputs than columns")
                name = case["targets"][i]
            if len(case.get("oracle", ())) > 1:  # several queries may give one output
                if name.lower() not in edges:
                    edges[name.lower()] = Flow()
                    outputs.append((name, edges[name.lower()]))
                edges[name.lower()].add(flow)
                flow.how = ""
            else:
                outputs.append((name, flow))
        reads |= q.reads()
        tables |= q.tables()
    return {
        "outputs": [] if case.get("reads_only") else [{"name": n, "must": sorted(f.must), "may": sorted(f.may - f.must), "how": f.how} for n, f in outputs],
        "reads": sorted(reads), "tables": None if case.get("no_tables") else sorted(tables),
    }


def expect(case):
    try:
        case["expected"] = expected(case)
    except Unsure as error:
        case["unsure"] = str(error)
    except (sqlglot.errors.SqlglotError, RecursionError, KeyError, AttributeError, IndexError, ValueError) as error:
        case["unsure"] = f"{type(error).__name__}: {str(error)[:200]}"
    return case


def main():
    for line in sys.stdin:
        print(json.dumps(expect(json.loads(line))))


if __name__ == "__main__":
    main()
