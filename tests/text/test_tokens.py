from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorelite.text.stemmers import ENDING, PART, is_marked
from lorelite.text.tokens import MAX_QUERY_TERMS, MAX_TOKEN_LENGTH, index_tokens, query_terms, word_tokens

any_text = st.text(st.characters(), max_size=200)


def first_choices(query: str) -> list[str]:
    return [term.alternatives[0] for term in query_terms(query) if term.alternatives]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Copper kettles, twice!", ["copper", "kettles", "twice"]),
        ("BENCH-100821", ["bench-100821", "bench", "100821"]),
        ("parseHttpResponse", ["parsehttpresponse", "parse", "http", "response"]),
        ("OpenAIModel URLs", ["openaimodel", "open", "ai", "model", "urls"]),
        ("foo_bar.py", ["foo_bar.py", "foo_bar", "foo", "bar", "py"]),
        ("grammar::fa", ["grammar::fa", "grammar", "fa"]),
        ("C++ C# F# .NET", ["c++", "c", "c#", "c", "f#", "f", ".net", "net"]),
        ("@nasa_watch #1", ["@nasa_watch", "nasa_watch", "nasa", "watch", "#1", "1"]),
        ("250ml", ["250ml", "250", "ml"]),
        ("250 ml", ["250ml", "250", "ml"]),
        ("1,000 50% 3.14", ["1000", "50%", "50", "3.14", "3", "14"]),
        ("Scrooge’s don't O'Brien", ["scrooge's", "scrooge", "don't", "dont", "o'brien", "obrien"]),
        ("l’homme", ["l'homme", "homme"]),
        ("Crème Brûlée", ["crème", "creme", "brûlée", "brulee"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("İstanbul ısparta", ["istanbul", "ısparta", "isparta"]),
        ("word--word and…so", ["word", "word", "and", "so"]),
        ("مَوَاعِيدُ", ["مواعيد"]),
        ("सर्दियों", ["सर्दियों"]),
        ("部署方案", ["部署", "署方", "方案", "案"]),
        ("iPhone手机", ["iphone", "i", "phone", "手机", "机"]),
        ("왕조실록", ["왕조", "조실", "실록", "록"]),
        ("🚀 👍🏽 🇩🇪", ["🚀", "👍🏽", "👍", "🇩🇪"]),
        ("٢٥٠", ["250"]),
        ("ﬁ Ｆｕｌｌ Foo™", ["fi", "full", "foo"]),
        ("fer\u00adry\u200b \ufefftimetable", ["ferry", "timetable"]),
        ("gauge\x00reads\ud800zero", ["gauge", "reads", "zero"]),
        ("--- #@! ?? ''", []),
        ("", []),
    ],
)
def test_a_document_is_split_into_wholes_and_parts(text: str, tokens: list[str]) -> None:
    assert word_tokens(text) == tokens


def test_a_composed_and_a_decomposed_accent_give_the_same_tokens() -> None:
    assert index_tokens("Cafe\u0301") == index_tokens("Café") == ["café", "cafe"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Kettles stopped", ["kettle", ENDING + "s", "stop", ENDING + "ped"]),
        ("These things have been said", ["these", "thing", ENDING + "s", "have", "been", "say", ENDING + "id"]),
        ("multi-agents", ["multi-agents", "multi", "agent", ENDING + "s"]),
        (
            "v2.0 kettles3 don't",
            ["v2.0", "v2", "v", "2", "0", "kettles3", "kettle", ENDING + "s", "3", "don't", "dont"],
        ),
        ("Cafés", ["cafés", "cafe", ENDING + "s"]),
    ],
)
def test_an_inflected_english_word_is_held_as_its_stem_and_its_ending(text: str, tokens: list[str]) -> None:
    assert index_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Die Häuser, die er und sie bei uns gebaut haben", ["hause", "gebau"]),
        ("Sie und er haben Nordsee-Inseln", ["nords", "insel"]),
        ("Столица России", ["столи", "росси"]),
        ("Η πρωτεύουσα της Ελλάδας", ["πρωτε", "ελλαδ"]),
        ("सर्दियों में", ["सर्दि"]),
        ("والكتاب", ["وال", "الك", "لكت", "كتا", "تاب"]),
        ("the word Россия in English", ["росси"]),
        ("Bởi các trường đại học của Việt Nam", []),
        ("Kettles of the ferry", []),
        ("北京大学 ภาษาไทย 한국어", []),
    ],
)
def test_words_of_other_inflected_languages_are_followed_by_parts(text: str, parts: list[str]) -> None:
    tokens = index_tokens(text)
    assert tokens[len(tokens) - len(parts) :] == [PART + part for part in parts]
    assert not any(token.startswith(PART) for token in tokens[: len(tokens) - len(parts)])


def test_no_text_brings_a_marked_token() -> None:
    assert not any(map(is_marked, word_tokens(f"x{ENDING}s {PART}haus {ENDING}")))


def test_an_email_is_found_whole_by_name_and_by_host() -> None:
    tokens = word_tokens("Write to gauges@example.org.")
    assert {"gauges@example.org", "gauges", "example.org"} <= set(tokens)


def test_a_url_longer_than_a_token_keeps_its_parts() -> None:
    url = "https://example.org/" + "/".join(["section"] * 20) + "/leaf"
    tokens = index_tokens(url)
    assert tokens[0] == url[:MAX_TOKEN_LENGTH]
    assert {"example.org", "leaf"} <= set(tokens)


def test_a_query_prefers_the_word_as_written_and_then_its_folded_form() -> None:
    assert query_terms("Crème")[0].alternatives == ("crème", "creme")
    assert query_terms("creme")[0].alternatives == ("creme",)


def test_an_english_query_asks_for_stems_and_one_in_another_language_for_words_and_parts() -> None:
    english, german = query_terms("two kettles")[-1], query_terms("Wo sind die Häuser")[-1]
    assert (english.text, english.alternatives, english.inflected) == ("kettles", ("kettle", "kettles"), False)
    assert german.alternatives[0] == "häuser"
    assert (german.forms, german.inflected) == ((PART + "hause",), True)


def test_a_word_of_another_alphabet_is_inflected_in_any_query() -> None:
    assert query_terms("where is Москва")[-1].inflected
    assert not query_terms("trường đại học ở đâu")[0].forms


def test_a_query_possessive_asks_for_the_name() -> None:
    assert [term.text for term in query_terms("Who was Scrooge's partner?")] == ["scrooge", "partner"]


def test_function_words_leave_a_query_only_when_something_remains() -> None:
    assert first_choices("AND OR NOT pepper") == ["pepper"]
    assert first_choices("to be or not to be") == ["to", "be", "or", "not"]


def test_function_words_of_another_language_need_company() -> None:
    assert first_choices("Wer ist der König und warum") == ["könig"]
    assert first_choices("der") == ["der"]


def test_quoted_text_becomes_a_phrase_of_the_tokens_a_document_would_have() -> None:
    (term,) = query_terms('"The green heron"')
    assert term.phrases == (("the", "green", "heron"),)
    assert term.alternatives == ()
    assert query_terms("“green heron”")[0].phrases == (("green", "heron"),)


def test_a_phrase_tells_inflected_words_apart_in_texts_of_any_language() -> None:
    (term,) = query_terms('"green herons"')
    assert term.phrases == (("green", "heron", ENDING + "s"), ("green", "herons"))
    assert query_terms('"herons"')[0].phrases == (("heron", ENDING + "s"), ("herons",))
    assert query_terms('"heron"')[0].phrases == ()


def test_the_words_of_a_phrase_that_stands_nowhere_are_asked_for_without_function_words() -> None:
    assert query_terms('"the green heron"')[0].parts == ("green", "heron")
    assert query_terms('"to be or not"')[0].parts == ("to", "be", "or", "not")


def test_a_quoted_phrase_of_an_unspaced_script_matches_inside_a_longer_run() -> None:
    (term,) = query_terms('"部署方案"')
    row = index_tokens("讨论部署方案了")
    (phrase,) = term.phrases
    assert any(tuple(row[i : i + len(phrase)]) == phrase for i in range(len(row)))


def test_an_unbalanced_quote_is_ignored() -> None:
    assert first_choices('the "lantern buoy') == ["lantern", "buoy"]


def test_a_code_falls_back_to_its_parts_and_a_wordy_compound_always_offers_them() -> None:
    (code,) = query_terms("BENCH-1008")
    assert (code.alternatives, code.parts) == (("bench-1008",), ("bench", "1008"))
    whole, *parts = query_terms("alpha-b")
    assert whole.parts == ("alpha", "b")
    assert [(part.text, part.optional) for part in parts] == [("alpha", True), ("b", True)]


def test_one_character_of_an_unspaced_script_is_asked_for_by_prefix() -> None:
    (term,) = query_terms("北")
    assert (term.alternatives, term.prefix) == (("北",), True)


def test_a_long_query_keeps_its_first_distinct_terms() -> None:
    terms = query_terms("amber lamp lamp " + " ".join(f"filler{i}" for i in range(3000)))
    assert [term.text for term in terms[:3]] == ["amber", "lamp", "filler0"]
    assert len(terms) == MAX_QUERY_TERMS


@given(any_text)
def test_any_text_gives_sound_tokens(text: str) -> None:
    for token in index_tokens(text):
        assert 0 < len(token) <= MAX_TOKEN_LENGTH
        assert not any(character.isspace() or ord(character) < 32 for character in token)
        token.encode()


@given(any_text)
def test_any_text_is_a_query_whose_words_the_index_would_hold(text: str) -> None:
    held = set(index_tokens(text))
    for term in query_terms(text):
        assert term.phrases or term.alternatives
        if term.alternatives:
            assert held & set(term.alternatives), term


@given(any_text)
def test_parts_and_endings_never_begin_a_document_and_words_are_never_marked(text: str) -> None:
    assert not any(map(is_marked, word_tokens(text)))
    for first in index_tokens(text)[:1]:
        assert not is_marked(first)


@given(st.text(st.characters(categories=["Ll", "Nd"]), max_size=60))
def test_every_token_of_plain_words_is_a_token_again(text: str) -> None:
    tokens = word_tokens(text)
    assert set(tokens) <= set(word_tokens(" ".join(tokens)))


@pytest.mark.cpython_only
@pytest.mark.parametrize(
    "text",
    ["a" * 10**6, "." * 10**6, "\u0301\u0316" * 500_000, "a-" * 500_000, "\uff9e\u0344" * 500_000, '"' * 10**6],
    ids=["letters", "dots", "marks", "hyphens", "sound marks", "quotes"],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    started = time.process_time()
    index_tokens(text)
    query_terms(text)
    assert time.process_time() - started < 10
