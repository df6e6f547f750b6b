"""Compares what `headwater sql` says of cases with what is expected, and writes a result for each, one a line.

Usage: score.py BINARY < cases
"""

import json
import re
import sys

import verb
from differences import DIFFERENCES


def folded(columns):
    return {(t.lower(), c.lower()) for t, c in columns}


def named(columns, wanted):
    """The columns as the expectation names them: where it has only the column of a field, as sqlglot does, the field counts as that."""
    result = set()
    for table, column in columns:
        parts = column.split(".")
        around = [(table, ".".join(parts[:n])) for n in range(len(parts), 0, -1)]
        result.add(next((c for c in around if c in wanted), (table, column)))
    return result


def edges(expected, got, possible):
    """Possible are the sources of each output that the command says it is not sure of. Returns the numbers of right, wrong and missing edges, whether each "how" agrees, and a text for each mistake."""
    right, wrong, missing, how, texts = 0, 0, 0, [], []
    wanted = expected["outputs"]
    names = [w["name"].lower() for w in wanted]
    if len(wanted) == len(got) and (len(set(names)) < len(names) or set(names) != {name.lower() for name, _, _ in got}):
        pairs = list(zip(wanted, got))
    else:
        by_name = {name.lower(): (name, sources, how) for name, sources, how in got}
        pairs = [(w, by_name.pop(w["name"].lower(), (None, set(), ""))) for w in wanted]
        pairs += [(None, rest) for rest in by_name.values()]
    for want, (name, sources, how_got) in pairs:
        must, may = (folded(want["must"]), folded(want["may"])) if want else (set(), set())
        sources = named(sources, must | may)
        right += len(sources & must)
        may |= possible.get(name, set())
        wrong += len(sources - must - may)
        missing += len(must - sources)
        output = want["name"] if want else f"{name}, which is not expected"
        for kind, columns in (("lacks", must - sources), ("has too much", sources - must - may)):
            if columns:
                texts.append(f"{output} {kind}: {', '.join('.'.join(c) for c in sorted(columns))}")
        if want and sources and want["how"] and not may:
            how.append(want["how"] == how_got)
            if not how[-1] and not (must - sources):
                texts.append(f"(how only) {output} is {how_got}, not {want['how']}")
    return right, wrong, missing, how, texts


def one_name(expected, statements):
    """Gives tables the expected names where only the number of parts differs, as in shop.orders and orders."""
    wanted = {t.lower() for o in expected.get("outputs") or [] for t, _ in o["must"] + o["may"]} | {t.lower() for t in expected.get("tables") or []}

    def renamed(name):
        name = name.lower()
        return name if name in wanted else next((w for w in wanted if w.endswith("." + name) or name.endswith("." + w)), name)

    for s in statements:
        s["reads"] = [renamed(t) for t in s["reads"] or []]
        for reference in [r for c in s["columns"] or [] for r in c["sources"] or []] + (s["columnsRead"] or []):
            reference["table"] = renamed(reference["table"])


def open_tables(case, expected, statements):
    """Leaves out "*" of tables whose columns are not known, and what the judge makes of it: a guess, as t.a in SELECT a FROM (SELECT * FROM t) AS s(a)."""
    known = {t.lower() for t in case.get("schema") or {}}
    unknown = {pair[0] for pair in verb.all_read(statements) if pair[1] == "*" and not any(k == pair[0] or k.endswith("." + pair[0]) or pair[0].endswith("." + k) for k in known)}
    if not unknown:
        return
    for s in statements:
        s["columns"] = [c for c in s["columns"] or [] if c["output"] != "*"]
        for c in s["columns"]:
            c["sources"] = [r for r in c["sources"] or [] if r["table"] not in unknown]
        s["columnsRead"] = [r for r in s["columnsRead"] or [] if r["table"] not in unknown]
    for o in expected.get("outputs") or []:
        o["must"] = [e for e in o["must"] if e[0].lower() not in unknown]
    if expected.get("outputs"):
        expected["outputs"] = [o for o in expected["outputs"] if o["name"] != "*"]
    if expected.get("reads"):
        expected["reads"] = [e for e in expected["reads"] if e[0].lower() not in unknown]


def left_out(sql):
    """The columns that a star leaves out by their names. A query needs them, which sqlglot does not say."""
    lists = re.findall(r"\*\s*(?:except|exclude)\s*\(([^)]*)\)", sql, re.IGNORECASE)
    return {name.strip().strip('`"').lower() for names in lists for name in names.split(",")}


def score(case, statements):
    problems = verb.not_understood(statements)
    result = {k: case.get(k) for k in ("id", "dialect", "kinds", "sql")}
    result["known"] = "expected" in case
    result["parsed"] = bool(statements) and not problems
    result["told"], result["unsure"], result["differs"] = problems, case.get("unsure"), DIFFERENCES.get(case["id"], "")
    if not result["known"] or not result["parsed"]:
        return result
    expected = case["expected"]
    one_name(expected, statements)
    result["edges"], result["how"], texts = [0, 0, 0], [0, 0], [f"not resolved: {p}" for p in verb.not_understood(statements, of_names=True)]
    open_tables(case, expected, statements)
    got = verb.flows(statements)
    if expected.get("outputs") is not None:
        right, wrong, missing, how, texts = edges(expected, got, verb.possible(statements))
        result["edges"], result["how"] = [right, wrong, missing], [sum(how), len(how)]
    if expected.get("reads") is not None:
        wanted = folded(expected["reads"])
        read = named(verb.all_read(statements), wanted)
        read = {c for c in read if c in wanted or c[1] not in left_out(case["sql"])}
        result["reads"] = [len(wanted & read), len(read - wanted), len(wanted - read)]
        for kind, columns in (("not read", wanted - read), ("read without reason", read - wanted)):
            if columns:
                texts.append(f"{kind}: {', '.join('.'.join(c) for c in sorted(columns))}")
    if expected.get("tables") is not None:
        wanted, read = {t.lower() for t in expected["tables"]}, {t.lower() for s in statements for t in s["reads"] or []}
        if case.get("into"):
            read |= {t.lower() for s in statements for t in s["writes"] or []}
        if wanted != read:
            texts.append(f"tables: {', '.join(sorted(read))}, not {', '.join(sorted(wanted))}")
        result["tables"] = [len(wanted & read), len(read - wanted), len(wanted - read)]
    # A name that cannot be known is not a mistake where nothing else is.
    result["mistakes"] = texts if any(not t.startswith("not resolved") for t in texts) else []
    return result


def main():
    cases = [json.loads(line) for line in sys.stdin]
    read = verb.read(sys.argv[1], cases)
    for case in cases:
        print(json.dumps(score(case, read[case["id"]])))


if __name__ == "__main__":
    main()
