"""`lorelite ingest`: take documents in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from lorelite.blocking import Wiki
from lorelite.cli.arguments import (
    Commands,
    add_embedder,
    add_model,
    add_replay,
    command,
    embedder_for,
    model,
    namespace,
)
from lorelite.cli.documents import STDIN, Input, inputs
from lorelite.cli.output import complain, plural, say, say_json
from lorelite.cli.progress import Bars
from lorelite.errors import DocumentError, InvalidOption, LoreliteError, OwnershipError
from lorelite.records import Estimate, IngestReport
from lorelite.settings import WikiConfig


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "ingest",
        run,
        "take documents in",
        "An unchanged file that was taken in before costs nothing; a changed one replaces its earlier version.",
    )
    made.add_argument("files", metavar="FILE", nargs="+", help="text files, folders (with all below), or - for stdin")
    made.add_argument("--name", metavar="NAME", help="the name of the document that comes from stdin")
    made.add_argument("--estimate", action="store_true", help="tell what the model's calls would cost, and send none")
    add_model(made, "names, links, tables and headings make the graph")
    add_replay(made)
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Take each document in, whatever becomes of the others; 1 when one was refused or is not complete."""
    if (given.name is None) == (STDIN in given.files):
        raise InvalidOption("--name", "a name for the document that - reads, and only then", given.name or "none")
    documents = inputs(given.files, given.name, given.db)
    config = WikiConfig(replay=given.replay)
    if given.estimate:
        return _estimate(given, documents, config)
    reports: list[IngestReport] = []
    refused: list[tuple[Input, LoreliteError]] = []
    vectors = embedder_for(given, given.db)
    with (
        Wiki.open(given.db, model=model(given), embedder=vectors, config=config) as wiki,
        Bars(len(documents)) as bars,
    ):
        for document in documents:
            try:
                report = wiki.ingest_document(
                    namespace(given),
                    source_ref=document.source_ref,
                    text=document.text(config.max_document_chars),
                    on_progress=bars.within(document.source_ref),
                )
            except (DocumentError, OwnershipError, InvalidOption) as error:
                refused.append((document, error))
                bars.step(None, str(error))
                continue
            reports.append(report)
            bars.step(None if given.json else _told(report), *_failures(report))
    if given.json:
        failures = [
            {"source_ref": each.source_ref, "error": type(error).__name__, "message": str(error)}
            for each, error in refused
        ]
        say_json({"path": given.db, "namespace": namespace(given), "documents": reports, "refused": failures})
    elif not documents:
        complain("no files there")
    return 1 if refused or any(report.status in ("partial", "empty") for report in reports) else 0


def _estimate(given: argparse.Namespace, documents: Sequence[Input], config: WikiConfig) -> int:
    """Tell what taking the documents in would cost; those that cannot be taken in are told of."""
    chosen = model(given)
    if chosen is None:
        raise InvalidOption("--estimate", "a model to estimate: --model", "none")
    total, code = Estimate(), 0
    place = given.db if Path(given.db).is_file() else ":memory:"
    with Wiki.open(place, model=chosen, config=config, read_only=place == given.db) as wiki:
        for document in documents:
            try:
                text = document.text(config.max_document_chars)
                total += wiki.estimate_ingest(namespace(given), source_ref=document.source_ref, text=text)
            except (DocumentError, OwnershipError, InvalidOption) as error:
                complain(str(error))
                code = 1
    if given.json:
        say_json({"path": given.db, "namespace": namespace(given), "documents": len(documents), "estimate": total})
    else:
        say(_foreseen(total))
    return code


def _foreseen(estimate: Estimate) -> str:
    written = f"{estimate.output_tokens_low:,} to {estimate.output_tokens_high:,}"
    parts = [f"{plural(estimate.calls, 'call')}, {estimate.input_tokens:,} tokens to read, {written} to write"]
    if estimate.reused:
        parts.append(f"{plural(estimate.reused, 'call')} answered from the file")
    if estimate.cost_low is not None and estimate.cost_high is not None:
        parts.append(f"about ${estimate.cost_low:,.4f} to ${estimate.cost_high:,.4f}")
    else:
        parts.append("the price is not known")
    return "; ".join(parts)


def _told(report: IngestReport) -> str:
    if report.status == "unchanged":
        return f"{report.source_ref}: unchanged"
    if report.status == "duplicate":
        return f"{report.source_ref}: the same text as {report.duplicate_of}, not taken in again"
    if report.status == "empty":
        return f"{report.source_ref}: the model found nothing in it, so the earlier version stands"
    counts: Sequence[tuple[int, str]] = (
        (report.chunks, "chunk"),
        (report.facts, "new fact"),
        (report.entities, "new entity"),
        (report.edges, "edge"),
    )
    replaced = "; in place of its earlier version" if report.replaced else ""
    resumed = f"; {plural(report.resumed, 'chunk')} were done before" if report.resumed else ""
    return f"{report.source_ref}: {', '.join(plural(*each) for each in counts if each[0])}{replaced}{resumed}"


def _failures(report: IngestReport) -> list[str]:
    if not report.failures:
        return []
    first = report.failures[0]
    return [
        f"{report.source_ref}: {len(report.failures)} of {plural(report.chunks, 'chunk')} failed, the first since "
        f"{first.reason}; run the same command again to retry them"
    ]
