"""The questions about a case: what the reader compares a text with, given as data or read back from a file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polyclinic.clinics.rounds.readings import READINGS, CaseRead
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import shipped_cases
from polyclinic.core.reading import AnswerOption, Compared, Question
from tests.clinics.rounds.cases import case_named

KINDS = {kind.name: kind for kind in READINGS}


def _questions(case: TeachingCase) -> list[Question]:
    read = CaseRead.from_case(case)
    return [read.leak(), read.false(), *read.asks(), *read.holds(), *read.chooses()]


def test_a_question_of_a_file_is_compared_with_the_same_as_the_question_of_its_case() -> None:
    for case in shipped_cases():
        for asked in _questions(case):
            again = KINDS[asked.kind].read_back(asked.words, asked.context)
            assert again.compared == asked.compared and dict(again.facts) == dict(asked.facts)


def _with_brackets(case: TeachingCase) -> TeachingCase:
    return case.model_copy(update={"options": {**case.options, "A": "Aspirin (300 mg); then clopidogrel"}})


@pytest.mark.parametrize("change", [lambda case: case, _with_brackets])
def test_every_option_is_compared_with_all_others_whatever_signs_it_has(
    change: Callable[[TeachingCase], TeachingCase],
) -> None:
    case = change(case_named("card-01"))
    options = tuple(AnswerOption(letter, words) for letter, words in case.options.items())
    compared = [question.compared for question in CaseRead.from_case(case).chooses()]
    assert compared == [Compared.with_option(option, options) for option in options]
    assert [each.letter for each in compared] == list(case.options)
    assert all(len(each.rivals) == len(options) - 1 for each in compared)


def test_an_open_question_has_no_options_to_compare_with() -> None:
    case = case_named("card-01").model_copy(update={"options": {}, "answer": "A beta-blocker"})
    assert all(question.compared._replace(pitfalls=()) == Compared() for question in _questions(case))
