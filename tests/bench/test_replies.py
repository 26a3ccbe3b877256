"""The runner that bends replies."""

from __future__ import annotations

import json
import random

import pytest
from tests.prompts.contracts import CONTRACTS

from bench import replies
from lorelite.errors import BadReply


def test_bent_replies_are_read_or_refused_and_no_name_comes_from_nowhere(capsys):
    assert replies.main(["--count", "400", "--seed", "3"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    found = json.loads(last)
    assert found["count"] == found["as asked"] + found["otherwise"] + found["none"]
    assert found["fault"] == 0 and found["as asked"] > 100


@pytest.mark.parametrize("bend", replies.BENDS)
def test_every_bend_changes_what_it_can(bend):
    chance = random.Random(1)
    assert any(bend(contract.reply, chance) != contract.reply for contract in CONTRACTS for _ in range(5))


def test_a_name_counts_as_held_with_its_escapes_read():
    assert replies.holds('{"name": "Ad\\u00e9le \\"A\\" Okoro"}', 'Adéle "A" Okoro')
    assert not replies.holds('{"name": "Ada"}', "Adam")


def test_a_reader_that_fails_or_invents_is_a_fault():
    contract = replies.Contract("extract", CONTRACTS[0].request, CONTRACTS[0].reply, lambda reply: 1 // 0, None)
    outcome, fault = replies.read(contract, contract.reply)
    assert outcome == "fault" and "ZeroDivisionError" in fault.problem
    refuses = replies.Contract("x", contract.request, "", lambda reply: _refuse(reply), None)
    assert replies.read(refuses, "") == ("none", None)


def _refuse(reply):
    raise BadReply("anything else", reply)
