"""A title and a summary for a community of entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.text.loose_json import clean_reply, parse_loose_json, without_reasoning

SYSTEM = f"""Entities of a knowledge graph that belong together are listed with their relations. Say what joins them.

{NOTICE}

Reply with one JSON object and nothing else: {{"title", "summary"}}. title: up to eight words that name what the group
is about. summary: two to five sentences about its members and how they are related, from the lists alone. Write in the
language of the names and relations."""


def build(entities: Sequence[str], relations: Sequence[str]) -> ModelRequest:
    """The request: a line for each entity, and one for each relation."""
    user = fenced({"Entities": "\n".join(entities), "Relations": "\n".join(relations)})
    return ModelRequest(system=SYSTEM, user=user, purpose="toolkit_report")


def parse(reply_text: str) -> tuple[str, str]:
    """Title and summary; of prose the first line is the title. Raises BadReply for neither."""
    try:
        value = parse_loose_json(reply_text)
    except BadReply:
        value = None
    if isinstance(value, Mapping):
        title, summary = value.get("title"), value.get("summary")
        if isinstance(title, str) and title.strip():
            return title.strip(), summary.strip() if isinstance(summary, str) else ""
    first, _, rest = clean_reply(without_reasoning(reply_text)).strip().partition("\n")
    title = first.strip(" #*\t")
    if not title or title.startswith(("{", "[")):
        raise BadReply("a title and a summary", reply_text)
    return title, rest.strip()
