"""What each built-in prompt says, word for word, and what comes of a reply that keeps to it.

After a change on purpose: LORELITE_WRITE_GOLDEN=1 pytest tests/prompts/test_golden_prompts.py, and read the difference.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.prompts.contracts import CONTRACTS, Contract

from lorelite.prompts.fence import NOTICE

GOLDEN = Path(__file__).parent / "golden"
_MOST_WORDS = 400

each_prompt = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.name)


def shown(contract: Contract) -> str:
    request = contract.request
    schema = "none" if request.schema is None else json.dumps(request.schema, ensure_ascii=False, indent=1)
    parts = {"System": request.system, "User": request.user, "Schema": schema, "A reply": contract.reply}
    return "\n\n".join(f"# {name}\n\n{text.strip()}" for name, text in parts.items()) + "\n"


@each_prompt
def test_a_prompt_says_what_its_golden_file_says(contract):
    path = GOLDEN / f"{contract.name}.md"
    if os.environ.get("LORELITE_WRITE_GOLDEN"):
        path.write_text(shown(contract), "utf-8")
    assert shown(contract) == path.read_text("utf-8")


@each_prompt
def test_a_reply_as_asked_for_is_read(contract):
    assert contract.read(contract.reply) == contract.takes


@each_prompt
def test_a_prompt_keeps_what_others_wrote_between_fences_and_says_so(contract):
    assert NOTICE in contract.request.system
    fences = re.findall(r"^=+$", contract.request.user, re.MULTILINE)
    assert len(fences) >= 2 and len(fences) % 2 == 0


@each_prompt
def test_a_prompt_is_short(contract):
    assert len(contract.request.system.split()) <= _MOST_WORDS


@each_prompt
def test_a_prompt_for_text_names_the_language_to_write_in(contract):
    writes_text = contract.name not in {
        "glean_more", "rate_report", "librarian_resolve", "backfill", "merge_judge", "toolkit_judge", "toolkit_extract",
    }  # fmt: skip
    assert not writes_text or "language" in contract.request.system


@each_prompt
def test_an_example_reply_keeps_to_its_schema(contract):
    if contract.request.schema is not None:
        check(json.loads(contract.reply), contract.request.schema)


def check(value, schema):
    """Does a value keep to a schema of the few words that ours use?"""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(isinstance(value, kinds.get(each, type(None))) for each in types), (value, schema)
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= value.keys() <= schema["properties"].keys()
        for name, member in value.items():
            check(member, schema["properties"][name])
    if isinstance(value, list):
        for item in value:
            check(item, schema["items"])
    assert value in schema.get("enum", [value])


def test_every_file_of_prompts_has_its_golden_files():
    assert {path.stem for path in GOLDEN.glob("*.md")} == {contract.name for contract in CONTRACTS}
