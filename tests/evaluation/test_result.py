import json

import pytest
from evaluation_samples import evaluation, outcome

from lorelite import InvalidOption
from lorelite.evaluation import Evaluation, Latency
from lorelite.evaluation.result import together

FOUR = [
    outcome("a", 1, 2, tag="two", ms=4.0),
    outcome("b", 5, tag="one", ms=1.0),
    outcome("c", 2, None, tag="two", ms=2.0),
    outcome("d", None, ms=100.0),
]


def test_the_measures_are_means_over_the_questions():
    found = evaluation(FOUR)
    assert found.recall == {1: 0.5 / 4, 2: (1 + 0.5) / 4, 5: (1 + 1 + 0.5) / 4}
    assert found.all_gold == {1: 0.0, 2: 0.25, 5: 0.5}
    assert found.mrr == pytest.approx((1 + 1 / 5 + 1 / 2 + 0) / 4)
    assert found.latency_ms == Latency(median=3.0, p95=100.0)


def test_tags_have_evaluations_of_their_own_and_untagged_questions_none():
    by_tag = evaluation(FOUR).by_tag
    assert list(by_tag) == ["one", "two"]
    assert by_tag["two"].recall == {1: 0.25, 2: 0.75, 5: 0.75}
    assert by_tag["one"].mrr == 0.2
    assert evaluation([outcome("x", 1)]).by_tag == {}


def test_measures_go_by_their_usual_names_in_percent():
    assert evaluation(FOUR, at=(1, 5)).measures == pytest.approx(
        {"R@1": 12.5, "R@5": 62.5, "all-gold@1": 0.0, "all-gold@5": 50.0, "MRR": 42.5, "median ms": 3, "p95 ms": 100}
    )


def test_the_table_has_a_row_for_all_and_one_for_each_tag():
    assert evaluation(FOUR, at=(1, 5)).table().splitlines() == [
        "questions  n   R@1    R@5  all-gold@1  all-gold@5   MRR  median ms  p95 ms",
        "all        4  12.5   62.5         0.0        50.0  42.5       3.00  100.00",
        "one        1   0.0  100.0         0.0       100.0  20.0       1.00    1.00",
        "two        2  25.0   75.0         0.0        50.0  75.0       3.00    4.00",
    ]


def test_json_comes_back_as_it_was():
    found = evaluation(FOUR)
    assert Evaluation.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "lorelite-evaluation-1"}', '{"format": "lorelite-evaluation-9", "at": []}']
)
def test_other_json_is_refused(text):
    with pytest.raises(InvalidOption, match="evaluation: expected a document of to_json"):
        Evaluation.from_json(text)


@pytest.mark.parametrize(
    "changed",
    [
        {"name": 5},
        {"strategy": None},
        {"embedder": None},
        {"at": []},
        {"at": ["1"]},
        {"at": [0]},
        {"unknown": "abc"},
        {"outcomes": {}},
        {"outcomes": [{}]},
        {"ranks": []},
        {"ranks": [0]},
        {"ranks": ["1"]},
        {"ranks": [1, 2]},
        {"gold": "abc"},
        {"gold": [[5]]},
        {"gold": []},
        {"found": "abc"},
        {"id": 5},
        {"tag": None},
        {"question": None},
        {"latency_ms": "soon"},
    ],
)
def test_what_was_changed_into_another_shape_is_refused(changed):
    value = json.loads(evaluation([outcome("a", 1)]).to_json())
    [name] = changed
    (value if name in value else value["outcomes"][0]).update(changed)
    with pytest.raises(InvalidOption, match="evaluation: expected a document of to_json"):
        Evaluation.from_json(json.dumps(value))


@pytest.mark.parametrize("text", ["[" * 100_000, None, 5, b"{}"])
def test_what_is_no_json_text_is_refused(text):
    with pytest.raises(InvalidOption, match="evaluation: expected a document of to_json"):
        Evaluation.from_json(text)


def test_parts_become_one_over_all_questions():
    whole = together("both", [evaluation(FOUR[:2]), evaluation(FOUR[2:])])
    assert (whole.name, whole.outcomes) == ("both", tuple(FOUR))


def test_nothing_asked_is_nothing_found():
    nothing = evaluation([])
    assert (nothing.mrr, nothing.recall[5], nothing.latency_ms) == (0.0, 0.0, Latency(median=0.0, p95=0.0))
