"""What was said of a thing in many places, put into one description."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts.fence import NOTICE, fenced, one_line
from lorelite.text.loose_json import clean_reply, without_reasoning

SYSTEM = f"""You are given a name and a list of descriptions of what it names, which were written in different places
of the same texts. Write one description out of them.

{NOTICE}

Write in the third person and begin with the name, so that the description can be understood alone. Keep every fact
that any of the descriptions states; say nothing that none does. Where they contradict one another, say what can be
reconciled, and otherwise what each claims. Reply with the description and nothing else."""


def build(name: str, parts: Sequence[str], *, max_tokens: int, language: str | None = None) -> ModelRequest:
    """The request for one description of *name*, of about max_tokens at most.

    language: None for that of the descriptions.
    """
    tongue = f"Write in {one_line(language)}." if language else "Write in the language of the descriptions."
    return ModelRequest(
        system=f"{SYSTEM} {tongue} Use at most {max(1, max_tokens * 3 // 4)} words.",
        user=fenced(
            {"Name": one_line(name), "Descriptions": "\n".join(f"- {' '.join(part.split())}" for part in parts)}
        ),
        purpose="summarise_entity",
    )


def parse(reply_text: str) -> str:
    """The description on one line. Raises BadReply when there is none."""
    text = " ".join(clean_reply(without_reasoning(reply_text)).split()).strip("`").strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    if not any(char.isalnum() for char in text):
        raise BadReply("a description", reply_text, empty=not reply_text.strip())
    return text
