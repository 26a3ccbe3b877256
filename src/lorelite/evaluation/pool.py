"""The passages of a benchmark: each once, each with a name of its own, to be found by title, by text or by both."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lorelite.evaluation.dataset import Passage

TITLE_FIELDS = ("title", "name")
TEXT_FIELDS = ("paragraph_text", "text", "sentences", "body", "contents", "content", "passage")


class Pool:
    """Passages by title and text; the same title and text twice is one passage."""

    def __init__(self) -> None:
        self._passages: dict[tuple[str, str], Passage] = {}
        self._refs: set[str] = set()
        self._by_name: dict[str, list[str]] = defaultdict(list)

    def add(self, title: str, body: str) -> str:
        """The source_ref of the passage, which is its title, numbered where that is taken."""
        known = self._passages.get((title, body))
        if known is not None:
            return known.source_ref
        base = title.strip() or "passage"
        ref, number = base, 1
        while ref in self._refs:
            number += 1
            ref = f"{base} #{number}"
        self._refs.add(ref)
        self._passages[title, body] = Passage(source_ref=ref, title=title, body=body)
        for name in dict.fromkeys((_key(title), _key(body), _key(f"{title}\n{body}"))):
            self._by_name[name].append(ref)
        return ref

    def called(self, name: str) -> tuple[str, ...]:
        """The source_refs of the passages with this title, or this text; none: ()."""
        return tuple(self._by_name.get(_key(name), ()))

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(self._passages.values())


def pool_of(corpus: object) -> Pool:
    """The passages of a list of {title, text}, or of a mapping of titles to texts or to lists of sentences."""
    pool = Pool()
    if isinstance(corpus, Mapping):
        for title, body in corpus.items():
            pool.add(str(title), joined(body))
    elif isinstance(corpus, Sequence):
        for row in corpus:
            pool.add(*passage_fields(row))
    return pool


def passage_fields(row: Any) -> tuple[str, str]:
    """Title and text of {title, text}, under the names that benchmarks use, or of [title, text]."""
    if isinstance(row, Mapping):
        title = next((row[field] for field in TITLE_FIELDS if field in row), "")
        return str(title), joined(next((row[field] for field in TEXT_FIELDS if field in row), ""))
    return str(row[0]), joined(row[1])


def joined(body: object) -> str:
    """A text, or sentences as one text: some benchmarks keep the space before each, others do not."""
    if isinstance(body, Mapping):
        return passage_fields(body)[1]
    if isinstance(body, str) or not isinstance(body, Iterable):
        return str(body)
    sentences = [str(sentence) for sentence in body]
    return re.sub(r"(?<=\S) {2,}(?=\S)", " ", " ".join(sentences)) if len(sentences) > 1 else "".join(sentences)


def _key(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
