"""Sources of the client that need no other server: files of records, lineage,
terms and enrichments, transformers, a stateful recipe, a dbt project."""

import json
import sqlite3

import datahub.emitter.mce_builder as builder
from conftest import emit, series
from datahub.metadata import schema_classes as models


def dataset(name, platform="hive", env="PROD"):
    return builder.make_dataset_urn(platform, f"source.{name}", env)


def record(urn, aspect, value):
    return {"entityType": urn.split(":")[2], "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect, "aspect": {"json": value}}


def test_file_with_transformers(graph, recipe, tmp_path):
    urn = dataset("transformed")
    emit(graph, urn, models.OwnershipClass(owners=[models.OwnerClass(owner="urn:li:corpuser:kept", type="DATAOWNER")]))
    emit(graph, "urn:li:domain:source", models.DomainPropertiesClass(name="Sources", description=""))
    schema = {
        "schemaName": "s", "platform": "urn:li:dataPlatform:hive", "version": 0, "hash": "", "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": [{"fieldPath": "email", "nativeDataType": "text", "type": {"type": {"com.linkedin.schema.StringType": {}}}}],
    }
    file = tmp_path / "records.json"
    file.write_text(json.dumps([record(urn, "status", {"removed": False}), record(urn, "datasetProperties", {"description": "d"}), record(urn, "schemaMetadata", schema)]))
    recipe(
        {"type": "file", "config": {"path": str(file)}},
        transformers=[
            {"type": "simple_add_dataset_ownership", "config": {"owner_urns": ["urn:li:corpuser:added"], "ownership_type": "TECHNICAL_OWNER", "semantics": "PATCH"}},
            {"type": "simple_add_dataset_tags", "config": {"tag_urns": ["urn:li:tag:transformed"]}},
            {"type": "simple_add_dataset_terms", "config": {"term_urns": ["urn:li:glossaryTerm:transformed"]}},
            {"type": "simple_add_dataset_properties", "config": {"properties": {"tier": "gold"}}},
            {"type": "set_dataset_browse_path", "config": {"path_templates": ["/all/PLATFORM/DATASET_PARTS"]}},
            {"type": "simple_add_dataset_domain", "config": {"domains": ["urn:li:domain:source"]}},
            {"type": "pattern_add_dataset_schema_tags", "config": {"tag_pattern": {"rules": {".*email.*": ["urn:li:tag:pii"]}}}},
        ],
    )
    assert {o.owner for o in graph.get_ownership(urn).owners} == {"urn:li:corpuser:kept", "urn:li:corpuser:added"}
    assert [t.tag for t in graph.get_tags(urn).tags] == ["urn:li:tag:transformed"]
    assert [t.urn for t in graph.get_glossary_terms(urn).terms] == ["urn:li:glossaryTerm:transformed"]
    properties = graph.get_aspect(urn, models.DatasetPropertiesClass)
    assert properties.description == "d" and properties.customProperties == {"tier": "gold"}
    assert graph.get_aspect(urn, models.BrowsePathsClass).paths == ["/all/hive/source/transformed"]
    assert graph.get_aspect(urn, models.DomainsClass).domains == ["urn:li:domain:source"]
    field = graph.get_aspect(urn, models.SchemaMetadataClass).fields[0]
    assert [t.tag for t in field.globalTags.tags] == ["urn:li:tag:pii"]


def test_lineage_file(graph, recipe, tmp_path):
    down, up, known = (dataset(name, "kafka") for name in ("down", "up", "known"))
    emit(graph, down, models.UpstreamLineageClass(upstreams=[models.UpstreamClass(dataset=known, type="TRANSFORMED")]))
    file = tmp_path / "lineage.yml"
    file.write_text(
        f"""
version: 1
lineage:
  - entity: {{name: source.down, type: dataset, env: PROD, platform: kafka}}
    upstream:
      - entity: {{name: source.up, type: dataset, env: PROD, platform: kafka}}
    fineGrainedLineages:
      - upstreamType: FIELD_SET
        upstreams: ["urn:li:schemaField:({up},a)"]
        downstreamType: FIELD
        downstreams: ["urn:li:schemaField:({down},b)"]
        transformOperation: IDENTITY
        confidenceScore: 1.0
"""
    )
    recipe({"type": "datahub-lineage-file", "config": {"file": str(file), "preserve_upstream": True}})
    lineage = graph.get_aspect(down, models.UpstreamLineageClass)
    assert {u.dataset for u in lineage.upstreams} == {up, known}
    assert lineage.fineGrainedLineages[0].upstreams == [f"urn:li:schemaField:({up},a)"]
    related = graph.get_related_entities(up, ["DownstreamOf"], graph.RelationshipDirection.INCOMING)
    assert [r.urn for r in related] == [down]


def test_business_glossary(graph, recipe, tmp_path):
    file = tmp_path / "glossary.yml"
    file.write_text(
        """
version: 1
source: Headwater
owners: {users: [ada]}
url: https://example.com/glossary
nodes:
  - name: Money
    description: What is paid
    knowledge_links: [{url: "https://example.com/money", label: About money}]
    terms:
      - name: Revenue
        description: What comes in
        custom_properties: {unit: EUR}
        owners: {users: [bob], groups: [finance]}
      - name: NetRevenue
        description: What is left of it
        inherits: [Money.Revenue]
        contains: [Money.Revenue]
        related_terms: [Money.Revenue]
    nodes:
      - name: Costs
        description: What goes out
"""
    )
    recipe({"type": "datahub-business-glossary", "config": {"file": str(file)}})
    info = graph.get_aspect("urn:li:glossaryTerm:Money.NetRevenue", models.GlossaryTermInfoClass)
    assert info.definition == "What is left of it" and info.parentNode == "urn:li:glossaryNode:Money"
    related = graph.get_aspect("urn:li:glossaryTerm:Money.NetRevenue", models.GlossaryRelatedTermsClass)
    assert related.isRelatedTerms == ["urn:li:glossaryTerm:Money.Revenue"] == related.hasRelatedTerms
    edges = graph.get_related_entities("urn:li:glossaryTerm:Money.NetRevenue", ["IsA", "HasA", "IsRelatedTo"], graph.RelationshipDirection.OUTGOING)
    assert sorted(r.relationship_type for r in edges) == ["HasA", "IsA", "IsRelatedTo"]
    owners = graph.get_ownership("urn:li:glossaryTerm:Money.Revenue").owners
    assert {o.owner for o in owners} == {"urn:li:corpuser:bob", "urn:li:corpGroup:finance"}
    costs = graph.get_aspect("urn:li:glossaryNode:Money.Costs", models.GlossaryNodeInfoClass)
    assert costs.parentNode == "urn:li:glossaryNode:Money"
    links = graph.get_aspect("urn:li:glossaryNode:Money", models.InstitutionalMemoryClass)
    assert links.elements[0].url == "https://example.com/money"


def test_csv_enricher(graph, recipe, tmp_path):
    urn = dataset("enriched")
    emit(graph, urn, models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:kept")]))
    file = tmp_path / "enrich.csv"
    file.write_text(
        "resource,subresource,glossary_terms,tags,owners,ownership_type,description,domain\n"
        f'"{urn}",,[urn:li:glossaryTerm:csv],[urn:li:tag:csv],[urn:li:corpuser:ada|urn:li:corpuser:bob],TECHNICAL_OWNER,Enriched,urn:li:domain:csv\n'
        f'"{urn}",email,[urn:li:glossaryTerm:mail],[urn:li:tag:pii],,,A mail address,\n'
    )
    recipe({"type": "csv-enricher", "config": {"filename": str(file), "write_semantics": "PATCH", "delimiter": ",", "array_delimiter": "|"}})
    assert {t.tag for t in graph.get_tags(urn).tags} == {"urn:li:tag:kept", "urn:li:tag:csv"}
    assert [t.urn for t in graph.get_glossary_terms(urn).terms] == ["urn:li:glossaryTerm:csv"]
    assert {(o.owner, o.type) for o in graph.get_ownership(urn).owners} == {("urn:li:corpuser:ada", "TECHNICAL_OWNER"), ("urn:li:corpuser:bob", "TECHNICAL_OWNER")}
    assert graph.get_aspect(urn, models.EditableDatasetPropertiesClass).description == "Enriched"
    assert graph.get_aspect(urn, models.DomainsClass).domains == ["urn:li:domain:csv"]
    field = graph.get_aspect(urn, models.EditableSchemaMetadataClass).editableSchemaFieldInfo[0]
    assert (field.fieldPath, field.description) == ("email", "A mail address")
    assert [t.tag for t in field.globalTags.tags] == ["urn:li:tag:pii"]


def test_stateful_ingestion(graph, recipe, tmp_path):
    """What a database had at the last run and has no more is soft-deleted."""
    path = tmp_path / "stateful.db"

    def run(script):
        with sqlite3.connect(path) as db:
            db.executescript(script)
        recipe(
            {
                "type": "sqlalchemy",
                "config": {
                    "platform": "stateful", "connect_uri": f"sqlite:///{path}",
                    "stateful_ingestion": {"enabled": True, "remove_stale_metadata": True, "fail_safe_threshold": 100},
                },
            },
            pipeline_name="stateful_sqlite",
        )

    def removed(name):
        urn = next(u for u in graph.list_all_entity_urns("dataset", 0, 10_000) if u.endswith(f".{name},PROD)") and "dataPlatform:stateful," in u)
        return graph.get_aspect(urn, models.StatusClass).removed

    run("CREATE TABLE state_stays (id INTEGER); CREATE TABLE state_goes (id INTEGER);")
    assert not removed("state_stays") and not removed("state_goes")
    run("DROP TABLE state_goes;")
    assert not removed("state_stays") and removed("state_goes")
    run("CREATE TABLE state_goes (id INTEGER);")
    assert not removed("state_goes")
    job = "urn:li:dataJob:(urn:li:dataFlow:(datahub,stateful_sqlite,prod),stateful_stale_entity_removal)"
    assert len(series(graph, job, "datahubIngestionCheckpoint")) == 3


def dbt_node(name, kind, sql, depends, columns, **more):
    return {
        "unique_id": f"model.shop.{name}", "name": name, "alias": name, "database": "warehouse", "schema": "marts", "resource_type": "model",
        "original_file_path": f"models/{name}.sql", "config": {"materialized": kind}, "depends_on": {"nodes": depends}, "raw_code": sql, "compiled_code": sql,
        "description": f"About {name}", "columns": {c: {"name": c, "description": f"The {c}", "tags": [], "meta": {}} for c in columns}, "tags": [], "meta": {}, **more,
    }


def dbt_catalog(database, schema, name, kind, columns):
    return {
        "metadata": {"type": kind, "database": database, "schema": schema, "name": name, "comment": None, "owner": None},
        "columns": {c: {"type": t, "index": i + 1, "name": c, "comment": None} for i, (c, t) in enumerate(columns.items())}, "stats": {},
    }


def test_dbt_project(graph, recipe, tmp_path):
    columns = {"id": "integer", "total": "numeric"}
    source = "source.shop.raw.orders"
    manifest = {
        "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v9.json", "dbt_version": "1.5.0", "adapter_type": "postgres"},
        "nodes": {
            "model.shop.stg_orders": dbt_node("stg_orders", "view", "select id, total from raw.orders", [source], columns),
            "model.shop.orders": dbt_node("orders", "table", "select * from {{ ref('stg_orders') }}", ["model.shop.stg_orders"], columns, tags=["finance"], meta={"owner": "@ada"}),
            "test.shop.unique_orders_id": {
                "unique_id": "test.shop.unique_orders_id", "name": "unique_orders_id", "database": "warehouse", "schema": "dbt_test", "resource_type": "test",
                "original_file_path": "models/schema.yml", "config": {"materialized": "test"}, "depends_on": {"nodes": ["model.shop.orders"]}, "raw_code": "{{ test_unique() }}",
                "compiled_code": "select id from orders group by id having count(*) > 1", "tags": [], "meta": {}, "columns": {},
                "test_metadata": {"name": "unique", "kwargs": {"column_name": "id", "model": "{{ get_where_subquery(ref('orders')) }}"}},
            },
        },
        "sources": {
            source: {
                "unique_id": source, "name": "orders", "identifier": "orders", "database": "warehouse", "schema": "raw", "resource_type": "source",
                "original_file_path": "models/sources.yml", "config": {"enabled": True}, "description": "As they come in", "columns": {}, "tags": [], "meta": {},
            }
        },
    }
    catalog = {
        "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json", "dbt_version": "1.5.0"},
        "nodes": {f"model.shop.{n}": dbt_catalog("warehouse", "marts", n, k, columns) for n, k in (("stg_orders", "VIEW"), ("orders", "BASE TABLE"))},
        "sources": {source: dbt_catalog("warehouse", "raw", "orders", "BASE TABLE", columns)},
    }
    paths = {}
    for name, content in (("manifest", manifest), ("catalog", catalog)):
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_text(json.dumps(content))
    recipe({
        "type": "dbt",
        "config": {"manifest_path": str(paths["manifest"]), "catalog_path": str(paths["catalog"]), "target_platform": "postgres", "owner_extraction_pattern": "@(?P<owner>.*)"},
    })
    model, view, raw = (f"urn:li:dataset:(urn:li:dataPlatform:{p},warehouse.{n},PROD)" for p, n in (("dbt", "marts.orders"), ("dbt", "marts.stg_orders"), ("dbt", "raw.orders")))
    table = "urn:li:dataset:(urn:li:dataPlatform:postgres,warehouse.marts.orders,PROD)"
    assert graph.get_aspect(model, models.DatasetPropertiesClass).description == "About orders"
    assert "ref('stg_orders')" in graph.get_aspect(model, models.ViewPropertiesClass).viewLogic
    assert [t.tag for t in graph.get_tags(model).tags] == ["urn:li:tag:dbt:finance"]
    # A model derives from the table that another one becomes, and a table of the warehouse from its model.
    becomes = "urn:li:dataset:(urn:li:dataPlatform:postgres,warehouse.marts.stg_orders,PROD)"
    assert [u.dataset for u in graph.get_aspect(model, models.UpstreamLineageClass).upstreams] == [becomes]
    assert [u.dataset for u in graph.get_aspect(table, models.UpstreamLineageClass).upstreams] == [model]
    reached = graph._post_generic(f"{graph.config.server}/relationships?action=getLineage", {"urn": table, "direction": "UPSTREAM", "start": 0, "count": 100, "maxHops": 10})
    assert {model, view, raw} <= {r["entity"] for r in reached["value"]["relationships"]}
    fields = {f.fieldPath: f.description for f in graph.get_aspect(model, models.SchemaMetadataClass).fields}
    assert fields == {"id": "The id", "total": "The total"}
    assertions = graph.get_related_entities(model, ["Asserts"], graph.RelationshipDirection.INCOMING)
    assert len(list(assertions)) == 1 or list(graph.list_all_entity_urns("assertion", 0, 10))
