"""Search, walks, contexts, vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import lorelite
from bench.conformance.rows import Unavailable, bundle
from bench.conformance.values import at, renamed

if TYPE_CHECKING:
    from bench.conformance.session import Session

_OPTIONS = {
    "minTraversalConfidence": "min_confidence",
    "maxTraversalNodes": "max_nodes",
    "traversalDirection": "direction",
    "includeEntityIds": "include_namespaces",
}


def _traverse(session: Session, namespace: str, options: Mapping[str, Any]) -> Any:
    return session.wiki.traverse_graph(namespace, **renamed(options, _OPTIONS))


def _read(session: Session, namespace: str | list[str], query: str, options: Any = None) -> Any:
    found = session.wiki.read(namespace, query, **renamed(options, _OPTIONS))
    return {
        "facts": found.facts,
        "tasks": found.tasks,
        "events": found.events,
        "edges": found.edges,
        "factScores": found.fact_scores,
        "metadata": {"query": found.metadata["query"], "entityIds": found.metadata["namespaces"]},
    }


def _reembed(session: Session, namespace: str, options: Any = None) -> Any:
    """Until there is `run_reembed`: missing and stale vectors are made, which is what it does when none is fresh."""
    assert session.embedder is not None
    store, wiki, model_id = session.store, session.wiki, session.embedder.model_id
    if not (options or {}).get("skipExisting") and store.vectors.count(namespace, model_id):
        raise Unavailable("run_reembed is not built yet", blocks=True)
    missing = store.vectors.missing(namespace, model_id, ("fact",), after=0, limit=10_000)
    fresh = wiki.get_status(namespace).facts - len(missing)
    wiki.sync_search_index(namespace)
    return {"embedded": len(missing), "skipped": fresh, "failed": 0, "deferred": 0, "permanentlyFailed": 0}


def _format_context(session: Session, *arguments: Any) -> str:
    options = renamed(at(arguments, 1), _OPTIONS)
    text = lorelite.format_context(bundle(arguments[0]), now=session.now, **options)
    # The reference's word for a namespace.
    return text.replace("{namespace=", "{entity_id=")


def _format_graph_context(session: Session, graph: Any) -> str:
    return lorelite.format_graph_context(lorelite.Graph() if isinstance(graph, dict) else graph)


CALLS = {"traverseGraph": _traverse, "read": _read, "runReembed": _reembed}
FUNCTIONS = {"formatContext": _format_context, "formatGraphContext": _format_graph_context}
READS_ONLY = {"read", "traverseGraph"}
