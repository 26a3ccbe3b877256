"""`history`: all that was held in a fact's place, oldest first."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.records import Node


def history(engine: Engine, namespace: str, node_id: str) -> list[Node]:
    """The fact, what it superseded and what superseded it, oldest first. Raises NotFound."""
    if engine.store.nodes.get(namespace, node_id) is None:
        raise NotFound("node", node_id, "it was never there, or was forgotten")
    return engine.store.succession.chain(namespace, node_id)
