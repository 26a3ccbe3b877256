"""The forms in which MuSiQue, HotpotQA and 2WikiMultiHopQA go around, each on a few passages."""

import pytest

from lorelite.evaluation.multihop import has_passages, is_corpus, is_musique, is_titled, multihop
from lorelite.evaluation.pool import joined

MUSIQUE = [
    {
        "id": "2hop__1_2",
        "question": "Where does the keeper live?",
        "paragraphs": [
            {"idx": 0, "title": "Keeper", "paragraph_text": "Olga keeps it.", "is_supporting": True},
            {"idx": 1, "title": "Keeper", "paragraph_text": "Another keeper.", "is_supporting": False},
            {"idx": 2, "title": "Olga", "paragraph_text": "Olga lives in Bath.", "is_supporting": True},
        ],
    },
    {
        "id": "4hop1__3",
        "question": "And now?",
        "paragraphs": [
            {"idx": 0, "title": "Keeper", "paragraph_text": "Another keeper.", "is_supporting": True},
            {"idx": 1, "title": "Keeper", "paragraph_text": "Olga keeps it.", "is_supporting": False},
        ],
    },
]
HOTPOT = [
    {
        "_id": "5a",
        "type": "bridge",
        "question": "Who built it?",
        "supporting_facts": [["Tower", 0], ["Tower", 2], ["Mason", 1]],
        "context": [["Tower", ["It is old.", " A mason built it."]], ["Mason", ["Masons build."]]],
    }
]


def test_paragraphs_are_pooled_each_title_and_text_once():
    [part] = multihop("musique-kag", MUSIQUE).parts
    assert [(each.source_ref, each.text) for each in part.passages] == [
        ("Keeper", "# Keeper\n\nOlga keeps it."),
        ("Keeper #2", "# Keeper\n\nAnother keeper."),
        ("Olga", "# Olga\n\nOlga lives in Bath."),
    ]


def test_supporting_paragraphs_are_the_gold_by_title_and_text():
    first, second = multihop("musique-kag", MUSIQUE).parts[0].questions
    assert (first.id, first.tag, first.gold) == ("2hop__1_2", "2 hops", (("Keeper",), ("Olga",)))
    assert (second.tag, second.gold) == ("4 hops", (("Keeper #2",),))


def test_a_corpus_takes_the_place_of_the_pool():
    corpus = [{"title": "Olga", "text": "Olga lives in Bath."}, {"title": "Keeper", "text": "Olga keeps it."}]
    dataset = multihop("musique-train", MUSIQUE, corpus)
    assert [each.source_ref for each in dataset.parts[0].passages] == ["Olga", "Keeper"]
    assert dataset.parts[0].questions[0].gold == (("Keeper",), ("Olga",))
    assert dataset.missing == ("Keeper",)


def test_titles_of_supporting_facts_are_the_gold_each_once():
    [question] = multihop("hotpotqa-train", HOTPOT).parts[0].questions
    assert (question.id, question.tag, question.gold) == ("5a", "bridge", (("Tower",), ("Mason",)))


def test_sentences_are_one_text_whether_they_bring_their_space_or_not():
    assert joined(["It is old.", " A mason built it."]) == "It is old. A mason built it."
    assert joined(["It is old.", "A mason built it."]) == "It is old. A mason built it."
    assert joined("As it is.") == "As it is."


@pytest.mark.parametrize(
    "corpus",
    [
        {"Tower": ["It is old.", " A mason built it."], "Mason": ["Masons build."]},
        {"Tower": "It is old. A mason built it.", "Mason": "Masons build."},
        {"Tower": {"text": "It is old. A mason built it."}, "Mason": {"sentences": ["Masons build."]}},
        [
            {"title": "Tower", "text": "It is old. A mason built it.", "idx": 0},
            {"title": "Mason", "text": "Masons build."},
        ],
        [
            {"title": "Tower", "sentences": ["It is old.", "A mason built it."]},
            {"title": "Mason", "text": "Masons build."},
        ],
    ],
)
def test_every_form_of_a_corpus_gives_the_same_passages(corpus):
    assert is_corpus(corpus)
    passages = multihop("2wiki", HOTPOT, corpus).parts[0].passages
    assert [(each.title, each.body) for each in passages] == [
        ("Tower", "It is old. A mason built it."),
        ("Mason", "Masons build."),
    ]


@pytest.mark.parametrize(
    "gold",
    [
        {"ground_truth": ["Tower", "Mason"], "evidence": ["Somewhere", "Else"]},
        {"supporting_facts": [["Tower", 0], ["Mason", 0]], "evidences": [["Tower", "built by", "Mason"]]},
        {"supporting_facts": {"title": ["Tower", "Mason"], "sent_id": [0, 1]}},
        {"titles": ["Tower", "Mason"]},
        {"gold_docs": ["Tower\nIt is old.", "Masons build."]},
        {"ground_truth": [{"title": "Tower"}, {"title": "Mason"}]},
    ],
)
def test_every_form_of_the_gold_is_understood(gold):
    corpus = [{"title": "Tower", "text": "It is old."}, {"title": "Mason", "text": "Masons build."}]
    rows = [{"question": "Who built it?", "answer": "", **gold}]
    assert is_titled(rows)
    [question] = multihop("2wiki", rows, corpus).parts[0].questions
    assert question.gold == (("Tower",), ("Mason",))


def test_every_passage_of_a_title_will_do_and_titles_are_compared_without_case():
    corpus = [{"title": "Tower", "text": "One."}, {"title": "Tower", "text": "Two."}]
    [question] = multihop("2wiki", [{"question": "?", "titles": ["TOWER "]}], corpus).parts[0].questions
    assert question.gold == (("Tower", "Tower #2"),)


def test_a_title_that_no_passage_has_stays_in_the_gold_and_is_told():
    dataset = multihop("2wiki", [{"question": "?", "titles": ["Tower", "Gone"]}], [{"title": "Tower", "text": "One."}])
    assert dataset.parts[0].questions[0].gold == (("Tower",), ("Gone",))
    assert dataset.missing == ("Gone",)


def test_questions_without_evidence_are_skipped_and_counted():
    rows = [{"question": "?", "titles": []}, {"question": "Which?", "titles": ["Tower"]}]
    dataset = multihop("2wiki", rows, [{"title": "Tower", "text": "One."}])
    assert (dataset.questions, dataset.skipped) == (1, 1)


def test_a_context_in_columns_is_pooled_too():
    rows = [
        {
            "question": "?",
            "supporting_facts": {"title": ["Tower"], "sent_id": [0]},
            "context": {"title": ["Tower", "Mason"], "sentences": [["It is old."], ["Masons build."]]},
        }
    ]
    dataset = multihop("2wiki", rows)
    assert [each.source_ref for each in dataset.parts[0].passages] == ["Tower", "Mason"]


def test_files_are_known_by_what_they_hold():
    assert is_musique(MUSIQUE) and not is_musique(HOTPOT)
    assert is_titled(HOTPOT) and not is_titled(MUSIQUE)
    assert has_passages(HOTPOT) and not has_passages([{"question": "?"}])
    strings = ["When did it happen?"]
    assert not (is_titled(strings) or is_musique(strings) or is_corpus(strings))
    assert not (is_corpus([]) or is_corpus({}) or is_corpus(MUSIQUE) or is_titled([{"question": "?", "answer": "!"}]))
