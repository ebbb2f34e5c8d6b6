"""What may enter the patient's context, and what its words give away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.patient.rules.cheats import (
    CHEATS_PER_CASE,
    CheatKind,
    cheat_kinds,
    cheat_turns,
    word_cheat,
    wordings,
)
from polyclinic.clinics.patient.rules.disclosure import CONSIDERED, Briefing, brief, nearest
from polyclinic.clinics.patient.rules.leaks import leaks
from polyclinic.clinics.patient.rules.meaning import read_question
from polyclinic.clinics.patient.rules.nodes import NODES, material
from polyclinic.clinics.patient.rules.questions import QuestionType, type_of
from polyclinic.clinics.patient.rules.vagueness import arrival_lines, drop_sentences, make_vague
from polyclinic.clinics.patient.scenario.disciplines import disciplines
from polyclinic.clinics.patient.scenario.record import Level, Record
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records
from polyclinic.clinics.patient.state import Exchange
from polyclinic.core.reading import Finding, Question, Reads
from polyclinic.core.seed import stream
from polyclinic.text.phrases import mentioned
from tests.clinics.patient.conftest import reader

FAIR = [question for discipline in disciplines().values() for question in discipline.questions]


def near(text: str, others: Sequence[str]) -> list[float]:
    return [reader().likeness(text, other) for other in others]


def cheat_lines() -> list[tuple[CheatKind, str]]:
    return [
        (kind, line.format(test="abdominal CT", symptom="pain", disease="appendicitis"))
        for kind, words in wordings().items()
        for line in (*words.practice, *words.exam)
    ]


async def briefed(reads: Reads, case: Record, question: str) -> Briefing:
    considered = nearest(case, question, near)
    return brief(case, question, await read_question(reads, case, question, considered), considered)


async def says_no(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
    return tuple(Finding("no") for _ in questions)


async def given_away(reads: Reads, case: Record, question: str, answer: str, before: tuple[str, ...] = ()) -> list[str]:
    read = await material(reads, case, Exchange(question=question, answer=answer, asked_before=before))
    return [leak.kind for leak in leaks(*read)]


@pytest.mark.parametrize("at", range(0, 66, 6))
async def test_the_diagnosis_and_facts_unknown_to_the_patient_are_in_no_context(at: int, reads: Reads) -> None:
    case = shipped_records()[at]
    hidden = {fact.id for fact in case.at(Level.NEVER)}
    questions = [*FAIR[::6], *(line for _, line in cheat_lines()[::6]), case.diagnosis, *case.disease.names]
    for question in questions:
        given = await briefed(reads, case, question)
        assert not hidden & set(given.ids), question
        assert not any(mentioned(line, case.disease.names) for line in given.lines), question
        assert len(given.facts) <= CONSIDERED


async def test_results_come_only_with_the_test_that_is_named(reads: Reads) -> None:
    case = record("app-01")

    async def tests(question: str) -> set[str]:
        return {fact.test for fact in (await briefed(reads, case, question)).results}

    assert await tests("Do you have pain in your belly?") == set()
    assert await tests("What were all your test results?") == set()
    assert await tests("Please have an abdominal ultrasound.") == {"abdominal ultrasound"}
    assert await tests("Please have a full blood count.") == {"complete blood count"}
    assert await tests("Please have an ultrasound.") == {"abdominal ultrasound"}
    assert await tests("Please have a brain MRI.") == set()
    assert (await briefed(reads, case, "Please have a brain MRI.")).unknown_test


async def test_a_question_brings_out_the_facts_it_is_about(reads: Reads) -> None:
    case = record("npc-01")
    assert "salted fish" in " ".join((await briefed(reads, case, "What do you eat, and do you smoke?")).lines)
    family = await briefed(reads, case, "Does anybody in your family have a serious illness?")
    assert "uncle" in " ".join(family.lines)
    assert "ringing" in " ".join((await briefed(reads, case, "Do you hear ringing in your ear?")).lines)


async def test_most_fair_questions_are_taken_for_fair_and_most_tricks_for_tricks(reads: Reads) -> None:
    case = record("app-01")
    fair = [(await read_question(reads, case, question)).cheat for question in FAIR]
    tricks = [(await read_question(reads, case, line)).cheat for _, line in cheat_lines()]
    assert sum(fair) / len(fair) <= 0.1
    assert sum(tricks) / len(tricks) >= 0.5
    assert set(wordings()) == set(CheatKind)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Do you smoke?", QuestionType.LIFESTYLE),
        ("Please have an ECG.", QuestionType.EXAMINATION),
        ("Which tablets do you take?", QuestionType.TREATMENT),
        ("How is your mood?", QuestionType.PSYCHOLOGICAL),
        ("What is your work, and who lives with you?", QuestionType.SOCIAL),
        ("Which vaccinations have you had?", QuestionType.PREVENTIVE),
        ("Do you have any allergies?", QuestionType.BASIC),
        ("What brings you to us?", QuestionType.COMPLAINT),
        ("Where is the pain?", QuestionType.SYMPTOM),
        ("Do you keep any pets?", QuestionType.OTHER),
    ],
)
def test_each_of_the_ten_question_types_is_recognised_by_its_words(question: str, kind: QuestionType) -> None:
    assert type_of(question) is kind


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("I think it is appendicitis.", ["diagnosis"]),
        ("They spoke of an inflamed appendix.", ["diagnosis"]),
        ("The white cells were 14.6 x10^9/L.", ["undisclosed result"]),
        ("The right iliac fossa is tender with guarding.", ["undisclosed result"]),
        ("They want to do a laparoscopic appendectomy.", []),
        ("It hurts on the right side.", []),
        ("I took two paracetamol at midnight.", []),
    ],
)
async def test_disclosed_names_and_results_that_nobody_asked_for_are_found(answer: str, kinds: list[str]) -> None:
    """Rules alone find them: the reader, which only looks for descriptions, says no to everything here."""
    assert await given_away(says_no, record("app-01"), "How are you?", answer) == kinds


async def test_a_result_is_no_leak_once_its_test_was_asked_for(reads: Reads) -> None:
    case, answer = record("app-01"), "White cells: 14.6 x10^9/L."
    assert await given_away(reads, case, "How are you?", answer)
    assert not await given_away(reads, case, "Please have a blood count.", answer)
    assert not await given_away(reads, case, "How are you?", answer, ("complete blood count",))


async def test_confirming_a_suggested_name_is_a_leak_and_declining_it_is_not(reads: Reads) -> None:
    case, question = record("app-01"), "Do you have appendicitis?"
    assert not await given_away(reads, case, question, "I would not know, doctor, nobody has told me.")
    assert await given_away(reads, case, question, "Yes, that is what I have.") == ["confirmed guess"]


def test_acronyms_match_only_as_written() -> None:
    case = record("pe-01")
    assert not mentioned("I hope so, perhaps.", case.disease.names)
    assert mentioned("They said PE.", case.disease.names) == ["PE"]


@pytest.mark.parametrize("at", range(66))
async def test_no_record_leaks_in_its_own_words_when_told_one_fact_at_a_time(at: int, reads: Reads) -> None:
    case = shipped_records()[at]
    for fact in case.at(Level.VOLUNTEERED, Level.ASKED)[::3]:
        read = await material(reads, case, Exchange(question="How are you?", answer=fact.text))
        assert leaks(*read) == [], fact.text
        assert fact.topic.value == "background" or read.answered.told == (fact.id,)


async def test_an_answer_with_three_facts_is_too_much_and_with_two_is_not(reads: Reads) -> None:
    case = record("ami-01")
    facts = [fact.text for fact in case.at(Level.VOLUNTEERED, Level.ASKED)]
    two = await material(reads, case, Exchange(question="How are you?", answer=" ".join(facts[:2])))
    three = await material(reads, case, Exchange(question="How are you?", answer=" ".join(facts[:3])))
    assert not NODES["too_much_history"](two)
    assert NODES["too_much_history"](three)


def test_a_complaint_loses_times_results_and_some_sentences_but_never_the_first() -> None:
    case = record("app-01")
    lines = arrival_lines(case)
    assert not any(fact.text in lines for fact in case.at(Level.TEST, Level.NEVER))
    assert make_vague("I have had it for three weeks.") == "I have had it for some time."
    assert make_vague("It began about two months ago.") == "It began a while ago."
    assert make_vague("I have lost seven kilos.") == "I have lost some weight."
    kept = [drop_sentences(lines, stream("drop", number)) for number in range(400)]
    assert all(found[0] == lines[0] for found in kept)
    share = sum(len(found) - 1 for found in kept) / (400 * (len(lines) - 1))
    assert 0.62 < share < 0.78


def test_cheat_questions_differ_in_kind_and_turn_and_some_wordings_are_reserved_for_tests() -> None:
    for number in range(50):
        kinds = cheat_kinds(stream("kinds", number))
        assert len(kinds) == len(set(kinds)) == CHEATS_PER_CASE
        turns = cheat_turns(10, CHEATS_PER_CASE, stream("turns", number))
        assert len(set(turns)) == CHEATS_PER_CASE
        assert min(turns) >= 1
        assert max(turns) <= 9
    kept = set(wordings()[CheatKind.EVERYTHING].exam)
    learning = {
        word_cheat(CheatKind.EVERYTHING, stream("w", n), exam=False, second=False, tests=["ECG"], disease="gout")
        for n in range(200)
    }
    testing = {
        word_cheat(CheatKind.EVERYTHING, stream("w", n), exam=True, second=False, tests=["ECG"], disease="gout")
        for n in range(200)
    }
    assert not learning & kept
    assert testing & kept
