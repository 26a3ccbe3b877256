from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorelite.text.chunking import chunk_spans
from lorelite.text.extraction import ExtractedEntity, Extraction
from lorelite.text.heuristic import extract_without_model


def extract(text: str, source_ref: str = "notes.md") -> Extraction:
    return extract_without_model(text, source_ref=source_ref, chunks=chunk_spans(text))


def names(extraction: Extraction) -> set[str]:
    return {entity.name for entity in extraction.entities}


def entity(extraction: Extraction, name: str) -> ExtractedEntity:
    return next(entity for entity in extraction.entities if entity.name == name)


def triples(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(relation.source, relation.type, relation.target) for relation in extraction.relations}


CAROL = """Marley was dead, to begin with. Scrooge knew he was dead. Old Marley was as dead as a door-nail.

The firm was known as Scrooge and Marley. Ebenezer Scrooge was alone. "Jacob!" said Scrooge to Jacob Marley.
It was Marley's Ghost. The Ghost spoke. Then the Ghost rose, though Scrooge saw no ghost. On Monday Bob Cratchit came.
Mrs. Cratchit laughed. Nobody, said Bob, knows Mrs. Cratchit.
We saw Fan, the sister of Scrooge, and Dr. Fell in December.
"""


def test_a_short_form_joins_the_one_longer_name_that_claims_it() -> None:
    found = extract(CAROL)
    assert set(entity(found, "Jacob Marley").aliases) >= {"Marley", "Jacob"}
    assert "Scrooge" in entity(found, "Ebenezer Scrooge").aliases
    assert "Bob" in entity(found, "Bob Cratchit").aliases
    assert {"Marley", "Scrooge", "Bob"}.isdisjoint(names(found))


def test_a_possessive_ends_a_name_and_a_common_noun_is_no_short_form() -> None:
    found = extract(CAROL + "An Evil Spirit came. The Spirit left. A spirit stayed; the Spirit knew.")
    assert "Ghost" in names(found)
    assert "Marley's Ghost" not in names(found)
    assert "Evil Spirit" not in [e.name for e in found.entities if "Spirit" in e.aliases]


def test_a_rank_that_opens_a_description_is_dropped_with_it() -> None:
    assert "Geography" in names(extract("Maps were rare. Father of Geography is what they call Eratosthenes."))


def test_sentence_openers_pronouns_months_and_days_are_no_names() -> None:
    assert names(extract(CAROL)).isdisjoint({"The", "It", "Then", "Nobody", "Monday", "December", "Old", "On"})


def test_only_a_title_or_a_telling_word_gives_a_type() -> None:
    found = extract(CAROL + "She works at the Aldermoor Institute near Brindle Lake.")
    assert entity(found, "Mrs. Cratchit").type == "person"
    assert entity(found, "Fell").type == "person"
    assert entity(found, "Aldermoor Institute").type == "organization"
    assert entity(found, "Brindle Lake").type == "place"
    assert entity(found, "Bob Cratchit").type is None


def test_words_between_two_names_label_their_relation() -> None:
    found = extract(CAROL + "Dick Wilkins works for Old Fezziwig. Scrooge's nephew, Fred, knew Fezziwig.")
    assert ("Fan", "sister_of", "Ebenezer Scrooge") in triples(found)
    assert ("Ebenezer Scrooge", "has_nephew", "Fred") in triples(found)
    relation = next(r for r in found.relations if r.type == "sister_of")
    assert relation.origin == "heuristic"
    assert "the sister of" in CAROL[relation.evidence[0].start : relation.evidence[0].end]


def test_names_that_share_sentences_are_joined_with_a_weight() -> None:
    found = extract("Ann Lee and Bo Kim came. It rained. So Ann Lee and Bo Kim left. Nothing else. Here Cy Dee slept.")
    (relation,) = found.relations
    assert (relation.source, relation.type, relation.target) == ("Ann Lee", "co_occurs", "Bo Kim")
    # both in both of their sentences: full information, discounted for two mentions
    assert relation.weight == pytest.approx(4 / 9)
    assert len(relation.evidence) == 2


def test_links_headings_and_front_matter_are_exact() -> None:
    text = """---
title: Boats
author: Anneke Dool
aliases: [Fleet]
tags: [sea]
status: draft
---

# Boats

## Tobias Oduya

Skipper since 2012. Supervises [[Lio Renn|Lio]]. See [the rules](safety-on-the-water.md).
"""
    found = extract(text)
    assert ("Boats", "author", "Anneke Dool") in triples(found)
    assert ("Tobias Oduya", "links_to", "Lio Renn") in triples(found)
    assert ("Tobias Oduya", "links_to", "Safety on the water") in triples(found)
    assert entity(found, "Boats").aliases == ("Fleet",)
    matter, section = found.facts
    assert matter.body == "author: Anneke Dool; tags: sea; status: draft"
    assert matter.tags == ("sea",)
    assert section.about == ("Tobias Oduya",)
    assert section.body.startswith("Skipper since 2012.")


def test_a_csv_row_is_about_its_name_and_names_in_it_become_relations() -> None:
    text = 'id,name,kind,keeper,note\nIN-01,Heron,tide gauge,Anneke Dool,"float, wire"\nIN-02,Crow,mast,Heron,fog\n'
    found = extract(text, "instruments.csv")
    assert entity(found, "Heron").type == "tide_gauge"
    assert entity(found, "Heron").aliases == ("IN-01",)
    assert {("Heron", "keeper", "Anneke Dool"), ("Crow", "keeper", "Heron")} <= triples(found)
    assert found.facts[0].body == "id: IN-01; kind: tide gauge; keeper: Anneke Dool; note: float, wire"


def test_every_row_of_a_long_table_becomes_a_fact() -> None:
    rows = "".join(f"gate-{number},{number * 7}\n" for number in range(5_200))
    found = extract(f"name,height\n{rows}", "gates.csv")
    assert len(found.facts) == 5_200
    assert (found.facts[-1].title, found.facts[-1].body) == ("gate-5199", "height: 36393")


def test_a_markdown_table_is_read_like_a_csv() -> None:
    found = extract("# Functions\n\n| name | does |\n|---|---|\n| `run_all` | starts it |\n| `stop` | ends it |\n")
    assert {"run_all", "stop"} <= names(found)
    assert [fact.body for fact in found.facts] == ["does: starts it", "does: ends it"]


@pytest.mark.parametrize(
    ("source_ref", "text"),
    [
        ("a.json", '[{"source": "Ann", "target": "Bo", "type": "knows"}]'),
        ("a.json", '{"subject": "Ann", "predicate": "knows", "object": "Bo"}'),
        ("a.jsonl", '{"from": "Ann", "to": "Bo", "label": "knows"}\n'),
        ("a.csv", "source,target,type\nAnn,Bo,knows\n"),
        ("a.tsv", "subject\tpredicate\tobject\nAnn\tknows\tBo\n"),
    ],
)
def test_a_triple_is_a_relation_in_every_format(source_ref: str, text: str) -> None:
    found = extract(text, source_ref)
    assert triples(found) == {("Ann", "knows", "Bo")}
    assert found.relations[0].origin == "structure"
    mention = entity(found, "Ann").mentions[0]
    assert text[mention.start : mention.end] == "Ann"


def test_json_records_are_about_their_names() -> None:
    text = '{"station": "Ondrel Point", "grants": [{"funder": "Sable Fund", "amount": 5, "contact": "Odile Farrow"}]}'
    found = extract(text, "grants.json")
    assert triples(found) >= {("Ondrel Point", "grants", "Sable Fund"), ("Sable Fund", "contact", "Odile Farrow")}
    assert found.facts[0].body == "amount: 5; contact: Odile Farrow"


def test_broken_json_is_read_as_prose() -> None:
    assert "Odile Farrow" in names(extract('{"a": we asked Odile Farrow about Odile Farrow', "a.json"))


def test_names_of_code_are_terms() -> None:
    found = extract("Call `run_all()` first. The parseHttpResponse retries; parseHttpResponse fails. McDonald agrees.")
    assert {"run_all", "parseHttpResponse"} <= names(found)
    assert entity(found, "parseHttpResponse").type == "code"
    assert "McDonald" not in [e.name for e in found.entities if e.type == "code"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他读了《红楼梦》。很多人喜欢《红楼梦》这本书。", "红楼梦"),
        ("浮标在海里。我们修浮标。看浮标吧。这个浮标很重。", "浮标"),
        ("조선왕조는 길었다. 사람들은 조선왕조를 안다. 조선왕조의 기록.", "조선왕조"),
        ("सौर संयंत्र नया है। वह सौर संयंत्र देखता है। पानी।", "सौर संयंत्र"),
        ("الملك فيصل زار المدينة. ثم رحل الملك فيصل. المطر.", "الملك فيصل"),
        ("クリスマスの朝、スクルージは起きた。スクルージはクリスマスを祝った。", "スクルージ"),
    ],
)
def test_terms_are_found_in_scripts_without_capitals(text: str, expected: str) -> None:
    found = extract(text, "a.txt")
    assert expected in names(found)
    assert all(text[span.start : span.end] == expected for span in entity(found, expected).mentions)


def test_a_name_glossed_in_latin_letters_is_one_entity() -> None:
    found = extract("船长是托比亚斯·奥杜亚（Tobias Oduya）。后来 Tobias Oduya 来了。", "a.txt")
    assert entity(found, "Tobias Oduya").aliases == ("托比亚斯·奥杜亚",)


def test_german_nouns_are_not_taken_for_names() -> None:
    text = (
        "Der Hund und die Katze sind im Haus. Das ist ein Baum mit dem Apfel. Angela Merkel wurde in Hamburg gesehen."
    )
    found = names(extract(text, "a.txt"))
    assert "Angela Merkel" in found
    assert found.isdisjoint({"Hund", "Katze", "Haus", "Baum", "Apfel"})


def test_the_licence_of_a_gutenberg_book_is_not_read() -> None:
    text = (
        "The Project Gutenberg eBook\n\nTitle: A Carol\n\nAuthor: Charles Dickens\n\n"
        "*** START OF THE PROJECT GUTENBERG EBOOK ***\n\nWe met Bob Cratchit.\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK ***\nProject Gutenberg and Project Gutenberg License.\n"
    )
    found = extract(text, "book.txt")
    assert names(found) == {"A Carol", "Charles Dickens", "Bob Cratchit"}
    assert ("A Carol", "author", "Charles Dickens") in triples(found)


def check_sound(text: str, found: Extraction) -> None:
    known = names(found)
    for one in found.entities:
        assert one.name.strip()
        for span in one.mentions:
            assert 0 <= span.start < span.end <= len(text)
    for relation in found.relations:
        assert {relation.source, relation.target} <= known
        assert relation.type and 0 < relation.weight <= 1
        assert all(0 <= span.start < span.end <= len(text) for span in relation.evidence)
    for fact in found.facts:
        assert fact.title and fact.body
        assert all(0 <= span.start <= span.end <= len(text) for span in fact.evidence)


SNIPPETS = st.sampled_from(
    ["Ann Lee ", "Mr. ", "[[", "]]", "|", "\n", "\n\n", "# ", "---\n", "a: b\n", "`x_y` ", "{", "}", '"', "[", ",", ":"]
)
MORE_SNIPPETS = st.sampled_from(
    ["《红》", "字", "नाव ", "（A B）", "of ", "'s ", "- ", "](b.md)", "***", "<!--", ". ", "é", "\ud800", "\x00", "1"]
)


@settings(deadline=None)
@given(
    st.one_of(st.text(st.characters(), max_size=200), st.lists(SNIPPETS | MORE_SNIPPETS, max_size=60).map("".join)),
    st.sampled_from(["a.md", "a.txt", "a.csv", "a.tsv", "a.json", "a.jsonl", "", "c/ü.md"]),
)
def test_any_text_in_any_format_gives_sound_spans_and_ends(text: str, source_ref: str) -> None:
    check_sound(text, extract(text, source_ref))


EVERY_FORM = """---
title: Boats
author: Ada Marsh
tags: [boats, lock]
---

Boats
=====

## Teasel

Tom Weir built Teasel. It lies at [[Heron Lock]].

| name | keeper |
|------|--------|
| Otter Bridge | Ada Marsh |

- one
- Ada Marsh met Tom Weir
"""


@pytest.mark.parametrize("line_end", ["\r\n", "\r"], ids=["windows", "old_mac"])
def test_line_ends_of_other_systems_give_the_same_graph(line_end: str) -> None:
    text = EVERY_FORM.replace("\n", line_end)
    found, expected = extract(text), extract(EVERY_FORM)
    check_sound(text, found)
    assert [(one.name, one.type) for one in found.entities] == [(one.name, one.type) for one in expected.entities]
    assert triples(found) == triples(expected) and ("Boats", "author", "Ada Marsh") in triples(found)
    assert [(fact.title, " ".join(fact.body.split())) for fact in found.facts] == [
        (fact.title, " ".join(fact.body.split())) for fact in expected.facts
    ]
    assert [chunk.heading for chunk in chunk_spans(text)] == [chunk.heading for chunk in chunk_spans(EVERY_FORM)]


def test_thousands_of_names_that_begin_alike_take_linear_time() -> None:
    text = "".join(f"[[Name {number}]] came. " for number in range(8_000))
    started = time.process_time()
    assert len(extract(text).entities) == 8_000
    assert time.process_time() - started < 6


def test_the_same_text_gives_the_same_graph() -> None:
    assert extract(CAROL) == extract(CAROL)


@pytest.mark.shared
@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="needs the evaluation data of LORELITE_SHARED")
def test_a_christmas_carol_yields_its_people_in_time() -> None:
    text = (Path(os.environ["LORELITE_SHARED"]) / "data/christmas_carol/book.txt").read_text(encoding="utf-8")
    started = time.process_time()
    found = extract(text, "book.txt")
    assert time.process_time() - started < 3
    top = [one.name for one in found.entities[:20]]
    assert {"Ebenezer Scrooge", "Jacob Marley", "Bob Cratchit", "Tiny Tim", "Fezziwig", "Ghost", "Spirit"} <= set(top)
    assert "Project Gutenberg" not in names(found)
    for one in found.entities:
        spellings = {" ".join(text[span.start : span.end].split()) for span in one.mentions}
        assert spellings <= {one.name, *one.aliases} | {s for s in spellings if s.casefold() == one.name.casefold()}
    check_sound(text, found)
