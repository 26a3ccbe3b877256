"""The dumps of core-llm-wiki, the program whose memory engine Lorelite learned from, as rows of ours.

Nothing is cut off. What cannot be kept as it stands is read as nearly as possible, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from lorelite.errors import DumpError, InvalidManifest
from lorelite.ids import content_id
from lorelite.interchange.columns import RowRefused, checked
from lorelite.interchange.dump_file import Item
from lorelite.interchange.reference_values import Reading, read_vector, vector_of
from lorelite.ontology.rules import validate_manifest
from lorelite.options import MAX_SOURCE_REF_CHARS
from lorelite.records import Confidence, EventType, Lifecycle, SourceType, TaskStatus
from lorelite.store.nodes import hash_of

_OLD_SOURCE_TYPES = {"user_document": "immutable_document", "agent_inferred": "librarian_inferred"}
_DERIVED = frozenset({
    "entity_id", "isStale", "trustTier", "last_verified_at", "last_verified_by", "embedding_failed_at",
    "embedding_failure_kind", "embedding_attempts", "embedding", "embedding_blob",
})  # fmt: skip
"""What follows from other fields, or is upkeep of the other program."""
_VECTORS_AT_ONCE = 500
"""They come after their facts, many together: rows are written table by table."""


class ReferenceReader:
    """Reads dumps. `problems` grows with what was read otherwise than it stands, `skipped` with what was not read."""

    def __init__(self, *, embedding_model: str | None, renamed: Callable[[str], str]) -> None:
        self.problems: list[str] = []
        self.skipped: list[tuple[str, str, str]] = []
        self._model_id = embedding_model
        self._renamed = renamed
        self._left_out = 0

    def items(self, dump: object, name: str) -> Iterator[Item]:
        """The rows of a dump {"entities": {namespace: {"facts", "tasks", "events", "edges", "summary"}}}."""
        entities = dump.get("entities") if isinstance(dump, Mapping) else None
        if not isinstance(entities, Mapping):
            raise DumpError(name, 'expected a dump: {"entities": {…}} of core-llm-wiki, or a file of export_dump')
        self._left_out = 0
        for namespace, content in entities.items():
            if not isinstance(content, Mapping):
                raise DumpError(name, f"entity {namespace!r}: expected an object with facts, tasks, events and edges")
            yield from self._namespace(name, str(namespace), content)
        if self._left_out:
            self.problems.append(
                f"{self._left_out:,} vectors were left out, since the dump does not name their model; "
                "import again with embedding_model=…, or make new ones with run_reembed"
            )

    def _namespace(self, name: str, namespace: str, content: Mapping[str, Any]) -> Iterator[Item]:
        summary = content.get("summary")
        yield (
            "namespace",
            {"name": namespace, "created_at": None, "summary": summary if isinstance(summary, str) else ""},
        )
        owned: dict[tuple[str, str], tuple[int, int]] = {}
        vectors: list[Item] = []
        for given in self._listed(name, namespace, content, "facts"):
            reading = Reading(given, f"{namespace}: fact {given.get('id')!r}", self.problems)
            try:
                row = checked("node", self._fact(reading, name))
            except RowRefused as refused:
                self._skip("node", given, str(refused))
                continue
            yield "node", row
            if row["source_ref"] and row["source_hash"] and row["deleted_at"] is None:
                key = row["source_ref"], row["source_hash"]
                first, last = owned.get(key, (row["created_at"], row["updated_at"]))
                owned[key] = min(first, row["created_at"]), max(last, row["updated_at"])
            vectors += self._vector(reading, row)
            if len(vectors) == _VECTORS_AT_ONCE:
                yield from vectors
                vectors.clear()
        yield from vectors
        for source in self._listed(name, namespace, content, "sources"):
            reading = Reading(source, f"{namespace}: source", self.problems)
            key = reading.text("source_ref", limit=MAX_SOURCE_REF_CHARS), reading.hash("source_hash") or ""
            created_at = reading.moment("created_at") or 0
            if key[0] and key[1]:
                owned.setdefault(key, (created_at, created_at))
        yield from self._claims(namespace, owned)
        for table, listed, read in (
            ("task", "tasks", self._task),
            ("event", "events", self._event),
            ("edge", "edges", self._edge),
        ):
            for given in self._listed(name, namespace, content, listed):
                reading = Reading(given, f"{namespace}: {table} {given.get('id')!r}", self.problems)
                try:
                    yield table, checked(table, read(reading))
                except RowRefused as refused:
                    self._skip(table, given, str(refused))
        yield from self._ontology(namespace, content)

    def _fact(self, reading: Reading, name: str) -> dict[str, Any]:
        source_type = reading.get("source_type", "librarian_inferred")
        source_type = _OLD_SOURCE_TYPES.get(str(source_type), source_type)
        if source_type not in get_args(SourceType):
            raise DumpError(
                name,
                f"{reading.where}: expected a source_type of {', '.join(get_args(SourceType))} "
                f"or the older {', '.join(_OLD_SOURCE_TYPES)}, found {source_type!r}",
            )
        row = {
            "id": reading.get("id"),
            "kind": "fact",
            "title": reading.text("title"),
            "body": reading.text("body"),
            "node_type": reading.optional_text("okf_type"),
            "tags": reading.texts("tags"),
            "confidence": reading.one_of("confidence", Confidence, "inferred", otherwise="tentative"),
            "source_type": source_type,
            "source_ref": reading.optional_text("source_ref", limit=MAX_SOURCE_REF_CHARS),
            "source_hash": reading.hash("source_hash"),
            "created_at": reading.moment("created_at") or 0,
            "updated_at": reading.moment("updated_at") or 0,
            "valid_from": reading.moment("valid_from"),
            "valid_to": reading.moment("valid_to"),
            "superseded_by": reading.optional_text("superseded_by", limit=MAX_SOURCE_REF_CHARS),
            "superseded_at": reading.moment("superseded_at"),
            "healed_at": reading.moment("heal_checked_at"),
            "typed_at": reading.moment("ontology_checked_at"),
            "last_accessed_at": reading.moment("last_accessed_at"),
            "access_count": max(0, reading.moment("access_count") or 0),
            "deleted_at": reading.moment("deleted_at"),
            **self._trust(reading),
        }
        return row | {"extra": reading.rest(_DERIVED)}

    def _trust(self, reading: Reading) -> dict[str, Any]:
        return {
            "lifecycle": reading.one_of("lifecycle_status", Lifecycle, "stable"),
            "stale_after": reading.moment("stale_after"),
            "generated_by": reading.optional_text("generated_by"),
            "verified": reading.verified("okf_verified"),
            "sources": reading.mappings("okf_sources"),
            "usage_window": reading.window("okf_usage_window"),
        }

    def _task(self, reading: Reading) -> dict[str, Any]:
        row = {
            "id": reading.get("id"),
            "description": reading.text("description"),
            "status": reading.one_of("status", TaskStatus, "pending"),
            "priority": reading.priority("priority"),
            "created_at": reading.moment("created_at") or 0,
            "updated_at": reading.moment("updated_at") or 0,
            "resolved_at": reading.moment("resolved_at"),
            "deleted_at": reading.moment("deleted_at"),
            "body": reading.text("body"),
            "node_type": reading.optional_text("okf_type"),
            **self._trust(reading),
        }
        return row | {"extra": reading.rest(_DERIVED)}

    def _event(self, reading: Reading) -> dict[str, Any]:
        return {
            "id": reading.get("id"),
            "event_type": reading.one_of("event_type", EventType, "observation"),
            "summary": reading.text("summary"),
            "related_node_id": reading.optional_text("related_entry_id", limit=MAX_SOURCE_REF_CHARS),
            "created_at": reading.moment("created_at") or 0,
        }

    def _edge(self, reading: Reading) -> dict[str, Any]:
        created_at = reading.moment("created_at") or 0
        return {
            "id": reading.get("id"),
            "source_id": reading.get("source_id"),
            "edge_type": reading.get("edge_type"),
            "target_id": reading.get("target_id"),
            "created_at": created_at,
            "updated_at": created_at,
        }

    def _vector(self, reading: Reading, row: Mapping[str, Any]) -> Iterator[Item]:
        given = reading.get("embedding_blob") or reading.get("embedding")
        if given is None or row["deleted_at"] is not None:
            return
        if self._model_id is None:
            self._left_out += 1
            return
        data = read_vector(given)
        if data is None:
            self.problems.append(f"{reading.where}: its vector cannot be read and was left out")
            return
        text_hash = hash_of(row["title"], row["body"], row["tags"])
        yield "vector", vector_of(row["id"], self._model_id, text_hash, data, row["updated_at"])

    def _claims(self, namespace: str, owned: Mapping[tuple[str, str], tuple[int, int]]) -> Iterator[Item]:
        """A source that was taken in there counts as taken in here."""
        for (source_ref, source_hash), (created_at, updated_at) in owned.items():
            yield (
                "document",
                checked(
                    "document",
                    {
                        "id": content_id("doc", self._renamed(namespace), source_ref, source_hash),
                        "source_ref": source_ref,
                        "source_hash": source_hash,
                        "origin": "stated",
                        "status": "complete",
                        "created_at": created_at,
                        "updated_at": updated_at,
                    },
                ),
            )

    def _ontology(self, namespace: str, content: Mapping[str, Any]) -> Iterator[Item]:
        given = content.get("manifest")
        if given is None:
            return
        try:
            manifest = validate_manifest(given["manifest"]).as_mapping()
            row = {"mode": given["mode"], "manifest": manifest, "updated_at": given.get("updated_at") or 0}
            yield "ontology", checked("ontology", row)
        except (InvalidManifest, RowRefused, KeyError, TypeError) as error:
            self.problems.append(f"{namespace}: its manifest was left out: {error}")

    def _listed(self, name: str, namespace: str, content: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
        rows = content.get(key)
        if rows is None:
            return
        if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
            raise DumpError(name, f"entity {namespace!r}: expected a list of {key}, found {type(rows).__name__}")
        for row in rows:
            if isinstance(row, Mapping):
                yield row
            else:
                self.skipped.append((key, "", f"expected an object, found {type(row).__name__}"))

    def _skip(self, table: str, given: Mapping[str, Any], reason: str) -> None:
        self.skipped.append((table, str(given.get("id")), reason))
