"""The one table of tools: which method each calls, what an agent needs for it, and what the model is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.strategies.strategy import STRATEGY_NAMES

Scope = Literal["read", "write", "maintain", "forget"]
Schema = dict[str, Any]
Adapt = Callable[[dict[str, Any]], dict[str, Any]]

TIMES = frozenset({"as_of", "valid_from", "valid_to", "stale_after", "t1", "t2"})
"""Arguments that are milliseconds for a method and ISO 8601 for a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A tool. The types of its parameters, and which of them are required, are those of the method's signature."""

    name: str
    method: str
    scope: Scope
    description: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Name → what the model is told of it."""
    limits: Mapping[str, Schema] = field(default_factory=dict)
    """Name → what the schema says beyond the signature; the whole schema of a parameter that the method lacks."""
    required: tuple[str, ...] = ()
    """Optional for the method, but not for this tool."""
    adapt: Adapt | None = None
    """Makes the method's arguments of the tool's, where they differ."""
    has_namespace: bool = True


def _event(given: dict[str, Any]) -> dict[str, Any]:
    return {"event": given}


def _successor(given: dict[str, Any]) -> dict[str, Any]:
    named = {"node_id", "valid_from"}
    kept = {name: value for name, value in given.items() if name in named}
    return kept | {"by": {name: value for name, value in given.items() if name not in named}}


_TEXT: Schema = {"type": "string", "minLength": 1}
_FEW = {"minimum": 1, "maximum": 50}
_DRY_RUN = "Only tell what would be done."
_STATED_BY = {"enum": ["user_stated", "user_confirmed", "librarian_inferred"]}

_FACT = {
    "title": "What the fact is about, or the fact in a few words.",
    "body": "The fact in full sentences that can be understood alone.",
    "tags": "A few words to file it under.",
    "node_type": "Its type in the ontology, for example person.",
    "confidence": "certain: stated outright; inferred: concluded; tentative: perhaps.",
    "source_type": "user_stated: the user said so; user_confirmed: the user agreed; librarian_inferred: concluded.",
    "valid_from": "From when it holds.",
    "valid_to": "Until when it holds.",
    "stale_after": "When somebody should check it again.",
}
_TASK = {
    "description": "What is to be done, in one sentence.",
    "priority": "0 (whenever) to 10 (now).",
    "status": "Where it stands.",
    "body": "Details.",
    "related_node_id": "The id of the fact it is about.",
}

TABLE: tuple[Entry, ...] = (
    # -- read -----------------------------------------------------------------------------------------------------
    Entry(
        name="read",
        method="read",
        scope="read",
        description="Search the memory by words and meaning. Gives the facts, entities and passages of documents that "
        "fit best, with their ids and the quotes they rest on, and open tasks and recent events.",
        parameters={
            "query": "What to look for; empty for what changed last.",
            "max_results": "How many at most.",
            "kinds": "Only these kinds of nodes.",
            "node_types": "Only these types of the ontology.",
            "exclude_drafts": "Leave out what is not confirmed yet.",
            "as_of": "What was held true then, instead of now.",
        },
        limits={"max_results": _FEW},
    ),
    Entry(
        name="ask",
        method="ask",
        scope="read",
        description="Answer a question from the documents, with citations whose quotes were checked. Says so when the "
        "documents do not say.",
        parameters={
            "question": "The question, in any language.",
            "strategy": 'How to look for it; "auto" chooses. Left out: what fits the question best.',
        },
        limits={"question": _TEXT, "strategy": {"enum": list(STRATEGY_NAMES)}},
    ),
    Entry(
        name="traverse_graph",
        method="traverse_graph",
        scope="read",
        description="Walk the graph from a node: what is connected with it, directly or over several steps.",
        parameters={
            "source_id": "The id of the node to start from, as `read` gives it; or several ids.",
            "query": "Take what fits this first.",
            "max_depth": "How many steps.",
            "direction": "Along the edges, against them, or both.",
            "edge_types": "Only edges of these types.",
            "max_nodes": "How many nodes at most.",
            "min_confidence": "Only nodes at least this sure.",
            "as_of": "The graph as it was then.",
        },
        limits={
            "source_id": {"type": ["string", "array"]},
            "query": _TEXT,
            "max_depth": {"minimum": 1, "maximum": 3},
            "max_nodes": {"minimum": 1, "maximum": 100},
        },
    ),
    Entry(
        name="shortest_path",
        method="shortest_path",
        scope="read",
        description="How two nodes are connected: the nodes on a shortest way from one to the other, and its edges.",
        parameters={
            "source_id": "The id of the node to start from.",
            "target_id": "The id of the node to reach.",
            "max_depth": "At most so many edges.",
            "direction": "Along the edges, against them, or both.",
            "edge_types": "Only edges of these types.",
            "weighted": "Prefer strong edges to few.",
            "as_of": "The graph as it was then.",
        },
        limits={"max_depth": {"minimum": 1, "maximum": 20}},
    ),
    Entry(
        name="pagerank_search",
        method="pagerank_search",
        scope="read",
        description="Search for what a question needs that several documents answer together: what fits, and what that "
        "leads to. Gives passages of documents and facts, with the quotes they rest on.",
        parameters={
            "query": "The question.",
            "max_results": "How many at most.",
            "exclude_drafts": "Leave out what is not confirmed yet.",
            "as_of": "What was held true then, instead of now.",
        },
        limits={"query": _TEXT, "max_results": _FEW},
    ),
    Entry(
        name="history",
        method="history",
        scope="read",
        description="A fact with all that it took the place of and all that took its place, oldest first.",
        parameters={"node_id": "The id of the fact."},
    ),
    Entry(
        name="diff",
        method="diff",
        scope="read",
        description="What changed between two moments: facts, edges and tasks that were added, removed or changed.",
        parameters={"t1": "The earlier moment.", "t2": "The later moment; now when left out."},
    ),
    Entry(
        name="list_tasks",
        method="list_tasks",
        scope="read",
        description="Tasks, most urgent first.",
        parameters={"status": "Only tasks that stand so; all when left out.", "limit": "How many at most."},
        limits={"limit": _FEW},
    ),
    Entry(
        name="list_namespaces",
        method="list_namespaces",
        scope="read",
        description="The namespaces: separate memories in the same file.",
        has_namespace=False,
    ),
    Entry(
        name="list_source_refs",
        method="list_source_refs",
        scope="read",
        description="The documents the memory was made of.",
    ),
    Entry(
        name="get_document",
        method="get_document",
        scope="read",
        description="The text of a document, from its beginning.",
        parameters={"source_ref": "The document's name, as `list_source_refs` gives it."},
    ),
    Entry(
        name="get_status",
        method="get_status",
        scope="read",
        description="How much the memory holds.",
    ),
    Entry(
        name="get_ontology",
        method="get_ontology",
        scope="read",
        description="The types of nodes and edges that are in use, and whether others are permitted.",
    ),
    Entry(
        name="get_instructions",
        method="get_instructions",
        scope="read",
        description="The prompts by which documents and events are made into facts.",
    ),
    Entry(
        name="list_drafts",
        method="list_drafts",
        scope="read",
        description="Facts that wait for a person to confirm them, newest first.",
        parameters={"limit": "How many at most.", "cursor": "Where the page before ended."},
        limits={"limit": _FEW},
    ),
    Entry(
        name="lint",
        method="lint",
        scope="read",
        description="What may want attention: drafts, stale and unverified facts, duplicate titles, unfinished "
        "documents.",
    ),
    Entry(
        name="pending_maintenance",
        method="pending_maintenance",
        scope="read",
        description="Which upkeep is due, and how much waits for it.",
    ),
    # -- write ----------------------------------------------------------------------------------------------------
    Entry(
        name="write_fact",
        method="write",
        scope="write",
        description="Remember a fact. Search first: when something like it is there, use update_fact for a correction "
        "of wording and supersede for what has changed in the world.",
        parameters=_FACT,
        limits={"title": _TEXT, "source_type": _STATED_BY},
        required=("title",),
    ),
    Entry(
        name="update_fact",
        method="update_fact",
        scope="write",
        description="Change the fields of a fact that are named, and no other; null clears one. Facts that a document "
        "states cannot be changed.",
        parameters={"node_id": "The id of the fact."} | _FACT,
        limits={"title": _TEXT, "source_type": _STATED_BY},
    ),
    Entry(
        name="supersede",
        method="supersede",
        scope="write",
        description="From a moment on let a new fact hold in the place of an old one, which stays as what was true "
        "before. Use it when something has changed.",
        parameters={
            "node_id": "The id of the old fact.",
            "title": _FACT["title"],
            "body": _FACT["body"],
            "tags": _FACT["tags"],
            "confidence": _FACT["confidence"],
            "valid_from": "From when the new fact holds; now when left out.",
        },
        limits={
            "title": _TEXT,
            "body": _TEXT,
            "tags": {"type": "array", "items": {"type": "string"}},
            "confidence": {"type": "string", "enum": ["certain", "inferred", "tentative"]},
        },
        required=("title", "body"),
        adapt=_successor,
    ),
    Entry(
        name="write_event",
        method="write",
        scope="write",
        description="Note that something happened. Facts are made of events later.",
        parameters={
            "summary": "What happened, in one or two sentences.",
            "event_type": "What kind of thing it is.",
            "related_node_id": "The id of the fact it is about.",
        },
        limits={
            "summary": _TEXT | {"maxLength": 4_000},
            "event_type": {"type": "string", "enum": ["observation", "decision", "action", "outcome"]},
            "related_node_id": {"type": "string"},
        },
        required=("summary",),
        adapt=_event,
    ),
    Entry(
        name="add_task",
        method="add_task",
        scope="write",
        description="Remember something that is to be done.",
        parameters=_TASK,
        limits={"description": _TEXT, "priority": {"minimum": 0, "maximum": 10}},
    ),
    Entry(
        name="update_task",
        method="update_task",
        scope="write",
        description="Change the fields of a task that are named, and no other; null clears one.",
        parameters={"task_id": "The id of the task."} | _TASK,
        limits={"description": _TEXT, "priority": {"minimum": 0, "maximum": 10}},
    ),
    Entry(
        name="ingest_document",
        method="ingest_document",
        scope="write",
        description="Take a text in as a document: it becomes searchable, and its facts and relations are extracted. "
        "The same source_ref again replaces the earlier text.",
        parameters={"source_ref": "A name for the document, for example a path.", "text": "The whole text."},
        limits={"source_ref": _TEXT, "text": _TEXT},
    ),
    # -- maintain -------------------------------------------------------------------------------------------------
    Entry(
        name="run_librarian",
        method="run_librarian",
        scope="maintain",
        description="Make facts and tasks of the events that were not read yet.",
        parameters={"dry_run": _DRY_RUN},
    ),
    Entry(
        name="run_heal",
        method="run_heal",
        scope="maintain",
        description="Look over old facts: contradictions, duplicates, what is stale or nothing rests on. What the user "
        "stated is never deleted.",
        parameters={"dry_run": _DRY_RUN},
    ),
    Entry(
        name="run_ontology_backfill",
        method="run_ontology_backfill",
        scope="maintain",
        description="Give types of the ontology to facts that have none.",
        parameters={"dry_run": _DRY_RUN},
    ),
    Entry(
        name="run_reembed",
        method="run_reembed",
        scope="maintain",
        description="Make missing and outdated vectors, so that search by meaning finds everything.",
        parameters={"dry_run": _DRY_RUN},
    ),
    Entry(
        name="suggest_merges",
        method="suggest_merges",
        scope="maintain",
        description="Which entities may be one thing under two names: pairs, likeliest first, with their ids and what "
        "speaks for and against it. Changes nothing.",
        parameters={
            "min_score": "How likely at least, 0 to 1; 0.6 unless told.",
            "limit": "How many pairs at most.",
            "types": "Only entities of these types.",
        },
        limits={"min_score": {"minimum": 0, "maximum": 1}, "limit": _FEW},
    ),
    Entry(
        name="merge_entities",
        method="merge_entities",
        scope="maintain",
        description="Make entities part of another that is the same thing: what is said of them is said of it from now "
        "on. Only where you are sure; undo_merge takes it back.",
        parameters={
            "into": "The id of the entity that stays, or its name.",
            "others": "The ids or names of those that become part of it.",
            "reason": "Why they are one.",
        },
        limits={"into": _TEXT},
    ),
    Entry(
        name="reject_merge",
        method="reject_merge",
        scope="maintain",
        description="Remember that two entities are two things, so that they are not suggested again.",
        parameters={"first": "The id or name of the one.", "second": "The id or name of the other."},
        limits={"first": _TEXT, "second": _TEXT},
    ),
    Entry(
        name="undo_merge",
        method="undo_merge",
        scope="maintain",
        description="Take an entity out of the one that it was merged into, with all that is its own.",
        parameters={"merged_id": "The id or name of the one that was merged."},
        limits={"merged_id": _TEXT},
    ),
    Entry(
        name="run_pending_maintenance",
        method="run_pending_maintenance",
        scope="maintain",
        description="Run whatever upkeep is due.",
    ),
    # -- forget --------------------------------------------------------------------------------------------------
    Entry(
        name="run_prune",
        method="run_prune",
        scope="forget",
        description="Remove for good what was deleted longer ago than it is kept.",
        parameters={"dry_run": _DRY_RUN},
    ),
    Entry(
        name="forget",
        method="forget",
        scope="forget",
        description="Delete one fact, one task, or a document with all that rests on it alone. Only when the user asks "
        "for it; what has merely changed is superseded.",
        parameters={
            "node_id": "The id of a fact or another node.",
            "task_id": "The id of a task.",
            "source_ref": "The name of a document.",
            "dry_run": _DRY_RUN,
        },
    ),
)
