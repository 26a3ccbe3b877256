import pytest

from lorelite.evaluation.locomo import is_locomo, locomo, turns

SAMPLES = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I ran a race."},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "Look!",
                    "blip_caption": "a photo of a medal",
                    "query": "medal",
                },
            ],
            "session_10": [{"speaker": "Ben", "dia_id": "D10:01", "text": "Late."}],
            "session_2_date_time": "1:14 pm on 25 May, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I paint."}],
            "session_11_date_time": "a session that was never held",
        },
        "qa": [
            {"question": "When did Ann run?", "answer": 2023, "evidence": ["D1:1"], "category": 2},
            {"question": "What do they do?", "evidence": ["D1:1; D2:1", "D:10:1"], "category": 1},
            {"question": "Who?", "evidence": [], "category": 3},
            {"question": "What else?", "evidence": ["D1:2", "D7:7"], "category": 4},
            {"question": "Trick?", "evidence": ["D9:9"], "adversarial_answer": "no", "category": 5},
        ],
        "event_summary": {},
    },
    {"conversation": {"session_1": [{"speaker": "Cy", "dia_id": "D1:1", "text": "Hello."}]}, "qa": []},
]


def test_each_turn_is_a_passage_with_who_said_it_and_when():
    first, second = locomo("locomo-turns", SAMPLES, "turns").parts
    assert [(each.source_ref, each.text) for each in first.passages] == [
        ("D1:1", "# Ann, 1:56 pm on 8 May, 2023\n\nI ran a race."),
        ("D1:2", "# Ben, 1:56 pm on 8 May, 2023\n\nLook!\n\n(shows: a photo of a medal)"),
        ("D2:1", "# Ann, 1:14 pm on 25 May, 2023\n\nI paint."),
        ("D10:1", "# Ben\n\nLate."),
    ]
    assert (first.namespace, second.namespace) == ("conv-1", "conversation 2")
    assert [each.source_ref for each in second.passages] == ["D1:1"]


def test_each_session_is_a_passage():
    first = locomo("locomo-sessions", SAMPLES, "sessions").parts[0]
    assert [each.source_ref for each in first.passages] == ["session 1", "session 2", "session 10"]
    assert first.passages[0].text == (
        "# Ann and Ben, 1:56 pm on 8 May, 2023\n\nAnn: I ran a race.\n\nBen: Look!\n\n(shows: a photo of a medal)"
    )


def test_the_gold_are_the_turns_or_their_sessions_each_once():
    by_turn = locomo("locomo-turns", SAMPLES, "turns").parts[0].questions
    assert [(each.id, each.gold) for each in by_turn] == [
        ("conv-1/1", (("D1:1",),)),
        ("conv-1/2", (("D1:1",), ("D2:1",), ("D10:1",))),
        ("conv-1/4", (("D1:2",),)),
    ]
    by_session = locomo("locomo-sessions", SAMPLES, "sessions").parts[0].questions
    assert [each.gold for each in by_session][:2] == [
        (("session 1",),),
        (("session 1",), ("session 2",), ("session 10",)),
    ]


def test_categories_are_the_tags():
    tags = [each.tag for each in locomo("locomo-turns", SAMPLES, "turns").parts[0].questions]
    assert tags == ["temporal", "multi-hop", "single-hop"]


def test_questions_without_evidence_are_skipped_and_turns_that_are_not_there_told():
    dataset = locomo("locomo-turns", SAMPLES, "turns")
    assert (dataset.questions, dataset.skipped) == (3, 2)
    assert dataset.missing == ("conv-1 D7:7", "conv-1 D9:9")


@pytest.mark.parametrize(
    ("evidence", "named"),
    [
        (["D1:3", "D2:14"], [(1, 3), (2, 14)]),
        (["D8:6; D9:17"], [(8, 6), (9, 17)]),
        (["D21:18 D21:22"], [(21, 18), (21, 22)]),
        (["D:11:26"], [(11, 26)]),
        (["D30:05"], [(30, 5)]),
        (["D", ""], []),
        ("D1:3", [(1, 3)]),
        (None, []),
        ([None, 4], []),
    ],
)
def test_evidence_is_understood_however_it_is_written(evidence, named):
    assert list(turns(evidence)) == named


def test_files_are_known_by_what_they_hold():
    assert is_locomo(SAMPLES)
    assert not is_locomo([]) and not is_locomo({"qa": []}) and not is_locomo([{"qa": []}])
