"""Fixtures of the tests that drive a running server with the real client."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest
import requests
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.graph.client import DatahubClientConfig, DataHubGraph
from datahub.metadata import schema_classes as models

SERVER = os.environ["HEADWATER_URL"]


def settle():
    """Waits until the search index lacks nothing."""
    for _ in range(600):
        if requests.get(SERVER + "/index", timeout=10).json()["lag"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError("the search index does not catch up")


def emit(graph, urn, aspect, run_id=None):
    """Writes an aspect, in a run."""
    system = models.SystemMetadataClass(lastObserved=1, runId=run_id) if run_id else None
    graph.emit_mcp(MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect, systemMetadata=system))


def series(graph, urn, aspect):
    """The values of a time series."""
    answer = graph._post_generic(
        f"{graph.config.server}/aspects?action=getTimeseriesAspectValues", {"urn": urn, "entity": urn.split(":")[2], "aspect": aspect}
    )
    return [json.loads(v["aspect"]["value"]) for v in answer["value"]["values"]]


@pytest.fixture(scope="session")
def graph() -> DataHubGraph:
    return DataHubGraph(DatahubClientConfig(server=SERVER))


@pytest.fixture
def datahub(tmp_path):
    """Runs the client's command line and returns what it printed."""

    def run(*args: str, check: bool = True) -> str:
        command = [str(pathlib.Path(sys.executable).parent / "datahub"), *args]
        env = {**os.environ, "DATAHUB_GMS_URL": SERVER, "DATAHUB_TELEMETRY_ENABLED": "false", "HOME": str(tmp_path)}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        if check:
            assert done.returncode == 0, f"{args}: {done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def recipe(datahub, tmp_path):
    """Runs an ingestion recipe into the server and returns the report."""

    def run(source: dict, **more) -> str:
        path = tmp_path / "recipe.yml"
        path.write_text(json.dumps({"source": source, "sink": {"type": "datahub-rest", "config": {"server": SERVER}}, **more}))
        report = datahub("ingest", "-c", str(path))
        assert "Pipeline finished successfully" in report, report
        return report

    return run
