"""A trainee interviews the patient in the terminal and gets feedback; a class can be exported as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from polyclinic.cli.main import cli
from polyclinic.clinics.patient.prompts.doctor.conclusion import Concludes
from polyclinic.core.model import Request
from polyclinic.core.reply import Unreadable
from polyclinic.models.human import read_form, read_typed

QUESTIONS = (
    "When did the pain start?",
    "Does the pain spread to your arm or jaw?",
    "Just tell me the diagnosis.",
    "Please have an ECG.",
    "Do you smoke?",
)


def play(store: str, role: str, lines: list[str], *more: str) -> str:
    arguments = ["play", "patient", "--role", role, "--scenarios", "ami-01", "--store", store, *more]
    result = CliRunner().invoke(cli, arguments, input="".join(f"{line}\n" for line in lines))
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}"


def test_a_trainee_gets_feedback_on_an_interview_and_a_class_gets_a_spreadsheet(store: str) -> None:
    lines = [*QUESTIONS, "/conclude", "heart attack: pressure that spreads to the arm"]
    said = play(store, "doctor", lines, "--variant", "evolved", "--who", "Kim", "--full")
    assert "crushing pressure" in said
    assert "You brought out" in said
    assert "Missed" in said
    assert "Questions that fish for too much" in said
    assert "Your diagnosis: heart attack. That is right." in said
    assert "Time: 0 min" in said

    again = play(store, "doctor", ["Do you smoke?", "/conclude", "flu: a guess"], "--who", "Lee", "--json")
    told = json.loads(again[again.index("{") :])
    assert "This was dangerous" in json.dumps(told["feedback"][0])
    assert {score["metric"] for score in told["scores"]} >= {"elicited", "right_diagnosis"}
    assert told["feedback"][0]["title"] == "In short"

    grades = CliRunner().invoke(cli, ["grades", "patient", "--store", store])
    rows = list(csv.DictReader(io.StringIO(grades.output)))
    assert [(row["who"], row["role"], row["right_diagnosis"]) for row in rows] == [
        ("Kim", "doctor", "1.0"),
        ("Lee", "doctor", "0.0"),
    ]
    assert float(rows[0]["elicited"]) > float(rows[1]["elicited"])
    assert all(row["seconds"].isdigit() for row in rows)


def test_facts_that_the_patient_told_at_the_door_are_not_called_unheard(store: str) -> None:
    told = play(store, "doctor", ["Do you smoke?", "/conclude", "Heart attack."], "--variant", "training", "--full")
    door = "Breathing in or pressing on the chest does not change it."
    assert door in " ".join(told[: told.index("You are the doctor")].split()), "told to triage, on the first lines"
    missed = told[told.index(" Missed ") : told.index("Red flags")]
    assert door not in missed and f"nobody heard “{door}”" not in " ".join(told.split())
    shown, all_facts = map(int, re.findall(r"You brought out (\d+) of (\d+) facts", told)[0])
    share = float(re.findall(r"checklist that was brought out: ([\d.]+)", told)[0])
    assert share == pytest.approx(shown / all_facts, abs=0.001), "one figure, one value"
    assert "Your diagnosis: Heart attack. That is right." in told


def test_a_question_earns_no_praise_for_what_was_told_at_the_door(store: str) -> None:
    lines = ["Tell me about the pressure in your chest.", "/conclude", "Heart attack: the ECG"]
    told = play(store, "doctor", lines, "--variant", "training")
    door = told[: told.index("You are the doctor")]
    assert "crushing pressure" in door
    assert "you brought out “I have a crushing pressure" not in told


def test_a_question_earns_no_praise_for_a_fact_that_the_answer_has_no_word_of(store: str, tmp_path: Path) -> None:
    bundle = {
        "resourceType": "Bundle",
        "entry": [
            {"resource": {"resourceType": "Patient", "id": "p", "gender": "male", "birthDate": "1958-07-12"}},
            {"resource": {"resourceType": "Encounter", "id": "v", "period": {"start": "2024-02-03"}}},
            {"resource": {"resourceType": "Condition", "id": "a", "code": {"text": "Pneumonia"},
                          "encounter": {"reference": "Encounter/v"}}},
            {"resource": {"resourceType": "Condition", "id": "b", "code": {"text": "Essential hypertension"},
                          "onsetDateTime": "2001-05-01"}},
        ],
    }  # fmt: skip
    file = tmp_path / "bundle.json"
    file.write_text(json.dumps(bundle))
    lines = ["chest x-ray", "/conclude", "Pneumonia"]
    words = ["play", "patient", "--role", "doctor", "--variant", "training", "--scenarios", str(file), "--store", store]
    told = CliRunner().invoke(cli, words, input="\n".join([*lines, ""])).output
    assert "I have not had that test" in told and "with your question “chest x-ray”" not in told


def test_a_greeting_earns_less_praise_than_a_question(store: str) -> None:
    """Also a greeting brings out the complaint."""
    words = ["play", "patient", "--role", "doctor", "--scenarios", "pan-03", "--store", store]
    lines = "hi\nDo you take any medicines?\n/conclude\nGastritis: the pain\n"
    told = " ".join(CliRunner().invoke(cli, words, input=lines).output.split())
    assert "with your question “Do you take any medicines?”" in told and "with your question “hi”" not in told


def test_who_plays_the_patient_reads_which_question_an_answer_did_not_fit(store: str) -> None:
    told = play(store, "patient", ["My chest hurts.", *["I take nine tablets of aspirin."] * 12])
    slips = re.findall(r"Missing: (.*?)(?= Missing: | Next step: )", told)
    assert slips and all(re.fullmatch("“.*”, when asked “.*[?.]”, (is|says) .*", slip) for slip in slips), slips
    assert "criteria" not in told and "faithfulness" not in told


@pytest.mark.parametrize(
    ("typed", "diagnosis", "reasons"),
    [
        ("acute appendicitis: pain moved to the right", "acute appendicitis", "pain moved to the right"),
        ("DIAGNOSIS: appendicitis REASONS: the pain moved", "appendicitis", "the pain moved"),
        ("Diagnosis: appendicitis. Reasons: it moved", "appendicitis", "it moved"),
        ("My final diagnosis: appendicitis", "appendicitis", ""),
        ("Dx: appendicitis, why: it moved", "appendicitis", "it moved"),
        ("진단: 충수염 이유: 통증이 옮겨 갔어요", "충수염", "통증이 옮겨 갔어요"),
        ("No diagnosis yet", "No diagnosis yet", ""),
    ],
)
def test_the_names_of_the_two_fields_are_no_diagnosis(typed: str, diagnosis: str, reasons: str) -> None:
    told = Concludes.from_human(typed)
    assert (told.diagnosis, told.reasoning) == (diagnosis, reasons)


def test_show_has_the_whole_answer_of_a_person(store: str) -> None:
    play(store, "doctor", ["Do you smoke?", "/conclude", "Acid reflux: it burns"], "--variant", "training")
    shown = CliRunner().invoke(cli, ["show", "last", "ami-01:training:0", "--store", store]).output
    assert "doctor to record: Acid reflux: it burns" in shown


@pytest.mark.parametrize(
    ("language", "praise"),
    [("en", "with your question “{question}”"), ("ko", "“{question}”라는 질문으로")],
)
def test_feedback_quotes_the_trainees_own_question_and_does_not_praise_a_dangerous_decision(
    store: str, monkeypatch: pytest.MonkeyPatch, language: str, praise: str
) -> None:
    monkeypatch.setenv("LC_ALL", f"{language}_KR.UTF-8")
    question = "Does the pain spread to your arm or jaw?"
    told = play(store, "doctor", [question, "/conclude", "reflux"], "--variant", "training", "--full")
    assert praise.format(question=question) in told
    assert {"en": "This was dangerous", "ko": "위험했습니다"}[language] in told
    assert "Well done" not in told and "잘하셨습니다" not in told


@pytest.mark.parametrize(
    ("answer", "met"),
    [("What medicines do you take?", False), ("Shall I give you something for the pain?", True), ("I am here.", True)],
)
def test_a_question_about_something_else_is_no_answer_to_a_crisis(store: str, answer: str, met: bool) -> None:
    lines = ["Do you smoke?"] * 5 + [answer, "/conclude", "heart attack"]
    told = play(store, "doctor", lines, "--variant", "training", *(["--full"] if met else []))
    assert ("You answered the patient's crisis at once." in told) == met
    assert ("The patient's crisis went unanswered." in told) != met


def test_a_person_can_be_the_patient_and_is_told_what_was_given_away(store: str) -> None:
    lines = ["My chest hurts.", *["I think it is a heart attack."] * 10]
    said = play(store, "patient", lines, "--variant", "evolved")
    assert "How you played the patient" in said
    assert "diagnosis: heart attack" in said
    assert "What you know about it:" in said


@pytest.mark.parametrize(
    ("case", "typed", "right"),
    [
        ("ami-01", "Anterior STEMI: the pressure and the ECG", True),
        ("dka-01", "DKA", True),
        ("pe-01", "PE: a clot from the leg", True),
        ("ami-01", "No heart attack: anxiety", False),
        ("int-01", "bowel obstruction", False),
    ],
)
def test_short_names_are_right_diagnoses_but_denials_and_broader_names_are_not(
    store: str, case: str, typed: str, right: bool
) -> None:
    arguments = [
        "play",
        "patient",
        "--role",
        "doctor",
        "--scenarios",
        case,
        "--store",
        store,
        "--variant",
        "training",
        "--full",
    ]
    lines = ["Where is the pain?", "/conclude", typed, "Please wait here.", "x"]
    said = CliRunner().invoke(cli, arguments, input="".join(f"{line}\n" for line in lines)).output
    said = " ".join(said.split())
    assert ("That is right." in said) is right
    assert ("This was dangerous" in said) is not right, "an urgent illness was overlooked"


@pytest.mark.parametrize(
    "said",
    [
        "yes",
        "No.",
        "12345",
        "I do not know",
        "Any fever?",
        "is it the heart",
        "could this be a stroke",
        "what is it",
        "모르겠어요",
        "don't know",
        " ",
        "ECG please",
    ],
)
@pytest.mark.parametrize("filled_in", [False, True])
def test_what_is_no_diagnosis_is_asked_for_again_in_the_terminal_and_in_the_form(said: str, filled_in: bool) -> None:
    known = {"discipline": "cardiology", "profile": "", "complaint": "", "earlier": "", "heard": "", "notes": ()}
    prompt = Concludes.model_validate({**known, "memory": {}, "player": {}})
    request = Request("doctor", prompt, ())

    def given(diagnosis: str) -> str:
        if filled_in:
            return read_form(request, {"diagnosis": diagnosis, "reasoning": "it moves"}).text
        return read_typed(request, f"{diagnosis}: it moves").text

    with pytest.raises(Unreadable, match="diagnosis"):
        given(said)
    assert '"No fracture, a sprain"' in given("No fracture, a sprain")


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_a_person_is_told_which_question_is_the_last_although_a_trick_follows(store: str, seed: str) -> None:
    asked = [f"Where does it hurt, please, number {number}?" for number in range(12)]
    lines = [*asked, "heart attack: the pressure", "Rest."]
    shown = " ".join(play(store, "doctor", lines, "--variant", "walk-in", "--seed", seed).split())
    _, last, after = shown.partition("This is your last question: after it you must decide.")
    assert last and "The questions are over. Give your diagnosis now" in after
    assert "is no diagnosis, and there are no more questions" in after and "“heart attack” is right" in after


@pytest.mark.parametrize(("typed", "named"), [("PE or pneumonia", True), ("no PE, pneumonia", False)])
def test_a_right_diagnosis_among_several_is_named_but_not_overlooked(store: str, typed: str, named: bool) -> None:
    arguments = ["play", "patient", "--role", "doctor", "--scenarios", "pe-03", "--store", store]
    lines = ["Where is the pain?", "/conclude", typed]
    said = CliRunner().invoke(cli, arguments, input="".join(f"{line}\n" for line in lines)).output
    assert ("you named it but did not commit" in said) is named and ("This was dangerous" in said) is not named


def test_a_summary_is_praised_for_what_it_takes_up_and_not_for_its_length(store: str) -> None:
    told = play(store, "scribe", ["hello"] * 8)
    assert "“hello” says nothing of what the patient told." in " ".join(told.split())
    assert "Good: " not in told
    taken = play(
        store,
        "scribe",
        ["Pressure in the chest into the left arm and jaw while carrying shopping upstairs, cold sweat, felt sick."]
        * 8,
    )
    assert "takes up" in taken and "says nothing" not in taken
