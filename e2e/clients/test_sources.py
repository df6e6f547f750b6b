"""Sources that need no other server, run as recipes."""

import json
import sqlite3

from conftest import SERVER, TOKEN, check, dataset, emit, schema
from datahub.metadata import schema_classes as models

SOURCES = "sources"


def row(text, since_1=False):
    return check(SOURCES, text, since_1)


def urns(graph, platform):
    return [u for u in graph.list_all_entity_urns("dataset", 0, 10_000) if f"dataPlatform:{platform}," in u]


@row("SQLite, with views")
def test_sqlite(graph, recipe, tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as db:
        db.executescript("CREATE TABLE checks_customer (id INTEGER PRIMARY KEY, email TEXT); CREATE VIEW checks_mails AS SELECT email FROM checks_customer;")
    recipe({"type": "sqlalchemy", "config": {"platform": "sqlite", "connect_uri": f"sqlite:///{path}", "include_views": True}})
    names = {u.split(",")[1].rsplit(".", 1)[-1]: u for u in urns(graph, "sqlite")}
    assert {"checks_customer", "checks_mails"} <= set(names)
    assert {f.fieldPath for f in graph.get_aspect(names["checks_customer"], models.SchemaMetadataClass).fields} == {"id", "email"}


@row("a stateful recipe")
def test_stateful(graph, datahub, recipe, tmp_path):
    path = tmp_path / "stateful.db"

    def run(script, run_id):
        with sqlite3.connect(path) as db:
            db.executescript(script)
        recipe({"type": "sqlalchemy", "config": {
            "platform": "checksstateful", "connect_uri": f"sqlite:///{path}",
            "stateful_ingestion": {"enabled": True, "remove_stale_metadata": True, "fail_safe_threshold": 100},
        }}, pipeline_name="checks_stateful", run_id=run_id)

    def removed(name):
        return graph.get_aspect(next(u for u in urns(graph, "checksstateful") if u.endswith(f".{name},PROD)")), models.StatusClass).removed

    run("CREATE TABLE stays (id INTEGER); CREATE TABLE goes (id INTEGER);", "checks-stateful-1")
    assert not removed("stays") and not removed("goes")
    run("DROP TABLE goes;", "checks-stateful-2")
    assert not removed("stays") and removed("goes")
    # The checkpoint of a run is rolled back with it, so the next run finds the drop again.
    datahub("ingest", "rollback", "--run-id", "checks-stateful-2", "--force")
    assert not removed("stays") and not removed("goes")
    run("", "checks-stateful-3")
    assert not removed("stays") and removed("goes")


@row("dbt files")
def test_dbt(graph, recipe, tmp_path):
    def node(name, depends, kind="model"):
        return {
            "unique_id": f"{kind}.shop.{name}", "name": name, "alias": name, "identifier": name, "database": "warehouse", "schema": "checks", "resource_type": kind,
            "original_file_path": f"models/{name}.sql", "config": {"materialized": "table", "enabled": True}, "depends_on": {"nodes": depends}, "raw_code": "select 1",
            "compiled_code": "select id from warehouse.checks.raw", "description": f"About {name}", "columns": {}, "tags": ["finance"], "meta": {}, "relation_name": f"warehouse.checks.{name}",
        }

    def known(name, number):
        return {"metadata": {"type": "BASE TABLE", "schema": "checks", "name": name, "database": "warehouse", "comment": None, "owner": "o"},
                "columns": {"id": {"type": "integer", "index": 1, "name": "id", "comment": None}}, "stats": {}, "unique_id": number}

    files = {
        "manifest": {
            "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v9.json", "dbt_version": "1.5.0", "adapter_type": "postgres"},
            "nodes": {"model.shop.orders": node("orders", ["source.shop.raw"])}, "sources": {"source.shop.raw": node("raw", [], "source")},
        },
        "catalog": {
            "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json", "dbt_version": "1.5.0"},
            "nodes": {"model.shop.orders": known("orders", "model.shop.orders")}, "sources": {"source.shop.raw": known("raw", "source.shop.raw")},
        },
    }
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    recipe({"type": "dbt", "config": {"manifest_path": str(tmp_path / "manifest.json"), "catalog_path": str(tmp_path / "catalog.json"), "target_platform": "postgres"}})
    model = "urn:li:dataset:(urn:li:dataPlatform:dbt,warehouse.checks.orders,PROD)"
    assert graph.get_aspect(model, models.DatasetPropertiesClass).description == "About orders"
    assert graph.get_aspect(model, models.UpstreamLineageClass).upstreams


@row("csv-enricher")
def test_csv(graph, recipe, tmp_path):
    urn = dataset("enriched")
    emit(graph, urn, models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:kept")]))
    file = tmp_path / "enrich.csv"
    file.write_text(
        "resource,subresource,glossary_terms,tags,owners,ownership_type,description,domain\n"
        f'"{urn}",,[urn:li:glossaryTerm:csv],[urn:li:tag:csv],[urn:li:corpuser:ada],TECHNICAL_OWNER,Enriched,urn:li:domain:csv\n'
        f'"{urn}",email,,[urn:li:tag:pii],,,A mail address,\n'
    )
    recipe({"type": "csv-enricher", "config": {"filename": str(file), "write_semantics": "PATCH", "delimiter": ",", "array_delimiter": "|"}})
    assert {t.tag for t in graph.get_tags(urn).tags} == {"urn:li:tag:kept", "urn:li:tag:csv"}
    assert graph.get_aspect(urn, models.EditableSchemaMetadataClass).editableSchemaFieldInfo[0].description == "A mail address"


@row("business glossary")
def test_glossary(graph, recipe, tmp_path):
    file = tmp_path / "glossary.yml"
    file.write_text("version: 1\nsource: Checks\nowners: {users: [ada]}\nnodes:\n  - name: Checks\n    description: d\n    terms:\n      - {name: Revenue, description: What comes in}\n"
                    "      - {name: NetRevenue, description: What is left, inherits: [Checks.Revenue]}\n")
    recipe({"type": "datahub-business-glossary", "config": {"file": str(file)}})
    assert graph.get_aspect("urn:li:glossaryTerm:Checks.NetRevenue", models.GlossaryRelatedTermsClass).isRelatedTerms == ["urn:li:glossaryTerm:Checks.Revenue"]


@row("lineage file")
def test_lineage_file(graph, recipe, tmp_path):
    file = tmp_path / "lineage.yml"
    file.write_text("version: 1\nlineage:\n  - entity: {name: checks.file_down, type: dataset, env: PROD, platform: kafka}\n    upstream:\n"
                    "      - entity: {name: checks.file_up, type: dataset, env: PROD, platform: kafka}\n")
    recipe({"type": "datahub-lineage-file", "config": {"file": str(file), "preserve_upstream": False}})
    assert [u.dataset for u in graph.get_aspect(dataset("file_down", "kafka"), models.UpstreamLineageClass).upstreams] == [dataset("file_up", "kafka")]


@row("JSON schema", since_1=True)
def test_json_schema(graph, recipe, tmp_path):
    (tmp_path / "orders.json").write_text(json.dumps({
        "$id": "https://example.com/orders.json", "title": "orders", "type": "object", "properties": {"id": {"type": "integer"}, "who": {"type": "object", "properties": {"name": {"type": "string"}}}},
    }))
    recipe({"type": "json-schema", "config": {"path": str(tmp_path / "orders.json"), "platform": "checksschemas"}})
    assert len(urns(graph, "checksschemas")) == 1


@row("OpenAPI, of the server itself", since_1=True)
def test_openapi(graph, recipe):
    recipe({"type": "openapi", "config": {"name": "checksapi", "url": SERVER, "swagger_file": "openapi.json", "bearer_token": TOKEN, "enable_api_calls_for_schema_extraction": False}})


@row("a file with transformers")
def test_transformers(graph, recipe, tmp_path):
    urn = dataset("transformed")
    file = tmp_path / "records.json"
    file.write_text(json.dumps([{"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "datasetProperties", "aspect": {"json": {"description": "d"}}}]))
    recipe({"type": "file", "config": {"path": str(file)}}, transformers=[
        {"type": "simple_add_dataset_ownership", "config": {"owner_urns": ["urn:li:corpuser:added"], "ownership_type": "TECHNICAL_OWNER"}},
        {"type": "simple_add_dataset_tags", "config": {"tag_urns": ["urn:li:tag:transformed"]}},
    ])
    assert [o.owner for o in graph.get_ownership(urn).owners] == ["urn:li:corpuser:added"]
    assert [t.tag for t in graph.get_tags(urn).tags] == ["urn:li:tag:transformed"]


def sink(graph, recipe, tmp_path, **config):
    urn = dataset("sink_" + "_".join(map(str, config.values())))
    file = tmp_path / "records.json"
    file.write_text(json.dumps([{"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "datasetProperties", "aspect": {"json": {"description": "d"}}}]))
    recipe({"type": "file", "config": {"path": str(file)}}, sink=config)
    assert graph.get_aspect(urn, models.DatasetPropertiesClass).description == "d"


@row("the sink with mode SYNC", since_1=True)
def test_sink_sync(graph, recipe, tmp_path):
    sink(graph, recipe, tmp_path, mode="SYNC")


@row("the sink with mode ASYNC", since_1=True)
def test_sink_async(graph, recipe, tmp_path):
    sink(graph, recipe, tmp_path, mode="ASYNC")


@row("the sink with the OpenAPI endpoint", since_1=True)
def test_sink_openapi(graph, recipe, tmp_path):
    sink(graph, recipe, tmp_path, endpoint="OPENAPI")
