"""Edges to what another part of the document tells of, whatever happens between the two."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from lorelite import Diagnostic, Hooks, ModelError, Wiki, WikiConfig
from lorelite.models import ScriptedModel
from lorelite.ports import ModelRequest

NS = "team"
PEOPLE: dict[str, Any] = {
    "node_types": [{"type": "person"}],
    "edge_types": [{"type": "knows", "source_type": "person", "target_type": "person"}],
}
FIRST, SECOND = "Jane knows Bob and Zoe. " * 8, "Bob lives here. " * 12
TEXT = f"{FIRST}\n\n{SECOND}"


def fact(title: str, *known: str) -> dict[str, Any]:
    edges = [{"edge_type": "knows", "target_title": name} for name in known]
    return {"title": title, "body": f"{title} is told of.", "okf_type": "person", "edges": edges}


def reader(failing: list[str]) -> ScriptedModel:
    """Tells of Jane in the first part and of Bob in the second; does not answer for one that *failing* names."""

    def answer(request: ModelRequest) -> Any:
        passage = request.user.partition("The passage:")[2]
        name = "Jane" if "Jane" in passage else "Bob"
        if name in failing:
            return ModelError("no answer")
        return json.dumps({"facts": [fact("Jane", "Bob", "Zoe") if name == "Jane" else fact("Bob")]})

    return ScriptedModel({"extract": answer})


def open_reader(open_wiki: Callable[..., Wiki], failing: list[str], told: list[Diagnostic], **options: Any) -> Wiki:
    config = WikiConfig(chunk_chars=200, chunk_overlap=0, **options)
    wiki = open_wiki(model=reader(failing), hooks=Hooks(on_diagnostic=told.append), config=config)
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    return wiki


def known(wiki: Wiki) -> list[tuple[str, str]]:
    rows = wiki._wiki._engine.store.db.rows(
        """
        select s.title, t.title from edge e join node s on s.id = e.source_id join node t on t.id = e.target_id
         where e.edge_type = 'knows' and s.deleted_at is null and t.deleted_at is null order by 1, 2"""
    )
    return [tuple(row) for row in rows]


def waiting(wiki: Wiki) -> Sequence[Any]:
    return wiki._wiki._engine.store.db.rows("select * from waiting_edge")


def dropped(told: Sequence[Diagnostic]) -> list[str]:
    return [each.detail["reason"] for each in told if each.code == "edge_dropped"]


def test_a_part_that_failed_is_waited_for_until_it_is_read(open_wiki: Callable[..., Wiki]):
    failing, told = ["Bob"], []
    wiki = open_reader(open_wiki, failing, told)
    report = wiki.ingest_document(NS, source_ref="d", text=TEXT)
    assert (report.status, known(wiki), report.edges_left_out, dropped(told)) == ("partial", [], 0, [])
    assert len(waiting(wiki)) == 2
    failing.clear()
    report = wiki.ingest_document(NS, source_ref="d", text=TEXT)
    assert (report.status, known(wiki)) == ("ingested", [("Jane", "Bob")])
    assert (report.edges_left_out, dropped(told)) == (1, ["target_not_found"]) and not waiting(wiki)


def test_what_waits_goes_with_its_document(open_wiki: Callable[..., Wiki]):
    wiki = open_reader(open_wiki, ["Bob"], [])
    wiki.ingest_document(NS, source_ref="d", text=TEXT)
    wiki.forget(NS, source_ref="d")
    assert not waiting(wiki)


def test_a_fact_that_went_meanwhile_waits_no_more(open_wiki: Callable[..., Wiki]):
    failing: list[str] = ["Bob"]
    wiki = open_reader(open_wiki, failing, [])
    wiki.ingest_document(NS, source_ref="d", text=TEXT)
    wiki._wiki._engine.store.nodes.delete(NS, [_id(wiki, "Jane")])
    failing.clear()
    assert wiki.ingest_document(NS, source_ref="d", text=TEXT).status == "ingested"
    assert known(wiki) == [] and not waiting(wiki)


def test_a_new_version_joins_its_own_facts_and_not_those_it_replaces(open_wiki: Callable[..., Wiki]):
    wiki = open_reader(open_wiki, [], [])
    wiki.ingest_document(NS, source_ref="d", text=TEXT)
    wiki.ingest_document(NS, source_ref="d", text=TEXT + "\n")
    assert known(wiki) == [("Jane", "Bob")]
    [graph_edge] = wiki.traverse_graph(NS, source_id=_id(wiki, "Jane"), max_depth=1, edge_types=["knows"]).edges
    assert graph_edge.target_id == _id(wiki, "Bob")


def _id(wiki: Wiki, title: str) -> str:
    [found] = [each for each in wiki.read(NS, title, kinds=("fact",)).facts if each.title == title]
    return found.id
