"""A Korean terminal: what the command line refuses, lists and hints at is Korean, and names that are typed stay."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyclinic.errors import UnknownName
from polyclinic.runner.registry import clinic_modules, load_clinic
from polyclinic.text.worded import Worded, worded
from polyclinic.web.fixed_words import in_korean, korean_words
from tests.cli.conftest import Run

SOURCE = Path(__file__).parents[2] / "src" / "polyclinic"
FOR_PROGRAMS = {"rl", "training", "clinics", "eval", "reading"}
"""Folders whose names and sentences nobody meets while playing."""


def _constants(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from (*_constants(body), *_constants(other))


def _forms() -> Iterator[str]:
    for file in SOURCE.rglob("*.py"):
        if file.relative_to(SOURCE).parts[0] in FOR_PROGRAMS:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="Worded" | "UnknownName" | "with_command"), args=[form, *_]):
                    yield from _constants(form)
                case ast.keyword(arg="begin", value=value):
                    yield from _constants(value)


def test_every_form_has_its_korean_with_the_same_places() -> None:
    known = korean_words()
    forms = {form for form in _forms() if re.search("[a-z]", form)}
    known |= {form.removesuffix(" {1}"): korean for form, korean in known.items()}
    assert len(forms) > 60
    assert sorted(forms - set(known)) == []
    assert [form for form in forms if set(re.findall(r"\{\d\}", form)) - set(re.findall(r"\{\d\}", known[form]))] == []


def test_names_stay_as_they_are_typed() -> None:
    refused = worded(UnknownName("role in {1}", "doctr", ["doctor", "nurse"], of="patient"))
    assert refused == "'doctr' is not a role in patient: did you mean doctor?"
    assert in_korean(refused) == "‘doctr’: 이런 이름의 patient의 역할이(가) 없습니다. 혹시 doctor인가요?"


def test_a_sentence_keeps_its_parts_in_copies_and_in_other_processes() -> None:
    said = Worded("{1} is missing", Worded("choose one of these: {1}", ("a", "b", "c")))
    assert said == "choose one of these: a, b or c is missing"
    assert Worded("{1} as it is typed") == "{1} as it is typed"
    for other in (copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert (other, other.form, other.parts) == (said, said.form, said.parts)


@pytest.mark.parametrize(
    ("words", "korean"),
    [
        ("play", "클리닉과 역할을 적으세요: polyclinic play patient --role doctor. 도움말: polyclinic play --help"),
        ("play patient", "--role로 맡을 역할을 적으세요: doctor, triage"),
        ("play patient --role doctr", "혹시 doctor, cheater인가요?"),
        ("play patient --role doctor --scenarios ami-99", "모두 보려면: polyclinic scenarios list patient"),
        ("play rounds --role student --scenarios nothing", "이런 이름의 rounds의 시나리오"),
        ("play --resume nothing", "만들려면: polyclinic run demo"),
        ("play demo --role nurse --seed x", "‘x’은(는) 정수가 아닙니다"),
        ("play --foo", "--foo이라는 옵션은 없습니다: 혹시 --who인가요? 도움말"),
        ("play --role", "--role에 값이 필요합니다"),
        ("run demo --cast nurse=human", "배역 nurse=human: 실행에는 대답할 사람이 없습니다"),
        ("run demo --cast nurse=opnai:x", "이런 이름의 모델 종류이(가) 없습니다. 혹시 openai, xai인가요?"),
        ("plya", "이런 이름의 명령이(가) 없습니다. 혹시 play인가요?"),
        ("runs", "아직 실행이 없습니다"),
        ("grades", "아직 아무도 역할을 맡지 않았습니다"),
        ("library list", "아직 저장된 라이브러리가 없습니다"),
        ("scenarios list demo", "이름표   꼬리표        묶음"),
        ("clinics demo", "nurse: 전화를 받습니다"),
    ],
)
def test_what_a_person_meets_is_korean(polyclinic: Run, words: str, korean: str) -> None:
    done = polyclinic(*words.split(), LC_ALL="ko_KR.UTF-8")
    assert korean in f"{done.stdout} {done.stderr}", (done.stdout, done.stderr)


def test_a_shown_episode_is_korean_but_for_what_was_said(polyclinic: Run) -> None:
    polyclinic("run", "duty", "--variant", "plain", "--scenarios", "one:t1-11-lithium", "--trials", "3")
    listed = polyclinic("show", "last", LC_ALL="ko_KR.UTF-8").stdout
    assert "규범을 어김" in listed or "규범을 어기지 않음" in listed
    shown = polyclinic("show", "last", listed.split("\n")[2].split()[0], LC_ALL="ko_KR.UTF-8").stdout
    assert "수련의 → 의사: " in shown and "반복 0, 추첨 번호 0" in shown and "take no lithium" in shown
    assert "역할 적합도(의사) = " in shown and "메시지의 " in shown
    notes = [line for line in shown.splitlines() if line.startswith(("  ·", "  !"))]
    assert all(re.search("[가-힣]", line) for line in notes), notes


@pytest.mark.parametrize("name", sorted(clinic_modules()))
def test_the_endings_of_every_clinic_have_their_korean(name: str) -> None:
    assert [words for words in load_clinic(name).outcomes.values() if in_korean(words) == words] == []


def test_of_two_forms_that_fit_the_one_with_more_words_counts() -> None:
    assert in_korean("what differs most, by 0.61: asks about the person's life").startswith("차이가 가장 큰 것(0.61): ")
