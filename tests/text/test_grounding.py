import pytest

from lorelite.text.grounding import MOST, grounded

TEXT = "The quick brown fox jumps\nover the lazy dog. The ﬁre, said Ann, was “out” at last."


@pytest.mark.parametrize(
    ("quotes", "reason"),
    [
        (["The   quick brown\tfox jumps"], ""),
        (["quick brown fox jumps over the lazy"], ""),
        (["The fire, said Ann, was"], ""),
        (['said Ann, was "out" at last'], ""),
        ([], "no_evidence"),
        (["", "  \n"], "no_evidence"),
        (["short"], "evidence_too_short"),
        (["brown fox jumps over", "short"], ""),
        (["a quote that is not in the document at all"], "quote_not_found"),
        (["The quick brown fox jumps", "a quote that is not in the document at all"], "quote_not_found"),
        (["the quick brown fox JUMPS over"], "quote_not_found"),
        (["The quick brown fox … the lazy dog"], "quote_not_found"),
    ],
)
def test_every_quote_that_counts_must_stand_in_the_source_word_for_word(quotes, reason):
    found = grounded(quotes, [TEXT])
    assert (found.reason, found.ok) == (reason, not reason)


def test_a_quote_may_stand_in_any_source_but_not_in_two_halves():
    assert grounded(["brown fox jumps over", "Herons wade in the river"], ["Herons wade in the river.", TEXT]).ok
    assert not grounded(["Herons wade in the river"], ["Herons wade", "in the river"]).ok


def test_ten_quotes_are_looked_at():
    true, false = "quick brown fox jumps", "words that nobody ever said"
    assert grounded([true] * MOST + [false], [TEXT]).ok
    assert not grounded([true] * (MOST - 1) + [false], [TEXT]).ok


def test_the_code_tells_missing_quotes_from_false_ones():
    assert [grounded(quotes, [TEXT]).code for quotes in ([], ["short"], ["words that nobody ever said"])] == [
        "grounding_missing",
        "grounding_missing",
        "grounding_failed",
    ]
    assert grounded(["quick brown fox jumps"], [TEXT]).code == ""
