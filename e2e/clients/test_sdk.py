"""The SDK: entities, search and lineage through DataHubClient."""

import pytest
from conftest import check, dataset, emit, schema, settle
from datahub.metadata import schema_classes as models

SDK = "SDK (DataHubClient)"


def row(text):
    return check(SDK, text, since_1=True)


def table(name, **more):
    from datahub.sdk import Dataset

    return Dataset(platform="hive", name=f"checks.{name}", **more)


@row("the connection, with the OpenAPI transport chosen by the server's version")
def test_connection(client):
    client.test_connection()
    assert client._graph._openapi_ingestion


@row("entities.upsert, get, update, delete")
def test_entities(client):
    made = table("sdk", description="first", schema=[("id", "int"), ("name", "string")], custom_properties={"tier": "gold"})
    client.entities.upsert(made)
    read = client.entities.get(made.urn)
    assert read.description == "first" and [f.field_path for f in read.schema] == ["id", "name"] and read.custom_properties == {"tier": "gold"}
    read.set_description("second")
    read.add_tag("urn:li:tag:sdk")
    read.add_owner("urn:li:corpuser:ada")
    read.add_term("urn:li:glossaryTerm:sdk")
    client.entities.update(read)
    again = client.entities.get(made.urn)
    assert again.description == "second" and len(again.tags) == len(again.owners) == len(again.terms) == 1
    client.entities.delete(str(made.urn))
    assert client._graph.get_aspect(str(made.urn), models.StatusClass).removed


@row("entities.create, refused when the entity exists")
def test_create(client):
    made = table("created")
    client.entities.create(made)
    with pytest.raises(Exception):
        client.entities.create(table("created"))
    assert client.entities.get(made.urn).urn == made.urn


@row("entities.update with a patch")
def test_update_patch(client):
    from datahub.specific.dataset import DatasetPatchBuilder

    made = table("sdk_patched", description="kept")
    client.entities.upsert(made)
    client.entities.update(DatasetPatchBuilder(str(made.urn)).add_custom_property("k", "v"))
    assert client.entities.get(made.urn).custom_properties == {"k": "v"}


@row("entities of other kinds: charts, dashboards, flows, jobs, containers, terms, tags")
def test_kinds(client):
    from datahub.sdk import Chart, Dashboard, DataFlow, DataJob, GlossaryNode, GlossaryTerm, Tag

    flow = DataFlow(platform="airflow", name="checks_flow")
    chart = Chart(platform="looker", name="checks_chart", display_name="Chart", input_datasets=[dataset("sdk_source")])
    made = [
        flow, DataJob(flow=flow, name="checks_job", inlets=[dataset("sdk_source")], outlets=[dataset("sdk_target")]),
        chart, Dashboard(platform="looker", name="checks_dashboard", display_name="Dashboard", charts=[chart]),
        GlossaryNode(id="checks_node", display_name="Node"), GlossaryTerm(id="checks_term", display_name="Term", definition="d"),
        Tag(name="checks_tag", description="d"),
    ]
    for entity in made:
        client.entities.upsert(entity)
    for entity in made[:4]:
        assert client.entities.get(entity.urn).urn == entity.urn


@row("search.get_urns with a query and filters")
def test_search(client):
    from datahub.sdk import FilterDsl as F

    client.entities.upsert(table("sdk_searchable", description="unmistakable"))
    settle()
    assert [str(u) for u in client.search.get_urns("unmistakable")] == [dataset("sdk_searchable")]
    found = client.search.get_urns("unmistakable", filter=F.and_(F.entity_type("dataset"), F.platform("hive"), F.env("PROD")))
    assert [str(u) for u in found] == [dataset("sdk_searchable")]
    assert not list(client.search.get_urns("unmistakable", filter=F.env("DEV")))
    assert not list(client.search.get_urns("unmistakable", filter=F.not_(F.platform("hive"))))


@row("lineage.add_lineage, also of columns, and get_lineage")
def test_lineage(client):
    up, down, end = (table(f"sdk_lineage_{n}", schema=[("id", "int")]) for n in ("up", "down", "end"))
    for entity in (up, down, end):
        client.entities.upsert(entity)
    client.lineage.add_lineage(upstream=up.urn, downstream=down.urn, column_lineage={"id": ["id"]})
    client.lineage.add_lineage(upstream=down.urn, downstream=end.urn, transformation_text="select id from down")
    settle()
    assert [r.urn for r in client.lineage.get_lineage(source_urn=down.urn)] == [str(up.urn)]
    reached = client.lineage.get_lineage(source_urn=up.urn, direction="downstream", max_hops=3)
    assert {r.urn for r in reached} == {str(down.urn), str(end.urn)}


@row("lineage.get_lineage of a column, from dataset to dataset")
def test_column_lineage(client):
    up, down = (table(f"sdk_columns_{n}", schema=[("id", "int")]) for n in ("up", "down"))
    for entity in (up, down):
        client.entities.upsert(entity)
    client.lineage.add_lineage(upstream=up.urn, downstream=down.urn, column_lineage={"id": ["id"]})
    settle()
    found = client.lineage.get_lineage(source_urn=down.urn, source_column="id", direction="upstream")
    assert [(r.urn, r.platform) for r in found] == [(str(up.urn), "hive")]
    assert [step.urn for step in found[0].paths] == [f"urn:li:schemaField:({end},id)" for end in (down.urn, up.urn)]


@row("lineage.infer_lineage_from_sql")
def test_sql(client):
    for name in ("sql_source", "sql_target"):
        client.entities.upsert(table(name, schema=[("id", "int"), ("total", "int")]))
    client.lineage.infer_lineage_from_sql(query_text="insert into checks.sql_target select id, sum(total) as total from checks.sql_source group by id", platform="hive")
    lineage = client._graph.get_aspect(dataset("sql_target"), models.UpstreamLineageClass)
    assert [u.dataset for u in lineage.upstreams] == [dataset("sql_source")] and lineage.fineGrainedLineages


@row("resolve.term, user, domain")
def test_resolve(client):
    emit(client._graph, "urn:li:domain:resolved", models.DomainPropertiesClass(name="Resolved domain", description=""))
    emit(client._graph, "urn:li:glossaryTerm:resolved", models.GlossaryTermInfoClass(definition="d", termSource="INTERNAL", name="Resolved term"))
    settle()
    assert str(client.resolve.domain(name="Resolved domain")) == "urn:li:domain:resolved"
    assert str(client.resolve.term(name="Resolved term")) == "urn:li:glossaryTerm:resolved"
