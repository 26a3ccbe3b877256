"""Every reading call of the public face, in its modes, and the file that they are tried on."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from lorelite import Wiki, chunk_entity_generation, entity_community_generation
from lorelite.call_records import Call

NS = "class"
QUERY = '"Heron Lock" keeper eels'
GOLD = [{"question": "Who keeps Heron Lock?", "gold": ["class/0.md"]}]
Read = Callable[[Wiki], Any]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def fill(wiki: Wiki, namespace: str, start: int, stop: int) -> None:
    """Documents, facts with edges, drafts, successions, tasks, events, calls, vectors; numbers tell them apart."""
    for number in range(start, stop):
        ref = f"{namespace}/{number}.md"
        text = (
            f"# Lock {number}\n\nHeron Lock {number} stands on the Wharfe. Ada Marsh has kept Heron Lock {number} "
            f"since 19{number % 90 + 10}.\n\nAda Marsh counts eels at Otter Weir {number} every May."
        )
        wiki.ingest_document(namespace, source_ref=ref, text=text)
        ids = [f"{namespace}-{number}-{part}" for part in range(4)]
        wiki.upsert_graph(
            namespace,
            source_ref=f"graph {number}",
            source_hash=digest(f"{namespace} {number}"),
            nodes=[{"id": id, "title": f"Keeper {id}", "body": f"keeps lock {number} and eels"} for id in ids],
            edges=[
                {"type": "next", "source_id": source, "target_id": target}
                for source, target in zip(ids, [*ids[1:], f"{namespace}-{max(number - 1, 0)}-0"], strict=True)
            ],
        )
        said = f"{namespace}-said-{number}"
        wiki.write(namespace, node_id=said, title=f"The lock keeper {number} is Ada", body="since spring")
        wiki.supersede(namespace, node_id=said, by={"title": f"The lock keeper {number} is Ben", "body": "now"})
        wiki.write(namespace, title=f"Perhaps lock {number} leaks", lifecycle="draft")
        wiki.add_task(namespace, description=f"oil the gates of lock {number}", task_id=f"{namespace}-task-{number}")
        wiki.write(namespace, event={"summary": f"The gates of lock {number} were oiled"})
        for model in ("script", "another"):
            asked = Call(namespace=namespace, purpose="answer", model=model, user=f"Who keeps {number}?", reply="Ada")
            wiki._wiki._engine.store.calls.record(asked)
    wiki.set_ontology(namespace, {"node_types": [{"type": "lock"}], "edge_types": []}, mode="emergent")
    wiki.sync_search_index(namespace)
    wiki.graph(namespace, pipeline=[chunk_entity_generation(), entity_community_generation()]).build()


READS: Mapping[str, Mapping[str, Read]] = {
    "ask": {"": lambda wiki: wiki.ask(NS, "Who keeps Heron Lock?")},
    "call_summary": {"": lambda wiki: wiki.call_summary(NS)},
    "diff": {"": lambda wiki: wiki.diff(NS, 0)},
    "evaluate": {"": lambda wiki: wiki.evaluate(NS, GOLD)},
    "export_dump": {"": lambda wiki: wiki.export_dump(NS)},
    "export_graph": {
        "": lambda wiki: wiki.export_graph(NS),
        "chunks": lambda wiki: wiki.export_graph(NS, "json", chunks=True),
    },
    "find_source_refs_by_hash": {"": lambda wiki: wiki.find_source_refs_by_hash(NS, source_hash=digest("class 1"))},
    "get_document": {"": lambda wiki: wiki.get_document(NS, "class/1.md")},
    "get_instructions": {"": lambda wiki: wiki.get_instructions(NS)},
    "get_memory_bundle": {"": lambda wiki: wiki.get_memory_bundle(NS)},
    "get_ontology": {"": lambda wiki: wiki.get_ontology(NS)},
    "get_outbox_events": {"": lambda wiki: wiki.get_outbox_events(namespace=NS)},
    "get_status": {"": lambda wiki: wiki.get_status(NS)},
    "graph": {
        "entities": lambda wiki: wiki.graph(NS).entities(),
        "relations": lambda wiki: wiki.graph(NS).relations(),
        "chunks": lambda wiki: wiki.graph(NS).chunks(),
        "communities": lambda wiki: wiki.graph(NS).communities(),
        "reports": lambda wiki: wiki.graph(NS).reports(),
        "stats": lambda wiki: wiki.graph(NS).stats(),
        "view": lambda wiki: wiki.graph(NS).view(1, max_nodes=20),
        "naive": lambda wiki: wiki.graph(NS).query(QUERY, search="naive"),
        "entities asked": lambda wiki: wiki.graph(NS).query(QUERY, search="entity_enhanced"),
        "local": lambda wiki: wiki.graph(NS).query(QUERY, search="local_community"),
        "global": lambda wiki: wiki.graph(NS).query(QUERY, search="global_community"),
        "pagerank": lambda wiki: wiki.graph(NS).query(QUERY, search="pagerank"),
        "auto": lambda wiki: wiki.graph(NS).query(QUERY),
        "streamed": lambda wiki: wiki.graph(NS).stream(QUERY).finish(),
    },
    "has_changed": {"": lambda wiki: wiki.has_changed(NS, source_ref="class/1.md", source_hash=digest("?"))},
    "history": {"": lambda wiki: wiki.history(NS, node_id="class-said-1")},
    "lint": {"": lambda wiki: wiki.lint(NS)},
    "list_calls": {"": lambda wiki: wiki.list_calls(NS)},
    "list_drafts": {"": lambda wiki: wiki.list_drafts(NS)},
    "list_merges": {"": lambda wiki: wiki.list_merges(NS)},
    "list_source_refs": {"": lambda wiki: wiki.list_source_refs(NS)},
    "list_tasks": {"": lambda wiki: wiki.list_tasks(NS)},
    "pagerank_search": {
        "": lambda wiki: wiki.pagerank_search(NS, QUERY),
        "explained": lambda wiki: wiki.pagerank_search(NS, QUERY, explain=True),
    },
    "pending_maintenance": {"": lambda wiki: wiki.pending_maintenance(NS)},
    "pending_sources": {"": lambda wiki: wiki.pending_sources(NS, sources=[("class/1.md", digest("?"))])},
    "read": {
        "keyword": lambda wiki: wiki.read(NS, QUERY, hybrid_weight=0),
        "semantic": lambda wiki: wiki.read(NS, QUERY, hybrid_weight=1),
        "hybrid": lambda wiki: wiki.read(NS, QUERY, hybrid_weight=0.7),
        "cosine": lambda wiki: wiki.read(NS, QUERY, hybrid_weight="cosine"),
        "default": lambda wiki: wiki.read(NS, QUERY),
        "misspelt": lambda wiki: wiki.read(NS, "Heorn keepr unheardof"),
        "empty": lambda wiki: wiki.read(NS, ""),
        "as_of": lambda wiki: wiki.read(NS, QUERY, as_of=1),
        "typed": lambda wiki: wiki.read(NS, QUERY, node_types=["lock"], exclude_drafts=True),
        "pre_filter": lambda wiki: wiki.read(NS, QUERY, pre_filter_limit=5),
        "list": lambda wiki: wiki.read([NS, "unknown"], QUERY, tier_weights={NS: 0.5}),
        "budget": lambda wiki: wiki.read(NS, QUERY, token_budget=50),
        "explained": lambda wiki: wiki.read(NS, QUERY, explain=True),
        "diverse": lambda wiki: wiki.read(NS, QUERY, diversity=0.5),
    },
    "shortest_path": {
        "": lambda wiki: wiki.shortest_path(NS, source_id="class-1-0", target_id="class-2-3"),
        "weighted": lambda wiki: wiki.shortest_path(NS, source_id="class-1-0", target_id="class-2-3", weighted=True),
    },
    "suggest_merges": {"": lambda wiki: wiki.suggest_merges(NS, min_score=0.1)},
    "traverse_graph": {
        "both": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3),
        "out": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3, direction="outbound"),
        "in": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3, direction="inbound"),
        "typed": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3, edge_types=["next"]),
        "weight": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3, order="weight"),
        "anchors": lambda wiki: wiki.traverse_graph(NS, source_id=["class-1-0", "class-3-2"], max_depth=2),
        "relevance": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", order="relevance", query=QUERY),
        "as_of": lambda wiki: wiki.traverse_graph(NS, source_id="class-1-0", max_depth=3, as_of=1_700_000_000_000),
    },
}
"""Method → mode → the call. Every call is about the one namespace NS."""

WHOLE_FILE: Mapping[str, Read] = {
    "diff_calls": lambda wiki: wiki.diff_calls("script", "another"),
    "estimate_ingest": lambda wiki: wiki.estimate_ingest(NS, source_ref="new.md", text="Marley was dead."),
    "export_calls": lambda wiki: wiki.export_calls(),
    "export_file": lambda wiki: wiki.export_file(),
    "get_call": lambda wiki: wiki.get_call(1),
    "list_namespaces": lambda wiki: wiki.list_namespaces(),
    "subscribe_status": lambda wiki: wiki.subscribe_status(NS, print)(),
}
"""Calls that read as well, but not (only) one namespace's rows."""

NOT_READS = {
    "add_task", "apply_outbox_events", "clear_calls", "close", "flush", "forget", "import_calls", "import_dump",
    "import_file", "import_graph", "import_graphrag", "import_llm_wiki", "import_replies", "ingest_document",
    "mark_outbox_events_processed", "merge_entities", "open", "promote_draft", "reject_merge", "resolve_duplicates",
    "restore", "run_heal",
    "run_librarian", "run_ontology_backfill", "run_pending_maintenance", "run_prune", "run_reembed",
    "set_ontologies", "set_ontology", "supersede", "sync_search_index", "transaction", "undo", "undo_merge",
    "update_fact", "update_task", "upsert_graph", "verify", "write",
}  # fmt: skip

CALLS = {f"{method} {mode}".strip(): call for method, modes in READS.items() for mode, call in modes.items()}


def unlisted() -> set[str]:
    """Public methods that stand in none of the tables."""
    public = {name for name, _ in inspect.getmembers(Wiki, callable) if not name.startswith("_")}
    return public ^ {*READS, *WHOLE_FILE, *NOT_READS}
