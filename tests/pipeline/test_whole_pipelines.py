"""The built-in processors together: killed anywhere, run again, the graph is the same."""

from __future__ import annotations

import pytest
from tests.pipeline.graphs import PLACES, Killed, Mortal, documents, insert_into

from lorelite import (
    chunk_entity_generation,
    entity_community_generation,
    similar_chunk_connection,
)
from lorelite.models.scripted import ScriptedModel
from lorelite.pipeline.processor import Processor
from lorelite.ports import ModelRequest

CAROL = documents(
    one="The partner of Ebenezer Scrooge was Jacob Marley.\nEvery week Ebenezer Scrooge paid Bob Cratchit.\n"
    "The son of Bob Cratchit is Tiny Tim.",
    two="At night Jacob Marley came to Ebenezer Scrooge.\nAt noon Fred Holywell visited Ebenezer Scrooge.",
)


def pipeline() -> list[Processor]:
    return [
        chunk_entity_generation(max_gleanings=0, batch_size=2),
        entity_community_generation(),
        similar_chunk_connection(threshold=0.1),
    ]


def extracted(request: ModelRequest) -> str:
    """The capitalised words of the text, each related to the first."""
    text = request.user.rsplit("Text", 1)[-1]
    names = [
        name
        for name in ("Ebenezer Scrooge", "Jacob Marley", "Bob Cratchit", "Tiny Tim", "Fred Holywell")
        if name in text
    ]
    records = [f'("entity"<|>{name}<|>person<|>{name} is told of in: {text.strip()[-40:]})' for name in names]
    records += [f'("relationship"<|>{names[0]}<|>{name}<|>They are together.<|>2)' for name in names[1:]]
    return "##".join(records) + "<|COMPLETE|>"


def model() -> ScriptedModel:
    report = '{"title": "Them", "summary": "All of them.", "rating": 5, "rating_explanation": "So.", "findings": []}'
    return ScriptedModel({"extract_graph": extracted, "summarise_entity": "A summary.", "community_report": report})


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("make_model", [model, lambda: None], ids=["model", "without a model"])
@pytest.mark.parametrize("name", PLACES)
def test_a4_a_run_killed_at_any_write_is_made_good_by_the_next_one(name, make_model, after):
    undisturbed = PLACES[name]()
    counting = Mortal(undisturbed.knowledge, 0, after=after)
    report = insert_into(undisturbed, CAROL, pipeline(), model=make_model(), knowledge=counting)
    assert report.counters["chunkEntityGeneration"]["entities"] == 5
    assert report.counters["entityCommunityGeneration"]["communities"] >= 1
    for ends_at in range(1, counting.writes + 1):
        place = PLACES[name]()
        with pytest.raises(Killed):
            insert_into(
                place, CAROL, pipeline(), model=make_model(), knowledge=Mortal(place.knowledge, ends_at, after=after)
            )
        insert_into(place, CAROL, pipeline(), model=make_model())
        assert place.dump() == undisturbed.dump(), f"killed at write {ends_at}"


@pytest.mark.parametrize("name", PLACES)
def test_a1_a_second_insert_changes_nothing_and_asks_no_model(name):
    place = PLACES[name]()
    insert_into(place, CAROL, pipeline(), model=model())
    before, asked = place.dump(), model()
    report = insert_into(place, CAROL, pipeline(), model=asked)
    assert (report.documents, report.counters, asked.requests) == (0, {}, [])
    assert place.dump() == before
