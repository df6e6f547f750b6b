"""The official MCP server, unmodified, against a running server of ours.

The tools are called by an MCP client over stdio, one process for all tests. What
they read is written before with the SDK. Every test is one row of docs/clients.md,
reported by the plugin e2e/rows.py."""

import contextlib
import importlib.metadata
import json
import os
import pathlib
import sys
import time

import pytest
import requests
from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

import shop

SERVER = os.environ["HEADWATER_URL"]
# The token of a server with authentication, or None, and the header that shows it.
TOKEN = os.environ.get("DATAHUB_GMS_TOKEN")
HEADERS = {"Authorization": f"Bearer {TOKEN}"} if TOKEN else {}
CLIENT = "mcp-server-datahub " + importlib.metadata.version("mcp-server-datahub")


def check(text):
    """Marks a test as a row."""
    return pytest.mark.check("the official MCP server", text, CLIENT)


def settle():
    """Waits until the search index lacks nothing."""
    for _ in range(1200):
        if requests.get(SERVER + "/index", headers=HEADERS, timeout=10).json()["lag"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError("the search index does not catch up")


@contextlib.asynccontextmanager
async def session_of(log, **environment):
    """An initialised session with a process of the MCP server."""
    command = str(pathlib.Path(sys.executable).parent / "mcp-server-datahub")
    server = StdioServerParameters(command=command, env={**os.environ, "DATAHUB_GMS_URL": SERVER, **environment})
    async with stdio_client(server, errlog=log) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


class Refused(Exception):
    """The error of a tool."""


class Tools:
    """The tools of one process of the MCP server."""

    def __init__(self, portal, session):
        self.portal, self.session = portal, session

    def names(self):
        return sorted(tool.name for tool in self.portal.call(self.session.list_tools).tools)

    def __getattr__(self, name):
        def call(**arguments):
            result = self.portal.call(self.session.call_tool, name, arguments)
            text = result.content[0].text if result.content else ""
            if result.isError:
                raise Refused(text)
            return json.loads(text)

        return call


@pytest.fixture(scope="session")
def graph():
    return shop.fill(SERVER, TOKEN)


@pytest.fixture(scope="session")
def tools(graph, tmp_path_factory):
    """All tools that can be switched on."""
    settle()
    switches = {name: "true" for name in ("TOOLS_IS_MUTATION_ENABLED", "TOOLS_IS_USER_ENABLED", "DATA_QUALITY_TOOLS_ENABLED")}
    log = tmp_path_factory.mktemp("log") / "mcp.log"
    with log.open("w") as out, start_blocking_portal() as portal, portal.wrap_async_context_manager(session_of(out, **switches)) as session:
        yield Tools(portal, session)
