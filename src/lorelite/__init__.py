"""Lorelite: GraphRAG and long-term memory for language models in one SQLite file."""

import importlib
from typing import TYPE_CHECKING

from lorelite.blocking import Wiki
from lorelite.dumps import MemoryDump, NamespaceDump
from lorelite.errors import (
    AsyncOnlyModel,
    BadReply,
    CannotOpen,
    ClosedError,
    DocumentError,
    DocumentTooLarge,
    DumpError,
    ImmutableFact,
    IngestFailed,
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
    OntologyError,
    OwnershipError,
    PrunePartialFailure,
    RankerFailed,
    ReadOnly,
    SourceHashCollision,
    StorageFull,
    StorageUnavailable,
    StoreError,
    StrictOntologyViolation,
    SupersedeError,
    TransactionError,
    UnreadableDocument,
    WriterLocked,
)
from lorelite.findings import DraftPage, Finding, Instructions, LintReport, PendingSource
from lorelite.hooks import Diagnostic, Hooks, RankerFallback
from lorelite.ids import configure_random_source
from lorelite.ontology.manifest import EdgeType, Manifest, NodeType, Ontology
from lorelite.ontology.rules import validate_manifest
from lorelite.ports import Classified, Classifier, ClassifyRequest, VectorRanker
from lorelite.prompts.templates import LorelitePromptWarning
from lorelite.records import (
    Answer,
    AnswerSentence,
    ChunkFailure,
    Citation,
    DocumentInfo,
    Edge,
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
from lorelite.wiki import AsyncWiki

if TYPE_CHECKING:
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

__version__ = "0.1.0"

# What opening and searching do not need is imported when it is first asked for: a tab compiles every module it imports.
_LATER = {
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT": "prompts.synthesis",
    "SCHEMA_ORG_MANIFEST": "ontology.schema_org",
    "ChunkedText": "text.chunking",
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


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "DEFAULT_LIBRARIAN_SYNTHESIS_PROMPT",
    "SCHEMA_ORG_MANIFEST",
    "Activity",
    "Answer",
    "AnswerSentence",
    "AsyncOnlyModel",
    "AsyncWiki",
    "BackfillReport",
    "BadReply",
    "CannotOpen",
    "Changed",
    "ChunkFailure",
    "ChunkedText",
    "Citation",
    "Classified",
    "Classifier",
    "ClassifyRequest",
    "ClosedError",
    "Contradiction",
    "Diagnostic",
    "Diff",
    "DiffPart",
    "DocumentError",
    "DocumentInfo",
    "DocumentTooLarge",
    "DraftPage",
    "DumpError",
    "Duplicate",
    "Edge",
    "EdgeType",
    "Event",
    "Explanation",
    "ExportReport",
    "Fact",
    "FactVersion",
    "Finding",
    "ForgetReport",
    "Graph",
    "GraphNode",
    "HealChange",
    "HealDegraded",
    "HealReport",
    "HealSkip",
    "Highlight",
    "Hooks",
    "ImmutableFact",
    "ImportReport",
    "IngestFailed",
    "IngestReport",
    "Instructions",
    "InvalidManifest",
    "InvalidOption",
    "JobBusy",
    "JobReport",
    "JobStatus",
    "LibrarianReport",
    "LintReport",
    "LoreliteError",
    "LorelitePromptWarning",
    "MaintenanceRun",
    "Manifest",
    "MemoryBundle",
    "MemoryDump",
    "ModelError",
    "ModelRefused",
    "ModelUnreachable",
    "NamespaceDump",
    "NewerSchema",
    "NoHistory",
    "Node",
    "NodeOwnershipConflict",
    "NodeType",
    "NotADatabase",
    "NotFound",
    "OkfFile",
    "Ontology",
    "OntologyConfig",
    "OntologyError",
    "OntologyReport",
    "OutboxEvent",
    "OwnershipError",
    "PendingMaintenance",
    "PendingSource",
    "Progress",
    "Prompts",
    "PrunePartialFailure",
    "PruneReport",
    "RankerFailed",
    "RankerFallback",
    "ReadOnly",
    "ReembedReport",
    "RestoreReport",
    "RowCounts",
    "SkippedRow",
    "SourceHashCollision",
    "Status",
    "StorageFull",
    "StorageUnavailable",
    "StoreError",
    "StrictOntologyViolation",
    "SupersedeError",
    "SupersedeReport",
    "Task",
    "TransactionError",
    "UndoReport",
    "UnreadableDocument",
    "UpsertReport",
    "Usage",
    "VectorRanker",
    "Verification",
    "Wiki",
    "WikiConfig",
    "WriterLocked",
    "chunk_text",
    "configure_random_source",
    "format_context",
    "format_graph_context",
    "format_memory_dump",
    "format_okf_bundle",
    "hydrate_librarian_prompt",
    "map_librarian_options_to_read_options",
    "parse_okf_bundle",
    "validate_librarian_prompt",
    "validate_manifest",
]
