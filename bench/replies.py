"""Replies of models, bent at random, through the reader of every built-in prompt.

    python -m bench.replies [--count 10000] [--seed 1] [--against json_repair]

A reply as each prompt asks for it is changed in one to three ways that models and networks really do it: cut, doubled,
wrapped in prose, fences or reasoning, quoted otherwise, with members renamed, of another type, gone or nested. Counted
is what the readers make of them. A fault, and exit code 1, is any error but BadReply, and a name of an entity that is
not in the reply. --against reads the JSON of the same replies with another library (`pip install json-repair`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.prompts.contracts import CONTRACTS, PASSAGE, Contract

from bench.report import json_line, table
from lorelite.errors import BadReply
from lorelite.prompts import extract, extract_graph
from lorelite.prompts.graph_reply import Wanted, read_records
from lorelite.text.loose_json import read_loose_json

Bend = Callable[[str, random.Random], str]
_NAMED = ("extract", "extract_graph", "glean")
"""Prompts whose replies name entities."""
_ODD = ("\x00", "\ud83d", "\u202e", "\ufeff", "“", "”", "\u2028", "é", "\\", "\\u00e9", "\\ud83d\\ude00", "\t", "\r\n")
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])')


def _cut(reply: str, chance: random.Random) -> str:
    return reply[: chance.randrange(len(reply) + 1)]


def _lost(reply: str, chance: random.Random) -> str:
    at = chance.randrange(len(reply) + 1)
    return reply[:at] + reply[at + chance.randint(1, 8) :]


def _doubled(reply: str, chance: random.Random) -> str:
    at = chance.randrange(len(reply) + 1)
    return reply + reply[at:] if chance.random() < 0.5 else reply[:at] + reply


def _fenced(reply: str, chance: random.Random) -> str:
    fence = chance.choice(("```json\n{}\n```", "```\n{}", "~~~\n{}\n~~~", "`{}`", "<json>{}</json>"))
    return fence.replace("{}", reply)


def _told(reply: str, chance: random.Random) -> str:
    before = chance.choice(("Sure! Here it is:\n", "Note: {not this} [1]\n", "{", '"', "<p>", "1. "))
    after = chance.choice(("\nI hope this helps!", "\n{}", "}", "]", '"', "\n\n```", ", and so on"))
    return before + reply + after


def _thought(reply: str, chance: random.Random) -> str:
    thought = chance.choice(('Let me see. {"entities": []}', "hm", '"', reply))
    return chance.choice(
        (f"<think>{thought}</think>\n{reply}", f"<think>{thought}\n{reply}", f"{thought}</think>{reply}")
    )


def _quoted(reply: str, chance: random.Random) -> str:
    other = chance.choice(("'", "“", "`", "&quot;", '\\"', ""))
    return reply.replace('"', other) if chance.random() < 0.5 else reply.replace('"', other, chance.randint(1, 5))


def _odd(reply: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(reply) + 1)
        reply = reply[:at] + chance.choice(_ODD) + reply[at:]
    return reply


def _spelled(reply: str, chance: random.Random) -> str:
    old, new = chance.choice(
        (
            (",", ",,"),
            (", ", " "),
            (":", "="),
            (": ", ":\n"),
            ("}", ",}"),
            ("]", "]]"),
            ("true", "True"),
            ("[", "[\n// x\n"),
        )
    )
    return reply.replace(old, new, chance.randint(1, 3))


def _renamed(reply: str, chance: random.Random) -> str:
    keys = re.findall(r'"(\w+)":', reply)
    if not keys:
        return reply
    key = chance.choice(keys)
    return reply.replace(f'"{key}"', json.dumps(chance.choice(("Name", key.upper(), f"{key}s", "", "x", key[:-1]))))


def _retyped(reply: str, chance: random.Random) -> str:
    values = re.findall(r'"[^"]*"(?!\s*:)|\d+(?:\.\d+)?|true|false', reply)
    if not values:
        return reply
    other = chance.choice(("null", "12", "-1e999", "[]", "{}", "true", '[["a"]]', '{"name": "x"}', "9" * 400, "NaN"))
    return reply.replace(chance.choice(values), other, 1)


def _nested(reply: str, chance: random.Random) -> str:
    deep = chance.choice((2, 20, 99, 100, 101, 3_000))
    return "[" * deep + reply + "]" * chance.choice((deep, 0)) if chance.random() < 0.5 else f'{{"result": {reply}}}'


BENDS: tuple[Bend, ...] = (
    _cut, _lost, _doubled, _fenced, _told, _thought, _quoted, _odd, _spelled, _renamed, _retyped, _nested,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """What should not have been."""

    contract: str
    reply: str
    problem: str


def bent(contract: Contract, chance: random.Random) -> str:
    """The contract's reply, changed in one to three ways."""
    reply = contract.reply
    for _ in range(chance.choice((1, 1, 2, 3))):
        reply = chance.choice(BENDS)(reply, chance)
    return reply


def read(contract: Contract, reply: str) -> tuple[str, Fault | None]:
    """What became of a reply: "as asked", "otherwise" or "none", and what is wrong with that."""
    try:
        value = contract.read(reply)
    except BadReply:
        return "none", None
    except Exception as error:
        return "fault", Fault(contract.name, reply, f"{type(error).__name__}: {error}")
    if contract.name in _NAMED:
        foreign = [name for name in names_in(contract, reply) if not holds(reply, name)]
        if foreign:
            return "fault", Fault(contract.name, reply, f"not in the reply: {foreign[0]!r}")
    return ("as asked" if value == contract.takes else "otherwise"), None


def names_in(contract: Contract, reply: str) -> list[str]:
    """The names of entities that would be stored."""
    if contract.name == "extract":
        found = extract.parse(reply, chunk_start=0, chunk_end=len(PASSAGE), document_text=PASSAGE)
    else:
        found = extract_graph.placed([read_records(reply, Wanted())], text=PASSAGE).extraction
    return [entity.name for entity in found.entities]


def holds(reply: str, name: str) -> bool:
    """Does the reply hold the name, with escapes read and white space alike?"""
    wanted = _plain(name)
    unescaped = _unescaped(reply)
    return any(wanted in _plain(text) for text in (reply, unescaped, _unescaped(unescaped)))


def _unescaped(text: str) -> str:
    def letter(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] == "u" else {"n": "\n", "t": "\t", "r": "\r"}.get(code, code)

    text = _ESCAPE.sub(letter, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("&quot;", '"')


def _plain(text: str) -> str:
    return re.sub(r"[\s\x00-\x1f\x7f\ufffd\ud800-\udfff]+", "", text)


def is_altered(reply: str) -> bool:
    """Is the reply a sound JSON object, and read as something else?

    Left out is what JSON leaves open or no file can hold: keys given twice, NaN, lone surrogates, controls; and what is
    read as LaTeX: of "\\rho" JSON makes a carriage return and "ho".
    """
    try:
        sound = json.loads(reply, object_pairs_hook=_once, parse_constant=_refused)
        found = read_loose_json(reply).value
    except (ValueError, RecursionError, BadReply):
        return False
    is_storable = not re.search(r"[\x00-\x08\ud800-\udfff]|\\[u\\]|\\[bf]|\\[nrt](?=[A-Za-z])|9{300}|1e999", reply)
    return isinstance(sound, dict) and is_storable and found != sound


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _refused(constant: str) -> object:
    raise ValueError(constant)


def seconds_of(size: int) -> float:
    """What reading one reply of *size* characters takes, of which the last is cut off."""
    member = '{"name": "Ada Okoro", "type": "person", "description": "She runs the \\"ferry\\"."}, '
    reply = '{"entities": [' + member * (size // len(member))
    start = time.process_time()
    read_loose_json(reply)
    return time.process_time() - start


def compared(other: str, replies: Sequence[tuple[Contract, str]]) -> dict[str, int]:
    """How another library reads the same replies as JSON, beside ours: right as the contract has it, other, or none."""
    loads = importlib.import_module(other).loads
    counts: Counter[str] = Counter()
    for contract, reply in replies:
        if not contract.reply.startswith(("{", "[")):
            continue
        try:
            theirs = _read_as(contract, json.dumps(loads(reply)))
        except Exception:
            theirs = "fails"
        counts[f"ours {_read_as(contract, reply)}, theirs {theirs}"] += 1
    return dict(sorted(counts.items()))


def _read_as(contract: Contract, reply: str) -> str:
    try:
        return "right" if contract.read(reply) == contract.takes else "other"
    except BadReply:
        return "none"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.replies", description=str(__doc__).splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", metavar="MODULE")
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)
    contracts = [chance.choice(CONTRACTS) for _ in range(chosen.count)]
    replies = [(contract, bent(contract, chance)) for contract in contracts]
    counts: dict[str, Counter[str]] = {}
    faults: list[Fault] = []
    for contract, reply in replies:
        outcome, fault = read(contract, reply)
        counts.setdefault(contract.name, Counter())[outcome] += 1
        faults += (
            [fault] if fault else [Fault(contract.name, reply, "sound JSON was altered")] if is_altered(reply) else []
        )
    outcomes = ("as asked", "otherwise", "none", "fault")
    print(table(["prompt", *outcomes], [[name, *(counts[name][each] for each in outcomes)] for name in sorted(counts)]))
    for fault in faults[:10]:
        print(f"{fault.contract}: {fault.problem}\n    {fault.reply[:300]!r}")
    if chosen.against:
        for words, count in compared(chosen.against, replies).items():
            print(f"{count:6}  {words}")
    totals = sum(counts.values(), Counter())
    costs = {f"seconds_{size}_mb": round(seconds_of(size * 1_000_000), 2) for size in (1, 2, 4)}
    print(json_line({"bench": "replies", "count": chosen.count, **{each: totals[each] for each in outcomes}, **costs}))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
