"""Fixtures of the tests that drive a running server with the real client."""

import os
import pathlib
import subprocess
import sys

import pytest
from datahub.ingestion.graph.client import DatahubClientConfig, DataHubGraph

SERVER = os.environ["HEADWATER_URL"]


@pytest.fixture(scope="session")
def graph() -> DataHubGraph:
    return DataHubGraph(DatahubClientConfig(server=SERVER))


@pytest.fixture
def datahub(tmp_path):
    """Runs the client's command line and returns what it printed."""

    def run(*args: str, check: bool = True) -> str:
        command = [str(pathlib.Path(sys.executable).parent / "datahub"), *args]
        env = {**os.environ, "DATAHUB_GMS_URL": SERVER, "DATAHUB_TELEMETRY_ENABLED": "false", "HOME": str(tmp_path)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
        if check:
            assert done.returncode == 0, f"{args}: {done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def recipe(datahub, tmp_path):
    """Runs an ingestion recipe into the server and returns the report."""

    def run(source: dict) -> str:
        import json

        path = tmp_path / "recipe.yml"
        path.write_text(json.dumps({"source": source, "sink": {"type": "datahub-rest", "config": {"server": SERVER}}}))
        report = datahub("ingest", "-c", str(path))
        assert "Pipeline finished successfully" in report, report
        return report

    return run
