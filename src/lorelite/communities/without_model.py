"""Reports that no model wrote: the names that matter most, and the documents' sentences that join most of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorelite.communities.schema import TITLE_NAMES, View, content_hash, title_of
from lorelite.graph_records import CommunityReport, GraphEntity, Insight, TextChunk
from lorelite.text import characters
from lorelite.text.normalise import fold_case, normalise
from lorelite.text.plain import plain_words
from lorelite.text.sentences import split_sentences

MAX_CHUNKS = 24
"""Chunks that are read for one report: those that tell of most members."""
MAX_NAMES = 60
"""Members that sentences are searched for: the most connected."""
MAX_FINDINGS = 6
_SUMMARY_SENTENCES = 3
_FINDING_SENTENCES = 2
_LISTED_NAMES = 12
_LISTED_NEIGHBOURS = 4
_SHORT_CHARS, _LONG_CHARS = 50, 320
_POOR = 0.6
"""What is left of the worth of a sentence that reads badly alone."""
_TOLD = 0.05
"""What is left of the worth of naming a member that is named already."""
_GAP = " […] "
_MAX_RATING = 10.0

_UNSPACED = re.compile(f"[{characters.UNSPACED}]")
_HEADING = re.compile(r"(?:#{1,6}|-{3,})\s")
"""Of a section, or the front matter of the document."""
_LIST_MARK = re.compile(r"^(?:\d{1,3}[.)]|[-*+•–])\s+")
_DATA = re.compile(
    r'\S {3,}\S|[{}]|"\s*:\s|\s\|\s|(?:\w,\w[^,]*){4}|^\w[\w -]{0,20}: .*\n\w[\w -]{0,20}: '
    r"|(?:(?:^|\s)[^\W\d_][\w-]{0,20}:\s[^:]*){3}",  # the same, where a description has them on one line
    re.MULTILINE,
)
"""No sentence: columns, rows of tables, JSON, CSV, lines of a letter's head."""
_OPENERS = "'\"‘“‚„«‹「『—–"
_CLOSERS = "\"'”’»)]*_ \n"
_FULL_STOPS = ("。", "！", "？", "｡")
"""After these no space is written."""
_LETTER = r"[^\W_]"


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    """As one reads it: without the marks of Markdown, on one line."""
    place: tuple[int, int]
    """Number of the chunk among those read, and of the sentence in it."""
    members: tuple[int, ...]
    """Which members it names, by rank, ascending."""
    share: float
    """Below 1 for a sentence that reads badly alone: a question, a heading, a fragment, a very long one."""


def chunks_to_read(view: View) -> list[str]:
    """Ids of the chunks that tell of most members, in the order in which they were inserted."""
    weights = _weights(view)
    worth: dict[str, float] = {}
    for entity, weight in zip(view.entities, weights, strict=True):
        for id in entity.chunk_ids:
            worth[id] = worth.get(id, 0.0) + weight
    place = {id: number for number, id in enumerate(view.community.chunk_ids)}
    best = sorted((id for id in worth if id in place), key=lambda id: (-worth[id], place[id]))[:MAX_CHUNKS]
    return sorted(best, key=place.__getitem__)


def assembled(view: View, chunks: Sequence[TextChunk]) -> CommunityReport:
    """A report out of sentences of *chunks*, in the words and the language of the documents.

    The summary joins the sentences that together name most members; each finding is one of the most connected members
    with what is said of it. rating: the more that is related inside, the higher.
    """
    weights = _weights(view)
    sentences = _sentences(view, chunks)
    used: set[str] = set()
    summary = _joined(_covering(sentences, weights, _SUMMARY_SENTENCES), used)
    neighbours = _neighbours(view)
    findings = []
    for rank in sorted(range(len(neighbours)), key=lambda rank: (-len(neighbours[rank]), rank))[:MAX_FINDINGS]:
        told = _told_of(rank, view, sentences, weights, used)
        if told:
            others = _listed([view.entities[other] for other in neighbours[rank]], _LISTED_NEIGHBOURS)
            heading = f"{view.entities[rank].name} ↔ {others}" if others else view.entities[rank].name
            findings.append(Insight(summary=heading, explanation=told))
    is_listed = not summary or len(view.entities) > TITLE_NAMES  # else the title says it
    names = _listed(view.entities, _LISTED_NAMES) if is_listed else ""
    return CommunityReport(
        community_id=view.community.id,
        level=view.community.level,
        title=title_of(view.entities),
        summary="\n\n".join(filter(None, [summary, names])),
        rating=round(min(_MAX_RATING, 2 * math.log2(1 + len(view.relations))), 1),
        findings=tuple(findings),
        content_hash=content_hash(view, with_chunks=True),
        origin="heuristic",
    )


def fallback(view: View) -> CommunityReport:
    """What stands for a report whose reply could not be used: names and counts, rating 0."""
    entities, relations = len(view.entities), len(view.relations)
    return CommunityReport(
        community_id=view.community.id,
        level=view.community.level,
        title=title_of(view.entities),
        summary=f"{entities} entities, {relations} relations: {_listed(view.entities, _LISTED_NAMES)}",
        content_hash=content_hash(view),
        origin="heuristic",
        is_fallback=True,
    )


def _weights(view: View) -> list[float]:
    """What it is worth to name each member."""
    return [math.log2(2 + entity.degree) for entity in view.entities]


def _neighbours(view: View) -> list[list[int]]:
    """Of each member the ranks of those it is joined to inside."""
    rank = {entity.id: number for number, entity in enumerate(view.entities)}
    joined: list[list[int]] = [[] for _ in rank]
    for relation in view.relations:
        source, target = rank[relation.source_id], rank[relation.target_id]
        joined[source].append(target)
        joined[target].append(source)
    return [sorted(each) for each in joined]


def _listed(entities: Sequence[GraphEntity], limit: int) -> str:
    names = [entity.name for entity in entities[:limit]]
    return ", ".join(names) + (", …" if len(entities) > limit else "")


def _told_of(rank: int, view: View, sentences: Sequence[_Sentence], weights: Sequence[float], used: set[str]) -> str:
    """What describes a member, unless that was told already, and the sentences that join it to most others."""
    lines = (_prose(_LIST_MARK.sub("", line.lstrip())) for line in view.entities[rank].description.splitlines())
    parts = [part for part in lines if part and not any(part in text for text in used)]
    about = [each for each in sentences if rank in each.members and each.text not in used]
    quoted = {part: next((each for each in about if part in each.text), None) for part in parts}
    chosen = list(dict.fromkeys(filter(None, quoted.values())))[:_FINDING_SENTENCES]
    others = [each for each in about if each not in chosen]
    chosen += _covering(others, weights, _FINDING_SENTENCES - len(chosen), given=rank)
    in_other_words = " ".join(part for part, sentence in quoted.items() if sentence is None)
    quotes = _joined(sorted(chosen, key=lambda each: each.place), used)
    return "\n\n".join(filter(None, [in_other_words, quotes]))


def _sentences(view: View, chunks: Sequence[TextChunk]) -> list[_Sentence]:
    """The sentences that name members, each text once, in reading order."""
    entities = view.entities[:MAX_NAMES]
    pattern, ranks = _names(entities)
    if pattern is None:
        return []
    found: dict[str, _Sentence] = {}
    for number, chunk in enumerate(chunks):
        # Where a script has no spaces, a short name is part of many words.
        here = {rank for rank, entity in enumerate(entities) if chunk.id in entity.chunk_ids}
        for count, (text, folded, share) in enumerate(_cut(chunk.content)):
            members = {ranks[name] for name in pattern.findall(folded)} & here
            if members and text not in found:
                found[text] = _Sentence(text, (number, count), tuple(sorted(members)), share)
    return list(found.values())


@lru_cache(maxsize=256)  # a chunk is read for every community that it tells of
def _cut(content: str) -> tuple[tuple[str, str, float], ...]:
    """The sentences of a chunk, each without the marks of Markdown, folded, and its share; "" for what is none."""
    cut: list[tuple[str, str, float]] = []
    for span in split_sentences(content):
        text = span.of(content)
        if mark := _LIST_MARK.match(text):
            text = text[mark.end() :]
            cut.append(("", "", 0.0))  # items are not joined: in their chunk a mark stands between them
        shown = _prose(text)
        cut.append((shown, fold_case(normalise(shown)), _share(shown) if shown else 0.0))
    return tuple(cut)


def _prose(text: str) -> str:
    """As one reads it, without marks; "" for a heading, front matter and data."""
    return "" if _HEADING.match(text) or _DATA.search(text) else plain_words(text)


def _names(entities: Sequence[GraphEntity]) -> tuple[re.Pattern[str] | None, Mapping[str, int]]:
    """What finds names and aliases in folded text, the longest first, and the rank each stands for."""
    ranks: dict[str, int] = {}
    for rank, entity in enumerate(entities):
        for name in (entity.name, *entity.aliases):
            folded = fold_case(normalise(name)).strip()
            if len(folded) > 1:
                ranks.setdefault(folded, rank)
    if not ranks:
        return None, ranks
    # Names with the same bounds stand in one group: a bound is looked at once for all, not once for each.
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(ranks, key=lambda name: (-len(name), name)):
        groups.setdefault(_bounds(name), []).append(re.escape(name))
    alternatives = [f"{before}(?:{'|'.join(names)}){after}" for (before, after), names in groups.items()]
    return re.compile("|".join(alternatives)), ranks


def _bounds(name: str) -> tuple[str, str]:
    """What must stand before and after a name: no letter, where its script puts spaces between words."""
    before = "" if _UNSPACED.match(name[0]) or not name[0].isalnum() else f"(?<!{_LETTER})"
    after = "" if _UNSPACED.match(name[-1]) or not name[-1].isalnum() else f"(?!{_LETTER})"
    return before, after


def _share(text: str) -> float:
    share = 1.0
    bare = text.rstrip(_CLOSERS)
    if bare.endswith(("?", "？", "؟")) or text[0] in _OPENERS:
        share *= _POOR  # a question, or somebody's words
    if not bare or bare[-1].isalnum() or bare[-1] in ",;:":
        share *= _POOR  # a heading, or an item of a list
    # A character of Han or kana says about as much as two or three letters.
    length = len(text) + len(_UNSPACED.findall(text))
    return share * min(1.0, length / _SHORT_CHARS, _LONG_CHARS / length)


def _covering(
    sentences: Sequence[_Sentence], weights: Sequence[float], limit: int, *, given: int | None = None
) -> list[_Sentence]:
    """Up to *limit* sentences that name most together, by greedy choice, in reading order.

    given: a member that all of them name, so that it counts for nothing.
    """
    covered = set() if given is None else {given}
    chosen: list[_Sentence] = []
    while len(chosen) < limit:
        best, most = None, 0.0
        for sentence in sentences:
            worth = (weights[rank] * (_TOLD if rank in covered else 1.0) for rank in sentence.members)
            gain = sentence.share * sum(worth)
            if gain > most and sentence not in chosen:
                best, most = sentence, gain
        if best is None:
            break
        chosen.append(best)
        covered.update(best.members)
    return sorted(chosen, key=lambda sentence: sentence.place)


def _joined(sentences: Sequence[_Sentence], used: set[str]) -> str:
    """The sentences as one text, with a mark where something between them is left out."""
    text, last = "", (-1, -1)
    for sentence in sentences:
        used.add(sentence.text)
        adjacent = sentence.place == (last[0], last[1] + 1)
        space = "" if text.endswith(_FULL_STOPS) else " "
        text += (space if adjacent else _GAP if text else "") + sentence.text
        last = sentence.place
    return text
