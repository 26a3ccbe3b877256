"""What the suites of the librarian share: replies, events told, and what is held true."""

from __future__ import annotations

import json
from typing import Any

NS = "class"


def reply(*facts: dict[str, Any], tasks: Any = ()) -> str:
    return json.dumps({"facts": facts, "tasks": list(tasks)}, ensure_ascii=False)


def fact(title: str, body: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "body": body, **more}


def tell(wiki: Any, *summaries: str) -> None:
    for summary in summaries:
        wiki.write(NS, event={"summary": summary})


def held(wiki: Any) -> list[tuple[str, str]]:
    """What is held true now, drafts left out."""
    return sorted((node.title, node.body) for node in wiki.read(NS, "", exclude_drafts=True, max_results=50).facts)
