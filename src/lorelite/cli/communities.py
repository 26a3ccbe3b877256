"""`lorelite communities`: what the documents are about, as communities of entities with a report on each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lorelite import options
from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, add_embedder, add_model, command, embedder_for, model, namespace
from lorelite.cli.output import complain, plural, say, say_json
from lorelite.cli.progress import Steps
from lorelite.errors import InvalidOption, NotFound
from lorelite.text.title_key import title_key

if TYPE_CHECKING:
    from lorelite.graph_records import Community, CommunityReport, InsertReport
    from lorelite.pipeline.processor import Processor

Reports = Mapping[str, "CommunityReport"]


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "communities",
        run,
        "show what the documents are about: communities of entities, with reports",
        "--build finds them and writes what reports are missing or out of date.",
    )
    made.add_argument("--build", action="store_true", help="find communities and write their reports first")
    made.add_argument("--level", metavar="K", type=int, help="only those of this level; 0 is the coarsest")
    made.add_argument("--report", metavar="ID-OR-TITLE", help="print the report on this community")
    add_model(made, "reports are put together from sentences of the documents")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Print the communities of a namespace, or one report. Raises NotFound when there is no such report."""
    if given.level is not None:
        options.whole_number("--level", given.level, 0)
    if given.level is not None and given.report is not None:
        raise InvalidOption("--level / --report", "one of them", "both")
    chosen = model(given)
    if chosen is not None and not given.build:
        raise InvalidOption("--model", "--build beside it: a model writes reports", given.model)
    name = namespace(given)
    vectors = embedder_for(given, given.db)
    with Wiki.open(given.db, model=chosen, embedder=vectors, read_only=not given.build) as wiki:
        wiki.get_status(name)  # an unknown namespace is told of, and not made
        built = _built(wiki, name) if given.build else None
        graph = wiki.graph(name)
        found = graph.communities()
        reports = {report.community_id: report for report in graph.reports()}
    if given.report is not None:
        _tell_report(_reported(reports, given.report), given.json)
        return 0
    listed = [each for each in _tree(found, reports) if given.level is None or each.level == given.level]
    if given.json:
        told = [reports[each.id] for each in listed if each.id in reports]
        say_json({"path": given.db, "namespace": name, "built": built, "communities": listed, "reports": told})
        return 0
    if built is not None:
        _tell_built(built, len(found))
    for each in listed:
        say("  " * (each.level if given.level is None else 0) + _line(each, reports.get(each.id)))
    if not found:
        nothing = "no two entities are related so far" if given.build else "none were found yet; --build does that"
        complain(f"{name} has no communities: {nothing}")
    elif not listed:
        complain(f"there is no level {given.level}; the deepest is {max(each.level for each in found)}")
    return 0


def _built(wiki: Wiki, name: str) -> InsertReport:
    from lorelite.pipeline.communities import entity_community_generation
    from lorelite.pipeline.entities import chunk_entity_generation

    pipeline: list[Processor] = [chunk_entity_generation(), entity_community_generation()]
    with Steps("step") as steps:
        return wiki.graph(name, pipeline=pipeline, on_progress=steps.show).build()


def _tree(communities: Sequence[Community], reports: Reports) -> Iterator[Community]:
    """Each above its parts; of one parent the most important first."""
    below: dict[str | None, list[Community]] = {}
    for each in communities:
        below.setdefault(each.parent, []).append(each)

    def worth(each: Community) -> tuple[float, int, str]:
        return -(reports[each.id].rating if each.id in reports else 0.0), -len(each.entity_ids), each.id

    waiting = sorted(below.get(None, ()), key=worth, reverse=True)
    while waiting:
        each = waiting.pop()
        yield each
        waiting += sorted(below.get(each.id, ()), key=worth, reverse=True)


def _line(community: Community, report: CommunityReport | None) -> str:
    size = plural(len(community.entity_ids), "entity")
    if report is None:
        return f"{community.title} ({size}, no report) (ID: {community.id})"
    return f"{report.title} ({size}, rated {report.rating:g}) (ID: {community.id})"


def _tell_built(built: InsertReport, communities: int) -> None:
    counts = built.counters.get("entityCommunityGeneration", {})
    written, kept = counts.get("reports", 0), counts.get("reports_reused", 0)
    complain(f"{plural(communities, 'community')}, {plural(written, 'report')} written, {kept:,} kept")
    if built.usage.calls:
        spent = built.usage.input_tokens, built.usage.output_tokens
        complain(f"{plural(built.usage.calls, 'model call')}, {spent[0]:,} + {spent[1]:,} tokens")
    for warning in built.warnings:
        complain(warning)


def _reported(reports: Reports, wanted: str) -> CommunityReport:
    """The report with this community's id, this title, or as the only one a title that begins so."""
    if wanted in reports:
        return reports[wanted]
    key = title_key(wanted)
    begun = [report for report in reports.values() if key and title_key(report.title).startswith(key)]
    same = [report for report in begun if title_key(report.title) == key]
    if len(same or begun) == 1:
        return (same or begun)[0]
    near = ", ".join(f"{report.title!r} (ID: {report.community_id})" for report in begun[:5])
    hint = f"did you mean one of {near}?" if near else "lorelite communities lists them; --build writes them"
    raise NotFound("report", wanted, hint)


def _tell_report(report: CommunityReport, as_json: bool) -> None:
    if as_json:
        say_json(report)
    else:
        say(report.text)
