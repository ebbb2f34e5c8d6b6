"""The desk's shortcuts must decide the same as the full checks."""

from __future__ import annotations

import ast
import inspect
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from polyclinic.clinics.frontdesk.prompts.intake import StaffRecord
from polyclinic.clinics.frontdesk.prompts.replies import EMERGENCY, NOT_YET
from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks, StaffChanges
from polyclinic.clinics.frontdesk.rules.addresses import tells_address
from polyclinic.clinics.frontdesk.rules.clauses import _KIN
from polyclinic.clinics.frontdesk.rules.names import tells_name
from polyclinic.clinics.frontdesk.rules.particulars import _DOUBT, _DOUBTS, _may_doubt, plainly, was_said
from polyclinic.clinics.frontdesk.rules.phones import says_number
from polyclinic.clinics.frontdesk.rules.sex_words import RELATIVES, TITLES, WORDS
from polyclinic.clinics.frontdesk.rules.sexes import _ANY, _AT_ONCE, _count_sexes, sexes_said
from polyclinic.clinics.frontdesk.scenario.config import preset
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize
from polyclinic.clinics.frontdesk.understudies.hearing import _INTRODUCED, _NAME, _NUMBER
from polyclinic.core.agent import read_completion
from polyclinic.core.files import package_data
from polyclinic.core.model import Completion
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, read_reply

_PHYSICIANS, _DAYS = ("Dr. Ada Novak", "Dr. Min-jun Lee"), ("2026-01-05", "2026-01-06")
_BOOKS = StaffBooks(
    department="allergy",
    physicians=_PHYSICIANS,
    days=_DAYS,
    today="today",
    patient_name="",
    problem="",
    patient_says="",
)
_CHANGES = StaffChanges(
    department="allergy", physicians=_PHYSICIANS, days=_DAYS, today="today", problem="", patient_says=""
)
_VALUES = [
    "",
    "Dr. Ada Novak",
    "Dr. Nobody",
    "2026-01-06",
    "2027-01-01",
    "ask",
    "cancel",
    "date_filter",
    "get_all_time",
]
_RECORD = ("allergy", "cardiology", NOT_YET, EMERGENCY, "", "dentistry")


def _record(must_decide: bool) -> StaffRecord:
    return StaffRecord(departments=("allergy",), department_lines=("allergy",), dialogue=(), must_decide=must_decide)


@pytest.mark.parametrize("prompt", [_BOOKS, _CHANGES, _record(True), _record(False)], ids=lambda p: type(p).__name__)
def test_the_shortcut_accepts_and_refuses_the_same_replies_as_the_full_form(prompt: Prompt[Any]) -> None:
    draw, taken = random.Random(1), 0
    fields = list(prompt.reply_type().model_fields)
    choices = _RECORD if isinstance(prompt, StaffRecord) else _VALUES
    for _ in range(1_500):
        reply = {
            name: draw.choice(choices) if name in ("department", "physician", "date", "action") else ""
            for name in fields
        }
        if draw.random() < 0.2:
            reply.pop(draw.choice(fields))
        text = orjson.dumps(reply).decode()
        try:
            expected = read_reply(text, prompt.reply_form()).model_dump()
        except Unreadable as refused:
            with pytest.raises(Unreadable, match=re.escape(str(refused))):
                read_completion(prompt, Completion(text=text))
        else:
            taken += 1
            assert read_completion(prompt, Completion(text=text)).model_dump() == expected
    assert 10 < taken < 1_400


PEOPLE = [contact.caller.person for contact in synthesize(preset("primary"), 3, 1) if contact.kind == "visit"]


@pytest.mark.parametrize("speaker", ["", "_parent", "_interpreter"])
@pytest.mark.parametrize("voice", ["first", "second"])
def test_what_the_shortcut_finds_is_also_found_without_it(voice: str, speaker: str) -> None:
    words = package_data("polyclinic.clinics.frontdesk", "data/voices.toml")[voice]["patient"]
    for person in PEOPLE[:120]:
        said = "".join([*(words[part + speaker] for part in ("person", "numbers", "address")), words["undiagnosed"]])
        text = said.format(**person.model_dump(), adult="woman" if person.sex == "female" else "man")
        assert person.sex in sexes_said(text)
        for field, long in (
            ("name", tells_name(person.name, text)),
            ("phone", says_number(person.phone, text, phone=True)),
            ("identifier", says_number(person.identifier, text, phone=False)),
            ("address", tells_address(person.address, text)),
        ):
            assert long and was_said(field, person, text), (field, text)
            value = getattr(person, field)
            for wrong in (f"My number is {value}, no, wait.", f"My boss's address is {value}.", f"I lost {value}."):
                assert not plainly(value, wrong), wrong
            for wrong in (f"The number of my child is {value}.", f"My number is {value}. I have no number."):
                assert not plainly(value, wrong), wrong
    assert plainly("+821004526230", "My mobile number is +821004526230."), "the shortcut is taken"


def test_the_shortcut_holds_no_fragment_of_a_players_sentence() -> None:
    """Else it would be quicker, or surer, about what offline players say than about what anybody else says."""
    source = Path(inspect.getfile(was_said)).read_text(encoding="utf-8")
    patterns = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    written = [text for text in patterns if isinstance(text, str) and ("|" in text or "\\b" in text)]
    runs = {run for text in written for run in re.findall(r"[a-z]{2,}(?: [a-z]{2,})+", text)}
    voices = package_data("polyclinic.clinics.frontdesk", "data/voices.toml")
    said = " ".join(line for voice in voices.values() for line in _strings(voice)).lower()
    assert "you can reach me on" in said and "my phone number is" in said
    assert [run for run in runs if run in said] == []


def _strings(table: Any) -> Iterator[str]:
    if isinstance(table, str):
        yield table
    elif isinstance(table, (dict, list)):
        for each in table.values() if isinstance(table, dict) else table:
            yield from _strings(each)


@pytest.mark.parametrize(
    "after", ["No, nobody has that any more.", "No one has used it.", "Nobody has told me. No.", "No, nobody told me."]
)
def test_a_no_that_may_withdraw_an_earlier_value_gets_the_full_check(after: str) -> None:
    assert not plainly("+821004526230", f"My number is +821004526230. {after}")


_ODD = ["fiancé", "fiancée", "fiancees", "grandad", "kid", "kids", "neighbor", "neighbour", "mother-in-law", "in-laws"]


def _sentences(words: list[str]) -> list[str]:
    """Sentences with one to three of the words, or with longer words that contain them."""
    draw = random.Random(5)
    found = []
    for word in words * 3:
        other = draw.choice(words)
        found += [f"it is {word} {other}, really", f"{word}-{other} x{word} {other}2.", f"{word}s; {other}'s", word]
    return found


def test_every_sentence_that_may_deny_a_value_passes_the_quick_check() -> None:
    words = [word for word in f"{_DOUBTS}|{_KIN}|no|not".split("|") if word.replace(" ", "").isalpha()]
    doubted = [text for text in _sentences([*words, *_ODD, "don't", "isn’t", "so?"]) if _DOUBT.search(text)]
    assert len(doubted) > 500
    assert all(_may_doubt(text) for text in doubted)
    assert not _may_doubt("my address is 4, notary road, knowland. i know a sonata.")


def test_words_for_a_sex_are_counted_as_the_pattern_finds_them() -> None:
    every = "|".join((*WORDS.values(), *RELATIVES.values(), *TITLES.values()))
    words = [word for word in every.split("|") if re.fullmatch(r"[a-z'-]+", word)]
    for text in _sentences([*words, "females", "femal", "woman", "women", "여자"]):
        assert _count_sexes(text) == len(_ANY.findall(text.lower())), text
    assert _AT_ONCE.findall("I am male, and WI am a man. Grandchild is male. The child is a woman; patient is man") == [
        "male",
        "woman",
        "man",
    ]


_SLOW_NUMBER = re.compile(r"(?<![\w-])\+?\(?\d[\d ()/-]{5,}\d(?![\w-])")
_SLOW_INTRODUCED = re.compile(
    rf"(?:\b[Nn]ame(?:'s| is|:)|\bI am|\bI'm|\b[Tt]his is|\b[Cc]alled|\b[Ii]t is for)\s*({_NAME})"
)
_PIECES = ["name's", "Name is", "name:", "I am", "I'm", "this is", "Called", "it is for", "surname is", "WI am", "x"]


@pytest.mark.parametrize(
    ("quick", "slow", "pieces"),
    [
        (_NUMBER, _SLOW_NUMBER, list("+()-/0123456789a. ")),
        (_INTRODUCED, _SLOW_INTRODUCED, [*_PIECES, " ", " ", "Kim", "Lee Tae-min", " de Boer", "Ann Lee", ". "]),
    ],
)
def test_a_fast_pattern_finds_the_same_as_the_plain_pattern(
    quick: re.Pattern[str], slow: re.Pattern[str], pieces: list[str]
) -> None:
    draw, found = random.Random(2), 0
    for _ in range(10_000):
        text = "".join(draw.choice(pieces) for _ in range(draw.randrange(24)))
        places = [match.span() for match in slow.finditer(text)]
        assert [match.span() for match in quick.finditer(text)] == places, text
        found += len(places)
    assert found > 500


def test_a_person_whose_step_failed_is_asked_in_different_words() -> None:
    for prompt in (_BOOKS, _CHANGES):
        failed = prompt.model_copy(update={"problem": "no doctor of this department was given"})
        assert prompt.form_hints().ask == "Today is today. What do you do?"
        assert failed.form_hints().ask.startswith("That did not work: no doctor of this department was given. ")
