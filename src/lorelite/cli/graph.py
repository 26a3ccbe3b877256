"""`lorelite graph`: the neighbourhood of a node or several, or how two of them are connected."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lorelite import options
from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, command, namespace
from lorelite.cli.output import complain, say, say_json
from lorelite.errors import InvalidOption, NotFound
from lorelite.records import Graph
from lorelite.text.render import format_graph_context
from lorelite.text.title_key import title_key


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(commands, "graph", run, "walk the graph from a node")
    made.add_argument("node", metavar="NODE-OR-TITLE", nargs="+", help="the ids or titles of nodes to set out from")
    made.add_argument("--to", metavar="NODE-OR-TITLE", help="a shortest path from the node to this one, instead")
    made.add_argument("--weighted", action="store_true", help="with --to: prefer strong edges to few")
    made.add_argument("--query", metavar="TEXT", help="take what fits this text first")
    made.add_argument(
        "--depth", metavar="N", type=int, help="how many edges away, 1 to 3 (default: 1); with --to 1 to 100 (6)"
    )
    made.add_argument("--direction", choices=("both", "inbound", "outbound"), help="edges to follow (default: both)")
    made.add_argument("--edge-type", metavar="TYPE", action="append", help="only edges of this type; may be repeated")
    made.add_argument("--max-nodes", metavar="N", type=int, help="at most N nodes (default: 20)")


def run(given: argparse.Namespace) -> int:
    """Print the Graph around the nodes, or of the path. Raises NotFound when no node has this id or title."""
    if given.max_nodes is not None:
        options.whole_number("--max-nodes", given.max_nodes, 1)
    for title in given.node:
        options.node_id("NODE-OR-TITLE", title)
    if given.to is None and given.weighted:
        raise InvalidOption("--weighted", "nothing, or --to NODE-OR-TITLE with it", True)
    if given.to is not None and len(given.node) > 1:
        raise InvalidOption("NODE-OR-TITLE", "one node to set out from where --to names the other end", given.node)
    if given.to is not None and (given.query is not None or given.max_nodes is not None):
        raise InvalidOption("--to", "no --query and no --max-nodes beside it", given.query or given.max_nodes)
    with Wiki.open(given.db, read_only=True) as wiki:
        sources = [_found(wiki, namespace(given), node) for node in given.node]
        if given.to is None:
            graph = _walk(wiki, given, sources)
        else:
            graph = _path(wiki, given, sources[0], _found(wiki, namespace(given), given.to))
    if given.json:
        say_json(graph)
    elif not graph.nodes:
        say("no path" if not graph.truncated else "no path was found before the search became too wide")
    elif given.to is not None:
        say(*_path_lines(graph))
    else:
        say(format_graph_context(graph))
        if graph.truncated:
            complain(f"more than {len(graph.nodes)} nodes are there; --max-nodes shows more")
    return 0


def _walk(wiki: Wiki, given: argparse.Namespace, sources: Sequence[str]) -> Graph:
    return wiki.traverse_graph(
        namespace(given),
        source_id=sources,
        max_depth=1 if given.depth is None else given.depth,
        direction=given.direction,
        edge_types=given.edge_type,
        max_nodes=given.max_nodes,
        query=given.query,
    )


def _path(wiki: Wiki, given: argparse.Namespace, source: str, target: str) -> Graph:
    return wiki.shortest_path(
        namespace(given),
        source_id=source,
        target_id=target,
        max_depth=6 if given.depth is None else given.depth,
        direction=given.direction or "both",
        edge_types=given.edge_type,
        weighted=given.weighted,
    )


def _path_lines(graph: Graph) -> list[str]:
    """Each node, and between two the edge as it points."""
    first, *others = graph.nodes
    lines = [f"{first.title} (ID: {first.id})"]
    for node, edge in zip(others, graph.edges, strict=True):
        crossed = f"-[{edge.edge_type}]->" if edge.target_id == node.id else f"<-[{edge.edge_type}]-"
        lines.append(f"  {crossed} {node.title} (ID: {node.id})")
    return lines


def _found(wiki: Wiki, name: str, node: str) -> str:
    """The id of the node with this id or title."""
    if wiki.traverse_graph(name, source_id=node, max_nodes=1, edge_types=[]).nodes:
        return node
    return _titled(wiki, name, node)


def _titled(wiki: Wiki, name: str, title: str) -> str:
    """The id of the node with this title, entities before facts before chunks; titles compare as mentions do."""
    found = wiki.read(name, title, max_results=50, kinds=("entity", "fact", "chunk")).facts
    matching = [node for node in found if title_key(node.title) == title_key(title)]
    for kind in ("entity", "fact", "chunk"):
        for node in matching:
            if node.kind == kind:
                return node.id
    near = ", ".join(dict.fromkeys(repr(node.title) for node in found[:5]))
    raise NotFound("node", title, f"did you mean {near}?" if near else "lorelite search finds nodes by their words")
