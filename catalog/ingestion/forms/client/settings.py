"""Prints the settings of the sources in an installed DataHub client, as settings.json has them.

Usage: python settings.py types.txt > settings.json, in an environment that has the client with the extras of the
types, such as pip install 'acryl-datahub[postgres,mysql]'. A line of types.txt is TYPE=TITLE. A source that cannot be loaded there ends the script: a form must not be lost without anybody noticing.
"""

import importlib.metadata
import json
import sys

from datahub.ingestion.source.source_registry import source_registry

# Below these depths, a setting is an object that a person writes as YAML.
MOST_DEPTH = 2

# Parts of names that say that a text is secret. Pydantic's own type for secrets says it too.
SECRET = ("password", "secret", "private_key", "token", "passphrase", "api_key", "credentials_json")


def resolve(schema, definitions):
    """Returns the schema without references, options and the alternative null."""
    while True:
        if "$ref" in schema:
            schema = {**definitions[schema["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in schema.items() if k != "$ref"}}
            continue
        if "allOf" in schema and len(schema["allOf"]) == 1:
            schema = {**schema["allOf"][0], **{k: v for k, v in schema.items() if k != "allOf"}}
            continue
        options = [o for o in schema.get("anyOf", []) if o.get("type") != "null"]
        if options:
            rest = {k: v for k, v in schema.items() if k != "anyOf"}
            schema = {**options[0], **rest, "more": len(options) > 1}
            continue
        return schema


def kind_of(path, schema):
    """Returns the kind of a setting, as package forms names them."""
    name = path.rsplit(".", 1)[-1]
    if schema.get("format") == "password" or schema.get("writeOnly"):
        return "secret"
    if "enum" in schema or "const" in schema:
        return "choice"
    kind = schema.get("type")
    if kind == "string":
        if any(part in name for part in SECRET) and not name.endswith(("_pattern", "_url", "_uri", "_id", "_path", "_name")):
            return "secret"
        return "moment" if schema.get("format") == "date-time" else "text"
    if kind in ("integer", "number", "boolean"):
        return kind
    if kind == "array":
        return "texts" if schema.get("items", {}).get("type") == "string" else "list"
    properties = schema.get("properties", {})
    if {"allow", "deny"} <= properties.keys():
        return "pattern"
    return "object"


def plain(value):
    return value is None or isinstance(value, (str, int, float, bool))


def settings_of(schema, definitions, prefix="", depth=0):
    """Yields the settings of a schema, those below an object with its path."""
    required = set(schema.get("required", []))
    for name, raw in schema.get("properties", {}).items():
        path = prefix + name
        one = resolve(raw, definitions)
        kind = kind_of(path, one)
        setting = {"path": path, "kind": kind}
        if name in required and not prefix:
            setting["required"] = True
        if one.get("more"):
            setting["loose"] = True
        default = one.get("default")
        if plain(default) and default is not None and default != "" and kind != "secret":
            setting["default"] = default
        if kind == "choice":
            setting["choices"] = [str(c) for c in one.get("enum", [one.get("const")])]
        inner = one.get("properties", {})
        if kind == "object" and inner and depth < MOST_DEPTH - 1:
            yield from settings_of(one, definitions, path + ".", depth + 1)
            continue
        yield setting


def main(types):
    forms = []
    for pair in types:
        name, title = pair.split("=", 1)
        schema = source_registry.get(name).get_config_class().model_json_schema()
        settings = sorted(settings_of(schema, schema.get("$defs", {})), key=lambda s: s["path"])
        forms.append({"type": name, "title": title, "settings": settings})
    version = importlib.metadata.version("acryl-datahub")
    # A line for each setting, so that changes of the client can be read.
    print('{"client": %s, "forms": [' % json.dumps(version))
    for i, form in enumerate(forms):
        print(' {"type": %s, "title": %s, "settings": [' % (json.dumps(form["type"]), json.dumps(form["title"])))
        print(",\n".join("  " + json.dumps(s) for s in form["settings"]))
        print(" ]}" + ("," if i + 1 < len(forms) else ""))
    print("]}")


if __name__ == "__main__":
    with open(sys.argv[1]) as types:
        main([line.strip() for line in types if line.strip()])
