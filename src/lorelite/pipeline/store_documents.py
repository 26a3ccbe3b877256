"""Documents and chunks in a key-value store: the same text in two documents is one chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite.graph_records import DeleteReport, GraphDocument, TextChunk
from lorelite.pipeline.store_core import digest
from lorelite.pipeline.store_entities import StoredEntities
from lorelite.store_ports import CHUNK
from lorelite.text.chunking import ChunkSpan

_CHUNKS_SO_FAR = "chunks_so_far"


class StoredDocuments(StoredEntities):
    async def known(self, documents: Sequence[GraphDocument]) -> list[bool]:
        records = await self._documents.many([document_id(document) for document in documents])
        found = [records.get(document_id(document)) for document in documents]
        return [
            record is not None and record["complete"] and record["content"] == document.content
            for record, document in zip(found, documents, strict=True)
        ]

    async def add_documents(
        self, documents: Sequence[tuple[GraphDocument, Sequence[ChunkSpan]]]
    ) -> list[list[TextChunk]]:
        return [await self.add_document(document, spans) for document, spans in documents]

    async def add_document(self, document: GraphDocument, spans: Sequence[ChunkSpan]) -> list[TextChunk]:
        id = document_id(document)
        record = await self._documents.get(id)
        if record is not None and record["leaving"]:
            await self.delete_documents([id])
            record = None
        if record is not None and record["content"] == document.content:
            return []
        places = _places(document, id, spans)
        stored = await self._chunks.many(list(places))
        new = [chunk_id for chunk_id in places if chunk_id not in stored]
        so_far = int(await self._memos.get(_CHUNKS_SO_FAR) or 0)
        chunks = {
            chunk_id: record | {"places": _with_place(record["places"], places[chunk_id])}
            for chunk_id, record in stored.items()
        }
        for serial, chunk_id in enumerate(new, so_far + 1):
            place = places[chunk_id]
            content = document.content[place["start"] : place["end"]]
            chunks[chunk_id] = {"content": content, "serial": serial, "places": [place]}
        await self._graph.upsert_nodes_batch(
            {id: {"label": CHUNK, "chunk_id": id, "order": chunks[id]["places"][0]["order"]} for id in new}
        )
        earlier = [*record["chunks"], *record["earlier"]] if record is not None else []
        kept = {
            "content": document.content,
            "metadata": dict(document.metadata),
            "complete": False,
            "leaving": False,
            "chunks": list(places),
            "earlier": [chunk_id for chunk_id in dict.fromkeys(earlier) if chunk_id not in places],
        }
        await self._kv.upsert(
            self._documents.stored({id: kept})
            | self._chunks.stored(chunks)
            | self._memos.stored({_CHUNKS_SO_FAR: so_far + len(new)})
            | await self._chunks.keys.with_added(new)
            | (await self._documents.keys.with_added([id]) if record is None else {})
            | await self._texts_changed("chunks", new)
        )
        return [_chunk(chunk_id, chunks[chunk_id]) for chunk_id in new]

    async def complete_documents(self, ids: Sequence[str]) -> None:
        records = await self._documents.many(ids)
        begun = {id: record for id, record in records.items() if not record["complete"]}
        for id, record in begun.items():
            await self._leave({chunk_id: {id} for chunk_id in record["earlier"]})
        await self._kv.upsert(
            self._documents.stored({id: record | {"complete": True, "earlier": []} for id, record in begun.items()})
        )

    async def delete_documents(self, ids: Sequence[str]) -> DeleteReport:
        self._check_can_delete()
        ids = list(dict.fromkeys(ids))
        records = await self._documents.many(ids)
        # An interrupted deletion is to be seen: the next, or the next insert of the document, goes on with it.
        leaves = {"complete": False, "leaving": True}
        await self._kv.upsert(self._documents.stored({id: record | leaves for id, record in records.items()}))
        leaving: dict[str, set[str]] = {}
        for id, record in records.items():
            for chunk_id in (*record["chunks"], *record["earlier"]):
                leaving.setdefault(chunk_id, set()).add(id)
        report = await self._leave(leaving)
        await self._documents.delete(records)
        return DeleteReport(
            documents=len(records),
            chunks=report.chunks,
            entities=report.entities,
            relations=report.relations,
            questions=report.questions,
            unknown=tuple(id for id in ids if id not in records),
        )

    async def chunks(self, ids: Sequence[str]) -> list[TextChunk]:
        records = await self._chunks.many(ids)
        return [_chunk(id, records[id]) for id in ids if id in records]

    async def chunks_of(self, document_ids: Sequence[str]) -> list[str]:
        documents = await self._documents.many(list(dict.fromkeys(document_ids)))
        listed = dict.fromkeys(id for record in documents.values() for id in (*record["earlier"], *record["chunks"]))
        records = await self._chunks.many(list(listed))
        return [
            id
            for id in listed
            if id in records and all(place["document"] in documents for place in records[id]["places"])
        ]

    async def _leave(self, leaving: Mapping[str, set[str]]) -> DeleteReport:
        """Chunk id → documents that do not hold it any more. Chunks that none holds go, with all that they say.

        Their records go first and their states last, so that nobody works on what is half gone, and all of it can be
        found again by the documents that list it.
        """
        records = await self._chunks.many(list(leaving))
        staying: dict[str, Any] = {}
        for id, record in records.items():
            places = [place for place in record["places"] if place["document"] not in leaving[id]]
            if places:
                staying[id] = record | {"places": places}
        gone = [id for id in leaving if id not in staying]
        await self._kv.upsert(self._chunks.stored(staying))
        await self._chunks.delete(gone)
        states = await self._states.many(gone)
        questions = [id for state in states.values() for id in state["questions"]]
        entities, relations = await self._fall_silent(states)
        await self._texts_gone("questions", questions, questions)
        await self._questions.delete(questions)
        await self._texts_gone("chunks", gone, gone)
        if gone:
            await self._graph.delete_nodes_batch(gone)
            await self._kv.delete([self._states.key(id) for id in gone])
        chunks = sum(id in records for id in gone)
        return DeleteReport(chunks=chunks, entities=entities, relations=relations, questions=len(questions))


def document_id(document: GraphDocument) -> str:
    return document.id or f"doc-{digest(document.content.strip())}"


def _places(document: GraphDocument, id: str, spans: Sequence[ChunkSpan]) -> dict[str, dict[str, Any]]:
    """Chunk id → where its text stands first in the document."""
    found: dict[str, dict[str, Any]] = {}
    for order, span in enumerate(spans):
        place = {"document": id, "order": order, "start": span.start, "end": span.end, "heading": span.heading}
        found.setdefault(f"chunk-{digest(span.of(document.content))}", place)
    return found


def _with_place(places: Sequence[Mapping[str, Any]], place: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """In place of the document's earlier one, else last."""
    if any(each["document"] == place["document"] for each in places):
        return [place if each["document"] == place["document"] else each for each in places]
    return [*places, place]


def _chunk(id: str, record: Mapping[str, Any]) -> TextChunk:
    first = record["places"][0]
    return TextChunk(
        id=id,
        content=record["content"],
        document_ids=tuple(place["document"] for place in record["places"]),
        order=first["order"],
        start=first["start"],
        end=first["end"],
        heading=first["heading"],
    )
