"""The server of the Model Context Protocol, as the SDK's own client finds it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lorelite import AsyncWiki, Wiki
from lorelite.cli.main import main
from lorelite.tools import tool_definitions

pytestmark = pytest.mark.cpython_only
sdk = pytest.importorskip("mcp", reason="the extra mcp is not installed")

NS = "class"
TEXT = "Heron Lock was built in 1811. Ada Marsh keeps Heron Lock."


def asked(use: Callable[[Any], Awaitable[Any]], **chosen: Any) -> Any:
    """What *use* gives for a client of a server over a small wiki."""
    from lorelite.mcp import server_for

    async def run() -> Any:
        async with await AsyncWiki.open(":memory:") as wiki:
            await wiki.ingest_document(NS, source_ref="notes/lock.txt", text=TEXT)
            await wiki.write(NS, title="Eels", body="sleep by day")
            await wiki.write("secret", title="Secret")
            server = server_for(wiki, **({"scopes": ("read", "write"), "namespaces": [NS]} | chosen))
            async with sdk.Client(server) as client:
                return await use(client)

    return asyncio.run(run())


def test_the_client_sees_the_tools_of_the_scopes():
    found = asked(lambda client: client.list_tools()).tools
    wanted = tool_definitions(scopes=("read", "write"), namespaces=[NS])
    assert [(tool.name, tool.description, tool.input_schema) for tool in found] == [
        (tool.name, tool.description, tool.parameters) for tool in wanted
    ]
    assert {tool.name: tool.annotations.read_only_hint for tool in found}["read"]


def test_a_call_reads_and_writes_and_what_is_read_is_fenced():
    async def use(client):
        await client.call_tool("write_fact", {"title": "Otters", "body": "hunt at dusk"})
        return await client.call_tool("read", {"query": "otters"})

    result = asked(use)
    assert not result.is_error
    [content] = result.content
    assert "hunt at dusk" in content.text and content.text.startswith("Text between two lines of equals signs")


def test_a_wrong_call_is_an_error_of_the_tool_and_not_of_the_protocol():
    async def use(client):
        return [await client.call_tool("read", {"limit": 5}), await client.call_tool("forget", {"node_id": "x"})]

    for result in asked(use):
        assert result.is_error and result.content[0].text.startswith("InvalidArguments")


def test_namespaces_and_documents_are_resources():
    async def use(client):
        listed = (await client.list_resources()).resources
        return {str(found.uri): (await client.read_resource(found.uri)).contents[0].text for found in listed}

    found = asked(use)
    assert set(found) == {"lorelite://class", "lorelite://class/notes%2Flock.txt"}
    assert "Eels" in found["lorelite://class"]
    for text in found.values():
        assert text.startswith("Text between two lines of equals signs") and text.endswith("\n========")
    assert found["lorelite://class/notes%2Flock.txt"].splitlines()[2:-1] == [TEXT]


def test_a_namespace_as_a_resource_is_no_longer_than_a_result_may_be():
    async def use(client):
        for number in range(20):
            await client.call_tool("write_fact", {"title": f"Note {number}", "body": "eel " * 300})
        return (await client.read_resource("lorelite://class")).contents[0].text

    assert 2_000 < len(asked(use, token_budget=1_000)) < 6_000


@pytest.mark.parametrize("uri", ["lorelite://secret", "lorelite://class/nowhere", "file:///etc/passwd", "lorelite://"])
def test_a_resource_that_is_not_offered_is_refused(uri):
    async def use(client):
        with pytest.raises(sdk.MCPError, match="not found"):
            await client.read_resource(uri)

    asked(use)


def test_the_command_serves_a_file_over_standard_input_and_output(tmp_path):
    path = str(tmp_path / "brain.db")
    command = sdk.StdioServerParameters(
        command=sys.executable, args=["-m", "lorelite", "mcp", path, "--namespace", NS, "--scopes", "read,write"]
    )

    async def run() -> list[str]:
        async with sdk.Client(command) as client:
            made = await client.call_tool("write_fact", {"title": "Eels", "body": "sleep by day"})
            found = await client.call_tool("read", {"query": "eels"})
            return [made.content[0].text, found.content[0].text]

    assert all("sleep by day" in text for text in asyncio.run(run()))
    with Wiki.open(path) as wiki:
        assert [fact.title for fact in wiki.read(NS, "eels").facts] == ["Eels"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scopes", "everything"], "--scopes: expected one of"),
        (["--scopes", " , "], "--scopes: expected one or more of"),
        (["--read-only", "--scopes", "read,write"], "--scopes: expected read alone"),
        (["--namespace", "a", "--all-namespaces"], "--namespace / --all-namespaces"),
        (["--token-budget", "5"], "--token-budget: expected a whole number of at least 50"),
    ],
)
def test_a_wrong_option_of_the_command_is_told(capsys, options, message):
    assert main(["mcp", *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("is_terminal", [True, False])
def test_whoever_starts_the_server_by_hand_is_told_what_it_waits_for(monkeypatch, capsys, is_terminal):
    served = []
    monkeypatch.setattr("lorelite.mcp.serve_stdio", lambda path, **options: served.append(path))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: is_terminal, raising=False)
    assert main(["mcp", "brain.db"]) == 0
    assert served == ["brain.db"]
    assert ("serving brain.db: a client" in capsys.readouterr().err) == is_terminal


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "lorelite.mcp", raising=False)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 1
    assert "pip install 'lorelite[mcp]'" in capsys.readouterr().err
