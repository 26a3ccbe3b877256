"""The memory as a server of the Model Context Protocol, over standard input and output.

Needs the extra `mcp`, the official SDK: `pip install 'lorelite[mcp]'`. Only the command `lorelite mcp` imports it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from urllib.parse import quote, unquote

from mcp import types
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from lorelite import __version__
from lorelite.errors import LoreliteError, NotFound
from lorelite.ports import ChatModel, Embedder
from lorelite.prompts.fence import NOTICE
from lorelite.text.render import format_context
from lorelite.tools import Scope, Tool, dispatch_tool, tool_definitions, tool_text
from lorelite.tools.definitions import checked_namespaces
from lorelite.tools.dispatch import DEFAULT_TOKEN_BUDGET, fenced
from lorelite.wiki import AsyncWiki

_SCHEME = "lorelite://"
_INSTRUCTIONS = (
    "A long-term memory: facts with their history, entities and relations, documents with citations, tasks and "
    "events. Search it before you answer from memory of your own, and write down what will matter later. " + NOTICE
)
_MAX_RESOURCES = 1_000


def server_for(
    wiki: AsyncWiki,
    *,
    scopes: Iterable[Scope] = ("read",),
    namespaces: Iterable[str] | None = None,
    token_budget: int = DEFAULT_TOKEN_BUDGET,
) -> Server[dict[str, object]]:
    """A server of the SDK that offers the tools of these scopes and namespaces and, with the scope "read", each
    namespace and each document as a resource. The caller runs it, and closes the wiki."""
    scopes, allowed = tuple(scopes), checked_namespaces(namespaces)
    tools = tool_definitions(scopes=scopes, namespaces=allowed)
    resources = _Resources(wiki, allowed, token_budget)

    async def list_tools(_: ServerRequestContext, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared(tool) for tool in tools])

    async def call_tool(_: ServerRequestContext, called: types.CallToolRequestParams) -> types.CallToolResult:
        result = await dispatch_tool(
            wiki, called.name, called.arguments, scopes=scopes, namespaces=allowed, token_budget=token_budget
        )
        return types.CallToolResult(content=[types.TextContent(text=tool_text(result))], is_error=not result["ok"])

    async def list_resources(
        _: ServerRequestContext, __: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=await resources.listed())

    async def read_resource(
        _: ServerRequestContext, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text = fenced(await resources.text(asked.uri))
        except LoreliteError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=asked.uri, text=text)])

    may_read = "read" in scopes
    return Server(
        "lorelite",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources if may_read else None,
        on_read_resource=read_resource if may_read else None,
    )


def serve_stdio(
    path: str,
    *,
    model: ChatModel | None = None,
    embedder: Embedder | None = None,
    read_only: bool = False,
    scopes: Iterable[Scope] = ("read",),
    namespaces: Iterable[str] | None = None,
    token_budget: int = DEFAULT_TOKEN_BUDGET,
) -> None:
    """Open the file and serve it until the client goes away."""

    async def serve() -> None:
        async with await AsyncWiki.open(path, model=model, embedder=embedder, read_only=read_only) as wiki:
            server = server_for(wiki, scopes=scopes, namespaces=namespaces, token_budget=token_budget)
            async with stdio_server() as (requests, replies):
                await server.run(requests, replies, server.create_initialization_options())

    asyncio.run(serve())


class _Resources:
    """lorelite://NAMESPACE is what a namespace remembers, lorelite://NAMESPACE/SOURCE_REF the text of a document."""

    def __init__(self, wiki: AsyncWiki, namespaces: list[str] | None, token_budget: int) -> None:
        self._wiki = wiki
        self._namespaces = namespaces
        self._token_budget = token_budget

    async def listed(self) -> list[types.Resource]:
        found: list[types.Resource] = []
        for namespace in await self._names():
            found.append(
                types.Resource(
                    uri=_uri(namespace),
                    name=namespace,
                    description="Facts, open tasks and recent events.",
                    mime_type="text/markdown",
                )
            )
            for document in await self._wiki.list_source_refs(namespace):
                found.append(
                    types.Resource(
                        uri=_uri(namespace, document.source_ref),
                        name=document.source_ref,
                        description=f"A document of {namespace}.",
                        mime_type="text/plain",
                    )
                )
        return found[:_MAX_RESOURCES]

    async def text(self, uri: str) -> str:
        namespace, _, source_ref = uri.removeprefix(_SCHEME).partition("/")
        namespace = unquote(namespace)
        if not uri.startswith(_SCHEME) or namespace not in await self._names():
            raise NotFound("resource", uri, "resources/list names those that are there")
        if source_ref:
            return await self._wiki.get_document(namespace, unquote(source_ref))
        bundle = await self._wiki.read(namespace, "", max_results=50, token_budget=self._token_budget)
        return format_context(bundle, max_facts=50, max_tasks=50, max_events=20)

    async def _names(self) -> list[str]:
        """Allowed namespaces that are there."""
        names = await self._wiki.list_namespaces()
        return names if self._namespaces is None else [name for name in names if name in self._namespaces]


def _uri(*parts: str) -> str:
    return _SCHEME + "/".join(quote(part, safe="") for part in parts)


def _declared(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.parameters),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.scope == "read", destructive_hint=tool.scope == "forget", open_world_hint=False
        ),
    )
