"""The fixed sentences of feedback: one table for each clinic, each sentence in English and Korean."""

from __future__ import annotations

import ast
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

from polyclinic.eval.in_short import COMMON, Phrases, Sentences, quoted

CLINICS = Path(__file__).parents[2] / "src/polyclinic/clinics"
TABLES = sorted(path for path in CLINICS.glob("*/**/*.py") if "\nFEEDBACK: Sentences" in path.read_text("utf-8"))
HANGUL = re.compile("[가-힣]")


def table_of(path: Path) -> Sentences:
    name = ".".join(path.relative_to(CLINICS).with_suffix("").parts)
    found: Sentences = import_module(f"polyclinic.clinics.{name}").FEEDBACK
    return found


def blanks(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_clinic_has_one_table() -> None:
    clinics = {path.parent.name for path in CLINICS.glob("*/__init__.py")}
    assert {path.relative_to(CLINICS).parts[0] for path in TABLES} == clinics and len(TABLES) == len(clinics)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.relative_to(CLINICS).parts[0])
def test_both_languages_fill_the_same_blanks_and_every_sentence_is_used(path: Path) -> None:
    table = table_of(path)
    assert not set(table) & set(COMMON)
    for name, (english, korean) in table.items():
        assert blanks(english) == blanks(korean), name
        assert not HANGUL.search(english), name
        only_blanks = not re.sub(r"\{\w+\}|\W", "", korean)
        assert HANGUL.search(korean) or only_blanks, name
    folder = path.parent
    said = Counter(
        node.value
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    made = (
        "ask ",
        "code ",
        "task ",
        "by ",
        "way ",
        "end ",
        "label ",
        "risk ",
        "stage ",
        "subject ",
    )  # names that are composed from a value
    assert [name for name in table if said[name] < 2 and not name.startswith(made)] == []


def test_a_part_without_a_measure_says_so_and_praises_nothing() -> None:
    short = Phrases("en", {}).in_short(unmeasured="caller", next_step="ask more.")
    assert [block.text for block in short.body if hasattr(block, "text")] == [
        "How well the part “caller” is played is not measured. This is what the session recorded.",
        "Next step: ask more.",
    ]
    assert Phrases("ko", {}).in_short().title == "요약"


def test_words_of_people_are_quoted_as_they_are() -> None:
    say = Phrases("en", {"told": ("you said {words}", "{words}")})
    assert say("told", words=quoted("{why} {0}")) == "you said “{why} {0}”"
    assert say.your_words(["{x}"]).body and "You said nothing." in str(say.your_words([]).body)
