"""Makes whole SELECT statements of the sources and expressions of queries.py."""

import re

from queries import Queries, Scope


class Selects(Queries):
    def statement(self, depth=2):
        """A query with its WITH clause, and the pairs of name and kind that it gives."""
        self.ctes, parts, recursive = [], [], False
        for _ in range(self.pick(0, 0, 1, 1, 2)):
            if not self.d.able("cte"):
                break
            self.kinds.add("CTE")
            if (self.d.able("recursive") or self.d.able("recursive_plain")) and self.chance(15):
                part, cols = self.recursive()
                recursive = True
            else:
                if self.ctes:
                    self.kinds.add("nested CTE")
                text, cols = self.query(depth - 1)
                name, listed = self.alias("cte"), ""
                if self.d.name not in ("bigquery", "clickhouse") and self.chance(20):
                    self.kinds.add("column aliases")
                    cols = [(f"c{i}", k) for i, (_, k) in enumerate(cols)]
                    listed = " (" + ", ".join(n for n, _ in cols) + ")"
                part = f"{name}{listed} as ({text})"
                self.ctes = self.ctes + [(name, cols)]
            parts.append(part)
        text, cols = self.query(self.random.randint(0, depth), top=True)
        self.unused, self.main = self.loose or self.unread(parts, text), text
        if parts:
            # Without the word, sqlglot does not know that the query is recursive.
            word = "" if not recursive else "recursive " if self.d.able("recursive") else "\1\2recursive \3"
            text = "with " + word + ", ".join(parts) + " " + text
        return text, cols

    def unread(self, parts, text):
        """Whether a WITH query is read by none of the others that are read."""
        for part in reversed(parts):
            name = re.match(r"\w+", part).group()
            if not re.search(rf"(?:from|join) {name}\b", text):
                return True
            text += part
        return False

    def recursive(self):
        self.kinds.add("recursive CTE")
        name = self.alias("tree")
        cols = [("node", "i"), ("depth", "i"), ("root", "t")]
        self.ctes = self.ctes + [(name, cols)]
        p = self.table("products")
        return (
            f"{name} (node, depth, root) as (select product_id, 1, name from {p} where parent_id is null union all "
            f"select p.product_id, r.depth + 1, r.root from {p} p join {name} r on p.parent_id = r.node where p.weight > 0)"
        ), cols

    def nested(self, depth):
        """A query with a WITH of its own, whose name may hide a table's."""
        self.kinds.add("WITH inside")
        text, cols = self.query(depth - 1)
        name, was = self.alias("own"), self.ctes
        self.ctes = [(name, cols)]
        outer, cols = self.query(0)
        self.ctes = was
        self.loose = self.loose or not re.search(rf"(?:from|join) {name}\b", outer)
        return f"with {name} as ({text}) {outer}", cols

    def query(self, depth, top=False):
        """A SELECT or a set operation."""
        if depth > 0 and not top and self.d.name not in ("tsql",) and self.chance(5):
            return self.nested(depth)
        if depth > 0 and self.chance(14):
            word = self.pick("union all", "union" if self.d.name not in ("bigquery", "clickhouse") else "union distinct", "intersect", "except")
            word = {"except": self.d.except_, "intersect": "intersect distinct" if self.d.name == "bigquery" else "intersect"}.get(word, word)
            self.kinds.add("set operation")
            wanted = [self.pick("i", "n", "t") for _ in range(self.pick(1, 2, 3))]
            left, cols = self.select(depth - 1, wanted=wanted)
            right, _ = self.select(depth - 1, wanted=wanted)
            if wanted and self.chance(20):
                self.kinds.add("set operation of three")
                third, _ = self.select(0, wanted=wanted)
                return f"{left} union all ({right} union all {third})" if self.d.name not in ("sqlite",) else f"{left} union all {right} union all {third}", cols
            return f"{left} {word} {right}", cols
        return self.select(depth, top=top)

    def select(self, depth, top=False, wanted=None):
        if wanted is None and self.chance(27):
            return self.grouped(depth, top)
        scope = Scope()
        source = self.from_clause(scope, depth)
        qualify = ""
        items, cols = [], []
        starred = wanted is None and self.chance(22) and self.star(scope, items, cols, top)
        kinds = wanted or [self.pick("i", "n", "t", "t", "d") for _ in range(self.pick(*((0, 1, 2) if starred else (1, 2, 3, 4))))]
        for kind in kinds:
            self.item(scope, kind, items, cols, depth, strict=wanted is not None)
        if not wanted and getattr(scope, "unnested", None) and self.chance(70):
            items.append(f"{scope.unnested} as tag_value")
            cols.append(("tag_value", "t"))
        windows = ""
        if not wanted and self.able("window", 18):
            windows = self.window_item(scope, items, cols)
        if not wanted and not starred and cols and self.able("lateral_alias", 8) and cols[-1][1] in "in" and self.plain(cols[-1][0]) and not scope.found(cols[-1][0]) and " over " not in items[-1]:
            items.append(f"{cols[-1][0]} + 1 as of_alias")
            cols.append(("of_alias", "n"))
        if not cols:
            items, cols = ["1 as one"], [("one", "i")]
        text = f"{source}"
        if self.able("prewhere", 8):
            text += f" prewhere {self.simple(scope)}"
        if self.chance(55):
            text += f" where {self.predicate(scope)}"
        text += windows
        if self.able("qualify", 12):
            text += f" qualify row_number() over (partition by {self.any(scope)} order by {self.any(scope)}) = 1"
        distinct = ""
        if not windows and not wanted and not qualify and self.chance(6):
            self.kinds.add("distinct")
            distinct = "distinct "
        if not distinct and top and self.able("distinct_on", 4):
            distinct = f"distinct on ({self.any(scope)}) "
        ending = self.ending(scope, cols, distinct, top, wanted)
        first = ""
        if self.d.name == "tsql" and not wanted and self.chance(8):
            first = "top 10 "
        listed = self.pick(", ", ", ", ", ", f",{self.comment()} ", f"{self.comment()}, ").join(items)
        return f"select {distinct}{first}{listed}{self.comment()} from {text}{ending}", cols

    def any(self, scope):
        return self.ref(scope, "intds", outer=False) or "1"

    def star(self, scope, items, cols, top):
        """Adds a star; False if names would occur twice where they must not."""
        if getattr(scope, "unnested", None) or self.chance(35) and len(scope.sources) > 1:
            source = self.pick(*scope.sources)
            if ("value", "t") in source.cols or scope.merged:
                return False
            chosen = [(source.alias + ".*", source.cols)]
        elif self.d.name in ("snowflake", "sqlite", "tsql") and any(c == ("value", "t") for s in scope.sources for c in s.cols):
            return False
        else:
            merged = [c for c in scope.sources[0].cols if c[0] in scope.merged]
            chosen = [("*", merged + [c for s in scope.sources for c in s.cols if c[0] not in scope.merged])]
        text, all_cols = chosen[0]
        names = [n for n, _ in all_cols]
        if len(set(names)) < len(names) and not top:
            return False
        self.kinds.add("star")
        unique = [n for n in names if names.count(n) == 1 and self.plain(n)]
        for construct, form in (("except_star", " except ({})"), ("exclude_star", " exclude ({})")):
            if len(unique) > 1 and len(unique) == len(names) and self.able(construct, 25):
                gone = self.pick(*unique)
                word = form if self.d.name != "redshift" else " exclude ({})"
                items.append(text + word.format(gone))
                cols += [c for c in all_cols if c[0] != gone]
                return True
        if len(unique) == len(names) and self.able("replace_star", 20):
            kinds = dict(all_cols)
            changed = self.pick(*unique)
            value = f"upper({changed})" if kinds[changed] == "t" else f"coalesce({changed}, null)"
            items.append(f"{text} replace ({value} as {changed})")
            cols += all_cols
            return True
        items.append(text)
        cols += all_cols
        return True

    def item(self, scope, kind, items, cols, depth, strict=False):
        ref = self.ref(scope, kind, outer=False)
        if ref and not strict and self.chance(35):
            name = ref.split(".", 1)[-1]
            if name[0] not in "\"`[":
                name = name.lower()
            else:
                name = name.strip("\"`[]")
                name = name.lower() if self.d.folds == "upper" and self.plain(name.lower()) else name
            if self.plain(name) and name not in {n for n, _ in cols} and "." not in name:
                items.append(ref)
                cols.append((name, kind))
                return
        name = self.output(cols)
        items.append(f"{self.expr(scope, kind)} {self.as_word()}{self.name(name, False)}")
        cols.append((name, kind))

    def as_word(self):
        return self.pick("as ", "as ", "as ", "")

    def window_item(self, scope, items, cols):
        number = self.ref(scope, "in", outer=False)
        function = self.pick("row_number()", "rank()", f"sum({number or 1})", f"lag({number or 1})", f"max({self.any(scope)})", "count(*)")
        over = f"partition by {self.any(scope)} order by {self.any(scope)}{self.pick('', ' desc')}"
        clause = ""
        if self.able("named_window", 25):
            window = self.alias("w")
            items.append(f"{function} over {window} as ranked")
            clause = f" window {window} as ({over})"
        else:
            frame = " rows between 2 preceding and current row" if function.startswith("sum") and self.chance(30) else ""
            items.append(f"{function} over ({over}{frame}) as ranked")
        cols.append(("ranked", "i"))
        return clause

    def ending(self, scope, cols, distinct, top, wanted):
        if wanted or not top:
            if self.d.limit and not wanted and self.chance(4):
                return " " + self.d.limit.format(5)
            return ""
        text = ""
        if self.d.able("order") and self.chance(30) and distinct in ("", "distinct "):
            self.kinds.add("order")
            plain = [n for n, _ in cols if self.plain(n) and sum(n == m for m, _ in cols) == 1 and not scope.found(n)]
            choices = plain or (["1"] if self.d.able("ordinal") else [])
            if not distinct:
                choices = choices + [self.any(scope)] if self.any(scope) != "1" else choices
            if choices:
                text += f" order by {self.pick(*choices)}{self.pick('', ' desc')}"
        if self.d.limit and self.chance(10):
            text += " " + self.d.limit.format(10)
        if not text and self.able("limit_by", 6):
            text += f" limit 1 by {self.any(scope)}"
        return text

    def aggregate(self, scope):
        """An aggregation, and the kind of its value."""
        self.kinds.add("aggregation")
        n = self.ref(scope, "in", outer=False)
        if n is None or self.chance(15):
            return "count(*)", "i"
        if self.chance(30):
            text = self.fill(self.d.aggregates, self.own(scope))
            if text:
                return text, "t"
        if self.able("filter", 12):
            return f"sum({n}) filter (where {self.simple(scope)})", "n"
        return self.pick(
            (f"sum({n})", "n"), (f"avg({n})", "n"), (f"max({n})", "n"), (f"count(distinct {n})", "i"),
            (f"sum(case when {self.simple(scope)} then {n} else 0 end)", "n"), (f"sum({n}) * 2", "n"), (f"coalesce(min({n}), 0)", "n"))

    def own(self, scope):
        alone = Scope(sources=scope.sources)
        alone.merged = scope.merged
        return alone

    def grouped(self, depth, top):
        self.kinds.add("group")
        scope = Scope()
        source = self.from_clause(scope, depth)
        items, cols, keys = [], [], []
        for _ in range(self.pick(0, 1, 1, 2)):
            kind = self.pick("i", "t", "t", "d")
            key = self.ref(scope, kind, outer=False)
            if key is None or key in keys:
                continue
            if kind == "t" and self.chance(30):
                key = f"upper({key})"
            name = self.output(cols)
            items.append(f"{key} as {self.name(name, False)}")
            cols.append((name, kind))
            if self.able("groupalias", 15) and self.plain(name) and not scope.found(name):
                key = name
            elif self.able("ordinal", 20):
                key = str(len(items))
            keys.append(key)
        for _ in range(self.pick(1, 1, 2)):
            name = self.output(cols)
            value, kind = self.aggregate(scope)
            items.append(f"{value} as {self.name(name, False)}")
            cols.append((name, kind))
        text = f"select {', '.join(items)} from {source}"
        if self.chance(45):
            text += f" where {self.predicate(scope)}"
        if keys:
            if self.able("group_all", 10):
                text += " group by all"
            elif not any(k.isdigit() for k in keys) and self.able("grouping_sets", 10):
                text += self.pick(f" group by rollup ({', '.join(keys)})", f" group by grouping sets (({', '.join(keys)}), ())", f" group by cube ({', '.join(keys)})")
            else:
                text += f" group by {', '.join(keys)}"
        if self.able("having", 20):
            n = self.ref(scope, "in", outer=False)
            text += f" having {self.pick('count(*) > 1', f'sum({n}) > 10' if n else 'count(*) > 2')}"
        if top and self.chance(20) and self.plain(cols[-1][0]):
            text += f" order by {cols[-1][0]} desc"
        return text, cols
