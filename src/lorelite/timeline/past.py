"""A store as it was: the tables that retrieval reads, with what changed since a moment laid over the present ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from lorelite.engine import Engine
from lorelite.graph.walk import Step
from lorelite.records import Citation, Edge, Event, Node, Task
from lorelite.search.inverted import InvertedIndex, inverse_frequency
from lorelite.search.query_plan import Clause
from lorelite.search.vectors import VectorBlock
from lorelite.store.edges import Link, WalkFilter
from lorelite.store.keyword_fts import COLUMN_WEIGHTS
from lorelite.store.keyword_parts import KeywordIndex
from lorelite.store.nodes import Head
from lorelite.store.store import Store
from lorelite.text.title_key import title_key
from lorelite.text.tokens import index_tokens
from lorelite.timeline.overlay import Overlay, overlay_of


def at(engine: Engine, namespaces: Iterable[str], as_of: int | None) -> Engine:
    """The engine whose store reads as it was at *as_of* in these namespaces; the engine itself for the present.

    How far back it tells of changes depends on the log; beyond that, rows are as the oldest change left them.
    """
    if as_of is None:
        return engine
    store, names = engine.store, tuple(namespaces)

    def make() -> PastStore:
        return PastStore(store, {name: overlay_of(store, name, as_of) for name in names}, as_of)

    return replace(engine, store=cast(Store, store.changes.kept(("past", names, as_of), make)))


class PastStore:
    """Reads as the store did at a moment; everything that is not overlaid is the store's own."""

    def __init__(self, store: Store, overlays: Mapping[str, Overlay], as_of: int) -> None:
        self._store = store
        self.nodes = PastNodes(store, overlays, as_of)
        self.edges = PastEdges(store, overlays, self.nodes)
        self.keyword = PastKeyword(store, overlays, self.nodes)
        self.journal = PastJournal(store, overlays, as_of)
        self.documents = PastDocuments(store, overlays)
        self.vectors = PastVectors(store, overlays)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class PastNodes:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay], as_of: int) -> None:
        self._store = store
        self._overlays = overlays
        self.as_of = as_of
        self.texts: dict[str, dict[int, Node]] = {name: {} for name in overlays}
        """Namespace → key → node, for nodes that the present index does not stand for; keys below 0."""
        self._by_key: dict[int, Node | None] = {}
        for name, overlay in overlays.items():
            for key, id in overlay.keys.items():
                self._by_key[key] = overlay.nodes[id] if id in overlay.same_text else None
            for id, node in overlay.nodes.items():
                if node is not None and id not in overlay.same_text:
                    key = -1 - len(self._by_key)
                    self._by_key[key] = self.texts[name][key] = node

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.nodes, name)

    def get(self, namespace: str, id: str) -> Node | None:
        return self.by_ids(namespace, [id]).get(id)

    def by_ids(self, namespace: str, ids: Sequence[str]) -> dict[str, Node]:
        overlay = self._overlays[namespace]
        found = self._store.nodes.by_ids(namespace, [id for id in ids if id not in overlay.nodes])
        then = {id: node for id in ids if (node := overlay.nodes.get(id)) is not None}
        return {id: (then.get(id) or found[id]) for id in ids if id in then or id in found}

    def by_keys(
        self, keys: Sequence[int], *, kinds: Sequence[str], exclude_drafts: bool = False, as_of: int | None = None
    ) -> dict[int, Node]:
        untouched = [key for key in keys if key not in self._by_key]
        found = self._store.nodes.by_keys(untouched, kinds=kinds, exclude_drafts=exclude_drafts, as_of=as_of)
        for key in keys:
            node = self._by_key.get(key)
            if node is not None and self._passes(node, kinds, exclude_drafts):
                found[key] = node
        return found

    def keys(self, namespace: str, ids: Sequence[str]) -> dict[str, int]:
        overlay = self._overlays[namespace]
        then = {id: key for key, id in overlay.keys.items() if id in overlay.same_text}
        then |= {node.id: key for key, node in self.texts[namespace].items()}
        found = self._store.nodes.keys(namespace, [id for id in ids if id not in overlay.nodes])
        return found | {id: then[id] for id in ids if id in then}

    def heads(
        self, keys: Sequence[int], *, kinds: Sequence[str], exclude_drafts: bool = False, as_of: int | None = None
    ) -> dict[int, Head]:
        found = self.by_keys(keys, kinds=kinds, exclude_drafts=exclude_drafts, as_of=as_of)
        return {
            key: Head(key, node.id, node.namespace, node.kind, node.node_type, node.updated_at)
            for key, node in found.items()
        }

    def titled(
        self,
        namespace: str,
        keys: Iterable[str],
        *,
        kinds: Sequence[str],
        most: int,
        exclude_drafts: bool = False,
        as_of: int | None = None,
    ) -> dict[str, list[tuple[str, str]]]:
        overlay, asked = self._overlays[namespace], set(keys)
        present = self._store.nodes.titled(
            namespace, asked, kinds=kinds, most=most, exclude_drafts=exclude_drafts, as_of=as_of
        )
        found = {key: [item for item in items if item[0] not in overlay.nodes] for key, items in present.items()}
        for node in overlay.nodes.values():
            if node is not None and self._passes(node, kinds, exclude_drafts):
                full = title_key(node.title)
                for key in asked & {full, full.rpartition(" (")[0]}:
                    found.setdefault(key, []).append((node.id, full))
        return {key: sorted(items, key=lambda item: (item[1], item[0])) for key, items in found.items() if items}

    def recent(
        self,
        namespace: str,
        *,
        kinds: Sequence[str],
        limit: int,
        exclude_drafts: bool = False,
        as_of: int | None = None,
    ) -> list[Node]:
        overlay = self._overlays[namespace]
        # Room for the rows that are newer than their picture.
        room = limit + len(overlay.nodes)
        present = self._store.nodes.recent(
            namespace, kinds=kinds, limit=room, exclude_drafts=exclude_drafts, as_of=as_of
        )
        found = [node for node in present if node.id not in overlay.nodes]
        found += [node for node in overlay.nodes.values() if node and self._passes(node, kinds, exclude_drafts)]
        return sorted(found, key=lambda node: (-node.updated_at, node.id))[:limit]

    def count(self, namespace: str) -> dict[str, int]:
        """Nodes by kind that an index may hold: those of now, and the pictures that are not among them."""
        counts = Counter(self._store.nodes.count(namespace))
        counts.update(node.kind for node in self.texts[namespace].values())
        return dict(counts)

    def may_be_entered(self, node: Node, where: WalkFilter) -> bool:
        """Whether a walk goes on to the node: what EdgeTable.steps asks of the nodes it finds."""
        kinds = (node.kind,) if where.kinds is None else where.kinds
        return node.id in where.ends or (
            node.confidence in where.confidences
            and node.source_type not in where.exclude_source_types
            and self._passes(node, kinds, where.exclude_drafts)
        )

    def _passes(self, node: Node, kinds: Sequence[str], exclude_drafts: bool) -> bool:
        drafts = node.lifecycle != "draft" or not exclude_drafts
        return node.kind in kinds and drafts and holds(node, self.as_of)


class PastEdges:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay], nodes: PastNodes) -> None:
        self._store = store
        self._overlays = overlays
        self._nodes = nodes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.edges, name)

    def steps(self, namespace: str, frontier: Sequence[str], outbound: bool, where: WalkFilter) -> list[Step]:
        overlay = self._overlays[namespace]
        present = self._store.edges.steps(namespace, frontier, outbound, where)
        found = [step for step in present if step.edge_id not in overlay.edges and step.id not in overlay.nodes]
        # Edges that were there then, and edges that are still there but lead to nodes that were otherwise.
        by_end = overlay.edges_from if outbound else overlay.edges_to
        edges = [edge for id in frontier for edge in by_end.get(id, ()) if holds(edge, where.as_of or 0)]
        if overlay.nodes:
            led = self._store.edges.between(namespace, frontier, outbound, list(overlay.nodes), where.as_of)
            edges += [edge for edge in led if edge.id not in overlay.edges]
        far = {edge.id: edge.target_id if outbound else edge.source_id for edge in edges}
        nodes = self._nodes.by_ids(namespace, list(set(far.values())))
        for edge in edges:
            node = nodes.get(far[edge.id])
            is_wanted = where.edge_types is None or edge.edge_type in where.edge_types
            if node is not None and is_wanted and self._nodes.may_be_entered(node, where):
                origin = edge.source_id if outbound else edge.target_id
                found.append(Step(origin, node.id, node.updated_at, edge.weight, edge.id, edge.edge_type))
        return found

    def links(self, namespace: str, frontier: Sequence[str], outbound: bool, where: WalkFilter) -> list[Link]:
        steps = self.steps(namespace, frontier, outbound, where)
        nodes = self._nodes.by_ids(namespace, list({step.id for step in steps}))
        return [
            Link(
                step.origin,
                step.id,
                step.edge_type,
                step.weight,
                node.kind,
                title_key(node.title),
                node.title,
                node.origin,
            )
            for step in steps
            if (node := nodes.get(step.id)) is not None
        ]

    def among(self, namespace: str, ids: Sequence[str], as_of: int | None = None) -> list[Edge]:
        overlay, wanted = self._overlays[namespace], set(ids)
        found = [edge for edge in self._store.edges.among(namespace, ids, as_of) if edge.id not in overlay.edges]
        for id in wanted:
            found += [
                edge for edge in overlay.edges_from.get(id, ()) if edge.target_id in wanted and holds(edge, as_of or 0)
            ]
        return sorted(found, key=_place)

    def by_ids(self, namespace: str, ids: Iterable[str]) -> list[Edge]:
        overlay, wanted = self._overlays[namespace], set(ids)
        found = self._store.edges.by_ids(namespace, [id for id in wanted if id not in overlay.edges])
        found += [edge for id in wanted if (edge := overlay.edges.get(id)) is not None]
        return sorted(found, key=_place)


def _place(edge: Edge) -> tuple[str, str, str, str]:
    return edge.source_id, edge.edge_type, edge.target_id, edge.id


class PastKeyword:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay], nodes: PastNodes) -> None:
        self._store = store
        self._overlays = overlays
        self._nodes = nodes
        self._gone: dict[str, InvertedIndex] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.keyword, name)

    def index(self, namespace: str, kinds: Sequence[str] | None = None) -> KeywordIndex | None:
        """The present index, with the texts that it does not hold any more beside it."""
        present = self._store.keyword.index(namespace, kinds)
        if present is None or not self._nodes.texts[namespace]:
            return present
        if namespace not in self._gone:
            self._gone[namespace] = self._index_of_texts(namespace)
        return PastIndex(present, self._gone[namespace], len(self._nodes.texts[namespace]))

    def _index_of_texts(self, namespace: str) -> InvertedIndex:
        index = InvertedIndex(COLUMN_WEIGHTS)
        for key, node in self._nodes.texts[namespace].items():
            if holds(node, self._nodes.as_of):
                index.add(key, (index_tokens(node.title), index_tokens(node.body), index_tokens(" ".join(node.tags))))
        return index


@dataclass(frozen=True, slots=True)
class PastIndex:
    """Two indexes asked as one; terms count for as much in both as in the larger one."""

    present: KeywordIndex
    gone: InvertedIndex
    more: int
    """How many nodes there are beside those of the present."""

    def __len__(self) -> int:
        return len(self.present) + self.more

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        asked = list(tokens)
        here, there = self.present.frequencies(asked), self.gone.frequencies(asked)
        return {token: here.get(token, 0) + there.get(token, 0) for token in (*here, *there)}

    def starting_with(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        found = dict(self.present.starting_with(prefix, limit))
        for token, count in self.gone.starting_with(prefix, limit):
            found[token] = found.get(token, 0) + count
        return sorted(found.items())[:limit]

    def holds_phrase(self, phrase: Clause) -> bool:
        return self.present.holds_phrase(phrase) or self.gone.holds_phrase(phrase)

    def match(self, clauses: Sequence[Clause], limit: int) -> list[tuple[int, float]]:
        counts = self.present.frequencies({token for clause in clauses for token in clause})
        total = len(self)

        def rarity(clause: Clause, holding: int) -> float:
            return inverse_frequency(total, holding + min(counts.get(token, 0) for token in clause))

        found = [*self.present.match(clauses, limit), *self.gone.match(clauses, limit, rarity)]
        return sorted(found, key=lambda item: (-item[1], item[0]))[:limit]


class PastJournal:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay], as_of: int) -> None:
        self._store = store
        self._overlays = overlays
        self.as_of = as_of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.journal, name)

    def open_tasks(self, namespace: str, limit: int) -> list[Task]:
        overlay = self._overlays[namespace]
        found = [task for task in self._store.journal.open_tasks(namespace, -1) if task.id not in overlay.tasks]
        found += [task for task in overlay.tasks.values() if task and task.status in ("pending", "in_progress")]
        found = [task for task in found if task.created_at <= self.as_of]
        found.sort(key=lambda task: (-task.priority, task.created_at, task.id))
        return found if limit < 0 else found[:limit]

    def recent_events(self, namespace: str, limit: int) -> list[Event]:
        overlay = self._overlays[namespace]
        gone = [event for event in overlay.events.values() if event]
        asked = limit
        while True:
            present = self._store.journal.recent_events(namespace, asked)
            then = [event for event in (*gone, *present) if event.created_at <= self.as_of]
            if len(then) >= limit or len(present) < asked:
                break
            asked *= 4
        then.sort(key=lambda event: event.created_at)
        return then[-limit:] if limit else []


class PastVectors:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay]) -> None:
        self._store = store
        self._overlays = overlays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.vectors, name)

    def of(self, ids: Sequence[str], model_id: str, dimensions: int) -> VectorBlock[str]:
        """The vectors of nodes that say now what they said then."""
        other = {id for overlay in self._overlays.values() for id in overlay.nodes.keys() - overlay.same_text}
        return self._store.vectors.of([id for id in ids if id not in other], model_id, dimensions)


class PastDocuments:
    def __init__(self, store: Store, overlays: Mapping[str, Overlay]) -> None:
        self._store = store
        self._overlays = overlays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store.documents, name)

    def citations(self, owner_ids: Sequence[str], per_owner: int = 20) -> dict[str, tuple[Citation, ...]]:
        """Those that are there, and those whose document was replaced since: their quotes are cut from its old text."""
        found = dict(self._store.documents.citations(owner_ids, per_owner))
        for overlay in self._overlays.values():
            for owner in owner_ids:
                spans = [span for span in overlay.citations.get(owner, ()) if span[0] in overlay.documents]
                cut = (_cut(overlay, *span) for span in sorted(spans))
                if spans:
                    found[owner] = (*found.get(owner, ()), *cut)[:per_owner]
        return found


def _cut(overlay: Overlay, document_id: str, start: int, end: int) -> Citation:
    document = overlay.documents[document_id]
    return Citation(document_id, document["source_ref"], start, end, document["text"][start:end])


def holds(row: Node | Edge, moment: int) -> bool:
    """Whether a row that is there was held true at a moment, by its window."""
    begin = row.created_at if row.valid_from is None else row.valid_from
    return begin <= moment and (row.valid_to is None or row.valid_to > moment)
