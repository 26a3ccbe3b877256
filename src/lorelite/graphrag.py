"""All names of GraphRAG in one place; `lorelite` gives each of them when it is first asked for."""

from __future__ import annotations

from lorelite.adapters.in_memory import (
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    inMemoryGraph,
    inMemoryKV,
    inMemoryVector,
)
from lorelite.adapters.sqlite import sqlite_graph, sqlite_kv, sqlite_vector, sqliteGraph, sqliteKV, sqliteVector
from lorelite.blocking.knowledge_graph import BlockingAnswerStream, BlockingKnowledgeGraph
from lorelite.graph_records import (
    ChunkQuestion,
    Community,
    CommunityReport,
    DeleteReport,
    GraphDocument,
    GraphEntity,
    GraphImport,
    GraphRelation,
    GraphStats,
    InsertFailure,
    InsertReport,
    Insight,
    QueryResult,
    SearchContext,
    TextChunk,
)
from lorelite.knowledge_graph import KnowledgeGraph
from lorelite.pipeline.chunking import Chunking
from lorelite.pipeline.communities import entity_community_generation, entityCommunityGeneration
from lorelite.pipeline.entities import chunk_entity_generation, chunkEntityGeneration
from lorelite.pipeline.processor import Processor
from lorelite.pipeline.questions import hypothetical_question_generation, hypotheticalQuestionGeneration
from lorelite.pipeline.run import GraphEngine
from lorelite.pipeline.similar_chunks import similar_chunk_connection, similarChunkConnection
from lorelite.sdk import create_graph, createGraph, lexical_graph, lexicalGraph, query
from lorelite.store_ports import GraphStore, KVStore, VectorStore
from lorelite.strategies.factories import (
    auto_search,
    autoSearch,
    drift_search,
    driftSearch,
    dual_level_search,
    dualLevelSearch,
    entity_enhanced_search,
    entityEnhancedSearch,
    global_community_search,
    globalCommunitySearch,
    hypothetical_question_search,
    hypotheticalQuestionSearch,
    local_community_search,
    localCommunitySearch,
    naive_search,
    naiveSearch,
    pagerank_search,
    pagerankSearch,
    similar_chunk_traversal_search,
    similarChunkTraversalSearch,
)
from lorelite.strategies.query import AnswerStream
from lorelite.strategies.strategy import Strategy

__all__ = [
    "AnswerStream",
    "BlockingAnswerStream",
    "BlockingKnowledgeGraph",
    "ChunkQuestion",
    "Chunking",
    "Community",
    "CommunityReport",
    "DeleteReport",
    "GraphDocument",
    "GraphEngine",
    "GraphEntity",
    "GraphImport",
    "GraphRelation",
    "GraphStats",
    "GraphStore",
    "InsertFailure",
    "InsertReport",
    "Insight",
    "KVStore",
    "KnowledgeGraph",
    "Processor",
    "QueryResult",
    "SearchContext",
    "Strategy",
    "TextChunk",
    "VectorStore",
    "autoSearch",
    "auto_search",
    "chunkEntityGeneration",
    "chunk_entity_generation",
    "createGraph",
    "create_graph",
    "driftSearch",
    "drift_search",
    "dualLevelSearch",
    "dual_level_search",
    "entityCommunityGeneration",
    "entityEnhancedSearch",
    "entity_community_generation",
    "entity_enhanced_search",
    "globalCommunitySearch",
    "global_community_search",
    "hypotheticalQuestionGeneration",
    "hypotheticalQuestionSearch",
    "hypothetical_question_generation",
    "hypothetical_question_search",
    "inMemoryGraph",
    "inMemoryKV",
    "inMemoryVector",
    "in_memory_graph",
    "in_memory_kv",
    "in_memory_vector",
    "lexicalGraph",
    "lexical_graph",
    "localCommunitySearch",
    "local_community_search",
    "naiveSearch",
    "naive_search",
    "pagerankSearch",
    "pagerank_search",
    "query",
    "similarChunkConnection",
    "similarChunkTraversalSearch",
    "similar_chunk_connection",
    "similar_chunk_traversal_search",
    "sqliteGraph",
    "sqliteKV",
    "sqliteVector",
    "sqlite_graph",
    "sqlite_kv",
    "sqlite_vector",
]
