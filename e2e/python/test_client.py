"""The library and the command line: what is written is read back."""

import json

import datahub.emitter.mce_builder as builder
import pytest
from conftest import TOKEN, emit
from datahub.configuration.common import OperationalError
from datahub.emitter.rest_emitter import DatahubRestEmitter
from datahub.metadata import schema_classes as models
from datahub.specific.dataset import DatasetPatchBuilder

DATASET = builder.make_dataset_urn("hive", "client.orders", "PROD")
UPSTREAM = builder.make_dataset_urn("hive", "client.raw_orders", "PROD")
ADA = builder.make_user_urn("ada")


def test_connection(graph):
    graph.test_connection()
    assert graph.server_config["noCode"] == "true"
    assert graph.server_config["statefulIngestionCapable"] is True


def test_aspect_round_trip(graph):
    properties = models.DatasetPropertiesClass(description="one row per order", customProperties={"tier": "gold"})
    emit(graph, DATASET, properties)
    assert graph.get_aspect(DATASET, models.DatasetPropertiesClass).to_obj() == properties.to_obj()
    raw = graph.get_entity_raw(DATASET, ["datasetProperties"])
    assert raw["aspects"]["datasetKey"]["value"]["name"] == "client.orders"
    assert graph.exists(DATASET)
    assert not graph.exists(builder.make_dataset_urn("hive", "client.nothing", "PROD"))


def test_typed_entity(graph):
    emit(graph, DATASET, models.StatusClass(removed=False))
    entity = graph.get_entity_semityped(DATASET)
    assert entity["status"].removed is False
    assert entity["datasetKey"].origin == "PROD"


def test_snapshot_round_trip(graph):
    urn = builder.make_dataset_urn("kafka", "client.events", "PROD")
    schema = models.SchemaMetadataClass(
        schemaName="events", platform=builder.make_data_platform_urn("kafka"), version=0, hash="",
        platformSchema=models.KafkaSchemaClass(documentSchema="{}"),
        fields=[models.SchemaFieldClass(
            fieldPath="id", type=models.SchemaFieldDataTypeClass(type=models.StringTypeClass()), nativeDataType="string",
        )],
    )
    snapshot = models.DatasetSnapshotClass(urn=urn, aspects=[schema, models.StatusClass(removed=False)])
    DatahubRestEmitter(graph.config.server, token=TOKEN).emit_mce(models.MetadataChangeEventClass(proposedSnapshot=snapshot))
    assert graph.get_aspect(urn, models.SchemaMetadataClass).to_obj() == schema.to_obj()


def test_relationships(graph):
    lineage = models.UpstreamLineageClass(upstreams=[models.UpstreamClass(dataset=UPSTREAM, type="TRANSFORMED")])
    emit(graph, DATASET, lineage)
    found = list(graph.get_related_entities(DATASET, ["DownstreamOf"], graph.RelationshipDirection.OUTGOING))
    assert [r.urn for r in found] == [UPSTREAM]
    found = list(graph.get_related_entities(UPSTREAM, ["DownstreamOf"], graph.RelationshipDirection.INCOMING))
    assert [r.urn for r in found] == [DATASET]


def test_many_relationships_are_paged(graph):
    hub = builder.make_tag_urn("client-hub")
    for n in range(230):
        emit(graph, builder.make_dataset_urn("hive", f"client.many_{n:03}", "PROD"), models.GlobalTagsClass(tags=[models.TagAssociationClass(tag=hub)]))
    found = list(graph.get_related_entities(hub, ["TaggedWith"], graph.RelationshipDirection.INCOMING))
    assert len({r.urn for r in found}) == 230


def test_time_series(graph):
    for day in range(1, 4):
        emit(graph, DATASET, models.DatasetProfileClass(timestampMillis=day * 86_400_000, rowCount=day))
    latest = graph.get_latest_timeseries_value(DATASET, models.DatasetProfileClass, {})
    assert latest.rowCount == 3


def test_patches(graph):
    urn = builder.make_dataset_urn("hive", "client.patched", "PROD")
    owner = models.OwnerClass(owner=ADA, type=models.OwnershipTypeClass.DATAOWNER)
    tag = models.TagAssociationClass(tag=builder.make_tag_urn("client-tag"))
    for patch in (
        DatasetPatchBuilder(urn).add_owner(owner).add_tag(tag).build(),
        DatasetPatchBuilder(urn).add_upstream_lineage(models.UpstreamClass(dataset=UPSTREAM, type="TRANSFORMED")).build(),
        DatasetPatchBuilder(urn).remove_tag(tag.tag).build(),
    ):
        for mcp in patch:
            graph.emit_mcp(mcp)
    assert [o.owner for o in graph.get_ownership(urn).owners] == [ADA]
    assert graph.get_tags(urn).tags == []
    assert [u.dataset for u in graph.get_aspect(urn, models.UpstreamLineageClass).upstreams] == [UPSTREAM]


def test_refused_write(graph):
    bad = models.OwnershipClass(owners=[models.OwnerClass(owner="not a urn", type="DATAOWNER")])
    with pytest.raises(OperationalError) as failure:
        emit(graph, DATASET, bad)
    assert "not a urn" in str(failure.value)


def test_listing(graph):
    urns = list(graph.list_all_entity_urns("dataset", 0, 10_000))
    assert DATASET in urns and urns == sorted(urns)
    assert graph.get_aspect_counts("datasetProperties", "urn:li:dataset:%client.orders%") == 1


def test_timeline(graph, datahub):
    urn = builder.make_dataset_urn("hive", "client.timeline", "PROD")
    emit(graph, urn, models.DatasetPropertiesClass(description="first"))
    emit(graph, urn, models.DatasetPropertiesClass(description="second"))
    emit(graph, urn, models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:client")]))
    told = datahub("timeline", "--urn", urn, "-c", "documentation", "-c", "tag")
    assert "ADD DOCUMENTATION" in told and "MODIFY DOCUMENTATION" in told, told
    assert "ADD TAG" in told and "urn:li:tag:client" in told, told
    assert "0.0.0-computed" in told and "0.2.0-computed" in told, told
    raw = datahub("timeline", "--urn", urn, "-c", "documentation", "--raw", "--verbose")
    transactions = json.loads(raw[raw.index("[") :])
    assert transactions[1]["rawDiff"] == [{"op": "replace", "path": "/datasetProperties/description", "value": "second"}], transactions
