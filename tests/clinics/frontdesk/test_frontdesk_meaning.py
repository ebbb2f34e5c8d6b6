"""Values are compared as values and words by meaning.

Nothing that was never said is written down; understudies and judges share no sentence.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import pytest
from pydantic import ValidationError

from polyclinic.clinics import frontdesk
from polyclinic.clinics.frontdesk import clinic
from polyclinic.clinics.frontdesk.prompts.patient import PatientIntake
from polyclinic.clinics.frontdesk.prompts.replies import (
    NOT_YET,
    Change,
    Choice,
    change_form,
    choice_form,
    intake_form,
    time_form,
)
from polyclinic.clinics.frontdesk.rules.intake_rubric import IntakeCase, IntakeRecord, judge_intake
from polyclinic.clinics.frontdesk.rules.notes import TakenIn
from polyclinic.clinics.frontdesk.rules.particulars import FIELDS, same, stands, was_said
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.clinics.frontdesk.scenario.schema import Companion, Contact
from polyclinic.clinics.frontdesk.understudies.hearing import listen
from polyclinic.eval.results import RunResults
from polyclinic.fhir.store import FhirStore
from polyclinic.people.demographics import Person
from polyclinic.people.patient_axes import PatientAxes, Personality
from polyclinic.runner.api import resume_run, start_run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import Store, open_store
from polyclinic.testing.runs import MEMORY, run_once

KIM = Person(
    name="Kim So-hyun",
    family="Kim",
    given="So-hyun",
    sex="female",
    birth_date=date(1990, 1, 2),
    phone="+821012345678",
    identifier="900102-2345678",
    address="36, Wolseong-ro, Gimhae-si 50397",
    region="",
)


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("phone", "010 1234 5678"),
        ("phone", "010-1234-5678"),
        ("phone", "+82 10 1234 5678"),
        ("sex", "Female"),
        ("sex", "woman"),
        ("address", "36 Wolseong-ro, Gimhae-si 50397"),
        ("address", "36, wolseong-ro, gimhae-si, 50397"),
        ("identifier", "9001022345678"),
        ("name", "KIM SO HYUN"),
        ("name", "So-hyun Kim"),
    ],
)
def test_a_value_written_in_another_way_is_the_same_value(field: str, written: str) -> None:
    assert same(field, written, KIM) and same("sex", "F", KIM)
    assert stands(field, getattr(KIM, field), [f"Well, {written}."]) or field == "name"
    assert was_said(field, KIM, f"It is {written}, you know.")


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("phone", "010 1234 5679"),
        ("phone", "5678"),
        ("phone", ""),
        ("sex", "male"),
        ("sex", ""),
        ("address", "63, Wolseong-ro, Gimhae-si 50397"),
        ("identifier", "900102-2345679"),
        ("name", "Kim So-hyune"),
        ("name", "Lee So-hyun"),
    ],
)
def test_different_values_are_not_taken_for_the_same(field: str, written: str) -> None:
    assert not same(field, written, KIM)


@pytest.mark.parametrize(
    "text", ["September the 5th, 2025", "09/05/2025", "5.9.2025", "the fifth of September", "Sept 5"]
)
def test_a_date_is_recognised_however_it_is_said(text: str) -> None:
    assert mentions_date(date(2025, 9, 5), f"Not before {text}, please.")
    assert not mentions_date(date(2025, 9, 15), f"Not before {text}, please.")


def test_a_value_that_nobody_said_does_not_count() -> None:
    heard = ["Hello, my belly hurts.", "Kim So-hyun. 010 1234 5678, and I live at 36, Wolseong-ro, Gimhae-si 50397."]
    for field, invented in (
        ("name", "John Doe"),
        ("sex", "female"),
        ("phone", "123-456-7890"),
        ("identifier", "1234567890"),
        ("address", "123 Main St, Anytown, USA"),
    ):
        assert not stands(field, invented, heard), field
    assert stands("phone", "+821012345678", heard) and stands("name", "Kim So-hyun", heard)


def test_forms_accept_only_what_the_hospital_has() -> None:
    physicians, days = ("Dr. A B", "Dr. C D"), ("2025-07-12", "2025-07-13")
    books, changes = choice_form(physicians, days), change_form(physicians, days)
    full: dict[str, Any] = {"wants": "", "action": "date_filter", "physician": "", "date": "2025-07-12", "question": ""}
    assert isinstance(books.model_validate(full), Choice)
    for wrong in ({"date": "YYYY-MM-DD"}, {"physician": "Dr. Nobody"}, {"action": "reschedule"}):
        with pytest.raises(ValidationError):
            books.model_validate({**full, **wrong})
    assert isinstance(changes.model_validate({**full, "action": "cancel", "patient_name": ""}), Change)
    with pytest.raises(ValidationError):
        time_form(physicians, days).model_validate(
            {"reason": "", "physician": "Kim", "date": days[0], "start": "09:00", "end": "09:15"}
        )
    nothing = dict.fromkeys(("reason", "physician", "date", "start", "end"), "")
    assert time_form(physicians, days).model_validate(nothing).physicians() == ()
    empty = dict.fromkeys((*FIELDS, "diagnosis", "complaint", "reason"), "")
    assert intake_form(("allergy",), False).model_validate({**empty, "department": NOT_YET}).department == NOT_YET
    for department in ("none", "", "dentistry"):
        with pytest.raises(ValidationError):
            intake_form(("allergy",), False).model_validate({**empty, "department": department})
    with pytest.raises(ValidationError):
        intake_form(("allergy",), True).model_validate({**empty, "department": NOT_YET})


async def test_invented_values_are_counted_and_never_reach_the_record() -> None:
    players = "staff=understudy:mistake=makes_up,patient=understudy:mistake=withholds"
    results = await run_once(clinic, variants=("intake",), scenarios="primary:1:6", cast=players)
    for episode in results.episodes:
        note = episode.transcript.last_note(TakenIn)
        if note is not None and episode.outcome != "emergency":
            assert note.record is not None and note.record.phone == "" and note.refused == ("phone",)
            assert episode.value("invented") == 1


async def _run(store: Store, voice: str, **more: Any) -> RunResults[Contact]:
    values = {"clinic": "frontdesk", "scenarios": "secondary:1:40", "seed": 1, "options": {"voice": voice}, **more}
    run = await start_run(store, make_config(values))
    await resume_run(store, run, retry_failed=False)
    return cast("RunResults[Contact]", await load_results(store, run))


async def test_no_metric_differs_between_the_two_voices() -> None:
    async with open_store(MEMORY) as store:
        first, second = await _run(store, "first"), await _run(store, "second")
    said = [{s.text for e in results.episodes for s in e.transcript.said("patient")} for results in (first, second)]
    assert len(said[0] & said[1]) <= 1, "the voices share more than a thank you"
    for metric in ("intake", "department", "scheduling", "scheduling_staff", "right_tool", "tool_used", "found_room"):
        means = [
            fmean(score.value for episode in results.episodes for score in episode.scores if score.metric == metric)
            for results in (first, second)
        ]
        assert abs(means[0] - means[1]) <= 0.05, (metric, means)


async def test_the_hospital_knows_a_patient_only_as_the_staff_wrote_them_down() -> None:
    """A phone number that was never said is not in the records, so nobody can be called back on it."""
    async with open_store(MEMORY) as store:
        results = await _run(
            store, "first", scenarios="primary:1:8", cast="staff=understudy,patient=understudy:mistake=withholds"
        )
        found = (await FhirStore(store.database).search("Patient", {"_count": "100"})).matches
    names = {contact.caller.person.name for contact in results.scenarios.values() if contact.kind == "visit"}
    assert len(found) == len(names) == 8
    for patient in found:
        assert "telecom" not in patient and "identifier" not in patient and "birthDate" not in patient
        assert f"{patient['name'][0]['family']} {' '.join(patient['name'][0]['given'])}" in names
        assert patient["gender"] in ("female", "male")


@pytest.mark.parametrize(
    "words",
    [
        "Sure. Seo In-soo, male. Phone 010-0184-9893, registration 610506-1833099, I live in Gimhae, Wolseong-ro 36.",
        "I'm Seo In-soo, a man. My mobile is 010 0184 9893. My ID is 610506-1833099. Address: Gimhae, Wolseong-ro 36.",
    ],
)  # fmt: skip
def test_the_understudy_recognises_personal_details_in_other_peoples_sentences(words: str) -> None:
    heard = listen([words])
    assert heard["name"] == "Seo In-soo" and heard["sex"] == "male" and heard["identifier"] == "610506-1833099"
    assert heard["phone"].replace(" ", "-") == "010-0184-9893" and heard["address"] == "Gimhae, Wolseong-ro 36"


LEAFLET = """disease,departments,symptoms
Diverticular disease,gastroenterology,cramping in the lower left abdomen; bloating; loose stools
Valve disease of the heart,cardiology,breathlessness climbing stairs; fluttering in the chest; swollen feet
Emphysema,pulmonology,difficulty breathing out; chronic cough; frequent chest infections
Low blood sugar attacks,endocrinology/metabolism,shakiness before meals; sudden sweating; hunger
Polycystic kidneys,nephrology,a dull ache in both flanks; blood in the urine; high blood pressure
Clotting disorder,hematology/oncology,nosebleeds; heavy bleeding after dental work; bruises without cause
Hay fever,allergy,itchy watery eyes; congestion every spring; sneezing fits
Dengue,infectious diseases,sudden high fever after a holiday in the tropics; pain behind the eyes; rash
Polymyalgia,rheumatology,aching shoulders and hips; stiffness in the morning; trouble lifting the arms
"""


async def test_the_understudy_does_about_as_well_when_patients_speak_like_a_leaflet(tmp_path: Path) -> None:
    (tmp_path / "leaflet.csv").write_text(LEAFLET)
    own = tmp_path / "hospital.toml"
    own.write_text('preset = "secondary"\nhospital_n = 1\ndiseases = "leaflet.csv"\n')
    errors = []
    for scenarios in ("secondary:1:60", str(own)):
        results = await run_once(clinic, variants=("intake",), scenarios=scenarios, most=60, seed=1)
        errors.append(1 - fmean(s.value for e in results.episodes for s in e.scores if s.metric == "intake"))
    assert abs(errors[0] - errors[1]) <= 0.1, errors


def _literals(folder: Path) -> Iterator[str]:
    """The string literals of a folder's code, docstrings left out."""
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        tree = ast.parse(path.read_text())
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                yield node.value


def test_judges_and_understudies_share_no_sentence() -> None:
    """Names of fields, tools and codes are single words; so every string with a space is somebody's wording."""
    home = Path(next(iter(frontdesk.__path__)))
    voices = tomllib.loads((home / "data" / "voices.toml").read_text())
    spoken = {text.strip() for voice in voices.values() for part in voice.values() for text in part.values()}
    spoken |= set(_literals(home / "understudies"))
    judging = {text for room in ("rules", "judges.py", "readings.py", "flow") for text in _literals(home / room)}
    shared = {text for text in spoken & judging if " " in text.strip()}
    assert not shared
    first, second = ({line for part in voices[name].values() for line in part.values() if line} for name in voices)
    assert not first & second


@pytest.mark.parametrize("companion", ["", "parent"])
def test_a_talkative_patient_is_not_told_to_be_brief(companion: Companion) -> None:
    def told(personality: Personality) -> str:
        prompt = PatientIntake(
            name="Kim So-hyun",
            sex="female",
            birth_date=date(1990, 1, 2),
            phone="1",
            identifier="2",
            address="3",
            diagnosis="",
            symptoms=("a cough",),
            companion=companion,
            speaker="Kim Ha-na" if companion else "",
            axes=PatientAxes(personality=personality),
            staff_says="Hello",
            first=True,
        )
        return "\n".join(message.content for message in prompt.render())

    assert "in one sentence" in told("neutral")
    assert "Give long answers" in told("verbose") and "in one sentence" not in told("verbose")


def test_what_a_patient_types_without_a_full_stop_counts_as_said() -> None:
    said = ("cold feet", KIM.name, "why do you need it", f"{KIM.sex}, 1955", KIM.phone, KIM.identifier, "no more")
    asked = ("Your name, sex, phone, ID and address, please?",)
    verdict = judge_intake(IntakeCase(KIM, ("cardiology",), asked, said, True, IntakeRecord(*[""] * 6)))
    assert verdict.reason == "asked, but the patient never said: address"
