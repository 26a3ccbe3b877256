import re
from dataclasses import replace

import pytest
from small_graph import SmallKnowledge, engine

from lorelite._drive import drive
from lorelite.communities import without_model
from lorelite.communities.schema import named, views
from lorelite.communities.without_model import assembled, chunks_to_read
from lorelite.graph.hierarchy import Cluster
from lorelite.graph_records import GraphEntity, GraphRelation, TextChunk
from lorelite.pipeline.communities import entity_community_generation

RIVER = """Mole lived underground and knew nothing of boats at all.
Rat took Mole out on the river, where Otter swam beside them.
Did Mole ever meet Toad?
Toad lived in a great house and drove motor cars very badly.
The weather was fine that year."""
RIVERSIDE = ["Mole", "Rat", "Otter", "Toad"]


def chunk(id, text):
    return TextChunk(id=id, content=text, document_ids=("d",), order=0, start=0, end=len(text))


def view_of(texts, names, pairs, aliases=None, descriptions=None):
    """A view of one community over chunks c0, c1, …; each entity is told of by the chunks that hold its name."""
    chunks = [chunk(f"c{number}", text) for number, text in enumerate(texts)]
    entities = [
        GraphEntity(
            id=name,
            name=name,
            degree=sum(name in pair for pair in pairs),
            description=(descriptions or {}).get(name, ""),
            aliases=tuple((aliases or {}).get(name, ())),
            chunk_ids=tuple(each.id for each in chunks if name.lower() in each.content.lower()),
        )
        for name in names
    ]
    relations = [GraphRelation(source_id=a, target_id=b, source=a, target=b) for a, b in pairs]
    (community,) = named("ns", [Cluster("0", 0, tuple(names), None, (), True)], 1)
    (view,) = views([replace(community, chunk_ids=tuple(each.id for each in chunks))], entities, relations)
    return view, chunks


def test_the_summary_quotes_the_sentences_that_together_name_most_members_and_lists_the_names():
    view, chunks = view_of(
        [RIVER], ["Mole", "Rat", "Otter", "Toad"], [("Mole", "Rat"), ("Mole", "Otter"), ("Rat", "Toad")]
    )
    report = assembled(view, chunks)
    assert report.title == "Mole, Rat, Otter"
    assert report.origin == "heuristic" and not report.is_fallback
    quotes, names = report.summary.split("\n\n")
    assert names == "Mole, Rat, Otter, Toad"
    assert "Rat took Mole out on the river, where Otter swam beside them." in quotes
    assert "Toad lived in a great house and drove motor cars very badly." in quotes
    assert "Did Mole ever meet Toad?" not in quotes


def test_every_sentence_of_a_report_stands_in_a_chunk_word_for_word_and_once():
    view, chunks = view_of(
        [RIVER], ["Mole", "Rat", "Otter", "Toad"], [("Mole", "Rat"), ("Mole", "Otter"), ("Rat", "Toad")]
    )
    report = assembled(view, chunks)
    texts = [report.summary.split("\n\n")[0], *(finding.explanation for finding in report.findings)]
    quotes = [quote for text in texts for quote in re.split(r" \[…\] |(?<=[.?]) ", text)]
    assert quotes and all(quote in RIVER.split("\n") for quote in quotes)
    assert len(quotes) == len(set(quotes))


def test_findings_are_the_most_connected_members_with_their_neighbours_and_descriptions():
    view, chunks = view_of(
        [
            "Mole met Rat in the middle of the night.",
            "Mole slept. Rat is a poet of the very first rank. Rat rows. Mole dug deep holes. Rat sang.",
        ],
        ["Mole", "Rat", "Otter"],
        [("Mole", "Rat"), ("Rat", "Otter")],
        descriptions={"Otter": "A father of one.", "Rat": "Rat rows."},
    )
    findings = {finding.summary: finding.explanation for finding in assembled(view, chunks).findings}
    assert next(iter(findings)) == "Rat ↔ Mole, Otter"
    assert findings["Rat ↔ Mole, Otter"] == "Rat rows. […] Rat sang."
    assert findings["Otter ↔ Rat"] == "A father of one."


def test_adjacent_sentences_are_joined_and_others_show_that_something_is_left_out():
    text = (
        "Mole met Rat on the river bank in spring. Otter and Badger came along to see them. "
        "Nothing. Toad left with Hare."
    )
    names = ["Mole", "Rat", "Otter", "Badger", "Toad", "Hare"]
    view, chunks = view_of([text], names, [("Mole", "Rat")])
    assert assembled(view, chunks).summary.startswith(
        "Mole met Rat on the river bank in spring. Otter and Badger came along to see them. […] Toad left with Hare."
    )


@pytest.mark.parametrize("above", ["", "---\ntitle: Mole and Rat\nauthor: Otter\n---\n\n"])
def test_headings_and_front_matter_are_no_sentences_of_a_report(above):
    text = "# Mole and Rat\n\nMole met Rat by the river, and they became friends.\n\n## Rat\n\nRat wrote songs."
    texts = [above + text]
    view, chunks = view_of(texts, ["Mole", "Rat"], [("Mole", "Rat")])
    report = assembled(view, chunks)
    assert report.summary == "Mole met Rat by the river, and they became friends. […] Rat wrote songs."


@pytest.mark.parametrize(
    "data",
    [
        '{ "name": "Mole", "friend": "Rat", "other": "Otter and Toad, of whom much is told elsewhere in this book" }',
        "| Mole | Rat | Otter, Toad | friends of one another |",
        "name,friend,other,house\nMole,Rat,Otter,underground\nToad,Rat,Otter,the great hall of his fathers",
    ],
)
def test_items_of_a_list_are_quoted_without_their_marks_and_data_hardly_ever(data):
    texts = [
        data,
        "- Mole met Rat by the river one fine morning.\n- Otter met Toad by the river one fine morning.\n"
        "- Toad and Otter then went home to have their supper.",
    ]
    view, chunks = view_of(texts, RIVERSIDE, [("Mole", "Rat"), ("Otter", "Toad")])
    assert assembled(view, chunks).summary.split("\n\n")[0] == (
        "Mole met Rat by the river one fine morning. […] Otter met Toad by the river one fine morning."
        " […] Toad and Otter then went home to have their supper."
    )


def test_a_description_of_several_sentences_is_told_once():
    texts = ["Mole met Rat by the river, where they had lunch.", "Mole painted his house. Mole sang for hours, too."]
    told = {"Mole": "Mole met Rat by the river, where they had lunch.\nMole painted his house.\nShy and curious."}
    view, chunks = view_of(texts, ["Mole", "Rat"], [("Mole", "Rat")], descriptions=told)
    report = assembled(view, chunks)
    assert report.text.count("Mole painted his house.") == 1
    assert report.text.count("where they had lunch") == 1
    assert report.text.count("Shy and curious.") == 1


def test_no_space_is_put_between_sentences_of_a_script_without_spaces():
    view, chunks = view_of(["李明华管理青石水库。李秀兰在青石水库教书。"], ["李明华", "李秀兰"], [("李明华", "李秀兰")])
    assert assembled(view, chunks).summary == "李明华管理青石水库。李秀兰在青石水库教书。"


def test_names_are_found_whole_whatever_their_case_and_by_their_aliases():
    text = "RATTY AND MOLE WENT OUT IN THE BOAT. A ration of moles was eaten by the rattlesnake yesterday."
    view, chunks = view_of([text], ["Mole", "Rat"], [("Mole", "Rat")], aliases={"Rat": ["Ratty"]})
    assert assembled(view, chunks).summary.split("\n\n")[0] == "RATTY AND MOLE WENT OUT IN THE BOAT."


@pytest.mark.parametrize(
    ("text", "names", "quote"),
    [
        ("鼹鼠住在地下。河鼠带鼹鼠去河上划船。天气很好。", ["鼹鼠", "河鼠"], "河鼠带鼹鼠去河上划船。"),
        ("छछूँदर ज़मीन के नीचे रहता था। चूहा छछूँदर को नदी पर ले गया।", ["छछूँदर", "चूहा"], "चूहा छछूँदर को नदी पर ले गया।"),
        ("كان الخلد يعيش تحت الأرض. أخذ الجرذ الخلد إلى النهر.", ["الخلد", "الجرذ"], "أخذ الجرذ الخلد إلى النهر."),
        ("ตัวตุ่นอยู่ใต้ดิน หนูพาตัวตุ่นไปแม่น้ำ", ["ตัวตุ่น", "หนู"], "ตัวตุ่นอยู่ใต้ดิน หนูพาตัวตุ่นไปแม่น้ำ"),
        ("Крот жил под землёй. Рэт взял Крот на реку.", ["Крот", "Рэт"], "Рэт взял Крот на реку."),
    ],
)
def test_sentences_of_any_script_are_found(text, names, quote):
    view, chunks = view_of([text], names, [tuple(names)])
    report = assembled(view, chunks)
    assert quote in report.summary
    assert report.title == ", ".join(sorted(names))


def test_a_name_counts_only_where_a_chunk_was_found_to_tell_of_it():
    view, chunks = view_of(["河鼠在利亚。", "这是玛利亚派的教堂。"], ["利亚", "河鼠"], [("利亚", "河鼠")])
    entities = tuple(replace(each, chunk_ids=("c0",)) for each in view.entities)
    assert assembled(replace(view, entities=entities), chunks).summary == "河鼠在利亚。"


def test_the_chunks_that_tell_of_most_members_are_read_in_order_and_no_more_than_a_few(monkeypatch):
    monkeypatch.setattr(without_model, "MAX_CHUNKS", 2)
    view, _ = view_of(["Mole.", "Mole Rat Toad.", "Nobody.", "Mole Rat."], ["Mole", "Rat", "Toad"], [("Mole", "Rat")])
    assert chunks_to_read(view) == ["c1", "c3"]


def test_rating_grows_with_what_is_related_inside_and_stays_within_10():
    names = [f"N{number}" for number in range(60)]
    pair, _ = view_of(["N0 N1"], names[:2], [("N0", "N1")])
    many, _ = view_of(["N0"], names, [(a, b) for a in names[:30] for b in names[30:]])
    assert assembled(pair, []).rating == 2.0
    assert assembled(many, []).rating == 10.0


def test_without_any_text_the_names_are_told():
    view, _ = view_of([], ["Mole", "Rat"], [("Mole", "Rat")])
    report = assembled(view, [])
    assert (report.title, report.summary, report.findings) == ("Mole, Rat", "Mole, Rat", ())


def test_a_new_chunk_about_the_members_makes_the_report_anew_and_nothing_else_does():
    knowledge = SmallKnowledge()
    knowledge.add("c0", "Mole met Rat by the river one morning in spring.", "Mole-Rat")
    knowledge.add("c1", "Toad met Badger.", "Toad-Badger")
    processor = entity_community_generation()
    assert drive(processor.process(engine(knowledge), ()))["reports"] == 2
    knowledge.add("c2", "Mole and Rat had a picnic with cold chicken and ham.", "Mole", "Rat")
    counters = drive(processor.process(engine(knowledge), ()))
    assert (counters["reports"], counters["reports_reused"], counters["model_calls"]) == (1, 1, 0)
    assert any("picnic" in report.text for report in knowledge.report.values())


def test_a_report_is_prose_without_the_marks_of_the_documents_and_without_their_data():
    text = """From: Mole
To: Toad
Date: Monday

## Mole and [[Rat]]

3. **Mole** rowed with [[Rat|his friend Rat]] - and with [Toad](toad.md) - to the weir near `Toad Hall`.

| name | friend |
|------|--------|
| Mole | Toad |

{"name": "Mole", "friend": "Rat"}
Mole,Rat,Toad,Otter,weir,house
"""
    view, chunks = view_of(
        [text],
        ["Mole", "Rat", "Toad"],
        [("Mole", "Rat"), ("Mole", "Toad")],
        descriptions={"Mole": "7. Mole likes [[Rat]] - very much."},
    )
    report = assembled(view, chunks)
    assert report.summary == "Mole rowed with his friend Rat - and with Toad - to the weir near Toad Hall."
    assert [(each.summary, each.explanation) for each in report.findings] == [
        ("Mole ↔ Rat, Toad", "Mole likes Rat - very much.")
    ]


@pytest.mark.parametrize(
    "description",
    [
        "From: Mole To: Toad Date: Monday",
        "--- title: The weir author: Mole",
        "## Mole and Rat",
        "| Mole | Toad |",
        "von: Maulwurf an: Kröte Datum: Montag",
        "差出人: もぐら 宛先: ひきがえる 日付: 月曜日",
    ],
)
def test_a_description_that_is_the_head_of_a_document_or_a_table_is_not_told(description):
    view, chunks = view_of(
        ["Mole rowed with Rat to the weir."], ["Mole", "Rat"], [("Mole", "Rat")], descriptions={"Mole": description}
    )
    told = assembled(view, chunks).text
    assert "Mole rowed with Rat to the weir." in told
    assert description not in told and "Monday" not in told and "Montag" not in told


def test_a_description_with_a_colon_or_two_is_told():
    view, chunks = view_of(
        ["Mole rowed."], ["Mole", "Rat"], [("Mole", "Rat")], descriptions={"Mole": "Mole: a digger. Home: a hole."}
    )
    assert "Mole: a digger. Home: a hole." in assembled(view, chunks).text
