from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from polyclinic.clinics.rounds.scenario.case import Demographics
from polyclinic.clinics.rounds.scenario.choose import scenarios, unseen_case
from polyclinic.clinics.rounds.scenario.loaders import load_cases, split_vignette, stated_demographics
from polyclinic.core.seed import stream
from polyclinic.errors import DataError, UnknownName
from tests.clinics.rounds.cases import case_named

STEM = "A 62-year-old woman has a cough and fever. Her chest film shows a shadow. What is the likely cause?"
HUB = {
    "id": "MM-12",
    "question": f"{STEM}\nAnswer Choices: (A) Pneumonia (B) Asthma (C) Rib fracture",
    "options": {"A": "Pneumonia", "B": "Asthma", "C": "Rib fracture"},
    "label": "A",
    "images": ["MM-12-a.jpeg"],
    "medical_task": "Diagnosis",
    "body_system": "Respiratory",
    "question_type": "Reasoning",
}
REPOSITORY = {
    **HUB,
    "id": "Text-3",
    "options": [{"letter": "A", "content": "Pneumonia"}, {"letter": "B", "content": "Asthma"}],
    "label": ["B"],
}
MEDQA = {
    "question": STEM,
    "answer": "Asthma",
    "options": {"A": "Pneumonia", "B": "Asthma"},
    "meta_info": "step1",
    "answer_idx": "B",
}
MVME = {
    "id": 7,
    "profile": "",
    "medical_record": {
        "一般资料": "性别: 女 年龄: 62岁",
        "主诉": "咳嗽三天",
        "现病史": "患者三天前开始咳嗽。",
        "查体": "双肺湿啰音",
        "诊断": "肺炎",
        "诊断依据": "咳嗽、发热、影像",
    },
}


def _file(folder: Path, name: str, *rows: object) -> Path:
    path = folder / name
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def test_medxpertqa_files_in_the_hub_schema_are_read(tmp_path: Path) -> None:
    case = load_cases(_file(tmp_path, "hub.jsonl", HUB))[0]
    assert (case.id, case.answer, case.answer_text, case.specialty) == ("MM-12", "A", "Pneumonia", "Respiratory")
    assert case.question == "What is the likely cause?" and "Answer Choices" not in case.vignette
    assert [image.file for image in case.images] == ["MM-12-a.jpeg"]
    assert case.image_folder == str(tmp_path / "images")
    assert case.tags == ("Diagnosis", "Reasoning") and case.split == "test"


def test_medxpertqa_files_in_the_repository_schema_are_read(tmp_path: Path) -> None:
    row = {key: value for key, value in REPOSITORY.items() if key != "images"}
    case = load_cases(_file(tmp_path, "repo.jsonl", row))[0]
    assert (case.answer, case.answer_text, case.options) == ("B", "Asthma", {"A": "Pneumonia", "B": "Asthma"})
    assert not case.images and not case.image_folder


def test_medqa_files_are_read(tmp_path: Path) -> None:
    first, second = load_cases(_file(tmp_path, "medqa.jsonl", MEDQA, MEDQA))
    assert (first.answer_text, first.source) == ("Asthma", "MedQA")
    assert (first.id, second.id) == ("medqa-1", "medqa-2")


def test_mvme_files_give_open_questions(tmp_path: Path) -> None:
    path = tmp_path / "patients.json"
    path.write_bytes(orjson.dumps([MVME]))
    case = load_cases(path)[0]
    assert not case.options and case.answer == "肺炎"
    assert "咳嗽" in case.vignette and "肺炎" not in case.vignette


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"question": "Q?"}', r"cases\.jsonl:1: its fields fit none of MedXpertQA, MedQA and MVME$"),
        (b'\n{"id": 1, "medical_record": {}}', r"cases\.jsonl:2: the field '诊断' is missing or unknown"),
        (b'\n"words"', r"cases\.jsonl:2: this entry is not an object"),
        (b'[{"x": 1}]', r"cases\.jsonl: entry 1: its fields fit none"),
        (b"not json", "unexpected|expected"),
        (b'{"id": "1", "question": "Q?", "options": {"A": "x"}, "label": "B"}', r":1: .*is not one of"),
        (b"[]", "no cases"),
    ],
)
def test_faulty_files_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as error:
        load_cases(path)
    assert "cases.jsonl" in str(error.value)


def test_a_missing_file_and_a_faulty_yaml_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_cases(tmp_path / "absent.jsonl")
    path = tmp_path / "own.yaml"
    path.write_text("cases:\n- id: x\n  title: T\n")
    with pytest.raises(DataError, match=r"own.yaml: x: specialty"):
        load_cases(path)


def test_demographics_are_read_only_where_they_are_stated() -> None:
    assert stated_demographics("A 62-year-old woman coughs.") == Demographics(age=62, sex="female")
    assert stated_demographics("A 5-week-old boy vomits.") == Demographics(age=0, sex="male")
    assert stated_demographics("An X-ray shows a line.") is None


def test_a_single_sentence_is_its_own_vignette() -> None:
    assert split_vignette("What is this?") == ("What is this?", "What is this?")


def test_selectors_choose_the_right_cases() -> None:
    assert len(scenarios("8", 0)) == 8
    assert scenarios("8", 0) != scenarios("8", 1)
    assert {case.split for case in scenarios("test", 0)} == {"test"}
    assert all(case.images for case in scenarios("images:5", 0))
    assert [case.id for case in scenarios("card-01", 0)] == ["card-01"]
    assert {case.specialty for case in scenarios("cardiology", 0)} == {"cardiology"}
    many = scenarios("test:40", 0)
    assert len({case.id for case in many}) == 40
    with pytest.raises(UnknownName, match="card"):
        scenarios("card-0", 0)


def test_the_unseen_case_is_held_out_and_not_the_one_taught() -> None:
    for name in ("card-01", "card-03", "urol-01"):
        taught = case_named(name)
        for draw in range(10):
            other = unseen_case(taught, stream("t", draw))
            assert other.split == "test" and other.id != name
    assert unseen_case(case_named("card-01"), stream("t")).specialty == "cardiology"
