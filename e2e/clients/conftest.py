"""The checks of docs/clients.md: what a client does against a running server.

Every test is one row. It is marked with the group and the text of the row; the
plugin e2e/rows.py reports the outcomes."""

import importlib.metadata
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
# The token of a server with authentication, or None, and the header that shows it.
TOKEN = os.environ.get("DATAHUB_GMS_TOKEN")
HEADERS = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
CLIENT = importlib.metadata.version("acryl-datahub")
TODAY = int(CLIENT.split(".")[0]) >= 1


def check(group, text, since_1=False, ends="works"):
    """Marks a test as a row; since_1: clients before 1.0 do not have the feature; ends: the
    outcome of a test that shows a failure of the client itself."""

    def mark(test):
        test = pytest.mark.check(group, text, CLIENT, ends=ends)(test)
        return pytest.mark.skipif(since_1 and not TODAY, reason="not in this client")(test)

    return mark


def settle():
    """Waits until the search index lacks nothing."""
    for _ in range(1200):
        if requests.get(SERVER + "/index", headers=HEADERS, timeout=10).json()["lag"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError("the search index does not catch up")


def emit(graph, urn, *aspects):
    for aspect in aspects:
        graph.emit_mcp(MetadataChangeProposalWrapper(entityUrn=urn, aspect=aspect))


def dataset(name, platform="hive"):
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},checks.{name},PROD)"


def schema(*columns):
    return models.SchemaMetadataClass(
        schemaName="s", platform="urn:li:dataPlatform:hive", version=0, hash="", platformSchema=models.OtherSchemaClass(rawSchema=""),
        fields=[models.SchemaFieldClass(fieldPath=c, nativeDataType="text", type=models.SchemaFieldDataTypeClass(type=models.StringTypeClass())) for c in columns],
    )


@pytest.fixture(scope="session")
def graph():
    return DataHubGraph(DatahubClientConfig(server=SERVER, token=TOKEN))


@pytest.fixture(scope="session")
def client():
    """The client of the SDK, made from the environment: then it chooses its transport."""
    from datahub.sdk import DataHubClient

    os.environ["DATAHUB_GMS_URL"] = SERVER
    return DataHubClient.from_env()


@pytest.fixture
def datahub(tmp_path):
    """Runs the command line and returns what it printed."""

    def run(*args, ok=True):
        command = [str(pathlib.Path(sys.executable).parent / "datahub"), *args]
        env = {**os.environ, "DATAHUB_GMS_URL": SERVER, "DATAHUB_TELEMETRY_ENABLED": "false", "HOME": str(tmp_path)}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        if ok:
            assert done.returncode == 0, f"{args}: {done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        return done.stdout

    return run


@pytest.fixture
def recipe(datahub, tmp_path):
    """Runs an ingestion recipe and returns its report."""

    def run(source, sink=None, **more):
        path = tmp_path / "recipe.yml"
        path.write_text(json.dumps({"source": source, "sink": {"type": "datahub-rest", "config": {"server": SERVER, "token": TOKEN, **(sink or {})}}, **more}))
        report = datahub("ingest", "-c", str(path))
        # A source may warn of what it found; the sink must not have failed.
        assert "Pipeline finished" in report and report.rindex("'failures': []") > report.index("Sink ("), report[-3000:]
        return report

    return run
