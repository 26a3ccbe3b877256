"""Finding the files of a benchmark in a folder."""

import json

import pytest

from lorelite import CannotOpen, InvalidOption, NotFound, UnreadableDocument
from lorelite.evaluation import load_dataset

PARAGRAPH = {"title": "Olga", "paragraph_text": "Olga lives in Bath.", "is_supporting": True}
MUSIQUE = [{"id": "2hop__1", "question": "Where?", "paragraphs": [PARAGRAPH]}]
MUSIQUE_TRAIN = [{"id": "3hop1__9", "question": "Who?", "paragraphs": [PARAGRAPH]}]
CORPUS = [{"title": "Olga", "text": "Olga lives in Bath."}, {"title": "Bath", "text": "Bath is a city."}]
TITLED = [{"question": "Where?", "answer": "", "evidence": ["Bath"], "ground_truth": ["Olga"]}]
SQUAD = {
    "version": "1.1",
    "data": [
        {
            "title": "Bath_(city)",
            "paragraphs": [
                {"context": "Bath ist eine Stadt.", "qas": [{"id": "x1", "question": "Was ist Bath?", "answers": []}]},
                {"context": "Olga wohnt dort.", "qas": [{"id": "x2", "question": "Wer?", "answers": []}]},
            ],
        },
        {"title": "Again", "paragraphs": [{"context": "Bath ist eine Stadt.", "qas": [{"id": "x3", "question": "?"}]}]},
    ],
}
LOCOMO = [
    {
        "conversation": {"session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}]},
        "qa": [{"question": "What?", "evidence": ["D1:1"], "category": 4}],
    }
]


@pytest.fixture
def folder(tmp_path):
    """Writes files: a name that ends in .jsonl gets a line for each row."""

    def write(**files):
        for name, value in files.items():
            path = tmp_path / name.replace("__", "/").replace("_json", ".json")
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = path.suffix == ".jsonl"
            path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value), "utf-8")
        return tmp_path

    return write


EVERYTHING = {
    "musique_train__musique_train_json": MUSIQUE_TRAIN,
    "musique_train__musique_train_corpus_json": CORPUS,
    "kag__musique_qa_sub_json": MUSIQUE,
    "2wiki__2wikimultihopqa_corpus_json": CORPUS,
    "2wiki__2wikimultihopqa_51_json": ["Where?"],
    "2wiki__results__2wikimultihopqa_101_json": TITLED,
    "locomo10_json": LOCOMO,
    "xquad__xquad.de_json": SQUAD,
    "other__notes_json": {"a": 1},
}


@pytest.mark.parametrize(
    ("name", "passages", "asked"),
    [
        ("musique-train", 2, ["Who?"]),
        ("musique-kag", 1, ["Where?"]),
        ("2wiki", 2, ["Where?"]),
        ("locomo-turns", 1, ["What?"]),
        ("locomo-sessions", 1, ["What?"]),
        ("xquad-de", 2, ["Was ist Bath?", "Wer?", "?"]),
    ],
)
def test_each_benchmark_finds_its_own_files_in_one_folder(folder, name, passages, asked):
    dataset = load_dataset(name, folder(**EVERYTHING))
    assert (dataset.name, dataset.passages) == (name, passages)
    assert [question.text for part in dataset.parts for question in part.questions] == asked


def test_json_lines_do_as_well(folder):
    assert load_dataset("musique-kag", folder(**{"musique_ans_dev.jsonl": MUSIQUE})).questions == 1


def test_the_name_of_the_folder_will_do_and_else_the_shape(folder):
    assert load_dataset("2wiki", folder(**{"2wiki__dev_json": TITLED, "2wiki__corpus_json": CORPUS})).questions == 1


def test_files_named_after_nothing_are_known_by_their_shape(folder):
    assert load_dataset("2wiki", folder(questions_json=TITLED, corpus_json=CORPUS)).passages == 2
    assert load_dataset("locomo-turns", folder(data_json=LOCOMO)).questions == 1


def test_of_several_files_of_questions_the_largest_is_asked(folder):
    path = folder(**{"2wiki_a_json": TITLED, "2wiki_b_json": TITLED * 2, "2wiki_corpus_json": CORPUS})
    assert load_dataset("2wiki", path).questions == 2


def test_one_file_may_be_named_instead_of_a_folder(folder):
    assert load_dataset("locomo-turns", folder(locomo10_json=LOCOMO) / "locomo10.json").questions == 1


def test_paragraphs_of_one_text_are_one_document_and_titles_are_left_out(folder):
    [part] = load_dataset("xquad-de", folder(**EVERYTHING)).parts
    assert [each.text for each in part.passages] == ["Bath ist eine Stadt.", "Olga wohnt dort."]
    first, second = (each.source_ref for each in part.passages)
    assert [question.gold for question in part.questions] == [((first,),), ((second,),), ((first,),)]
    assert "bath" not in first.lower()


@pytest.mark.parametrize("name", ["hotpotqa-train", "xquad-fr"])
def test_what_is_not_there_is_told_with_what_is(folder, name):
    with pytest.raises(NotFound) as told:
        load_dataset(name, folder(**EVERYTHING))
    message = str(told.value)
    assert f"benchmark {name!r} was not found; expected " in message
    assert "kag/musique_qa_sub.json" in message and "name the folder" in message


def test_the_train_sample_does_not_pass_for_the_other(folder):
    with pytest.raises(NotFound, match="not musique_train"):
        load_dataset("musique-kag", folder(musique_train_json=MUSIQUE_TRAIN))


def test_questions_without_passages_ask_for_a_corpus(folder):
    with pytest.raises(NotFound, match=r"the passages of the questions: a list of \{title, text\}"):
        load_dataset("2wiki", folder(**{"2wiki_json": TITLED}))


@pytest.mark.parametrize("name", ["musique", "xquad", "xquad-", "xquad-LANG!", ""])
def test_an_unknown_name_is_told_the_known_ones(tmp_path, name):
    with pytest.raises(InvalidOption, match="dataset: expected one of musique-train, hotpotqa-train"):
        load_dataset(name, tmp_path)


def test_a_folder_that_is_not_there_and_a_broken_file_are_named(tmp_path):
    with pytest.raises(NotFound, match=r"folder .*nowhere"):
        load_dataset("2wiki", tmp_path / "nowhere")
    (tmp_path / "locomo10.json").write_text("[1, 2", "utf-8")
    with pytest.raises(UnreadableDocument, match=r"locomo10\.json"):
        load_dataset("locomo-turns", tmp_path)


@pytest.mark.parametrize(
    ("name", "file", "value"),
    [
        ("musique-kag", "musique.json", [{**MUSIQUE[0], "paragraphs": [5]}]),
        ("2wiki", "2wiki.json", [{"question": "Where?", "supporting_facts": 5, "context": [["Bath", ["x"]]]}]),
        ("2wiki", "2wiki.json", [*TITLED, None]),
        ("locomo-turns", "locomo.json", [{**LOCOMO[0], "conversation": {"session_1": 5}}]),
        ("locomo-sessions", "locomo.json", [{**LOCOMO[0], "conversation": {"session_1": [{}]}}]),
        ("locomo-turns", "locomo.json", [{**LOCOMO[0], "qa": [{"evidence": ["D1:1"]}]}]),
        ("xquad-de", "xquad.de.json", {"data": [{"title": "no paragraphs"}]}),
        ("xquad-de", "xquad.de.json", {"data": [{"paragraphs": [{"context": "\ud800", "qas": []}]}]}),
    ],
)
def test_files_in_another_form_are_told(folder, name, file, value):
    where = folder(**{"2wiki_corpus_json": CORPUS})
    (where / file).write_text(json.dumps(value), "utf-8")
    with pytest.raises(UnreadableDocument, match=f"its files of {name} are not in that benchmark's form"):
        load_dataset(name, where)


def test_a_file_of_endless_brackets_is_told(tmp_path):
    (tmp_path / "xquad.de.json").write_text("[" * 100_000, "utf-8")
    with pytest.raises(UnreadableDocument, match=r"xquad\.de\.json.*nested"):
        load_dataset("xquad-de", tmp_path)


def test_ids_that_count_from_0_are_kept_apart(folder):
    where = folder(**{"2wiki_json": [{**TITLED[0], "id": 0}, {**TITLED[0], "id": 1}], "2wiki_corpus_json": CORPUS})
    [part] = load_dataset("2wiki", where).parts
    assert [question.id for question in part.questions] == ["0", "1"]


def test_a_name_and_a_folder_of_another_kind_are_refused(tmp_path):
    with pytest.raises(InvalidOption, match="dataset"):
        load_dataset(None, tmp_path)
    with pytest.raises(CannotOpen):
        load_dataset("2wiki", None)
