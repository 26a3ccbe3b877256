"""A graph without a model: what the form of a document states, the names it uses, and which of them go together."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from lorelite.graph.cooccurrence import co_occurrences
from lorelite.text.chunking import ChunkSpan
from lorelite.text.clean import plain_line_ends
from lorelite.text.extraction import ExtractedEntity, Extraction
from lorelite.text.gathering import MAX_EVIDENCE, Gathering
from lorelite.text.headings import Heading
from lorelite.text.labels import Mention, implied_relation, stated_relations
from lorelite.text.names import find_names
from lorelite.text.plain import plain_words
from lorelite.text.sentences import split_sentences
from lorelite.text.span import Span
from lorelite.text.structure import Structure, gather_heading_names, gather_structure
from lorelite.text.terms import find_identifiers, find_phrases
from lorelite.text.uncased import find_glosses, find_uncased_terms

MAX_CO_OCCURRING = 400
MAX_DESCRIPTION = 300
MAX_FACT_CHARS = 700

_DEFINES = re.compile(r"\s+(?:is|was|are|were|means)\s+(?:a|an|the|one|our|my|their)\s", re.IGNORECASE)


def extract_without_model(text: str, *, source_ref: str, chunks: Sequence[ChunkSpan]) -> Extraction:
    """The entities, relations and facts of a document, found by rules alone: deterministic, in any language.

    First what is exact (links, front matter, tables, records), then names and recurring terms, then relations stated
    between neighbouring names, and last `co_occurs` between things of one sentence, weighted by how telling that is.
    Every span quotes `text`. A sentence that lies in no chunk is not read.
    """
    text = plain_line_ends(text)
    gathering = Gathering()
    structure = gather_structure(text, source_ref, gathering)
    stated_names = [name for entity in gathering.finish().entities for name in (entity.name, *entity.aliases)]
    sentences = [sentence for sentence in split_sentences(structure.prose) if _is_within(sentence, chunks)]
    _gather_names(structure, sentences, gathering)
    _gather_terms(structure, sentences, gathering)
    _gather_other_mentions(structure, stated_names, gathering)
    found = gathering.finish()
    by_sentence = _mentions_by_sentence(found.entities, sentences)
    told = _gather_sections(text, structure.headings, sentences, gathering)
    _gather_descriptions(text, found.entities, sentences, by_sentence, told, gathering)
    subjects = _section_names(structure.headings, gathering)
    for number, mentions in by_sentence.items():
        stated_here = list(stated_relations(text, mentions))
        subject = _subject_at(sentences[number].start, structure.headings, subjects)
        if subject is not None:
            stated_here += implied_relation(text, subject, sentences[number], mentions[0])
        for stated in stated_here:
            gathering.relate(
                stated.source,
                stated.target,
                stated.type,
                description=f"{stated.source} {stated.words} {stated.target}",
                weight=0.6,
                origin="heuristic",
                evidence=(sentences[number],),
            )
    _gather_co_occurrences(found.entities, by_sentence, sentences, gathering)
    return gathering.finish()


def _is_within(sentence: Span, chunks: Sequence[ChunkSpan]) -> bool:
    position = bisect_right(chunks, sentence.start, key=lambda chunk: chunk.start)
    return position > 0 and sentence.start < max(chunk.end for chunk in chunks[max(0, position - 3) : position])


def _gather_names(structure: Structure, sentences: Sequence[Span], gathering: Gathering) -> None:
    # "Moorings" in the link [[Moorings and instruments]] is no name of its own.
    stated = sorted(span for entity in gathering.finish().entities for span in entity.mentions)
    starts = [span.start for span in stated]

    def stands_alone(span: Span) -> bool:
        before = bisect_right(starts, span.start) - 1
        return before < 0 or stated[before].end < span.end or stated[before] == span

    for name in find_names(structure.prose, sentences):
        mentions = tuple(span for span in name.mentions if stands_alone(span))
        if mentions:
            gathering.entity(name.name, type=name.type, mentions=mentions)
            for surface in name.surfaces:
                gathering.alias(name.name, surface)
    lower_case_words = {match[0] for match in _WORD.finditer(structure.prose) if match[0].islower()}
    gather_heading_names(structure, lower_case_words, gathering)


def _gather_terms(structure: Structure, sentences: Sequence[Span], gathering: Gathering) -> None:
    for gloss in find_glosses(structure.prose):
        gathering.entity(gloss.latin, mentions=(gloss.latin_span,))
        gathering.alias(gloss.latin, gloss.name)
        if gathering.knows(gloss.name):
            gathering.entity(gloss.name, mentions=(gloss.name_span,))
    terms = [
        *find_identifiers(structure.prose_and_code),
        *find_phrases(structure.prose, sentences),
        *find_uncased_terms(structure.prose, sentences),
    ]
    for term in terms:
        gathering.entity(term.name, type=term.type, mentions=term.mentions)


def _gather_other_mentions(structure: Structure, names: Sequence[str], gathering: Gathering) -> None:
    """The places in the prose of names that the structure told."""
    # First word → length → names: a document may hold thousands of names that begin alike.
    by_first_word: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in names:
        match = _WORD.match(name)
        if match and len(name) > 2 and not name.islower():
            by_first_word[match[0]][len(name)].add(name)
    prose, end = structure.prose, 0
    for match in _WORD.finditer(prose):
        start = match.start()
        if start < end or match[0] not in by_first_word:
            continue
        lengths = sorted(by_first_word[match[0]].items(), reverse=True)
        longest = next((length for length, known in lengths if prose[start : start + length] in known), 0)
        if longest:
            end = start + longest
            if not prose[end : end + 1].isalnum():
                gathering.entity(prose[start:end], mentions=(Span(start, end),))


_WORD = re.compile(r"\w+")


def _mentions_by_sentence(entities: Sequence[ExtractedEntity], sentences: Sequence[Span]) -> dict[int, list[Mention]]:
    """For each sentence its mentions in reading order; inside a longer mention a shorter one is dropped."""
    starts = [sentence.start for sentence in sentences]
    found: dict[int, list[Mention]] = defaultdict(list)
    for entity in entities:
        for span in entity.mentions:
            number = bisect_right(starts, span.start) - 1
            if number >= 0 and span.end <= sentences[number].end:
                found[number].append(Mention(entity.name, span))
    by_sentence = {}
    for number in sorted(found):
        kept: list[Mention] = []
        for mention in sorted(found[number], key=lambda mention: (mention.span.start, -mention.span.end)):
            if not kept or mention.span.start >= kept[-1].span.end:
                kept.append(mention)
        by_sentence[number] = kept
    return by_sentence


def _gather_descriptions(
    text: str,
    entities: Sequence[ExtractedEntity],
    sentences: Sequence[Span],
    by_sentence: dict[int, list[Mention]],
    told: Sequence[Span],
    gathering: Gathering,
) -> None:
    """A sentence that says what a thing is becomes its description and a fact; else its first short sentence."""
    first: dict[str, Span] = {}
    defining: dict[str, Span] = {}
    for number, mentions in by_sentence.items():
        sentence = sentences[number]
        if sentence.end - sentence.start > MAX_DESCRIPTION:
            continue
        for mention in mentions:
            first.setdefault(mention.name, sentence)
        subject = mentions[0]
        opens = sentence.start == subject.span.start or text[sentence.start : subject.span.start] in ("The ", "A ")
        if opens and _DEFINES.match(text, subject.span.end):
            defining.setdefault(subject.name, sentence)
    for entity in entities:
        if entity.name in defining:
            sentence = defining[entity.name]
            body = plain_words(sentence.of(text))
            gathering.entity(entity.name, description=body)
            if not any(span.start <= sentence.start < span.end for span in told):
                gathering.fact(entity.name, body, about=(entity.name,), confidence="inferred", evidence=(sentence,))
        elif entity.name in first and (body := plain_words(first[entity.name].of(text))) != entity.name:
            gathering.entity(entity.name, description=body)


def _gather_sections(
    text: str, headings: Sequence[Heading], sentences: Sequence[Span], gathering: Gathering
) -> list[Span]:
    """The first paragraph below a heading that is a name says something about what it names; returns what it read."""
    told = []
    starts = [sentence.start for sentence in sentences]
    for number, heading in enumerate(headings):
        end = headings[number + 1].start if number + 1 < len(headings) else len(text)
        if heading.level < 2 or not gathering.knows(heading.title):
            continue
        position = bisect_right(starts, heading.end - 1)
        part: list[Span] = []
        for sentence in sentences[position:]:
            if sentence.start < heading.end:
                continue
            paragraph_ended = part and text.count("\n", part[-1].end, sentence.start) > 1
            if sentence.end > end or paragraph_ended or (part and sentence.end - part[0].start > MAX_FACT_CHARS):
                break
            part.append(sentence)
        if part:
            span = Span(part[0].start, part[-1].end)
            body = plain_words(span.of(text))
            gathering.fact(heading.title, body, about=(heading.title,), evidence=(span,))
            told.append(span)
    return told


def _section_names(headings: Sequence[Heading], gathering: Gathering) -> list[str | None]:
    return [heading.title if heading.level > 1 and gathering.knows(heading.title) else None for heading in headings]


def _subject_at(position: int, headings: Sequence[Heading], subjects: Sequence[str | None]) -> str | None:
    """The name in whose section a position lies."""
    number = bisect_right(headings, position, key=lambda heading: heading.start) - 1
    return subjects[number] if number >= 0 else None


def _gather_co_occurrences(
    entities: Sequence[ExtractedEntity],
    by_sentence: dict[int, list[Mention]],
    sentences: Sequence[Span],
    gathering: Gathering,
) -> None:
    numbers = {entity.name: number for number, entity in enumerate(entities[:MAX_CO_OCCURRING])}
    order = list(by_sentence)
    groups = [[numbers[m.name] for m in by_sentence[number] if m.name in numbers] for number in order]
    groups += [[]] * (len(sentences) - len(groups))
    for pair in co_occurrences(groups):
        source, target = entities[pair.first].name, entities[pair.second].name
        if not gathering.joined(source, target) and not gathering.joined(target, source):
            evidence = tuple(sentences[order[group]] for group in pair.groups[:MAX_EVIDENCE])
            gathering.relate(source, target, "co_occurs", weight=pair.weight, origin="heuristic", evidence=evidence)
