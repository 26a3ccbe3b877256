"""Open Knowledge Format bundles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench.conformance import reference_shape
from lorelite import MemoryDump, NamespaceDump, format_okf_bundle, parse_okf_bundle
from lorelite.interchange.reference import ReferenceReader

if TYPE_CHECKING:
    from bench.conformance.session import Session


def _format(session: Session, dump: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Any:
    profile = (options or {}).get("profile", "llm-wiki/2")
    files = format_okf_bundle(_ours(dump), profile=profile)
    return {"files": [{"path": file.path, "content": file.content} for file in files]}


def _parse(
    session: Session, namespace: str, files: Sequence[Mapping[str, str]], options: Mapping[str, Any] | None = None
) -> Any:
    given = options or {}
    dump = parse_okf_bundle(
        namespace,
        [(file["path"], file["content"]) for file in files],
        type_mapping=given.get("typeMapping"),
        default_schema=given.get("defaultSchema", "fact"),
        now=session.now,
    )
    return {
        "generatedAt": dump.generated_at,
        "entities": {name: reference_shape.namespace(found) for name, found in dump.namespaces.items()},
    }


def _ours(dump: Mapping[str, Any]) -> MemoryDump:
    """The reference's dump as one of ours, in its order of facts."""
    found: dict[str, NamespaceDump] = {}
    rows: dict[str, dict[str, list[Any]]] = {}
    summaries: dict[str, str] = {}
    name = ""
    for table, row in ReferenceReader(embedding_model=None, renamed=str).items(dump, "the case"):
        if table == "namespace":
            name = row["name"]
            summaries[name] = row.get("summary", "")
        else:
            rows.setdefault(name, {}).setdefault(table, []).append(row)
    for name, tables in rows.items():
        found[name] = NamespaceDump(
            name=name, summary=summaries[name], rows={table: tuple(given) for table, given in tables.items()}
        )
    return MemoryDump(namespaces=found)


CALLS = {}
FUNCTIONS = {"formatOkfBundle": _format, "parseOkfBundle": _parse}
