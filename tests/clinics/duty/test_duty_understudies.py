"""Offline staff: their habits in both voices, and how they learn. Only the wording of the advice has an effect."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest

from benchmarks.duty_habits import BREAKS, given_in
from polyclinic.clinics.duty.agents import role_view
from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.prompts.reflection import ReviewsBreach
from polyclinic.clinics.duty.prompts.views import MemoryView, StaffSteers
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.rules.norms.norm import Norm, inventory
from polyclinic.clinics.duty.rules.tasks import MATTERS
from polyclinic.clinics.duty.scenario import scenarios
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS, habits, held_back
from polyclinic.clinics.duty.understudies.patient import as_the_patient
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.message import user
from polyclinic.core.model import Request, Settings
from polyclinic.core.transcript import Violated
from polyclinic.core.understudy import Ask

from .conftest import reader

Play = Callable[..., Awaitable[EpisodeResult]]
SHIFTS = by_id(shipped())
BANANAS = "Bananas are yellow and grow in bunches on tall plants."


def calm(name: str) -> AnyDuty:
    return SHIFTS[name].model_copy(update={"calm": True})


def asked(turn: int = 1, learning: float = 0.8, **changes: object) -> Ask[ActTurn]:
    shift = SHIFTS["t1-02-warfarin"]
    prompt = ActTurn(
        role="doctor",
        matter=MATTERS[shift.task],
        setting=shift.setting,
        view=role_view(shift, "doctor"),
        traits=(),
        style="",
        norms=(),
        checklist=(),
        learned=(),
        grounding=(),
        heard=(),
        memory=MemoryView(),
        aim="",
        to="patient",
        last=False,
        objections=(),
        steers=StaffSteers(task="T1", stage="plan", shift=1, turn=turn, turns=6, dialogue=(), learning=learning),
    ).model_copy(update=changes)
    request = Request("doctor", prompt, (user("x"),), (), Settings(), "e")
    return Ask(prompt, request, {}, reader())


@pytest.mark.parametrize(("variant", "remembers"), [("plain", False), ("norm-instructed", False), ("full", True)])
async def test_offline_staff_know_of_the_case_only_what_a_model_in_the_same_variant_reads(
    play: Play, variant: str, remembers: bool
) -> None:
    shift = SHIFTS["t1-02-warfarin"]
    result = await play(shift, variant=variant)
    said = " ".join(said.text for said in result.transcript.said() if said.speaker != "patient").casefold()
    shelf = [fact.split(";")[0].casefold() for fact in knowledge().grounding(shift)]
    assert any(unknown.about.casefold() in said for unknown in shift.unknowns) == remembers
    assert any(fact in said for fact in shelf) == remembers


def test_offline_staff_take_what_is_not_in_their_prompt_from_nowhere() -> None:
    """Whatever a prompt holds besides its settings is printed, so that a language model reads it too."""
    shift = SHIFTS["t1-02-warfarin"]
    prompt = asked(
        view=role_view(shift, "doctor", open_points=True),
        grounding=tuple(knowledge().grounding(shift)),
        memory=MemoryView(commitments=("a promise",), earlier=("an earlier shift",)),
    ).prompt
    read = "\n".join(message.content for message in prompt.render())
    told = [*prompt.view.knows, *prompt.view.unknowns, *prompt.view.protocol, *prompt.grounding]
    told += [*prompt.memory.commitments, *prompt.memory.earlier]
    assert prompt.view.unknowns
    assert prompt.grounding
    assert not [line for line in told if line not in read]


@pytest.mark.parametrize("voice", ["first", "second"])
async def test_on_calm_days_nobody_gives_in_to_a_habit_in_either_voice(play: Play, voice: str) -> None:
    for shift in shipped()[::4]:
        result = await play(calm(shift.id), options={"voice": voice})
        for said in result.transcript.said():
            assert said.speaker == "patient" or not given_in(said.text, said.to), said.text
        low, high = shift.turns
        assert low <= len(result.transcript.said()) <= high


@pytest.mark.parametrize(
    ("habit", "role", "shift"),
    [
        ("decides_alone", "trainee", "t1-07-methotrexate"),
        ("overrules", "nurse", "t2-01-chest-pain"),
        ("talks_medicine", "admin", "t2-01-chest-pain"),
        ("plays_down", "doctor", "t2-01-chest-pain"),
        ("calls_safe", "doctor", "t1-02-warfarin"),
        ("closes_early", "nurse", "t3-01-heart-failure"),
        ("makes_up", "doctor", "t1-02-warfarin"),
        ("promises", "admin", "t2-01-chest-pain"),
        ("changes_dose", "doctor", "t1-10-apixaban"),
        ("brushes_off", "doctor", "t1-10-apixaban"),
        ("overclaims", "nurse", "t2-10-dissection"),
        ("skips_check", "doctor", "t1-01-potassium"),
    ],
)
async def test_a_habit_with_probability_one_is_said_and_a_perfect_reader_finds_it(
    play: Play, habit: str, role: str, shift: str
) -> None:
    result = await play(calm(shift), mistakes={role: {habit: 1.0}}, right=True)
    assert habit in {found for said in result.transcript.said(role) for found in given_in(said.text, said.to)}
    broken = {(event.rule, event.by) for event in result.transcript.of(Violated)}
    assert (BREAKS[habit], role) in broken
    assert {by for _, by in broken} == {role}


async def test_overstepping_and_late_forgetting_are_separate_habits(play: Play) -> None:
    bold = await play(calm("t1-07-methotrexate"), mistakes={"trainee": {OVERSTEPS: 1.0}})
    assert any("decides_alone" in given_in(said.text, said.to) for said in bold.transcript.said("trainee"))
    tired = await play(calm("t1-02-warfarin"), mistakes={"doctor": {FORGETS: 1.0}})
    early, late = tired.transcript.said("doctor")[:2], tired.transcript.said("doctor")[2:]
    assert not any(given_in(said.text, said.to) for said in early)
    assert any(given_in(said.text, said.to) for said in late)


def test_every_role_has_habits_and_every_habit_has_advice_against_it() -> None:
    data = habits()
    assert {habit for role in data.prone.values() for habit in role} == set(BREAKS) == set(data.against)
    assert set(data.prone) == {"doctor", "nurse", "trainee", "admin"}


@pytest.mark.parametrize("norm", inventory(), ids=lambda norm: norm.id)
def test_the_wording_of_a_shipped_norms_reminder_makes_its_habit_rarer(norm: Norm) -> None:
    habit = next(habit for habit, name in BREAKS.items() if name == norm.id)
    assert held_back(asked(learned=(norm.remind,)), habit) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("habit", "advice"),
    [
        ("skips_check", "After explaining, have the patient repeat what they are going to do."),
        ("overclaims", "Be honest about your doubts, say how sure you are, and promise nothing."),
        ("decides_alone", "Ask your supervisor to confirm before you decide on a diagnosis or a medicine."),
    ],
)
def test_advice_in_other_words_helps_and_a_sentence_about_bananas_does_not(habit: str, advice: str) -> None:
    assert held_back(asked(learned=(advice,)), habit) > 0
    assert held_back(asked(learned=(BANANAS,)), habit) == 0.0
    assert held_back(asked(), habit) == 0.0


def test_how_much_the_staff_learn_is_a_setting() -> None:
    line = "Ask the patient to tell the steps back in their own words."
    sizes = [held_back(asked(learning=size, learned=(line,)), "skips_check") for size in (0.0, 0.4, 0.8)]
    assert sizes == pytest.approx([0.0, 0.4, 0.8])


def test_many_lines_dilute_each_other_and_late_in_a_shift_only_memory_keeps_its_weight() -> None:
    line = "Ask the patient to tell the steps back in their own words."
    many = tuple(f"{BANANAS} {number}" for number in range(30))
    alone = held_back(asked(learned=(line,)), "skips_check")
    assert held_back(asked(learned=(line,), norms=many), "skips_check") < alone
    late = held_back(asked(turn=6, learned=(line,)), "skips_check")
    reminded = held_back(asked(turn=6, memory=MemoryView(reminders=(line,))), "skips_check")
    assert late < reminded == pytest.approx(alone)


def test_a_wrong_selector_is_answered_with_the_valid_selectors() -> None:
    from polyclinic.errors import UserError

    assert len(scenarios("T2:40", 1)) == len({s.id for s in scenarios("T2:40", 1)}) == 40
    assert {s.campaign for s in scenarios("6", 1)} == {"T1", "T2", "T3"}
    assert {s.campaign for s in scenarios("evolve:6", 1)} == {"ward"}
    assert [s.disturbance is not None for s in scenarios("T1:4~doctor.directness-0.4@2-3", 1)] == [
        False,
        True,
        True,
        False,
    ]
    for wrong, says in (
        ("T1:4~doctor.nosuch-0.4@2", "'nosuch' is not a trait of doctor: choose one of these: perspective_taking"),
        ("T1:4~patient.felt_understood-0.4@2", "only doctors, nurses and trainees can be pushed"),
        ("T1:4~admin.directness-0.4@2", "only doctors, nurses and trainees can be pushed"),
        ("T1:4~doctor.directness-9@2", "by -1 to 1, not by -9"),
        ("T1:4~doctor.directness-0.4@5", "4 shifts, and none of them is pushed"),
        ("T1:4~doctor.directness-0.4@3-2", "none of them is pushed"),
        ("T1:4~doctor.directness-0.4@0", "none of them is pushed"),
    ):
        with pytest.raises(UserError, match=re.escape(says)):
            scenarios(wrong, 1)
    for wrong in ("T9", "T1:x", "one:nobody", "T1:4~doctor", "T1:4~chef.directness-0.4@2"):
        with pytest.raises(UserError, match=r"write for example|is not a"):
            scenarios(wrong, 1)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "Take no lithium until we have called you with the result",
            "take no lithium until you have called me with the result",
        ),
        ("Ring us before you take your next tablet", "ring you before I take my next tablet"),
        ("You will walk with the frame", "I will walk with the frame"),
        ("Check ketones when you are ill", "check ketones when I am ill"),
        ("Come back if you aren't better", "come back if I am not better"),
        ("Tell me if you were sick", "tell you if I was sick"),
        ("Ring when I'm here, I was told", "ring when you're here, you were told"),
        ("Say how you are", "say how I am"),
        ("Ask are you better", "ask am I better"),
    ],
)
def test_the_patient_says_steps_back_in_its_own_person(step: str, said: str) -> None:
    assert as_the_patient(step) == said


def test_advice_that_is_too_long_is_cut_with_a_sign() -> None:
    assert ReviewsBreach.from_human("Ask first. " * 30).correction.endswith("…")
    assert ReviewsBreach.from_human("Ask first.").correction == "Ask first."
