"""Recipes: a real database, and other people's metadata where it is there."""

import json
import os
import pathlib
import sqlite3

import pytest
from conftest import series as stored_series
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.serialization_helper import pre_json_transform
from datahub.ingestion.source.file import read_metadata_file
from datahub.metadata import schema_classes as models

REFERENCE = pathlib.Path(os.environ.get("HEADWATER_REFERENCE_DIR", "nowhere")) / "data"
FILES = sorted(REFERENCE.glob("*.json")) + sorted(REFERENCE.glob("sources/*.json"))


def test_sqlite_with_views(recipe, graph, tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as db:
        db.executescript(
            """
            CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT NOT NULL, joined DATE);
            CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL,
              CONSTRAINT order_customer FOREIGN KEY (customer_id) REFERENCES customer (id));
            CREATE VIEW order_value AS
              SELECT c.email, sum(o.total) AS total FROM orders o JOIN customer c ON c.id = o.customer_id GROUP BY c.email;
            INSERT INTO customer VALUES (1, 'ada@example.com', '2026-01-01');
            INSERT INTO orders VALUES (1, 1, 9.5), (2, 1, 10.5);
            """
        )
    recipe({"type": "sqlalchemy", "config": {"platform": "sqlite", "connect_uri": f"sqlite:///{path}", "include_views": True}})
    urns = [u for u in graph.list_all_entity_urns("dataset", 0, 10_000) if "dataPlatform:sqlite," in u]
    names = {u.split(",")[1].rsplit(".", 1)[-1]: u for u in urns}
    assert set(names) == {"customer", "orders", "order_value"}
    schema = graph.get_aspect(names["customer"], models.SchemaMetadataClass)
    assert {f.fieldPath for f in schema.fields} == {"id", "email", "joined"}
    foreign = graph.get_aspect(names["orders"], models.SchemaMetadataClass)
    assert foreign.foreignKeys[0].foreignDataset == names["customer"]
    view = graph.get_aspect(names["order_value"], models.ViewPropertiesClass)
    assert "sum(o.total)" in view.viewLogic


@pytest.mark.skipif(not FILES, reason=f"no reference data at {REFERENCE}")
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_reference_file(file, recipe, graph):
    recipe({"type": "file", "config": {"path": str(file)}})
    versioned, series, patched = expected(file)
    assert versioned or series
    differing = []
    for (urn, name), value in versioned.items():
        entity = graph.get_entity_raw(urn, [name])
        stored = entity["aspects"].get(name, {}).get("value")
        if stored != value:
            differing.append((urn, name, value, stored))
    for (urn, name), values in series.items():
        stored = stored_series(graph, urn, name)
        differing += [(urn, name, v, None) for v in values if v not in stored]
    for urn, name, operation in patched:
        field = operation["path"].split("/")[1]
        stored = graph.get_entity_raw(urn, [name])["aspects"][name]["value"]
        if operation["value"] not in stored[field]:
            differing.append((urn, name, operation, stored))
    assert not differing, f"{len(differing)} of {len(versioned) + len(series) + len(patched)}: {differing[:2]}"


def expected(file):
    """The last value of every versioned aspect, every time-series value, and
    every value that a patch adds to a list."""
    versioned, series, patched = {}, {}, []
    for record in read_metadata_file(file):
        if isinstance(record, models.MetadataChangeEventClass):
            snapshot = record.proposedSnapshot
            pairs = [(snapshot.urn, a.get_aspect_name(), a.to_obj()) for a in snapshot.aspects]
        elif isinstance(record, MetadataChangeProposalWrapper):
            pairs = [(record.entityUrn, record.aspectName, record.aspect.to_obj())]
        else:
            pairs = [(record.entityUrn, record.aspectName, json.loads(record.aspect.value))]
        for urn, name, value in pairs:
            value = pre_json_transform(value)
            if isinstance(value, list):
                patched += [(urn, name, operation) for operation in value if operation["op"] == "add"]
            elif "timestampMillis" in value:
                series.setdefault((urn, name), []).append(value)
            else:
                versioned[(urn, name)] = value
    return versioned, series, patched
