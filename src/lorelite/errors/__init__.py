"""Every error Lorelite raises on purpose, as one tree.

LoreliteError                   catch this to catch all of them
├── InvalidOption               an argument or option is out of its range
├── NotFound                    something asked for by id or name is absent
├── ClosedError                 the wiki was closed
├── NoHistory                   the log of changes does not reach back that far
├── TransactionError            a transaction was used in a way that cannot be kept atomic
├── JobBusy                     a job was called from within a job of the same namespace
├── PrunePartialFailure         prune stopped at a node whose removal the vector ranker did not take
├── DocumentError               a document cannot be taken in
│   ├── UnreadableDocument      binary, wrong encoding, empty
│   ├── DocumentTooLarge        longer than the limit
│   ├── IngestFailed            a model was asked, and nothing that it replied can be used
│   └── DumpError               a dump is damaged, cut off, or something else
├── OwnershipError              two sources claim the same thing
│   ├── SourceHashCollision     the hash already belongs to another source_ref
│   ├── NodeOwnershipConflict   the node, edge or task id is taken
│   └── ImmutableFact           a fact of a document was to be changed by other means than its document
├── SupersedeError              a fact cannot take the place of another
├── OntologyError               types of nodes and edges
│   ├── InvalidManifest         a manifest does not hold together
│   └── StrictOntologyViolation a type or an edge that a strict manifest does not permit
├── ConfigError                 a configuration names what is not known, or lacks what is needed
├── PipelineOrderError          a processor stands before one whose work it needs
├── PipelineConfigMismatchError a graph was built by another pipeline
├── SearchPrerequisiteError     a strategy needs what no processor of the graph makes
├── ClusteringAlgorithmError    no such way to find communities
├── InsertAborted               an insert gave up after too many failures
├── UnsupportedStoreError       a store lacks a capability that was asked of it
├── IndexMismatchError          a vector index is there with another dimension or metric
├── VectorDimensionError        vectors that an index cannot take
├── FilterError                 a metadata filter that cannot be understood
├── ModelError                  the language model or embedder failed
│   ├── ModelUnreachable        no connection, timeout
│   ├── ModelRefused            the endpoint answered with an error status
│   │   └── ContextOverflow     the request is longer than the model can read
│   ├── BadReply                the reply cannot be understood
│   │   └── Truncated           the reply was cut at the limit of tokens
│   ├── BudgetExceeded          a call was not sent: the budget does not hold it
│   ├── OnlyForeseen            a call was counted and not sent
│   ├── CallNotRecorded         only recorded calls are answered, and this is none
│   ├── RankerFailed            the vector ranker failed
│   └── AsyncOnlyModel          a model that must be awaited was given to the blocking face
└── StoreError                  the file
    ├── CannotOpen              missing, unreadable or read-only path
    ├── NotADatabase            corrupt, or some other kind of file
    ├── NewerSchema             written by a newer Lorelite
    ├── WriterLocked            another process or tab is writing
    ├── ReadOnly                opened for reading only
    ├── StorageFull             disk full, browser quota
    └── StorageUnavailable      the browser offers no persistent storage
"""

from __future__ import annotations

from lorelite.errors.base import (
    ClosedError,
    InvalidOption,
    JobBusy,
    LoreliteError,
    NoHistory,
    NotFound,
    PrunePartialFailure,
    TransactionError,
)
from lorelite.errors.content import (
    DocumentError,
    DocumentTooLarge,
    DumpError,
    ImmutableFact,
    IngestFailed,
    InvalidManifest,
    NodeOwnershipConflict,
    OntologyError,
    OwnershipError,
    SourceHashCollision,
    StrictOntologyViolation,
    SupersedeError,
    UnreadableDocument,
)
from lorelite.errors.graph import (
    ClusteringAlgorithmError,
    ConfigError,
    FilterError,
    IndexMismatchError,
    InsertAborted,
    PipelineConfigMismatchError,
    PipelineOrderError,
    SearchPrerequisiteError,
    UnsupportedStoreError,
    VectorDimensionError,
)
from lorelite.errors.model import (
    AsyncOnlyModel,
    BadReply,
    BudgetExceeded,
    CallNotRecorded,
    ContextOverflow,
    ModelError,
    ModelRefused,
    ModelUnreachable,
    OnlyForeseen,
    RankerFailed,
    Truncated,
)
from lorelite.errors.store import (
    CannotOpen,
    NewerSchema,
    NotADatabase,
    ReadOnly,
    StorageFull,
    StorageUnavailable,
    StoreError,
    WriterLocked,
)

__all__ = [
    "AsyncOnlyModel",
    "BadReply",
    "BudgetExceeded",
    "CallNotRecorded",
    "CannotOpen",
    "ClosedError",
    "ClusteringAlgorithmError",
    "ConfigError",
    "ContextOverflow",
    "DocumentError",
    "DocumentTooLarge",
    "DumpError",
    "FilterError",
    "ImmutableFact",
    "IndexMismatchError",
    "IngestFailed",
    "InsertAborted",
    "InvalidManifest",
    "InvalidOption",
    "JobBusy",
    "LoreliteError",
    "ModelError",
    "ModelRefused",
    "ModelUnreachable",
    "NewerSchema",
    "NoHistory",
    "NodeOwnershipConflict",
    "NotADatabase",
    "NotFound",
    "OnlyForeseen",
    "OntologyError",
    "OwnershipError",
    "PipelineConfigMismatchError",
    "PipelineOrderError",
    "PrunePartialFailure",
    "RankerFailed",
    "ReadOnly",
    "SearchPrerequisiteError",
    "SourceHashCollision",
    "StorageFull",
    "StorageUnavailable",
    "StoreError",
    "StrictOntologyViolation",
    "SupersedeError",
    "TransactionError",
    "Truncated",
    "UnreadableDocument",
    "UnsupportedStoreError",
    "VectorDimensionError",
    "WriterLocked",
]
