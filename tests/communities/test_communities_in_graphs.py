"""Communities and reports where graphs are really kept: a Lorelite file, and three stores."""

import json
import re

import pytest

from lorelite import (
    Wiki,
    chunk_entity_generation,
    create_graph,
    entity_community_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
)
from lorelite.models import HashEmbedder, ScriptedModel

RIVER = "Mole met Rat. Rat met Otter. Otter met Mole."
HALL = "Toad met Badger. Badger met Ferret. Ferret met Toad."
BARN = "Hen met Goose. Goose met Pig. Pig met Hen."
MORE = "Badger met Stoat. Stoat met Toad. Ferret met Stoat."
PAIR = re.compile(r"(\w+) met (\w+)\.")


def extracted(request):
    pairs = PAIR.findall(request.user)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    records = [f'("entity"<|>{name}<|>person<|>{name} is an animal.)' for name in names]
    records += [f'("relationship"<|>{a}<|>{b}<|>{a} met {b}.<|>5)' for a, b in pairs]
    return "##\n".join([*records, "<|COMPLETE|>"])


def told(request):
    names = sorted(set(re.findall(r"^\d+,(\w+),person", request.user, re.MULTILINE)))
    return json.dumps({"title": " ".join(names), "summary": "They met.", "rating": 5, "findings": ["They met."]})


def model(report=told):
    return ScriptedModel({"extract_graph": extracted, "community_report": report})


def pipeline():
    return [chunk_entity_generation(max_gleanings=0), entity_community_generation()]


def of_reports(asked):
    return [request for request in asked.requests if request.purpose == "community_report"]


@pytest.fixture(params=["file", "stores"])
def graph_with(request, tmp_path):
    """A model → the graph, each time with what is there already."""
    if request.param == "file":
        provider = lexical_graph(path=tmp_path / "graph.sqlite", pipeline=pipeline())
    else:
        stores = in_memory_graph("ns"), in_memory_vector("ns"), in_memory_kv("ns")
        provider = lexical_graph(*(lambda _, store=store: store for store in stores), pipeline=pipeline())

    def make(asked):
        return create_graph(graph=provider, model=asked, embedding=HashEmbedder(32), namespace="ns").blocking()

    return make


def documents(**texts):
    return [{"id": id, "content": text} for id, text in texts.items()]


def titles(graph):
    return sorted(report.title for report in graph.reports())


def test_each_community_has_a_report_and_its_chunks(graph_with):
    with graph_with(model()) as graph:
        report = graph.insert(documents(river=RIVER, hall=HALL, barn=BARN))
        assert report.counters["entityCommunityGeneration"]["reports"] == 3
        assert titles(graph) == ["Badger Ferret Toad", "Goose Hen Pig", "Mole Otter Rat"]
        assert [(each.occurrence, len(each.chunk_ids)) for each in graph.communities()] == [(1.0, 1)] * 3
        assert {each.id for each in graph.communities()} == {each.community_id for each in graph.reports()}


def test_d9_a_new_document_asks_for_the_communities_that_it_changes_alone(graph_with):
    asked = model()
    with graph_with(asked) as graph:
        graph.insert(documents(river=RIVER, hall=HALL, barn=BARN))
        ids = {report.title: report.community_id for report in graph.reports()}
        asked.requests.clear()
        counters = graph.insert(documents(more=MORE)).counters["entityCommunityGeneration"]
        assert (counters["reports"], counters["reports_reused"], len(of_reports(asked))) == (1, 2, 1)
        assert titles(graph) == ["Badger Ferret Stoat Toad", "Goose Hen Pig", "Mole Otter Rat"]
        kept = {report.title: report.community_id for report in graph.reports()}
        assert {title: kept[title] for title in ("Goose Hen Pig", "Mole Otter Rat")}.items() <= ids.items()
        asked.requests.clear()
        graph.insert(documents(more=MORE, barn=BARN))
        assert asked.requests == []


def test_after_a_deletion_communities_and_reports_are_those_of_what_is_left(graph_with):
    asked = model()
    with graph_with(asked) as graph:
        graph.insert(documents(river=RIVER, hall=HALL, more=MORE))
        asked.requests.clear()
        graph.delete_documents(["river", "more"])
        assert titles(graph) == ["Badger Ferret Toad"]
        assert [set(each.entity_ids) for each in graph.communities()] == [{each.id for each in graph.entities()}]
        assert len(of_reports(asked)) == 1
        graph.delete_documents(["hall"])
        assert (graph.communities(), graph.reports()) == ([], [])


def test_what_a_deletion_leaves_is_what_an_insert_of_the_rest_gives(graph_with):
    with graph_with(model()) as graph:
        graph.insert(documents(river=RIVER, hall=HALL, barn=BARN, more=MORE))
        graph.delete_documents(["more", "barn"])
        left = graph.communities(), graph.reports()
        graph.drop()
        graph.insert(documents(river=RIVER, hall=HALL))
        assert (graph.communities(), graph.reports()) == left


def test_a_failed_report_is_made_by_the_next_insert_and_the_others_are_not_asked_for_again(graph_with):
    def fails(request):
        return OSError("down") if "Toad" in request.user else told(request)

    with graph_with(model(fails)) as graph:
        report = graph.insert(documents(river=RIVER, hall=HALL, barn=BARN), on_error="skip")
        assert [failure.reason for failure in report.failures] != []
        assert titles(graph) == ["Goose Hen Pig", "Mole Otter Rat"]
    asked = model()
    with graph_with(asked) as graph:
        graph.insert(documents(river=RIVER, hall=HALL, barn=BARN))
        assert titles(graph) == ["Badger Ferret Toad", "Goose Hen Pig", "Mole Otter Rat"]
        assert len(asked.requests) == 1


def test_documents_without_entities_or_with_one_make_no_communities(graph_with):
    asked = model()
    with graph_with(asked) as graph:
        report = graph.insert(documents(nothing="The wind blew.", one="Mole met Mole."))
        assert report.counters["entityCommunityGeneration"]["communities"] == 0
        assert (graph.communities(), graph.reports(), of_reports(asked)) == ([], [], [])


def test_without_a_model_reports_quote_the_documents(graph_with):
    text = "Ada Lovelace wrote to Charles Babbage about the engine. Charles Babbage showed the engine to Ada Lovelace."
    with graph_with(None) as graph:
        graph.insert(documents(letters=text))
        reports = graph.reports()
        assert reports and {report.origin for report in reports} == {"heuristic"}
        assert any("Ada Lovelace wrote to Charles Babbage about the engine." in report.text for report in reports)


def test_what_a_wiki_was_told_otherwise_is_part_of_the_communities():
    with Wiki.open(":memory:", model=model()) as wiki:
        wiki.upsert_graph(
            "ns",
            source_ref="crew.csv",
            source_hash="a" * 64,
            nodes=[{"id": name.lower(), "type": "person", "title": name} for name in ("Ada", "Ben", "Cleo")],
            edges=[{"type": "knows", "source_id": a, "target_id": b} for a, b in (("ada", "ben"), ("ben", "cleo"))],
        )
        graph = wiki.graph("ns", pipeline=pipeline())
        graph.insert(documents(river=RIVER))
        assert titles(graph) == ["Ada Ben Cleo", "Mole Otter Rat"]
