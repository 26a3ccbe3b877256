"""Which ontology holds in a namespace, and holding what is written against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidManifest, StrictOntologyViolation
from lorelite.hooks import Caller, Diagnostic
from lorelite.ids import edge_id
from lorelite.ontology.check import ENGINE_EDGES, check_edge, resolve_type, subtypes
from lorelite.ontology.manifest import Manifest, Ontology, OntologyMode
from lorelite.ontology.merge import NO_UPDATES, OntologyUpdates, merge_updates
from lorelite.ontology.rules import read_ontology
from lorelite.ontology.typing import DroppedEdge, Proposal, Typing, titles_named, type_proposals
from lorelite.records import Edge
from lorelite.reports import OntologyReport


def stated_ontology(engine: Engine, namespace: str) -> Ontology | None:
    """The namespace's own ontology, else the one its settings seed it with."""
    seed: Ontology | None = engine.config.ontology.seed_manifests.get(namespace)
    return engine.store.ontology.get(namespace) or seed


def effective(engine: Engine, namespace: str) -> Ontology:
    """What holds: the namespace's own ontology, its seed, or the settings' mode with an empty manifest."""
    return stated_ontology(engine, namespace) or Ontology(engine.config.ontology.mode)


def taken_up(engine: Engine, namespace: str) -> Ontology:
    """What holds, for a write: a seed becomes the namespace's own. Call it inside the write's transaction."""
    ontology = effective(engine, namespace)
    if namespace in engine.config.ontology.seed_manifests and engine.store.ontology.get(namespace) is None:
        engine.store.ontology.put(namespace, ontology)
    return ontology


def grown(engine: Engine, namespace: str, updates: OntologyUpdates, *, dry_run: bool = False) -> Ontology:
    """`taken_up`, after adding what a model proposes in emergent mode. Call it inside the write's transaction."""
    ontology = effective(engine, namespace) if dry_run else taken_up(engine, namespace)
    if ontology.mode != "emergent" or not updates:
        return ontology
    merged = Ontology("emergent", merge_updates(ontology.manifest, updates))
    if merged != ontology and not dry_run:
        engine.store.ontology.put(namespace, merged)
    return merged


def set_ontologies(
    engine: Engine, ontologies: Mapping[str, Any], *, mode: object = None, if_absent: bool = False
) -> OntologyReport:
    """Give namespaces their ontologies, all or none; with *if_absent* those that have one of their own keep it.

    Everything is checked before anything is written. Raises InvalidManifest, InvalidOption.
    """
    if not isinstance(ontologies, Mapping):
        raise InvalidManifest("ontologies", "a mapping of namespaces to manifests", ontologies, "pass a dict")
    default: OntologyMode = (
        engine.config.ontology.mode if mode is None else options.one_of("mode", mode, get_args(OntologyMode))
    )
    checked = {options.namespace(name): read_ontology(value, default) for name, value in ontologies.items()}
    written: list[str] = []
    with engine.store.atomic(cause="ontology"):
        for namespace, ontology in checked.items():
            if if_absent and engine.store.ontology.get(namespace) is not None:
                continue
            engine.store.namespaces.ensure(namespace)
            engine.store.ontology.put(namespace, ontology)
            written.append(namespace)
    return OntologyReport(
        written=tuple(written), skipped=tuple(namespace for namespace in checked if namespace not in written)
    )


def set_ontology(
    engine: Engine, namespace: str, manifest: Manifest | Ontology | Mapping[str, Any], *, mode: object, if_absent: bool
) -> Ontology:
    """Give one namespace its ontology; gives back what then holds. *mode* wins over the one *manifest* may carry."""
    value = read_ontology(manifest, engine.config.ontology.mode)
    chosen = value if mode is None else Ontology(options.one_of("mode", mode, get_args(OntologyMode)), value.manifest)
    set_ontologies(engine, {namespace: chosen}, if_absent=if_absent)
    return effective(engine, namespace)


def stated_type(engine: Engine, namespace: str, node_type: str | None, node_id: str) -> str | None:
    """A type that a caller states, as the manifest writes it; one it does not know stays as it is.

    Call it inside the write's transaction. Raises StrictOntologyViolation where the ontology is strict.
    """
    ontology = taken_up(engine, namespace)
    if node_type is None or ontology.mode == "off":
        return node_type
    found = resolve_type(ontology.manifest, node_type)
    if found is None and ontology.mode == "strict":
        raise StrictOntologyViolation(namespace, "node", node_type, node_id, "the manifest has no such type")
    return found or node_type


def expand_types(engine: Engine, namespace: str, node_types: Sequence[str]) -> list[str]:
    """Each type with its children, as the namespace's manifest writes them; unknown names stand for themselves."""
    manifest = effective(engine, namespace).manifest
    return list(dict.fromkeys(found for name in node_types for found in subtypes(manifest, name)))


def violates(ontology: Ontology, edge_type: str, source_type: str | None, target_type: str | None) -> bool:
    """Does an edge break the manifest? Never with mode off, an empty manifest, or for the engine's own edges."""
    if ontology.mode == "off" or ontology.manifest == Manifest() or edge_type in ENGINE_EDGES:
        return False
    return isinstance(check_edge(ontology.manifest, edge_type, source_type, target_type), str)


# -- what models propose ----------------------------------------------------------------------------------------


def typed(
    engine: Engine,
    namespace: str,
    proposals: Sequence[Proposal],
    *,
    updates: OntologyUpdates = NO_UPDATES,
    dry_run: bool = False,
) -> Typing:
    """The types and edges of what a model proposes, as the namespace's ontology permits them.

    Call it inside the transaction that writes the proposals, before or after them: in emergent mode it stores what
    *updates* add first. Edges lead to other proposals, or to any live fact or entity of the namespace by title or
    alias. dry_run: the same without storing anything.
    """
    return typed_by(engine, namespace, grown(engine, namespace, updates, dry_run=dry_run), proposals)


def typed_by(
    engine: Engine,
    namespace: str,
    ontology: Ontology,
    proposals: Sequence[Proposal],
    *,
    source_ref: str | None = None,
    source_hash: str | None = None,
) -> Typing:
    """`typed` by an ontology that is at hand; writes nothing.

    For a document's reader, (source_ref, source_hash), edges do not lead to other versions of the document.
    """
    if ontology.mode == "off":
        return type_proposals(ontology, proposals, {})
    known = engine.store.ontology.targets(
        namespace, titles_named(proposals), source_ref=source_ref, source_hash=source_hash
    )
    return type_proposals(ontology, proposals, known)


def edge_rows(
    engine: Engine,
    namespace: str,
    typing: Typing,
    *,
    source_ref: str | None = None,
    source_hash: str | None = None,
) -> list[Edge]:
    """The edges of *typing* as rows to store; the same edge of the same source always has the same id."""
    now = engine.clock()
    return [
        Edge(
            id=edge_id(namespace, source_ref, source_hash, edge.source_id, edge.edge_type, edge.target_id),
            namespace=namespace,
            source_id=edge.source_id,
            edge_type=edge.edge_type,
            target_id=edge.target_id,
            confidence="certain",
            origin="model",
            source_ref=source_ref,
            source_hash=source_hash,
            created_at=now,
            updated_at=now,
        )
        for edge in typing.edges
    ]


def drop_diagnostics(
    engine: Engine,
    namespace: str,
    dropped: Sequence[DroppedEdge],
    *,
    operation: str,
    caller: Caller = "call",
    source_ref: str | None = None,
) -> list[Diagnostic]:
    """One edge_dropped for each edge that was left out: which, and why."""
    return [
        Diagnostic(
            code="edge_dropped",
            severity="warning",
            operation=operation,
            namespace=namespace,
            message="an edge was left out: the ontology does not permit it, or where it leads is not there",
            detail={
                key: value
                for key, value in (
                    ("reason", edge.reason),
                    ("node_id", edge.source_id),
                    ("edge_type", edge.edge_type or None),
                    ("source_type", edge.source_type),
                    ("target_type", edge.target_type),
                    ("source_ref", source_ref),
                )
                if value is not None
            },
            caller=caller,
            at=engine.clock(),
        )
        for edge in dropped
    ]
