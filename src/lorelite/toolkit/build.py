"""A step of a route that puts what documents tell of into a graph store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from lorelite import options
from lorelite.graph_records import GraphDocument
from lorelite.toolkit import checks
from lorelite.toolkit.extractor import EntityExtractor, as_document
from lorelite.toolkit.records import EntityStore


class GraphBuildProcessor:
    """Extracts from each document that goes through, and upserts what was found."""

    def __init__(
        self, extractor: EntityExtractor, store: EntityStore, *, on_error: Literal["raise", "continue"] = "raise"
    ) -> None:
        """on_error: a document that fails ends the call, or goes on with a `graph_error` in its metadata."""
        checks.able(extractor, "an EntityExtractor", "extract")
        checks.able(store, "an EntityStore", "add_entity", "add_relation")
        self._extractor = extractor
        self._store = store
        self._continues = options.one_of("on_error", on_error, ("raise", "continue")) == "continue"

    async def process(self, documents: Iterable[GraphDocument | str | Mapping[str, Any]]) -> list[GraphDocument]:
        """The same documents in the same order, with `graph_entities` and `graph_relations`, counts, in their metadata.

        The same document again changes nothing in the store.
        """
        return [await self._one(as_document(document)) for document in checks.many("documents", documents)]

    async def _one(self, document: GraphDocument) -> GraphDocument:
        try:
            found = await self._extractor.extract(document)
            for entity in found.entities:
                await self._store.add_entity(entity)
            for relation in found.relations:
                await self._store.add_relation(relation)
        except Exception as error:
            if not self._continues:
                raise
            return _told(document, graph_error=str(error))
        told: dict[str, Any] = {"graph_entities": len(found.entities), "graph_relations": len(found.relations)}
        return _told(document, **told, **({"graph_error": found.warning} if found.warning else {}))


def _told(document: GraphDocument, **values: Any) -> GraphDocument:
    kept = {key: value for key, value in document.metadata.items() if key != "graph_error"}
    return replace(document, metadata={**kept, **values})
