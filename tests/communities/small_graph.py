"""A knowledge graph of a few lines, kept in dictionaries: what finding communities and writing reports asks of one."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from lorelite._drive import drive
from lorelite.graph_records import Community, CommunityReport, GraphEntity, GraphRelation, TextChunk
from lorelite.models.scripted import ScriptedModel
from lorelite.pipeline.communities import entity_community_generation
from lorelite.pipeline.knowledge import WeightedEdges
from lorelite.pipeline.run import GraphEngine


class SmallKnowledge:
    """Entities are named by their ids. `log` holds what was written, in order."""

    namespace = "small"

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.tells: dict[str, list[str]] = {}
        self.described: dict[str, str] = {}
        self.joined: dict[tuple[str, str], float] = {}
        self.kept: dict[str, Any] = {}
        self.community: dict[str, Community] = {}
        self.report: dict[str, CommunityReport] = {}
        self.finished: list[str] = []
        self.log: list[str] = []

    def add(self, chunk: str, text: str, *pairs: str, **descriptions: str) -> None:
        """A chunk, and what it says: pairs as "Mole-Rat", "Mole" for an entity alone, and descriptions by name."""
        self.texts[chunk] = text
        for pair in pairs:
            ends = sorted(pair.split("-"))
            for name in ends:
                self.described.setdefault(name, "")
                if chunk not in self.tells.setdefault(name, []):
                    self.tells[name].append(chunk)
            if len(ends) == 2:
                key = (ends[0], ends[1])
                self.joined[key] = self.joined.get(key, 0.0) + 1.0
        self.described |= descriptions

    def remove(self, *names: str) -> None:
        for name in names:
            del self.described[name], self.tells[name]
        self.joined = {pair: weight for pair, weight in self.joined.items() if not set(pair) & set(names)}

    def degree(self, name: str) -> int:
        return sum(name in pair for pair in self.joined)

    # -- what Knowledge offers ------------------------------------------------------------------------------------

    async def recall(self, key: str) -> Any:
        return self.kept.get(key)

    async def remember(self, key: str, value: Any) -> None:
        self.log.append(f"remember {key}")
        self.kept[key] = value

    async def mark_finished(self, processor: str, chunk_ids: Sequence[str]) -> None:
        self.finished += chunk_ids

    async def chunks(self, ids: Sequence[str]) -> list[TextChunk]:
        return [
            TextChunk(id=id, content=self.texts[id], document_ids=("d",), order=0, start=0, end=len(self.texts[id]))
            for id in ids
            if id in self.texts
        ]

    async def chunk_ids(self) -> list[str]:
        return list(self.texts)

    async def entities(self, ids: Sequence[str]) -> list[GraphEntity]:
        return [
            GraphEntity(
                id=id,
                name=id,
                type="animal",
                description=self.described[id],
                chunk_ids=tuple(self.tells[id]),
                degree=self.degree(id),
            )
            for id in ids
            if id in self.described
        ]

    async def relations_of(self, entity_ids: Sequence[str]) -> list[GraphRelation]:
        wanted = set(entity_ids)
        return [
            GraphRelation(source_id=a, target_id=b, source=a, target=b, description=f"{a} meets {b}", weight=weight)
            for (a, b), weight in sorted(self.joined.items())
            if a in wanted or b in wanted
        ]

    async def weighted_edges(self) -> WeightedEdges:
        edges = [(a, b, weight) for (a, b), weight in sorted(self.joined.items())]
        return WeightedEdges(entity_ids=sorted(self.described), edges=edges)

    async def put_communities(self, communities: Sequence[Community]) -> None:
        self.log.append("put communities")
        self.community = {community.id: community for community in communities}

    async def communities(self, ids: Sequence[str] | None = None) -> list[Community]:
        found = [each for each in self.community.values() if ids is None or each.id in ids]
        return sorted(found, key=lambda each: (each.level, each.id))

    async def put_reports(self, reports: Sequence[CommunityReport]) -> None:
        self.log += [f"report {report.title}" for report in reports]
        self.report |= {report.community_id: report for report in reports}

    async def reports(self, community_ids: Sequence[str] | None = None) -> list[CommunityReport]:
        found = [each for each in self.report.values() if community_ids is None or each.community_id in community_ids]
        return sorted(found, key=lambda each: (each.level, each.community_id))

    async def drop_reports(self, community_ids: Sequence[str]) -> None:
        self.log += [f"drop {self.report.pop(id).title}" for id in community_ids]


def clique(names: Iterable[str]) -> list[str]:
    """All pairs of *names*."""
    known = list(names)
    return [f"{a}-{b}" for number, a in enumerate(known) for b in known[:number]]


def engine(knowledge: SmallKnowledge, model: Any = None, **options: Any) -> GraphEngine:
    return GraphEngine(knowledge=knowledge, model=model, clock=lambda: 0, **options)


RIVER = [f"R{number}" for number in range(5)]
WOOD = [f"W{number}" for number in range(5)]
HALL = [f"H{number}" for number in range(5)]


def world():
    """Three villages of five, each a clique; the first two are joined twice."""
    knowledge = SmallKnowledge()
    for number, village in enumerate((RIVER, WOOD, HALL)):
        knowledge.add(f"c{number}", f"{', '.join(village)} live here.", *clique(village))
    knowledge.add("c3", "R0 and W0 met R1.", "R0-W0", "R1-W0")
    return knowledge


def ring():
    """24 triangles in a ring: too many to be told apart at once, so level 0 has pairs of them."""
    knowledge = SmallKnowledge()
    triangles = [[f"{chr(65 + number)}{place}" for place in range(3)] for number in range(24)]
    for number, triangle in enumerate(triangles):
        knowledge.add(triangle[0], "text", *clique(triangle), f"{triangle[0]}-{triangles[number - 1][1]}")
    return knowledge


def reply(request):
    names = re.findall(r"\b[A-Z]\d\b", request.user)
    return json.dumps({"title": f"On {' '.join(sorted(set(names)))}", "summary": "A village.", "rating": 5})


def model(script=reply):
    return ScriptedModel({"community_report": script})


def run(knowledge, model=None, chunks=(), *, on_error="raise", **options):
    processor = entity_community_generation(**options)
    return drive(processor.process(engine(knowledge, model, on_error=on_error), chunks))


def told_of(request):
    """The names in the table of entities."""
    _, _, table = request.user.partition("Entities:\n")
    return set(re.findall(r"^\d+,([A-Z]\d),", table.partition("Relationships:\n")[0], re.MULTILINE))


def members(knowledge, level):
    return sorted("".join(each.entity_ids) for each in knowledge.community.values() if each.level == level)
