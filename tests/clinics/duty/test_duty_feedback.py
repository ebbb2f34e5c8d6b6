"""Feedback for a person on duty is fair: blame only for words about the shift, praise only for the person's own."""

from __future__ import annotations

import pytest

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.report import ending, feedback, performance
from polyclinic.clinics.duty.rules.subject import about_the_shift
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Event, Said, Transcript, Violated
from polyclinic.eval.sections import Paragraph

SHIFTS = by_id(shipped())


def case_with(scenario: str, *events: Event) -> Case[AnyDuty]:
    return Case(SHIFTS[scenario], clinic.variant("plain"), Transcript(list(events)))


def told(case: Case[AnyDuty], part: str, language: str = "en") -> list[str]:
    return [block.text for block in feedback(case, part, language)[0].body if isinstance(block, Paragraph)]


@pytest.mark.parametrize("words", ["ok", "Bananas are yellow.", "I like football.", "바나나는 노랗습니다."])
def test_words_off_the_subject_are_not_dangerous_but_show_what_is_missing(words: str) -> None:
    said = Said(speaker="trainee", to="patient", text=words)
    case = case_with("t1-11-lithium", said, Violated(rule="SOP-1", by="trainee", severity=5, words=words))
    english, korean = told(case, "trainee"), told(case, "trainee", "ko")
    assert not any(text.startswith(("This was dangerous", "Good")) for text in english), english
    assert english[0].startswith(f"Missing: with “{words}” you did not come to the matter yet."), english
    assert "위험" not in " ".join(korean) and korean[0].startswith(f"부족한 점: “{words}”"), korean
    assert (figures := performance(case, "trainee"))["own_breaches"] == figures["gravest_breach"] == 0
    assert ending(case, "trainee") == "no broken rule was found"


@pytest.mark.parametrize(
    "words", ["Double it.", "The indapamide goes on.", "Your creatinine was 80.", "약을 두 배로 드세요."]
)
def test_words_about_the_shift_that_break_a_grave_rule_are_dangerous(words: str) -> None:
    breach = Violated(rule="INFO-3", by="trainee", severity=4, words=words)
    rude = Violated(rule="SAFE-1", by="trainee", severity=2, words="You silly man.")
    case = case_with("t1-11-lithium", Said(speaker="trainee", to="patient", text=words), breach, rude)
    assert told(case, "trainee")[0].startswith(f"This was dangerous: you said “{words}”")
    assert performance(case, "trainee")["own_breaches"] == 2, "a rude word is a breach without a medicine in it"


@pytest.mark.parametrize("shift", ["t2-01-chest", "t3-03-hip"])
def test_ordinary_words_are_about_no_shift(shift: str) -> None:
    found = next(case for name, case in SHIFTS.items() if name.startswith(shift))
    for words in ("Good morning, please check the allergies first and I will confirm with you", "I will ask my senior"):
        assert not about_the_shift(found, words)
    named = [resource.words[0] for resource in found.resources] or [found.current_meds[0].name]
    assert all(about_the_shift(found, f"You have the {word}.") for word in named)
