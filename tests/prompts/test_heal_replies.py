"""Heal's replies, as models write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorelite.errors import BadReply
from lorelite.prompts.heal import ContradictionClaim, build, parse

FULL: dict[str, Any] = {
    "downgraded": ["fact_1", "fact_2"],
    "deleted": ["fact_3"],
    "newFacts": [{"title": "Anna sails", "body": "Anna sails on the lake.", "tags": ["Sport"]}],
    "contradictions": [{"a": "fact_1", "b": "fact_4", "keep": "fact_4"}],
    "duplicates": [["fact_5", "fact_6"]],
}


def test_the_reply_that_is_asked_for_is_read_whole() -> None:
    reply = parse(json.dumps(FULL))
    assert (reply.downgraded, reply.deleted) == (("fact_1", "fact_2"), ("fact_3",))
    assert [(fact.title, fact.body, fact.tags) for fact in reply.facts] == [
        ("Anna sails", "Anna sails on the lake.", ("sport",))
    ]
    assert reply.contradictions == (ContradictionClaim("fact_1", "fact_4", "fact_4"),)
    assert reply.duplicates == (("fact_5", "fact_6"),)
    assert reply.complete


@pytest.mark.parametrize(
    ("text", "member", "expected"),
    [
        ('```json\n{"downgraded": ["a"]}\n```', "downgraded", ("a",)),
        ("<think>delete b?</think>{'deleted': ['a',],}", "deleted", ("a",)),
        ('{"deleted": "a"}', "deleted", ("a",)),
        ('{"deleted": [{"id": "a"}, {"factId": "b"}]}', "deleted", ("a", "b")),
        ('{"deleted": [7, null, true, "a", "a", " "]}', "deleted", ("7", "a")),
        ('{"Downgrade": ["a"], "new_facts": null}', "downgraded", ("a",)),
        ('{"result": {"downgraded": ["a"]}}', "downgraded", ("a",)),
        ('{"deleted": ["a"]} Wait, rather: {"deleted": ["b"]}', "deleted", ("b",)),
        ('{"duplicates": ["a", "b"]}', "duplicates", (("a", "b"),)),
        ('{"duplicates": [["a"], [], ["a", "b", "a"], "c"]}', "duplicates", (("a", "b"),)),
        ('{"duplicates": [{"keep": "b", "ids": ["a", "b"]}]}', "duplicates", (("b", "a"),)),
        ('{"contradictions": [["a", "b"]]}', "contradictions", (ContradictionClaim("a", "b"),)),
        (
            '{"contradictions": [{"ids": ["a", "b"], "keep": "b"}]}',
            "contradictions",
            (ContradictionClaim("a", "b", "b"),),
        ),
        ('{"contradictions": [{"a": "a"}, {"a": "a", "b": "a"}, "a", 5]}', "contradictions", ()),
        ("{}", "deleted", ()),
        ('{"deleted": []}', "deleted", ()),
    ],
)
def test_other_spellings_are_understood(text: str, member: str, expected: object) -> None:
    assert getattr(parse(text), member) == expected


@pytest.mark.parametrize(
    "text", ["", "Nothing to do.", "[]", "[1, 2]", "5", '{"error": "overloaded"}', '{"status": {"a": 1, "b": 2}}']
)
def test_a_reply_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(BadReply):
        parse(text)


def test_a_reply_that_was_cut_says_only_what_it_says_whole() -> None:
    text = json.dumps(FULL)
    for end in range(len(text)):
        try:
            reply = parse(text[:end])
        except BadReply:
            continue
        assert not reply.complete
        assert set(reply.downgraded) <= set(FULL["downgraded"]) and set(reply.deleted) <= set(FULL["deleted"])
        assert all(fact.title == "Anna sails" and fact.body == "Anna sails on the lake." for fact in reply.facts)
        assert all({claim.a, claim.b} == {"fact_1", "fact_4"} for claim in reply.contradictions)
        assert set(reply.duplicates) <= {("fact_5", "fact_6")}


def test_a_prompt_of_the_callers_gets_the_data_in_the_places_it_names() -> None:
    template = "Check {{healCandidates}} against {{documentAnchors}} and {{recentEvents}}."
    rows = [{"id": "fact_1", "title": "Anna sails"}]
    request = build(rows, related=rows, documented=[], tasks=[], events=[], template=template)
    assert "Anna sails" in request.system and "{{" not in request.system
    assert request.schema is None and request.purpose == "heal"
