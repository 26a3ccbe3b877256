from bench.recorded_book import Entity, Extraction, Relation, assign, merged, parse_recording, parse_reply

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
    import json

    recording = {"a": {"return": REPLY}, "b": {"return": '{"title": "x"}'}, "c": {"return": "Some prose."}}
    book = parse_recording(json.dumps(recording))
    assert (len(book.extractions), book.reports, book.prose, book.unreadable) == (1, 1, 1, 1)


def test_a_reply_goes_to_the_chunk_that_names_most_of_its_entities():
    chunks = ["Mole digs near Badger.", "Rat and Mole row.", "Nobody is here."]
    placed, homeless = assign([named("Mole", "Rat"), named("badger"), named("Weasel")], chunks)
    assert placed == {1: [named("Mole", "Rat")], 0: [named("badger")]}
    assert homeless == 1


def test_a_tie_goes_to_the_chunk_with_the_rarer_names():
    chunks = ["Mole and Rat.", "Mole and Otter.", "Mole and Rat again."]
    placed, _ = assign([named("Mole", "Rat", "Otter")], chunks)
    assert list(placed) == [1]


def test_rounds_about_one_chunk_are_merged_and_the_first_description_stays():
    first = Extraction((Entity("Mole", "animal", "digs"),), (Relation("Mole", "Rat", "visits", 8.0),))
    second = Extraction((Entity("Mole", "animal", "sings"), Entity("Rat", "animal", "rows")), ())
    assert merged([first, second]) == Extraction((first.entities[0], second.entities[1]), first.relations)
