"""Communities of entities, their place in the hierarchy, and who belongs to them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorelite.ids import content_id
from lorelite.store.connection import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunityRow:
    id: str
    level: int
    parent: str | None
    is_final: bool
    occurrence: float
    title: str


def report_id(namespace: str, community_id: str) -> str:
    """The id of the node that holds a community's report."""
    return content_id("report", namespace, community_id)


_COLUMNS = ("id", "level", "parent", "is_final", "occurrence", "title")


class CommunityTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def replace(self, namespace: str, communities: Sequence[CommunityRow], members: Iterable[tuple[str, str]]) -> None:
        """Let a namespace have exactly these communities and (community, node) members; what stays is not written."""
        ids = json.dumps([community.id for community in communities])
        wanted = json.dumps(list(dict.fromkeys(members)))
        self._db.run(
            """
            delete from member where namespace = ? and (community_id, node_id) not in (
                select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?))""",
            (namespace, wanted),
        )
        self._db.run(
            "delete from community where namespace = ? and id not in (select value from json_each(?))", (namespace, ids)
        )
        changes = [f"{name} = excluded.{name}" for name in _COLUMNS[1:]]
        differs = " or ".join(f"{name} is not excluded.{name}" for name in _COLUMNS[1:])
        self._db.insert(
            "community",
            ("namespace", *_COLUMNS),
            ((namespace, *(getattr(each, name) for name in _COLUMNS)) for each in communities),
            f"on conflict (namespace, id) do update set {', '.join(changes)} where {differs}",
        )
        self._db.insert(
            "member",
            ("namespace", "community_id", "node_id"),
            ((namespace, *pair) for pair in json.loads(wanted)),
            "on conflict do nothing",
        )

    def delete_all(self, namespace: str) -> None:
        self._db.run("delete from member where namespace = ?", (namespace,))
        self._db.run("delete from community where namespace = ?", (namespace,))

    def get(self, namespace: str, ids: Sequence[str] | None) -> list[CommunityRow]:
        """Those with these ids, or all, by level, then id."""
        rows = self._db.rows(
            f"""
            select {", ".join(_COLUMNS)} from community where namespace = :namespace
               and (:ids is null or id in (select value from json_each(:ids))) order by level, id""",
            {"namespace": namespace, "ids": None if ids is None else json.dumps(list(ids))},
        )
        return [CommunityRow(**{**dict(row), "is_final": bool(row["is_final"])}) for row in rows]

    def children(self, namespace: str) -> dict[str, list[str]]:
        """Community → ids of those within it, sorted."""
        rows = self._db.rows(
            "select parent, id from community where namespace = ? and parent is not null order by id", (namespace,)
        )
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in rows:
            found[row["parent"]].append(row["id"])
        return found

    def members(self, namespace: str, ids: Sequence[str]) -> dict[str, list[str]]:
        """Community → the live nodes in it, sorted."""
        rows = self._db.rows(
            """
            select m.community_id, m.node_id from json_each(:ids) k
              cross join member m on m.namespace = :namespace and m.community_id = k.value
              cross join node n on n.id = m.node_id
             where n.deleted_at is null order by m.community_id, m.node_id""",
            {"namespace": namespace, "ids": json.dumps(list(ids))},
        )
        found: defaultdict[str, list[str]] = defaultdict(list)
        for community, node in rows:
            found[community].append(node)
        return found

    def of_nodes(self, namespace: str, ids: Sequence[str]) -> dict[str, list[str]]:
        """Live node → ids of its communities, from level 0 down."""
        rows = self._db.rows(
            """
            select m.node_id, m.community_id from json_each(:ids) k
              cross join member m indexed by member_node on m.node_id = k.value
              cross join community c on c.namespace = m.namespace and c.id = m.community_id
              cross join node n on n.id = m.node_id
             where m.namespace = :namespace and n.deleted_at is null order by m.node_id, c.level, c.id""",
            {"namespace": namespace, "ids": json.dumps(list(ids))},
        )
        found: defaultdict[str, list[str]] = defaultdict(list)
        for node, community in rows:
            found[node].append(community)
        return dict(found)

    def delete_empty(self, namespace: str) -> None:
        """Take away those that no live node belongs to."""
        self._db.run(
            """
            delete from community where namespace = :namespace and not exists (
                select 1 from member m cross join node n on n.id = m.node_id
                 where m.namespace = community.namespace and m.community_id = community.id and n.deleted_at is null)""",
            {"namespace": namespace},
        )

    def count(self, namespace: str) -> tuple[int, int]:
        """How many there are, and on how many levels."""
        row = self._db.row("select count(*), count(distinct level) from community where namespace = ?", (namespace,))
        return (0, 0) if row is None else (row[0], row[1])
