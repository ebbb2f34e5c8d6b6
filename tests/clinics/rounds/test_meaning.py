"""Players and judges share no words, players learn from meaning, and how much follows a documented model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import polyclinic.clinics.rounds as rounds
from polyclinic.clinics.rounds.readings import READINGS
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose
from polyclinic.clinics.rounds.understudies.learning import Taught, asked_chance, chance_unseen, shifted
from polyclinic.clinics.rounds.understudies.student import remembered, tells, understood
from polyclinic.clinics.rounds.understudies.voices import voice
from polyclinic.clinics.rounds.variants import VARIANTS, RoundsVariant
from polyclinic.core.model import Completion, Request
from polyclinic.core.prompt import Prompt
from polyclinic.core.understudy import Ask
from polyclinic.errors import ConfigError
from polyclinic.people.students import Student, students
from polyclinic.reading.reader import BuiltInReader
from tests.clinics.rounds.cases import case_named
from tests.clinics.rounds.conftest import Change, Play

HOME = Path(rounds.__file__).parent
VOICES = ("first", "second")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _strings(item)


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def test_no_sentence_of_a_player_is_in_the_files_of_judges_and_rules() -> None:
    rooms = ("rules", "judges", "flow", "data/rubrics")
    files = [HOME / "readings.py", *(path for room in rooms for path in (HOME / room).rglob("*.*"))]
    judged = "\n".join(path.read_text() for path in files if path.suffix in {".py", ".toml"}).casefold()
    for name in VOICES:
        spoken = [words for words in _strings(voice(name).model_dump()) if len(words.split()) >= 4]
        assert len(spoken) > 40
        assert not [words for words in spoken if words.casefold() in judged]


def test_players_and_judges_do_not_import_each_other() -> None:
    own = "polyclinic.clinics.rounds."
    for path in (HOME / "understudies").glob("*.py"):
        others = (f"{own}judges", f"{own}flow", f"{own}rules.heard", f"{own}rules.leak")
        assert not [name for name in _imports(path) if name.startswith(others)]
    for room in ("judges", "flow", "rules", "agents"):
        for path in (HOME / room).glob("*.py"):
            assert not [name for name in _imports(path) if name.startswith(f"{own}understudies")]


def test_both_voices_say_everything_in_words_of_their_own() -> None:
    spoken = [voice(name).model_dump(exclude={"steps"}) for name in VOICES]
    first, second = (dict(zip(_paths(words), _strings(words), strict=True)) for words in spoken)
    assert first.keys() == second.keys()
    assert not [path for path, words in first.items() if words == second[path]]


def _paths(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _paths(item, f"{path}.{number}")


@pytest.mark.parametrize("name", VOICES)
def test_a_student_finds_its_own_steps_in_its_own_words(name: str) -> None:
    for case in (case_named("card-01"), case_named("card-03")):
        notes = f"{tells(voice(name), case, 0, 'saw')} {tells(voice(name), case, 2, 'worked')}"
        assert remembered(voice(name), case, notes) == {0: "saw", 2: "worked"}


def test_the_words_of_the_second_voice_fit_their_cases() -> None:
    for name, steps in voice("second").steps.items():
        assert len(steps) == len(case_named(name).steps), name
        assert all(step.asks.endswith("?") for step in steps), name


def _asks(prompt: Prompt[str]) -> Ask[Prompt[str]]:
    reader = BuiltInReader({kind.name: kind for kind in READINGS})
    return Ask(prompt, Request("student-1", prompt, ()), {}, reader)


async def test_a_good_question_in_other_words_is_understood_and_a_question_about_lunch_is_not(play: Play) -> None:
    prompt = (await play(case_named("card-01"), "one-student")).prompts("student")[0]
    ask, student = _asks(prompt), students()[0]
    right = wrong = 0
    for name, steps in voice("second").steps.items():
        case = case_named(name)
        for number, step in enumerate(steps):
            right += bool(understood(ask, student, case, step.asks, number).asked)
            wrong += bool(understood(ask, student, case, "Did you all have a good lunch today?", number).asked)
    assert right >= 20 and wrong <= 3, (right, wrong)


def _nonsense(request: Request, completion: Completion) -> Completion:
    return replace(completion, text="Is a banana bent because it grows towards the sun?")


async def _gain(play: Play, variant: str = "full", changes: dict[str, Change] | None = None) -> float:
    gained = 0
    for name in ("card-01", "card-04", "neph-02", "endo-05"):
        played = await play(case_named(name), variant, changes=changes)
        chosen = played.result.transcript.notes(Chose)
        gained += sum(note.right for note in chosen if note.when == "final")
        gained -= sum(note.right for note in chosen if note.when == "first")
    return gained / 12


async def test_without_the_tutors_words_there_is_no_gain(play: Play) -> None:
    taught, knocked_out = await _gain(play), await _gain(play, changes={"tutor": _nonsense})
    untutored = await _gain(play, "untutored")
    assert taught >= untutored + 0.2
    assert abs(knocked_out - untutored) <= 0.1


def test_how_much_students_learn_is_a_setting() -> None:
    full = VARIANTS["full"]
    assert full.configured({"learning": "0.5", "voice": "second"}) == full.model_copy(
        update={"learning": 0.5, "voice": "second"}
    )
    for options in ({"learning": "-1"}, {"learning": "much"}, {"voice": "third"}):
        with pytest.raises(ConfigError, match="--set"):
            full.configured(options)
    assert rounds.clinic.settings == RoundsVariant.SETTINGS


@pytest.mark.parametrize("student", students()[:20], ids=lambda student: student.id)
def test_more_teaching_never_has_less_effect(student: Student) -> None:
    case = case_named("card-03")
    sizes = (0.5, 1.0, 2.0)
    for step in case.steps:
        plain, named = (Taught(frozenset({0}), named=named) for named in (False, True))
        chances = [asked_chance(student, step, plain, True, size) for size in sizes]
        assert chances == sorted(chances) and asked_chance(student, step, plain, True, 0.0) == 0.0
        assert asked_chance(student, step, named, True, 1.0) > asked_chance(student, step, plain, True, 1.0)
        assert asked_chance(student, step, plain, False, 1.0) < asked_chance(student, step, plain, True, 1.0)
    untaught = chance_unseen(student, case, 0, 0, 1.0)
    assert chance_unseen(student, case, 4, 4, 0.0) == untaught
    assert chance_unseen(student, case, 4, 0, 1.0) > chance_unseen(student, case, 0, 4, 1.0) > untaught


def test_log_odds_are_shifted_as_stated() -> None:
    assert shifted(0.5, 0.0) == pytest.approx(0.5)
    assert shifted(0.5, 1.7) == pytest.approx(0.8455, abs=1e-3)


async def test_a_report_keeps_what_the_reader_found_for_feedback(play: Play) -> None:
    played = await play(case_named("card-03"), "full")
    assert any(note.held for note in played.result.transcript.notes(Analysed))
