"""The one table of tools: which method each calls, what an agent needs for it, and what the model is told."""

from __future__ import annotations

from typing import Any

from lorelite.strategies.strategy import STRATEGY_NAMES
from lorelite.tools.entry import FEW, TEXT, Entry
from lorelite.tools.upkeep import UPKEEP


def _event(given: dict[str, Any]) -> dict[str, Any]:
    return {"event": given}


def _successor(given: dict[str, Any]) -> dict[str, Any]:
    named = {"node_id", "valid_from"}
    kept = {name: value for name, value in given.items() if name in named}
    return kept | {"by": {name: value for name, value in given.items() if name not in named}}


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
        limits={"max_results": FEW},
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
        limits={"question": TEXT, "strategy": {"enum": list(STRATEGY_NAMES)}},
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
            "query": TEXT,
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
        limits={"query": TEXT, "max_results": FEW},
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
        limits={"limit": FEW},
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
        limits={"limit": FEW},
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
        limits={"title": TEXT, "source_type": _STATED_BY},
        required=("title",),
    ),
    Entry(
        name="update_fact",
        method="update_fact",
        scope="write",
        description="Change the fields of a fact that are named, and no other; null clears one. Facts that a document "
        "states cannot be changed.",
        parameters={"node_id": "The id of the fact."} | _FACT,
        limits={"title": TEXT, "source_type": _STATED_BY},
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
            "title": TEXT,
            "body": TEXT,
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
            "summary": TEXT | {"maxLength": 4_000},
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
        limits={"description": TEXT, "priority": {"minimum": 0, "maximum": 10}},
    ),
    Entry(
        name="update_task",
        method="update_task",
        scope="write",
        description="Change the fields of a task that are named, and no other; null clears one.",
        parameters={"task_id": "The id of the task."} | _TASK,
        limits={"description": TEXT, "priority": {"minimum": 0, "maximum": 10}},
    ),
    Entry(
        name="ingest_document",
        method="ingest_document",
        scope="write",
        description="Take a text in as a document: it becomes searchable, and its facts and relations are extracted. "
        "The same source_ref again replaces the earlier text.",
        parameters={"source_ref": "A name for the document, for example a path.", "text": "The whole text."},
        limits={"source_ref": TEXT, "text": TEXT},
    ),
    *UPKEEP,
)
