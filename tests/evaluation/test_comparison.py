import pytest
from evaluation_samples import evaluation, outcome

from lorelite import InvalidOption
from lorelite.evaluation import compare


def test_differences_are_after_less_before_in_points():
    before = evaluation([outcome("a", 2), outcome("b", None)])
    after = evaluation([outcome("a", 1), outcome("b", 5)], strategy="pagerank")
    compared = compare(before, after, resamples=100)
    assert (compared.before, compared.after, compared.questions) == ("read", "pagerank", 2)
    found = {each.measure: (each.before, each.after, each.difference) for each in compared.differences}
    assert found["R@1"] == (0.0, 50.0, 50.0)
    assert found["R@2"] == (50.0, 50.0, 0.0)
    assert found["all-gold@5"] == (50.0, 100.0, 50.0)
    assert found["MRR"] == pytest.approx((25.0, 60.0, 35.0))


def test_where_every_question_gains_the_same_the_interval_is_that_gain():
    before = evaluation([outcome(str(n), 2) for n in range(5)])
    after = evaluation([outcome(str(n), 1) for n in range(5)])
    [gain] = [each for each in compare(before, after, resamples=50).differences if each.measure == "R@1"]
    assert (gain.low, gain.high, gain.is_clear) == (100.0, 100.0, True)


def test_the_interval_of_two_questions_is_what_their_resamples_can_be():
    """Means of resamples: 0 in a quarter of them, 50 in half, 100 in a quarter."""
    before = evaluation([outcome("a", 2), outcome("b", 2)], at=(1,))
    after = evaluation([outcome("a", 1), outcome("b", 2)], at=(1,))
    recall = compare(before, after, resamples=1_000).differences[0]
    assert (recall.difference, recall.low, recall.high, recall.is_clear) == (50.0, 0.0, 100.0, False)


def test_the_interval_of_many_questions_is_near_the_normal_one():
    """60 of 100 questions gain 100 points: standard error 100·√(0.6·0.4/100) = 4.9 points, 1.96 of them 9.6."""
    before = evaluation([outcome(str(n), None) for n in range(100)], at=(1,))
    after = evaluation([outcome(str(n), 1 if n < 60 else None) for n in range(100)], at=(1,))
    recall = compare(before, after).differences[0]
    assert recall.difference == pytest.approx(60.0)
    assert recall.low == pytest.approx(50.4, abs=1) and recall.high == pytest.approx(69.6, abs=1)
    assert recall == compare(before, after).differences[0]
    assert compare(before, after, resamples=500, seed=1) != compare(before, after, resamples=500, seed=2)


def test_questions_pair_by_id_in_any_order():
    before = evaluation([outcome("a", 1), outcome("b", None)])
    after = evaluation([outcome("b", None), outcome("a", 1)])
    assert all(
        each.difference == each.low == each.high == 0 for each in compare(before, after, resamples=20).differences
    )


def test_places_beyond_what_both_looked_at_do_not_count():
    before = evaluation([outcome("a", None)], at=(1, 2))
    after = evaluation([outcome("a", 9)], at=(1, 2, 10))
    compared = compare(before, after, resamples=10)
    assert [each.measure for each in compared.differences] == ["R@1", "R@2", "all-gold@1", "all-gold@2", "MRR"]
    assert all(each.difference == 0 for each in compared.differences)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (evaluation([outcome("a", 1)]), "1 that differ, for example b"),
        (evaluation([outcome("a", 1), outcome("c", 1)]), "2 that differ, for example b, c"),
        (evaluation([outcome("a", 1), outcome("b", 1)], at=(3,)), r"at: expected one k"),
    ],
)
def test_runs_over_other_questions_are_refused(after, told):
    with pytest.raises(InvalidOption, match=told):
        compare(evaluation([outcome("a", 1), outcome("b", 2)]), after)


def test_the_same_id_with_another_question_is_refused():
    before = evaluation([outcome("a", 1)])
    after = evaluation([outcome("a", 1)])
    object.__setattr__(after.outcomes[0], "question", "Something else?")
    with pytest.raises(InvalidOption, match="1 that differ, for example a"):
        compare(before, after)


def test_the_table_marks_what_is_clear():
    before = evaluation([outcome(str(n), 2) for n in range(9)], at=(1, 2))
    after = evaluation([outcome(str(n), 1) for n in range(9)], at=(1, 2), strategy="keyword")
    lines = compare(before, after, resamples=40).table().splitlines()
    assert lines[0].split() == ["measure", "read", "keyword", "difference", "95%", "interval"]
    assert lines[1].split() == ["R@1", "0.0", "100.0", "+100.0", "+100.0", "…", "+100.0", "*"]
    assert lines[2].split() == ["R@2", "100.0", "100.0", "+0.0", "+0.0", "…", "+0.0"]
