"""What a model is shown of a community, as CSV tables within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from lorelite.communities.schema import View
from lorelite.graph_records import Community, CommunityReport, GraphEntity, GraphRelation
from lorelite.prompts.fence import one_line, shortened
from lorelite.strategies.tables import csv_line
from lorelite.text.budget import CHARS_PER_TOKEN

Packing = Literal["share", "substitute"]
"""How a community that is too long is told. "share": reports of its parts first, the room that is left shared between
entities and relations. "substitute": the largest parts are replaced by their reports, until the rest fits."""

PACKINGS: tuple[Packing, ...] = ("share", "substitute")

Tables = dict[str, str]
"""Name → CSV with a header row; a table without rows is left out."""

Told = tuple[Community, CommunityReport]
"""A community of the next level with its report."""

_HEADERS = {
    "Reports": ("id", "report", "rating", "importance"),
    "Entities": ("id", "entity", "type", "description", "degree"),
    "Relationships": ("id", "source", "target", "description", "rank"),
}
_LARGEST_SHARE = 4
"""When not everything fits, no description takes more than this part of the room."""


def packed(
    view: View, children: Sequence[Told], tokens: int, *, force: bool = False, packing: Packing = "share"
) -> Tables:
    """The tables of a community within *tokens*.

    When everything fits, no reports of parts are shown unless *force* asks for them. Entities and relations that shown
    reports cover are left out. Rows are dropped from the end of a table, never cut, but long descriptions are.
    """
    room = tokens * CHARS_PER_TOKEN
    whole = _tables((), view.entities, view.relations, view)
    fits = _size(whole) <= room
    if fits and not (force and children):
        return whole
    if packing == "substitute":
        return _substituted(view, children, room, force)
    return _with_reports(view, sorted(children, key=lambda told: (-told[0].occurrence, told[0].id)), room)


def _with_reports(view: View, children: Sequence[Told], room: int) -> Tables:
    """As many reports as go in, in the order given, then what they do not cover."""
    rows = _fitting(_report_rows(children), room, "Reports")
    entities, relations = _uncovered(view, children[: len(rows)])
    tables = {"Reports": _csv("Reports", rows)} if rows else {}
    return tables | _shared(view, entities, relations, room - _size(tables))


def _substituted(view: View, children: Sequence[Told], room: int, force: bool) -> Tables:
    by_size = sorted(children, key=lambda told: (-len(told[0].entity_ids), told[0].id))
    for count in range(len(by_size) if force else 1, len(by_size) + 1):
        tables = _tables(by_size[:count], *_uncovered(view, by_size[:count]), view)
        if _size(tables) <= room:
            return tables
    return _with_reports(view, by_size, room)


def _uncovered(view: View, told: Sequence[Told]) -> tuple[Sequence[GraphEntity], Sequence[GraphRelation]]:
    """The entities of no part that is told by its report, and the relations that lie inside none."""
    part = {id: number for number, (child, _) in enumerate(told) for id in child.entity_ids}
    relations = [
        relation
        for relation in view.relations
        if relation.source_id not in part or part[relation.source_id] != part.get(relation.target_id)
    ]
    return [entity for entity in view.entities if entity.id not in part], relations


def _shared(view: View, entities: Sequence[GraphEntity], relations: Sequence[GraphRelation], room: int) -> Tables:
    """Both tables, the room shared in proportion to their counts; what one does not use, the other may."""
    limit = max(0, room // _LARGEST_SHARE)
    entity_rows, relation_rows = _entity_rows(entities, limit), _relation_rows(relations, view, limit)
    share = room * len(entity_rows) // max(1, len(entity_rows) + len(relation_rows))
    needed = _needed(relation_rows, "Relationships")
    shown_entities = _fitting(entity_rows, max(share, room - needed), "Entities")
    left = room - (_needed(shown_entities, "Entities") if shown_entities else 0)
    shown_relations = _fitting(relation_rows, left, "Relationships")
    shown = {"Entities": shown_entities, "Relationships": shown_relations}
    return {name: _csv(name, rows) for name, rows in shown.items() if rows}


def _tables(
    told: Sequence[Told], entities: Sequence[GraphEntity], relations: Sequence[GraphRelation], view: View
) -> Tables:
    rows = {
        "Reports": _report_rows(told),
        "Entities": _entity_rows(entities),
        "Relationships": _relation_rows(relations, view),
    }
    return {name: _csv(name, each) for name, each in rows.items() if each}


Rows = list[tuple[object, ...]]


def _report_rows(told: Iterable[Told]) -> Rows:
    return [
        (number, report.text, f"{report.rating:g}", f"{child.occurrence:.2f}")
        for number, (child, report) in enumerate(told, 1)
    ]


def _entity_rows(entities: Iterable[GraphEntity], limit: int | None = None) -> Rows:
    cut = _cut_to(limit)
    return [
        (number, one_line(entity.name), one_line(entity.type), cut(entity.description), entity.degree)
        for number, entity in enumerate(entities, 1)
    ]


def _relation_rows(relations: Iterable[GraphRelation], view: View, limit: int | None = None) -> Rows:
    cut = _cut_to(limit)
    return [
        (
            number,
            one_line(each.source),
            one_line(each.target),
            cut(each.description or each.type),
            view.rank(each),
        )
        for number, each in enumerate(relations, 1)
    ]


def _cut_to(limit: int | None) -> Callable[[str], str]:
    return (lambda text: text) if limit is None else (lambda text: shortened(text, limit))


def _fitting(rows: Rows, room: int, name: str) -> Rows:
    """The first rows that go into a table of *room* characters, header included."""
    used = len(csv_line(_HEADERS[name]))
    for count, row in enumerate(rows):
        used += len(csv_line(row))
        if used > room:
            return rows[:count]
    return rows


def _needed(rows: Rows, name: str) -> int:
    return sum(len(csv_line(row)) for row in (_HEADERS[name], *rows)) if rows else 0


def _size(tables: Mapping[str, str]) -> int:
    return sum(map(len, tables.values()))


def _csv(name: str, rows: Rows) -> str:
    return "".join(map(csv_line, (_HEADERS[name], *rows)))
