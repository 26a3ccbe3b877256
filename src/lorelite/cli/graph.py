"""`lorelite graph`: the neighbourhood of a node."""

from __future__ import annotations

import argparse

from lorelite import options
from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, command, namespace
from lorelite.cli.output import complain, say, say_json
from lorelite.errors import NotFound
from lorelite.records import Graph
from lorelite.text.render import format_graph_context
from lorelite.text.title_key import title_key


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(commands, "graph", run, "walk the graph from a node")
    made.add_argument("node", metavar="NODE-OR-TITLE", help="the id of a node, or its title")
    made.add_argument("--depth", metavar="N", type=int, default=1, help="how many edges away, 1 to 3 (default: 1)")
    made.add_argument("--direction", choices=("both", "inbound", "outbound"), help="edges to follow (default: both)")
    made.add_argument("--edge-type", metavar="TYPE", action="append", help="only edges of this type; may be repeated")
    made.add_argument("--max-nodes", metavar="N", type=int, help="at most N nodes (default: 20)")


def run(given: argparse.Namespace) -> int:
    """Print the Graph around the node. Raises NotFound when no node has this id or title."""
    if given.max_nodes is not None:
        options.whole_number("--max-nodes", given.max_nodes, 1)
    options.node_id("NODE-OR-TITLE", given.node)
    with Wiki.open(given.db, read_only=True) as wiki:
        graph = _walk(wiki, given, given.node)
        if not graph.nodes:
            graph = _walk(wiki, given, _titled(wiki, namespace(given), given.node))
    if given.json:
        say_json(graph)
    else:
        say(format_graph_context(graph))
        if graph.truncated:
            complain(f"more than {len(graph.nodes)} nodes are there; --max-nodes shows more")
    return 0


def _walk(wiki: Wiki, given: argparse.Namespace, source_id: str) -> Graph:
    return wiki.traverse_graph(
        namespace(given),
        source_id=source_id,
        max_depth=given.depth,
        direction=given.direction,
        edge_types=given.edge_type,
        max_nodes=given.max_nodes,
    )


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
