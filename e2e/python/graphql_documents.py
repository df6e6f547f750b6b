"""Prints the GraphQL documents of an installed client package as JSON.

Usage: graphql_documents.py FOLDER

The documents are in files that end in .gql and in texts of the Python code. A
text that is put together from others is read as far as those are constants of
the same module, class or function; what is known only when the code runs is
written as x, or as VALUES has it. The output is a list of objects with the members "source" (file and
line) and "text". A document may use fragments of another one.
"""

import ast
import json
import pathlib
import re
import sys

# What the code puts into templates where x would not be valid.
VALUES = {
    "entity_urns": '"x"',
    "filters": '{ field: "x", values: ["x"], condition: EQUAL, negated: false }',
}

BEGINNING = re.compile(r"\s*(query|mutation|fragment)\b\s*\w*\s*(\(|\{|on\b)")


class Texts(ast.NodeVisitor):
    """Collects the texts of a module that begin as GraphQL documents do."""

    def __init__(self):
        self.scopes = [{}]
        self.found = []

    def visit_FunctionDef(self, node):
        self.scopes.append({})
        self.generic_visit(node)
        self.scopes.pop()

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Assign(self, node):
        text = self.text_of(node.value)
        if text is not None:
            for target in node.targets:
                name = getattr(target, "id", None) or getattr(target, "attr", None)
                if name:
                    self.scopes[-1][name] = text
        self.visit(node.value)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit_Assign(ast.Assign(targets=[node.target], value=node.value))

    def visit_Constant(self, node):
        self.collect(node)

    def visit_JoinedStr(self, node):
        self.collect(node)

    def visit_BinOp(self, node):
        if not self.collect(node):
            self.generic_visit(node)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def collect(self, node):
        text = self.text_of(node)
        if text is None or not BEGINNING.match(text):
            return False
        if "{{" in text:  # a template for str.format
            text = re.sub(r"(?<!\{)\{(\w+)\}(?!\})", lambda hole: VALUES.get(hole[1], "x"), text).replace("{{", "{").replace("}}", "}")
        self.found.append((node.lineno, text))
        return True

    def known(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def text_of(self, node):
        """The value of an expression that consists of constant texts."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.known(node.id)
        if isinstance(node, ast.Attribute):
            return self.known(node.attr)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts = [self.text_of(node.left), self.text_of(node.right)]
        elif isinstance(node, ast.JoinedStr):
            return "".join(
                (self.text_of(part.value) or "x") if isinstance(part, ast.FormattedValue) else part.value
                for part in node.values
            )
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            left = self.text_of(node.left)
            return left and left.replace("%s", "")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", None) in ("strip", "dedent"):
            return self.text_of(node.args[0] if node.args else node.func.value)
        else:
            return None
        return None if None in parts else "".join(parts)


def in_code(path):
    visitor = Texts()
    visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
    return visitor.found


def main():
    folder = pathlib.Path(sys.argv[1])
    documents = []
    for path in sorted(folder.rglob("*.py")):
        for line, text in in_code(path):
            documents.append({"source": f"{path.relative_to(folder)}:{line}", "text": text})
    for path in sorted(folder.rglob("*.gql")):
        documents.append({"source": str(path.relative_to(folder)), "text": path.read_text(encoding="utf-8")})
    json.dump(documents, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
