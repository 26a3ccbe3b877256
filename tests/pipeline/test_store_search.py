"""Vectors and words of a knowledge graph in three stores."""

from __future__ import annotations

from collections.abc import Sequence

from failing_stores import CAROL, SEQUEL, Stores, insert, scenario

from lorelite._drive import drive
from lorelite.models.hash_embedder import HashEmbedder


def test_an_embedder_that_comes_later_catches_up_on_everything():
    late, early = Stores(), Stores()
    scenario(late.knowledge())
    scenario(early.knowledge(HashEmbedder(64)))
    drive(late.knowledge(HashEmbedder(64)).embed_new())
    assert late.dump()[2] == {name: found for name, found in early.dump()[2].items() if found}


def test_what_is_written_without_an_embedder_is_embedded_by_the_next_that_has_one():
    stores = Stores()
    insert(stores.knowledge(HashEmbedder(64)), "carol", CAROL)
    insert(stores.knowledge(), "sequel", SEQUEL)
    hits = drive(stores.knowledge(HashEmbedder(64)).nearest("chunks", "Tiny Tim, the son", 1))
    assert drive(stores.knowledge().chunks([hits[0].id]))[0].content == SEQUEL.split("\n")[1]


def test_only_what_changed_is_embedded_again():
    asked: list[str] = []

    class Spy(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            asked.extend(texts)
            return await super().embed(texts)

    stores = Stores()
    insert(stores.knowledge(Spy(64)), "carol", CAROL)
    asked.clear()
    insert(stores.knowledge(Spy(64)), "sequel", "Marley came back.")
    assert sorted(asked) == ["Marley Marley of 34\nMarley of 17", "Marley came back."]
    asked.clear()
    drive(stores.knowledge(Spy(64)).embed_new())
    assert asked == []


def test_what_changes_while_the_embedder_works_is_embedded_afterwards():
    stores = Stores()
    insert(stores.knowledge(), "carol", CAROL)

    class Slow(HashEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            vectors = await super().embed(texts)
            if "Scrooge of 34" in " ".join(texts):
                await stores.knowledge(HashEmbedder(64)).put_summaries({"SCROOGE": "A zebra."})
            return vectors

    knowledge = stores.knowledge(Slow(64))
    drive(knowledge.embed_new())
    assert [hit.id for hit in drive(knowledge.nearest("entities", "a zebra", 5, min_score=0.3))] == ["SCROOGE"]


def test_a_text_without_words_has_no_vector_and_is_no_error():
    stores = Stores()
    knowledge = stores.knowledge(HashEmbedder(64))
    insert(knowledge, "marks", "?!\nScrooge.")
    marks, words = drive(knowledge.chunk_ids())
    assert [hit.id for hit in drive(knowledge.nearest("chunks", "Scrooge", 5))] == [words]
    assert drive(knowledge.nearest("chunks", "?!", 5)) == drive(knowledge.nearest_to_chunk(marks, 5)) == []


def test_words_are_kept_up_with_what_is_written_and_deleted():
    knowledge = Stores().knowledge()
    insert(knowledge, "carol", CAROL)
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 2
    insert(knowledge, "more", "Scrooge again.")
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 3
    drive(knowledge.delete_documents(["carol"]))
    assert len(drive(knowledge.nearest("chunks", "Scrooge", 5))) == 1
    assert [hit.id for hit in drive(knowledge.nearest("entities", "scrooge", 5))] == ["SCROOGE"]
    drive(knowledge.drop())
    assert drive(knowledge.nearest("chunks", "Scrooge", 5)) == []
