"""Offline staff: clean on calm days, prone to what their habits say, and obedient to what their prompt stresses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from polyclinic.clinics.duty.agents import role_view
from polyclinic.clinics.duty.prompts import ActTurn, MemoryView, NormLine, StressedLine
from polyclinic.clinics.duty.scenario import AnyDuty, by_id, scenarios, shipped
from polyclinic.clinics.duty.understudies.habits import FORGETS, OVERSTEPS, habits, held_back, mistake_name
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.transcript import Violated

Play = Callable[..., Awaitable[EpisodeResult]]
SHIFTS = by_id(shipped())


def calm(name: str) -> AnyDuty:
    return SHIFTS[name].model_copy(update={"calm": True})


def asked(**changes: object) -> ActTurn:
    shift = SHIFTS["t1-02-warfarin"]
    prompt = ActTurn(
        role="doctor",
        task="T1",
        title=shift.title,
        setting=shift.setting,
        view=role_view(shift, "doctor"),
        traits=(),
        style="",
        norms=(),
        checklist=(),
        learned=(),
        grounding=(),
        shift=1,
        dialogue=(),
        memory=MemoryView(),
        stage="plan",
        aim="",
        to="patient",
        turn=1,
        turns=6,
        disturbance=None,
        calm=False,
        objections=(),
    )
    return prompt.model_copy(update=changes)


@pytest.mark.parametrize("shift", shipped(), ids=lambda shift: shift.id)
async def test_on_calm_days_nobody_breaks_a_norm(play: Play, shift: AnyDuty) -> None:
    result = await play(calm(shift.id))
    assert result.outcome == "clean", [v.words for v in result.transcript.of(Violated)]
    low, high = shift.turns
    assert low <= len(result.transcript.said()) <= high


@pytest.mark.parametrize(
    ("norm", "role", "shift"),
    [
        ("SOP-1", "trainee", "t1-07-methotrexate"),
        ("SOP-1", "trainee", "t2-07-head-injury"),
        ("SOP-1", "trainee", "t3-01-heart-failure"),
        ("SOP-2", "nurse", "t2-01-chest-pain"),
        ("SOP-2", "nurse", "t3-01-heart-failure"),
        ("SOP-3", "admin", "t2-01-chest-pain"),
        ("ESC-1", "doctor", "t2-01-chest-pain"),
        ("ESC-1", "nurse", "t2-09-cauda"),
        ("ESC-2", "doctor", "t1-02-warfarin"),
        ("ESC-2", "trainee", "t1-08-statin"),
        ("ESC-3", "nurse", "t3-01-heart-failure"),
        ("INFO-1", "doctor", "t1-02-warfarin"),
        ("INFO-1", "admin", "t2-12-dka"),
        ("INFO-2", "admin", "t2-01-chest-pain"),
        ("INFO-2", "doctor", "t2-02-thunderclap"),
        ("INFO-3", "doctor", "t1-10-apixaban"),
        ("SAFE-1", "doctor", "t1-10-apixaban"),
        ("SAFE-1", "admin", "t2-05-ectopic"),
        ("SAFE-2", "nurse", "t2-10-dissection"),
        ("SAFE-3", "doctor", "t1-01-potassium"),
        ("SAFE-3", "trainee", "t3-03-hip"),
    ],
)
async def test_a_habit_made_certain_is_seen_by_the_checker_on_that_role(
    play: Play, norm: str, role: str, shift: str
) -> None:
    result = await play(calm(shift), mistakes={role: {mistake_name(norm): 1.0}})
    found = {(v.rule, v.by) for v in result.transcript.of(Violated)}
    assert (norm, role) in found
    assert all(by == role for _, by in found)


async def test_overstepping_and_late_forgetting_are_habits_of_their_own(play: Play) -> None:
    bold = await play(calm("t1-07-methotrexate"), mistakes={"trainee": {OVERSTEPS: 1.0}})
    assert [v.rule for v in bold.transcript.of(Violated)].count("SOP-1") == 2
    assert {v.by for v in bold.transcript.of(Violated)} == {"trainee"}
    tired = await play(calm("t1-02-warfarin"), mistakes={"doctor": {FORGETS: 1.0}})
    stages = [said.data["stage"] for said in tired.transcript.said("doctor")]
    late = {v.words for v in tired.transcript.of(Violated)}
    assert stages == ["open", "clarify", "plan"]
    early = " ".join(said.text for said in tired.transcript.said("doctor")[:2])
    assert late and not any(words in early for words in late)


def test_every_norm_and_every_role_has_a_habit() -> None:
    prone = habits().prone
    assert {norm for role in prone.values() for norm in role} == {
        *(f"SOP-{i}" for i in (1, 2, 3)),
        *(f"ESC-{i}" for i in (1, 2, 3)),
        *(f"INFO-{i}" for i in (1, 2, 3)),
        *(f"SAFE-{i}" for i in (1, 2, 3)),
    }
    assert set(prone) == {"doctor", "nurse", "trainee", "admin"}


def test_what_the_prompt_stresses_is_obeyed_and_nothing_else() -> None:
    line = StressedLine(key="norm:SAFE-3", text="Ask for teach-back.")
    assert held_back(asked(), "SAFE-3") == 0.0
    assert held_back(asked(learned=(line,)), "SAFE-3") == pytest.approx(habits().heeds.learned)
    assert held_back(asked(learned=(line,)), "SAFE-2") == 0.0


def test_many_lines_dilute_each_other() -> None:
    line = StressedLine(key="norm:SAFE-3", text="x")
    many = tuple(NormLine(id=f"N-{i}", text="x") for i in range(30))
    assert held_back(asked(learned=(line,), norms=many), "SAFE-3") < held_back(asked(learned=(line,)), "SAFE-3")


def test_late_in_an_episode_only_memory_keeps_a_norm_in_mind() -> None:
    line = StressedLine(key="norm:SAFE-3", text="x")
    early, late = asked(learned=(line,), turn=1), asked(learned=(line,), turn=6)
    reminded = late.model_copy(update={"memory": MemoryView(active_norms=(NormLine(id="SAFE-3", text="x"),))})
    assert held_back(late, "SAFE-3") < held_back(early, "SAFE-3") < held_back(reminded, "SAFE-3")


def test_selectors_name_their_forms_when_wrong() -> None:
    from polyclinic.errors import UnknownName

    assert len(scenarios("T2:40", 1)) == len({s.id for s in scenarios("T2:40", 1)}) == 40
    assert {s.campaign for s in scenarios("6", 1)} == {"T1", "T2", "T3"}
    assert {s.campaign for s in scenarios("evolve:6", 1)} == {"ward"}
    assert [s.disturbance is not None for s in scenarios("T1:4~doctor.directness-0.4@2-3", 1)] == [
        False,
        True,
        True,
        False,
    ]
    for wrong in ("T9", "T1:x", "one:nobody", "T1:4~doctor", "T1:4~chef.directness-0.4@2"):
        with pytest.raises(UnknownName):
            scenarios(wrong, 1)
