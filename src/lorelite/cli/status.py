"""`lorelite status`: what the file holds."""

from __future__ import annotations

import argparse

from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, command
from lorelite.cli.output import plural, say, say_json, shortened
from lorelite.reports import Status
from lorelite.temporal import iso


def add_to(commands: Commands) -> None:
    """Add the command."""
    command(
        commands,
        "status",
        run,
        "show what the file holds",
        "Without --namespace, for each of its namespaces.",
        default_namespace="all",
    )


def run(given: argparse.Namespace) -> int:
    """Print the Status of one namespace, or of all."""
    with Wiki.open(given.db, read_only=True) as wiki:
        names = wiki.list_namespaces() if given.namespace is None else [given.namespace]
        found = [wiki.get_status(name) for name in names]
    if given.json:
        say_json({"path": given.db, "namespaces": found})
        return 0
    if not found:
        say(f"{given.db} is empty so far")
    for number, status in enumerate(found):
        if not number:
            say(f"{given.db}: {status.size_bytes / 1e6:,.2f} MB, {plural(len(found), 'namespace')} shown")
        _tell(status)
    return 0


def _tell(status: Status) -> None:
    counts = [(len(status.documents), "document"), (status.chunks, "chunk"), (status.facts, "fact")]
    counts += [(status.entities, "entity"), (status.edges, "edge"), (status.tasks, "task"), (status.events, "event")]
    told = [plural(count, noun) for count, noun in counts]
    if status.communities:
        levels = plural(status.community_levels, "level")
        told.append(f"{plural(status.communities, 'community')} on {levels} with {plural(status.reports, 'report')}")
    say("", status.namespace, "  " + ", ".join(told))
    if missing := max(0, status.communities - status.reports):
        say(f"  {plural(missing, 'community')} without a report: lorelite communities --build writes what is missing")
    width = min(60, max((len(document.source_ref) for document in status.documents), default=0))
    for document in status.documents:
        say(
            f"  {shortened(document.source_ref, 60):<{width}}  {document.characters:>10,} characters  "
            f"{plural(document.chunks, 'chunk'):>12}  {iso(document.updated_at)[:10]}"
            f"{'' if document.status == 'complete' else '  partial: ingest it again to finish'}"
        )
