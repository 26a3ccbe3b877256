"""Replies cut at every place and bent as models bend them: never a half name, never silently something else."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable

import pytest

from lorelite.errors import BadReply
from lorelite.prompts.extract import ExtractReply, read_reply

NAMES = {"Ebenezer Scrooge", "Jacob Marley", "Counting House {London}", "Müller & Söhne", "Scrooge the Elder"}
TYPES = {"person", "organisation", "counting-house"}
RELATION_TYPES = {"partner_of", "works_at"}
TITLES = {"Marley is dead", 'The 24" ledger', "Debts: paid, all of them"}
BODIES = {
    "Marley was dead: to begin with, as a door-nail.",
    'The ledger "Grand" lies open; [sic] {page 12}.',
    "All debts were paid, every one.",
}
DESCRIPTIONS = {"A miser of London.", "His partner, now dead."}
TAGS = {"death", "money and debts"}

OURS = {
    "entities": [
        {"name": "Ebenezer Scrooge", "type": "person", "description": "A miser of London.",
         "aliases": ["Scrooge the Elder"]},
        {"name": "Jacob Marley", "type": "person", "description": "His partner, now dead."},
        {"name": "Counting House {London}", "type": "counting-house", "description": ""},
        {"name": "Müller & Söhne", "type": "organisation", "description": ""},
    ],
    "relations": [
        {"source": "Ebenezer Scrooge", "target": "Jacob Marley", "type": "partner_of", "weight": 0.75, "quote": "q"},
        {"source": "Jacob Marley", "target": "Counting House {London}", "type": "works_at", "weight": 1},
    ],
    "facts": [
        {"title": "Marley is dead", "body": "Marley was dead: to begin with, as a door-nail.",
         "about": ["Jacob Marley", "Ebenezer Scrooge"], "tags": ["death"], "confidence": "certain"},
        {"title": 'The 24" ledger', "body": 'The ledger "Grand" lies open; [sic] {page 12}.',
         "tags": ["money and debts"]},
    ],
}  # fmt: skip
REFERENCE = {
    "facts": [
        {"title": "Marley is dead", "body": "Marley was dead: to begin with, as a door-nail.", "tags": ["death"],
         "confidence": "certain", "okf_type": "person",
         "edges": [{"edge_type": "works_at", "target_title": 'The 24" ledger'}],
         "evidence": ["as a door-nail", "Marley was dead"]},
        {"title": 'The 24" ledger', "body": 'The ledger "Grand" lies open; [sic] {page 12}.', "tags": []},
        {"title": "Debts: paid, all of them", "body": "All debts were paid, every one.", "confidence": "tentative"},
    ],
}  # fmt: skip
TUPLES = (
    '("entity"<|>Ebenezer Scrooge<|>person<|>A miser of London.)##\n'
    '("entity"<|>Jacob Marley<|>person<|>His partner, now dead.)##\n'
    '("entity"<|>Müller & Söhne<|>organisation<|>A miser of London.)##\n'
    '("relationship"<|>Ebenezer Scrooge<|>Jacob Marley<|>partner_of<|>His partner, now dead.<|>8)##\n'
    '("relationship"<|>Jacob Marley<|>Müller & Söhne<|>works_at<|>A miser of London.<|>2)<|COMPLETE|>'
)
PLAIN = {
    "ours": json.dumps(OURS),
    "ours, indented": json.dumps(OURS, indent=2, ensure_ascii=False),
    "the reference's": json.dumps(REFERENCE),
    "the reference's, indented": json.dumps(REFERENCE, indent=1, ensure_ascii=False),
    "tuples": TUPLES,
}
DRESSES: dict[str, Callable[[str], str]] = {
    "bare": lambda text: text,
    "fenced": lambda text: f"```json\n{text}\n```",
    "thought": lambda text: f'<think>Maybe {{"entities": [{{"name": "Nobody"}}]}}?</think>\n{text}',
    "talked": lambda text: f"Sure! Here are {{all}} of them:\n\n{text}\n\nHope {{that}} helps [a lot].",
}


def read(text: str) -> ExtractReply | None:
    try:
        return read_reply(text, chunk_start=0, chunk_end=0, document_text="")
    except BadReply:
        return None


def check_nothing_is_half(reply: ExtractReply) -> None:
    """Every name, title, type, body, tag and description is one of the whole ones."""
    found = reply.extraction
    for entity in found.entities:
        assert entity.name in NAMES
        assert entity.type in TYPES | {None}
        assert entity.description in DESCRIPTIONS | {""}
        assert set(entity.aliases) <= NAMES
    for relation in (*found.relations, *found.unplaced):
        assert {relation.source, relation.target} <= NAMES
        assert relation.type in RELATION_TYPES | {"related_to"}
    for fact in found.facts:
        assert fact.title in TITLES and fact.body in BODIES
        assert set(fact.tags) <= TAGS and set(fact.about) <= NAMES
        assert fact.node_type in {"person", None}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("shape", PLAIN)
def test_a_reply_cut_anywhere_gives_whole_members_and_says_that_it_was_cut(shape, dress):
    text = DRESSES[dress](PLAIN[shape])
    whole = read(text)
    assert whole is not None and whole.complete
    for end in range(0, len(text), 1 if dress == "bare" else 4):
        reply = read(text[:end])
        if reply is None:
            continue
        check_nothing_is_half(reply)
        # Between two tuples nothing tells a cut from an end that the model forgot to mark.
        may_be_all = shape == "tuples" and text[:end].rstrip().endswith(")")
        assert reply.extraction == whole.extraction or not reply.complete or may_be_all, text[max(0, end - 60) : end]


def _trailing_commas(text: str) -> str:
    return re.sub(r"(?<=[\]}])(\s*[\]}])", r",\1", text)


def _single_quotes(value: object) -> str:
    return repr(json.loads(json.dumps(value)))


def _comments(text: str) -> str:
    return text.replace('"facts"', '// what it says {"facts": []}\n"facts"', 1).replace("}, {", "}, /* next */ {")


def _python_literals(text: str) -> str:
    return text.replace('"tags"', '"seen": True, "by": None, "tags"')


def _unquoted_keys(text: str) -> str:
    return re.sub(r'"(title|body|tags|name|type|source|target)":', r"\1:", text)


def _open_quotes(text: str) -> str:
    """Quotes inside strings left unescaped, as models do."""
    return text.replace('\\"', '"')


def _without_commas(text: str) -> str:
    return text.replace("}, {", "} {")


BENT: dict[str, Callable[[object], str]] = {
    "trailing commas": lambda value: _trailing_commas(json.dumps(value)),
    "single quotes": _single_quotes,
    "comments": lambda value: _comments(json.dumps(value)),
    "Python literals": lambda value: _python_literals(json.dumps(value)),
    "bare keys": lambda value: _unquoted_keys(json.dumps(value)),
    "quotes left open": lambda value: _open_quotes(json.dumps(value)),
    "missing commas": lambda value: _without_commas(json.dumps(value)),
    "said twice": lambda value: json.dumps(value) + "\n\n" + json.dumps(value),
    "in a string": lambda value: json.dumps(json.dumps(value)),
    "escaped": lambda value: json.dumps(json.dumps(value))[1:-1],
    "wrapped": lambda value: json.dumps({"result": {"output": json.dumps(value)}}),
    "split": lambda value: "\n".join(json.dumps({key: items}) for key, items in value.items()),
}


@pytest.mark.parametrize("value", [OURS, REFERENCE], ids=["ours", "the reference's"])
@pytest.mark.parametrize("bend", BENT)
def test_a_bent_reply_says_what_the_straight_one_says(bend, value):
    straight, bent = read(json.dumps(value)), read(BENT[bend](value))
    assert straight is not None and bent is not None
    assert bent.extraction == straight.extraction


@pytest.mark.parametrize("value", [OURS, REFERENCE], ids=["ours", "the reference's"])
@pytest.mark.parametrize("bend", BENT)
def test_a_bent_reply_that_is_cut_gives_nothing_half(bend, value):
    text = BENT[bend](value)
    for end in range(0, len(text), 3):
        reply = read(text[:end])
        if reply is not None:
            check_nothing_is_half(reply)


@pytest.mark.parametrize("seed", range(8))
def test_a_reply_with_characters_lost_swapped_or_added_raises_nothing_but_a_bad_reply(seed):
    chosen = random.Random(seed)
    for _ in range(150):
        text = list(chosen.choice([*PLAIN.values(), *(bend(OURS) for bend in BENT.values())]))
        for _ in range(chosen.randint(1, 6)):
            at = chosen.randrange(len(text))
            text[at : at + chosen.randint(0, 3)] = chosen.choice(
                ["", '"', "'", "{", "}", "[", "]", ",", ":", "\\", "\n", "<"]
            )
        reply = read("".join(text))
        for fact in reply.extraction.facts if reply else ():
            assert fact.title.strip() and fact.body.strip()
        for entity in reply.extraction.entities if reply else ():
            assert entity.name.strip() and len(entity.name) <= 200
