"""The texts that the tests of taking in read, and how they look at the edges made of them."""

from __future__ import annotations

from lorelite import Wiki, WikiConfig

NS = "class"
SMALL = WikiConfig(chunk_chars=200, chunk_overlap=0, model_batch=2)
TEXT = "\n\n".join(
    f"Part {n}. Ada knows Bob. {'It was a long and quiet day by the river, and the eels slept on. ' * 2}"
    for n in range(8)
)
BOOK = """# Heron Lock

Heron Lock stands on the Wharfe. Ada Marsh keeps Heron Lock. Tom Weir sells eels to Ada Marsh.

## The flood

In 1931 the Wharfe rose. Tom Weir saved Heron Lock with Ada Marsh, and the Wharfe fell again.
See [[Heron Lock]] and [Tom Weir](weir.md).
"""


def edges(wiki: Wiki, kind: str | None = None) -> set[tuple[str, str, str]]:
    """(title, type, title) of every edge between live nodes."""
    rows = wiki._wiki._engine.store.db.rows(
        """
        select s.title as a, e.edge_type, t.title as b from edge e
          join node s on s.id = e.source_id and s.deleted_at is null
          join node t on t.id = e.target_id and t.deleted_at is null where e.namespace = ?""",
        (NS,),
    )
    return {tuple(row) for row in rows if kind in (None, row["edge_type"])}
