import pytest

from lorelite.evaluation.ranks import all_gold_at, quantile, ranks, recall_at, reciprocal_rank


def test_a_rank_is_the_place_from_one_and_none_for_what_is_not_there():
    assert ranks([("b",), ("x",), ("a",)], ["a", "b", "c"]) == (2, None, 1)


def test_any_name_of_a_piece_will_do_in_any_list_the_best_place_counts():
    assert ranks([("c", "b")], ["a", "b", "c"]) == (2,)
    assert ranks([("x",)], ["x"], ["a", "x"]) == (1,)
    assert ranks([("n2",), ("doc",)], ["doc"], ["n1", "n2"]) == (2, 1)


@pytest.mark.parametrize(("k", "recall", "whole"), [(1, 0.0, 0.0), (2, 1 / 3, 0.0), (5, 2 / 3, 0.0), (7, 1.0, 1.0)])
def test_recall_is_the_share_of_the_gold_and_all_gold_all_of_it(k, recall, whole):
    ranked = (2, 5, 7)
    assert recall_at(ranked, k) == pytest.approx(recall)
    assert all_gold_at(ranked, k) == whole


def test_the_reciprocal_rank_is_of_the_first_piece_found():
    assert reciprocal_rank((None, 4, 9)) == 0.25
    assert reciprocal_rank((None,)) == 0.0


def test_a_quantile_is_one_of_the_values():
    twenty = list(range(1, 21))
    assert quantile(twenty, 0.95) == 19
    assert quantile([7.0], 0.95) == 7.0
    assert quantile([3, 1, 2], 0.5) == 2
    assert quantile([], 0.95) == 0.0
