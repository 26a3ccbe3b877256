"""The two faces of a wiki: one body, the same calls, awaited or not."""

from __future__ import annotations

import inspect

import pytest

from lorelite import AsyncOnlyModel, AsyncWiki, InvalidOption, ModelError, NotFound, Wiki
from lorelite._drive import drive
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"
TEXT = "Heron Lock stands on the Wharfe. Ada Marsh has kept the lock since 1931."
PUBLIC = sorted(name for name in dir(AsyncWiki) if not name.startswith("_"))


def test_both_faces_have_the_same_methods():
    assert sorted(name for name in dir(Wiki) if not name.startswith("_")) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_both_faces_take_the_same_arguments_with_the_same_defaults(name):
    one, other = inspect.signature(getattr(AsyncWiki, name)), inspect.signature(getattr(Wiki, name))
    assert list(one.parameters.values()) == list(other.parameters.values())
    twin = {"AsyncWiki": "Wiki", "KnowledgeGraph": "BlockingKnowledgeGraph"}.get(str(one.return_annotation))
    assert str(other.return_annotation) == (twin or str(one.return_annotation))
    assert inspect.getdoc(getattr(AsyncWiki, name)) or name in ("list_namespaces",)


def test_everything_but_the_namespace_is_given_by_name():
    for name in PUBLIC:
        parameters = list(inspect.signature(getattr(Wiki, name)).parameters.values())
        free = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in ("self", "namespace")]
        assert free == [] or (name, free) in [
            ("read", ["query"]),
            ("pagerank_search", ["query"]),
            ("evaluate", ["questions"]),
            ("ask", ["question"]),
            ("get_document", ["source_ref"]),
            ("open", ["path"]),
            ("import_file", ["path", "data"]),
            ("export_dump", ["namespaces"]),
            ("subscribe_status", ["callback"]),
            ("set_ontologies", ["ontologies"]),
            ("set_ontology", ["manifest"]),
            ("import_dump", ["source"]),
            ("diff", ["t1", "t2"]),
            ("diff_calls", ["model_a", "model_b"]),
            ("export_calls", ["path"]),
            ("import_calls", ["source"]),
            ("get_call", ["call_id"]),
            ("restore", ["as_of"]),
            ("mark_outbox_events_processed", ["up_to"]),
            ("apply_outbox_events", ["events"]),
            ("import_llm_wiki", ["path"]),
            ("export_graph", ["format"]),
            ("import_graph", ["path"]),
            ("import_graphrag", ["path"]),
            ("import_replies", ["path"]),
            ("undo_merge", ["merged_id"]),
            ("reject_merge", ["first", "second"]),
        ]


def test_the_awaited_face_does_the_same(wiki, picture):
    async def scene() -> tuple[object, ...]:
        async with await AsyncWiki.open(":memory:") as twin:
            report = await twin.ingest_document(NS, source_ref="lock.txt", text=TEXT)
            bundle = await twin.read(NS, "Ada Marsh")
            graph = await twin.traverse_graph(NS, source_id=bundle.facts[0].id, max_depth=2)
            answer = await twin.ask(NS, "Who has kept the lock?")
            async with twin.transaction():
                await twin.write(NS, title="Eels", node_id="eels")
            await twin.flush()
            return report.entities, [node.id for node in bundle.facts], [node.id for node in graph.nodes], answer.text

    awaited = drive(scene())
    report = wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    bundle = wiki.read(NS, "Ada Marsh")
    graph = wiki.traverse_graph(NS, source_id=bundle.facts[0].id, max_depth=2)
    blocking = (report.entities, [n.id for n in bundle.facts], [n.id for n in graph.nodes])
    assert awaited == (*blocking, wiki.ask(NS, "Who has kept the lock?").text)


def test_a_function_may_be_the_model_and_another_the_embedder():
    def answer(system: str, user: str) -> str:
        return "The documents do not say."

    def vectors(texts: list[str]) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]

    with Wiki.open(":memory:", model=answer, embedder=vectors) as wiki:
        wiki.write(NS, title="Heron Lock")
        assert not wiki.ask(NS, "Where is Heron Lock?").answered
        assert wiki.get_status(NS).vectors == 1


@pytest.mark.parametrize("option", ["model", "embedder"])
def test_what_must_be_awaited_is_refused_by_the_blocking_face_before_a_file_is_made(tmp_path, option):
    async def later(*arguments: object) -> str:
        return ""

    with pytest.raises(AsyncOnlyModel, match="use AsyncWiki"):
        Wiki.open(tmp_path / "brain.db", **{option: later})
    assert list(tmp_path.iterdir()) == []


def test_a_function_that_raises_is_a_model_error_and_its_error_is_told():
    def broken(system: str, user: str) -> str:
        raise KeyError("no such deployment")

    with Wiki.open(":memory:", model=broken) as wiki:
        with pytest.raises(ModelError, match="no such deployment"):
            wiki.ingest_document(NS, source_ref="a", text=TEXT)
        assert wiki.get_document(NS, "a") == TEXT


def test_a_status_counts_what_is_there(open_wiki, tmp_path):
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder(32))
    report = wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    wiki.write(NS, title="Eels")
    wiki.write(NS, event={"summary": "high water"})
    wiki.write("other", title="Otters")
    status = wiki.get_status(NS)
    assert (status.chunks, status.facts - report.facts, status.entities) == (report.chunks, 1, report.entities)
    assert (status.edges, status.events, status.tasks) == (report.edges, 1, 0)
    assert status.vectors == status.chunks + status.facts + status.entities
    assert status.embedder == HashEmbedder(32).model_id
    assert status.path == str(tmp_path / "brain.db") and status.size_bytes > 0 and not status.read_only
    [info] = status.documents
    assert (info.source_ref, info.characters, info.chunks, info.status) == ("lock.txt", len(TEXT), 1, "complete")
    assert wiki.list_namespaces() == [NS, "other"]


def test_a_file_is_found_again_with_all_it_held(tmp_path, open_wiki, picture):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    before, scores = picture(wiki), wiki.read(NS, "Ada Marsh").fact_scores
    wiki.close()
    for _ in range(2):
        wiki = open_wiki(tmp_path / "brain.db")
        assert (picture(wiki), wiki.read(NS, "Ada Marsh").fact_scores) == (before, scores)
        wiki.close()


def test_a_document_that_is_not_there_is_named(wiki):
    wiki.write(NS, title="x")
    with pytest.raises(NotFound, match=r"document 'nowhere.txt'.*list_source_refs"):
        wiki.get_document(NS, "nowhere.txt")


def test_while_a_new_version_is_taken_in_the_document_is_still_the_old_one(open_wiki, clock):
    wiki = open_wiki(model=ScriptedModel({"extract": ['{"entities": [{"name": "Heron Lock"}]}']}))
    wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    clock.tick()
    with pytest.raises(ModelError, match="used up"):
        wiki.ingest_document(NS, source_ref="lock.txt", text="Another text about Heron Lock.")
    assert wiki.get_document(NS, "lock.txt") == TEXT


def test_a_fact_is_given_back_as_it_is_stored(wiki, clock):
    fact = wiki.write(
        NS, title="  Eels ", body="sleep", tags=["fish", "fish"], node_type="animal", confidence="tentative"
    )
    assert fact.id.startswith("fact_") and fact.title == "Eels" and fact.created_at == clock.now
    assert (fact.kind, fact.source_type, fact.node_type, fact.confidence) == (
        "fact", "user_stated", "animal", "tentative",
    )  # fmt: skip
    clock.tick()
    again = wiki.write(NS, title="Eels", node_id=fact.id)
    assert (again.id, again.body, again.created_at, again.updated_at) == (fact.id, "", fact.created_at, clock.now)
    assert len(wiki.get_memory_bundle(NS).facts) == 1


def test_events_come_newest_last_and_only_the_newest(wiki, clock):
    for number in range(15):
        wiki.write(NS, event={"summary": f"event {number}"})
        clock.tick()
    events = wiki.get_memory_bundle(NS).events
    assert [event.summary for event in events] == [f"event {number}" for number in range(5, 15)]
    assert events[0].event_type == "observation"


def test_a_memory_bundle_holds_every_fact_and_entity_but_no_chunk(wiki):
    wiki.ingest_document(NS, source_ref="lock.txt", text=TEXT)
    for number in range(30):
        wiki.write(NS, title=f"fact {number}")
    bundle = wiki.get_memory_bundle(NS)
    assert {node.kind for node in bundle.facts} <= {"fact", "entity"}
    assert len([node for node in bundle.facts if node.source_type == "user_stated"]) == 30


def test_an_option_that_does_not_exist_is_a_type_error_of_python_and_leaves_nothing(wiki):
    with pytest.raises(TypeError):
        wiki.write(NS, titel="x")
    with pytest.raises(InvalidOption):
        wiki.write(NS)
    assert wiki.list_namespaces() == []
