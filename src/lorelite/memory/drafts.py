"""Drafts: facts that wait for somebody to say that they are true."""

from __future__ import annotations

from dataclasses import replace

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, NotFound
from lorelite.findings import DraftPage
from lorelite.memory.fields import name_of
from lorelite.records import Node, Verification

MAX_DRAFTS = 500


def list_drafts(engine: Engine, namespace: str, *, limit: object, cursor: object) -> DraftPage:
    """See AsyncWiki.list_drafts. Raises InvalidOption."""
    count = options.whole_number("limit", limit, 1, MAX_DRAFTS)
    found = engine.store.review.drafts(namespace, count + 1, None if cursor is None else _place(cursor))
    drafts = tuple(found[:count])
    return DraftPage(drafts=drafts, cursor=f"{drafts[-1].created_at}:{drafts[-1].id}" if len(found) > count else None)


def promote_draft(engine: Engine, namespace: str, node_id: str, by: object) -> Node:
    """See AsyncWiki.promote_draft. Raises NotFound, InvalidOption."""
    name = name_of("by", by)
    with engine.store.atomic("verify"):
        now = engine.clock()
        node = engine.store.nodes.get(namespace, node_id)
        if node is None or node.lifecycle != "draft":
            raise NotFound("draft", node_id, "list_drafts names those that are there")
        verified = (*node.verified, Verification(name, now))
        promoted = replace(node, lifecycle="stable", verified=verified, updated_at=now)
        engine.store.nodes.put([promoted], whole=True)
    return promoted


def _place(cursor: object) -> tuple[int, str]:
    """What a cursor says: (created_at, id) of the last draft of the page before."""
    moment, colon, node_id = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")
    if not (colon and moment.isascii() and moment.isdigit() and len(moment) <= 15):
        raise InvalidOption("cursor", "the cursor of a DraftPage, or None", cursor)
    return int(moment), node_id
