"""Merges of a dump: only what a merge could have written is taken in, for taking them back writes rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from typing import Any

from lorelite.records import Node
from lorelite.resolution.shares import MOVED
from lorelite.store.merge_shares import NO_DOCUMENT, SHARES, ShareKey, share_key, share_name
from lorelite.store.merges import REJECTED
from lorelite.store.nodes import node_fields_of
from lorelite.store.store import Store

Row = dict[str, Any]
_RESTING = ("edge", "statement", "citation")
_OWNERS = ("id", "node_id", "owner_id", "edge_id", "source_id", "target_id")


class CarriedMerges:
    """The merges and shares of one namespace of a dump, checked as they come."""

    def __init__(self, store: Store, namespace: str, documents: Mapping[str, str], kept_documents: Set[str]) -> None:
        """documents: ids in the dump → ids here, where they differ. kept_documents: those of which the words of here
        stand and not the dump's."""
        self._store = store
        self._namespace = namespace
        self._documents = documents
        self._kept = kept_documents
        self._columns = {table: store.rows.columns(table) for table in ("node", *MOVED)}

    # -- memos --------------------------------------------------------------------------------------------------

    def memo(self, row: Row) -> Row | str | None:
        """The memo as it is written here; why it cannot be taken; or None where what is here stands."""
        name = row["name"]
        if name.startswith(REJECTED):
            pair = _json(name[len(REJECTED) :])
            return row if _is_texts(pair) and len(pair) == 2 else "expected a pair of ids in its name"
        if not name.startswith(SHARES):
            return row
        key, share = share_key(name), _json(row["value"])
        if key is None or not self._is_share(key.from_id, share):
            return "it is no share of a merge"
        if key.document_id in self._kept:
            return None
        document = self._documents.get(key.document_id, key.document_id)
        if any(found != key.document_id for found in _documents_in(share)):
            return "it names another document than its own"
        if document != NO_DOCUMENT and document not in self._store.rows.get("document", [document]):
            return "its document is not there"
        owners = list(_owners_in(share))
        known = [self._store.rows.get(table, owners).values() for table in ("node", "edge")]
        if any(row["namespace"] != self._namespace for rows in known for row in rows):
            return "it reaches into another namespace of this file"
        value = row["value"]
        if document != key.document_id:
            value = json.dumps(_with_document(share, document), ensure_ascii=False, sort_keys=True)
        return {"name": share_name(ShareKey(document, key.part, key.from_id)), "value": value}

    def _is_share(self, from_id: str, share: Any) -> bool:
        if not isinstance(share, dict) or not {"moves", "rests"} <= share.keys() <= {"moves", "rests", "node"}:
            return False
        moves, rests = share["moves"], share["rests"]
        if not isinstance(moves, list) or not isinstance(rests, list):
            return False
        if "node" in share and not self._is_node(share["node"], from_id):
            return False
        if not all(isinstance(each, dict) for each in (*moves, *rests)):
            return False
        return all(self._is_move(move, from_id) for move in moves) and all(
            rest.keys() == {"table", "own"} and rest["table"] in _RESTING and self._is_row(rest["table"], rest["own"])
            for rest in rests
        )

    def _is_move(self, move: Row, from_id: str) -> bool:
        table = move.get("table")
        if table not in MOVED or not {"own", "there", "made"} <= move.keys() or not isinstance(move["made"], bool):
            return False
        rows = [move["own"], *(move[name] for name in ("there", "also") if move.get(name) is not None)]
        if not all(self._is_row(table, row) for row in rows):
            return False
        own = move["own"]
        if table == "edge":
            return from_id in (own["source_id"], own["target_id"])
        return table not in ("support", "alias") or own["node_id"] == from_id

    def _is_row(self, table: str, row: Any) -> bool:
        """Has the row the columns of its table, and plain values in them?"""
        wanted = self._columns[table] | ({"rowid"} if table == "edge" else set())
        return isinstance(row, dict) and row.keys() == wanted and all(_is_plain(value) for value in row.values())

    def _is_node(self, row: Any, id: str) -> bool:
        if not self._is_row("node", row) or row["id"] != id:
            return False
        try:
            Node(**node_fields_of(row))
            return isinstance(json.loads(row["extra"]), dict)
        except (TypeError, ValueError, KeyError):
            return False

    # -- merges -------------------------------------------------------------------------------------------------

    def merge(self, row: Row) -> str | None:
        """Why a merge cannot be taken in; None: it can."""
        undo = _json(row["undo"] or "")
        if not isinstance(undo, dict) or not {"node", "into", "names", "support", "related"} <= undo.keys():
            return "it does not say how to take it back"
        if not self._is_node(undo["node"], row["from_id"]) or not self._is_node(undo["into"], row["into_id"]):
            return "it does not say what the two were"
        if "left" in undo and not self._is_node(undo["left"], row["into_id"]):
            return "it does not say what was left"
        related = undo["related"]
        if not _is_texts(undo["names"]) or not isinstance(undo["support"], str) or not isinstance(related, dict):
            return "it does not say how to take it back"
        if not related.keys() <= {"task", "event"} or not all(map(_is_texts, related.values())):
            return "it does not say how to take it back"
        nodes = self._store.rows.get("node", [row["from_id"], row["into_id"]]).values()
        if any(node["namespace"] != self._namespace for node in nodes):
            return "the id belongs to another namespace of this file"
        id, passed = row["into_id"], {row["from_id"]}
        while id not in passed:
            passed.add(id)
            above = self._store.merges.of(self._namespace, [id])
            if not above:
                return None
            id = above[0].into_id
        return "the two would be parts of each other"


def _rows_in(share: Mapping[str, Any]) -> Iterator[Row]:
    for each in (*share["moves"], *share["rests"]):
        yield from (each[name] for name in ("own", "there", "also") if each.get(name) is not None)


def _owners_in(share: Mapping[str, Any]) -> set[str]:
    """The ids of the nodes and edges that rows of a share are, or are of."""
    return {str(row[name]) for row in _rows_in(share) for name in _OWNERS if name in row}


def _documents_in(share: Mapping[str, Any]) -> Iterator[str]:
    return (row["document_id"] for row in _rows_in(share) if "document_id" in row)


def _with_document(share: Mapping[str, Any], document: str) -> Mapping[str, Any]:
    for row in _rows_in(share):
        if "document_id" in row:
            row["document_id"] = document
    return share


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
