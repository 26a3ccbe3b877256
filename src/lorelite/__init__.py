"""Lorelite: GraphRAG and long-term memory for language models in one SQLite file."""

import importlib
from typing import TYPE_CHECKING

from lorelite.blocking import Wiki
from lorelite.call_records import CallDiff, CallDifference, CallImport, CallSummary, CallTotals, RecordedCall
from lorelite.dumps import MemoryDump, NamespaceDump
from lorelite.errors import (
    AsyncOnlyModel,
    BadReply,
    BudgetExceeded,
    CallNotRecorded,
    CannotOpen,
    ClosedError,
    ClusteringAlgorithmError,
    ConfigError,
    ContextOverflow,
    DocumentError,
    DocumentTooLarge,
    DumpError,
    FilterError,
    ImmutableFact,
    IndexMismatchError,
    IngestFailed,
    InsertAborted,
    InvalidManifest,
    InvalidOption,
    JobBusy,
    LoreliteError,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    NewerSchema,
    NodeOwnershipConflict,
    NoHistory,
    NotADatabase,
    NotFound,
    OnlyForeseen,
    OntologyError,
    OwnershipError,
    PipelineConfigMismatchError,
    PipelineOrderError,
    PrunePartialFailure,
    RankerFailed,
    ReadOnly,
    SearchPrerequisiteError,
    SourceHashCollision,
    StorageFull,
    StorageUnavailable,
    StoreError,
    StrictOntologyViolation,
    SupersedeError,
    TransactionError,
    Truncated,
    UnreadableDocument,
    UnsupportedStoreError,
    VectorDimensionError,
    WriterLocked,
)
from lorelite.findings import DraftPage, Finding, Instructions, LintReport, PendingSource
from lorelite.hooks import Diagnostic, Hooks, RankerFallback
from lorelite.ids import configure_random_source
from lorelite.ontology.manifest import EdgeType, Manifest, NodeType, Ontology
from lorelite.ontology.rules import validate_manifest
from lorelite.ports import Classified, Classifier, ClassifyRequest, VectorRanker
from lorelite.prices import Price, Prices
from lorelite.prompts.templates import LorelitePromptWarning
from lorelite.records import (
    Answer,
    AnswerSentence,
    ChunkFailure,
    Citation,
    DocumentInfo,
    Edge,
    Estimate,
    Event,
    Explanation,
    Fact,
    FactVersion,
    ForgetReport,
    Graph,
    GraphNode,
    Highlight,
    IngestReport,
    MemoryBundle,
    Node,
    Progress,
    Task,
    UpsertReport,
    Usage,
    Verification,
)
from lorelite.reports import (
    Activity,
    BackfillReport,
    Contradiction,
    Duplicate,
    ExportReport,
    HealChange,
    HealDegraded,
    HealReport,
    HealSkip,
    ImportReport,
    JobReport,
    JobStatus,
    LibrarianReport,
    MaintenanceRun,
    OntologyReport,
    PendingMaintenance,
    PruneReport,
    ReembedReport,
    SkippedRow,
    Status,
    SupersedeReport,
)
from lorelite.revisions import Changed, Diff, DiffPart, OutboxEvent, RestoreReport, RowCounts, UndoReport
from lorelite.settings import (
    OntologyConfig,
    Prompts,
    WikiConfig,
)
from lorelite.spending import Budget, foreseeing, spending
from lorelite.wiki import AsyncWiki

if TYPE_CHECKING:
    from lorelite.graphrag import *
    from lorelite.merge_records import DuplicatesReport, MergedEntity, MergeEvidence, MergeReport, MergeSuggestion
    from lorelite.okf import OkfFile, format_okf_bundle, parse_okf_bundle
    from lorelite.ontology.schema_org import SCHEMA_ORG_MANIFEST
    from lorelite.prompts.synthesis import (
        DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT,
        hydrate_librarian_prompt,
        map_librarian_options_to_read_options,
        validate_librarian_prompt,
    )
    from lorelite.text.chunking import ChunkedText, chunk_text
    from lorelite.text.memory_dump import format_memory_dump
    from lorelite.text.render import format_context, format_graph_context
    from lorelite.toolkit import (
        CommunityReporter,
        CommunityRetriever,
        EntityExtractor,
        FusionRetriever,
        GraphBuildProcessor,
        GraphRetrieveProcessor,
        GraphRetriever,
        detect_communities,
        load_config,
        resolve_entities,
    )

__version__ = "0.1.0"

# What opening and searching do not need is imported when it is first asked for: a tab compiles every module it imports.
_LATER = {
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT": "prompts.synthesis",
    "SCHEMA_ORG_MANIFEST": "ontology.schema_org",
    "ChunkedText": "text.chunking",
    "DuplicatesReport": "merge_records",
    "MergeEvidence": "merge_records",
    "MergeReport": "merge_records",
    "MergeSuggestion": "merge_records",
    "MergedEntity": "merge_records",
    "OkfFile": "okf",
    "chunk_text": "text.chunking",
    "format_context": "text.render",
    "format_graph_context": "text.render",
    "format_memory_dump": "text.memory_dump",
    "format_okf_bundle": "okf",
    "hydrate_librarian_prompt": "prompts.synthesis",
    "map_librarian_options_to_read_options": "prompts.synthesis",
    "parse_okf_bundle": "okf",
    "validate_librarian_prompt": "prompts.synthesis",
}

_GRAPHRAG = """
    AnswerStream BlockingAnswerStream BlockingKnowledgeGraph ChunkQuestion Chunking Community CommunityReport
    DeleteReport GraphDocument GraphEngine GraphEntity GraphImport GraphRelation GraphStats GraphStore GraphView
    InsertFailure InsertReport Insight KVStore KnowledgeGraph Processor QueryResult SearchContext Strategy TextChunk
    VectorStore ViewCommunity ViewEdge ViewNode autoSearch auto_search chunkEntityGeneration chunk_entity_generation
    createGraph create_graph driftSearch drift_search dualLevelSearch dual_level_search entityCommunityGeneration
    entityEnhancedSearch entity_community_generation entity_enhanced_search globalCommunitySearch
    global_community_search hypotheticalQuestionGeneration hypotheticalQuestionSearch
    hypothetical_question_generation hypothetical_question_search inMemoryGraph inMemoryKV inMemoryVector
    in_memory_graph in_memory_kv in_memory_vector lexicalGraph lexical_graph localCommunitySearch
    local_community_search naiveSearch naive_search pagerankSearch pagerank_search query similarChunkConnection
    similarChunkTraversalSearch similar_chunk_connection similar_chunk_traversal_search sqliteGraph sqliteKV
    sqliteVector sqlite_graph sqlite_kv sqlite_vector
"""
_LATER |= dict.fromkeys(_GRAPHRAG.split(), "graphrag")

_TOOLKIT = """
    CommunityReporter CommunityRetriever EntityExtractor FusionRetriever GraphBuildProcessor GraphRetrieveProcessor
    GraphRetriever detect_communities load_config resolve_entities
"""
_LATER |= dict.fromkeys(_TOOLKIT.split(), "toolkit")


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


# fmt: off
__all__ = [
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT", "SCHEMA_ORG_MANIFEST", "Activity", "Answer", "AnswerSentence",
    "AnswerStream", "AsyncOnlyModel", "AsyncWiki", "BackfillReport", "BadReply", "BlockingAnswerStream",
    "BlockingKnowledgeGraph", "Budget", "BudgetExceeded", "CallDiff", "CallDifference", "CallImport",
    "CallNotRecorded", "CallSummary", "CallTotals", "CannotOpen", "Changed", "ChunkFailure", "ChunkQuestion",
    "ChunkedText", "Chunking", "Citation", "Classified", "Classifier", "ClassifyRequest", "ClosedError",
    "ClusteringAlgorithmError", "Community", "CommunityReport", "CommunityReporter", "CommunityRetriever",
    "ConfigError", "ContextOverflow", "Contradiction", "DeleteReport", "Diagnostic", "Diff", "DiffPart",
    "DocumentError", "DocumentInfo", "DocumentTooLarge", "DraftPage", "DumpError", "Duplicate", "DuplicatesReport",
    "Edge", "EdgeType", "EntityExtractor", "Estimate", "Event", "Explanation", "ExportReport", "Fact", "FactVersion",
    "FilterError", "Finding", "ForgetReport", "FusionRetriever", "Graph", "GraphBuildProcessor", "GraphDocument",
    "GraphEngine", "GraphEntity", "GraphImport", "GraphNode", "GraphRelation", "GraphRetrieveProcessor",
    "GraphRetriever", "GraphStats", "GraphStore", "GraphView", "HealChange", "HealDegraded", "HealReport", "HealSkip",
    "Highlight", "Hooks", "ImmutableFact", "ImportReport", "IndexMismatchError", "IngestFailed", "IngestReport",
    "InsertAborted", "InsertFailure", "InsertReport", "Insight", "Instructions", "InvalidManifest", "InvalidOption",
    "JobBusy", "JobReport", "JobStatus", "KVStore", "KnowledgeGraph", "LibrarianReport", "LintReport",
    "LoreliteError", "LorelitePromptWarning", "MaintenanceRun", "Manifest", "MemoryBundle", "MemoryDump",
    "MergeEvidence", "MergeReport", "MergeSuggestion", "MergedEntity", "ModelError", "ModelRefused",
    "ModelUnreachable", "NamespaceDump", "NewerSchema", "NoHistory", "Node", "NodeOwnershipConflict", "NodeType",
    "NotADatabase", "NotFound", "OkfFile", "OnlyForeseen", "Ontology", "OntologyConfig", "OntologyError",
    "OntologyReport", "OutboxEvent", "OwnershipError", "PendingMaintenance", "PendingSource",
    "PipelineConfigMismatchError", "PipelineOrderError", "Price", "Prices", "Processor", "Progress", "Prompts",
    "PrunePartialFailure", "PruneReport", "QueryResult", "RankerFailed", "RankerFallback", "ReadOnly", "RecordedCall",
    "ReembedReport", "RestoreReport", "RowCounts", "SearchContext", "SearchPrerequisiteError", "SkippedRow",
    "SourceHashCollision", "Status", "StorageFull", "StorageUnavailable", "StoreError", "Strategy",
    "StrictOntologyViolation", "SupersedeError", "SupersedeReport", "Task", "TextChunk", "TransactionError",
    "Truncated", "UndoReport", "UnreadableDocument", "UnsupportedStoreError", "UpsertReport", "Usage",
    "VectorDimensionError", "VectorRanker", "VectorStore", "Verification", "ViewCommunity", "ViewEdge", "ViewNode",
    "Wiki", "WikiConfig", "WriterLocked", "autoSearch", "auto_search", "chunkEntityGeneration",
    "chunk_entity_generation", "chunk_text", "configure_random_source", "createGraph", "create_graph",
    "detect_communities", "driftSearch", "drift_search", "dualLevelSearch", "dual_level_search",
    "entityCommunityGeneration", "entityEnhancedSearch", "entity_community_generation", "entity_enhanced_search",
    "foreseeing", "format_context", "format_graph_context", "format_memory_dump", "format_okf_bundle",
    "globalCommunitySearch", "global_community_search", "hydrate_librarian_prompt", "hypotheticalQuestionGeneration",
    "hypotheticalQuestionSearch", "hypothetical_question_generation", "hypothetical_question_search", "inMemoryGraph",
    "inMemoryKV", "inMemoryVector", "in_memory_graph", "in_memory_kv", "in_memory_vector", "lexicalGraph",
    "lexical_graph", "load_config", "localCommunitySearch", "local_community_search",
    "map_librarian_options_to_read_options", "naiveSearch", "naive_search", "pagerankSearch", "pagerank_search",
    "parse_okf_bundle", "query", "resolve_entities", "similarChunkConnection", "similarChunkTraversalSearch",
    "similar_chunk_connection", "similar_chunk_traversal_search", "spending", "sqliteGraph", "sqliteKV",
    "sqliteVector", "sqlite_graph", "sqlite_kv", "sqlite_vector", "validate_librarian_prompt", "validate_manifest",
]
# fmt: on
