"""The part of a text that shows why it was found."""

from __future__ import annotations

from lorelite.cli.output import shortened
from lorelite.text.sentences import split_sentences
from lorelite.text.stem import light_stem
from lorelite.text.tokens import index_tokens


def snippet(text: str, query: str, limit: int = 280) -> str:
    """The text on one line; of one longer than *limit*, from the sentence on that holds most words of *query*."""
    if len(text) <= limit:
        return shortened(text, limit)
    wanted = set(map(light_stem, index_tokens(query)))
    spans = split_sentences(text)
    shared = [len(wanted & set(map(light_stem, index_tokens(text[span.start : span.end])))) for span in spans]
    first = spans[shared.index(max(shared))].start if spans else 0
    return ("… " if spans and first > spans[0].start else "") + shortened(text[first : first + 2 * limit], limit)
