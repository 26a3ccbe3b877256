"""Search, walks, contexts, vectors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import lorelite
from bench.conformance import reference_shape
from bench.conformance.rows import bundle as bundle_of
from bench.conformance.values import at, decode, renamed
from lorelite import MemoryBundle, NotFound

if TYPE_CHECKING:
    from bench.conformance.session import Session

_OPTIONS = {
    "minTraversalConfidence": "min_confidence",
    "maxTraversalNodes": "max_nodes",
    "traversalDirection": "direction",
    "includeEntityIds": "include_namespaces",
    "includeZeroWeightEntities": "include_zero_weight",
}
_NO_LIMIT = 1_000_000


def _traverse(session: Session, namespace: str, options: Mapping[str, Any]) -> Any:
    return session.wiki.traverse_graph(namespace, **renamed(options, _OPTIONS))


def _read(session: Session, namespace: str | list[str], query: str, options: Any = None) -> Any:
    limits = ("hybridWeight", "maxResults", "preFilterLimit")
    others = {name: value for name, value in (options or {}).items() if name not in limits}
    chosen = renamed(others, _OPTIONS) | _read_options(options or {})
    by_meaning = session.embedder is not None and session.wiki._wiki._engine.config.hybrid_weight is None
    if by_meaning and "hybrid_weight" not in chosen:
        # The reference ranks by the bare cosine where no weight is given.
        chosen["hybrid_weight"] = "cosine"
    try:
        found = session.wiki.read(namespace, query, **chosen)
    except NotFound:
        # The reference gives nothing for a namespace that is not there; ours says so.
        return {"facts": [], "tasks": [], "events": [], "edges": []}
    # The reference leaves the edges to traverseGraph.
    bundle = reference_shape.bundle(found) | {"edges": []}
    if isinstance(namespace, str):
        return bundle
    metadata = {"query": found.metadata["query"].strip(), "entityIds": found.metadata["namespaces"]}
    for name, ours in (("tierWeights", "tier_weights"), ("tierFloors", "tier_floors")):
        if ours in chosen:
            metadata[name] = found.metadata.get(ours, {})
    scores = _scores(found, chosen.get("hybrid_weight")) if query.strip() and found.facts else None
    return bundle | {"factScores": scores, "metadata": metadata}


def _read_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers beyond their range, which the reference moves into it and ours refuses."""
    options: dict[str, Any] = {}
    weight, limit = given.get("hybridWeight"), given.get("maxResults")
    if weight is not None:
        options["hybrid_weight"] = None if math.isnan(weight) else min(1.0, max(0.0, weight))
    if limit is not None:
        options["max_results"] = max(0, int(limit)) if math.isfinite(limit) else None
    if "preFilterLimit" in given:
        width = given["preFilterLimit"]
        options["pre_filter_limit"] = _NO_LIMIT if width is None or not math.isfinite(width) else max(0, int(width))
    return {name: value for name, value in options.items() if value is not None}


def _scores(found: MemoryBundle, weight: float | str | None) -> dict[str, float]:
    """Ours, and what the reference makes up for a node without a vector."""
    made_up = -2 if weight in (1, "cosine") else 0
    return {fact.id: found.fact_scores.get(fact.id, made_up) for fact in found.facts}


def _reembed(session: Session, namespace: str | None = None, options: Any = None) -> Any:
    given = options or {}
    report = session.call(
        "run_reembed",
        namespace,
        force=given.get("force", False),
        # The reference makes every vector anew unless told otherwise.
        skip_existing=given.get("skipExisting", False),
    )
    return {
        "embedded": report.embedded,
        "skipped": report.skipped,
        "failed": report.failed,
        "deferred": report.deferred,
        "permanentlyFailed": report.permanently_failed,
    }


class CaseRanker:
    """A vector ranker that gives what a case says, or fails."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self.hook: Mapping[str, Any] = given.get("hook") or {}
        self.told: list[tuple[str, str, bool]] = []

    def rank(self, namespace: str, query_vector: object, candidate_ids: object, limit: int) -> list[tuple[str, float]]:
        if "throw" in self._given:
            raise RuntimeError(self._given["throw"])
        results = self._given.get("results", {}).get(namespace, ())
        return [(result["id"], decode(result["semanticScore"], {})) for result in results]

    def on_embedding_persisted(self, namespace: str, node_id: str, vector: object) -> None:
        self.told.append((namespace, node_id, vector is not None))
        if "throw" in self.hook or node_id in self.hook.get("throwOn", ()):
            raise RuntimeError(self.hook.get("throw", "refused"))


def _ranker(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    settings = {"vector_ranker_fallback": given.get("policy"), "propagate_ranker_failure": given.get("propagate")}
    return {
        "vector_ranker": CaseRanker(given),
        "config": {name: value for name, value in settings.items() if value is not None},
    }


def _hook(session: Session, step: Mapping[str, Any]) -> None:
    ranker: Any = session.wiki._wiki._engine.ranker
    ranker._ranker.hook = step["hook"]


def _table_prefix(value: str) -> dict[str, Any]:
    """Lorelite's tables have their names: a prefix that the reference takes means nothing, another is refused."""
    return {} if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,30}_", value) else {"table_prefix": value}


def _format_context(session: Session, *arguments: Any) -> str:
    options = renamed(at(arguments, 1), _OPTIONS)
    text = lorelite.format_context(bundle_of(arguments[0]), now=session.now, **options)
    # The reference's word for a namespace.
    return text.replace("{namespace=", "{entity_id=")


def _format_graph_context(session: Session, graph: Any) -> str:
    return lorelite.format_graph_context(lorelite.Graph() if isinstance(graph, dict) else graph)


CALLS = {"traverseGraph": _traverse, "read": _read, "runReembed": _reembed}
FUNCTIONS = {"formatContext": _format_context, "formatGraphContext": _format_graph_context}
READS_ONLY = {"read", "traverseGraph"}
OPEN = {"ranker": _ranker}
STEPS = {"hook": _hook}
CONFIG = {
    "tablePrefix": _table_prefix,
    "hybridWeight": lambda weight: {"hybrid_weight": _read_options({"hybridWeight": weight}).get("hybrid_weight")},
    "preFilterLimit": lambda width: {"pre_filter_limit": _read_options({"preFilterLimit": width})["pre_filter_limit"]},
    "maxFtsResults": "max_results",
}
VIEWS = {
    "llm_wiki_meta": """
        select distinct 'embedding_dimension' as key, cast(dimensions as text) as value from vector""",
}
