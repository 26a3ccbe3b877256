import time

import pytest

from lorelite.text.quote import QuoteFinder, find_quote
from lorelite.text.span import Span

TEXT = "“Marley was dead,” he said—to   begin\nwith. The *Ghost*’s chain clanked. Scrooge’s café closed; İzmir, Straße."


def found(quote: str, text: str = TEXT) -> str | None:
    span = find_quote(text, quote, 0, len(text))
    return span.of(text) if span else None


@pytest.mark.parametrize(
    ("quote", "original"),
    [
        ("Marley was dead", "Marley was dead"),
        ("marley WAS dead", "Marley was dead"),
        ('"Marley was dead," he said', "“Marley was dead,” he said"),
        ("he said-to begin with", "he said—to   begin\nwith"),
        ("The Ghost's chain clanked.", "The *Ghost*’s chain clanked."),
        ("Scrooge's cafe\u0301 closed", "Scrooge’s café closed"),
        ("Marley was dead ... begin with.", "Marley was dead"),
        ("he said […] The Ghost's chain clanked.", "The *Ghost*’s chain clanked."),
        ("STRASSE", "Straße"),
    ],
)
def test_a_quote_in_another_spelling_gives_the_original_words(quote: str, original: str) -> None:
    assert found(quote) == original


@pytest.mark.parametrize(
    "quote",
    ["Marley is dead", "Marley dead", "ark", "chai", "caf", "Scrooge's cafe closed", "", "…", "'", "Stras", "a ... b"],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert found(quote) is None


def test_what_a_link_shows_is_quoted_without_its_marks() -> None:
    text = 'Rat [[Mole|met Mole]] at the [weir](places/weir.md "by the mill") near [[Toad Hall]], [sic] twice.'
    assert found("rat met Mole at the weir near Toad Hall, [sic] twice", text) == text[:-1]
    assert found('at the [weir](places/weir.md "by the mill") near [[Toad Hall]]', text) == text[22:84]
    assert found("weir near Toad Hall", text) == text[30:82]
    assert found("places/weir.md", text) == "places/weir.md"
    assert found("the weir by the mill", text) is None


def test_offsets_are_those_of_the_whole_text_and_stay_inside_the_piece() -> None:
    text = "one two three. one two three."
    assert find_quote(text, "one two three.", 5, len(text)) == Span(15, 29)
    assert find_quote(text, "two three. one", 5, len(text)) is None


def test_scripts_without_spaces_are_quoted_inside_a_run() -> None:
    assert found("猫は庭で", "昨日、猫は庭で寝ていた。") == "猫は庭で"
    assert found("สวัสดี", "เขาพูดว่าสวัสดีครับ") == "สวัสดี"


def test_a_name_is_found_as_a_whole_word_in_its_own_case_first() -> None:
    text = "Anna saw an anna. Annabel and ANNA's\n house. Mary\nAnn."
    finder = QuoteFinder(text, 0, len(text))
    assert [span.of(text) for span in finder.mentions("Anna", 20)] == ["Anna"]
    assert [span.of(text) for span in finder.mentions("mary ann", 20)] == ["Mary\nAnn"]
    assert finder.mentions("nna", 20) == []
    assert finder.mentions("SAW", 20) == [], "a short name is not looked for in another case"
    assert len(QuoteFinder("Bob " * 50, 0, 200).mentions("Bob", 20)) == 20


def test_the_best_sentence_must_share_most_words() -> None:
    text = "The harbour froze in March. Scrooge paid Bob Cratchit fifteen shillings a week."
    finder = QuoteFinder(text, 0, len(text))
    span = finder.best_sentence("Bob Cratchit was paid fifteen shillings a week by Scrooge.")
    assert span is not None
    assert span.of(text) == "Scrooge paid Bob Cratchit fifteen shillings a week."
    assert finder.best_sentence("Tiny Tim lived in London") is None


@pytest.mark.parametrize("unit", ["a", "a\u0301", "a ", "\"'", "... ", "\n", "[[", "](", "[a", "](a "])
def test_search_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        begin = time.process_time()
        find_quote(text, "b" + text[: length // 4].strip() + "b", 0, len(text))
        return time.process_time() - begin

    small, large = min(seconds(10_000) for _ in range(3)), seconds(80_000)
    assert large < 40 * small + 0.1
