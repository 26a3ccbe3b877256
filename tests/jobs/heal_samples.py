"""Facts to heal, and models that say what is wrong with them."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import HASH_B, NS

from lorelite import Node, Wiki
from lorelite.models.scripted import ScriptedModel
from lorelite.ports import ModelRequest
from lorelite.records import SourceType

DAY = 86_400_000
NOTHING: dict[str, Any] = {"downgraded": [], "deleted": [], "newFacts": []}


def says(**members: Any) -> ScriptedModel:
    """A model that says the same of every batch."""
    return ScriptedModel({"heal": json.dumps(NOTHING | members)})


def fact(
    wiki: Wiki,
    id: str,
    title: str = "",
    body: str | None = None,
    source: SourceType = "librarian_inferred",
    **more: Any,
) -> None:
    more.setdefault("confidence", "inferred")
    body = f"body {id}" if body is None else body
    wiki.write(NS, node_id=id, title=title or f"Title {id}", body=body, source_type=source, **more)


def facts(wiki: Wiki) -> dict[str, Node]:
    return {node.id: node for node in wiki.get_memory_bundle(NS).facts if node.kind == "fact"}


def shown(request: ModelRequest) -> list[dict[str, Any]]:
    """The facts to check, as the built-in prompt shows them."""
    block = request.user.split("Facts to check:\n")[1].split("\n", 1)
    return [json.loads(line) for line in block[1].split(f"\n{block[0]}")[0].splitlines()]


def document(wiki: Wiki, id: str, title: str, body: str = "") -> None:
    node = {"id": id, "title": title, "body": body, "kind": "fact"}
    wiki.upsert_graph(NS, source_ref="doc.txt", source_hash=HASH_B, nodes=[node])
