"""What is to be taken in, and how: a checked request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import DocumentTooLarge, UnreadableDocument
from lorelite.ids import text_hash
from lorelite.instructions import effective_prompt
from lorelite.ports import OnProgress
from lorelite.records import OnDuplicate
from lorelite.text import characters
from lorelite.text.chunking import ChunkSpan, chunk_spans
from lorelite.text.clean import clean_text, looks_binary

_VISIBLE = re.compile(f"[^\\s{characters.IGNORABLE}]")
_MAX_CHUNK = 100_000


@dataclass(frozen=True, slots=True)
class Source:
    """The document."""

    namespace: str
    source_ref: str
    source_hash: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How it is taken in."""

    chunk_chars: int
    chunk_overlap: int
    prompt: str | None
    """The caller's template in place of the built-in prompt."""
    on_duplicate: OnDuplicate
    allow_empty: bool
    tell: OnProgress

    def spans(self, text: str) -> list[ChunkSpan]:
        """The chunks of a text."""
        return chunk_spans(text, self.chunk_chars, self.chunk_overlap)


def checked_source(engine: Engine, namespace: str, source_ref: str, text: str, source_hash: str | None) -> Source:
    """The request with its hash and storable text. Raises InvalidOption, UnreadableDocument, DocumentTooLarge."""
    namespace = options.namespace(namespace)
    source_ref = options.source_ref(source_ref)
    raw = options.text("text", text)
    digest = text_hash(raw) if source_hash is None else options.source_hash(source_hash)
    if len(raw) > engine.config.max_document_chars:
        raise DocumentTooLarge(source_ref, len(raw), engine.config.max_document_chars)
    if not _VISIBLE.search(raw):
        raise UnreadableDocument(source_ref, "it is empty; pass some text")
    if looks_binary(raw):
        raise UnreadableDocument(source_ref, "it looks like binary data, not text; convert it to text first")
    return Source(namespace, source_ref, digest, clean_text(raw))


def checked_manner(
    engine: Engine,
    *,
    chunk_chars: int | None,
    chunk_overlap: int | None,
    prompt: str | None,
    on_duplicate: object,
    allow_empty: object,
    on_progress: OnProgress | None,
) -> Manner:
    """The options of a call, None standing for the settings'. Raises InvalidOption."""
    config = engine.config
    size = (
        config.chunk_chars if chunk_chars is None else options.whole_number("chunk_chars", chunk_chars, 2, _MAX_CHUNK)
    )
    if chunk_overlap is None:
        overlap = min(config.chunk_overlap, (size - 1) // 2)
    else:
        overlap = options.whole_number("chunk_overlap", chunk_overlap, 0, size - 1)
    return Manner(
        chunk_chars=size,
        chunk_overlap=overlap,
        prompt=effective_prompt(engine, "ingest", prompt),
        on_duplicate=options.one_of("on_duplicate", on_duplicate, get_args(OnDuplicate)),
        allow_empty=options.switch("allow_empty", allow_empty),
        tell=options.callback("on_progress", on_progress) or (lambda progress: None),
    )
