"""Communities of a namespace and their reports, questions, and what chunks are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorelite.graph_records import ChunkQuestion, Community, CommunityReport, Insight, Similarity
from lorelite.ids import content_id
from lorelite.pipeline.file_documents import CAUSE
from lorelite.pipeline.file_entities import FileEntities, by_first
from lorelite.records import Edge, Node, Origin
from lorelite.store.communities import CommunityRow, report_id
from lorelite.store.entity_graph import ASKS_ABOUT, SIMILAR_TO


class FileCommunities(FileEntities):
    """The part of `FileKnowledge` that keeps what is made of the graph."""

    # -- communities --------------------------------------------------------------------------------------------

    async def put_communities(self, communities: Sequence[Community]) -> None:
        rows = [
            CommunityRow(
                id=each.id,
                level=each.level,
                parent=each.parent,
                is_final=each.is_final,
                occurrence=each.occurrence,
                title=each.title,
            )
            for each in communities
        ]
        with self._store.atomic(CAUSE):
            there = self._store.entities.among(
                self._namespace, list({id for each in communities for id in each.entity_ids})
            )
            members = ((each.id, id) for each in communities for id in each.entity_ids if id in there)
            self._store.communities.replace(self._namespace, rows, members)

    async def communities(self, ids: Sequence[str] | None = None) -> list[Community]:
        if ids is not None:
            return self._communities(ids)
        # Strategies ask for all of them with every question.
        return list(self._store.remembered.answer(("communities", self._namespace), lambda: self._communities(None)))

    def _communities(self, ids: Sequence[str] | None) -> list[Community]:
        store, namespace = self._store, self._namespace
        rows = store.communities.get(namespace, ids)
        members = store.communities.members(namespace, [row.id for row in rows])
        children = store.communities.children(namespace)
        told = store.chunks.telling_of(namespace, list({id for each in members.values() for id in each}))
        place = {chunk_id: place for place, (_, chunk_id) in enumerate(told)}
        chunks = by_first(told)
        found = []
        for row in rows:
            entity_ids = members.get(row.id, [])
            chunk_ids = {chunk_id for id in entity_ids for chunk_id in chunks.get(id, ())}
            found.append(
                Community(
                    id=row.id,
                    level=row.level,
                    entity_ids=tuple(entity_ids),
                    parent=row.parent,
                    children=tuple(children.get(row.id, ())),
                    is_final=row.is_final,
                    occurrence=row.occurrence,
                    chunk_ids=tuple(sorted(chunk_ids, key=place.__getitem__)),
                    title=row.title,
                )
            )
        return found

    async def communities_of(self, entity_ids: Sequence[str]) -> dict[str, list[str]]:
        return self._store.communities.of_nodes(self._namespace, entity_ids)

    async def put_reports(self, reports: Sequence[CommunityReport]) -> None:
        now = self._engine.clock()
        with self._store.atomic(CAUSE):
            made = [self._report_node(report) for report in reports]
            known = self._store.nodes.by_ids(self._namespace, [node.id for node in made])
            changed = []
            for node in made:
                before = known.get(node.id)
                begun = now if before is None else before.created_at
                if before is None or replace(before, created_at=0, updated_at=0) != node:
                    changed.append(replace(node, created_at=begun, updated_at=now))
            self._store.nodes.put(changed, whole=True)

    async def reports(self, community_ids: Sequence[str] | None = None) -> list[CommunityReport]:
        if community_ids is not None:
            ids = [self._report_id(id) for id in community_ids]
            return self._reports(self._store.nodes.by_ids(self._namespace, ids).values())
        # Strategies ask for all of them, to choose from.
        return list(self._store.remembered.answer(("reports", self._namespace), self._all_reports))

    def _all_reports(self) -> list[CommunityReport]:
        return self._reports(self._store.chunks.reports(self._namespace))

    @staticmethod
    def _reports(nodes: Iterable[Node]) -> list[CommunityReport]:
        # A report that a caller stated is none of a community.
        found = [report_from(node) for node in nodes if "community" in node.extra]
        return sorted(found, key=lambda report: (report.level, report.community_id))

    async def drop_reports(self, community_ids: Sequence[str]) -> None:
        with self._store.atomic(CAUSE):
            self._store.nodes.delete(self._namespace, [self._report_id(id) for id in community_ids])

    def _report_id(self, community_id: str) -> str:
        return report_id(self._namespace, community_id)

    def _report_node(self, report: CommunityReport) -> Node:
        extra = {
            "community": report.community_id,
            "level": report.level,
            "summary": report.summary,
            "rating": report.rating,
            "rating_explanation": report.rating_explanation,
            "findings": [[finding.summary, finding.explanation] for finding in report.findings],
            "content_hash": report.content_hash,
            "is_fallback": report.is_fallback,
        }
        return Node(
            id=self._report_id(report.community_id),
            namespace=self._namespace,
            kind="report",
            title=report.title,
            body=report.text,
            origin=report.origin,
            extra=extra,
        )

    # -- similar chunks -----------------------------------------------------------------------------------------

    async def add_similarities(self, pairs: Sequence[Similarity]) -> int:
        now = self._engine.clock()
        heaviest: dict[tuple[str, str], float] = {}
        for each in pairs:
            pair = (min(each.first_id, each.second_id), max(each.first_id, each.second_id))
            heaviest[pair] = max(each.weight, heaviest.get(pair, each.weight))
        with self._store.atomic(CAUSE):
            there = self._store.chunks.placed(self._namespace, list({id for pair in heaviest for id in pair}))
            edges = [
                Edge(
                    id=content_id("edge", self._namespace, first, SIMILAR_TO, second),
                    namespace=self._namespace,
                    source_id=first,
                    target_id=second,
                    edge_type=SIMILAR_TO,
                    weight=weight,
                    origin="structure",
                    created_at=now,
                    updated_at=now,
                )
                for (first, second), weight in heaviest.items()
                if first != second and first in there and second in there
            ]
            return self._store.edges.raise_to(edges)

    async def similar_to(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return self._store.chunks.similar(self._namespace, chunk_ids)

    # -- questions ----------------------------------------------------------------------------------------------

    async def add_questions(self, questions: Sequence[ChunkQuestion]) -> int:
        """Of chunks that are not there nothing is stored. Vectors are made by `embed_new`, or before a search."""
        store, namespace, now = self._store, self._namespace, self._engine.clock()
        with store.atomic(CAUSE):
            placed = store.chunks.placed(namespace, list({each.chunk_id for each in questions}))
            known = store.nodes.by_ids(namespace, [each.id for each in questions])
            origin: Origin = "heuristic" if self._engine.model is None else "model"
            new = {each.id: each for each in questions if each.chunk_id in placed and each.id not in known}
            nodes, edges, cited = [], [], []
            for each in new.values():
                document, chunk = placed[each.chunk_id].document, placed[each.chunk_id].chunk
                owner: Mapping[str, Any] = {
                    "namespace": namespace,
                    "source_ref": document.source_ref,
                    "source_hash": document.source_hash,
                    "created_at": now,
                    "updated_at": now,
                }
                nodes.append(
                    Node(id=each.id, kind="question", title=each.question, source_type="immutable_document",
                         origin=origin, **owner)
                )  # fmt: skip
                edges.append(
                    Edge(id=content_id("edge", namespace, each.id, ASKS_ABOUT, each.chunk_id), source_id=each.id,
                         edge_type=ASKS_ABOUT, target_id=each.chunk_id, origin="structure", **owner)
                )  # fmt: skip
                cited.append((each.id, document.id, chunk.start, chunk.end))
            store.nodes.put(nodes, whole=True)
            store.edges.add(edges)
            store.documents.add_citations(cited)
        if self._engine.embedder is not None:
            self._pending += nodes
        return len(new)

    async def questions(self, ids: Sequence[str] | None = None) -> list[ChunkQuestion]:
        rows = self._store.chunks.questions(self._namespace, ids)
        found = {id: ChunkQuestion(id=id, question=question, chunk_id=chunk) for id, question, chunk in rows}
        return [found[id] for id in (found if ids is None else ids) if id in found]


def report_from(node: Node) -> CommunityReport:
    """The report that a node of kind report holds."""
    extra = node.extra
    return CommunityReport(
        community_id=extra["community"],
        level=extra["level"],
        title=node.title,
        summary=extra["summary"],
        rating=extra["rating"],
        rating_explanation=extra["rating_explanation"],
        findings=tuple(Insight(summary=summary, explanation=told) for summary, told in extra["findings"]),
        content_hash=extra["content_hash"],
        origin=node.origin,
        is_fallback=extra["is_fallback"],
    )
