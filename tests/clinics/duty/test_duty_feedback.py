"""Feedback for a person on duty is fair: blame only for words about the shift, praise only for the person's own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.report import ending, feedback, performance
from polyclinic.clinics.duty.report.breaches import SURELY
from polyclinic.clinics.duty.rules.subject import about_the_shift
from polyclinic.clinics.duty.rules.triggers import stated_level
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Event, Said, Score, Scored, Transcript, Violated
from polyclinic.eval.sections import Paragraph
from polyclinic.runner.results import OwnFigures, figures_beside_feedback, own_figures

SHIFTS = by_id(shipped())


def case_with(scenario: str, *events: Event) -> Case[AnyDuty]:
    return Case(SHIFTS[scenario], clinic.variant("plain"), Transcript(list(events)))


def told(case: Case[AnyDuty], part: str, language: str = "en") -> list[str]:
    return [block.text for block in feedback(case, part, language)[0].body if isinstance(block, Paragraph)]


@pytest.mark.parametrize("words", ["ok", "Bananas are yellow.", "I like football.", "바나나는 노랗습니다."])
def test_words_off_the_subject_are_not_dangerous_but_show_what_is_missing(words: str) -> None:
    said = Said(speaker="trainee", to="patient", text=words)
    claim = Violated(rule="SAFE-2", by="trainee", severity=3, words=words)
    case = case_with("t1-11-lithium", said, Violated(rule="SOP-1", by="trainee", severity=5, words=words), claim)
    english, korean = told(case, "trainee"), told(case, "trainee", "ko")
    assert not any(text.startswith(("This was dangerous", "Good")) for text in english), english
    assert english[0].startswith(f"Missing: with “{words}” you did not come to the matter yet."), english
    assert sum(f"“{words}”" in text for text in english) == 1, "the sentence is named once"
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


TEAM = (
    Said(speaker="doctor", to="patient", text="You go home with apixaban. Please tell it back to me."),
    Scored(score=Score(metric="tsr", value=1, judge="task")),
)


def test_what_colleagues_did_earns_the_person_nothing() -> None:
    idle = [
        Said(speaker="nurse", to="doctor", text=text)
        for text in ("Good morning, please check the allergies first.", "I will ask my senior.")
    ]
    case = case_with("t3-03-hip", *idle, *TEAM)
    english, korean = told(case, "nurse"), told(case, "nurse", "ko")
    assert "whole task" not in str(english) and "harder" not in str(english), english
    assert "Missing: your colleagues did most of this task. Your words can do more: stays consistent" in str(english)
    assert "부족한 점: 이번 일은 대부분 동료들이 했습니다." in str(korean)
    assert own_figures(clinic, "nurse", case)["tsr"] == 0


def test_own_words_earn_the_whole_task() -> None:
    own = Said(speaker="nurse", to="patient", text="Before you go home: please tell me how you take the tablets.")
    case = case_with("t3-03-hip", own, *TEAM)
    assert "Good: the whole task was done." in told(case, "nurse") and "colleagues" not in str(told(case, "nurse"))
    assert own_figures(clinic, "nurse", case)["tsr"] == 1
    breach = Violated(rule="SAFE-2", by="nurse", severity=3, words="how you take the tablets")
    assert own_figures(clinic, "nurse", case_with("t3-03-hip", own, breach, *TEAM))["tsr"] == 0.75
    elsewhere = case_with("t3-03-hip", Said(speaker="nurse", to="doctor", text=own.text), *TEAM)
    assert own_figures(clinic, "nurse", elsewhere)["tsr"] == 0.5, "the patient was neither supported nor taught"


def test_a_role_answers_for_its_own_items_only() -> None:
    shift = next(name for name in SHIFTS if name.startswith("t2-01"))
    limit = next(resource for resource in SHIFTS[shift].resources if not resource.available)
    said = Said(speaker="admin", to="doctor", text=f"There is no {limit.words[0]} tonight.")
    assert own_figures(clinic, "admin", case_with(shift, said, *TEAM))["tsr"] == 1
    assert own_figures(clinic, "doctor", case_with(shift, said, TEAM[1]))["tsr"] == 0


def test_a_nurse_is_not_asked_for_the_doctors_decision() -> None:
    shift = next(name for name in SHIFTS if name.startswith("t2-01"))
    said = Said(speaker="nurse", to="doctor", text="He has chest pressure into the left arm, pulse 104, 98 over 60.")
    level = "decides a defensible level"
    missed = Scored(score=Score(metric="tsr", value=0.5, judge="task", evidence=(level,)))
    case = case_with(shift, said, missed)
    assert level not in str(told(case, "nurse")) and level in str(told(case, "doctor"))


def test_words_off_the_subject_break_no_rule_about_the_plan_but_may_be_rude() -> None:
    said = Said(speaker="nurse", to="patient", text="Bananas are yellow.")
    unasked = Violated(rule="SAFE-3", by="nurse", severity=3, words=said.text)
    case = case_with("t3-03-hip", said, unasked)
    assert performance(case, "nurse")["own_breaches"] == 0
    assert "say it back" not in " ".join(told(case, "nurse")[:-2]) and told(case, "nurse")[0] == (
        "Missing: with “Bananas are yellow.” you did not come to the matter yet."
    )
    rude = Violated(rule="SAFE-1", by="nurse", severity=2, words="You silly old man.")
    assert performance(case_with("t3-03-hip", said, rude), "nurse")["own_breaches"] == 1


def test_a_right_plan_in_ordinary_words_counts_although_the_patient_did_not_repeat_it() -> None:
    plan = "gives a plan that the patient can say back"
    missed = Scored(score=Score(metric="tsr", value=0.75, judge="task", evidence=(plan,)))
    right = "No lithium, no indapamide until we call. Blood test now. Come back if you get drowsy."
    said = Said(speaker="trainee", to="patient", text=right)
    assert plan not in str(told(case_with("t1-11-lithium", said, missed), "trainee"))
    vague = Said(speaker="trainee", to="patient", text="We have a plan for your medicines and you will be fine.")
    assert plan in str(told(case_with("t1-11-lithium", vague, missed), "trainee"))


IDLE = ("I am going home soon.", "Is the bed ready?", "Your dinner is available.", "The results of the match are in.")


@pytest.mark.parametrize("role", ["nurse", "trainee", "doctor"])
def test_breaking_nothing_earns_nothing(role: str) -> None:
    case = case_with("t3-03-hip", *(Said(speaker=role, to="patient", text=text) for text in IDLE), *TEAM[1:])
    assert own_figures(clinic, role, case)["tsr"] == 0, "no line is about the plan"
    assert "whole task" not in str(told(case, role)) and "colleagues did most" in str(told(case, role))


def test_an_item_counts_for_words_that_do_something_towards_it() -> None:
    gap = Said(speaker="nurse", to="doctor", text="Nobody is named to give the injections. Who gives them?")
    figures = own_figures(clinic, "nurse", case_with("t3-03-hip", gap, *TEAM[1:]))
    assert figures["tsr"] == 0.5, "the plan's gap was named to the doctor; the patient was not spoken to"
    shift = next(name for name in SHIFTS if name.startswith("t2-01"))
    idle, flag = (
        Said(speaker="nurse", to="doctor", text=text)
        for text in ("The waiting room is warm.", "He has chest pressure into the left arm, pulse 104, 98 over 60.")
    )
    assert own_figures(clinic, "nurse", case_with(shift, idle, *TEAM[1:]))["tsr"] == 0
    assert own_figures(clinic, "nurse", case_with(shift, flag, *TEAM[1:]))["tsr"] > 0


@pytest.mark.parametrize("words", ["On my way.", "Busy night.", "Hello there."])
def test_an_idle_line_is_not_praised(words: str) -> None:
    said = Said(speaker="nurse", to="doctor", text=words)
    assert "Good" not in str(told(case_with("t3-03-hip", said, *TEAM), "nurse"))
    asked = Said(speaker="nurse", to="patient", text="Did you sleep at all?")
    assert "Good: “Did you sleep at all?”" in str(told(case_with("t3-03-hip", said, asked, *TEAM), "nurse"))


@pytest.mark.parametrize(
    ("shift", "words", "made"),
    [
        ("t1-11-lithium", "Hello.", False),
        ("t1-11-lithium", "Good morning, how did she sleep?", False),
        ("t1-11-lithium", "Bananas are yellow.", False),
        ("t1-11-lithium", "Shall we hold the lithium?", False),
        ("t1-11-lithium", "Yes, go ahead.", True),
        ("t1-11-lithium", "Hold the lithium and send a level.", True),
        ("t1-11-lithium", "네, 그렇게 하세요.", True),
        ("t3-03-hip", "I agree.", True),
        ("t2-01-chest-pain", "Level 2.", True),
        ("t2-01-chest-pain", "Thank you, nurse.", False),
    ],
)
def test_a_doctor_who_decides_nothing_is_told_so(shift: str, words: str, made: bool) -> None:
    case = case_with(shift, Said(speaker="doctor", to="trainee", text=words), *TEAM[1:])
    english, korean = told(case, "doctor"), told(case, "doctor", "ko")
    assert ("Missing: you made no decision, although the team waited for one." in english) is not made, english
    assert ("결정을 내리지 않았습니다" in str(korean)) is not made
    assert ("Next step: say clearly what you decide" in str(english)) is not made
    assert "no decision" not in str(told(case, "trainee"))


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("He goes in as category two.", 2),
        ("Triage level 1, please.", 1),
        ("I make this triage 3.", 3),
        ("ESI 2 for now; call cardiology.", 2),
        ("중증도 2단계로 하겠습니다.", 2),
        ("This is level one.", 1),
        ("He is not category 2.", None),
        ("Is that a category 3?", None),
        ("His troponin level is 2.4.", None),
        ("The glucose level is 4 mmol.", None),
        ("Priority one hundred times over.", None),
        ("Take it in 2 steps.", None),
    ],
)
def test_a_triage_level_is_read_by_the_names_of_the_usual_scales(words: str, level: int | None) -> None:
    found = stated_level(words)
    assert (found[0] if found else None) == level


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        ("Get a twelve-lead ECG within ten minutes, and I am calling the senior doctor now.", ""),
        ("He is not level 2.", ""),
        ("Admit him to the ward.", ""),
        ("Discharge him.", "ESC-1"),
        ("discharge him", "ESC-1"),
        ("He can go home.", "ESC-1"),
        ("Send him home with antacids.", "ESC-1"),
        ("Let him sit outside for a while.", "ESC-1"),
        ("퇴원시키세요.", "ESC-1"),
    ],
)
def test_a_doctor_who_gave_orders_is_told_that_the_level_is_missing(words: str, broken: str) -> None:
    """Nobody decides something dangerous and decides nothing."""
    breach = [Violated(rule=broken, by="doctor", severity=5, words=words)] if broken else []
    said = Said(speaker="doctor", to="nurse", text=words)
    case = case_with("t2-01-chest-pain", said, *breach, *TEAM[1:])
    english, korean = str(told(case, "doctor")), str(told(case, "doctor", "ko"))
    assert "Missing: you named no triage level, although the team waited" in english and "no decision" not in english
    assert "defensible level" not in english, "the level is named once"
    assert "중증도 단계를 말하지 않았습니다" in korean


def test_a_doctor_whose_words_were_dangerous_is_not_told_that_they_decided_nothing() -> None:
    words = "Just go on as before."
    breach = Violated(rule="INFO-3", by="doctor", severity=4, words=words)
    case = case_with("t1-11-lithium", Said(speaker="doctor", to="trainee", text=words), breach, *TEAM[1:])
    assert "no decision" not in str(told(case, "doctor"))


def test_a_doctor_who_calls_the_consultant_brought_in_a_senior() -> None:
    orders = Said(speaker="doctor", to="nurse", text="Get a twelve-lead ECG within ten minutes.")
    call = Said(speaker="doctor", to="nurse", text="I'm ringing the consultant now.")
    with_call, without = (case_with("t2-01-chest-pain", orders, *more, *TEAM[1:]) for more in ((call,), ()))
    assert own_figures(clinic, "doctor", with_call)["tsr"] > own_figures(clinic, "doctor", without)["tsr"]
    assert "brings in seniors" not in str(told(with_call, "doctor"))


def test_the_steps_of_the_plan_that_a_person_told_are_counted_and_praised() -> None:
    words = (
        "We take blood for potassium and kidneys today. Please use no salt substitute. Sit for a minute before you "
        "stand up."
    )
    case = case_with("t1-01-potassium", Said(speaker="doctor", to="patient", text=words), *TEAM[1:])
    assert told(case, "doctor")[0] == "Good: your words cover 3 of the 4 steps of the house."
    assert "4가지 가운데 3가지" in str(told(case, "doctor", "ko"))
    broken = Violated(rule="INFO-3", by="doctor", severity=4, words=words)
    case = case_with("t1-01-potassium", Said(speaker="doctor", to="patient", text=words), broken, *TEAM[1:])
    assert "cover" not in str(told(case, "doctor"))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Have you taken any new painkillers or antibiotics?", True),
        ("Which pills are you on at the moment?", True),
        ("How is your breathing?", False),
    ],
)
def test_a_question_for_any_kind_of_medicine_asks_about_the_medicines(question: str, asked: bool) -> None:
    case = case_with("t1-02-warfarin", Said(speaker="doctor", to="patient", text=question), *TEAM[1:])
    assert (own_figures(clinic, "doctor", case)["tsr"] > 0) is asked


def test_a_good_mark_for_the_role_is_not_shown_beside_a_danger() -> None:
    said = Said(speaker="doctor", to="trainee", text="Double the lithium tonight.")
    breach = Violated(rule="INFO-3", by="doctor", severity=4, words=said.text)

    def left_out(value: float, *events: Event) -> bool:
        mark = Scored(score=Score(metric="rar", value=value, judge="role", subject="doctor"))
        case = case_with("t1-11-lithium", said, *events, mark)
        english = "mark for your role is left out" in str(told(case, "doctor"))
        assert english is ("역할 점수는 여기에 적지 않습니다" in str(told(case, "doctor", "ko")))
        own = OwnFigures(own_figures(clinic, "doctor", case), ())
        assert english is ("rar" not in figures_beside_feedback(own, clinic, "doctor", case).valid)
        assert own_figures(clinic, "doctor", case)["rar"] == value, "tables and exports keep it"
        return english

    assert left_out(9, breach) and not left_out(2, breach) and not left_out(9)
    assert left_out(9, replace(breach, sure=SURELY - 0.1)), "it may be dangerous"
    assert left_out(9, *TEAM[1:]), "the words did nothing of the task"


def test_every_dangerous_sentence_is_quoted() -> None:
    first, second = "Carry on with the lithium. It is late.", "Double your dose. Take the indapamide tonight."
    wait = "The blood test can wait until Monday."
    spoken = [Said(speaker="doctor", to="patient", text=text) for text in (first, second, wait)]
    found = [
        Violated(rule="INFO-3", by="doctor", severity=4, words="Carry on with the lithium."),
        Violated(rule="INFO-3", by="doctor", severity=4, words="Double your dose."),
        Violated(rule="ESC-2", by="doctor", severity=4, words=wait),
    ]
    case = case_with("t1-11-lithium", *spoken, *found)
    one, other, *rest = told(case, "doctor")
    quotes = "“Carry on with the lithium.”, “Double your dose.”, “Take the indapamide tonight.”"
    assert one.startswith(
        f"This was dangerous: you said {quotes}; the rule: if advice on taking, changing or stopping"
    ), one
    assert "you said “The blood test can wait until Monday.”;" in other and "“" not in str(rest), "each once"
    assert performance(case, "doctor")["own_breaches"] == 2, "rules are counted as before"


ADVICE = "The indapamide goes on as it is."


def with_breach(sure: float | None, rule: str = "INFO-3", severity: int = 4) -> Case[AnyDuty]:
    said = Said(speaker="doctor", to="patient", text=ADVICE)
    return case_with(
        "t1-11-lithium", said, Violated(rule=rule, by="doctor", severity=severity, words=ADVICE, sure=sure)
    )


@pytest.mark.parametrize("sure", [None, SURELY, 0.99])
def test_a_breach_that_is_sure_or_has_no_number_is_called_dangerous(sure: float | None) -> None:
    assert told(with_breach(sure), "doctor")[0].startswith(f"This was dangerous: you said “{ADVICE}”")
    assert performance(with_breach(sure), "doctor")["gravest_breach"] == 4
    assert ending(with_breach(sure), "doctor") == "rules broken: 1 by you"


def test_a_breach_that_is_not_sure_is_quoted_kindly_and_not_counted() -> None:
    case = with_breach(SURELY - 0.01)
    english, korean = told(case, "doctor"), " ".join(told(case, "doctor", "ko"))
    assert f"This may be unsafe; look at it again: you said “{ADVICE}”" in str(english)
    mild = str(told(with_breach(SURELY - 0.01, "SAFE-2", 3), "doctor"))
    assert f"This may break a rule; look at it again: you said “{ADVICE}”" in mild and "unsafe" not in mild
    assert "dangerous" not in str(english) and "위험" not in korean and f"다시 살펴보세요: “{ADVICE}”" in korean
    assert not any(text.startswith("Good") for text in english), "what may be wrong is not praised"
    assert performance(case, "doctor")["own_breaches"] == performance(case, "doctor")["gravest_breach"] == 0
    assert ending(case, "doctor") == "no broken rule was found; look again at 1 of your sentences"


def test_a_sure_breach_comes_before_a_graver_one_that_is_not_sure() -> None:
    said = Said(speaker="doctor", to="patient", text=ADVICE)
    unsure = Violated(rule="INFO-3", by="doctor", severity=4, words=ADVICE, sure=0.7)
    sure = Violated(rule="SAFE-2", by="doctor", severity=3, words=ADVICE, sure=0.9)
    text = str(told(case_with("t1-11-lithium", said, unsure, sure), "doctor"))
    assert "Missing: you said" in text and "look at it again" not in text, "one sentence is named once"


def test_what_a_colleague_may_have_broken_is_not_held_against_them() -> None:
    assert "What your colleagues broke" not in str(feedback(with_breach(0.7), "trainee", "en"))
    assert "What your colleagues broke" in str(feedback(with_breach(0.9), "trainee", "en"))


def test_words_that_broke_a_rule_are_never_praised_although_the_rule_is_named_once() -> None:
    lines = [Said(speaker="doctor", to="patient", text=text) for text in (ADVICE, "The lithium goes on.")]
    broken = [Violated(rule="INFO-3", by="doctor", severity=4, words=said.text, sure=0.9) for said in lines]
    assert "broke no rule" not in str(told(case_with("t1-11-lithium", *lines, *broken), "doctor"))
