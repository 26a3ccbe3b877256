"""Answering out of memory with a model of one's own."""

from __future__ import annotations

import pytest

from lorelite import (
    DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT,
    InvalidOption,
    format_context,
    hydrate_librarian_prompt,
    map_librarian_options_to_read_options,
    validate_librarian_prompt,
)


def test_places_are_filled_in_one_pass_and_only_as_they_are_spelt():
    template = "Q={{query}} C={{context}} T={{tasks}} {{other}} {{ query }}"
    filled = hydrate_librarian_prompt(template, query="{{context}}", context="c", tasks="t")
    assert filled == "Q={{context}} C=c T=t {{other}} {{ query }}"
    assert filled == hydrate_librarian_prompt(template, {"query": "{{context}}", "context": "c", "tasks": "t"})
    assert hydrate_librarian_prompt("{{query}}!") == "!"


def test_a_template_of_ones_own_is_told_what_it_leaves_out():
    assert [warning.split(":")[0] for warning in validate_librarian_prompt("x", task_count=1)] == [
        "the template has no {{context}}",
        "the template has no {{query}}",
        "the template has no {{tasks}}",
    ]
    assert validate_librarian_prompt("{{query}} {{context}}") == []
    assert len(validate_librarian_prompt("{{ query }} {{context}}")) == 1
    assert validate_librarian_prompt("x", custom=False, task_count=1) == []


def test_the_built_in_template_leaves_nothing_out():
    assert validate_librarian_prompt(DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT, task_count=3) == []


def test_weights_of_namespaces_are_handed_to_read(wiki):
    wiki.write("wisdom", title="Trust the log")
    wiki.write("rumour", title="Trust the cat")
    options = {"entity_weights": {"wisdom": 2, "rumour": 0}, "system_prompt": "x", "max_results": 5, "as_of": None}
    mapped = map_librarian_options_to_read_options(options)
    assert mapped == {"tier_weights": {"wisdom": 2, "rumour": 0}, "max_results": 5}
    memory = wiki.read(["wisdom", "rumour"], "trust", **mapped)
    prompt = hydrate_librarian_prompt(
        DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT, query="Whom to trust?", context=format_context(memory)
    )
    assert "Trust the log" in prompt and "Whom to trust?" in prompt and "Trust the cat" not in prompt


@pytest.mark.parametrize("odd", [None, 5, ["x"]])
def test_what_is_no_text_is_refused_by_name(odd):
    with pytest.raises(InvalidOption, match=r"^template"):
        hydrate_librarian_prompt(odd)
    with pytest.raises(InvalidOption, match=r"^(values|query)"):
        hydrate_librarian_prompt("x", odd if odd is not None else {"query": odd})
    with pytest.raises(InvalidOption, match=r"^values"):
        hydrate_librarian_prompt("x", other="y")
    with pytest.raises(InvalidOption, match=r"^template"):
        validate_librarian_prompt(odd)
    with pytest.raises(InvalidOption, match=r"^options"):
        map_librarian_options_to_read_options(odd)
