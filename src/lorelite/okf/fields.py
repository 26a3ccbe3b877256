"""The front matter of a concept, in each profile, from a node or a task and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

from lorelite.okf.frontmatter import Verbatim
from lorelite.records import Confidence, Kind, Lifecycle, Node, Origin, SourceType, Task, TaskStatus, Verification
from lorelite.temporal import iso, moment_of

Profile = Literal["lorelite/1", "llm-wiki/2", "llm-wiki/1"]
"""lorelite/1 holds everything; the other two are what other programs write and read (OKF 0.2 and 0.1)."""

OURS: Profile = "lorelite/1"
OKF_VERSIONS: Mapping[Profile, str] = {"lorelite/1": "0.2", "llm-wiki/2": "0.2", "llm-wiki/1": "0.1"}

Problem = Callable[[str], None]
"""Told of everything that was read otherwise than it stands."""


def fact_fields(node: Node, profile: Profile) -> list[tuple[str, Any]]:
    """What stands in the front matter of a node."""
    fields: list[tuple[str, Any]] = [
        ("type", node.node_type or ("fact" if profile != OURS else node.kind)),
        ("title", node.title),
        ("tags", list(node.tags)),
        ("timestamp", Verbatim(iso(node.updated_at))),
    ]
    if node.source_ref is not None:
        fields.append(("resource", node.source_ref))
    fields += [
        ("id", node.id),
        ("namespace" if profile == OURS else "entity_id", node.namespace),
        ("confidence", node.confidence),
        ("source_type", node.source_type),
        ("source_hash", node.source_hash),
        ("created_at", node.created_at),
        ("access_count", node.access_count),
        ("last_accessed_at", node.last_accessed_at),
        ("deleted_at", None),
    ]
    if profile == OURS:
        fields += [
            ("updated_at", node.updated_at),
            ("kind", node.kind),
            ("node_type", node.node_type),
            ("origin", node.origin),
            ("valid_from", node.valid_from),
            ("valid_to", node.valid_to),
            ("superseded_by", node.superseded_by),
            ("superseded_at", node.superseded_at),
        ]
    if profile != "llm-wiki/1":
        fields += [("status", node.lifecycle), *_trust_fields(node, profile)]
    return _bare(fields, node.extra) if profile == OURS else fields


def task_fields(task: Task, profile: Profile) -> list[tuple[str, Any]]:
    """What stands in the front matter of a task."""
    fields: list[tuple[str, Any]] = [
        ("type", task.node_type or "task"),
        ("title", task.description),
        ("timestamp", Verbatim(iso(task.updated_at))),
        ("id", task.id),
        ("namespace" if profile == OURS else "entity_id", task.namespace),
    ]
    if profile == "llm-wiki/1":
        fields.append(("status", task.status))
    else:
        fields += [("status", task.lifecycle), ("execution_status", task.status)]
    fields += [
        ("priority", task.priority),
        ("created_at", task.created_at),
        ("resolved_at", task.resolved_at),
        ("deleted_at", None),
    ]
    if profile == OURS:
        fields += [
            ("updated_at", task.updated_at),
            ("node_type", task.node_type),
            ("related_node_id", task.related_node_id),
        ]
    if profile != "llm-wiki/1":
        fields += _trust_fields(task, profile)
    return _bare(fields, task.extra) if profile == OURS else fields


def _bare(fields: Sequence[tuple[str, Any]], extra: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Without what is empty, and with the foreign fields that came with an import."""
    known = {name for name, _ in fields}
    told = [(name, value) for name, value in fields if value not in (None, (), [])]
    return [*told, *((name, value) for name, value in extra.items() if name not in known)]


def _trust_fields(row: Node | Task, profile: Profile) -> list[tuple[str, Any]]:
    fields: list[tuple[str, Any]] = []
    if row.stale_after is not None:
        fields.append(("stale_after", Verbatim(iso(row.stale_after)[:10])))
        if profile == OURS:
            fields.append(("stale_after_ms", row.stale_after))
    if row.generated_by is not None:
        fields.append(("generated", {"by": row.generated_by, "at": iso(row.updated_at)}))
    if row.verified:
        fields.append(("verified", [{"by": item.by, "at": _moment(item.at)} for item in row.verified]))
    if row.sources:
        fields.append(("sources", [dict(source) for source in row.sources]))
    if row.usage_window is not None:
        ends = zip(("from", "to"), row.usage_window, strict=True)
        fields.append(("usage_window", {name: iso(at) for name, at in ends if at is not None}))
    return fields


def _moment(at: int) -> str:
    return iso(at).replace(".000Z", "Z")


# -- reading --------------------------------------------------------------------------------------------------------

_OURS_ALONE = {
    "type", "title", "description", "tags", "timestamp", "resource", "id", "namespace", "entity_id", "confidence",
    "source_type", "source_hash", "created_at", "updated_at", "access_count", "last_accessed_at", "deleted_at", "kind",
    "node_type", "origin", "valid_from", "valid_to", "superseded_by", "superseded_at", "status", "stale_after",
    "stale_after_ms", "generated", "verified", "sources", "usage_window", "execution_status", "priority",
    "resolved_at", "related_node_id",
}  # fmt: skip


def node_of(
    fields: Mapping[str, Any], *, id: str, namespace: str, title: str, body: str, profile: str, now: int, tell: Problem
) -> Node:
    """A node from its front matter; what is missing gets its default, what is odd is told and replaced."""
    updated = _updated(fields, now, tell)
    is_ours = profile == OURS
    return Node(
        id=id,
        namespace=namespace,
        kind=_one_of(fields, "kind", get_args(Kind), "fact", "fact", tell),
        title=title,
        body=body,
        node_type=_text(fields.get("node_type") if is_ours else fields.get("type")),
        tags=tuple(str(tag) for tag in _list(fields.get("tags")) if tag is not None),
        confidence=_one_of(fields, "confidence", get_args(Confidence), "certain", "tentative", tell),
        source_type=_one_of(fields, "source_type", get_args(SourceType), "user_stated", "user_stated", tell),
        origin=_one_of(fields, "origin", get_args(Origin), "stated", "stated", tell),
        lifecycle=_lifecycle(fields, profile, tell),
        source_ref=_text(fields.get("resource")),
        source_hash=_text(fields.get("source_hash")),
        created_at=_when(fields.get("created_at"), updated, "created_at", tell),
        updated_at=updated,
        valid_from=_when_or_none(fields, "valid_from", tell),
        valid_to=_when_or_none(fields, "valid_to", tell),
        superseded_by=_text(fields.get("superseded_by")),
        superseded_at=_when_or_none(fields, "superseded_at", tell),
        last_accessed_at=_when_or_none(fields, "last_accessed_at", tell),
        access_count=_count(fields.get("access_count")),
        **_trust(fields, profile, tell),
    )


def task_of(
    fields: Mapping[str, Any], *, id: str, namespace: str, title: str, body: str, profile: str, now: int, tell: Problem
) -> Task:
    """A task from its front matter."""
    updated = _updated(fields, now, tell)
    state = "execution_status" if "execution_status" in fields else "status"
    return Task(
        id=id,
        namespace=namespace,
        description=title,
        status=_one_of(fields, state, get_args(TaskStatus), "pending", "pending", tell),
        priority=max(0, min(10, _count(fields.get("priority")))),
        body=body,
        related_node_id=_text(fields.get("related_node_id")),
        node_type=_text(fields.get("node_type") if profile == OURS else fields.get("type")),
        lifecycle=_lifecycle(fields, profile, tell) if state == "execution_status" else "stable",
        created_at=_when(fields.get("created_at"), updated, "created_at", tell),
        updated_at=updated,
        resolved_at=_when_or_none(fields, "resolved_at", tell),
        **_trust(fields, profile, tell),
    )


def _trust(fields: Mapping[str, Any], profile: str, tell: Problem) -> dict[str, Any]:
    if profile == "llm-wiki/1":
        return {}
    generated, window = fields.get("generated"), fields.get("usage_window")
    verified = []
    for item in _list(fields.get("verified")):
        at = moment_of(item.get("at")) if isinstance(item, Mapping) else None
        if isinstance(item, Mapping) and item.get("by") and at is not None:
            verified.append(Verification(str(item["by"]), at))
        else:
            tell(f"a verification without a name or a time was left out: {str(item)[:80]!r}")
    exact = fields.get("stale_after_ms")
    return {
        "stale_after": exact if isinstance(exact, int) else _when_or_none(fields, "stale_after", tell),
        "generated_by": _text(generated.get("by")) if isinstance(generated, Mapping) else _text(generated),
        "verified": tuple(verified),
        "sources": tuple(
            item if isinstance(item, Mapping) else {"resource": str(item)} for item in _list(fields.get("sources"))
        ),
        "usage_window": (moment_of(window.get("from")), moment_of(window.get("to")))
        if isinstance(window, Mapping)
        else None,
        "extra": {name: value for name, value in fields.items() if name not in _OURS_ALONE},
    }


def _updated(fields: Mapping[str, Any], now: int, tell: Problem) -> int:
    generated = fields.get("generated")
    at = generated.get("at") if isinstance(generated, Mapping) else None
    for value in (fields.get("updated_at") if "kind" in fields else None, at, fields.get("timestamp"),
                  fields.get("updated_at")):  # fmt: skip
        if value is not None:
            return _when(value, now, "timestamp", tell)
    return now


def _when(value: Any, default: int, name: str, tell: Problem) -> int:
    if value is None:
        return default
    moment = moment_of(value)
    if moment is None:
        tell(f"{name}: expected a time, found {str(value)[:80]!r}; it counts as not given")
        return default
    return moment


def _when_or_none(fields: Mapping[str, Any], name: str, tell: Problem) -> int | None:
    value = fields.get(name)
    if value is None:
        return None
    moment = moment_of(value)
    if moment is None:
        tell(f"{name}: expected a time, found {str(value)[:80]!r}; it was left out")
    return moment


def _one_of(
    fields: Mapping[str, Any], name: str, allowed: Sequence[Any], missing: Any, unknown: Any, tell: Problem
) -> Any:
    value = fields.get(name)
    if value is None:
        return missing
    if value in allowed:
        return value
    tell(f"{name}: expected one of {', '.join(allowed)}, found {str(value)[:80]!r}; it counts as {unknown!r}")
    return unknown


def _lifecycle(fields: Mapping[str, Any], profile: str, tell: Problem) -> Lifecycle:
    if profile == "llm-wiki/1":
        return "stable"
    found: Lifecycle = _one_of(fields, "status", get_args(Lifecycle), "stable", "stable", tell)
    return found


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, list | dict) else str(value)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else 0
