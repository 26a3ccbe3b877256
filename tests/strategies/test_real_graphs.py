"""G9, and every strategy on graphs that a pipeline built: in a file and in three stores, with vectors and without."""

import pytest

from lorelite import (
    SearchPrerequisiteError,
    Wiki,
    chunk_entity_generation,
    create_graph,
    entity_community_generation,
    hypothetical_question_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
    similar_chunk_connection,
)
from lorelite.models import HashEmbedder, ScriptedModel
from lorelite.strategies.factories import (
    STRATEGIES,
    entity_enhanced_search,
    local_community_search,
    naive_search,
    pagerank_search,
)

COMPANY = {
    "news.md": "Brightwater Turbines was bought by Halden Group in 2021. The price was not told.",
    "people.md": "Halden Group is led by Marta Quist. Marta Quist lives in Ostrava and sails.",
    "works.md": "The Ostrava works of Halden Group build gearboxes. Gearboxes from Ostrava go to the port of Gdynia.",
    "port.md": "The port of Gdynia is run by Piotr Zielinski. Piotr Zielinski was a captain before.",
    "turbines.md": "Brightwater Turbines makes small turbines for rivers. Its founder is Edwin Lowe.",
    "founder.md": "Edwin Lowe studied in Bergen under Ingrid Solheim. Edwin Lowe plays the viola.",
}
PIPELINE = (
    chunk_entity_generation(),
    entity_community_generation(),
    similar_chunk_connection(threshold=0.01),
    hypothetical_question_generation(),
)
TWO_DOCUMENTS = "Who leads the group that bought Brightwater Turbines?"
QUESTIONS = (TWO_DOCUMENTS, "Who is Edwin Lowe?", "Where do gearboxes from Ostrava go?")


@pytest.fixture(scope="module", params=["file by words", "file by vectors", "stores"])
def graph(request):
    stores = {
        "graph_store_factory": in_memory_graph,
        "vector_store_factory": in_memory_vector,
        "kv_store_factory": in_memory_kv,
    }
    provider = lexical_graph(**(stores if request.param == "stores" else {}), pipeline=PIPELINE)
    embedding = None if request.param == "file by words" else HashEmbedder()
    with create_graph(graph=provider, embedding=embedding).blocking() as graph:
        graph.insert([{"id": id, "content": text} for id, text in COMPANY.items()])
        yield graph


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_finds_something_and_cites_to_the_letter(graph, name):
    for question in QUESTIONS:
        result = graph.query(question, search=name)
        assert not result.context.is_empty and result.context.tokens <= 16_384
        assert result.text and result.usage.calls == 0
        assert [chunk.content for chunk in result.context.chunks] == [
            row["content"] for row in result.context.tables.get("Sources", ())
        ]
        for sentence in result.sentences:
            for citation in sentence.citations:
                assert citation.quote == COMPANY[citation.source_ref][citation.start : citation.end] != ""
        assert graph.query(question, search=name) == result


def test_g9_what_stands_in_two_documents_is_found_over_the_graph_and_not_by_the_best_chunk(graph):
    naive = graph.query(TWO_DOCUMENTS, search=naive_search(top_k=1), only_context=True).context.text
    assert "Marta Quist" not in naive
    for search in (
        entity_enhanced_search(top_k=1),
        local_community_search(top_k=3),
        pagerank_search(top_k=1),
    ):
        text = graph.query(TWO_DOCUMENTS, search=search, only_context=True).context.text
        assert "Halden Group" in text and "Marta Quist" in text, search.name


def test_without_a_model_the_whole_is_told_by_quotes_from_the_reports(graph):
    result = graph.query("What are the main themes?", search="global_community")
    assert result.answered and "No model read the reports" in result.text
    assert any(sentence.citations for sentence in result.sentences)


def test_a_stream_of_the_blocking_twin_yields_the_same_text(graph):
    stream = graph.stream(TWO_DOCUMENTS, search="entity_enhanced")
    assert "".join(stream) == stream.result.text == graph.query(TWO_DOCUMENTS, search="entity_enhanced").text


# -- ask ----------------------------------------------------------------------------------------------------------

NS = "company"


@pytest.fixture
def company(wiki):
    for ref, text in COMPANY.items():
        wiki.ingest_document(NS, source_ref=ref, text=text)
    return wiki


def check(wiki, answer):
    for sentence in answer.sentences:
        for citation in sentence.citations:
            document = next(each for each in wiki.list_source_refs(NS) if each.id == citation.document_id)
            assert document.source_ref == citation.source_ref
            assert citation.quote == COMPANY[citation.source_ref][citation.start : citation.end]


@pytest.mark.parametrize("name", ["naive", "entity_enhanced", "pagerank", "dual_level", "auto"])
def test_ask_searches_what_was_ingested_by_a_strategy(company, name):
    answer = company.ask(NS, "Who runs the port of Gdynia?", strategy=name)
    assert answer.answered and "Piotr Zielinski" in answer.text and answer.sources
    assert all(sentence.citations for sentence in answer.sentences)
    check(company, answer)


def test_ask_refuses_a_strategy_that_lacks_what_it_reads(company):
    with pytest.raises(SearchPrerequisiteError, match="entityCommunityGeneration"):
        company.ask(NS, "Who?", strategy="global_community")


def test_ask_finds_facts_beside_the_chunks_of_a_strategy(company):
    company.write(NS, title="Harbour master of Gdynia", body="Since May it is Olga Reed.")
    answer = company.ask(NS, "Who is harbour master of Gdynia?", strategy="naive")
    assert "Olga Reed" in answer.text


def test_ask_answers_questions_about_the_whole_from_reports_where_there_are_any(company):
    question = "What are the main themes?"
    before = company.ask(NS, question)
    company.graph(NS, pipeline=PIPELINE[:2]).build()
    answer = company.ask(NS, question)
    assert "No model read the reports" in answer.text and "No model" not in before.text
    assert answer == company.ask(NS, question, strategy="global_community")
    assert any(sentence.citations for sentence in answer.sentences)
    check(company, answer)


def test_ask_shows_a_model_the_tables_of_a_strategy_beside_the_sources():
    model = ScriptedModel({"answer": '{"answered": false, "sentences": []}'})
    with Wiki.open(":memory:") as plain:
        for ref, text in COMPANY.items():
            plain.ingest_document(NS, source_ref=ref, text=text)
        data = plain.export_dump(NS)
    with Wiki.open(":memory:", model=model) as wiki:
        wiki.import_dump(data)
        wiki.ask(NS, TWO_DOCUMENTS, strategy="entity_enhanced")
        (request,) = model.requests
        assert "-----Entities-----\nid,entity,type" in request.user and "-----Sources-----" not in request.user
        assert "Source 1" in request.user
        wiki.ask(NS, TWO_DOCUMENTS)
        assert "-----Entities-----" not in model.requests[1].user
