"""The library: writes through both transports, patches, reads."""

import pytest
from conftest import CLIENT, SERVER, TODAY, TOKEN, check, dataset, emit, schema, settle
from datahub.emitter.mcp import MetadataChangeProposalWrapper as Proposal
from datahub.metadata import schema_classes as models
from datahub.specific.dataset import DatasetPatchBuilder

LIBRARY = "library"


def emitter(openapi):
    from datahub.emitter.rest_emitter import DatahubRestEmitter

    return DatahubRestEmitter(SERVER, token=TOKEN, openapi_ingestion=openapi) if TODAY else DatahubRestEmitter(SERVER, token=TOKEN)


def transports(test):
    """Runs a check through both transports, where the client has two."""
    openapi = pytest.param(True, marks=pytest.mark.skipif(not TODAY, reason="not in this client"))
    return pytest.mark.parametrize("openapi", [False, openapi], ids=["restli", "openapi"])(test)


@check(LIBRARY, "emit_mcp, Rest.li")
def test_emit_restli(graph):
    emitter(False).emit_mcp(Proposal(entityUrn=dataset("restli"), aspect=models.DatasetPropertiesClass(description="a")))
    assert graph.get_aspect(dataset("restli"), models.DatasetPropertiesClass).description == "a"


@check(LIBRARY, "emit_mcp, OpenAPI", since_1=True)
def test_emit_openapi(graph):
    emitter(True).emit_mcp(Proposal(entityUrn=dataset("openapi"), aspect=models.DatasetPropertiesClass(description="a")))
    assert graph.get_aspect(dataset("openapi"), models.DatasetPropertiesClass).description == "a"


def emit_many(graph, openapi):
    names = [f"many{openapi}{n}" for n in range(5)]
    emitter(openapi).emit_mcps([Proposal(entityUrn=dataset(name), aspect=models.DatasetPropertiesClass(description=name)) for name in names])
    for name in names:
        assert graph.get_aspect(dataset(name), models.DatasetPropertiesClass).description == name


@check(LIBRARY, "emit_mcps, Rest.li", since_1=True)
def test_emit_many_restli(graph):
    emit_many(graph, False)


@check(LIBRARY, "emit_mcps, OpenAPI", since_1=True)
def test_emit_many_openapi(graph):
    emit_many(graph, True)


def refused(openapi):
    """A batch with one bad member raises and writes nothing."""
    bad = Proposal(entityUrn=dataset("bad"), aspect=models.OwnershipClass(owners=[models.OwnerClass(owner="nobody", type="DATAOWNER")]))
    good = Proposal(entityUrn=dataset(f"beside{openapi}"), aspect=models.StatusClass(removed=False))
    with pytest.raises(Exception) as failure:
        emitter(openapi).emit_mcps([good, bad])
    assert "nobody" in str(failure.value) + str(getattr(failure.value, "info", ""))


@check(LIBRARY, "a batch with a refused member raises and writes nothing, Rest.li", since_1=True)
def test_refused_restli(graph):
    refused(False)
    assert not graph.exists(dataset("besideFalse"))


@check(LIBRARY, "a batch with a refused member raises and writes nothing, OpenAPI", since_1=True)
def test_refused_openapi(graph):
    refused(True)
    assert not graph.exists(dataset("besideTrue"))


def in_mode(graph, openapi, mode):
    from datahub.emitter.emit_mode import EmitMode

    name = f"mode_{mode}_{openapi}".lower()
    emitter(openapi).emit_mcp(Proposal(entityUrn=dataset(name), aspect=models.DatasetPropertiesClass(name=name)), emit_mode=EmitMode[mode])
    assert graph.get_aspect(dataset(name), models.DatasetPropertiesClass).name == name
    return name


def mode_check(mode, openapi):
    transport = "OpenAPI" if openapi else "Rest.li"

    @check(LIBRARY, f"emit mode {mode}, {transport}", since_1=True)
    def test(graph):
        name = in_mode(graph, openapi, mode)
        if mode == "SYNC_WAIT" and openapi:
            assert list(graph.get_urns_by_filter(entity_types=["dataset"], query=name)) == [dataset(name)]

    return test


test_sync_primary_restli = mode_check("SYNC_PRIMARY", False)
test_sync_primary_openapi = mode_check("SYNC_PRIMARY", True)
test_sync_wait_restli = mode_check("SYNC_WAIT", False)
test_sync_wait_openapi = mode_check("SYNC_WAIT", True)
test_async_restli = mode_check("ASYNC", False)
test_async_openapi = mode_check("ASYNC", True)
test_async_wait_restli = mode_check("ASYNC_WAIT", False)
test_async_wait_openapi = mode_check("ASYNC_WAIT", True)


@check(LIBRARY, "the trace of an asynchronous write", since_1=True)
def test_trace(graph):
    from datahub.emitter.emit_mode import EmitMode

    with emitter(True) as e:
        e.fetch_server_config()
        e.emit_mcps([Proposal(entityUrn=dataset(f"trace{n}"), aspect=models.DatasetPropertiesClass(name="t")) for n in range(3)], emit_mode=EmitMode.ASYNC_WAIT)
    for n in range(3):
        assert graph.exists(dataset(f"trace{n}"))


def patch(graph, openapi, name):
    urn = dataset(name)
    emit(graph, urn, models.DatasetPropertiesClass(description="kept", customProperties={"old": "1"}))
    tag = models.TagAssociationClass(tag="urn:li:tag:patched")
    owner = models.OwnerClass(owner="urn:li:corpuser:ada", type=models.OwnershipTypeClass.DATAOWNER)
    steps = [
        DatasetPatchBuilder(urn).add_tag(tag).add_owner(owner).add_term(models.GlossaryTermAssociationClass("urn:li:glossaryTerm:patched")),
        DatasetPatchBuilder(urn).add_upstream_lineage(models.UpstreamClass(dataset=dataset("up"), type="TRANSFORMED")).add_custom_property("new", "2"),
        DatasetPatchBuilder(urn).remove_tag(tag.tag).remove_custom_property("old"),
    ]
    for step in steps:
        for proposal in step.build():
            emitter(openapi).emit_mcp(proposal)
    assert [o.owner for o in graph.get_ownership(urn).owners] == ["urn:li:corpuser:ada"]
    assert graph.get_tags(urn).tags == []
    assert [t.urn for t in graph.get_glossary_terms(urn).terms] == ["urn:li:glossaryTerm:patched"]
    properties = graph.get_aspect(urn, models.DatasetPropertiesClass)
    assert properties.description == "kept" and properties.customProperties == {"new": "2"}
    assert [u.dataset for u in graph.get_aspect(urn, models.UpstreamLineageClass).upstreams] == [dataset("up")]


@check(LIBRARY, "patches of labels, owners, properties and lineage, Rest.li")
def test_patch_restli(graph):
    patch(graph, False, "patch_restli")


@check(LIBRARY, "patches of labels, owners, properties and lineage, OpenAPI", since_1=True)
def test_patch_openapi(graph):
    patch(graph, True, "patch_openapi")


@check(LIBRARY, "patches of columns, column lineage, domains, structured properties", since_1=True)
def test_patch_more(graph):
    urn, up = dataset("patch_more"), dataset("patch_more_up")
    emit(graph, urn, schema("a"))
    builder = DatasetPatchBuilder(urn)
    builder.for_field("a").add_tag(models.TagAssociationClass(tag="urn:li:tag:column"))
    builder.add_fine_grained_upstream_lineage(
        models.FineGrainedLineageClass(
            upstreamType=models.FineGrainedLineageUpstreamTypeClass.FIELD_SET, downstreamType=models.FineGrainedLineageDownstreamTypeClass.FIELD,
            upstreams=[f"urn:li:schemaField:({up},x)"], downstreams=[f"urn:li:schemaField:({urn},a)"], transformOperation="COPY",
        )
    )
    for proposal in builder.build():
        graph.emit_mcp(proposal)
    assert graph.get_aspect(urn, models.EditableSchemaMetadataClass).editableSchemaFieldInfo[0].globalTags.tags[0].tag == "urn:li:tag:column"
    assert graph.get_aspect(urn, models.UpstreamLineageClass).fineGrainedLineages[0].upstreams == [f"urn:li:schemaField:({up},x)"]


@check(LIBRARY, "a conditional write: If-Version-Match", since_1=True)
def test_conditional(graph):
    urn = dataset("conditional")
    emit(graph, urn, models.DatasetPropertiesClass(description="1"))
    change = lambda text, version: Proposal(entityUrn=urn, aspect=models.DatasetPropertiesClass(description=text), headers={"If-Version-Match": version})
    for openapi in (False, True):
        with pytest.raises(Exception):
            emitter(openapi).emit_mcp(change("no", "7"))
    emitter(False).emit_mcp(change("2", "1"))
    emitter(True).emit_mcp(change("3", "2"))
    assert graph.get_aspect(urn, models.DatasetPropertiesClass).description == "3"


@check(LIBRARY, "exists, get_aspect, get_entity_raw, get_entity_semityped")
def test_reads(graph):
    urn = dataset("reads")
    emit(graph, urn, models.DatasetPropertiesClass(description="r"), models.StatusClass(removed=False))
    assert graph.exists(urn) and not graph.exists(dataset("nothing"))
    assert graph.get_entity_raw(urn, ["datasetProperties"])["aspects"]["datasetProperties"]["value"]["description"] == "r"
    assert graph.get_entity_semityped(urn)["status"].removed is False


@check(LIBRARY, "get_entities", since_1=True)
def test_get_entities(graph):
    urn = dataset("batch")
    emit(graph, urn, models.DatasetPropertiesClass(description="b"))
    found = graph.get_entities("dataset", [urn, dataset("nothing")], ["datasetProperties"], with_system_metadata=True)
    assert list(found) == [urn]
    value, system = found[urn]["datasetProperties"]
    assert value.description == "b" and system.version == "1"
    assert graph.get_entities_v2("dataset", [urn], ["datasetProperties"])[urn]["datasetProperties"]["value"]["description"] == "b"


@check(LIBRARY, "scroll_entities", since_1=True)
def test_scroll_entities(graph):
    urns = [dataset(f"scrolled{n}") for n in range(5)]
    for urn in urns:
        emit(graph, urn, models.DatasetPropertiesClass(name="scrolledname"))
    settle()
    found, scroll = [], None
    while True:
        page = graph.scroll_entities(
            entity_names=["dataset"], aspects=["datasetProperties"], count=2, scroll_id=scroll, with_system_metadata=True,
            filter=[{"and": [{"field": "urn", "values": urns, "condition": "EQUAL"}]}],
        )
        found += list(page.entities)
        scroll = page.scroll_id
        if not scroll:
            break
    assert found == urns and page.total_count == 5


@check(LIBRARY, "scroll_relationships, scroll_lineage", since_1=True)
def test_scroll_edges(graph):
    down, up = dataset("edge_down"), dataset("edge_up")
    emit(graph, down, models.UpstreamLineageClass(upstreams=[models.UpstreamClass(dataset=up, type="TRANSFORMED")]))
    found = graph.scroll_relationships(relationship_types=["DownstreamOf"], source_urns=[down], count=10)
    assert [(r.source_urn, r.destination_urn) for r in found.relationships] == [(down, up)]
    found = graph.scroll_lineage(urns=[up], count=10)
    assert [(r.upstream_urn, r.downstream_urn) for r in found.relationships] == [(up, down)] and found.scroll_id is None


@check(LIBRARY, "get_entity_aspect_specs", since_1=True)
def test_specs(graph):
    specs = graph.get_entity_aspect_specs()
    assert specs.supports("dataset", "datasetProperties") and not specs.supports("dataset", "corpUserInfo")


@check(LIBRARY, "get_related_entities")
def test_related(graph):
    urn = dataset("related")
    emit(graph, urn, models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:related")]))
    found = graph.get_related_entities("urn:li:tag:related", ["TaggedWith"], graph.RelationshipDirection.INCOMING)
    assert [r.urn for r in found] == [urn]


@check(LIBRARY, "time series: written and read")
def test_time_series(graph):
    emit(graph, dataset("series"), *(models.DatasetProfileClass(timestampMillis=n * 1000, rowCount=n) for n in (1, 2)))
    assert graph.get_latest_timeseries_value(dataset("series"), models.DatasetProfileClass, {}).rowCount == 2


@check(LIBRARY, "get_urns_by_filter")
def test_urns_by_filter(graph):
    emit(graph, dataset("filtered", "mysql"), models.DatasetPropertiesClass(name="filteredname"))
    settle()
    assert list(graph.get_urns_by_filter(entity_types=["dataset"], platform="mysql", query="filteredname")) == [dataset("filtered", "mysql")]


@check(LIBRARY, "delete_entity, soft_delete_entity, delete_references_to_urn")
def test_delete(graph):
    emit(graph, dataset("soft"), models.StatusClass(removed=False))
    emit(graph, dataset("hard"), models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:gone")]))
    graph.soft_delete_entity(dataset("soft"))
    assert graph.get_aspect(dataset("soft"), models.StatusClass).removed is True
    count, _ = graph.delete_references_to_urn("urn:li:tag:gone", dry_run=False)
    assert count == 1
    graph.hard_delete_entity(dataset("hard"))
    assert not graph.exists(dataset("hard"))
