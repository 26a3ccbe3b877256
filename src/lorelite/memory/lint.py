"""`lint`: what may want attention in a namespace."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.findings import Finding, LintReport
from lorelite.memory.ontology import effective, violates
from lorelite.retrieve.semantic import EMBEDDED_KINDS

_SAMPLE = 20


def lint(engine: Engine, namespace: str) -> LintReport:
    """Look at everything and change nothing; costs a few passes over the namespace."""
    review, now = engine.store.review, engine.clock()
    ontology = effective(engine, namespace)
    refused = [kinds for kinds in review.edge_kinds(namespace, now) if violates(ontology, *kinds)]
    return LintReport(
        dangling_edges=review.dangling_edges(namespace, now),
        manifest_violations=review.edges_of_kinds(namespace, now, refused) if refused else Finding(),
        untyped_facts=review.untyped_facts(namespace, now),
        drafts=review.draft_facts(namespace, now),
        unverified_inferred=review.unverified_inferred(namespace, now),
        stale=review.stale(namespace, now),
        missing_vectors=_missing_vectors(engine, namespace),
        duplicate_titles=review.duplicate_titles(namespace, now),
        partial_documents=review.partial_documents(namespace),
    )


def _missing_vectors(engine: Engine, namespace: str) -> Finding:
    if engine.embedder is None:
        return Finding()
    vectors, model_id = engine.store.vectors, engine.embedder.model_id
    sample = vectors.embeddable(namespace, model_id, EMBEDDED_KINDS, after=0, limit=_SAMPLE, missing_only=True)
    return Finding(vectors.missing_count(namespace, model_id, EMBEDDED_KINDS), tuple(each.node.id for each in sample))
