"""Makes queries from a grammar. Types fit, so that the engines of some dialects accept each query."""

import re

from dialects import TABLES, columns

RESERVED = {"order", "select", "group", "from", "table", "end"}
LITERALS = {"i": ["1", "7", "100"], "n": ["0.5", "10", "99.9"], "t": ["'a'", "'it''s from orders.note'", "'%x%'", "'customers.email'"]}
ROW_VALUES = ("postgres", "duckdb", "sqlite", "mysql", "oracle", "trino", "snowflake", "databricks", "spark", "redshift", "clickhouse")
VALUES = ("postgres", "duckdb", "trino", "snowflake", "tsql", "databricks", "spark")  # with VALUES in FROM
BACKSLASH = ("bigquery", "databricks", "spark")  # dialects in which '' does not stand for a quote


class Source:
    """A source of a FROM clause: its alias, and pairs of name and kind."""

    def __init__(self, alias, cols):
        self.alias, self.cols = alias, cols


class Scope:
    """The sources that an expression may read. Qualified: other sources are around, so names need an alias."""

    def __init__(self, outer=None, qualified=False, sources=()):
        self.sources, self.merged, self.outer, self.qualified = list(sources), set(), outer, qualified

    def found(self, name):
        return [s for s in self.sources for n, _ in s.cols if n == name]


class Queries:
    def __init__(self, random, dialect):
        self.random, self.d = random, dialect
        self.literals = {k: [t for t in of if "''" not in t or dialect.name not in BACKSLASH] for k, of in LITERALS.items()}
        self.begin()

    def begin(self):
        """Begins a statement: aliases are unique in it, kinds are the constructs that it has, and loose says whether
        a query inside has a WITH query that nothing reads."""
        self.kinds, self.used, self.ctes, self.loose = set(), set(), [], False

    # Choices.
    def chance(self, percent):
        return self.random.random() * 100 < percent

    def pick(self, *of):
        return self.random.choice(of)

    def able(self, construct, percent):
        if self.d.able(construct) and self.chance(percent):
            self.kinds.add(construct.replace("_", " "))
            return True
        return False

    # Names.
    def quote(self, name):
        return self.d.quotes[0] + name + self.d.quotes[1]

    def plain(self, name):
        return re.fullmatch(r"[a-z_][a-z0-9_]*", name) and name not in RESERVED

    def name(self, name, varied=True):
        """A name in one of its spellings."""
        if not self.plain(name):
            self.kinds.add("quoted name")
            return self.quote(name)
        if varied and self.d.name not in ("mysql", "clickhouse") and self.chance(6):
            return name.upper()
        if varied and self.chance(5):
            self.kinds.add("quoted name")
            return self.quote(name.upper() if self.d.folds == "upper" else name)
        return name

    def table(self, table):
        parts = list(self.d.prefix) + [table]
        if self.d.name in ("snowflake", "oracle"):
            parts = [p.lower() for p in parts[:-1]] + [table]
        return ".".join(p if self.plain(p) else self.quote(p) for p in parts)

    def alias(self, base="t"):
        for n in range(1, 10000):
            name = self.pick(base, base[:1], "t", "src", "x") + (str(n) if n > 1 or self.chance(50) else "")
            if name not in self.used and name not in TABLES:
                self.used.add(name)
                return name
        raise AssertionError("no alias is left")

    def output(self, cols):
        """A name for an output, which the other outputs do not have."""
        taken = {n for n, _ in cols}
        while True:
            name = self.pick("total", "label", "flag", "k", "v", "share", "customer_id", "amount", "Total Sum")
            name = name if self.chance(30) else f"{name}_{self.random.randint(1, 60)}"
            if name not in taken and name.lower() not in {t.lower() for t in taken}:
                return name

    def comment(self):
        text = self.pick("customers.email", "where status = 'x'", "from orders", "select *")
        return self.pick("", "", "", "", f" /* {text} */", f" -- {text}\n")

    # Columns.
    def refs(self, scope, kinds, outer=True):
        """How columns of some kinds may be written."""
        result = []
        for source in scope.sources:
            for name, kind in source.cols:
                if kind not in kinds:
                    continue
                if name in scope.merged:
                    if len(scope.found(name)) == 2:
                        result.append(self.name(name))
                elif not scope.qualified and len(scope.found(name)) == 1 and self.chance(45):
                    result.append(self.name(name))
                else:
                    result.append(f"{source.alias}.{self.name(name)}")
        if scope.outer and outer and self.chance(40):
            for source in scope.outer.sources:
                result += [f"{source.alias}.{self.name(n)}" for n, k in source.cols if k in kinds and n not in scope.outer.merged]
        return result

    def ref(self, scope, kinds, outer=True):
        refs = self.refs(scope, kinds, outer)
        return self.pick(*refs) if refs else None

    # Expressions.
    def expr(self, scope, kind, depth=1):
        ref = self.ref(scope, kind)
        if ref is None:
            return self.pick(*self.literals[kind]) if kind in self.literals else "null"
        if depth <= 0 or kind not in "int" or self.chance(35):
            return ref
        if self.able("scalar", 5):
            return self.scalar(scope, kind)
        if self.chance(14):
            self.kinds.add("case")
            return f"case when {self.predicate(scope, depth - 1)} then {ref} else {self.expr(scope, kind, depth - 1)} end"
        if self.chance(15):
            self.kinds.add("cast")
            if kind == "t":
                return f"cast({self.ref(scope, 'in') or '1'} as {self.d.text})"
            return f"cast({self.ref(scope, 'n') or '1'} as {'int' if kind == 'i' else 'decimal(18,2)'})"
        other = self.expr(scope, kind, depth - 1)
        if kind == "i":
            return self.pick(f"{ref} + 1", f"{ref} * ({other})", f"coalesce({ref}, {other})", f"abs({ref})")
        if kind == "n":
            return self.pick(f"{ref} * {other}", f"({ref} - {other})", f"round({ref}, 2)", f"coalesce({ref}, 0)", f"nullif({ref}, {other})")
        if self.chance(45):
            made = self.fill(self.d.functions, scope)
            if made:
                return made
        joined = f"concat({ref}, {other})" if self.d.name in ("mysql", "tsql", "bigquery", "clickhouse") else f"{ref} || {other}"
        return self.pick(f"upper({ref})", joined, f"trim({ref})", f"replace({ref}, 'a', {other})", f"coalesce({ref}, {other})")

    def fill(self, templates, scope):
        """Fills columns into one of the templates of which it finds the columns; None if there is none."""
        for _ in range(4):
            text = self.pick(*templates)
            refs = {m: self.ref(scope, m[0]) for m in re.findall(r"\{([a-z]2?)\}", text)}
            if all(refs.values()):
                self.kinds.add("function of the dialect")
                return re.sub(r"\{([a-z]2?)\}", lambda m: refs[m.group(1)], text)
        return None

    def scalar(self, scope, kind):
        """A scalar query, which may read the sources around it."""
        self.kinds.add("scalar")
        inner = Scope(scope)
        text = self.base(inner)
        value = self.ref(inner, kind, outer=False)
        made = f"max({value})" if value and kind != "b" else "count(*)" if kind in "in" else "max('x')"
        return f"(select {made} from {text} where {self.correlated(inner)})"

    def correlated(self, inner):
        mine, theirs = self.ref(inner, "i", outer=False), None
        outer = [f"{s.alias}.{self.name(n)}" for s in inner.outer.sources for n, k in s.cols if k == "i" and n not in inner.outer.merged]
        theirs = self.pick(*outer) if outer else "1"
        if outer:
            self.kinds.add("correlated")
        more = f" and {self.simple(inner)}" if self.chance(30) else ""
        return f"{mine or '1'} = {theirs}{more}"

    def simple(self, scope):
        kind = self.pick("i", "n", "t", "t", "d")
        ref = self.ref(scope, kind, outer=False)
        if ref is None:
            return "1 = 1"
        if kind in "in":
            value = self.pick(*self.literals[kind])
            return self.pick(f"{ref} > {value}", f"{ref} between 1 and {value}", f"{ref} <> {self.ref(scope, kind)}", f"{ref} in (1, 2, 3)")
        if kind == "t":
            return self.pick(f"{ref} like 'a%'", f"{ref} in ('a', 'b')", f"{ref} = {self.pick(*self.literals['t'])}", f"{ref} is not null")
        return self.pick(f"{ref} is not null", f"{ref} >= {self.ref(scope, 'd')}")

    def predicate(self, scope, depth=1):
        if depth > 0 and self.able("exists", 8):
            return self.exists(scope)
        if depth > 0 and self.able("in", 8):
            self.kinds.add("in query")
            inner = Scope()
            text = self.base(inner)
            column = self.ref(inner, "i", outer=False)
            if column:
                return f"{self.ref(scope, 'i') or '1'} {self.pick('', 'not ')}in (select {column} from {text} where {self.simple(inner)})"
        if depth > 0 and self.d.name in ROW_VALUES and self.chance(3):
            self.kinds.add("row in query")
            inner = Scope()
            text = self.base(inner)
            pair = [self.ref(inner, "i", outer=False), self.ref(inner, "t", outer=False)]
            if all(pair) and self.ref(scope, "t"):
                return f"({self.ref(scope, 'i') or '1'}, {self.ref(scope, 't')}) in (select {pair[0]}, {pair[1]} from {text})"
        if depth > 0 and self.d.name not in ("sqlite", "bigquery", "clickhouse", "trino") and self.chance(3):
            self.kinds.add("quantifier")
            inner = Scope()
            text = self.base(inner)
            column = self.ref(inner, "i", outer=False)
            if column:
                return f"{self.ref(scope, 'i') or '1'} {self.pick('>= all', '< any', '= any')} (select {column} from {text})"
        if depth > 0 and self.chance(5):
            self.kinds.add("compared with a query")
            inner = Scope()
            text = self.base(inner)
            column = self.ref(inner, "i", outer=False)
            if column:
                return f"{self.ref(scope, 'i') or '1'} {self.pick('>', '=', '<>')} (select max({column}) from {text})"
        if depth > 0 and self.chance(25):
            return f"({self.predicate(scope, depth - 1)} {self.pick('and', 'or')} {self.pick('', 'not ')}({self.predicate(scope, depth - 1)}))"
        return self.simple(scope)

    def exists(self, scope):
        inner = Scope(scope)
        text = self.base(inner)
        what = self.pick("1", "1", "null", inner.sources[0].alias + "." + self.name(inner.sources[0].cols[0][0]))
        return f"{self.pick('', 'not ')}exists (select {what} from {text} where {self.correlated(inner)})"

    # Sources.
    def base(self, scope):
        """A table or a CTE, added to the scope."""
        if self.ctes and self.chance(45):
            name, cols = self.pick(*self.ctes)
            alias = self.alias(name)
            scope.sources.append(Source(alias, cols))
            return f"{name} {self.pick('as ', '') if self.d.name != 'oracle' else ''}{alias}"
        table = self.pick(*TABLES)
        return self.base_table(scope, table)

    def base_table(self, scope, table):
        if table != "Ledger" and self.chance(25) and table not in self.used:
            self.used.add(table)
            scope.sources.append(Source(table, columns(table)))
            return self.table(table)
        alias = self.alias(table.lower())
        scope.sources.append(Source(alias, columns(table)))
        return f"{self.table(table)} {self.pick('as ', '') if self.d.name != 'oracle' else ''}{alias}"

    def source(self, scope, depth):
        if depth > 0 and self.able("derived", 22):
            saved = self.ctes
            text, cols = self.query(depth - 1)
            self.ctes = saved
            alias, listed = self.alias("sub"), ""
            if self.d.name in ("postgres", "duckdb", "redshift", "trino", "snowflake") and self.chance(20):
                self.kinds.add("column aliases")
                cols = [(f"c{i}", k) for i, (_, k) in enumerate(cols)]
                listed = "(" + ", ".join(n for n, _ in cols) + ")"
            scope.sources.append(Source(alias, cols))
            return f"({text}) {'as ' if self.d.name != 'oracle' else ''}{alias}{listed}"
        if depth > 0 and self.d.name in VALUES and self.chance(5):
            self.kinds.add("values")
            alias = self.alias("vals")
            scope.sources.append(Source(alias, [("num", "i"), ("word", "t")]))
            return f"(values (1, 'a'), (2, 'b')) as {alias}(num, word)"
        return self.base(scope)

    def from_clause(self, scope, depth):
        text = self.source(scope, depth) + self.comment()
        for i in range(self.pick(0, 0, 1, 1, 2)):
            text += self.join(scope, depth, first=i == 0)
        arrays = [s for s in scope.sources if ("tags", "a") in s.cols]
        if arrays and self.d.unnest and self.chance(60):
            self.kinds.add("unnest")
            u, a = self.alias("u"), self.pick(*arrays).alias
            name = self.d.element or (u if self.d.name == "bigquery" else "tag")
            native = self.d.unnest.format(a=a, u=u)
            native = native if native.startswith(",") else " " + native
            if self.d.resolved:
                native = f"\1{native}\2 {self.d.resolved.format(a=a, u=u, name=name)}\3"
            text += native
            if self.d.element and not scope.found(name):
                scope.sources.append(Source(u, [(name, "t")]))
            elif not self.d.element and not scope.found(name):
                scope.unnested = name
        return text

    def join(self, scope, depth, first):
        before = list(scope.sources)
        if self.able("lateral", 10):
            inner = Scope(scope)
            text = self.base(inner)
            alias, ref, where = self.alias("lat"), self.ref(inner, "i", outer=False) or "1", self.correlated(inner)
            scope.sources.append(Source(alias, [("best", "i")]))
            return f" cross join lateral (select max({ref}) as best from {text} where {where}) as {alias}"
        if self.able("apply", 12):
            inner = Scope(scope)
            text = self.base(inner)
            alias, ref, where = self.alias("app"), self.ref(inner, "i", outer=False) or "1", self.correlated(inner)
            scope.sources.append(Source(alias, [("best", "i")]))
            return f" {self.pick('cross', 'outer')} apply (select max({ref}) as best from {text} where {where}) as {alias}"
        if self.able("semi", 8):
            inner = Scope()
            text = self.base(inner)
            pair = self.on(before, inner.sources[0])
            word = {"spark": "left semi join", "databricks": "left anti join"}.get(self.d.name, "semi join")
            return f" {word} {text} on {pair}"
        text = self.source(scope, depth)
        mine = scope.sources[-1]
        common = [n for n, k in mine.cols if sum(n == m for s in before for m, _ in s.cols) == 1 and (n, k) in [c for s in before for c in s.cols]]
        if first and common and self.able("using", 25):
            names = self.random.sample(common, 1)
            scope.merged |= set(names)
            return f" {self.pick('', 'left ', 'inner ')}join {text} using ({', '.join(self.name(n, False) for n in names)})"
        plain = len({n for n, _ in mine.cols}) == len(mine.cols) and len(before) == 1
        same = [n for n, k in mine.cols if n in {m for m, _ in before[0].cols}] if plain else []
        if first and same and set(same) == set(common) and self.able("natural", 20):
            scope.merged |= set(same)
            return f" natural {self.pick('', 'left ')}join {text}"
        if self.able("cross", 12):
            return f" cross join {text}"
        word = "full " if self.able("full", 8) else self.pick("", "left ", "inner ", "left outer ")
        more = ""
        if self.chance(15):
            more = f" and {self.simple(Scope(qualified=True, sources=[mine]))}"
        return f" {word}join {text} on {self.on(before, mine)}{more}"

    def on(self, before, mine):
        left = [f"{s.alias}.{self.name(n)}" for s in before for n, k in s.cols if k == "i"] or ["1"]
        right = [f"{mine.alias}.{self.name(n)}" for n, k in mine.cols if k == "i"] or ["1"]
        return f"{self.pick(*left)} = {self.pick(*right)}"
