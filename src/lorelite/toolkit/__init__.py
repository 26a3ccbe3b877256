"""A kit of parts for graph retrieval over any store: extract, build, cluster, resolve, retrieve, fuse, synthesise.

Each part works alone and asks of a store only what it needs (`EntityStore`, `Enumerable`, `Merger`).
"""

from __future__ import annotations

from lorelite.toolkit.build import GraphBuildProcessor
from lorelite.toolkit.communities import CommunityReporter, detect_communities
from lorelite.toolkit.community_retriever import CommunityRetriever
from lorelite.toolkit.config import ToolkitConfig, load_config
from lorelite.toolkit.extractor import EntityExtractor
from lorelite.toolkit.fusion import FusionRetriever
from lorelite.toolkit.graph_backed import GraphBackedEntities
from lorelite.toolkit.graph_retriever import GraphRetrieveProcessor, GraphRetriever
from lorelite.toolkit.memory_store import InMemoryEntityStore
from lorelite.toolkit.records import (
    EntityCommunity,
    EntityStore,
    Enumerable,
    KitEntity,
    KitExtraction,
    KitRelation,
    Merger,
    Retriever,
    SearchResult,
    Triple,
)
from lorelite.toolkit.resolve import resolve_entities
from lorelite.toolkit.synthesis import Synthesizer

__all__ = [
    "CommunityReporter",
    "CommunityRetriever",
    "EntityCommunity",
    "EntityExtractor",
    "EntityStore",
    "Enumerable",
    "FusionRetriever",
    "GraphBackedEntities",
    "GraphBuildProcessor",
    "GraphRetrieveProcessor",
    "GraphRetriever",
    "InMemoryEntityStore",
    "KitEntity",
    "KitExtraction",
    "KitRelation",
    "Merger",
    "Retriever",
    "SearchResult",
    "Synthesizer",
    "ToolkitConfig",
    "Triple",
    "detect_communities",
    "load_config",
    "resolve_entities",
]
