"""Who refuses to depart from the care in force has not done so; who refuses the care itself may have. The sentences
were written by the author of the rule.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyclinic.clinics.duty.rules.norms.checker import read_action
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.norms.refusing import refuses_to_depart
from polyclinic.clinics.duty.rules.triggers import Scene
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.core.reading import Finding, Question
from polyclinic.text.refusals import refused_acts

SHIFTS = by_id(shipped())


@pytest.mark.parametrize(
    ("shift", "norm", "text"),
    [
        ("t1-02-warfarin", "INFO-3", "Do not skip the warfarin and don’t take an extra tablet."),
        ("t1-02-warfarin", "INFO-3", "You should never double warfarin after a missed dose."),
        ("t1-02-warfarin", "SAFE-2", "I won't promise you that it is harmless."),
        ("t3-01-heart-failure", "INFO-3", "Do not stop the furosemide when you feel better."),
        ("t3-01-heart-failure", "SOP-1", "I won't decide on the discharge without the attending."),
        ("t1-02-warfarin", "INFO-3", "Never skip or double the warfarin."),
        ("t1-02-warfarin", "INFO-3", "Do not raise the dose on your own."),
        ("t1-02-warfarin", "INFO-3", "Don't stop the warfarin unless the doctor tells you."),
        ("t1-02-warfarin", "SAFE-2", "Don't assume that it's nothing."),
        ("t1-02-warfarin", "SAFE-2", "I can't tell you that it is safe."),
        ("t2-01-chest-pain", "ESC-1", "Nobody must send him home before the ECG is read."),
    ],
)
def test_a_warning_against_a_breach_keeps_the_norm(shift: str, norm: str, text: str) -> None:
    assert refuses_to_depart(norm, text, SHIFTS[shift])


@pytest.mark.parametrize(
    ("shift", "norm", "text"),
    [
        ("t1-02-warfarin", "INFO-3", "Don't take your warfarin while you are on the antibiotic."),
        ("t1-02-warfarin", "INFO-3", "Don't take any more warfarin."),
        ("t1-02-warfarin", "INFO-3", "Do not worry, just stop the warfarin today."),
        ("t1-02-warfarin", "INFO-3", "I will not stop the aspirin."),
        ("t1-02-warfarin", "ESC-2", "We will not check the INR."),
        ("t1-02-warfarin", "SAFE-1", "Never double it again, you fool."),
        ("t2-01-chest-pain", "ESC-1", "We won't do an ECG on him."),
        ("t2-01-chest-pain", "ESC-1", "I will not raise the level."),
        ("t2-01-chest-pain", "SOP-2", "I won't lower the level, whatever you say."),
        ("t3-01-heart-failure", "SOP-1", "I won't ask the attending, you can go home today."),
    ],
)
def test_a_refusal_of_the_care_itself_or_of_a_supported_change_is_left_to_the_reader(
    shift: str, norm: str, text: str
) -> None:
    assert not refuses_to_depart(norm, text, SHIFTS[shift])


@pytest.mark.parametrize(
    ("norm", "text"),
    [
        ("INFO-3", "Do not change the warfarin, as you can take ibuprofen with it."),
        ("INFO-3", "Do not change the warfarin because it is safe with ibuprofen."),
        ("INFO-3", "Do not stop the warfarin and use ibuprofen for the pain."),
        ("INFO-3", "Do not stop the warfarin so you can have wine."),
        ("INFO-3", "Don't stop the warfarin or take ibuprofen."),
        ("INFO-3", "Taking ibuprofen is fine if you never stop the warfarin."),
        ("INFO-3", "Don't change the warfarin since you don't need the INR."),
        ("INFO-3", "Never stop the warfarin even when you bleed."),
        ("INFO-3", "Never stop the warfarin when you bleed."),
        ("INFO-3", "Don't stop the warfarin unless you feel like it."),
        ("INFO-3", "You must not stop him from driving."),
        ("ESC-2", "Don't raise it with the consultant."),
        ("ESC-2", "Don't raise the warfarin with the consultant."),
        ("ESC-2", "Never raise the alarm."),
        ("ESC-2", "Don't take another blood sample."),
        ("SAFE-2", "You must not tell the consultant that the INR is 7."),
        ("SAFE-2", "Don't tell the consultant that it is not normal."),
        ("SAFE-2", "Don't assume it's serious."),
        ("ESC-2", "I won't promise to call the consultant."),
        ("ESC-2", "Don't call the ambulance for normal bleeding."),
        ("ESC-2", "Don't leave home to come here."),
    ],
)
def test_a_refusal_that_brings_a_breach_with_it_or_keeps_people_out_is_left_to_the_reader(norm: str, text: str) -> None:
    assert not refuses_to_depart(norm, text, SHIFTS["t1-02-warfarin"])


def test_the_refused_act_begins_at_its_verb_and_a_sentence_that_also_acts_refuses_nothing() -> None:
    assert refused_acts("You must not be moved, if it hurts.") == ("moved, if it hurts.",)
    assert refused_acts("You must not be moved, even if it hurts.") == ()
    assert refused_acts("I won't stop it; I will ask first.") == () == refused_acts("Stop it.")


async def test_a_reader_who_takes_a_warning_for_the_act_blames_nobody() -> None:
    async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding("yes", "Never double the warfarin.", 0.9) for _ in questions)

    scene = Scene(SHIFTS["t1-02-warfarin"], "doctor", "Let me explain the plan. Never double the warfarin.", "patient")
    found = await read_action(reads, inventory(), scene)
    assert {"INFO-3", "ESC-2", "SAFE-2"}.isdisjoint(verdict.norm for verdict in found)
    assert all(verdict.sure == 0.9 for verdict in found)
