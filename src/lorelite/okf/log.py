"""`log.md`: what happened, newest day first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, get_args

from lorelite.ids import content_id
from lorelite.okf.fields import OURS, Problem, Profile
from lorelite.okf.links import escaped, resolved, unescaped
from lorelite.records import Event, EventType
from lorelite.temporal import iso, moment_of
from lorelite.text.strict_json import read_json

_DAY = re.compile(r"#{1,3}\s+(\d{4}-\d\d-\d\d)(?:\s*:.*)?\s*")
_ENTRY = re.compile(r"[-*]\s+(?:\((\w+)\)\s+)?(.*?)\s*(?:<!--\s*((?:(?!<!--).)*?)\s*-->)?\s*")
_WHOLE_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(([^()\s]+)\)")
_ID = re.compile(r"id:\s*(\S+)")


def format_log(events: Sequence[Event], way: Callable[[str], str | None], profile: Profile) -> str:
    """The events as Markdown; *way* gives the relative path of a node's file."""
    newest = sorted(events, key=lambda event: event.created_at)[::-1]
    days = []
    for day, entries in groupby(newest, key=lambda event: iso(event.created_at)[:10]):
        lines = [_entry(event, way, profile) for event in entries]
        days.append(f"## {day}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(days)


def _entry(event: Event, way: Callable[[str], str | None], profile: Profile) -> str:
    text = escaped(event.summary)
    path = way(event.related_node_id) if event.related_node_id else None
    text = f"[{text}]({path})" if path else text
    note = f"id: {event.id}"
    if profile == OURS:
        exact: dict[str, Any] = {"id": event.id, "at": event.created_at}
        if event.related_node_id and not path:
            exact["about"] = event.related_node_id
        if unescaped(escaped(event.summary)) != event.summary or event.summary != event.summary.strip():
            exact["summary"] = event.summary
        note = comment(exact)
    return f"- ({event.event_type}) {text} <!-- {note} -->"


def comment(values: Mapping[str, Any]) -> str:
    """Values as JSON that cannot end an HTML comment, nor begin one."""
    return json.dumps(values, ensure_ascii=False).replace(">", "\\u003e").replace("<", "\\u003c")


def parse_log(text: str, path: str, namespace: str, ids: Mapping[str, str], tell: Problem) -> list[Event]:
    """The events of a log, oldest first; *ids* maps files to the ids of their nodes."""
    found: list[Event] = []
    day = None
    for line in text.split("\n"):
        if heading := _DAY.fullmatch(line):
            day = moment_of(heading[1])
        elif (entry := _ENTRY.fullmatch(line)) and day is not None and entry[2]:
            found.append(_event(entry, day, path, namespace, ids, tell))
    return found[::-1]


def _event(entry: re.Match[str], day: int, path: str, namespace: str, ids: Mapping[str, str], tell: Problem) -> Event:
    kind, text, note = entry[1] or "observation", entry[2], entry[3] or ""
    exact = _exact(note)
    named = _ID.match(note)
    related = exact.get("about")
    if whole := _WHOLE_LINK.fullmatch(text):
        file = resolved(whole[2], path)
        if file is not None and file in ids:
            text, related = unescaped(whole[1]), ids[file]
    if kind not in get_args(EventType):
        tell(f"{path}: an event of unknown type {kind!r} counts as an observation")
        kind = "observation"
    summary = exact.get("summary", unescaped(text) if related is None else text)
    at = exact.get("at", day)
    return Event(
        id=str(exact.get("id") or (named and named[1]) or content_id("event", namespace, str(at), kind, str(summary))),
        namespace=namespace,
        event_type=kind,  # type: ignore[arg-type]
        summary=str(summary),
        related_node_id=related if isinstance(related, str) else None,
        created_at=at if isinstance(at, int) else day,
    )


def _exact(note: str) -> dict[str, Any]:
    try:
        value = read_json(note) if note.startswith("{") else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
