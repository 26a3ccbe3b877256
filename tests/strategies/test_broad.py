"""Questions about the whole, and what else they ask for."""

from __future__ import annotations

import pytest

from lorelite.strategies.broad import is_broad, particular


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes?",
        "Summarise the book",
        "Give me an overview of these documents.",
        "What is the story about?",
        "Worum geht es in dem Buch?",
        "Wovon handelt der Text?",
        "Quels sont les thèmes du livre ?",
        "De qué trata el libro?",
        "这本书讲了什么？",
    ],
)
def test_an_overview_is_asked_of_the_whole_and_of_nothing_in_it(question):
    assert is_broad(question) and particular(question) == ""


@pytest.mark.parametrize(
    ("question", "rest"),
    [("What are the main themes of Scrooge's dreams?", "Scrooge"), ("Summarise what Ada did at the lock", "Ada")],
)
def test_what_else_a_question_for_an_overview_names_is_kept(question, rest):
    assert is_broad(question) and rest in particular(question)


@pytest.mark.parametrize("question", ["Who keeps the lock?", "Where is the main street?", "Wer ist Ada?"])
def test_other_questions_stay_as_they_are(question):
    assert not is_broad(question) and particular(question) == question
