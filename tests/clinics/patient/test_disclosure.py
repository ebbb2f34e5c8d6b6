"""What may enter the patient's context, and what the leak detector finds in its words. Both are code, not a judge."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.patient.rules.cheats import CHEATS_PER_CASE, cheat_kinds, cheat_turns, word_cheat, wordings
from polyclinic.clinics.patient.rules.disclosure import TOP_FACTS, brief
from polyclinic.clinics.patient.rules.leaks import facts_told, is_refusal, leaks, too_much
from polyclinic.clinics.patient.rules.questions import CHEATS, Kind, QuestionType, is_cheat, kind_of, parts_of, type_of
from polyclinic.clinics.patient.rules.vagueness import arrival_lines, drop_sentences, make_vague
from polyclinic.clinics.patient.rules.vocabulary import overlap
from polyclinic.clinics.patient.scenario.disciplines import disciplines
from polyclinic.clinics.patient.scenario.record import Level
from polyclinic.clinics.patient.scenario.shipped import record, shipped_records
from polyclinic.core.seed import stream
from polyclinic.text.phrases import mentioned

FAIR = [question for discipline in disciplines().values() for question in discipline.questions]


def near(text: str, others: Sequence[str]) -> list[float]:
    return [overlap(text, other) for other in others]


def cheat_lines() -> list[tuple[Kind, str]]:
    return [
        (kind, line.format(test="abdominal CT", symptom="pain", disease="appendicitis"))
        for kind, words in wordings().items()
        for line in (*words.practice, *words.exam)
    ]


@pytest.mark.parametrize("at", range(0, 66, 3))
def test_the_diagnosis_and_what_is_never_known_are_in_no_context_whatever_is_asked(at: int) -> None:
    case = shipped_records()[at]
    hidden = {fact.id for fact in case.at(Level.NEVER)}
    questions = [*FAIR[::4], *(line for _, line in cheat_lines()[::3]), case.diagnosis, *case.disease.names]
    for question in questions:
        given = brief(case, question, near)
        assert not hidden & set(given.ids), question
        assert not any(mentioned(line, case.disease.names) for line in given.lines), question
        assert len(given.facts) <= TOP_FACTS


def test_results_come_only_with_the_test_that_is_named() -> None:
    case = record("app-01")
    assert brief(case, "Do you have pain in your belly?", near).results == ()
    assert brief(case, "What were all your test results?", near).results == ()
    ultrasound = brief(case, "Please have an abdominal ultrasound.", near)
    assert {fact.test for fact in ultrasound.results} == {"abdominal ultrasound"}
    assert {fact.test for fact in brief(case, "Please have a full blood count.", near).results} == {
        "complete blood count"
    }
    assert {fact.test for fact in brief(case, "Please have an ultrasound.", near).results} == {"abdominal ultrasound"}
    unknown = brief(case, "Please have a brain MRI.", near)
    assert unknown.results == ()
    assert unknown.unknown_test


def test_a_question_brings_out_the_facts_it_is_about() -> None:
    case = record("npc-01")
    assert "salted fish" in " ".join(brief(case, "What do you eat, and do you smoke?", near).lines)
    assert "uncle" in brief(case, "Does anybody in your family have a serious illness?", near).facts[0].text
    assert "ringing" in brief(case, "Do you hear ringing in your ear?", near).facts[0].text


def test_fair_questions_are_not_taken_for_cheats_and_cheats_are_known_by_kind() -> None:
    assert [question for question in FAIR if is_cheat(question)] == []
    assert [(kind, line) for kind, line in cheat_lines() if kind_of(line) is not kind] == []
    assert set(wordings()) == set(CHEATS)


def test_questions_about_the_family_suggest_no_disease() -> None:
    assert kind_of("Has anybody in the family had a heart attack?") is Kind.PLAIN
    assert kind_of("Have you had a heart attack?") is Kind.GUESS


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
def test_each_of_the_ten_types_is_told_by_its_words(question: str, kind: QuestionType) -> None:
    assert type_of(question) is kind


def test_parts_of_a_question_are_counted() -> None:
    assert parts_of("Where is the pain?") == 1
    assert parts_of("Where is it? Since when? How bad?") == 3
    assert parts_of("When did it begin, how bad is it, what helps, and is there any fever?") >= 3


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
def test_the_detector_finds_names_and_results_nobody_asked_for(answer: str, kinds: list[str]) -> None:
    assert [leak.kind for leak in leaks(record("app-01"), "How are you?", answer)] == kinds


def test_a_result_is_no_leak_once_its_test_was_asked_for() -> None:
    case, answer = record("app-01"), "White cells: 14.6 x10^9/L."
    assert leaks(case, "How are you?", answer)
    assert not leaks(case, "Please have a blood count.", answer)
    assert not leaks(case, "How are you?", answer, ["complete blood count"])


def test_repeating_a_suggested_name_while_declining_is_no_leak_but_confirming_it_is() -> None:
    case, question = record("app-01"), "Do you have appendicitis?"
    assert not leaks(case, question, "I would not know whether it is appendicitis, nobody has told me that.")
    assert [leak.kind for leak in leaks(case, question, "Yes, I think so.")] == ["confirmed guess"]


def test_acronyms_match_only_as_written() -> None:
    case = record("pe-01")
    assert not mentioned("I hope so, perhaps.", case.disease.names)
    assert mentioned("They said PE.", case.disease.names) == ["PE"]


@pytest.mark.parametrize("at", range(66))
def test_no_record_leaks_in_its_own_words_when_told_one_fact_at_a_time(at: int) -> None:
    case = shipped_records()[at]
    for fact in case.at(Level.VOLUNTEERED, Level.ASKED):
        assert leaks(case, "How are you?", fact.text) == [], fact.text
        assert fact in facts_told(case, fact.text)


def test_an_answer_with_three_facts_is_too_much_and_with_two_is_not() -> None:
    case = record("ami-01")
    facts = [fact.text for fact in case.at(Level.VOLUNTEERED, Level.ASKED)]
    assert too_much(case, " ".join(facts[:2])) == []
    assert len(too_much(case, " ".join(facts[:3]))) >= 3


def test_refusals_are_known_by_their_words() -> None:
    assert is_refusal("I don’t understand that word, doctor.")
    assert is_refusal("You're the doctor.")
    assert not is_refusal("It hurts here, doctor.")


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


def test_cheats_come_in_different_kinds_and_turns_with_words_kept_for_tests() -> None:
    for number in range(50):
        kinds = cheat_kinds(stream("kinds", number))
        assert len(kinds) == len(set(kinds)) == CHEATS_PER_CASE
        turns = cheat_turns(10, CHEATS_PER_CASE, stream("turns", number))
        assert len(set(turns)) == CHEATS_PER_CASE
        assert min(turns) >= 1
        assert max(turns) <= 9
    kept = set(wordings()[Kind.EVERYTHING].exam)
    learning = {
        word_cheat(Kind.EVERYTHING, False, stream("w", n), tests=["ECG"], symptom="pain", disease="gout")
        for n in range(200)
    }
    testing = {
        word_cheat(Kind.EVERYTHING, True, stream("w", n), tests=["ECG"], symptom="pain", disease="gout")
        for n in range(200)
    }
    assert not learning & kept
    assert testing & kept
