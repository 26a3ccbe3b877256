"""A wiki with one of everything a dump carries."""

from __future__ import annotations

import pytest

from lorelite import Wiki
from lorelite.models import HashEmbedder

NS = "class"
CAROL = "Ebenezer Scrooge was the partner of Jacob Marley. Bob Cratchit works for Scrooge in London.\n"


@pytest.fixture
def full(open_wiki, clock) -> Wiki:
    """Documents, chunks, aliases, support, citations, facts with windows and trust, tasks, events, types, vectors."""
    wiki = open_wiki(embedder=HashEmbedder(32))
    wiki.ingest_document(NS, source_ref="carol.txt", text=CAROL)
    wiki.ingest_document(NS, source_ref="stave two/Geist.txt", text="Jacob Marley was dead. Scrooge knew it.\n")
    clock.tick()
    wiki.upsert_graph(
        NS,
        source_ref="src/a.ts",
        source_hash="a" * 64,
        nodes=[{"id": "fn,a", "type": "function", "title": "a", "tags": ["x", "y"]}, {"id": "fn b", "title": "b"}],
        edges=[{"type": "calls", "source_id": "fn,a", "target_id": "fn b", "weight": 0.5, "description": "once"}],
    )
    wiki.write(NS, title="Tide gauge", body='Olga reads it.\n"Daily" \\ 🦉', node_id="gauge", tags=["sea"])
    wiki.write(NS, title="Old gauge", body="Broken.", node_id="old")
    wiki.supersede(NS, node_id="old", by="gauge")
    wiki.write(NS, event={"event_type": "decision", "summary": "Moved the gauge", "related_node_id": "gauge"})
    wiki.add_task(NS, description="Grease the slip", priority=3)
    wiki.set_ontology(NS, {"node_types": [{"type": "function"}], "edge_types": []}, mode="emergent")
    wiki.sync_search_index(NS)
    return wiki
