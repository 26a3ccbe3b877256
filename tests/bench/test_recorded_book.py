import json

from bench.recorded_book import (
    Entity,
    Extraction,
    RecordedBookModel,
    Relation,
    as_reply,
    assign,
    merged,
    parse_recording,
    parse_reply,
)

from lorelite import Wiki

REPLY = (
    '("entity"<|>"Mole"<|>"animal"<|>"Mole (of the river) digs.")##\n'
    '## ("entity"<|>"Rat"<|>"animal"<|>"Rat rows.") ##\n'
    '("relationship"<|>"Mole"<|>"Rat"<|>"Mole visits Rat."<|>8)##\n'
    '("relationship"<|>"Rat"<|>"Toad"<|>"No strength."|>8)<|COMPLETE|>'
)


def named(*names):
    return Extraction(tuple(Entity(name, "thing", "") for name in names), ())


def test_entities_and_relations_are_read_and_what_cannot_be_read_is_kept_apart():
    found = parse_reply(REPLY)
    assert found.entities == (
        Entity("Mole", "animal", "Mole (of the river) digs."),
        Entity("Rat", "animal", "Rat rows."),
    )
    assert found.relations == (Relation("Mole", "Rat", "Mole visits Rat.", 8.0),)
    assert len(found.unreadable) == 1
    assert found.names == {"Mole", "Rat"}


def test_a_recording_is_sorted_into_extractions_reports_and_prose():
    recording = {"a": {"return": REPLY}, "b": {"return": '{"title": "x"}'}, "c": {"return": "Some prose."}}
    book = parse_recording(json.dumps(recording))
    assert (len(book.extractions), book.reports, book.prose) == (1, 1, 1)


def test_a_reply_goes_to_the_chunk_that_names_most_of_its_entities():
    chunks = ["Mole digs near Badger.", "Rat and Mole row.", "Nobody is here."]
    placed, homeless = assign([named("Mole", "Rat"), named("badger"), named("Weasel")], chunks)
    assert placed == {1: [named("Mole", "Rat")], 0: [named("badger")]}
    assert homeless == [named("Weasel")]


def test_a_tie_goes_to_the_chunk_with_the_rarer_names():
    chunks = ["Mole and Rat.", "Mole and Otter.", "Mole and Rat again."]
    placed, _ = assign([named("Mole", "Rat", "Otter")], chunks)
    assert list(placed) == [1]


def test_rounds_about_one_chunk_are_merged_and_the_first_description_stays():
    first = Extraction((Entity("Mole", "animal", "digs"),), (Relation("Mole", "Rat", "visits", 8.0),))
    second = Extraction((Entity("Mole", "animal", "sings"), Entity("Rat", "animal", "rows")), ())
    assert merged([first, second]) == Extraction((first.entities[0], second.entities[1]), first.relations)


def test_a_reply_is_in_the_form_that_the_extraction_prompt_asks_for():
    found = json.loads(as_reply(parse_reply(REPLY)))
    assert found["entities"][1] == {"name": "Rat", "type": "animal", "description": "Rat rows.", "aliases": []}
    assert found["relations"] == [
        {"source": "Mole", "target": "Rat", "type": "related_to", "description": "Mole visits Rat.", "weight": 0.8}
    ]


def test_the_recorded_model_fills_the_graph_and_accounts_for_every_record():
    text = "Mole digs. Rat rows. Mole visits Rat on the river."
    model = RecordedBookModel(parse_recording(json.dumps({"a": {"return": REPLY}, "b": {"return": "Prose."}})), [text])
    with Wiki.open(":memory:", model=model) as wiki:
        report = wiki.ingest_document("book", source_ref="book.txt", text=text)
        titles = {node.title for node in wiki.read("book", "Mole Rat", kinds=("entity",)).facts}
    assert report.failures == ()
    assert titles == {"Mole", "Rat"}
    account = model.account()
    assert (account["recorded_extractions"], account["recorded_prose_unused"]) == (1, 1)
    assert (account["unreadable_records"], account["unknown_requests"]) == (1, 0)
