"""What taking a document in will cost, before it is done: the very requests are built, and none is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorelite.engine import Engine
from lorelite.ingest.by_model import passage_request
from lorelite.ingest.source import Manner, Source
from lorelite.ports import Foreseeing, ModelRequest
from lorelite.records import Estimate

_SHORTEST, _LONGEST = 0.2, 1.2
"""How long replies about a passage are, as a share of its request: of nothing to say, and of very much."""


def estimated_ingest(engine: Engine, sources: Iterable[tuple[Source, Manner]]) -> Estimate:
    """The cost of taking these documents in; nothing of a document that is in already, and nothing without a model."""
    if engine.model is None or not isinstance(engine.model, Foreseeing):
        return Estimate()
    total = Estimate()
    for source, manner in sources:
        total += engine.model.foresee(_requests(engine, source, manner), _SHORTEST, _LONGEST)
    return total


def _requests(engine: Engine, source: Source, manner: Manner) -> Sequence[ModelRequest]:
    """Those that are still to be answered."""
    document = engine.store.documents.find(source.namespace, source.source_ref, source.source_hash)
    done: set[int] = set()
    if document is not None:
        if document.status == "complete":
            return []
        done = {chunk.start for chunk in engine.store.documents.chunks(document.id) if chunk.state == "done"}
    return [
        passage_request(engine, source, manner, span.start, span.end, span.heading or source.source_ref)
        for span in manner.spans(source.text)
        if span.start not in done
    ]
