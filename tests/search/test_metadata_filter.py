"""Filters on metadata: the contract of vector stores has them find; here is what is easily got wrong."""

from __future__ import annotations

import pytest

from lorelite.errors import FilterError
from lorelite.search.metadata_filter import OPERATORS, compiled


@pytest.mark.parametrize(
    ("filter", "metadata", "passes"),
    [
        (None, {}, True),
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": False}, {"a": 0}, False),
        ({"a": None}, {}, True),
        ({"a": None}, {"a": 0}, False),
        ({"a": {"$ne": None}}, {}, False),
        ({"a": {"x": 1}}, {"a": {"x": 1}}, True),
        ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, False),
        ({"a": {}}, {"a": {}}, True),
        ({"a": [1, {"b": True}]}, {"a": [1, {"b": True}]}, True),
        ({"a": [1, {"b": True}]}, {"a": [1, {"b": 1}]}, False),
        ({"a": {"$gt": 1}}, {"a": "2"}, False),
        ({"a": {"$gt": "1"}}, {"a": 2}, False),
        ({"a": {"$lt": 1}}, {"a": False}, False),
        ({"a": {"$gt": 1}}, {}, False),
        ({"a": {"$lte": 1}}, {"a": None}, False),
        ({"a": {"$exists": True}}, {"a": None}, True),
        ({"a": {"$in": []}}, {"a": 1}, False),
        ({"a": {"$nin": []}}, {"a": 1}, True),
        ({"a": {"$in": [None]}}, {}, True),
        ({"a": {"$contains": 1}}, {"a": [True, 2]}, False),
        ({"a": {"$contains": ""}}, {"a": "text"}, True),
        ({"a": {"$contains": "k"}}, {"a": {"k": 1}}, False),
        ({"a.b": 1}, {"a": {"b": 1}}, True),
        ({"a.b": 1}, {"a.b": 1, "a": {"b": 2}}, True),
        ({"a.b.c": {"$exists": False}}, {"a": {"b": "c"}}, True),
        ({"a": {"$gte": 1, "$lt": 3}}, {"a": 3}, False),
        ({"a": {"$not": {"$in": [1]}}}, {}, True),
        ({"$and": []}, {}, True),
        ({"$or": []}, {}, False),
        ({"$not": {"$or": [{"a": 1}, {"b": 2}]}}, {"b": 2}, False),
        ({"$or": [{"a": 1, "b": 2}, {"c": 3}], "d": 4}, {"a": 1, "b": 2, "d": 4}, True),
        ({"$or": [{"a": 1, "b": 2}, {"c": 3}], "d": 4}, {"a": 1, "b": 3, "d": 4}, False),
    ],
)
def test_a_filter_says_yes_or_no(filter, metadata, passes):
    assert compiled(filter)(metadata) is passes


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        ([], "a mapping"),
        ({1: 2}, "the name of a field"),
        ({"$nor": []}, r"\$and, \$or, \$not"),
        ({"$eq": 1}, r"\$and, \$or, \$not"),
        ({"$and": {"a": 1}}, r"\$and with a list"),
        ({"$or": "ab"}, r"\$or with a list"),
        ({"$or": [1]}, r"\$or with filters"),
        ({"$not": [{}]}, r"\$not with filters"),
        ({"a": {"$gt": None}}, r"\$gt with a number or a text"),
        ({"a": {"$lte": True}}, r"\$lte with a number or a text"),
        ({"a": {"$in": "ab"}}, r"\$in with a list"),
        ({"a": {"$exists": 1}}, r"\$exists with true or false"),
        ({"a": {"$not": 1}}, r"\$not with operators"),
        ({"a": {"$eq": 1, "b": 2}}, "operators alone"),
        ({"a": {"$regex": "x"}}, r"one of \$eq, \$ne"),
    ],
)
def test_what_cannot_be_understood_is_refused_before_anything_is_compared(filter, message):
    with pytest.raises(FilterError, match=message):
        compiled(filter)


def test_every_operator_is_known_after_a_field():
    for name in OPERATORS:
        with pytest.raises(FilterError, match="found"):
            compiled({"a": {name + "x": 1}})
