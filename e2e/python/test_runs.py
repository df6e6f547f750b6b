"""Ingestion runs on the command line: list, show, roll back."""

import sqlite3

import datahub.emitter.mce_builder as builder
import pytest
from conftest import emit, series
from datahub.metadata import schema_classes as models


def dataset(name):
    return builder.make_dataset_urn("hive", f"runs.{name}", "PROD")


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]


def write(graph, name):
    """A run that made one dataset and changed another, which a run before made;
    a run after wrote something of the new one."""
    old, new = dataset(name + "_old"), dataset(name + "_new")
    emit(graph, old, models.DatasetPropertiesClass(description="before"), name + "-before")
    emit(graph, old, models.OwnershipClass(owners=[models.OwnerClass(owner="urn:li:corpuser:ada", type="DATAOWNER")]), name + "-before")
    emit(graph, old, models.DatasetPropertiesClass(description="wrong"), name)
    emit(graph, old, models.DatasetPropertiesClass(description="worse"), name)
    emit(graph, old, models.OwnershipClass(owners=[models.OwnerClass(owner="urn:li:corpuser:bob", type="DATAOWNER")]), name)
    emit(graph, new, models.DatasetPropertiesClass(description="made"), name)
    emit(graph, new, models.UpstreamLineageClass(upstreams=[models.UpstreamClass(dataset=old, type="TRANSFORMED")]), name)
    emit(graph, new, models.DatasetProfileClass(timestampMillis=1000, rowCount=1), name)
    emit(graph, new, models.GlobalTagsClass(tags=[models.TagAssociationClass("urn:li:tag:after")]), name + "-after")
    return old, new


def as_before(graph, old, name):
    properties = graph.get_entity_raw(old, ["datasetProperties"])["aspects"]["datasetProperties"]
    assert properties["value"] == {"description": "before"} or properties["value"]["description"] == "before"
    assert properties["systemMetadata"]["runId"] == name + "-before"
    assert properties["version"] == 0
    assert [o.owner for o in graph.get_ownership(old).owners] == ["urn:li:corpuser:ada"]
    owned = graph.get_related_entities("urn:li:corpuser:bob", ["OwnedBy"], graph.RelationshipDirection.INCOMING)
    assert old not in [r.urn for r in owned]
    owned = graph.get_related_entities("urn:li:corpuser:ada", ["OwnedBy"], graph.RelationshipDirection.INCOMING)
    assert old in [r.urn for r in owned]


def test_list_and_show(graph, datahub):
    for n in range(15):  # more than the ten that other servers show
        emit(graph, dataset(f"listed{n}"), models.DatasetPropertiesClass(description="x"), f"listed-{n}")
    listed = {row[0]: row for row in cells(datahub("ingest", "list-runs"))}
    assert all(f"listed-{n}" in listed for n in range(15)), listed
    assert listed["listed-3"][1] == "5"
    page = cells(datahub("ingest", "list-runs", "1", "2"))
    assert len(page) == 3  # with the head
    shown = cells(datahub("ingest", "show", "--run-id", "listed-3"))
    assert {row[1] for row in shown[1:]} == {"datasetKey", "datasetProperties", "browsePaths", "browsePathsV2", "dataPlatformInstance"}
    assert '"description": "x"' in datahub("ingest", "show", "--run-id", "listed-3", "--show-aspect")


def test_rollback(graph, datahub):
    old, new = write(graph, "safe-run")
    planned = datahub("ingest", "rollback", "--run-id", "safe-run", "--dry-run")
    assert "will delete 2 entities and will roll back 7 aspects" in planned, planned
    assert graph.get_aspect(old, models.DatasetPropertiesClass).description == "worse"
    told = datahub("ingest", "rollback", "--run-id", "safe-run", "--force")
    assert "deleted 2 entities and rolled back 7 aspects" in told, told
    assert "has hidden 1 aspects related to 1 entities" in told, told
    as_before(graph, old, "safe-run")
    assert graph.get_aspect(new, models.StatusClass).removed
    assert graph.get_aspect(new, models.DatasetPropertiesClass) is None
    assert graph.get_latest_timeseries_value(new, models.DatasetProfileClass, {}) is None
    assert graph.get_tags(new).tags[0].tag == "urn:li:tag:after"
    again = datahub("ingest", "rollback", "--run-id", "safe-run", "--force")
    assert "No entities found" in again, again


def test_rollback_for_good(graph, datahub):
    old, new = write(graph, "nuked-run")
    told = datahub("ingest", "rollback", "--run-id", "nuked-run", "--nuke", "--force")
    assert "deleted 2 entities and rolled back 9 aspects" in told, told
    assert "has deleted 1 aspects related to 1 entities" in told, told
    as_before(graph, old, "nuked-run")
    assert not graph.exists(new)
    assert "nuked-run" not in [row[0] for row in cells(datahub("ingest", "list-runs", "--include-soft-deletes"))]


@pytest.mark.parametrize("run", ["no-run-id-provided"])
def test_refused(datahub, run):
    told = datahub("ingest", "rollback", "--run-id", run, "--force", check=False)
    assert "cannot be rolled back" in told, told


def test_rollback_of_a_recipe(graph, datahub, recipe, tmp_path):
    """What one recipe wrote goes, with the ingestion's own notes."""
    import json

    record = {
        "entityType": "dataset", "entityUrn": dataset("by_recipe"), "changeType": "UPSERT", "aspectName": "datasetProperties",
        "aspect": {"json": {"description": "by a recipe"}},
    }
    file = tmp_path / "records.json"
    file.write_text(json.dumps([record]))
    recipe({"type": "file", "config": {"path": str(file)}}, run_id="recipe-to-roll-back")
    assert graph.exists(dataset("by_recipe"))
    request = "urn:li:dataHubExecutionRequest:recipe-to-roll-back"
    result = graph.get_entity_raw(request, ["dataHubExecutionRequestResult"])["aspects"]["dataHubExecutionRequestResult"]["value"]
    assert result["status"] == "SUCCESS"
    datahub("ingest", "rollback", "--run-id", "recipe-to-roll-back", "--nuke", "--force")
    assert not graph.exists(dataset("by_recipe"))
    result = graph.get_entity_raw(request, ["dataHubExecutionRequestResult"])["aspects"]["dataHubExecutionRequestResult"]["value"]
    assert result["status"] == "ROLLED_BACK"


def test_rollback_of_a_stateful_recipe(graph, datahub, recipe, tmp_path):
    """The run's checkpoint goes with the run: what it found dropped, and hid, is visible again
    until the next run finds it dropped, too."""
    path = tmp_path / "rolled.db"

    def run(number, script):
        with sqlite3.connect(path) as db:
            db.executescript(script)
        recipe(
            {
                "type": "sqlalchemy",
                "config": {
                    "platform": "rolled", "connect_uri": f"sqlite:///{path}", "include_views": True,
                    "stateful_ingestion": {"enabled": True, "remove_stale_metadata": True, "fail_safe_threshold": 100},
                },
            },
            pipeline_name="rolled_sqlite", run_id=f"rolled-{number}",
        )

    def hidden():
        urns = [u for u in graph.list_all_entity_urns("dataset", 0, 10_000) if "dataPlatform:rolled," in u]
        return sorted(u.split(".")[-1].split(",")[0] for u in urns if graph.get_aspect(u, models.StatusClass).removed)

    run(1, "CREATE TABLE t (id INTEGER); CREATE VIEW one AS SELECT id FROM t; CREATE VIEW two AS SELECT id FROM t;")
    assert hidden() == []
    run(2, "DROP VIEW one; DROP VIEW two;")
    assert hidden() == ["one", "two"]
    job = "urn:li:dataJob:(urn:li:dataFlow:(datahub,rolled_sqlite,prod),rolled_stale_entity_removal)"
    assert [c["runId"] for c in series(graph, job, "datahubIngestionCheckpoint")] == ["rolled-2", "rolled-1"]
    listed = {row[0]: row for row in cells(datahub("ingest", "list-runs"))}
    assert "rolled-2" in listed
    datahub("ingest", "rollback", "--run-id", "rolled-2", "--force")
    assert hidden() == []
    assert [c["runId"] for c in series(graph, job, "datahubIngestionCheckpoint")] == ["rolled-1"]
    run(3, "")
    assert hidden() == ["one", "two"]
