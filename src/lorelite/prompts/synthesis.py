"""Answering out of retrieved memory with a model of the caller's own: a template, its hydration and its check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lorelite.errors import InvalidOption
from lorelite.prompts.fence import NOTICE

DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT = f"""You answer from the memory of a person or a project.

{NOTICE}

The request:
{{{{query}}}}

========
{{{{context}}}}
========

{{{{tasks}}}}

Answer in the language of the request, in a few sentences, from what is between the lines alone. Where its parts
disagree, prefer what is certain and newer, and say that they disagree. Where it does not say, say so."""
"""Places: {{query}}, {{context}}, {{tasks}}."""

_PLACES = ("query", "context", "tasks")
_PLACE = re.compile(rf"\{{\{{({'|'.join(_PLACES)})\}}\}}")
_READ_OPTIONS = (
    "max_results", "pre_filter_limit", "hybrid_weight", "tier_weights", "tier_floors", "include_zero_weight", "kinds",
    "node_types", "as_of", "token_budget", "exclude_drafts",
)  # fmt: skip


def hydrate_librarian_prompt(template: str, values: Mapping[str, str] | None = None, /, **more: str) -> str:
    """The template with texts in the places {{query}}, {{context}} and {{tasks}}, all in one pass.

    The texts by name, as a mapping or as keyword arguments; a place without one is left empty. A place inside a text
    stays what it is, and so does one that is written otherwise, as {{ query }}.
    """
    if values is not None and not isinstance(values, Mapping):
        raise InvalidOption("values", "a mapping of query, context and tasks to texts", values)
    texts = {**dict.fromkeys(_PLACES, ""), **(values or {}), **more}
    unknown = sorted(map(str, texts.keys() - set(_PLACES)))
    if unknown:
        raise InvalidOption("values", f"only {', '.join(_PLACES)}", unknown)
    for name, value in {"template": template, **texts}.items():
        if not isinstance(value, str):
            raise InvalidOption(name, "text (str)", value)
    return _PLACE.sub(lambda place: texts[place[1]], template)


def validate_librarian_prompt(template: str, *, custom: bool = True, task_count: int = 0) -> list[str]:
    """What a template leaves out, in words; empty when nothing is missing, or when it is not one of the caller's own.

    task_count: how many tasks there are to show; without any, {{tasks}} may be left out.
    """
    if not isinstance(template, str):
        raise InvalidOption("template", "text (str)", template)
    if not custom:
        return []
    places = set(_PLACE.findall(template))
    lost = {
        "context": "what was retrieved will not reach the model",
        "query": "the request will not reach the model",
        "tasks": "there are tasks, and they will not reach the model",
    }
    wanted = [name for name in lost if name != "tasks" or task_count]
    return [f"the template has no {{{{{name}}}}}: {lost[name]}" for name in wanted if name not in places]


def map_librarian_options_to_read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a synthesis as keyword arguments of `read`: `entity_weights` become `tier_weights`.

    Options that `read` knows are kept, `system_prompt` and others are left out, and so is what is None.
    """
    if not isinstance(options, Mapping):
        raise InvalidOption("options", "a mapping", options)
    weights = {"tier_weights": options["entity_weights"]} if "entity_weights" in options else {}
    kept = {name: options[name] for name in _READ_OPTIONS if name in options}
    return {name: value for name, value in (weights | kept).items() if value is not None}
