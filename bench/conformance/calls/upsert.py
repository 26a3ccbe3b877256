"""upsertGraph, a step of its own since the reference wants it inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance.values import decode, snake
from lorelite import LoreliteError

if TYPE_CHECKING:
    from bench.conformance.session import Session


def _upsert(session: Session, step: Mapping[str, Any]) -> Any:
    if not step.get("commitOnError"):
        return _upserted(session, step)
    with session.wiki.transaction():
        try:
            return _upserted(session, step)
        except LoreliteError as error:
            return {"caught": type(error).__name__}


def _upserted(session: Session, step: Mapping[str, Any]) -> Any:
    given = decode(step["params"], session.results)
    report = session.wiki.upsert_graph(
        step["entity"],
        source_ref=given["sourceRef"],
        source_hash=given["sourceHash"],
        nodes=given["nodes"],
        edges=[{snake(key): value for key, value in edge.items()} for edge in given["edges"]],
    )
    return {
        "nodesWritten": report.nodes_written,
        "edgesWritten": report.edges_written,
        "superseded": report.superseded,
    }


STEPS = {"upsertGraph": _upsert}
ERRORS = {
    "WikiGraphNodeOwnershipConflict": "NodeOwnershipConflict",
    "WikiSourceRefHashCollision": "SourceHashCollision",
}
