"""Says from which columns sqlglot takes the outputs of queries. Usage: fields.py < [{"dialect", "sql", "schema"}]"""

import json
import sys

import sqlglot
from sqlglot import exp
from sqlglot.lineage import lineage
from sqlglot.optimizer.qualify import qualify

answers = []
for case in json.load(sys.stdin):
    answer = {}
    try:
        tree = qualify(sqlglot.parse_one(case["sql"], read=case["dialect"]), schema=case["schema"], dialect=case["dialect"])
        for name in tree.named_selects:
            columns = set()
            for node in lineage(name, tree, schema=case["schema"], dialect=case["dialect"]).walk():
                if isinstance(node.source, exp.Table) and not node.downstream:
                    columns.add(f"{node.source.name}.{node.name.split('.')[-1].strip(chr(34) + chr(96))}".lower())
            answer[name.lower()] = sorted(columns)
    except Exception as e:  # a query that sqlglot does not resolve is not judged
        answer = {"error": str(e)[:200]}
    answers.append(answer)
print(json.dumps(answers))
