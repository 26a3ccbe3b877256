"""`lorelite maintain`: run the jobs that look after the memory."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, add_embedder, add_model, command, embedder_for, model
from lorelite.cli.output import complain, plural, say, say_json
from lorelite.errors import CannotOpen, LoreliteError
from lorelite.records import Usage
from lorelite.reports import JobReport

JOBS = {
    "librarian": "run_librarian",
    "heal": "run_heal",
    "backfill": "run_ontology_backfill",
    "reembed": "run_reembed",
    "prune": "run_prune",
}
"""In the order in which all of them run: what makes facts, what looks them over, what goes by the outcome."""


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "maintain",
        run,
        "run the jobs that look after the memory",
        "Without --namespace, in each namespace of the file; without --job, all of them in their order.",
        default_namespace="all",
    )
    made.add_argument("file", metavar="FILE", nargs="?", help="the Lorelite file, in place of --db")
    made.add_argument(
        "--job",
        metavar="NAME",
        action="append",
        choices=[*JOBS, "all"],
        help=f"one of {', '.join(JOBS)}, or all; may be repeated",
    )
    made.add_argument("--dry-run", action="store_true", help="only tell what would be done; nothing is written")
    add_model(made, "the jobs do what they can without one")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Run the jobs, whatever becomes of the others; 1 when one failed."""
    path = given.db if given.file is None else given.file
    chosen = list(JOBS) if not given.job or "all" in given.job else [job for job in JOBS if job in given.job]
    reports: list[dict[str, Any]] = []
    failures: list[dict[str, str]] = []
    if not Path(path).exists():
        raise CannotOpen(path, "the file does not exist")
    with Wiki.open(path, model=model(given), embedder=embedder_for(given, path)) as wiki:
        names = wiki.list_namespaces() if given.namespace is None else [given.namespace]
        if given.namespace is not None:
            wiki.get_status(given.namespace)  # told once that it is not there, and not by each job
        for name in names:
            for job in chosen:
                try:
                    report = getattr(wiki, JOBS[job])(name, dry_run=given.dry_run)
                except LoreliteError as error:
                    failures.append(
                        {"namespace": name, "job": job, "error": type(error).__name__, "message": str(error)}
                    )
                    complain(f"{name}: {job}: {error}")
                    continue
                reports.append({"namespace": name, "job": job, "report": report})
                if not given.json:
                    say(f"{name}: {job}: {_told(report)}")
    if not names:
        complain(f"{path} is empty so far")
    if given.json:
        say_json({"path": path, "reports": reports, "failures": failures})
    return 1 if failures else 0


def _told(report: JobReport) -> str:
    """The counts of a report that are not zero, by the names of its fields."""
    values = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    counts = [
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in values.items()
        if isinstance(value, int) and not isinstance(value, bool) and value and name != "watermark"
    ]
    usage = values["usage"]
    assert isinstance(usage, Usage)
    if usage.calls:
        counts.append(plural(usage.calls, "model call"))
    return f"{', '.join(counts) or 'nothing to do'}{' (nothing was written)' if report.dry_run else ''}"
