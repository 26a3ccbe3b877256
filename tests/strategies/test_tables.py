"""Contexts as CSV within budgets."""

import csv
import io

import pytest

from lorelite.strategies.tables import csv_line, csv_table, fitting, in_turn, rendered, table_context, truncate
from lorelite.text.budget import token_cost


def test_fields_with_separators_quotes_or_line_ends_are_quoted_and_read_back_the_same():
    rows = [{"a": 'say "hi"', "b": "one\ntwo"}, {"a": "x,y", "b": "plain"}, {"a": "", "b": 2.5}, {"a": "c\rd", "b": 3}]
    text = csv_table(["a", "b"], rows)
    assert text.startswith('a,b\n"say ""hi""","one\ntwo"\n"x,y",plain\n,2.5\n')
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [["a", "b"], *[[str(row["a"]), str(row["b"])] for row in rows]]


def test_another_delimiter_is_what_gets_quoted():
    assert csv_line(["a|b", "c,d", 1.0], "|") == '"a|b"|c,d|1\n'


@pytest.mark.parametrize(("budget", "kept"), [(0, ""), (1, "a"), (2, "a"), (3, "ab"), (100, "abcd")])
def test_truncate_stops_before_the_first_item_that_would_pass_the_budget(budget, kept):
    cost = {"a": 1, "b": 2, "c": 90, "d": 1}
    assert "".join(truncate("abcd", lambda item: "x" * 4 * cost[item], budget)) == kept


def test_a_later_item_that_would_fit_does_not_jump_the_queue():
    assert truncate(["x" * 8, "x" * 40, "x"], str, 5) == ["x" * 8]


@pytest.mark.parametrize("budget", [0, 10, 20, 37, 80, 1000])
def test_a_table_costs_no_more_than_its_budget_with_its_heading(budget):
    rows = fitting(
        "Entities", [{"entity": f"Name {n}", "type": "t", "description": "d" * n} for n in range(30)], budget
    )
    assert token_cost(table_context("s", {"Entities": rows}).text) <= budget
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))


def test_tables_stand_in_their_fixed_order_each_under_its_name_and_empty_ones_are_left_out():
    context = table_context(
        "s",
        {
            "Sources": [{"id": 1, "content": "text"}],
            "Reports": [],
            "Entities": [{"id": 1, "entity": "Ada", "type": "person", "description": "", "rank": 2, "entity_id": "e1"}],
        },
    )
    assert context.text == (
        "-----Entities-----\nid,entity,type,description,rank\n1,Ada,person,,2\n\n-----Sources-----\nid,content\n1,text\n"
    )
    assert list(context.tables) == ["Entities", "Sources"]
    assert context.tables["Entities"][0]["entity_id"] == "e1"
    assert context.tokens == token_cost(context.text)
    assert table_context("s", {}).is_empty and rendered({}) == ""


def test_items_of_several_lists_come_in_turn():
    assert in_turn([["a", "b", "c"], [], ["d", "e"]]) == ["a", "d", "b", "e", "c"]
