"""Recorded entities and triples of passages as a model that answers Lorelite's extraction requests.

The recording is `{"docs": [{"title", "text", "extracted_entities": [name], "extracted_triples": [[from, verb, to]]}]}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lorelite.errors import NotFound
from lorelite.evaluation import Dataset
from lorelite.ports import ModelReply, ModelRequest

_DOCUMENT = "document: "


class RecordedTriplesModel:
    """A ChatModel that answers for the documents of a dataset what was recorded of the same title and text.

    Malformed triples are left out. A reply names the things alone that stand in the request, and quotes nothing.
    """

    name = "recorded-triples"
    blocking = True

    def __init__(self, docs: Sequence[Mapping[str, Any]], dataset: Dataset) -> None:
        recorded = {_key(doc["title"], doc["text"]): doc for doc in docs}
        passages = [passage for part in dataset.parts for passage in part.passages]
        found = {passage.source_ref: recorded.get(_key(passage.title, passage.body)) for passage in passages}
        self._docs = {_plain(ref): doc for ref, doc in found.items() if doc is not None}
        self.without = len(passages) - len(self._docs)
        """Passages of which nothing was recorded."""
        self.malformed = sum(not _is_triple(each) for doc in self._docs.values() for each in doc["extracted_triples"])
        """Triples left out."""

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        return [ModelReply(text=self._reply(request.user)) for request in requests]

    def as_blocking(self) -> RecordedTriplesModel:
        return self

    def _reply(self, asked: str) -> str:
        lines = (line.removeprefix(_DOCUMENT) for line in asked.splitlines() if line.startswith(_DOCUMENT))
        doc = self._docs.get(_plain(next(lines, "")), {})
        text = _plain(asked)
        names = [name for name in doc.get("extracted_entities", ()) if isinstance(name, str) and _plain(name) in text]
        triples = [each for each in doc.get("extracted_triples", ()) if _is_triple(each)]
        reply = {
            "entities": [{"name": name, "type": "", "description": "", "aliases": []} for name in names],
            "relations": [
                {"source": source, "target": target, "type": verb, "description": f"{source} {verb} {target}"}
                for source, verb, target in triples
            ],
            "facts": [],
        }
        return json.dumps(reply, ensure_ascii=False)


def recorded_docs(folder: Path) -> list[Mapping[str, Any]]:
    """What the files openie*.json below *folder* hold, in the order of their names. Raises NotFound without any."""
    paths = sorted(folder.rglob("openie*.json"))
    if not paths:
        raise NotFound("recording", "openie*.json", f"expected such a file below {str(folder)!r}; name its folder")
    return [doc for path in paths for doc in json.loads(path.read_text("utf-8"))["docs"]]


def _is_triple(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) and part.strip() for part in value)


def _key(title: str, text: str) -> tuple[str, str]:
    return _plain(title), _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
