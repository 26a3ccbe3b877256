"""Settings of a wiki: one frozen, validated record with a default for everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from lorelite.call_records import Replay
from lorelite.errors import InvalidOption
from lorelite.ontology.manifest import OntologyMode
from lorelite.ontology.rules import read_ontology
from lorelite.prices import Prices
from lorelite.records import Confidence, Direction, Kind, SourceType

BackfillClassifier = Literal["model", "auto", "rules"]


def _template(name: str) -> Any:
    """A template, also under the names that the reference engine gives it."""
    stem = "".join(part.capitalize() if at else part for at, part in enumerate(name.split("_")))
    names = (name, f"{stem}SystemPrompt", f"{name}_system_prompt")
    return Field(None, min_length=1, validation_alias=AliasChoices(*names))


def _checked_weight(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or value == "cosine" or (is_number and 0 <= value <= 1):  # type: ignore[operator]
        return value
    raise ValueError("a number from 0 to 1, or 'cosine'")


def _prices(given: object) -> Prices:
    if given is not None and not isinstance(given, Prices | Mapping):
        raise ValueError("a Prices, or a mapping of model names to prices")
    return given if isinstance(given, Prices) else Prices(given)


class Prompts(BaseModel):
    """Prompts in place of the built-in ones (None). Variables such as {{document_chunk}} say where data goes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ingest: str | None = _template("ingest")
    librarian: str | None = _template("librarian")
    heal: str | None = _template("heal")
    ontology_backfill: str | None = _template("ontology_backfill")
    answer: str | None = _template("answer")

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _invalid("Prompts", error) from error


class OntologyConfig(BaseModel):
    """Which types a wiki permits, where a namespace has not been given an ontology of its own.

    mode: off, emergent or strict for every namespace that has none. seed_manifests: namespace → the manifest it begins
    with, or {"mode": …, "manifest": …} (an Ontology); the namespace's first write makes it the namespace's own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: OntologyMode = "off"
    seed_manifests: Mapping[str, Any] = Field(default_factory=dict)
    backfill_classifier: BackfillClassifier = "model"
    """What run_ontology_backfill goes by unless told; see there."""
    classify_min_confidence: float = Field(0.5, ge=0, le=1)
    """How sure a classifier (`model.classify`) must be for its answer to count."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _invalid("OntologyConfig", error) from error

    @field_validator("seed_manifests")
    @classmethod
    def _checked(cls, seeds: Mapping[str, Any], values: Any) -> Mapping[str, Any]:
        mode = values.data.get("mode", "off")
        return {str(namespace): read_ontology(seed, mode) for namespace, seed in seeds.items()}


class WikiConfig(BaseModel):
    """How a wiki behaves; pass it to `Wiki.open(path, config=WikiConfig(...))`.

    An unknown name or a value out of range raises InvalidOption.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # read
    max_results: int = Field(10, ge=0, le=10_000)
    read_kinds: tuple[Kind, ...] = ("fact", "entity", "chunk")
    hybrid_weight: Annotated[float | Literal["cosine"] | None, BeforeValidator(_checked_weight)] = None
    """Share of the semantic score; 0 keyword only, 1 semantic only, "cosine" the bare cosine, None the default."""
    pre_filter_limit: int | None = Field(None, ge=0, le=1_000_000)
    """How many nodes each of the two searches hands on to be scored; None: as many as max_results makes sensible."""
    track_access: bool = True
    """Count how often nodes are read; the counts are stored with the next write."""
    vector_ranker_fallback: Annotated[
        Literal["exact", "keyword", "empty", "throw"], BeforeValidator(lambda v: "exact" if v == "js-cosine" else v)
    ] = "exact"
    """When the vector ranker fails: compare with every vector of the file, search by keyword, no facts, or raise."""
    propagate_ranker_failure: bool = False
    """Tell Hooks.on_retrieval_fallback as well."""
    sanitize_ranker_errors: bool = True
    """Withhold what the vector ranker's errors say: it may hold keys and addresses."""
    deletion_hook_timeout_ms: int = Field(30_000, ge=1)
    """How long a vector ranker may take to be told that a vector must go (AsyncWiki; a blocking call is not cut)."""
    force_delete_ignores_ranker: bool = False
    """Delete although the vector ranker could not be told."""
    keyword_index: Literal["auto", "fts5", "memory"] = "auto"

    # traverse_graph
    max_traversal_depth: int = Field(3, ge=1, le=100)
    max_traversal_nodes: int = Field(20, ge=1, le=100_000)
    traversal_direction: Direction = "both"
    min_traversal_confidence: Confidence = "tentative"
    exclude_source_types: tuple[SourceType, ...] = ()
    exclude_drafts: bool = False

    # ingest_document
    chunk_chars: int = Field(1_800, ge=200, le=100_000)
    chunk_overlap: int = Field(200, ge=0)
    max_document_chars: int = Field(20_000_000, ge=1)
    model_batch: int = Field(4, ge=1, le=64)
    """Chunks handed to the model at a time; what is answered is stored before the next batch is sent."""
    ask_again: bool = True
    """In ingest, the librarian and `ask`: ask once more, with what was wrong, where a reply cannot be used."""

    grounding: Literal["off", "draft"] = "off"
    """draft: a fact of a model's whose quotes are not in what it read is kept as a draft, until promote_draft."""
    grounding_writers: tuple[Literal["ingest", "librarian", "heal"], ...] = ("ingest",)
    """Whose facts `grounding` checks."""
    prompts: Prompts = Prompts()
    """Prompts for every call and job that is not given one of its own."""

    ontology: OntologyConfig = OntologyConfig()
    """Which types are permitted; off by default."""

    # models
    replay: Replay = "auto"
    """auto: a model call that the file has recorded is answered from there, with no key and at no cost; off: every call
    is sent; only: none is, and one that is not recorded raises CallNotRecorded."""
    record_calls: bool = True
    """Keep every model call and its reply in the file."""
    prices: Annotated[Any, BeforeValidator(_prices)] = Prices()
    """What models cost: a Prices, or a mapping of model names to prices that stand before the built-in ones."""

    # ask
    ask_sources: int = Field(12, ge=1, le=100)
    """Passages shown to the model, or searched for answer sentences without one."""
    answer_sentences: int = Field(4, ge=1, le=50)
    """Sentences of an answer made without a model."""

    # jobs
    maintenance: Literal["auto", "deferred", "off"] = "auto"
    """auto: `write` runs a job that is due; deferred: run_pending_maintenance does; off: only when called by name."""
    auto_librarian_threshold: int | None = Field(20, ge=1, le=1_000_000_000)
    """New events after which the librarian is due; None: never."""
    auto_heal_threshold: int | None = Field(100, ge=1, le=1_000_000_000)
    """New events after which heal is due; None: never."""
    orphan_after_days: float | None = Field(30, ge=0)
    """Age at which heal sets aside an inferred fact that nobody read and nothing rests on; None: never."""
    stale_inferred_after_days: float | None = Field(60, ge=0)
    """Time without a reading after which heal calls an inferred fact tentative; None: never."""
    prune_deleted_after_days: float | None = Field(7, ge=0)
    """How long deleted rows can be brought back; None: for ever."""
    prune_events_after_days: float | None = Field(30, ge=0)
    prune_changes_after_days: float | None = Field(30, ge=0)
    """How far back diff, restore and undo reach; readers of the outbox keep what they have not read."""
    record_changes: bool = True
    """Keep the log that diff, restore, undo and the outbox go by."""

    # store
    durability: Literal["full", "normal"] = "full"
    """full: a commit survives a power cut; normal: the last commits may be lost in one, never the file."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _invalid("WikiConfig", error) from error
        if self.chunk_overlap >= self.chunk_chars // 2:
            raise InvalidOption(
                "WikiConfig.chunk_overlap",
                f"less than half of chunk_chars ({self.chunk_chars // 2})",
                self.chunk_overlap,
            )


def _invalid(record: str, error: ValidationError) -> InvalidOption:
    first = error.errors()[0]
    name = ".".join((record, *(str(part) for part in first["loc"])))
    return InvalidOption(name, first["msg"].removeprefix("Value error, "), first.get("input"))
