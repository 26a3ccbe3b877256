"""Communities, reports, similar chunks and questions in three stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lorelite.graph.schema import NodeCluster
from lorelite.graph_records import ChunkQuestion, Community, CommunityReport, Insight, Similarity
from lorelite.pipeline.store_entities import StoredEntities
from lorelite.store_ports import SIMILAR_TO


class StoredCommunities(StoredEntities):
    async def put_communities(self, communities: Sequence[Community]) -> None:
        before = await self._communities.all()
        after = {each.id: asdict(each) for each in communities}
        clusters: dict[str, list[NodeCluster]] = {id: [] for each in before.values() for id in each["entity_ids"]}
        for each in sorted(communities, key=lambda each: each.level):
            for id in each.entity_ids:
                clusters.setdefault(id, []).append({"level": each.level, "cluster": each.id})
        nodes = await self._nodes(list(clusters))
        await self._graph.upsert_nodes_batch(
            {id: {"clusters": clusters[id]} for id, node in nodes.items() if node.get("clusters", []) != clusters[id]}
        )
        await self._communities.put(after)
        await self._communities.delete([id for id in before if id not in after])

    async def communities(self, ids: Sequence[str] | None = None) -> list[Community]:
        records = await (self._communities.all() if ids is None else self._communities.many(ids))
        return sorted(map(_community, records.values()), key=lambda each: (each.level, each.id))

    async def communities_of(self, entity_ids: Sequence[str]) -> dict[str, list[str]]:
        nodes = await self._nodes(entity_ids)
        return {
            id: [entry["cluster"] for entry in node["clusters"]] for id, node in nodes.items() if node.get("clusters")
        }

    async def put_reports(self, reports: Sequence[CommunityReport]) -> None:
        records = {each.community_id: asdict(each) for each in reports}
        before = await self._reports.many(list(records))
        changed = [each.community_id for each in reports if _text_of(before, each.community_id) != each.text]
        await self._reports.put(records, await self._texts_changed("communities", changed))

    async def reports(self, community_ids: Sequence[str] | None = None) -> list[CommunityReport]:
        records = await (self._reports.all() if community_ids is None else self._reports.many(community_ids))
        return sorted(map(report_from, records.values()), key=lambda each: (each.level, each.community_id))

    async def drop_reports(self, community_ids: Sequence[str]) -> None:
        gone = list(await self._reports.many(community_ids))
        await self._texts_gone("communities", gone, gone)
        await self._reports.delete(gone)

    async def add_similarities(self, pairs: Sequence[Similarity]) -> int:
        weights: dict[tuple[str, str], float] = {}
        for each in pairs:
            pair = (min(each.first_id, each.second_id), max(each.first_id, each.second_id))
            weights[pair] = max(each.weight, weights.get(pair, each.weight))
        chunks = await self._chunks.many(list(_ends(weights)))
        wanted = [pair for pair in weights if pair[0] != pair[1] and pair[0] in chunks and pair[1] in chunks]
        edges = await self._graph.get_edges_batch(wanted, SIMILAR_TO) if wanted else []
        stored = dict(zip(wanted, edges, strict=True))
        heavier = [
            (*pair, {"type": SIMILAR_TO, "weight": weights[pair]})
            for pair, edge in stored.items()
            if edge is None or edge["weight"] < weights[pair]
        ]
        await self._graph.upsert_edges_batch(heavier)
        return sum(edge is None for edge in edges)

    async def similar_to(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return await self._ties(SIMILAR_TO, chunk_ids)

    async def add_questions(self, questions: Sequence[ChunkQuestion]) -> int:
        known = await self._questions.many([each.id for each in questions])
        chunks = await self._chunks.many([each.chunk_id for each in questions])
        new = {each.id: each for each in questions if each.id not in known and each.chunk_id in chunks}
        states = await self._states_of(dict.fromkeys(each.chunk_id for each in new.values()))
        for each in new.values():
            states[each.chunk_id]["questions"].append(each.id)
        await self._kv.upsert(
            self._states.stored(states)
            | self._questions.stored(
                {id: {"question": each.question, "chunk_id": each.chunk_id} for id, each in new.items()}
            )
            | await self._questions.keys.with_added(new)
            | await self._texts_changed("questions", new)
        )
        return len(new)

    async def questions(self, ids: Sequence[str] | None = None) -> list[ChunkQuestion]:
        records = await (self._questions.all() if ids is None else self._questions.many(ids))
        found = [
            ChunkQuestion(id=id, question=record["question"], chunk_id=record["chunk_id"])
            for id, record in records.items()
        ]
        return found if ids is not None else sorted(found, key=lambda each: each.id)


def report_from(record: Mapping[str, Any]) -> CommunityReport:
    return CommunityReport(**{**record, "findings": tuple(Insight(**each) for each in record["findings"])})


def _community(record: Mapping[str, Any]) -> Community:
    fields: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in record.items()}
    return Community(**fields)


def _text_of(records: Mapping[str, Any], id: str) -> str | None:
    return report_from(records[id]).text if id in records else None


def _ends(pairs: Iterable[tuple[str, str]]) -> dict[str, None]:
    return dict.fromkeys(end for pair in pairs for end in pair)
