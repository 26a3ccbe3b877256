"""What each entity that is part of another had of its own, kept by the place in the documents where it was said.

A share is of one document, one part of it and one entity; the part is "names", the ordinal of a chunk (-1: of the whole
document), or the id of a fact that is about the entity. So a share is found when its part is read again, and it goes
when the document goes. Shares are memos: part of the log, of dumps, and of what is forgotten with a namespace.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lorelite.store.connection import Database
from lorelite.store.documents import Document

Share = Mapping[str, Any]
"""moves and rests: lists of rows; node: the row of an entity that the document states."""
NAMES = "names"
"""The part of a document in which other names are given: all of it."""
WHOLE = "-1"
"""The part of a document that is all of it."""
NO_DOCUMENT = ""
SHARES = "merge share "
_LAST = "\U0010ffff"


class ShareKey(NamedTuple):
    document_id: str
    part: str
    from_id: str


class MergeShareTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    # -- reading ------------------------------------------------------------------------------------------------

    def of(self, namespace: str, from_id: str) -> dict[ShareKey, Share]:
        """All that the entity had of its own."""
        ending = f",{_json(from_id)}]"
        return self._between(namespace, SHARES, "and substr(name, -length(:ending)) = :ending", {"ending": ending})

    def all(self, namespace: str) -> dict[str, dict[ShareKey, Share]]:
        """Entity that is part of another → its shares."""
        found: dict[str, dict[ShareKey, Share]] = {}
        for key, share in self._between(namespace, SHARES).items():
            found.setdefault(key.from_id, {})[key] = share
        return found

    def of_document(
        self, namespace: str, document_id: str, parts: Collection[str] | None = None
    ) -> dict[ShareKey, Share]:
        """What the document, or these parts of it, say of entities that are part of others."""
        if not self._db.value("select exists (select 1 from merge where namespace = ?)", (namespace,)):
            return {}
        if parts is None:
            return self._between(namespace, _beginning(document_id))
        found: dict[ShareKey, Share] = {}
        for part in sorted(parts):
            found |= self._between(namespace, _beginning(document_id, part))
        return found

    def get(self, namespace: str, keys: Iterable[ShareKey]) -> dict[ShareKey, Share]:
        rows = self._db.rows(
            "select m.name, m.value from json_each(?) k cross join memo m on m.namespace = ? and m.name = k.value",
            (json.dumps(sorted({share_name(key) for key in keys})), namespace),
        )
        return {_key(row["name"]): json.loads(row["value"]) for row in rows}

    def _between(
        self, namespace: str, beginning: str, condition: str = "", values: Mapping[str, str] | None = None
    ) -> dict[ShareKey, Share]:
        rows = self._db.rows(
            f"""
            select name, value from memo
             where namespace = :namespace and name >= :beginning and name < :beginning || :last {condition}
             order by name""",
            {"namespace": namespace, "beginning": beginning, "last": _LAST, **(values or {})},
        )
        return {_key(row["name"]): json.loads(row["value"]) for row in rows}

    # -- writing ------------------------------------------------------------------------------------------------

    def set(self, namespace: str, shares: Mapping[ShareKey, Share | None]) -> None:
        """Keep these shares as they are given; None: no longer."""
        gone = [share_name(key) for key, share in shares.items() if share is None]
        self._delete(namespace, gone)
        self._db.insert(
            "memo",
            ("namespace", "name", "value"),
            ((namespace, share_name(key), _json(share)) for key, share in shares.items() if share is not None),
            "on conflict (namespace, name) do update set value = excluded.value where value is not excluded.value",
        )

    def delete(self, namespace: str, from_ids: Iterable[str]) -> None:
        """Delete all shares of these entities."""
        wanted = set(from_ids)
        if wanted:
            rows = self._db.rows(
                "select name from memo where namespace = ? and name >= ? and name < ?",
                (namespace, SHARES, SHARES + _LAST),
            )
            self._delete(namespace, [row["name"] for row in rows if _key(row["name"]).from_id in wanted])

    def _delete(self, namespace: str, names: Collection[str]) -> None:
        if names:
            self._db.run(
                "delete from memo where namespace = ? and name in (select value from json_each(?))",
                (namespace, json.dumps(list(names))),
            )

    def changed(self, namespace: str, from_ids: Iterable[str]) -> None:
        """Note of merges that more, or less, is said by now: their survivors are no longer what the merges left."""
        self._db.run(
            """
            update merge set undo = json_remove(undo, '$.left')
             where namespace = ? and from_id in (select value from json_each(?))
               and json_type(undo, '$.left') is not null""",
            (namespace, json.dumps(sorted(set(from_ids)))),
        )

    def forget_document(self, document: Document) -> None:
        """Delete what merges keep of a document, which is about to go: what it said of entities that are part of
        others, and of what they are part of."""
        namespace = document.namespace
        shares = self.of_document(namespace, document.id)
        self.set(namespace, dict.fromkeys(shares))
        rows = self._db.rows(
            """
            select from_id, undo from merge m where namespace = :namespace
               and (from_id in (select value from json_each(:ids)) or into_id in (select value from json_each(:ids))
                    or exists (select 1 from support s where s.node_id = m.into_id and s.document_id = :document))
""",
            {
                "namespace": namespace,
                "ids": json.dumps(sorted({key.from_id for key in shares})),
                "document": document.id,
            },
        )
        source = (document.source_ref, document.source_hash)
        for row in rows:
            undo = _without(json.loads(row["undo"]), source)
            known = self._named_elsewhere(document, undo["names"]) | {undo["node"]["title_key"]}
            undo["names"] = [name for name in undo["names"] if name in known]
            self._db.run(
                "update merge set undo = ? where namespace = ? and from_id = ?",
                (_json(undo), namespace, row["from_id"]),
            )

    def _named_elsewhere(self, document: Document, names: Sequence[str]) -> frozenset[str]:
        """Those of these names that another document uses, or that an entity bore which was merged."""
        rows = self._db.rows(
            """
            select k.value as name from json_each(:names) k
             where exists (select 1 from alias where namespace = :namespace and alias_key = k.value
                              and document_id <> :document)
                or exists (select 1 from merge where namespace = :namespace
                              and json_extract(undo, '$.node.title_key') = k.value)""",
            {"names": json.dumps(list(names)), "namespace": document.namespace, "document": document.id},
        )
        return frozenset(row["name"] for row in rows)


def _without(undo: dict[str, Any], source: tuple[str, str]) -> dict[str, Any]:
    """What a merge keeps, without words that a document gave: those of shared entities are made of what is left."""
    undo = {name: value for name, value in undo.items() if name != "left"}
    for name in ("node", "into"):
        row = undo.get(name)
        if row is not None and (row["source_ref"], row["source_hash"]) in (source, (None, None)):
            extra = {key: value for key, value in json.loads(row["extra"]).items() if key != "summary"}
            undo[name] = {**row, "body": "", "tags": "[]", "extra": _json(extra)}
    return undo


def share_name(key: ShareKey) -> str:
    """What the memo of a share is called."""
    return SHARES + _json(list(key))


def _beginning(document_id: str, *part: str) -> str:
    return SHARES + _json([document_id, *part])[:-1] + ","


def share_key(name: str) -> ShareKey | None:
    """What the memo of this name is a share of; None: it is no such name."""
    try:
        found = json.loads(name[len(SHARES) :])
    except ValueError:
        return None
    is_key = isinstance(found, list) and len(found) == 3 and all(isinstance(each, str) for each in found)
    return ShareKey(*found) if is_key and share_name(ShareKey(*found)) == name else None


def _key(name: str) -> ShareKey:
    return ShareKey(*json.loads(name[len(SHARES) :]))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
