"""An entity that several documents share is the sum of what each says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from lorelite.engine import Engine
from lorelite.ids import text_hash
from lorelite.records import Node
from lorelite.store.documents import Support

MAX_BODY_CHARS = 4_000
_SUMMARY = "summary"
"""Key in `extra`: {of: hash of what it sums up, text}."""


def refresh_entities(
    engine: Engine, namespace: str, ids: Sequence[str], now: int, nodes: Mapping[str, Node] | None = None
) -> None:
    """Recompute title, type and body of entities from their support. Those without any are left as they are.

    now: when those that change did so; one moment for a whole write, so that its rows keep one order. nodes: as they
    are, where the caller has them.
    """
    store = engine.store
    nodes = store.nodes.by_ids(namespace, ids) if nodes is None else nodes
    changed = []
    for id, rows in groupby(store.documents.support(ids), key=lambda row: row.node_id):
        node = nodes.get(id)
        if node is not None and is_shared(node):
            merged = merged_entity(node, list(rows))
            if merged is not node:
                changed.append(replace(merged, updated_at=now))
    store.nodes.put(changed)


def is_shared(node: Node) -> bool:
    """Was the entity made by documents alone, so that it says what they say and goes when they go?"""
    return node.kind == "entity" and node.source_ref is None and node.source_type == "immutable_document"


def said_lines(rows: Sequence[Support]) -> tuple[str, ...]:
    """What is said of an entity, each line once."""
    return tuple(dict.fromkeys(line for row in rows for line in row.body.split("\n") if line))


def summarised(node: Node, lines: Sequence[str], summary: str) -> Node:
    """The entity with a summary that stands for exactly these lines."""
    return replace(node, extra={**node.extra, _SUMMARY: {"of": text_hash("\n".join(lines)), "text": summary}})


def summary_of(node: Node, lines: Sequence[str]) -> str | None:
    """The summary of exactly these lines, if there is one."""
    stored = node.extra.get(_SUMMARY)
    if not isinstance(stored, Mapping) or stored.get("of") != text_hash("\n".join(lines)):
        return None
    return str(stored["text"])


def merged_entity(node: Node, rows: Sequence[Support]) -> Node:
    """The entity as its supporting documents describe it, in the order in which they said so."""
    titles = Counter(row.title for row in rows)
    types = Counter(row.node_type for row in rows if row.node_type)
    lines = said_lines(rows)
    body = summary_of(node, lines) or ""
    for line in lines if not body else ():
        if len(body) + len(line) + 1 > MAX_BODY_CHARS:
            break
        body = f"{body}\n{line}" if body else line
    # Counter keeps the order of arrival, so the first of the commonest wins.
    title = max(titles, key=titles.__getitem__)
    node_type = max(types, key=types.__getitem__, default=None)
    if (title, node_type, body) == (node.title, node.node_type, node.body):
        return node
    return replace(node, title=title, node_type=node_type, body=body)
