"""Runs `headwater sql` on many statements with few processes."""

import json
import os
import subprocess
import tempfile

FILES = 400  # of a call: each call loads the parser


def read(binary, cases):
    """The statements that the command finds in each case, by the case's ID."""
    groups = {}
    for case in cases:
        key = (case["dialect"], case.get("database", ""), case.get("default_schema", ""), json.dumps(case.get("schema") or {}))
        groups.setdefault(key, []).append(case)
    result = {case["id"]: [] for case in cases}
    cache = os.environ.get("HEADWATER_SQLJUDGE_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        for key, group in groups.items():
            for begin in range(0, len(group), FILES):
                call(binary, key, group[begin:begin + FILES], folder, cache or os.path.join(folder, "cache"), result)
    return result


def call(binary, key, cases, folder, cache, result):
    dialect, database, default_schema, schema = key
    command = [binary, "sql", "--dialect", dialect, "-o", "json", "--cache-dir", cache]
    if schema != "{}":
        command += ["--schema", write(folder, "schema.json", schema)]
    if database:
        command += ["--database", database]
    if default_schema:
        command += ["--default-schema", default_schema]
    ids = {}
    for i, case in enumerate(cases):
        ids[write(folder, f"{i}.sql", case["sql"])] = case["id"]
    done = subprocess.run(command + list(ids), capture_output=True, text=True)
    for line in done.stdout.splitlines():
        statement = json.loads(line)
        result[ids[statement["file"]]].append(statement)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr[:2000]}")


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def flows(statements):
    """What flows to each output of the statements: triples of name, columns and how."""
    return [
        (c["output"], {pair(s) for s in c["sources"] or []}, c.get("how", ""))
        for s in statements for c in s["columns"] or []
    ]


def possible(statements):
    """The sources that the command says a name may mean, by output."""
    found = {}
    for s in statements:
        for c in s["columns"] or []:
            found.setdefault(c["output"], set()).update(pair(r) for r in c["sources"] or [] if r.get("possible"))
    return found


def all_read(statements):
    """All columns that the statements read, whether or not their values flow."""
    found = {pair(r) for s in statements for r in s["columnsRead"] or []}
    for _, sources, _ in flows(statements):
        found |= sources
    return found


def pair(reference):
    return reference["table"].lower(), reference["column"].lower()


# Reasons why something is not known of a statement that was parsed.
NAMES = ("no table has", "do not have this name", "are not known", "statements of this kind are not read", "the name of a table is computed")


def not_understood(statements, of_names=False):
    """What the command did not parse; of_names: which names it did not resolve."""
    return [
        f"line {p['line']}: {p['text']} ({p['why']})" for s in statements for p in s["notUnderstood"] or []
        if any(n in p["why"] for n in NAMES) == of_names
    ]
