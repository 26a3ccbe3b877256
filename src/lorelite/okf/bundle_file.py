"""The files of a bundle, and the folders that concepts lie in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OkfFile:
    """One file of a bundle: its path, with slashes, and its text."""

    path: str
    content: str


KIND_FOLDERS = {"fact": "facts", "entity": "entities", "question": "questions", "report": "reports"}
"""Chunks are no concepts: they are parts of documents."""
REST_FILE = "lorelite.jsonl"
"""In our profile: the rows that no concept can say, one a line: documents, chunks, citations, the ontology."""
