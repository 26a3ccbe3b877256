"""Where a document's sections begin: Markdown headings, and the chapter lines of plain books."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lorelite.text.stopwords import words_of


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line `text[start:end]`; `title` is its wording, `level` 1 (outermost) to 7."""

    start: int
    end: int
    level: int
    title: str


FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(
    r"^[^\S\n]{0,3}(?P<hashes>#{1,6})[^\S\n]+(?P<title>\S[^\n]*)|^[ \t]{0,3}(?P<fence>```|~~~)", re.MULTILINE
)
_UNDERLINED = re.compile(r"^(?P<title>[^\s#>|*+-][^\n]{0,120})\n(?P<rule>={3,}|-{3,})[ \t]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"\s+#+\s*$")
_CHAPTER_WORDS = (
    "stave|chapter|part|book|act|scene|section|appendix|prologue|epilogue|preface|kapitel|teil|abschnitt|chapitre"
    "|partie|capítulo|capitulo|parte|capitolo|hoofdstuk|rozdział|глава|часть"
)
_NUMERAL = (
    r"(?:\d{1,3}|[ivxlc]+|(?:the\s+)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen"
    r"|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|first|second|third|fourth|fifth|last))"
)
_CHAPTER = re.compile(
    rf"^[^\S\n]*(?P<title>(?:(?:{_CHAPTER_WORDS})[^\S\n]+{_NUMERAL}\b(?:\.|:|[^\S\n]*[-–—]+)?[^\n]{{0,60}}"
    r"|prologue|epilogue|preface|introduction|appendix"
    r"|第\s?[0-9０-９〇零一二三四五六七八九十百千]{1,6}\s?[章节節回部卷][^\n]{0,40}))[^\S\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_CAPITALS_LINE = re.compile(
    r"(?:[^\S\n]*(?:\[[^\]\n]*\])?[^\S\n]*\n){1,12}"  # blank lines and [illustrations]
    r"[^\S\n]*(?P<title>[^\n]{2,60}?)[^\S\n]*(?=\n[^\S\n]*(?:\n|\Z)|\Z)"
)


def find_headings(text: str) -> list[Heading]:
    """The headings in reading order.

    Markdown: `#` lines outside code fences and underlined titles. Where a document has none: chapter lines standing
    alone ("CHAPTER IV", "Stave One", "第三章"), each with the line of capitals below it.
    """
    return sorted(_markdown(text), key=lambda heading: heading.start) or list(_chapters(text))


def _markdown(text: str) -> Iterator[Heading]:
    fence, fenced_from = "", 0
    # The closing line of a front matter block looks like an underline.
    matter = FRONT_MATTER.match(text)
    fences: list[tuple[int, int]] = [matter.span()] if matter else []
    for match in _LINE.finditer(text):
        if match["fence"]:
            if not fence:
                fence, fenced_from = match["fence"], match.start()
            elif match["fence"] == fence:
                fences.append((fenced_from, match.end()))
                fence = ""
        elif not fence:
            title = _CLOSING_HASHES.sub("", match["title"]).strip()
            yield Heading(match.start(), match.end(), len(match["hashes"]), plain_title(title))
    for match in _UNDERLINED.finditer(text):
        if not any(start <= match.start() < end for start, end in fences):
            level = 1 if match["rule"][0] == "=" else 2
            yield Heading(match.start(), match.end(), level, plain_title(match["title"]))


def _chapters(text: str) -> Iterator[Heading]:
    for match in _CHAPTER.finditer(text):
        if not (_is_blank_before(text, match.start()) and _is_blank_after(text, match.end())):
            continue
        yield Heading(match.start("title"), match.end("title"), 1, titlecased(match["title"].strip().rstrip(".")))
        below = _CAPITALS_LINE.match(text, match.end() + 1)
        if below and below["title"].isupper():
            yield Heading(below.start("title"), below.end("title"), 2, titlecased(below["title"].rstrip(".")))


def _is_blank_before(text: str, position: int) -> bool:
    line_end = text.rfind("\n", 0, position)
    return line_end < 0 or not text[text.rfind("\n", 0, line_end) + 1 : line_end].strip()


def _is_blank_after(text: str, position: int) -> bool:
    following = text.find("\n", position + 1)
    return not text[position : len(text) if following < 0 else following].strip()


_DECORATION = re.compile(r"\*\*|__|`|\[\[(?:[^\]|]*\|)?|\]\]|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def plain_title(title: str) -> str:
    """A heading's wording without Markdown emphasis and links."""
    return _DECORATION.sub("", _LINK.sub(r"\1", title)).strip()


_SMALL_WORDS = words_of("a an and as at by for from in of on or the to with")


def titlecased(title: str) -> str:
    """A line of capitals in title case; anything else unchanged."""
    if not title.isupper():
        return title
    words = title.split(" ")
    return " ".join(
        word.lower()
        if index and word.lower() in _SMALL_WORDS and not words[index - 1].endswith(":")
        else word
        if re.fullmatch(r"[IVXLC]+\.?", word)
        else word.capitalize()
        for index, word in enumerate(words)
    )
