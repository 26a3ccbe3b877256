"""`lorelite export` and `lorelite import`: namespaces, or the whole file, carried over."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

from lorelite.blocking import Wiki
from lorelite.cli import carry_graph
from lorelite.cli.arguments import Commands, command
from lorelite.cli.output import complain, plural, say, say_json
from lorelite.errors import CannotOpen, InvalidOption
from lorelite.interchange.recognising import kind_of
from lorelite.okf import format_okf_bundle, parse_okf_bundle
from lorelite.okf.fields import OURS, Profile
from lorelite.okf.files import read_bundle, write_bundle
from lorelite.reports import ImportReport
from lorelite.site import export_site


def add_to(commands: Commands) -> None:
    """Add both commands."""
    made = command(
        commands,
        "export",
        export,
        "write what the file holds into another",
        "A dump, an OKF bundle and a site hold the namespace that --namespace names, or all; a file is a copy of the "
        "whole. "
        "graphml, json, cypher and csv hold the entities of one namespace (main by default) and their relations.",
        default_namespace="all",
    )
    made.add_argument(
        "what", choices=tuple(_EXPORTS), help="a dump, Markdown files in OKF, the whole file, web pages, or a graph"
    )
    made.add_argument(
        "path",
        metavar="PATH",
        help="the file to write; for okf a new folder or a name ending in .zip, for site a new and for csv a folder",
    )
    made.add_argument("--chunks", action="store_true", help="of a graph: with the chunks and what they mention")
    made.add_argument("--profile", choices=get_args(Profile), default=OURS, help="of OKF; the default loses nothing")
    made.add_argument("--title", metavar="TEXT", default="", help="of a site; the namespace's name if not given")
    made.add_argument("--no-vectors", action="store_true", help="leave the vectors out of a dump")
    made = command(
        commands,
        "import",
        import_,
        "take in a dump, an OKF bundle, a wiki of core-llm-wiki, or a graph of another program",
        "The dump takes the place of what its namespaces hold, unless --merge is given. "
        "--namespace names the namespace to import into, for a dump of one.",
        default_namespace="as in the dump; of a graph, main",
    )
    made.add_argument(
        "path",
        metavar="PATH",
        help="a dump, a folder or zip of Markdown files, core-llm-wiki's SQLite file or JSON dump; a graph in GraphML, "
        "JSON or a table of edges; a folder with the tables of Microsoft GraphRAG; a model's tuple replies",
    )
    made.add_argument(
        "--as",
        dest="kind",
        choices=tuple(carry_graph.IMPORTS),
        help="read it as this, whatever it looks like",
    )
    made.add_argument("--nodes", metavar="PATH", help="a table of nodes beside a table of edges")
    made.add_argument("--merge", action="store_true", help="add to what is there: the newer of two rows counts")
    made.add_argument("--dry-run", action="store_true", help="only tell what would be written")
    made.add_argument("--embedding-model", metavar="ID", help="whose vectors those of core-llm-wiki are")
    made.add_argument("--table-prefix", metavar="PREFIX", help="of core-llm-wiki's tables, where a file holds several")


def export(given: argparse.Namespace) -> int:
    """Write a dump, or a copy of the file."""
    with Wiki.open(given.db, read_only=True) as wiki:
        return _EXPORTS[given.what](wiki, given)


def _export_dump(wiki: Wiki, given: argparse.Namespace) -> int:
    report = wiki.export_dump(given.namespace, path=given.path, vectors=not given.no_vectors)
    if given.json:
        say_json(report)
    else:
        rows = plural(sum(report.counts.values()), "row")
        say(f"{report.path}: {plural(len(report.namespaces), 'namespace')}, {rows}, {report.size_bytes / 1e6:,.2f} MB")
    return 0


def _export_okf(wiki: Wiki, given: argparse.Namespace) -> int:
    files = format_okf_bundle(wiki.export_dump(given.namespace, vectors=False), profile=given.profile)
    count = write_bundle(files, given.path)
    if given.json:
        say_json({"path": given.path, "profile": given.profile, "files": count})
    else:
        say(f"{given.path}: {plural(count, 'file')}")
    return 0


def _export_file(wiki: Wiki, given: argparse.Namespace) -> int:
    if Path(given.path).resolve() == Path(given.db).resolve():
        raise InvalidOption("PATH", "another file than the one that is copied", given.path)
    data = wiki.export_file()
    Wiki.import_file(given.path, data)
    if given.json:
        say_json({"path": given.path, "size_bytes": len(data)})
    else:
        say(f"{given.path}: {len(data) / 1e6:,.2f} MB")
    return 0


def _export_site(wiki: Wiki, given: argparse.Namespace) -> int:
    count = export_site(wiki, given.path, namespace=given.namespace, title=given.title)
    if given.json:
        say_json({"path": given.path, "files": count})
    else:
        say(f"{given.path}: {plural(count, 'file')}; open {Path(given.path) / 'index.html'}")
    return 0


_EXPORTS: dict[str, Callable[[Wiki, argparse.Namespace], int]] = {
    "dump": _export_dump,
    "okf": _export_okf,
    "file": _export_file,
    "site": _export_site,
    **carry_graph.EXPORTS,
}


def import_(given: argparse.Namespace) -> int:
    """Take a dump in, and tell what did not go as it stands."""
    if not Path(given.path).exists():  # before a file is made to import it into
        raise CannotOpen(given.path, "No such file or directory")
    kind = given.kind or kind_of(Path(given.path))
    if kind in carry_graph.IMPORTS:
        carry_graph.check_import(kind, given)
    with Wiki.open(given.db) as wiki:
        if kind in carry_graph.IMPORTS:
            return carry_graph.IMPORTS[kind](wiki, given)
        report = _import_okf(wiki, given) if kind == "okf" else _import_dump(wiki, given)
    if given.json:
        say_json(report)
    else:
        _tell(given.path, report)
    return 0


def _import_okf(wiki: Wiki, given: argparse.Namespace) -> ImportReport:
    dump = parse_okf_bundle(given.namespace, read_bundle(given.path))
    report = wiki.import_dump(dump, merge=given.merge, dry_run=given.dry_run)
    return replace(report, problems=(*dump.problems, *report.problems))


def _import_dump(wiki: Wiki, given: argparse.Namespace) -> ImportReport:
    return wiki.import_llm_wiki(
        given.path,
        namespace=given.namespace,
        merge=given.merge,
        table_prefix=given.table_prefix,
        embedding_model=given.embedding_model,
        dry_run=given.dry_run,
    )


def _tell(path: str, report: ImportReport) -> None:
    would = "would be written" if report.dry_run else "written"
    say(
        f"{path}: {plural(len(report.namespaces), 'namespace')} ({', '.join(report.namespaces)}), "
        f"{plural(sum(report.counts.values()), 'row')} {would}"
    )
    for table, count in report.counts.items():
        if count:
            say(f"  {table:<10} {count:>10,}")
    if report.kept:
        say(f"  {plural(report.kept, 'row')} left as they are here")
    for row in report.skipped[:20]:
        complain(f"skipped {row.table} {row.id}: {row.reason}")
    if report.skipped_count > 20:
        complain(f"skipped {report.skipped_count - 20:,} more; --json shows them")
    for problem in report.problems[:20]:
        complain(problem)
    if len(report.problems) > 20:
        complain(f"{len(report.problems) - 20:,} more like these; --json shows them")
