"""Ontologies and their backfill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench.conformance.values import at, renamed
from lorelite import InvalidManifest, Manifest, validate_manifest

if TYPE_CHECKING:
    from bench.conformance.session import Session

_CLASSIFIERS = {"llm": "model"}


def _get(session: Session, namespace: str) -> Any:
    ontology = session.call("get_ontology", namespace)
    return None if ontology is None else ontology.as_mapping()


def _set(session: Session, namespace: str, manifest: Any, options: Any = None) -> None:
    session.call("set_ontology", namespace, manifest, **renamed(options))


def _set_several(session: Session, entries: Sequence[Mapping[str, Any]], options: Any = None) -> Any:
    names = [entry["entityId"] for entry in entries]
    if len(set(names)) < len(names):
        raise InvalidManifest("ontologies", "each namespace once", names, "remove the second entry")
    given = {
        entry["entityId"]: {"manifest": entry["manifest"], **({"mode": entry["mode"]} if entry.get("mode") else {})}
        for entry in entries
    }
    report = session.call("set_ontologies", given, **renamed(options))
    return {"written": report.written, "skipped": report.skipped}


def _backfill(session: Session, namespace: str, options: Any = None) -> Any:
    given = renamed(options, {"promptOverride": "prompt"})
    if "classifier" in given:
        given["classifier"] = _CLASSIFIERS.get(given["classifier"], given["classifier"])
    report = session.call("run_ontology_backfill", namespace, **given)
    return {
        "scanned": report.scanned,
        "typed": report.typed,
        "failedValidation": report.failed_validation,
        "edgesAdded": report.edges_added,
        "skipped": report.skipped,
        "remaining": report.remaining,
        "deferred": report.deferred,
    }


def _validate(session: Session, *arguments: Any) -> None:
    found = validate_manifest(at(arguments, 0))
    assert isinstance(found, Manifest)


def _config(given: Mapping[str, Any]) -> dict[str, Any]:
    ontology = renamed(given)
    if "backfill_classifier" in ontology:
        ontology["backfill_classifier"] = _CLASSIFIERS.get(
            ontology["backfill_classifier"], ontology["backfill_classifier"]
        )
    return {"ontology": ontology}


CALLS = {
    "getOntologyManifest": _get,
    "setOntologyManifest": _set,
    "setOntologyManifests": _set_several,
    "runOntologyBackfill": _backfill,
}
FUNCTIONS = {"validateManifest": _validate}
CONFIG = {"ontology": _config}
ERRORS = {"WikiStrictOntologyViolation": "StrictOntologyViolation"}
JUDGED = {"ontology": ("llmCalls", "diagnostics")}
READS_ONLY = {"getOntologyManifest"}
