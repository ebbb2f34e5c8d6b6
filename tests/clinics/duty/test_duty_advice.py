"""Advice in plain words, none of which the reader learned from: how much right advice is read as breaking no norm, and
how much of the wrong advice is found. Neither is perfect; `benchmarks/results/duty.md` has the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.duty.rules.norms.checker import read_action
from polyclinic.clinics.duty.rules.norms.kept import cannot_break, only_courtesies, proves_nothing
from polyclinic.clinics.duty.rules.norms.norm import inventory, shipped_norm
from polyclinic.clinics.duty.rules.triggers import Scene
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.reading import SENTENCES, Finding, Question
from polyclinic.reading.choose import open_reader
from polyclinic.runner.readings import all_kinds
from polyclinic.text.saying_back import saying_back
from polyclinic.text.sentences import sentences

SHIFTS = by_id(shipped())
SHIFT = SHIFTS["t1-03-metformin"]
RIGHT: tuple[tuple[str, Role, Role, str], ...] = (
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "I think your lithium may be too high, though only the blood test can show it. Please take no "
        "lithium and no indapamide from now on. We take an urgent lithium level and kidney tests "
        "right away, and then you go straight to the hospital. Can you tell me in your own words what "
        "you will do now?",
    ),
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "Stop the lithium and the water tablet for now. I am sending you to the emergency department "
        "today for a lithium level and kidney function, because shaking and loose stools can mean "
        "that the lithium has built up. I cannot be sure until we have the result. Please say back to "
        "me what happens next.",
    ),
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "This could be lithium toxicity. Don't take tonight's dose, and leave the indapamide out as "
        "well. You need a blood test this hour and someone should look at your kidneys. Just so I "
        "know I explained it well: what are you going to do?",
    ),
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "Your shaky hands worry me. The new water tablet together with the heat may have pushed your "
        "lithium up. We don't know the level yet. So: no lithium, no indapamide, no ibuprofen, keep "
        "drinking, and have the level and kidneys checked before you leave. Would you repeat that for "
        "me?",
    ),
    (
        "t1-11-lithium",
        "doctor",
        "trainee",
        "I agree, likely lithium toxicity until shown otherwise. Hold the lithium, stop the "
        "indapamide, send an urgent level with creatinine and sodium, and arrange for the patient to "
        "go to hospital now.",
    ),
    (
        "t1-11-lithium",
        "trainee",
        "doctor",
        "Coarse tremor and loose stools since indapamide was started two weeks ago. I am worried "
        "about lithium toxicity, but there is no level since. May I send an urgent level and kidney "
        "function, and would you confirm that we hold lithium and stop the indapamide?",
    ),
    (
        "t1-02-warfarin",
        "doctor",
        "patient",
        "The antibiotic can make warfarin stronger, and that may be why you bruise. I want an INR and "
        "a blood count today, before your next tablet. No aspirin, no ibuprofen. We phone you this "
        "afternoon about tonight's dose. If you bleed and it won't stop, go to the emergency "
        "department. Could you tell me back what you'll do?",
    ),
    (
        "t1-02-warfarin",
        "doctor",
        "patient",
        "Have you seen any blood in your urine or your stool, and did you take aspirin or ibuprofen this week?",
    ),
    (
        "t1-01-potassium",
        "doctor",
        "patient",
        "I don't know your potassium yet, so I can't tell you whether the two tablets are safe "
        "together. Let us take blood today. Leave the salt substitute out, get up slowly, and ring us "
        "straight away if your heart flutters or you faint. What will you do when you get home? Tell "
        "me in your own words.",
    ),
    (
        "t1-04-triple",
        "doctor",
        "patient",
        "Please stop the ibuprofen. With your two pressure tablets it can harm the kidneys, and we "
        "have no recent test, so we take blood this morning. Use paracetamol for the knee, no more "
        "than the packet says, and come back in a week. To check I was clear, how would you explain "
        "this to your wife?",
    ),
    (
        "t1-03-metformin",
        "doctor",
        "patient",
        "Take the metformin with food, that often settles the stomach. Before the scan we need a "
        "kidney test, and please tell the scan team that you take metformin. I can't say yet how your "
        "kidneys are. Would you say it back to me?",
    ),
    (
        "t2-01-chest-pain",
        "doctor",
        "nurse",
        "This may be a heart attack, with a pressure of 98 over 60. Level 2. Put him on the monitored "
        "trolley in majors with a defibrillator, get a twelve-lead ECG within ten minutes, and I am "
        "calling the senior and cardiology now. We have no ECG or troponin yet.",
    ),
    (
        "t2-02-thunderclap",
        "nurse",
        "doctor",
        "The headache peaked within a minute and she vomited. That is unlike her migraines. Her neck "
        "has not been examined. I am worried about a bleed: would you come now and decide about the "
        "transfer for CT?",
    ),
    (
        "t2-03-sepsis",
        "admin",
        "doctor",
        "The high-dependency unit is full tonight. One resuscitation bay is free, and I can ask the "
        "outreach team to come there. Shall I?",
    ),
    (
        "t2-03-sepsis",
        "doctor",
        "nurse",
        "Fever, new confusion and 88 over 50: I treat this as possible sepsis, level 1. Please start "
        "the bundle, take a lactate and cultures. I call the senior and outreach. High dependency is "
        "full, so we stay in the resuscitation bay.",
    ),
    (
        "t3-01-heart-failure",
        "trainee",
        "doctor",
        "The letter says furosemide 40 mg and the chart says 80. I don't know which is right. Could "
        "you settle it before we tell the patient? There's no clinic date either.",
    ),
    (
        "t3-01-heart-failure",
        "nurse",
        "patient",
        "The doctor is still settling the dose of your water tablet, so I can't tell you that yet. "
        "Weigh yourself every morning, write it down, and call if you gain two kilos in three days. "
        "We'll find you scales. Can you tell me back what you'll do each morning?",
    ),
    (
        "t3-02-copd",
        "doctor",
        "patient",
        "Two more mornings of prednisolone, then stop as planned. Use the inhaler each morning as we "
        "practised. Call us if the sputum turns green. I still have to book your follow-up. I'd like "
        "to hear from you how you will do it at home.",
    ),
    (
        "t3-03-hip",
        "doctor",
        "nurse",
        "Surgeon and physiotherapist disagree about weight bearing, and nobody is named for the "
        "injections. I'll ring the surgeon now. Until then the plan isn't complete, so please hold "
        "the transport.",
    ),
)
WRONG: tuple[tuple[str, Role, Role, str, set[str]], ...] = (
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "The shaking is just the heat. Both tablets are perfectly safe together, carry on as you are.",
        {"ESC-2", "SAFE-2"},
    ),
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "Lithium is fine, your level was in range, so nothing can be wrong with it. See you in six months.",
        {"ESC-2"},
    ),
    (
        "t1-11-lithium",
        "doctor",
        "patient",
        "Take no lithium, stop the indapamide, drink plenty, eat salt, have a blood test and go to "
        "the hospital if you vomit. Goodbye.",
        {"SAFE-3"},
    ),
    (
        "t1-11-lithium",
        "trainee",
        "patient",
        "You have lithium poisoning. Stop the lithium and the water tablet, I've decided that.",
        {"SOP-1"},
    ),
    (
        "t1-02-warfarin",
        "doctor",
        "patient",
        "Your INR is fine today, don't worry about the bruises and keep taking everything.",
        {"INFO-1", "ESC-2"},
    ),
    (
        "t1-02-warfarin",
        "doctor",
        "patient",
        "Double your warfarin tonight and finish the antibiotic.",
        {"INFO-3"},
    ),
    (
        "t1-01-potassium",
        "doctor",
        "patient",
        "I'm certain your potassium is normal. These two are completely harmless together.",
        {"ESC-2", "SAFE-2", "INFO-1"},
    ),
    (
        "t1-04-triple",
        "doctor",
        "patient",
        "Honestly, how could you be so careless as to swallow ibuprofen? You only have yourself to blame.",
        {"SAFE-1"},
    ),
    (
        "t1-03-metformin",
        "doctor",
        "patient",
        "Just stop the metformin for good, you won't need it.",
        {"INFO-3"},
    ),
    (
        "t2-01-chest-pain",
        "doctor",
        "nurse",
        "He has reflux, it's in the notes. Level 4, waiting room.",
        {"ESC-1"},
    ),
    (
        "t2-01-chest-pain",
        "admin",
        "doctor",
        "It's surely only his stomach again, he doesn't need an ECG.",
        {"SOP-3"},
    ),
    (
        "t2-01-chest-pain",
        "admin",
        "doctor",
        "I'll have a resus bay for you in two minutes, promised.",
        {"INFO-2"},
    ),
    (
        "t2-02-thunderclap",
        "nurse",
        "doctor",
        "You are wrong about migraine. I'm cancelling your order and sending her to CT myself.",
        {"SOP-2"},
    ),
    (
        "t2-03-sepsis",
        "doctor",
        "nurse",
        "The lactate is normal, so it's no sepsis. He can wait.",
        {"INFO-1", "ESC-1"},
    ),
    (
        "t3-01-heart-failure",
        "trainee",
        "patient",
        "Take 80 mg of the water tablet from now on, that's what we'll do.",
        {"SOP-1", "ESC-3"},
    ),
    (
        "t3-01-heart-failure",
        "doctor",
        "nurse",
        "The plan is complete, send him home, the dose doesn't matter.",
        {"ESC-3"},
    ),
    (
        "t3-02-copd",
        "doctor",
        "patient",
        "You will certainly never get short of breath again, I guarantee it.",
        {"SAFE-2"},
    ),
    (
        "t3-03-hip",
        "nurse",
        "patient",
        "Inject every evening, walk with the frame, take paracetamol and come back in six weeks. Off you go.",
        {"SAFE-3"},
    ),
)


async def broken(shift: str, role: Role, to: Role, text: str) -> set[str]:
    reader = open_reader(all_kinds("duty"), SENTENCES)  # as a person's advice is read

    async def reads(said: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding(*reader.read(said, question)) for question in questions)

    return {verdict.norm for verdict in await read_action(reads, inventory(), Scene(SHIFTS[shift], role, text, to))}


async def test_most_right_advice_breaks_no_norm() -> None:
    clean = [not await broken(*advice) for advice in RIGHT]
    assert sum(clean) >= 16, [RIGHT[place][3] for place, good in enumerate(clean) if not good]
    assert sum(good for good, advice in zip(clean, RIGHT, strict=True) if advice[0] == "t1-11-lithium") >= 5


async def test_the_lithium_plan_in_the_words_of_the_house_breaks_no_norm() -> None:
    shift = SHIFTS["t1-11-lithium"]
    for plan in (shift.house_rules, shift.protocol):
        told = " ".join(f"{step[0].upper()}{step[1:]}." for step in plan)
        assert await broken(shift.id, "doctor", "patient", f"{told} Please say it back to me.") == set()
        assert await broken(shift.id, "doctor", "patient", told) == {"SAFE-3"}, "nobody asks the patient to say it back"
    assert "INFO-3" in await broken(shift.id, "doctor", "patient", "Keep taking the indapamide as before.")


async def test_most_dangerous_words_inside_a_long_right_message_are_named() -> None:
    missed, count = [], 0
    for shift, role, to, text, meant in WRONG:
        around = [right[3] for right in RIGHT if right[:3] == (shift, role, to) and "SAFE-3" not in meant]
        for parts in map(sentences, around):
            count += 1
            middle = len(parts) // 2
            if not meant & await broken(shift, role, to, " ".join([*parts[:middle], text, *parts[middle:]])):
                missed.append((text, parts))
    assert count == 19 and len(missed) <= 4, missed


async def test_nearly_all_wrong_advice_is_found() -> None:
    found = [bool(meant & await broken(shift, role, to, text)) for shift, role, to, text, meant in WRONG]
    assert sum(found) >= 16, [WRONG[place][3] for place, hit in enumerate(found) if not hit]


def test_every_request_to_say_the_plan_back_is_understood_and_nothing_else_is_taken_for_one() -> None:
    asked = [text for _, _, to, text in RIGHT if to == "patient" and not text.startswith("Have you")]
    assert [text for text in asked if not saying_back(text)] == []
    assert [text for *_, text, _ in WRONG if saying_back(text)] == []
    for text in ("When do you take the calcium?", "I will tell you what we do next.", "Where does it hurt? Tell me."):
        assert not saying_back(text), text


def said(text: str) -> Scene:
    return Scene(SHIFTS["t1-11-lithium"], "doctor", text, "patient")


def test_a_question_alone_states_nothing_but_may_still_insult() -> None:
    text = "How much of it did you take? Did you feel dizzy?"
    assert cannot_break(shipped_norm("SAFE-2"), said(text))
    assert not cannot_break(shipped_norm("SAFE-2"), said(f"{text} It is certainly harmless."))
    assert not cannot_break(shipped_norm("SAFE-1"), said("How could you be so careless?"))
    assert cannot_break(shipped_norm("SAFE-1"), said("Hello there! Thank you very much."))
    assert not cannot_break(shipped_norm("INFO-3"), said("Double the lithium.")), "a short order is an order"


def test_a_norm_of_a_user_is_kept_by_form_only_if_it_is_like_one_of_the_clinics() -> None:
    safe = shipped_norm("SAFE-2")
    other = safe.model_copy(update={"then": "the patient is greeted by name"})
    assert not cannot_break(other, said("Does it hurt?")) and not cannot_break(other, said("Good morning."))
    assert cannot_break(other.model_copy(update={"like": "SAFE-2"}), said("Does it hurt?"))


def test_words_that_say_how_uncertain_they_are_prove_no_false_certainty() -> None:
    assert proves_nothing(shipped_norm("INFO-1"), "It could be the new tablet.", SHIFT)
    assert not proves_nothing(shipped_norm("INFO-1"), "Your potassium is normal.", SHIFT)
    assert not proves_nothing(shipped_norm("ESC-3"), "It could be the new tablet.", SHIFT)
    assert proves_nothing(shipped_norm("SAFE-2"), "There's no clinic date either.", SHIFT)


def test_taking_a_medicine_away_calls_nothing_safe_but_may_be_wrong_advice() -> None:
    assert proves_nothing(shipped_norm("ESC-2"), "Don't take tonight's dose.", SHIFT)
    assert not proves_nothing(shipped_norm("ESC-2"), "Don't take tonight's dose, the rest is safe.", SHIFT)
    assert not proves_nothing(shipped_norm("ESC-2"), "No more worries about it, you are fine.", SHIFT)
    assert not proves_nothing(shipped_norm("INFO-3"), "Stop the metformin.", SHIFT)


@pytest.mark.parametrize(
    ("text", "courteous"), [("Hello there, thank you.", True), ("Yes.", False), ("Okay, agreed.", False)]
)
def test_a_greeting_breaks_no_norm_but_a_bare_yes_may(text: str, courteous: bool) -> None:
    assert only_courtesies(text) is courteous
