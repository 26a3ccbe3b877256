from __future__ import annotations

import pytest

from lorelite.text.stemmers import ENDING, PART, english_stem, inflection_of, parts_of, stem_and_ending
from lorelite.text.stopwords import ENGLISH, FOREIGN_ALONE, OTHER_LANGUAGES, foreign_language, stop_words_for


def stop_words_of(query: str) -> set[str]:
    words = query.lower().split()
    return set(words) & stop_words_for(words)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the lock was opened by the keeper and the ferry left", None),
        ("copper kettle descaling", None),
        ("the road to los angeles and la jolla", None),
        ("wo steht das haus und wer wohnt dort", "de"),
        ("où est la maison et qui sont les gens", "fr"),
        ("unde este casa și cine sunt oamenii", "ro"),
        ("ai là người đã được bầu và bởi vì sao", "vi"),
        ("где был он и что это", "ru"),
        ("πού είναι το σπίτι και ποιοσ το έχτισε", "el"),
        ("اين كان هذا من في", "ar"),
        ("bu ev nerede ve kim için", "tr"),
        ("tämä on talo ja se oli sen", "fi"),
    ],
)
def test_a_language_is_known_by_its_function_words(text: str, language: str | None) -> None:
    assert foreign_language(text.split()) == language


def test_one_word_of_another_language_says_enough_of_a_query_but_not_of_a_text() -> None:
    assert inflection_of(["wer", "baute", "häuser"], 1) == "inflected"
    assert inflection_of(["wer", "baute", "häuser"], 2) == "english"
    assert inflection_of(["bởi", "các", "trường"], 2) == "none"


def test_function_words_that_are_content_words_elsewhere_leave_a_query_of_a_known_language_only() -> None:
    assert stop_words_of("wann war die reformation und wer sie") == {
        "wann",
        "war",
        "die",
        "und",
        "wer",
        "sie",
    }
    assert stop_words_of("the die was cast in the war") == {"the", "was", "in"}


def test_no_list_takes_an_english_content_word_that_another_list_left_out_on_purpose() -> None:
    content = {
        "die",
        "war",
        "man",
        "men",
        "son",
        "sans",
        "come",
        "per",
        "van",
        "care",
        "ham",
        "far",
        "mint",
        "bio",
    }
    assert not content & (FOREIGN_ALONE | ENGLISH)
    assert all(language and words for language, words in OTHER_LANGUAGES.items())


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("kettles", "kettle"),
        ("stopped", "stop"),
        ("children", "child"),
        ("these", "these"),
        ("bus", "bus"),
        ("häuser", "häuser"),
        ("v2s", "v2s"),
        ("don't", "don't"),
    ],
)
def test_only_english_words_of_plain_letters_have_stems(word: str, stem: str) -> None:
    assert english_stem(word) == stem


def test_a_stem_and_its_ending_tell_the_forms_of_a_word_apart() -> None:
    forms = ("stop", "stops", "stopped", "stopping")
    tokens = [stem_and_ending(form) for form in forms]
    assert [row[0] for row in tokens] == ["stop"] * 4
    assert len(set(tokens)) == 4
    assert tokens[2] == ("stop", ENDING + "ped")


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("häuser", ["häuse"]),
        ("haus", ["haus"]),
        ("ist", []),
        ("und", []),
        ("h2o4567", []),
        ("a-bcde", []),
        ("книги", ["книги"]),
        ("كتاب", ["كتا", "تاب"]),
        ("ספרים", ["ספר", "פרי", "רים"]),
        ("北京大学", []),
        ("한국어말", []),
    ],
)
def test_parts_are_the_first_letters_or_windows_where_few_vowels_are_written(word: str, parts: list[str]) -> None:
    assert list(parts_of(word)) == [PART + part for part in parts]
