"""Graphs of other programs for `lorelite import`, and for them by `lorelite export`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lorelite.blocking import Wiki
from lorelite.cli.arguments import DEFAULT_NAMESPACE
from lorelite.cli.output import complain, plural, say, say_json
from lorelite.errors import CannotOpen, InvalidOption
from lorelite.records import UpsertReport

if TYPE_CHECKING:
    from lorelite.interchange.graph_export import GraphFormat

Export = Callable[[Wiki, argparse.Namespace], int]
Import = Callable[[Wiki, argparse.Namespace], int]


def check_import(kind: str, given: argparse.Namespace) -> None:
    """Raises InvalidOption for options that a graph cannot be taken in with: none is passed over in silence."""
    for option in ("merge", "dry_run", "embedding_model", "table_prefix"):
        if getattr(given, option):
            name = f"--{option.replace('_', '-')}"
            raise InvalidOption(name, "a dump or a wiki; a graph is taken in without it", given.path)
    if given.nodes is not None and kind != "graph":
        raise InvalidOption("--nodes", "a table of edges", given.path)


def _import_graph(wiki: Wiki, given: argparse.Namespace) -> int:
    return _told(given, wiki.import_graph(_namespace(given), given.path, nodes=given.nodes))


def _import_replies(wiki: Wiki, given: argparse.Namespace) -> int:
    return _told(given, wiki.import_replies(_namespace(given), given.path))


def _import_graphrag(wiki: Wiki, given: argparse.Namespace) -> int:
    found = wiki.import_graphrag(_namespace(given), given.path)
    if given.json:
        say_json(found)
        return 0
    say(
        f"{given.path}: {plural(found.documents, 'document')}, {plural(found.chunks, 'chunk')}, "
        f"{plural(found.entities, 'entity')}, {plural(found.relations, 'relation')}, "
        f"{plural(found.communities, 'community')}, {plural(found.reports, 'report')}"
    )
    for problem in found.problems:
        complain(problem)
    return 0


def _told(given: argparse.Namespace, report: UpsertReport) -> int:
    if given.json:
        say_json(report)
    elif not report.nodes_written:
        say(f"{given.path}: unchanged")
    else:
        say(f"{given.path}: {plural(report.nodes_written, 'node')}, {plural(report.edges_written, 'edge')} written")
    return 0


def _namespace(given: argparse.Namespace) -> str:
    return given.namespace or DEFAULT_NAMESPACE


def _export(format: GraphFormat, wiki: Wiki, given: argparse.Namespace) -> int:
    report = wiki.export_graph(_namespace(given), format, path=given.path, chunks=given.chunks)
    if given.json:
        say_json({"path": report.path, "format": format, "size_bytes": report.size_bytes})
    else:
        say(f"{report.path}: {report.size_bytes / 1e6:,.2f} MB")
    return 0


def _export_csv(wiki: Wiki, given: argparse.Namespace) -> int:
    """Two tables in a folder, which is made."""
    if not given.path:
        raise CannotOpen(given.path, "expected a folder")
    folder = Path(given.path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotOpen(given.path, f"the folder cannot be made: {error.strerror or error}") from error
    sizes = {}
    for name in ("nodes.csv", "edges.csv"):
        report = wiki.export_graph(_namespace(given), name, path=folder / name, chunks=given.chunks)
        sizes[name] = report.size_bytes
    if given.json:
        say_json({"path": given.path, "format": "csv", "size_bytes": sum(sizes.values())})
    else:
        say(f"{given.path}: {', '.join(sizes)}")
    return 0


EXPORTS: Mapping[str, Export] = {
    "graphml": partial(_export, "graphml"),
    "json": partial(_export, "json"),
    "cypher": partial(_export, "cypher"),
    "csv": _export_csv,
}
IMPORTS: Mapping[str, Import] = {"graph": _import_graph, "graphrag": _import_graphrag, "replies": _import_replies}
