"""What one namespace holds, indexed the way pages ask for it, and the address of each page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from lorelite.dumps import NamespaceDump, Row
from lorelite.okf.names import file_name, hashed_name
from lorelite.records import Edge, Node
from lorelite.text.title_key import title_key

BETWEEN_ENTITIES_ONLY = ("mentions", "states", "about")
"""Edges by which a passage or a fact is tied to an entity: no relations of entities."""


class Brain:
    """A namespace to be shown, in the folder *folder* of the site ("" for its root)."""

    def __init__(self, dump: NamespaceDump, folder: str) -> None:
        self.dump = dump
        self.name = dump.name
        self.folder = folder
        self.nodes: Mapping[str, Node] = {node.id: node for node in dump.nodes if not _is_withdrawn(node)}

    def at(self, path: str) -> str:
        """The path of a file of this namespace."""
        return f"{self.folder}/{path}" if self.folder else path

    def address(self, id: str) -> str | None:
        """The page of a document, entity or community; of a fact or passage that of its document, of a fact without one
        its place; None: it has none."""
        return self._addresses.get(id)

    @cached_property
    def documents(self) -> Sequence[Row]:
        """By name."""
        return sorted(self.dump.rows.get("document", ()), key=lambda row: str(row["source_ref"]).casefold())

    @cached_property
    def entities(self) -> Sequence[Node]:
        """Those with most relations first, ties by name."""
        found = [node for node in self.nodes.values() if node.kind == "entity"]
        return sorted(found, key=lambda node: (-self.degree(node.id), node.title.casefold(), node.id))

    @cached_property
    def communities(self) -> Sequence[Row]:
        """Coarse ones first, large ones first."""
        rows = self.dump.rows.get("community", ())
        return sorted(rows, key=lambda row: (row.get("level", 0), -len(self.members(row["id"])), row["id"]))

    def members(self, community: str) -> Sequence[Node]:
        """The entities of a community, those with most relations first."""
        return self._members.get(community, ())

    def communities_of(self, entity: str) -> Sequence[Row]:
        """From the coarsest to the finest."""
        return self._communities_of.get(entity, ())

    def group(self, entity: str) -> int:
        """The number of its coarsest community, for colours; -1: it is in none."""
        return self._groups.get(entity, -1)

    def report(self, community: str) -> Node | None:
        """What is written of a community."""
        return self._reports.get(community)

    def relations(self, entity: str) -> Sequence[Edge]:
        """Its relations with other entities, the heaviest first."""
        return self._relations.get(entity, ())

    def degree(self, entity: str) -> int:
        """To how many other entities it is related."""
        return len({edge.source_id for edge in self.relations(entity)} | {e.target_id for e in self.relations(entity)})

    def facts_of(self, document: str) -> Sequence[Node]:
        """The facts that a document states, in reading order."""
        return self._facts.get(document, ())

    @cached_property
    def stated(self) -> Sequence[Node]:
        """The facts that no document of these states, the newest first."""
        known = {fact.id for facts in self._facts.values() for fact in facts}
        found = [node for node in self.nodes.values() if node.kind == "fact" and node.id not in known]
        return sorted(found, key=lambda node: (-node.updated_at, node.id))

    def facts_about(self, entity: str) -> Sequence[Node]:
        """The facts that are about an entity."""
        return self._about.get(entity, ())

    def citations(self, owner: str) -> Sequence[Row]:
        """Where it stands: rows with document_id, start and end, in reading order."""
        return self._citations.get(owner, ())

    def aliases(self, entity: Node) -> Sequence[str]:
        """Other names of an entity."""
        own = title_key(entity.title)
        keys = {str(row["alias_key"]) for row in self._aliases.get(entity.id, ())}
        return sorted(key for key in keys if key != own)

    def said(self, entity: str) -> Sequence[Row]:
        """What each document says of an entity: rows with document_id, title and body."""
        return self._said.get(entity, ())

    @cached_property
    def document_names(self) -> Mapping[str, str]:
        """Id → source_ref."""
        return {str(row["id"]): str(row["source_ref"]) for row in self.documents}

    @cached_property
    def _addresses(self) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for place, named in (
            ("documents", ((str(row["id"]), str(row["source_ref"])) for row in self.documents)),
            ("entities", ((node.id, node.title) for node in self.entities)),
            ("communities", ((str(row["id"]), str(row.get("title") or row["id"])) for row in self.communities)),
        ):
            found |= {id: self.at(f"{place}/{name}.html") for id, name in _file_names(named).items()}
        for row in self.documents:
            for node in self.facts_of(row["id"]):
                found[node.id] = found[row["id"]]
        found |= {fact.id: self.at(f"facts.html#{fact.id}") for fact in self.stated}
        for row in self.dump.rows.get("chunk", ()):
            if row.get("node_id") and row["document_id"] in found:
                found[row["node_id"]] = found[row["document_id"]]
        return found

    @cached_property
    def _members(self) -> Mapping[str, Sequence[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for row in self.dump.rows.get("member", ()):
            if row["node_id"] in self.nodes:
                found[row["community_id"]].append(self.nodes[row["node_id"]])
        return {id: sorted(nodes, key=lambda n: (-self.degree(n.id), n.title, n.id)) for id, nodes in found.items()}

    @cached_property
    def _communities_of(self) -> Mapping[str, Sequence[Row]]:
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.communities:
            for node in self.members(row["id"]):
                found[node.id].append(row)
        return found

    @cached_property
    def _groups(self) -> Mapping[str, int]:
        coarsest = [row for row in self.communities if not row.get("level", 0)]
        return {node.id: number for number, row in enumerate(coarsest) for node in self.members(row["id"])}

    @cached_property
    def _reports(self) -> Mapping[str, Node]:
        return {node.extra.get("community", ""): node for node in self.nodes.values() if node.kind == "report"}

    @cached_property
    def _relations(self) -> Mapping[str, Sequence[Edge]]:
        found: dict[str, list[Edge]] = defaultdict(list)
        for edge in self.dump.edges:
            ends = [self.nodes.get(edge.source_id), self.nodes.get(edge.target_id)]
            if all(end is not None and end.kind == "entity" for end in ends) and edge.source_id != edge.target_id:
                found[edge.source_id].append(edge)
                found[edge.target_id].append(edge)
        return {
            id: sorted(edges, key=lambda edge: (-edge.weight, edge.edge_type, edge.id)) for id, edges in found.items()
        }

    @cached_property
    def _facts(self) -> Mapping[str, Sequence[Node]]:
        by_ref = {name: id for id, name in self.document_names.items()}
        found: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes.values():
            if node.kind == "fact" and node.source_ref in by_ref:
                found[by_ref[node.source_ref]].append(node)
        return {id: sorted(nodes, key=self._place) for id, nodes in found.items()}

    def _place(self, node: Node) -> tuple[int, str]:
        return (min((row["start"] for row in self.citations(node.id)), default=0), node.id)

    @cached_property
    def _about(self) -> Mapping[str, Sequence[Node]]:
        found: dict[str, list[Node]] = defaultdict(list)
        for edge in self.dump.edges:
            source, target = self.nodes.get(edge.source_id), self.nodes.get(edge.target_id)
            if source and target and source.kind == "fact" and target.kind == "entity":
                found[target.id].append(source)
        return found

    @cached_property
    def _citations(self) -> Mapping[str, Sequence[Row]]:
        return _grouped(
            sorted(self.dump.rows.get("citation", ()), key=lambda row: (row["document_id"], row["start"], row["end"])),
            "owner_id",
        )

    @cached_property
    def _aliases(self) -> Mapping[str, Sequence[Row]]:
        return _grouped(self.dump.rows.get("alias", ()), "node_id")

    @cached_property
    def _said(self) -> Mapping[str, Sequence[Row]]:
        return _grouped(self.dump.rows.get("support", ()), "node_id")


def _is_withdrawn(node: Node) -> bool:
    return node.superseded_at is not None


def _grouped(rows: Iterable[Row], column: str) -> Mapping[str, Sequence[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[str(row[column])].append(row)
    return found


def _file_names(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Id → file name made of its title; of those that would share one each gets a hash of its id."""
    given = {id: file_name(title) for id, title in named}
    times = Counter(name.casefold() for name in given.values())
    return {id: name if times[name.casefold()] == 1 else hashed_name(id, name) for id, name in given.items()}
