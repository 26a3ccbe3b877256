"""`lorelite search`: the nodes that fit a query."""

from __future__ import annotations

import argparse

from lorelite import options
from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, add_embedder, command, embedder_for, namespace
from lorelite.cli.output import place, say, say_json, shortened
from lorelite.cli.snippet import snippet
from lorelite.records import MemoryBundle

_KINDS = ("fact", "entity", "chunk", "question", "report")


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(commands, "search", run, "find passages, facts and entities by their words, and by meaning")
    made.add_argument("query", metavar="QUERY", help='any words; "in double quotes" they are a phrase')
    made.add_argument("--limit", metavar="N", type=int, default=10, help="at most N results (default: 10)")
    made.add_argument(
        "--strategy",
        choices=("read", "pagerank"),
        default="read",
        help="pagerank: also what the hits lead to, for questions that several documents answer (default: read)",
    )
    made.add_argument(
        "--kind",
        choices=_KINDS,
        action="append",
        help="only this kind of node; may be repeated (default: fact, entity and chunk)",
    )
    made.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible endpoint, for --embedding-model")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Print the MemoryBundle of the query."""
    limit = options.whole_number("--limit", given.limit, 1, 10_000)
    with Wiki.open(given.db, embedder=embedder_for(given, given.db), read_only=True) as wiki:
        search = wiki.read if given.strategy == "read" else wiki.pagerank_search
        bundle = search(namespace(given), given.query, max_results=limit, kinds=given.kind)
    if given.json:
        say_json(bundle)
    else:
        _tell(bundle, given.query)
    return 0


def _tell(bundle: MemoryBundle, query: str) -> None:
    if not bundle.facts:
        say("nothing found")
    for number, node in enumerate(bundle.facts, 1):
        score = bundle.fact_scores.get(node.id)
        flags = f"{node.node_type or node.kind}{'' if score is None else f', score {score:.2f}'}"
        say(f"{number}. {shortened(node.title, 100)}  ({flags})")
        if node.body:
            say(f"   {snippet(node.body, query)}")
        places = [place(citation) for citation in node.citations[:3]]
        more = len(node.citations) - len(places)
        if places:
            say(f"   {', '.join(places)}{f' and {more} more' if more else ''}")
