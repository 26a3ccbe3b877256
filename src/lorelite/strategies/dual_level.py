"""`dual_level_search`: by the things that a question names, and by the themes that it asks after (after LightRAG)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Literal

from lorelite import options
from lorelite.graph_records import GraphEntity, GraphRelation, SearchContext
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import CHUNK_ENTITIES
from lorelite.ports import ChatModel, Embedder
from lorelite.prompts import keywords
from lorelite.prompts.keywords import Keywords
from lorelite.records import Usage
from lorelite.strategies.entity_enhanced import related
from lorelite.strategies.graph_tables import chunk_order, ends, graph_context, rank
from lorelite.strategies.naive import nearest_chunks
from lorelite.strategies.strategy import MIN_SCORE, ask_all, check_options
from lorelite.strategies.tables import in_turn
from lorelite.text.names import find_names
from lorelite.text.sentences import split_sentences
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

Mode = Literal["local", "global", "hybrid", "mix"]
MODES: tuple[Mode, ...] = ("local", "global", "hybrid", "mix")


@dataclass(frozen=True, slots=True)
class _Found:
    """What one level leads to, each list best first."""

    entities: Sequence[GraphEntity] = ()
    relations: Sequence[GraphRelation] = ()
    chunk_ids: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DualLevelSearch:
    """mode "local": entities like the things named, with their relations and chunks. "global": relations that have to
    do with the themes, with their ends and chunks. "hybrid": both in turn. "mix": and the chunks that fit the question.

    A model is asked once for the things and themes; without one the question's names are the things and its other
    words the themes. top_k: entities looked up for each level, and chunks. Tokens as in `entity_enhanced_search`.
    """

    mode: Mode = "mix"
    top_k: int = 20
    max_relations: int = 40
    max_tokens: int = 12_000
    entity_tokens: int = 3_000
    relation_tokens: int = 3_000
    min_score: float | None = MIN_SCORE
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "dualLevelSearch"
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES,)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_tokens", "entity_tokens", "relation_tokens")
        check_options(self, "max_relations", least=0)
        options.one_of(f"{self.name}.mode", self.mode, MODES)

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        asked, usage = await _keywords(run, prompt)
        levels = []
        if self.mode != "global":
            levels.append(await self._by_things(run.knowledge, ", ".join(asked.low) or prompt))
        if self.mode != "local":
            levels.append(await self._by_themes(run.knowledge, ", ".join(asked.high) or prompt))
        chunk_ids = [level.chunk_ids for level in levels]
        if self.mode == "mix":
            nearest = await nearest_chunks(run.knowledge, prompt, self.top_k, self.min_score)
            chunk_ids.append([chunk.id for chunk, _ in nearest])
        entities = {entity.id: entity for entity in in_turn(level.entities for level in levels)}
        relations = {ends(each): each for each in in_turn(level.relations for level in levels)}
        order = list(dict.fromkeys(in_turn(chunk_ids)))[: 2 * self.top_k]
        context = graph_context(
            self.name,
            list(entities.values()),
            list(relations.values())[: self.max_relations],
            await run.knowledge.chunks(order),
            max_tokens=self.max_tokens,
            entity_tokens=self.entity_tokens,
            relation_tokens=self.relation_tokens,
        )
        return replace(context, usage=usage)

    async def _by_things(self, knowledge: Knowledge, things: str) -> _Found:
        hits = await knowledge.nearest("entities", things, self.top_k, self.min_score)
        entities = await knowledge.entities([hit.id for hit in hits])
        relations, neighbours = await related(knowledge, entities, 1, self.max_relations)
        known = {entity.id: entity for entity in (*entities, *neighbours)}
        return _Found(entities, relations, chunk_order(entities, relations, known))

    async def _by_themes(self, knowledge: Knowledge, themes: str) -> _Found:
        hits = await knowledge.nearest("entities", themes, self.top_k, self.min_score)
        relations = await knowledge.relations_of([hit.id for hit in hits])
        others = await knowledge.entities(list(dict.fromkeys(chain.from_iterable(map(ends, relations)))))
        known = {entity.id: entity for entity in others}
        wanted = _stems(themes)
        shared = {ends(each): len(wanted & _stems(f"{each.type} {each.description}")) for each in relations}
        relations.sort(key=lambda each: (-shared[ends(each)], -rank(each, known), -each.weight, *ends(each)))
        relations = relations[: self.max_relations]
        met = dict.fromkeys(id for each in relations for id in ends(each) if id in known)
        chunk_ids = dict.fromkeys(id for each in relations for id in each.chunk_ids)
        return _Found([known[id] for id in met], relations, list(chunk_ids))


async def _keywords(run: GraphEngine, prompt: str) -> tuple[Keywords, Usage]:
    """What the question is about; by its words when there is no model, or it says nothing that can be read."""
    usage = Usage()
    if run.model is not None:
        [found], usage = await ask_all(run, [keywords.build(prompt)], 1, keywords.parse)
        if found is not None:
            return found, usage
    names = [name.name for name in find_names(prompt, split_sentences(prompt))]
    named = {token for name in names for token in word_tokens(name)}
    tokens = word_tokens(prompt)
    themes = [token for token in tokens if token not in named | stop_words_for(tokens)]
    return Keywords(tuple(dict.fromkeys(themes)), tuple(dict.fromkeys(names))), usage


def _stems(text: str) -> set[str]:
    tokens = set(word_tokens(text))
    return set(map(light_stem, tokens - stop_words_for(tokens)))
