"""The official MCP server: with a token over stdio, and over HTTP with the token of each caller."""

import contextlib
import os
import socket
import subprocess
import time

import anyio
import pytest
import requests
from conftest import ADMIN, BIN, SERVER, TOKEN, WITH_MCP, ask, check

if not WITH_MCP:
    pytest.skip("the official MCP server is not installed", allow_module_level=True)

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("DATAHUB_", "HEADWATER_"))}
ENVIRONMENT.update(DATAHUB_GMS_URL=SERVER, DATAHUB_TELEMETRY_ENABLED="false")


@contextlib.asynccontextmanager
async def over_stdio(log, **environment):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=str(BIN / "mcp-server-datahub"), env={**ENVIRONMENT, "TOOLS_IS_USER_ENABLED": "true", **environment})
    async with stdio_client(server, errlog=log) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@contextlib.asynccontextmanager
async def over_http(url, token):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with streamablehttp_client(url, headers=headers) as (read, write, _), ClientSession(read, write) as session:
        await session.initialize()
        yield session


@pytest.fixture(scope="module")
def http():
    """The address of a process of the MCP server over HTTP, which has no token of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**ENVIRONMENT, "TOOLS_IS_USER_ENABLED": "true", "FASTMCP_PORT": str(port), "FASTMCP_HOST": "127.0.0.1"}
    process = subprocess.Popen([str(BIN / "mcp-server-datahub-http")], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(requests.ConnectionError):
                if requests.get(f"http://127.0.0.1:{port}/health", timeout=5).ok:
                    break
            assert process.poll() is None, "the MCP server has ended"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


async def who(session):
    """The user that the tool get_me names."""
    result = await session.call_tool("get_me", {})
    assert not result.isError, result
    return result.content[0].text


@check("over stdio with DATAHUB_GMS_TOKEN")
def test_stdio(tmp_path):
    async def run():
        with (tmp_path / "log").open("w") as log:
            async with over_stdio(log, DATAHUB_GMS_TOKEN=TOKEN) as session:
                return await who(session)

    assert f"urn:li:corpuser:{ADMIN}" in anyio.run(run)


@check("over HTTP with the caller's token")
def test_http(http):
    account = ask("mutation { createServiceAccount(input: {displayName: \"agent\"}) { urn } }")["createServiceAccount"]["urn"]
    made = ask("mutation m($in: CreateAccessTokenInput!) { createAccessToken(input: $in) { accessToken } }", **{"in": {
        "type": "SERVICE_ACCOUNT", "actorUrn": account, "duration": "ONE_DAY", "name": "agent",
    }})

    async def run(token):
        async with over_http(http, token) as session:
            return await who(session)

    assert f"urn:li:corpuser:{ADMIN}" in anyio.run(run, TOKEN)
    assert account in anyio.run(run, made["createAccessToken"]["accessToken"])


@check("over HTTP, callers without a token or with a wrong one are refused")
@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {TOKEN[:-4]}AAAA"}])
def test_http_refused(http, header):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert requests.post(http, json=call, headers={"Accept": "application/json, text/event-stream", **header}, timeout=60).status_code == 401


@check("over HTTP, a revoked token is refused")
def test_http_revoked(http):
    made = ask("mutation m($in: CreateAccessTokenInput!) { createAccessToken(input: $in) { accessToken metadata { id } } }", **{"in": {
        "type": "PERSONAL", "actorUrn": f"urn:li:corpuser:{ADMIN}", "duration": "ONE_DAY", "name": "revoked",
    }})["createAccessToken"]

    async def run():
        async with over_http(http, made["accessToken"]) as session:
            before = await who(session)
            ask("mutation m($id: String!) { revokeAccessToken(tokenId: $id) }", id=made["metadata"]["id"])
            for _ in range(40):
                result = await session.call_tool("get_me", {})
                if result.isError or "401" in result.content[0].text:
                    return before
                await anyio.sleep(0.1)
            raise AssertionError("a revoked token is accepted")

    assert ADMIN in anyio.run(run)
