"""The command line deletes: by URN, by filter, softly and for good, values of
time series, and what others say."""

import datahub.emitter.mce_builder as builder
import pytest
import requests
from conftest import HEADERS, SERVER, emit, series, settle
from datahub.metadata import schema_classes as models

PLATFORM = "deletable"


def dataset(name, env="PROD"):
    return builder.make_dataset_urn(PLATFORM, f"delete.{name}", env)


def describe(graph, *urns):
    for urn in urns:
        emit(graph, urn, models.DatasetPropertiesClass(description="first"))
        emit(graph, urn, models.DatasetPropertiesClass(description="second"))


def removed(graph, urn):
    status = graph.get_aspect(urn, models.StatusClass)
    return status is not None and status.removed


def found(name):
    settle()
    body = {"input": f'"{name}"', "entity": "dataset", "start": 0, "count": 100}
    answer = requests.post(SERVER + "/entities?action=search", json=body, headers={"X-RestLi-Protocol-Version": "2.0.0", **HEADERS}, timeout=10)
    return [hit["entity"] for hit in answer.json()["value"]["entities"]]


def test_soft_delete_and_return(graph, datahub):
    urn = dataset("softly")
    describe(graph, urn)
    assert "Would delete 1 entities" in datahub("delete", "--urn", urn, "--dry-run")
    assert not removed(graph, urn)
    assert "Soft deleted 1 entities" in datahub("delete", "--urn", urn, "--force")
    assert removed(graph, urn)
    assert urn not in found("softly")
    assert graph.get_aspect(urn, models.DatasetPropertiesClass).description == "second"
    status = graph.get_entity_raw(urn, ["status"])["aspects"]["status"]
    assert status["systemMetadata"]["runId"] == "__datahub-delete-cli"
    emit(graph, urn, models.StatusClass(removed=False))
    assert urn in found("softly")


def test_hard_delete(graph, datahub):
    urn, other = dataset("hard"), dataset("says")
    describe(graph, urn)
    emit(graph, urn, models.DatasetProfileClass(timestampMillis=1000, rowCount=1))
    emit(graph, other, models.UpstreamLineageClass(upstreams=[models.UpstreamClass(dataset=urn, type="TRANSFORMED")]))
    assert "Would delete 1 entities" in datahub("delete", "--urn", urn, "--hard", "--dry-run")
    assert graph.exists(urn)
    told = datahub("delete", "--urn", urn, "--hard", "--force")
    # key, browse paths twice, platform instance and two versions of the properties
    assert "Hard deleted 1 entities (impacts 6 versioned rows and 1 timeseries aspect rows)" in told, told
    assert not graph.exists(urn)
    assert graph.get_aspect(urn, models.DatasetPropertiesClass) is None
    assert graph.get_latest_timeseries_value(urn, models.DatasetProfileClass, {}) is None
    assert urn not in found("hard")
    # What the other says stays, about an entity that is not there.
    assert [u.dataset for u in graph.get_aspect(other, models.UpstreamLineageClass).upstreams] == [urn]
    related = list(graph.get_related_entities(urn, ["DownstreamOf"], graph.RelationshipDirection.INCOMING))
    assert [r.urn for r in related] == [other]


@pytest.fixture
def many(graph):
    platform = "urn:li:dataPlatform:" + PLATFORM
    emit(graph, platform, models.DataPlatformInfoClass(name=PLATFORM, type="OTHERS", datasetNameDelimiter="."))
    urns = [dataset(f"many{n}", "DEV") for n in range(4)]
    describe(graph, *urns)
    emit(graph, urns[3], models.StatusClass(removed=True))
    settle()
    return urns


def test_delete_by_filter(graph, datahub, many):
    by = ("delete", "--platform", PLATFORM, "--env", "DEV", "--entity-type", "dataset", "--force")
    told = datahub(*by, "--dry-run")
    assert "Filter matched 3 dataset urn(s)" in told and "Would delete 3 entities" in told, told
    assert not removed(graph, many[0])
    assert "Soft deleted 3 entities" in datahub(*by)
    assert all(removed(graph, urn) for urn in many)
    settle()
    assert "Found no urns to delete" in datahub(*by)
    told = datahub(*by, "--hard", "--only-soft-deleted")
    assert "Hard deleted 4 entities" in told, told
    assert not any(graph.exists(urn) for urn in many)


def test_delete_by_query(graph, datahub):
    urn = dataset("queried")
    emit(graph, urn, models.DatasetPropertiesClass(description="wolframite"))
    settle()
    assert "Filter matched 1 dataset urn(s)" in datahub("delete", "--query", "wolframite", "--hard", "--force")
    assert not graph.exists(urn)


def test_delete_values(graph, datahub):
    urn = dataset("values")
    for day in range(1, 11):
        emit(graph, urn, models.DatasetProfileClass(timestampMillis=1_700_000_000_000 + day * 86_400_000, rowCount=day))
    args = ("delete", "--urn", urn, "--aspect", "datasetProfile", "--start-time", "2023-11-17", "--end-time", "2023-11-20", "--hard", "--force")
    assert "unknown number of timeseries aspect rows" in datahub(*args, "--dry-run")
    told = datahub(*args)
    assert "and 3 timeseries aspect rows" in told, told
    assert len(series(graph, urn, "datasetProfile")) == 7
    assert graph.exists(urn)


def test_delete_references(graph, datahub):
    tag = builder.make_tag_urn("delete-references")
    tagged, other = dataset("tagged"), dataset("twice")
    emit(graph, tag, models.TagPropertiesClass(name="to go"))
    emit(graph, tagged, models.GlobalTagsClass(tags=[models.TagAssociationClass(tag)]))
    emit(graph, other, models.GlobalTagsClass(tags=[models.TagAssociationClass(tag), models.TagAssociationClass("urn:li:tag:stays")]))
    told = datahub("delete", "references", "--urn", tag, "--dry-run")
    assert f"Found 2 references to {tag}" in told, told
    relationship, entity, aspect = next(line for line in told.splitlines() if tagged in line).split()
    assert (relationship, entity, aspect) == ("TaggedWith", tagged, "globalTags")
    assert [t.tag for t in graph.get_tags(tagged).tags] == [tag]
    datahub("delete", "references", "--urn", tag, "--force")
    assert graph.get_tags(tagged) is None
    assert [t.tag for t in graph.get_tags(other).tags] == ["urn:li:tag:stays"]
    assert graph.exists(tag)
    assert f"No references to {tag} found" in datahub("delete", "references", "--urn", tag, "--force")


def test_hard_delete_of_a_tag_takes_its_references(graph, datahub):
    tag, tagged = builder.make_tag_urn("delete-whole"), dataset("whole")
    emit(graph, tag, models.TagPropertiesClass(name="to go"))
    emit(graph, tagged, models.GlobalTagsClass(tags=[models.TagAssociationClass(tag)]))
    told = datahub("delete", "--urn", tag, "--hard", "--force")
    assert "cleaned up 1 referenced entities" in told, told
    assert not graph.exists(tag)
    assert graph.get_tags(tagged) is None


def test_delete_by_registry(graph, datahub):
    told = datahub("delete", "by-registry", "--registry-id", "nobodys-model:0.0.1", "--dry-run")
    assert "0 entities with 0 rows will be affected" in told, told
