"""Extraction replies of nano-graphrag, LightRAG, Microsoft GraphRAG and their kin, kept in a cache or a log.

What they tell of was paid for; it is taken in without asking a model again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from lorelite.errors import CannotOpen, DumpError
from lorelite.ids import content_id
from lorelite.interchange.edge_lists import RELATED, GraphFile
from lorelite.prompts.claims import claims_of
from lorelite.prompts.delimited import parse_delimited
from lorelite.text.strict_json import read_json
from lorelite.text.title_key import title_key

_END = re.compile(r"(?<=<\|COMPLETE\|>)")
"""Where a log goes on to the next reply."""


def read_replies_file(path: Path, *, prefix: str = "") -> GraphFile:
    """The graph that the replies in a file tell of, as `upsert_graph` takes it.

    The file is text with one or more replies, or JSON in which they stand anywhere (a cache such as
    kv_store_llm_response_cache.json). What is no such reply is passed over. prefix: goes into the ids.
    Raises CannotOpen, and DumpError when there is no reply in it.
    """
    try:
        source = path.read_text("utf-8-sig")
    except OSError as error:
        raise CannotOpen(str(path), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise DumpError(str(path), f"expected text in UTF-8 ({error.reason})") from error
    graph = replies_graph(_texts(source), prefix=prefix)
    if not graph.nodes:
        raise DumpError(str(path), 'expected replies such as ("entity"<|>NAME<|>TYPE<|>DESCRIPTION), found none')
    return graph


def replies_graph(replies: Iterator[str], *, prefix: str = "") -> GraphFile:
    """What delimited replies tell of: each name once, whatever its case; weights of a relation summed."""
    nodes: dict[str, dict[str, str]] = {}
    edges: dict[tuple[str, str], dict[str, object]] = {}
    for reply in (part for text in replies for part in _END.split(text)):
        parsed = parse_delimited(reply)
        if parsed is None:
            continue
        claims = claims_of(parsed[0])
        for entity in claims.entities:
            _told(nodes, entity.name, entity.type or "", entity.description, prefix)
        for relation in claims.relations:
            ends = [_told(nodes, name, "", "", prefix) for name in (relation.source, relation.target)]
            if not all(ends) or ends[0] == ends[1]:
                continue
            edge = edges.setdefault(
                (ends[0], ends[1]),
                {"source_id": ends[0], "target_id": ends[1], "type": RELATED, "weight": 0.0, "description": ""},
            )
            edge["weight"] = float(str(edge["weight"])) + relation.weight
            edge["description"] = _joined(str(edge["description"]), relation.description)
    return GraphFile(list(nodes.values()), list(edges.values()))


def _told(nodes: dict[str, dict[str, str]], name: str, kind: str, description: str, prefix: str) -> str:
    """The id of the node of that name, which now says this as well; "" for no name."""
    key = title_key(name)
    if not key:
        return ""
    node = nodes.setdefault(key, {"id": content_id("entity", prefix, key), "title": name, "body": "", "kind": "entity"})
    if node["title"].isupper() and not name.isupper():
        node["title"] = name
    if kind and "type" not in node:
        node["type"] = kind.lower()
    node["body"] = _joined(node["body"], description)
    return node["id"]


def _joined(before: str, added: str) -> str:
    lines = before.split("\n")
    return before if not added or added in lines else "\n".join(filter(None, (before, added)))


def _texts(source: str) -> Iterator[str]:
    try:
        value = read_json(source)
    except ValueError:
        yield source
        return
    waiting = [value]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting[:0] = item.values()
        elif isinstance(item, list):
            waiting[:0] = item
