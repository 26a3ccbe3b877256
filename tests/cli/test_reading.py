"""lorelite search, ask, graph and status"""

from __future__ import annotations

import pytest

from lorelite import Answer, Graph, MemoryBundle, Status, Wiki
from lorelite.cli import arguments
from lorelite.models import ScriptedModel


def test_search_shows_title_snippet_and_place_of_each_hit(filled):
    outcome = filled("search", "every morning", "--kind", "chunk", "--limit", "1")
    title, snippet, place = outcome.out.splitlines()
    assert outcome.code == 0
    assert title.startswith("1. docs/gauges/heron.txt  (chunk, score ")
    assert snippet == "   Heron is the tide gauge on the slip. Tobias Oduya reads Heron every morning."
    assert place == "   docs/gauges/heron.txt:0-76"


def test_search_shows_the_part_of_a_long_text_that_fits(filled, folder):
    filler = "Nothing of interest happened on that day either. " * 20
    (folder / "long.txt").write_text(f"{filler}The kittiwakes came back in March. {filler}")
    filled("ingest", "long.txt")
    snippet = filled("search", "kittiwakes", "--limit", "1").out.splitlines()[1]
    assert snippet.startswith("   … The kittiwakes came back in March. Nothing of interest")
    assert len(snippet) < 300 and snippet.endswith(" …")


def test_search_as_json_is_the_memory_bundle(filled):
    found = filled("search", "tide gauge", "--json").json
    assert set(found) == set(MemoryBundle.__dataclass_fields__)
    first = found["facts"][0]
    assert found["fact_scores"][first["id"]] == max(found["fact_scores"].values())
    assert {"document_id", "source_ref", "start", "end", "quote"} == set(first["citations"][0])


def test_ask_numbers_its_citations_and_shows_their_places_and_quotes(filled):
    outcome = filled("ask", "Who is the skipper of Juniper?")
    assert outcome.code == 0
    first, *_ = outcome.out.splitlines()
    assert first == "Her skipper is Tobias Oduya. [1]"
    assert "[1] docs/boats.md:49-77\n    “Her skipper is Tobias Oduya.”\n" in outcome.out


def test_ask_as_json_is_the_answer_and_every_quote_is_its_span(filled, folder):
    answer = filled("ask", "Who is the skipper of Juniper?", "--json").json
    assert set(answer) == set(Answer.__dataclass_fields__)
    citations = [citation for sentence in answer["sentences"] for citation in sentence["citations"]]
    assert citations
    for citation in citations:
        text = (folder / citation["source_ref"]).read_text("utf-8")
        assert text[citation["start"] : citation["end"]] == citation["quote"]


def test_ask_looks_by_the_strategy_that_is_named(filled):
    outcome = filled("ask", "Who is the skipper of Juniper?", "--strategy", "entity_enhanced")
    assert outcome.code == 0 and "Her skipper is Tobias Oduya. [1]" in outcome.out
    refused = filled("ask", "What are the main themes?", "--strategy", "global_community")
    assert refused.code == 1 and "globalCommunitySearch needs chunkEntityGeneration" not in refused.err
    assert "entityCommunityGeneration" in refused.err
    assert filled("ask", "Who?", "--strategy", "clever").code == 2


def test_ask_says_when_the_documents_do_not_say(filled):
    outcome = filled("ask", "Which composer wrote the opera about volcanoes?")
    assert outcome.code == 0
    assert outcome.out == "The documents do not say.\n"


def test_ask_with_a_model_tells_what_it_cost(filled, monkeypatch):
    reply = (
        '{"answered": true, "sentences": [{"text": "Tobias Oduya is her skipper.",'
        ' "citations": [{"source": 1, "quote": "Her skipper is Tobias Oduya."}]}]}'
    )
    monkeypatch.setattr(arguments, "OpenAIModel", lambda **given: ScriptedModel({"answer": reply}))
    outcome = filled("ask", "Who is the skipper of Juniper?", "--model", "m", "--base-url", "http://localhost:1/v1")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "Tobias Oduya is her skipper. [1]"
    assert "“Her skipper is Tobias Oduya.”" in outcome.out
    assert "1 model call" in outcome.err


@pytest.mark.parametrize("title", ["Tobias Oduya", "tobias  oduya"])
def test_graph_starts_from_a_title(filled, title):
    outcome = filled("graph", title)
    assert outcome.code == 0
    assert "] Tobias Oduya (ID: entity_" in outcome.out.splitlines()[0]
    assert "Heron" in outcome.out


def test_graph_starts_from_an_id(filled):
    by_title = filled("graph", "Heron", "--json").json
    by_id = filled("graph", by_title["nodes"][0]["id"], "--json").json
    assert set(by_id) == set(Graph.__dataclass_fields__)
    assert by_id == by_title


def test_graph_goes_as_far_and_along_what_is_asked(folder, lorelite):
    with Wiki.open("lorelite.db") as wiki:
        wiki.upsert_graph(
            "main",
            source_ref="g",
            source_hash="0" * 64,
            nodes=[{"id": id, "title": id} for id in "abcd"],
            edges=[
                {"type": "calls", "source_id": "a", "target_id": "b"},
                {"type": "calls", "source_id": "b", "target_id": "c"},
                {"type": "owns", "source_id": "d", "target_id": "a"},
            ],
        )

    def nodes(*options: str) -> list[str]:
        return sorted(node["id"] for node in lorelite("graph", "a", "--json", *options).json["nodes"])

    assert nodes() == ["a", "b", "d"]
    assert nodes("--depth", "2") == ["a", "b", "c", "d"]
    assert nodes("--direction", "inbound") == ["a", "d"]
    assert nodes("--edge-type", "owns") == ["a", "d"]
    cut = lorelite("graph", "a", "--max-nodes", "2")
    assert "--max-nodes shows more" in cut.err


@pytest.fixture
def small_graph(folder, lorelite):
    with Wiki.open("lorelite.db") as wiki:
        wiki.upsert_graph(
            "main",
            source_ref="s",
            source_hash="a" * 64,
            nodes=[{"id": id, "title": f"The {id}"} for id in ("quay", "boat", "crew", "shed", "tool")],
            edges=[
                {"type": "has", "source_id": "quay", "target_id": "boat", "weight": 0.1},
                {"type": "has", "source_id": "boat", "target_id": "crew", "weight": 0.1},
                {"type": "near", "source_id": "shed", "target_id": "quay"},
                {"type": "holds", "source_id": "shed", "target_id": "tool"},
                {"type": "needs", "source_id": "crew", "target_id": "tool"},
            ],
        )
    return lorelite


def test_graph_sets_out_from_several_nodes_and_takes_what_fits_first(small_graph):
    nodes = small_graph("graph", "boat", "The shed", "--query", "tool", "--json").json["nodes"]
    assert [(node["id"], node["depth"]) for node in nodes][:3] == [("boat", 0), ("shed", 0), ("tool", 1)]
    assert {tuple(node["path"]) for node in nodes[2:]} == {("boat", "quay"), ("boat", "crew"), ("shed", "tool")}


def test_graph_to_a_node_prints_the_path(small_graph):
    assert small_graph("graph", "The quay", "--to", "The crew").out.splitlines() == [
        "The quay (ID: quay)",
        "  -[has]-> The boat (ID: boat)",
        "  -[has]-> The crew (ID: crew)",
    ]
    strong = small_graph("graph", "quay", "--to", "crew", "--weighted").out.splitlines()
    assert strong[1:] == [
        "  <-[near]- The shed (ID: shed)",
        "  -[holds]-> The tool (ID: tool)",
        "  <-[needs]- The crew (ID: crew)",
    ]
    assert [edge["edge_type"] for edge in small_graph("graph", "quay", "--to", "crew", "--json").json["edges"]] == [
        "has",
        "has",
    ]
    assert small_graph("graph", "quay", "--to", "crew", "--depth", "1").out == "no path\n"


@pytest.mark.parametrize(
    "options", [["quay", "--weighted"], ["quay", "boat", "--to", "crew"], ["quay", "--to", "crew", "--query", "x"]]
)
def test_graph_refuses_options_that_do_not_go_together(small_graph, options):
    outcome = small_graph("graph", *options)
    assert outcome.code != 0 and "--to" in outcome.err


def test_search_by_pagerank_shows_what_the_hits_lead_to(small_graph):
    found = small_graph("search", "quay", "--strategy", "pagerank", "--kind", "fact", "--json").json["facts"]
    assert found[0]["id"] == "quay" and len(found) == 5
    assert len(small_graph("search", "quay", "--kind", "fact", "--json").json["facts"]) == 1


def test_graph_of_an_unknown_node_suggests_near_ones(filled):
    outcome = filled("graph", "tide gauge reading")
    assert outcome.code == 1
    assert outcome.err.startswith("lorelite: node 'tide gauge reading' was not found; did you mean ")


def test_status_shows_every_namespace_with_its_documents(filled):
    filled("ingest", "docs/dog.md", "--namespace", "pets")
    lines = filled("status").out.splitlines()
    assert lines[0].startswith("lorelite.db: ")
    assert [line for line in lines if line in ("main", "pets")] == ["main", "pets"]
    assert any(line.startswith("  docs/boats.md ") and "78 characters" in line for line in lines)
    assert "pets" not in filled("status", "--namespace", "main").out


def test_status_as_json_is_a_status_for_each_namespace(filled):
    told = filled("status", "--json").json
    assert set(told) == {"path", "namespaces"}
    [main] = told["namespaces"]
    assert set(main) == set(Status.__dataclass_fields__)
    assert (main["namespace"], len(main["documents"]), main["read_only"]) == ("main", 4, True)


@pytest.mark.cpython_only
def test_what_reads_works_while_another_wiki_has_the_file_open_for_writing(filled):
    with Wiki.open("lorelite.db") as writer:
        writer.write("main", title="The slip was painted green")
        assert "painted" in filled("search", "painted").out
        assert filled("ask", "Who is the skipper of Juniper?").code == 0
        assert filled("graph", "Heron").code == 0
        assert filled("status").code == 0
        assert filled("ingest", "docs").code == 1


def test_a_document_cannot_steer_the_terminal(filled, folder):
    (folder / "evil.txt").write_text("The kittiwake \x1b[2J\x1b[31mwas \u202egnorw\u202c here.")
    filled("ingest", "evil.txt")
    for command in (("search", "kittiwake"), ("ask", "Where was the kittiwake?")):
        out = filled(*command).out
        assert "kittiwake" in out and "\x1b" not in out and "\u202e" not in out
