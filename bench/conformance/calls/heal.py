"""Heal, prune, forget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.conformance.values import renamed

if TYPE_CHECKING:
    from bench.conformance.session import Session

_OPTIONS = {"entryId": "node_id"}


def _forget(session: Session, namespace: str, options: Mapping[str, Any]) -> Any:
    report = session.wiki.forget(namespace, **renamed(options, _OPTIONS))
    counts = {"deleted": {"entries": report.nodes, "tasks": report.tasks}}
    return counts | ({"metadataReset": True} if options.get("clearAll") else {})


CALLS = {"forget": _forget}
