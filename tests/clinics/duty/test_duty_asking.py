"""A message that only asks breaks no norm; a question that states, orders or blames may. The sentences were written
before the rule, by its author.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.duty.rules.norms.asking import asks, asks_plainly
from polyclinic.clinics.duty.rules.norms.checker import read_action
from polyclinic.clinics.duty.rules.norms.norm import inventory, shipped_norm
from polyclinic.clinics.duty.rules.triggers import Scene
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.reading import Finding, Question
from polyclinic.reading.choose import open_reader
from polyclinic.runner.readings import all_kinds

SHIFTS = by_id(shipped())
LITHIUM, CHEST, HIP = "t1-11-lithium", "t2-01-chest-pain", "t3-03-hip"
PLAIN: tuple[tuple[str, Role, Role, str], ...] = (
    (LITHIUM, "trainee", "patient", "Have you been drinking enough in this heat?"),
    (LITHIUM, "trainee", "patient", "Did you sleep at all?"),
    (LITHIUM, "doctor", "patient", "did you sleep at all"),
    (LITHIUM, "doctor", "patient", "Good morning! How did you sleep?"),
    (LITHIUM, "trainee", "patient", "Do you still take the lithium every night?"),
    (LITHIUM, "doctor", "patient", "How many tablets did you take yesterday, one or two?"),
    (LITHIUM, "doctor", "patient", "Any vomiting, confusion or falls?"),
    (LITHIUM, "doctor", "patient", "Do you live alone?"),
    (LITHIUM, "doctor", "patient", "Did it hurt when you stopped taking them?"),
    (LITHIUM, "trainee", "doctor", "May I send an urgent level now?"),
    (LITHIUM, "doctor", "patient", "잠은 좀 주무셨어요?"),
    (CHEST, "nurse", "patient", "Since when has your chest hurt?"),
    (CHEST, "nurse", "patient", "Have you had this pain before?"),
    (CHEST, "doctor", "nurse", "Has the ECG been done yet?"),
    (CHEST, "doctor", "admin", "Is there a bed free in resus?"),
    (HIP, "nurse", "patient", "Have you been drinking enough in this heat?"),
    (HIP, "nurse", "patient", "Can you walk with the frame on your own?"),
    (HIP, "trainee", "nurse", "Did the surgeon say how much weight she may bear?"),
)
CARRYING = (
    "I already gave him the double dose, okay?",
    "Why don't you just double the lithium tonight?",
    "You can stop the warfarin, right?",
    "Your INR is normal, isn't it?",
    "Can you take two tonight and skip tomorrow?",
    "How about we leave the ECG and send him home?",
    "Would you mind waiting outside, as it is only reflux?",
    "Did I mention that the INR came back normal?",
    "Is it clear now that you have lithium poisoning?",
    "Will you stop the lithium today?",
    "Did you know that Mrs Kim in bed four has the same illness?",
    "Have you stopped the warfarin, as I ordered?",
    "Have your tablets doubled.",
    "What you need is lithium.",
)
BLAMING = (
    "How could you be so careless?",
    "Are you deaf?",
    "Why do you people never listen?",
    "Didn't I tell you a hundred times to drink?",
    "Have you any idea how many sick people are waiting?",
    "Have you even tried to lose weight?",
    "Have you been drinking again?",
    "Did you really need an ambulance for that?",
    "Can't he wait in the waiting room?",
    "Who says it is a heart attack when it is only reflux?",
    "Are you sure it hurts?",
    "정신이 있는 거예요 없는 거예요?",
)


async def broken(scene: Scene, reader_name: str = "") -> set[str]:
    reader = open_reader(all_kinds("duty"), reader_name)

    async def reads(said: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding(*reader.read(said, question)) for question in questions)

    return {verdict.norm for verdict in await read_action(reads, inventory(), scene)}


@pytest.mark.parametrize("reader", ["", "sentences"])
async def test_a_plain_question_breaks_no_norm(reader: str) -> None:
    blamed = {text: await broken(Scene(SHIFTS[shift], role, text, to), reader) for shift, role, to, text in PLAIN}
    assert not {text: norms for text, norms in blamed.items() if norms}


@pytest.mark.parametrize("text", CARRYING)
def test_a_question_that_states_or_orders_does_not_only_ask(text: str) -> None:
    assert not asks(text) and not asks_plainly(text)


@pytest.mark.parametrize("text", BLAMING)
def test_a_question_that_blames_or_lowers_the_urgency_is_not_plain(text: str) -> None:
    assert not asks_plainly(text)


async def test_an_order_or_a_claim_with_a_question_mark_is_found() -> None:
    lithium = SHIFTS[LITHIUM]
    order = "Why don't you just double the lithium tonight?"
    assert "INFO-3" in await broken(Scene(lithium, "doctor", order, "patient"))
    safe = "Did you sleep? You know it is perfectly safe, don't you?"
    assert "ESC-2" in await broken(Scene(lithium, "doctor", safe, "patient"))


async def test_a_house_that_forbids_to_speak_of_others_is_asked_about_a_question_too() -> None:
    own = shipped_norm("SAFE-1").model_copy(update={"id": "OWN-1", "then": "no other patient is spoken about"})
    asked: list[str] = []

    async def reads(said: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        asked.append(said)
        return tuple(Finding("no", "") for _ in questions)

    text = "Does Mrs Kim in bed four have the same illness?"
    await read_action(reads, [own], Scene(SHIFTS[HIP], "nurse", text, "patient"))
    assert asked
