"""Better values of calls/reading.py."""

from __future__ import annotations

from bench.conformance.expectations import Better, Check, Outcome, error, walk

_STRICT = "an option that makes no sense is refused by name"

_CLEARLY = 1.15
"""A score this much above another puts its node first in any ranking by words."""


def _ordered_alike(ours: Outcome, observed: Outcome) -> bool:
    """The same nodes; wherever the reference puts one clearly before another, so do we; all else as observed."""
    left, right = ours.get("ok"), observed.get("ok")
    if not (isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys()):
        return False
    scores, expected = left.get("factScores"), right.get("factScores")
    if not isinstance(scores, dict) or not isinstance(expected, dict) or scores.keys() != expected.keys():
        return False
    others = left.keys() - {"factScores", "facts.id"}
    ids = left.get("facts.id", sorted(scores, key=lambda id: -scores[id]))
    if sorted(ids) != sorted(expected):
        return False
    return all(left[name] == right[name] for name in others) and all(
        ids.index(high) < ids.index(low)
        for high in expected
        for low in expected
        if expected[high] > max(0.0, expected[low]) * _CLEARLY and expected[high] > 0
    )


def picked(ids: list[str]) -> Check:
    """These nodes in this order; where scores are picked, they do not rise."""

    def holds(ours: Outcome, observed: Outcome) -> bool:
        found = ours.get("ok", {})
        scores = [found["factScores"][id] for id in ids] if found.get("factScores") else []
        return found.get("facts.id") == ids and scores == sorted(scores, reverse=True)

    return holds


GENERAL = (
    Better("*", "*", "read-keyword-order-and-scores", "the order of clear cases is the reference's, scores are ours",
           _ordered_alike),
)  # fmt: skip

_SHORTER = "both hold the word as often, a title counting twice: the shorter one first"

BETTER = (
    Better("trav-ranking-ties", 1, "trav-ranking-ties", "ties are broken by id",
           walk(["A", "b", "m", "z"], ["A-rel-b", "A-rel-m", "A-rel-z"])),
    Better("trav-comma-id-bug", 1, "trav-comma-id-bug", "ids are opaque, every neighbour is found",
           walk(["a,b", "a", "c"], ["a,b-rel-a", "a,b-rel-c"])),
    Better("trav-invalid-direction", 1, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-depth-clamp", 6, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-depth-clamp", 7, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-confidence-dead-end-anchor-exempt", 4, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    # The row speaks of depths; a number of nodes is read by the same rule: 2.9, 0 and NaN are no numbers of nodes, and
    # whoever asks for none would not expect twenty.
    Better("trav-cap-and-order", 3, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-cap-and-order", 5, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-cap-and-order", 6, "trav-invalid-direction", _STRICT, error("InvalidOption")),
    Better("trav-unknown-options-asOf-tokenBudget", 1, "trav-unknown-options-asOf-tokenBudget",
           "an anchor that was not held true at that time stands alone", walk(["A"], [])),
    Better("read-keyword-order-and-scores", 3, "read-keyword-order-and-scores", _SHORTER, picked(["f3"])),
    Better("read-keyword-order-and-scores", 4, "read-keyword-order-and-scores", _SHORTER, picked(["f3", "f1"])),
    Better("read-keyword-order-and-scores", 5, "read-keyword-order-and-scores",
           "a word with two letters swapped is found", picked(["f3", "f1"])),
    Better("read-keyword-order-and-scores", 8, "read-keyword-order-and-scores", _SHORTER, picked(["f3", "f1"])),
    # The reference's manual says that 0.5 is half words, half meaning. Its code divides words by max(1, best), so that
    # they count for less wherever all scores lie below 1: a matter of the scale of its index, and the row leaves scores
    # to us. Over the best score the manual's formula holds on any scale, and n (words alone) is level with p.
    Better("read-hybrid-weights", 5, "read-keyword-order-and-scores",
           "the share of words does not shrink with the scale of their scores", picked(["q", "n", "p", "u"])),
    Better("read-prefilter", 3, "read-prefilter", "what is near in meaning is a candidate too", picked(["p", "n"])),
    Better("read-prefilter", 4, "read-prefilter", "what is near in meaning is a candidate too",
           picked(["q", "n", "p"])),
    Better("read-prefilter", 8, "read-prefilter", "no word needs to agree", picked(["p"])),
    Better("read-embed-fallbacks", 11, "read-access-tracking", "earlier reads leave the order alone",
           picked(["n", "p", "q", "u"])),
    Better("read-tier-weights", 10, "trav-ranking-ties", "ties are broken by id", picked(["k1", "w1", "w2"])),
)  # fmt: skip
