from __future__ import annotations

import csv
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from polyclinic.cli.eval import command
from polyclinic.clinics.rounds.evaluations import evaluations
from polyclinic.clinics.rounds.prompts.exam import AnswersExam
from polyclinic.clinics.rounds.scenario.exams import load_exam
from polyclinic.clinics.rounds.scenario.shipped import data_folder
from polyclinic.errors import ConfigError, DataError

PNG = data_folder().joinpath("images", "card-01-ecg.png").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(PNG)
    return tmp_path


def _pmc(folder: Path, **changes: str) -> Path:
    row = {
        "Figure_path": "a.png",
        "Question": "What is shown?",
        "Answer": "An ECG",
        "Choice A": " A:A chest film ",
        "Choice B": " B:An ECG ",
        "Choice C": " C:A scan ",
        "Choice D": " D:A smear ",
        **changes,
    }
    path = folder / "test.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerow(row)
    return path


def test_pmc_vqa_has_choices_in_columns_and_the_answer_in_words_or_as_a_letter(folder: Path) -> None:
    (question,) = load_exam(_pmc(folder))
    assert question.answer == "B" and question.options["B"] == "An ECG" and question.source == "PMC-VQA"
    assert len(question.pictures) == 1 and question.pictures[0].media_type == "image/png"
    assert load_exam(_pmc(folder, Answer_label="C"))[0].answer == "C"
    with pytest.raises(DataError, match="not one of its options"):
        load_exam(_pmc(folder, Answer="something else"))
    with pytest.raises(DataError, match=r"picture 'b\.png' not found"):
        load_exam(_pmc(folder, Figure_path="b.png"))


def test_mmmu_has_options_as_the_text_of_a_list_and_open_questions_are_left_out(folder: Path) -> None:
    row = {
        "id": "validation_Clinical_Medicine_1",
        "question": "What does <image 1> show?",
        "options": "['sinus rhythm', \"fast 'flutter'\", 'nothing']",
        "answer": "A",
        "question_type": "multiple-choice",
        "image_1": {"path": "a.png"},
        "image_2": None,
    }
    path = folder / "mmmu.jsonl"
    path.write_bytes(orjson.dumps(row) + b"\n" + orjson.dumps({**row, "question_type": "open"}))
    (question,) = load_exam(path)
    assert question.options == {"A": "sinus rhythm", "B": "fast 'flutter'", "C": "nothing"} and question.answer == "A"
    assert len(question.pictures) == 1 and question.source == "MMMU"


def test_parquet_files_of_the_hub_contain_the_pictures_themselves(folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    row = {"id": "x", "question": "q", "options": "['a', 'b']", "answer": "B", "question_type": "multiple-choice"}
    made = datasets.Dataset.from_list([{**row, "image_1": {"bytes": PNG, "path": "p.png"}}])
    made.to_parquet(str(folder / "m.parquet"))
    (question,) = load_exam(folder / "m.parquet")
    assert question.answer == "B" and len(question.pictures) == 1


def test_medxpertqa_is_read_as_in_the_rounds_clinic(folder: Path) -> None:
    row = {
        "id": "MM-1",
        "question": "A man has chest pain. What is it?",
        "options": {"A": "this", "B": "that"},
        "label": "B",
        "images": ["a.png"],
    }
    (folder / "mm.jsonl").write_bytes(orjson.dumps(row))
    (question,) = load_exam(folder / "mm.jsonl")
    assert question.answer == "B" and question.source == "MedXpertQA" and len(question.pictures) == 1


def test_a_file_with_other_content_is_refused(folder: Path) -> None:
    (folder / "x.jsonl").write_text('{"text": "no exam"}')
    with pytest.raises(DataError, match=r"x\.jsonl:1: its fields fit none of"):
        load_exam(folder / "x.jsonl")
    (folder / "x.csv").write_text("text\nno exam\n")
    with pytest.raises(DataError, match=r"x\.csv: its columns fit none of"):
        load_exam(folder / "x.csv")
    (folder / "y.csv").write_text("Question\nWhich?\n")
    with pytest.raises(DataError, match=r"y\.csv: entry 1: the field 'Choice A' is missing or unknown"):
        load_exam(folder / "y.csv")


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("B", "B"), ("It is A or C. Answer: C", "C"), ("Answer: (D)", "D"), ("I don't know", ""), ("Answer: G", "")],
)
def test_the_letter_named_last_counts(reply: str, letter: str) -> None:
    prompt = AnswersExam(question="q", options=dict.fromkeys("ABCD", "x"))
    assert prompt.letter(reply) == letter


def test_the_command_gives_the_share_with_its_interval(folder: Path) -> None:
    path = _pmc(folder)
    done = CliRunner().invoke(command, ["vqa", "--file", str(path), "--json"], standalone_mode=False)
    assert done.exception is None, done.output
    found = orjson.loads(done.output)["collections"]["PMC-VQA"]
    assert found["questions"] == 1 and found["unanswered"] == 0 and found["right"] in (0, 1) and found["chance"] == 0.25
    assert 0 <= found["low"] <= found["right"] <= found["high"] <= 1


async def test_without_a_file_the_command_says_what_it_needs() -> None:
    with pytest.raises(ConfigError, match="MedXpertQA"):
        await evaluations["vqa"](None, "")  # type: ignore[arg-type]
