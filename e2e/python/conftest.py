"""Fixtures of the tests that drive a running server with the real client."""

import json
import os
import signal
import sys
import tempfile
import time
import traceback

import pytest
import requests
from datahub import entrypoints as client
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.ingestion.graph.client import DatahubClientConfig, DataHubGraph
from datahub.metadata import schema_classes as models

SERVER = os.environ["HEADWATER_URL"]
# The token of a server with authentication, or None, and the header that shows it.
TOKEN = os.environ.get("DATAHUB_GMS_TOKEN")
HEADERS = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}


def settle():
    """Waits until the search index lacks nothing."""
    for _ in range(600):
        if requests.get(SERVER + "/index", headers=HEADERS, timeout=10).json()["lag"] == 0:
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
    return DataHubGraph(DatahubClientConfig(server=SERVER, token=TOKEN))


def command_line(args):
    """Is the client's command line, in a process that has loaded its modules already."""
    sys.argv = ["datahub", *args]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
    try:
        client.main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


@pytest.fixture
def datahub(tmp_path):
    """Runs the client's command line and returns what it printed. Each run is a process of its
    own, made by forking: to load the modules takes longer than most commands."""

    def run(*args: str, check: bool = True) -> str:
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = os.fork()
            if child == 0:
                signal.alarm(300)
                for file, number in ((out, 1), (err, 2)):
                    os.dup2(file.fileno(), number)
                os.chdir(tmp_path)
                os.environ.update(DATAHUB_GMS_URL=SERVER, DATAHUB_TELEMETRY_ENABLED="false", HOME=str(tmp_path))
                os._exit(command_line(args))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            err.seek(0)
            printed = out.read()
            assert not check or code == 0, f"{args}: {code}: {printed}\n{err.read()}"
            return printed

    return run


@pytest.fixture
def recipe(datahub, tmp_path):
    """Runs an ingestion recipe into the server and returns the report."""

    def run(source: dict, **more) -> str:
        path = tmp_path / "recipe.yml"
        path.write_text(json.dumps({"source": source, "sink": {"type": "datahub-rest", "config": {"server": SERVER, "token": TOKEN}}, **more}))
        report = datahub("ingest", "-c", str(path))
        assert "Pipeline finished successfully" in report, report
        return report

    return run
