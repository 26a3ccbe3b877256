"""GraphML read as rows of nodes and edges, without a tree in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from lorelite.errors import DumpError
from lorelite.interchange.tables import Row, reading

_PIECE = 1 << 16


def read_graphml(path: Path) -> tuple[list[Row], list[Row]]:
    """(nodes, edges) with their attributes by name, those that a key has a default for included.

    Raises CannotOpen, and DumpError for what is no GraphML. A document type is refused: its entities can make a small
    file huge, and a graph has no use for any.
    """
    reader = _Reader(str(path))
    try:
        with reading(path), path.open("rb") as stream:
            parser = ElementTree.XMLParser(target=reader)
            while piece := stream.read(_PIECE):
                parser.feed(piece)
            parser.close()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # an encoding unknown, or of several bytes
        raise DumpError(str(path), f"expected GraphML ({error})") from error
    return reader.nodes, reader.edges


class _Reader:
    """Takes what the parser tells it of."""

    def __init__(self, name: str) -> None:
        self.nodes: list[Row] = []
        self.edges: list[Row] = []
        self._name = name
        self._root = ""
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, Row] = {"node": {}, "edge": {}, "all": {}}
        self._owner, self._key = "", ""
        """Of the <key> that is being read what it is for, and its name."""
        self._rows: list[Row] = []
        """Of the nodes and edges that are open: a node may hold a graph."""
        self._text: list[str] | None = None

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise DumpError(self._name, "expected GraphML without a document type")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition("}")[2]
        if not self._root:
            self._root = kind
            if kind != "graphml":
                raise DumpError(self._name, f"expected GraphML, found <{kind}>")
        if kind == "key":
            id = attributes.get("id", "")
            self._owner, self._key = attributes.get("for", "all"), attributes.get("attr.name") or id
            self._keys[id] = self._key
        elif kind in ("node", "edge"):
            self._rows.append(dict(attributes))
        elif kind == "data":
            key = attributes.get("key", "")
            self._key, self._text = self._keys.get(key, key), []
        elif kind == "default":
            self._text = []

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        kind = tag.rpartition("}")[2]
        if kind in ("data", "default") and self._text is not None:
            value = "".join(self._text).strip()
            self._text = None
            if kind == "default":
                self._defaults.get(self._owner, {})[self._key] = value
            elif self._rows:
                self._rows[-1].setdefault(self._key, value)  # the ids and ends that a graph goes by win
        elif kind in ("node", "edge"):
            row: dict[str, Any] = {**self._defaults["all"], **self._defaults[kind], **self._rows.pop()}
            (self.nodes if kind == "node" else self.edges).append(row)

    def close(self) -> None:
        """The parser is done."""
