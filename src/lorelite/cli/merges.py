"""`lorelite merges`: entities that may be one, with what speaks for it; merging them, and taking merges back."""

from __future__ import annotations

import argparse

from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, add_embedder, add_model, command, embedder_for, model, namespace
from lorelite.cli.output import plural, say, say_json
from lorelite.errors import InvalidOption
from lorelite.merge_records import MergeSuggestion

_PAIR = ("INTO", "OTHER")


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "merges",
        run,
        "find entities that are one under two names",
        "Without an option it lists pairs that may be one, and writes nothing. Entities are given by id or by name.",
    )
    what = made.add_mutually_exclusive_group()
    what.add_argument("--accept", nargs=2, metavar=_PAIR, help="merge the second into the first")
    what.add_argument("--reject", nargs=2, metavar=_PAIR, help="remember that the two are two")
    what.add_argument("--undo", metavar="ID", help="take an entity out of the one that it was merged into")
    what.add_argument("--all", metavar="MIN_SCORE", type=float, help="merge all that is suggested with this score")
    what.add_argument("--list", action="store_true", help="what was merged")
    made.add_argument("--min-score", metavar="SCORE", type=float, default=0.6, help="of what is listed (default: 0.6)")
    made.add_argument("--limit", metavar="N", type=int, default=50, help="list at most N pairs (default: 50)")
    made.add_argument("--type", metavar="TYPE", action="append", help="only entities of this type; may be repeated")
    made.add_argument("--dry-run", action="store_true", help="with --all: only tell what would be merged")
    add_model(made, "--all goes by the score alone; with one it is asked about each pair")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """List, or do what is asked for."""
    if given.dry_run and given.all is None:
        raise InvalidOption("--dry-run", "--all MIN_SCORE with it", True)
    name = namespace(given)
    reads = not (given.accept or given.reject or given.undo or (given.all is not None and not given.dry_run))
    vectors = None if reads else embedder_for(given, given.db)
    with Wiki.open(given.db, model=model(given), embedder=vectors, read_only=reads) as wiki:
        if given.accept:
            report = wiki.merge_entities(name, into=given.accept[0], others=[given.accept[1]])
            told = plural(report.relations, "relation")
            say_json(report) if given.json else say(f"{given.accept[1]} is part of {report.name} now ({told})")
        elif given.reject:
            wiki.reject_merge(name, *given.reject)
            say_json({"rejected": given.reject}) if given.json else say(f"{' and '.join(given.reject)} stay two")
        elif given.undo:
            undone = wiki.undo_merge(name, given.undo)
            say_json(undone) if given.json else say(f"{undone.name} is no longer part of {undone.into}")
        elif given.list:
            merges = wiki.list_merges(name)
            lines = [f"{each.name} → {each.into} (ID: {each.merged_id}; {each.reason})" for each in merges]
            say_json(merges) if given.json else say(*(lines or ["nothing was merged"]))
        elif given.all is not None:
            _merge_all(wiki, name, given)
        else:
            found = wiki.suggest_merges(name, min_score=given.min_score, limit=given.limit, types=given.type)
            say_json(found) if given.json else say(*(_lines(found) or ["no two entities look like one"]))
    return 0


def _merge_all(wiki: Wiki, name: str, given: argparse.Namespace) -> None:
    report = wiki.resolve_duplicates(name, min_score=given.all, dry_run=given.dry_run)
    if given.json:
        say_json(report)
        return
    say(*_lines(report.merged))
    verb = "would be merged" if given.dry_run else "merged"
    declined = f"; {len(report.declined):,} that the model declined" if report.declined else ""
    say(f"{plural(len(report.merged), 'pair')} {verb}{declined}")


def _lines(found: tuple[MergeSuggestion, ...] | list[MergeSuggestion]) -> list[str]:
    lines = []
    for each in found:
        kind = f" [{each.type}]" if each.type else ""
        lines.append(f"{each.score:.2f}  {each.into} ← {each.other}{kind}")
        lines += [f"      {'−' if said.kind == 'apart' else '+'} {said.reason}" for said in each.evidence]
    return lines
