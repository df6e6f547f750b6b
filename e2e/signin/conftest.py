"""How clients sign in at a server with authentication, and how they use tokens.

Every test is one row of docs/clients.md, reported by the plugin e2e/rows.py. The tests of
the command line run with both clients; those of the official MCP server run where it is
installed."""

import concurrent.futures
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

import pytest
import requests

SERVER, TOKEN = os.environ["HEADWATER_URL"], os.environ["DATAHUB_GMS_TOKEN"]
ADMIN, PASSWORD = os.environ["HEADWATER_ADMIN"], os.environ["HEADWATER_ADMIN_PASSWORD"]
BIN = pathlib.Path(sys.executable).parent
WITH_MCP = importlib.util.find_spec("mcp_server_datahub") is not None
CLIENT = importlib.metadata.version("acryl-datahub") if not WITH_MCP else "mcp-server-datahub " + importlib.metadata.version("mcp-server-datahub")
TODAY = WITH_MCP or int(CLIENT.split(".")[0]) >= 1


def check(text, since_1=False):
    """Marks a test as a row; since_1: clients before 1.0 do not have the feature."""

    def mark(test):
        test = pytest.mark.check("sign-in and tokens", text, CLIENT)(test)
        return pytest.mark.skipif(since_1 and not TODAY, reason="not in this client")(test)

    return mark


def ask(query, token=TOKEN, **variables):
    """The data of a GraphQL operation."""
    answer = requests.post(SERVER + "/api/graphql", json={"query": query, "variables": variables}, headers={"Authorization": f"Bearer {token}"}, timeout=30)
    answer.raise_for_status()
    assert "errors" not in answer.json(), answer.text
    return answer.json()["data"]


def me(token):
    """The URN of a token's user."""
    return ask("{ me { corpUser { urn } } }", token)["me"]["corpUser"]["urn"]


@pytest.fixture
def datahub(tmp_path):
    """Runs the command line without the variables of this process. A prompt reads the typed
    lines, because the command has no terminal."""

    def run(*args, typed="", ok=True, **environment):
        env = {name: value for name, value in os.environ.items() if not name.startswith(("DATAHUB_", "HEADWATER_"))}
        env.update(environment, DATAHUB_TELEMETRY_ENABLED="false", HOME=str(tmp_path))
        done = subprocess.run(
            [str(BIN / "datahub"), *args], env=env, cwd=tmp_path, input=typed, capture_output=True, text=True, timeout=300, start_new_session=True
        )
        told = done.stdout + done.stderr
        assert (done.returncode == 0) == ok, f"{args}: {done.returncode}: {told[-3000:]}"
        return told

    return run


class Browser:
    """The browser that `datahub init --sso` opens: Chromium of the machine, in the place where Playwright expects
    its own, without a window. Somebody else may look into it by a port."""

    def __init__(self, place):
        from playwright.sync_api import sync_playwright

        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        assert chromium, "init --sso needs Chromium: apt-get install chromium"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = {"PLAYWRIGHT_BROWSERS_PATH": str(place)}
        with sync_playwright() as p:
            usual = pathlib.Path(p.chromium.executable_path).parts
        program = place.joinpath(*usual[usual.index("ms-playwright") + 1 :])
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec {chromium} --headless=new --no-sandbox --remote-debugging-port={self.port} "$@"\n')
        program.chmod(0o755)

    @contextlib.contextmanager
    def person(self, name, password):
        """Somebody who signs in on the page that the browser shows."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            signing = pool.submit(self._sign_in, name, password)
            yield
            signing.result(60)

    def _sign_in(self, name, password):
        from playwright.sync_api import sync_playwright

        with sync_playwright() as p:
            page = self._page(p)
            page.get_by_label("User name").fill(name)
            page.get_by_label("Password").fill(password)
            page.keyboard.press("Enter")

    def _page(self, p):
        for _ in range(600):
            try:
                requests.get(f"http://127.0.0.1:{self.port}/json/version", timeout=5)
                seen = p.chromium.connect_over_cdp(f"http://127.0.0.1:{self.port}")
                for page in (page for context in seen.contexts for page in context.pages if page.url.startswith(SERVER)):
                    return page
                seen.close()
            except (requests.ConnectionError, requests.Timeout):
                pass
            time.sleep(0.1)
        raise AssertionError("the browser did not show the server")


@pytest.fixture
def browser(tmp_path):
    return Browser(tmp_path / "browsers")


@pytest.fixture
def written(tmp_path):
    """The token in the file that datahub init writes, and the server."""

    def read():
        for line in (tmp_path / ".datahubenv").read_text().splitlines():
            name, _, value = line.strip().partition(": ")
            if name == "token":
                return value.strip("'\"")
        raise AssertionError("no token was written")

    return read


@pytest.fixture
def records(tmp_path):
    """A file with one tag."""

    def write(urn):
        file = tmp_path / "records.json"
        file.write_text(json.dumps([{
            "entityType": "tag", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "tagProperties", "aspect": {"json": {"name": urn}},
        }]))
        return file

    return write
