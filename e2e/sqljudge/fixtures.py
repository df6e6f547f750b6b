"""Reads the expectations of other people's parsers as cases, one a line. They are read where they are, never copied.

The folder has checkouts of public repositories, each of which may be missing:

- sqlglot (tobymao/sqlglot): pairs of a query and its form with resolved names, in tests/fixtures/optimizer, and the
  queries of tests/test_lineage.py. What is expected follows from the resolved form.
- datahub (datahub-project/datahub): the calls of metadata-ingestion/tests/unit/sql_parsing/test_sqlglot_lineage.py
  and the files that they compare with.

Usage: fixtures.py FOLDER
"""

import ast
import json
import pathlib
import re
import sys

from expect import expect

# Files of sqlglot's fixtures whose queries have tables that its tests know.
PAIRS = ["qualify_columns", "pushdown_projections", "merge_subqueries", "optimizer", "eliminate_subqueries",
         "pushdown_predicates", "optimize_joins", "eliminate_ctes", "unnest_subqueries"]


def literal(node, default=None):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return default


def keywords(call):
    return {k.arg: k.value for k in call.keywords if k.arg}


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
            yield node


def dictionaries(path):
    """The literal dictionaries that a module or a class of tests assigns to a name."""
    found = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            target = node.targets[0]
            found.setdefault(getattr(target, "id", getattr(target, "attr", "")), literal(node.value))
    return found


def pairs(text):
    """Triples of settings, query and resolved query of a file of sqlglot's fixtures."""
    lines = [line for line in text.splitlines() if line and not line.startswith("--")]
    parts = [p.strip() for p in "\n".join(lines).split(";")]
    for query, resolved in zip(parts[::2], parts[1::2]):
        settings = dict(re.findall(r"^# ?(\w+): *(.*)$", query, re.M))
        yield settings, re.sub(r"^#.*\n", "", query, flags=re.M), resolved


def sqlglot_cases(folder):
    tests = folder / "tests"
    small = dictionaries(tests / "test_optimizer.py")["schema"]
    helpers = dictionaries(tests / "helpers.py")
    files = [(name, small) for name in PAIRS] + [("tpc-h/tpc-h", helpers["TPCH_SCHEMA"]), ("tpc-ds/tpc-ds", helpers["TPCDS_SCHEMA"])]
    for name, schema in files:
        for i, (settings, query, resolved) in enumerate(pairs((tests / "fixtures" / "optimizer" / f"{name}.sql").read_text())):
            if not re.match(r"(?i)\s*\(?(select|with)\b", query) or settings.get("validate_qualify_columns") == "false":
                continue
            case = {"id": f"sqlglot {name} {i + 1}", "dialect": settings.get("dialect", "generic"), "kinds": [f"sqlglot {name.split('/')[0]}"],
                    "sql": query, "schema": schema, "known": schema}
            if name.startswith("qualify"):
                case["oracle"], case["resolves"] = [resolved], True
            yield resolve(case)
    tree = ast.parse((tests / "test_lineage.py").read_text())
    for i, call in enumerate(calls(tree, "lineage")):
        given = keywords(call)
        texts = [literal(a) for a in call.args]
        if len(texts) > 1 and isinstance(texts[1], str) and "sources" not in given:
            schema = literal(given.get("schema"), {}) or {}
            yield resolve({"id": f"sqlglot lineage {i}", "dialect": literal(given.get("dialect"), None) or "generic", "kinds": ["sqlglot lineage"],
                           "sql": texts[1], "schema": schema, "known": schema})


def resolve(case):
    """Adds the expectation; sqlglot's own dialect has no name."""
    named = case["dialect"]
    case["dialect"] = "" if named == "generic" else named
    expect(case)
    case["dialect"] = named.split(",")[0]  # without sqlglot's own settings
    case["schema"] = flat(case["schema"])
    return case


def flat(schema, prefix=""):
    """{"a": {"b": columns}} as {"a.b": columns}."""
    result = {}
    for name, inner in schema.items():
        if inner and all(isinstance(v, dict) for v in inner.values()):
            result.update(flat(inner, prefix + name + "."))
        else:
            result[prefix + name] = inner
    return result


def dataset_name(urn):
    return re.fullmatch(r"urn:li:dataset:\(urn:li:dataPlatform:\w+,(.*),\w+\)", urn).group(1)


def datahub_cases(folder):
    tests = folder / "metadata-ingestion" / "tests" / "unit" / "sql_parsing"
    tree = ast.parse((tests / "test_sqlglot_lineage.py").read_text())
    for call in calls(tree, "assert_sql_result"):
        given = keywords(call)
        sql, file = literal(call.args[0]) if call.args else None, given.get("expected_file")
        if not isinstance(sql, str) or not isinstance(file, ast.BinOp) or literal(given.get("platform_instance")):
            continue
        golden = tests / "goldens" / literal(file.right)
        if not golden.exists():
            continue
        schemas = literal(given.get("schemas"), {}) or {}
        yield datahub_case(sql, golden, literal(given["dialect"]), {dataset_name(u): c for u, c in schemas.items()},
                           literal(given.get("default_db")) or "", literal(given.get("default_schema")) or "")


def datahub_case(sql, golden, dialect, schema, database, default_schema):
    told = json.loads(golden.read_text())
    outputs = None
    if told.get("column_lineage"):
        outputs = [
            {"name": c["downstream"]["column"], "may": [], "how": "",
             "must": [[dataset_name(u["table"]), u["column"]] for u in c["upstreams"]]}
            for c in told["column_lineage"]
        ]
    return {
        "id": f"datahub {golden.stem}", "dialect": dialect, "kinds": ["datahub"], "sql": sql, "schema": schema,
        "database": database, "default_schema": default_schema, "into": False,
        "expected": {"outputs": outputs, "reads": None, "tables": [dataset_name(u) for u in told["in_tables"]]},
    }


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, read in (("sqlglot", sqlglot_cases), ("datahub", datahub_cases)):
        if (folder / name).is_dir():
            for case in read(folder / name):
                print(json.dumps(case))


if __name__ == "__main__":
    main()
