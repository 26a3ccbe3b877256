import pytest

from lorelite import Wiki
from lorelite.strategies.notes import NOT_SAID, SUMMARIES_NOTE, not_said, summaries_note


@pytest.mark.parametrize(
    ("question", "not_said_there"),
    [
        ("Who is the skipper?", NOT_SAID),
        ("Who wrote Der Spiegel for Juan de la Cruz?", NOT_SAID),
        ("Lantern", NOT_SAID),
        ("Vad är huvudtemat i texterna?", NOT_SAID),
        ("ποιος είναι;", NOT_SAID),
        ("", NOT_SAID),
        ("What does 杜松 mean?", NOT_SAID),
        ("Who is Мария?", NOT_SAID),
        ("谁是Lantern的船长？", "文档中没有说明。"),
        ("Wer ist der Steuermann?", "Die Dokumente sagen dazu nichts."),
        ("Qui est le capitaine ?", "Les documents ne le disent pas."),
        ("¿Quién es la directora de la estación?", "Los documentos no lo dicen."),
        ("Каковы основные темы?", "В документах об этом не сказано."),
        ("मुख्य विषय क्या हैं?", "दस्तावेज़ों में यह नहीं बताया गया है।"),
        ("月球上有水吗？", "文档中没有说明。"),
        ("月に水はありますか", "文書には書かれていません。"),
        ("달에 물이 있는가?", "문서에는 나와 있지 않습니다."),
    ],
)
def test_what_is_not_said_is_told_in_the_language_of_the_question_else_in_english(question, not_said_there):
    assert not_said(question) == not_said_there


def test_the_note_on_summaries_is_in_the_language_of_the_question():
    assert summaries_note("What are the main themes?") == SUMMARIES_NOTE
    assert summaries_note("Was sind die Hauptthemen?").startswith("Für diese Frage hat kein Modell")
    assert summaries_note("主题是什么？") == "没有模型为这个问题阅读报告。最相关的报告概括如下："


def test_ask_and_query_say_so_in_german_and_what_the_caller_says_instead_stays():
    with Wiki.open(":memory:") as wiki:
        wiki.ingest_document("class", source_ref="a.txt", text="Die Schleuse steht an der Wharfe.")
        graph = wiki.graph("class")
        question = "Wer hat das Telefon erfunden?"
        expected = "Die Dokumente sagen dazu nichts."
        assert wiki.ask("class", question).text == graph.query(question).text == expected
        assert graph.query(question, fail_response="Nichts.").text == "Nichts."
