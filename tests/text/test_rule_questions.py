"""Questions made of sentences, names and headings."""

from __future__ import annotations

from lorelite.text.rule_questions import Known, rule_questions

SCROOGE = Known("Ebenezer Scrooge", ("Scrooge",), "person")
FRED = Known("Fred", (), "person")
LINDAU = Known("Lindau", (), "place")
FERRY = Known("Lindau ferry", ())


def test_a_sentence_that_begins_with_a_person_asks_who() -> None:
    text = "Fred invited Scrooge to dinner on Christmas Eve. The snow fell all the day, and it was dark."

    assert rule_questions(text, [FRED, SCROOGE], limit=1) == ["Who invited Scrooge to dinner on Christmas Eve?"]


def test_a_definition_asks_what_a_thing_is_and_comes_first() -> None:
    text = "The Lindau ferry was built by two brothers in 1881. The Lindau ferry is a boat that crosses the lake."

    assert rule_questions(text, [FERRY], limit=2) == [
        "What is the Lindau ferry?",
        "Who or what was built by two brothers in 1881?",
    ]


def test_a_definition_of_a_person_asks_who_that_is() -> None:
    text = "Ebenezer Scrooge is the partner of Marley. Lindau is a town on an island in the lake."

    assert rule_questions(text, [SCROOGE, LINDAU], limit=2) == ["Who is Ebenezer Scrooge?", "What is Lindau?"]


def test_somebody_who_says_something_is_a_person() -> None:
    text = "'Humbug!' said Marley to the two men. Marley kept the books of the firm for years."

    assert rule_questions(text, [Known("Marley")], limit=1) == ["Who kept the books of the firm for years?"]


def test_german_sentences_keep_their_order() -> None:
    text = (
        "Die Fähre ist ein Schiff, das den See überquert. Anna Keller baute die Brücke im Jahr 1881 mit ihrem Bruder. "
        "Anna Keller sagte nicht viel."
    )

    assert rule_questions(text, [Known("Fähre"), Known("Anna Keller")], limit=3) == [
        "Was ist die Fähre?",
        "Wer baute die Brücke im Jahr 1881 mit ihrem Bruder?",
        "Fähre, Anna Keller?",
    ]


def test_sentences_that_say_who_only_by_a_pronoun_make_no_question() -> None:
    text = "Fred invited him to that dinner again. Fred gave them the money of the firm. Fred laughed."

    assert rule_questions(text, [FRED], limit=3) == ["Fred?"]


def test_what_follows_a_name_must_be_a_verb() -> None:
    text = "Fred and Scrooge met at the dinner of the firm. Lindau lines use another gauge than the others."

    assert rule_questions(text, [FRED, LINDAU], limit=3) == ["Fred, Lindau?"]


def test_sentences_with_quotations_and_those_that_are_cut_off_make_no_question() -> None:
    text = "Fred answered 'A merry Christmas to all the people here.' Fred painted the house of the old"

    assert rule_questions(text, [FRED], limit=3) == ["Fred?"]


def test_an_apostrophe_is_no_quotation() -> None:
    text = "Scrooge never painted out Old Marley's name above the door."

    assert rule_questions(text, [SCROOGE], limit=1) == ["Who never painted out Old Marley's name above the door?"]


def test_each_thing_is_asked_for_once_before_any_is_asked_for_again() -> None:
    text = (
        "Fred painted the old door of the house. Fred closed the green gate of the house. "
        "Scrooge counted the money of the firm every evening."
    )

    assert rule_questions(text, [FRED, SCROOGE], limit=2) == [
        "Who painted the old door of the house?",
        "Who counted the money of the firm every evening?",
    ]


def test_a_part_that_the_main_clause_does_not_need_is_left_out() -> None:
    text = "Scrooge took his melancholy dinner in his usual tavern; and having read the newspapers, he went home."

    assert rule_questions(text, [SCROOGE], limit=1) == ["Who took his melancholy dinner in his usual tavern?"]


def test_any_other_language_gets_its_heading_and_names() -> None:
    text = "史高治和马利是合伙人。史高治住在伦敦。"

    assert rule_questions(text, [Known("史高治"), Known("马利")], heading="书 > 第一章") == ["第一章: 史高治, 马利?"]


def test_a_heading_that_is_a_name_is_not_repeated() -> None:
    assert rule_questions("Text.", [SCROOGE], heading="Ebenezer Scrooge") == ["Ebenezer Scrooge?"]


def test_a_passage_without_names_and_headings_makes_none() -> None:
    assert rule_questions("It rained. It was cold, and nobody came.", []) == []
