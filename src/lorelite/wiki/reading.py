"""Search and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.ports import OnProgress
from lorelite.records import Answer, Kind, MemoryBundle
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.read import read
from lorelite.retrieve.search import HybridWeight, Search
from lorelite.retrieve.tiers import Tiers
from lorelite.spending import Budget, budgeted
from lorelite.strategies.strategy import Strategy
from lorelite.wiki.core import Core

_ALL_KINDS = get_args(Kind)


class Reading(Core):
    async def read(
        self,
        namespace: str | Sequence[str],
        query: str,
        *,
        max_results: int | None = None,
        hybrid_weight: HybridWeight = None,
        pre_filter_limit: int | None = None,
        kinds: Sequence[Kind] | None = None,
        node_types: Sequence[str] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
        tier_weights: Mapping[str, float] | None = None,
        tier_floors: Mapping[str, int] | None = None,
        include_zero_weight: bool = False,
        token_budget: int | None = None,
        diversity: float | None = None,
        explain: bool = False,
    ) -> MemoryBundle:
        """The nodes that fit a query best, with citations, the edges among them, open tasks and recent events.

        namespace: one, or a list of at most 100, whose results are merged; names in a list that are not there (yet)
        give nothing and are told in `metadata["unknown_namespaces"]`, one alone raises NotFound.
        query: any text; text in double quotes is a phrase; an empty query gives what changed last.
        hybrid_weight: share of the semantic score (0 … 1); "cosine" ranks by the bare cosine; None takes the default.
        pre_filter_limit: how many nodes each of the two searches hands on to be scored.
        kinds: facts, entities and chunks by default. node_types: these types of the ontology and their children.
        as_of: milliseconds; what was held true then. token_budget: keep the facts that are worth most for their length
        (four characters a token), the best one always.
        diversity: 0 … 1, how much a node that is unlike those before it is preferred to one that fits better; None and
        0 keep the order of the scores. explain: tell in `explanations` why each node is there.
        For a list, tier_weights: namespace → factor of its scores, 0 leaves it out, or with include_zero_weight at the
        bottom; tier_floors: namespace → how many of its best are shown whatever the others score.
        A failing embedder or vector ranker costs the semantic part, not the call; inside a transaction, where neither
        may be asked, it is a TransactionError.
        """
        engine = self._open_engine()
        names = options.namespaces(namespace)
        if isinstance(namespace, str):
            self._known(namespace)
        config = engine.config
        limit = config.max_results if max_results is None else max_results
        limit = options.whole_number("max_results", limit, 0, 10_000)
        chosen_weight = config.hybrid_weight if hybrid_weight is None else hybrid_weight
        width = config.pre_filter_limit if pre_filter_limit is None else pre_filter_limit
        filters = Filters(
            kinds=config.read_kinds if kinds is None else options.many_of("kinds", kinds, _ALL_KINDS),
            exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
            as_of=options.moment("as_of", as_of),
            node_types=None if node_types is None else _with_subtypes(engine, names, node_types),
        )
        wanted = Search(
            query=options.text("query", query),
            filters=filters,
            limit=limit,
            weight=_hybrid_weight(chosen_weight),
            pre_filter_limit=None if width is None else options.whole_number("pre_filter_limit", width, 0, 1_000_000),
            diversity=None if diversity is None else options.share("diversity", diversity),
        )
        tiers = _tiers(
            names, limit, tier_weights, tier_floors, options.switch("include_zero_weight", include_zero_weight)
        )
        budget = None if token_budget is None else options.whole_number("token_budget", token_budget, 0)
        return await read(
            engine,
            names,
            wanted,
            Tiers() if isinstance(namespace, str) else tiers,
            token_budget=budget,
            explain=options.switch("explain", explain),
        )

    @budgeted
    async def ask(
        self,
        namespace: str,
        question: str,
        *,
        strategy: Strategy | str | None = None,
        prompt: str | None = None,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> Answer:
        """Answer from the documents, with checked citations; says so plainly when the documents do not say.

        With a model the answer is written and every citation verified; without, it is the best sentences found.
        strategy: what finds the passages, by name ("local_community") or made with options; None: as `read` finds
        them. "auto" chooses by what the namespace holds and what is asked: see docs/graphrag.md.
        prompt: in place of the settings', for this call; see docs/prompts.md.
        Raises SearchPrerequisiteError when the namespace lacks what the strategy reads.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.strategies.ask import ask

        engine = self._known(namespace)
        if not options.text("question", question).strip():
            raise InvalidOption("question", "some text", question)
        tell = options.callback("on_progress", on_progress)
        return await ask(engine, namespace, question, strategy=strategy, prompt=prompt, on_progress=tell)


def _with_subtypes(engine: Engine, names: Sequence[str], node_types: Sequence[str]) -> dict[str, list[str]]:
    from lorelite.memory.ontology import expand_types

    types = options.texts("node_types", node_types)
    return {name: expand_types(engine, name, types) for name in names}


def _hybrid_weight(value: object) -> HybridWeight:
    if value is None or value == "cosine":
        return "cosine" if value else None
    return options.share("hybrid_weight", value)


def _tiers(names: Sequence[str], limit: int, weights: object, floors: object, include_zero_weight: bool) -> Tiers:
    """The weights and floors of these namespaces. Raises InvalidOption for floors that cannot be kept."""
    given = {} if weights is None else options.factors("tier_weights", weights)
    kept = {} if floors is None else options.floors("tier_floors", floors)
    tiers = Tiers({name: given.get(name, 1.0) for name in names} if given else {}, kept, include_zero_weight)
    unknown = sorted(kept.keys() - set(names))
    if unknown:
        raise InvalidOption("tier_floors", f"namespaces of the list ({', '.join(map(repr, names[:10]))})", unknown)
    without = [name for name in kept if kept[name] and tiers.leaves_out(name)]
    if without:
        raise InvalidOption("tier_floors", "namespaces that tier_weights does not leave out", without)
    if sum(kept.values()) > limit:
        raise InvalidOption("tier_floors", f"floors of at most max_results ({limit}) in all", sum(kept.values()))
    return tiers
