"""Documents in chunks of a number of tokens, with an exact overlap.

Tokens are counted without a tokeniser: a word of up to eight letters, six letters of a longer one, a character of a
script without spaces, or a mark. A token of English prose comes to about four characters, as in `text.budget`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lorelite.errors import ConfigError
from lorelite.text.characters import IGNORABLE, UNSPACED, combining_marks
from lorelite.text.chunking import ChunkSpan, headed_sections
from lorelite.text.clean import plain_line_ends

DEFAULT_SIZE = 1200
DEFAULT_OVERLAP = 100
_MAX_SIZE = 100_000

Splitter = Callable[[str], Iterable[str | tuple[int, int]]]
"""A document's text → its chunks: spans (start, end) of it, or texts that stand in it in this order."""
SpansOf = Callable[[str], list[ChunkSpan]]

_LETTER = f"(?:[^\\W{UNSPACED}][{combining_marks()}]*)"
_TOKEN = re.compile(f"{_LETTER}{{1,8}}(?!{_LETTER})|{_LETTER}{{6}}|[^\\s{IGNORABLE}]")
_SENTENCE_END = re.compile("[.!?…]['\"”’)\\]]*$|[。！？][」』）]?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How documents are cut.

    mode "tokens": windows of `size` tokens, each with the last `overlap` tokens of the one before. "separators": the
    same, but a chunk ends at the last blank line that fits, else line, else sentence, else word. Or a function: text →
    spans (start, end) or texts that stand in it. Raises ConfigError.
    """

    size: int = DEFAULT_SIZE
    overlap: int = DEFAULT_OVERLAP
    mode: Literal["tokens", "separators"] | Splitter = "tokens"

    def __post_init__(self) -> None:
        for field, value, least in (("size", self.size, 1), ("overlap", self.overlap, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= _MAX_SIZE:
                raise ConfigError(f"chunking.{field}", f"a whole number of tokens from {least} to {_MAX_SIZE}", value)
        if self.overlap >= self.size:
            raise ConfigError("chunking.overlap", f"less than the size of {self.size} tokens", self.overlap)
        if self.mode not in ("tokens", "separators") and not callable(self.mode):
            raise ConfigError("chunking.mode", "'tokens', 'separators' or a function", self.mode)

    def spans(self, text: str) -> list[ChunkSpan]:
        """The chunks of a text in order. Together they hold every visible character; none lies within another."""
        if callable(self.mode):
            cuts = _placed(text, self.mode(text))
        else:
            tokens = _Tokens(text)
            cuts = list(tokens.windows(self.size, self.overlap, at_separators=self.mode == "separators"))
        sections = list(headed_sections(plain_line_ends(text))) if cuts else []
        starts = [section.start for section in sections]
        return [ChunkSpan(start, end, sections[max(0, bisect_right(starts, start) - 1)].heading) for start, end in cuts]


def checked_chunking(given: object) -> Chunking | None:
    """A Chunking from one, or from a mapping of its fields; None stays None. Raises ConfigError."""
    if given is None or isinstance(given, Chunking):
        return given
    if not isinstance(given, Mapping):
        raise ConfigError("chunking", "a Chunking, a mapping with size, overlap and mode, or None", given)
    unknown = [key for key in given if key not in ("size", "overlap", "mode")]
    if unknown:
        raise ConfigError("chunking", "size, overlap and mode alone", unknown[0])
    fields: dict[str, Any] = dict(given)
    return Chunking(**fields)


class _Tokens:
    """Where the tokens of a text begin and end, and where it is best cut."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts, self._ends = array("L"), array("L")
        for token in _TOKEN.finditer(text):
            self._starts.append(token.start())
            self._ends.append(token.end())

    def windows(self, size: int, overlap: int, *, at_separators: bool) -> Iterable[tuple[int, int]]:
        """Spans of *size* tokens, or fewer where a separator ends one; each begins *overlap* tokens before the end of
        the one before."""
        count = len(self._starts)
        cuts = self._separators() if at_separators else ()
        first = begun = 0  # the window's first token, and the first that no earlier window holds
        while begun < count:
            limit = first + size
            last = count if limit >= count else self._cut(cuts, begun, limit)
            yield self._starts[first], self._ends[last - 1]
            begun = last
            first = max(first + 1, last - overlap)

    def _cut(self, separators: Sequence[Sequence[int]], begun: int, limit: int) -> int:
        """The last cut in (begun, limit] of the strongest separator that has one there, else the limit."""
        for cuts in separators:
            place = bisect_right(cuts, limit) - 1
            if place >= 0 and cuts[place] > begun:
                return cuts[place]
        return limit

    def _separators(self) -> tuple[array[int], ...]:
        """Tokens before which there is a blank line, a line end, a sentence's end, a space, in this order."""
        blank, line, sentence, space = array("L"), array("L"), array("L"), array("L")
        text, starts, ends = self._text, self._starts, self._ends
        for token in range(1, len(starts)):
            gap = text[ends[token - 1] : starts[token]]
            breaks = gap.count("\n") or gap.count("\r")
            if breaks > 1:
                blank.append(token)
            elif breaks:
                line.append(token)
            elif _SENTENCE_END.search(text, max(0, ends[token - 1] - 4), ends[token - 1]) and (
                gap or text[ends[token - 1] - 1] in "。！？」』）"
            ):
                sentence.append(token)
            elif gap:
                space.append(token)
        return blank, line, sentence, space


def _placed(text: str, parts: Iterable[str | tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans that a caller's function names. Raises ConfigError for what does not stand in the text."""
    spans: list[tuple[int, int]] = []
    after = 0
    for part in parts:
        if isinstance(part, str):
            start = text.find(part, after)
            if start < 0 or not part:
                raise ConfigError("chunking.mode", "a function whose chunks stand in the text, in order", part)
            end = start + len(part)
            after = start + 1
        else:
            start, end = part
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
            raise ConfigError("chunking.mode", f"spans within 0 … {len(text)}", (start, end))
        if text[start:end].strip():
            spans.append((start, end))
    return spans
