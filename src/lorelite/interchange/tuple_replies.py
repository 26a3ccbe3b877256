"""Extraction replies of nano-graphrag, LightRAG, Microsoft GraphRAG and their kin, kept in a cache or a log.

What they tell of was paid for; it is taken in without asking a model again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from sys import float_info

from lorelite.errors import DumpError
from lorelite.ids import content_id
from lorelite.interchange.edge_lists import RELATED, GraphFile
from lorelite.interchange.tables import opened, reading
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
    with reading(path), opened(path) as stream:
        source = stream.read()
    graph = replies_graph(_texts(source), prefix=prefix)
    if not graph.nodes:
        raise DumpError(str(path), 'expected replies such as ("entity"<|>NAME<|>TYPE<|>DESCRIPTION), found none')
    return graph


def replies_graph(replies: Iterator[str], *, prefix: str = "") -> GraphFile:
    """What delimited replies tell of: each name once, whatever its case; weights of a relation summed."""
    nodes: dict[str, dict[str, str]] = {}
    edges: dict[tuple[str, str], dict[str, object]] = {}
    weights: dict[tuple[str, str], float] = {}
    said: dict[str | tuple[str, str], dict[str, None]] = {}
    """Node or edge → its descriptions, each once."""
    for reply in (part for text in replies for part in _END.split(text)):
        parsed = parse_delimited(reply)
        if parsed is None:
            continue
        claims = claims_of(parsed[0])
        for entity in claims.entities:
            if id := _named(nodes, entity.name, entity.type or "", prefix):
                said.setdefault(id, {})[entity.description] = None
        for relation in claims.relations:
            ends = _named(nodes, relation.source, "", prefix), _named(nodes, relation.target, "", prefix)
            if not all(ends) or ends[0] == ends[1]:
                continue
            edges.setdefault(ends, {"source_id": ends[0], "target_id": ends[1], "type": RELATED})
            weights[ends] = min(weights.get(ends, 0.0) + relation.weight, float_info.max)
            said.setdefault(ends, {})[relation.description] = None
    return GraphFile(
        [{**node, "body": _lines(said.get(node["id"], ()))} for node in nodes.values()],
        [{**edge, "weight": weights[ends], "description": _lines(said[ends])} for ends, edge in edges.items()],
    )


def _named(nodes: dict[str, dict[str, str]], name: str, kind: str, prefix: str) -> str:
    """The id of the node of that name; "" for no name."""
    key = title_key(name)
    if not key:
        return ""
    node = nodes.setdefault(key, {"id": content_id("entity", prefix, key), "title": name, "kind": "entity"})
    if node["title"].isupper() and not name.isupper():
        node["title"] = name
    if kind and "type" not in node:
        node["type"] = kind.lower()
    return node["id"]


def _lines(descriptions: Iterable[str]) -> str:
    return "\n".join(filter(None, descriptions))


def _texts(source: str) -> Iterator[str]:
    try:
        value = read_json(source)
    except ValueError:
        yield source
        return
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting += reversed(list(item.values()))
        elif isinstance(item, list):
            waiting += reversed(item)
