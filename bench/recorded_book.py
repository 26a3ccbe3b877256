"""Recorded replies of another system (tuple-delimited extractions) as a model that answers Lorelite's requests.

The recording has no prompts. Each reply is given to the chunk that names most of the reply's entities; replies that
fall on the same chunk (first and gleaning rounds) are answered together. Nothing is dropped in silence: what cannot be
read or placed is counted in `RecordedBookModel.account`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorelite.ports import ModelReply, ModelRequest
from lorelite.text.title_key import title_key

STRONGEST = 10
RECORD = re.compile(r'\(\s*"(entity|relationship)"\s*<\|>(.*?)\)\s*(?=\n|##|<\|COMPLETE\|>|$)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Entity:
    name: str
    entity_type: str
    description: str


@dataclass(frozen=True, slots=True)
class Relation:
    source: str
    target: str
    description: str
    strength: float


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one recorded reply says."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    unreadable: tuple[str, ...] = ()
    """Records that have the wrong number of fields or no readable strength."""

    @property
    def names(self) -> frozenset[str]:
        found = {entity.name for entity in self.entities}
        return frozenset(found.union(*((relation.source, relation.target) for relation in self.relations)))


@dataclass(frozen=True, slots=True)
class RecordedBook:
    """The recording sorted out: extractions, and how many replies are of other kinds (reports, prose)."""

    extractions: tuple[Extraction, ...]
    reports: int
    prose: int


def parse_recording(text: str) -> RecordedBook:
    """Read `{hash: {"return": reply, "model": name}}`."""
    replies = [entry["return"] for entry in json.loads(text).values()]
    extractions = [parse_reply(reply) for reply in replies if "<|>" in reply]
    others = [reply for reply in replies if "<|>" not in reply]
    reports = sum(1 for reply in others if re.match(r"\s*(```\w*\s*)?\{", reply))
    return RecordedBook(tuple(extractions), reports, len(others) - reports)


def parse_reply(reply: str) -> Extraction:
    """`("entity"<|>name<|>type<|>description)` and `("relationship"<|>from<|>to<|>description<|>strength)`."""
    entities, relations, unreadable = [], [], []
    for record in RECORD.finditer(reply):
        kind, fields = record[1], [field.strip().strip('"') for field in record[2].split("<|>")]
        if kind == "entity" and len(fields) == 3 and fields[0]:
            entities.append(Entity(fields[0], fields[1], fields[2]))
        elif kind == "relationship" and len(fields) == 4 and re.fullmatch(r"\d+(\.\d+)?", fields[3]):
            relations.append(Relation(fields[0], fields[1], fields[2], float(fields[3])))
        else:
            unreadable.append(record[0])
    return Extraction(tuple(entities), tuple(relations), tuple(unreadable))


def assign(
    extractions: Sequence[Extraction], chunks: Sequence[str]
) -> tuple[dict[int, list[Extraction]], list[Extraction]]:
    """Chunk number to the extractions placed there, and those that name nothing that any chunk holds.

    Most names shared wins; a tie goes to the chunk that shares the rarer names, then to the earlier one.
    """
    folded = [_plain(chunk) for chunk in chunks]
    every = {name for extraction in extractions for name in extraction.names}
    present = {name: [number for number, chunk in enumerate(folded) if _plain(name) in chunk] for name in every}
    placed: dict[int, list[Extraction]] = {}
    homeless: list[Extraction] = []
    for extraction in extractions:
        shared: Counter[int] = Counter()
        rarity: dict[int, float] = {}
        for name in sorted(extraction.names):
            for number in present[name]:
                shared[number] += 1
                rarity[number] = rarity.get(number, 0.0) + 1 / len(present[name])
        if not shared:
            homeless.append(extraction)
            continue
        best = min(shared, key=lambda number: (-shared[number], -rarity[number], number))
        placed.setdefault(best, []).append(extraction)
    return placed, homeless


def merged(extractions: Iterable[Extraction]) -> Extraction:
    """Several replies about one chunk as one: the first description of an entity or pair is kept."""
    entities: dict[str, Entity] = {}
    relations: dict[tuple[str, str], Relation] = {}
    for extraction in extractions:
        for entity in extraction.entities:
            entities.setdefault(entity.name, entity)
        for relation in extraction.relations:
            relations.setdefault((relation.source, relation.target), relation)
    return Extraction(tuple(entities.values()), tuple(relations.values()))


def as_reply(extraction: Extraction) -> str:
    """The JSON that the extraction prompt asks for. The recording names no relation types and quotes nothing."""
    return json.dumps(
        {
            "entities": [
                {"name": entity.name, "type": entity.entity_type, "description": entity.description, "aliases": []}
                for entity in extraction.entities
            ],
            "relations": [
                {
                    "source": relation.source,
                    "target": relation.target,
                    "type": "related_to",
                    "description": relation.description,
                    "weight": min(1.0, relation.strength / STRONGEST),
                }
                for relation in extraction.relations
            ],
            "facts": [],
        },
        ensure_ascii=False,
    )


class RecordedBookModel:
    """A ChatModel that answers extraction requests about the chunks it was told of."""

    name = "recorded-book"
    blocking = True

    def __init__(self, book: RecordedBook, chunks: Sequence[str]) -> None:
        placed, self._homeless = assign(book.extractions, chunks)
        self._book = book
        answers = {chunks[number]: merged(found) for number, found in placed.items()}
        self._replies = {chunk: as_reply(found) for chunk, found in answers.items()}
        self._kept = sum(len(found.entities) + len(found.relations) for found in answers.values())
        self._chunks = chunks
        self._unknown = 0

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return [ModelReply(text=self._reply(request)) for request in requests]

    def as_blocking(self) -> RecordedBookModel:
        return self

    def account(self) -> dict[str, int]:
        """What became of the recording, in replies, records and chunks."""
        entities = sum(len(found.entities) for found in self._book.extractions)
        relations = sum(len(found.relations) for found in self._book.extractions)
        pairs = {
            (title_key(relation.source), title_key(relation.target))
            for found in self._book.extractions
            for relation in found.relations
        }
        lost = sum(len(found.entities) + len(found.relations) for found in self._homeless)
        return {
            "recorded_extractions": len(self._book.extractions),
            "recorded_reports_unused": self._book.reports,
            "recorded_prose_unused": self._book.prose,
            "recorded_entities": entities,
            "recorded_relations": relations,
            "distinct_relations": len(pairs),
            "told_again_in_a_chunk": entities + relations - self._kept - lost,
            "unreadable_records": sum(len(found.unreadable) for found in self._book.extractions),
            "extractions_without_chunk": len(self._homeless),
            "chunks_without_extraction": len(self._chunks) - len(self._replies),
            "unknown_requests": self._unknown,
        }

    def _reply(self, request: ModelRequest) -> str:
        chunk = next((chunk for chunk in self._chunks if chunk in request.user), None)
        self._unknown += chunk is None
        return self._replies.get(chunk or "", as_reply(Extraction((), ())))


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").split())
