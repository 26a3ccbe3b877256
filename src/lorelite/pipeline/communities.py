"""`entity_community_generation`: communities of the entities, and a report on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lorelite import options as given
from lorelite.communities.clustering import ClusterOptions, find_communities
from lorelite.communities.packing import PACKINGS, Packing
from lorelite.communities.reports import LEAST_TABLES, ReportOptions, overhead, write_reports
from lorelite.errors import ClusteringAlgorithmError, InvalidOption
from lorelite.given import as_model
from lorelite.graph.hierarchy import ALGORITHMS, ENGINES, MAX_CLUSTER_SIZE, SEED
from lorelite.ids import text_hash
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES
from lorelite.pipeline.run import GraphEngine
from lorelite.ports import ChatModel


class EntityCommunityGeneration:
    """Finds communities within communities of the entity graph, and writes a report on each, the smallest first.

    Both are brought up to date whenever the graph changed: a community whose members, descriptions and relations are
    as they were keeps its id and its report, so the model is asked for the others alone.
    """

    name = ENTITY_COMMUNITIES
    version = 1
    requires = (CHUNK_ENTITIES,)
    works_on: Literal["graph"] = "graph"

    def __init__(
        self, clusters: ClusterOptions, reports: ReportOptions, model: ChatModel | None, prompt: str | None
    ) -> None:
        self.clusters = clusters
        self.reports = reports
        self.model = model
        self._prompt = prompt

    def options(self) -> Mapping[str, Any]:
        return {
            "algorithm": self.clusters.algorithm,
            "max_cluster_size": self.clusters.max_cluster_size,
            "seed": self.clusters.seed,
            "resolution": self.clusters.resolution,
            "use_lcc": self.clusters.use_lcc,
            "min_community_size": self.clusters.min_community_size,
            "engine": self.clusters.engine,
            "max_input_tokens": self.reports.max_input_tokens,
            "max_report_tokens": self.reports.max_report_tokens,
            "report_levels": None if self.reports.levels is None else list(self.reports.levels),
            "force_sub_communities": self.reports.force_sub_communities,
            "packing": self.reports.packing,
            "model": None if self.model is None else self.model.name,
            "prompt": None if self._prompt is None else text_hash(self._prompt),
        }

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        run = run.using(model=self.model)
        communities = await find_communities(run.knowledge, self.clusters)
        before = run.model_calls
        written = await write_reports(run, communities, self.reports)
        await run.knowledge.mark_finished(self.name, chunk_ids)
        return {
            "communities": len(communities),
            "reports": written.reports,
            "reports_reused": written.reused,
            "fallbacks": written.fallbacks,
            "model_calls": run.model_calls - before,
        }

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Nothing is kept beside the knowledge; `process` brings communities and reports up to date afterwards."""


@given.seed_names
def entity_community_generation(
    algorithm: str = "leiden",
    max_cluster_size: int = MAX_CLUSTER_SIZE,
    seed: int = SEED,
    resolution: float = 1.0,
    use_lcc: bool = False,
    min_community_size: int = 2,
    max_input_tokens: int = 12_000,
    max_report_tokens: int = 2_000,
    report_levels: Sequence[int] | None = None,
    force_sub_communities: bool = False,
    packing: Packing = "share",
    model: Any = None,
    prompt: str | None = None,
    engine: str = "python",
) -> EntityCommunityGeneration:
    """A processor that finds communities and writes reports on them; it stands behind `chunk_entity_generation`.

    algorithm: "leiden", "louvain" or "local-moving"; engine "igraph" for that library's. A community of more than
    max_cluster_size entities is divided on the next level, if it can be. resolution: higher makes smaller communities.
    use_lcc: only the largest connected part of the graph. min_community_size: smaller ones are none.
    max_input_tokens: no request costs more; max_report_tokens: no report. report_levels: levels that get reports
    (0: the coarsest), None for all. force_sub_communities: tell a community by the reports of its parts even if all of
    it fits. packing: how one is told that does not fit, "share" or "substitute".
    model: in place of the graph's; without any, reports are put together from the names and sentences that matter most.
    prompt: instructions in place of ours; the form of the reply, and the tables, follow them.
    Raises ClusteringAlgorithmError and InvalidOption.
    """
    if algorithm not in ALGORITHMS:
        raise ClusteringAlgorithmError(algorithm, ALGORITHMS)
    if not given.finite("resolution", resolution) > 0:
        raise InvalidOption("resolution", "a number above 0", resolution)
    instructions = None if prompt is None else given.text("prompt", prompt)
    levels = report_levels
    if levels is not None:
        levels = tuple(sorted({given.whole_number("report_levels[]", level, 0) for level in _listed(levels)}))
    report_tokens = given.whole_number("max_report_tokens", max_report_tokens, 50)
    least = overhead(report_tokens, instructions) + LEAST_TABLES
    return EntityCommunityGeneration(
        ClusterOptions(
            algorithm=algorithm,
            max_cluster_size=given.whole_number("max_cluster_size", max_cluster_size, 1),
            seed=given.whole_number("seed", seed, 0),
            resolution=float(resolution),
            use_lcc=given.switch("use_lcc", use_lcc),
            min_community_size=given.whole_number("min_community_size", min_community_size, 1),
            engine=given.one_of("engine", engine, ENGINES),
        ),
        ReportOptions(
            max_input_tokens=given.whole_number("max_input_tokens", max_input_tokens, least),
            max_report_tokens=report_tokens,
            levels=levels,
            force_sub_communities=given.switch("force_sub_communities", force_sub_communities),
            packing=given.one_of("packing", packing, PACKINGS),
            instructions=instructions,
        ),
        as_model(model),
        prompt,
    )


def _listed(levels: object) -> Sequence[object]:
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise InvalidOption("report_levels", "a list of whole numbers, or None", levels)
    return levels


entityCommunityGeneration = entity_community_generation
