"""The whole loop with understudies: it improves by norms alone, catches drift by R02 alone, and can be rolled back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from statistics import fmean

import pytest

from polyclinic.clinics.duty.evolve.reports import IdentityReport
from polyclinic.clinics.duty.prompts import ActTurn
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.notes import CommitmentBroken, EditProposed, PromptShown
from polyclinic.clinics.duty.scenario import by_id, scenarios, shipped
from polyclinic.clinics.duty.state.ward import open_ward
from polyclinic.clinics.duty.variants import VARIANTS
from polyclinic.core.episode import Campaign
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import Request
from polyclinic.core.services import Services
from polyclinic.core.transcript import Violated
from polyclinic.errors import ConfigError, DataError
from polyclinic.eval.results import EpisodeRow, RunResults

Play = Callable[..., Awaitable[EpisodeResult]]
Run = Callable[..., Awaitable[RunResults]]
SHIFTS = by_id(shipped())


def mean(rows: list[EpisodeRow], metric: str) -> float:
    return fmean(value for row in rows if (value := row.value(metric)) is not None)


def rows_of(results: RunResults, variant: str) -> list[EpisodeRow]:
    return list(results.of(variant=variant))


async def test_full_beats_every_baseline_in_every_task(small_run: Run) -> None:
    for task in ("T1", "T2", "T3"):
        variants = ["plain", "norm-instructed", "reflection-only", "memory-only", "full"]
        results = await small_run(f"{task}:14", variants)
        for metric in ("nvr", "snr"):
            full = mean(rows_of(results, "full"), metric)
            assert all(full < mean(rows_of(results, other), metric) for other in variants[:-1]), (task, metric)


async def test_frozen_updates_leave_every_prompt_empty(small_run: Run) -> None:
    results = await small_run("T2:8", ["frozen"])
    notes = [note for row in results.episodes for note in row.transcript.notes(PromptShown)]
    assert notes
    assert all(note.text == "" for note in notes)
    assert any(note.withheld for row in results.episodes for note in row.transcript.notes(EditProposed))


async def test_shuffled_norms_never_teach_a_role_its_own(small_run: Run) -> None:
    bound = {norm.id: set(norm.roles) for norm in inventory()}
    taught = 0
    for seed in range(1, 4):
        results = await small_run("T3:8", ["shuffled"], seed=seed)
        for row in results.episodes:
            for note in row.transcript.notes(EditProposed):
                subject, _, norm = note.edit.line.key.partition(":")
                if subject == "norm":
                    taught += 1
                    assert note.role not in bound[norm]
    assert taught


async def test_an_injected_drift_is_caught_within_three_shifts_and_only_with_r02(small_run: Run) -> None:
    results = await small_run("T3:9~calm~nurse.thoroughness-0.4@5", ["full", "no-r02"], trials=3, judges=("task",))
    for trial in range(3):
        alarms = [
            number
            for number, row in enumerate((r for r in rows_of(results, "full") if r.trial == trial), 1)
            for note in row.transcript.notes(IdentityReport)
            if note.report.role == "nurse" and note.report.drift.drift
        ]
        assert alarms and 5 <= alarms[0] <= 7, alarms
    assert not any(row.transcript.notes(IdentityReport) for row in rows_of(results, "no-r02"))
    lines = [note.text for row in rows_of(results, "full") for note in row.transcript.notes(PromptShown)]
    assert any("Be yourself again" in text for text in lines)


async def test_a_stable_team_raises_no_alarm(small_run: Run) -> None:
    results = await small_run("T2:12~calm", ["full"], trials=3, judges=("task",))
    reports = [note.report for row in results.episodes for note in row.transcript.notes(IdentityReport)]
    assert len(reports) > 60
    assert not any(report.drift.drift for report in reports)


async def test_rollback_restores_behaviour_exactly(play: Play) -> None:
    shifts = scenarios("T1:8", 5)
    ward = open_ward(shifts, VARIANTS["full"], 5, Services())
    first: list[bytes] = []
    for shift in shifts:
        result = await play(shift, "full", ward, seed=5)
        first.append(result.transcript.to_json())
        campaign = Campaign(shared=ward)
        for effect in result.effects:
            campaign.apply(effect)
    assert any(ward.roles[role].book.version for role in ward.roles)
    for number in (3, 6):
        back = ward.at(number)
        again = await play(shifts[number], "full", back, seed=5)
        assert again.transcript.to_json() == first[number]
    book = max((state.book for state in ward.roles.values()), key=lambda book: book.version)
    earlier = book.version - 1
    restored = book
    for edit in book.rollback(earlier, "rolled back", 9):
        restored = restored.applied(edit)
    assert restored.lines == book.at(earlier).lines != book.lines


async def test_repair_says_nothing_that_breaks_a_norm_when_a_clean_draft_exists(play: Play) -> None:
    options = {"candidates": "3", "rewrites": "1"}
    habit = {"doctor": {"breaks_safe_3": 0.5, "breaks_info_1": 0.5}}
    single = repaired = 0
    for seed in range(6):
        shift = SHIFTS["t1-02-warfarin"].model_copy(update={"calm": True})
        single += len((await play(shift, "plain", mistakes=habit, seed=seed)).transcript.of(Violated))
        result = await play(shift, "plain", mistakes=habit, options=options, seed=seed)
        repaired += len(result.transcript.of(Violated))
        assert max(said.data["drafts"] for said in result.transcript.said("doctor")) >= 3
    assert repaired < single


async def test_options_out_of_range_are_the_users_fault(play: Play) -> None:
    with pytest.raises(ConfigError, match="candidates"):
        await play(SHIFTS["t1-02-warfarin"], options={"candidates": "many"})
    with pytest.raises(DataError, match="there is no such"):
        await play(SHIFTS["t1-02-warfarin"], options={"norms": "nowhere.yaml"})


async def test_memory_recalls_facts_from_the_second_shift_on_and_plain_remembers_nothing(play: Play) -> None:
    shifts = scenarios("T1:3", 2)
    for variant, remembers in (("memory-only", True), ("plain", False)):
        ward = open_ward(shifts, VARIANTS[variant], 2, Services())
        for shift in shifts:
            result = await play(shift, variant, ward)
            for effect in result.effects:
                ward.apply(effect)
        assert ward.episodes == 3
        assert bool(ward.roles["doctor"].memory.recent) is remembers


async def test_memory_never_presents_another_patients_facts_as_this_ones(play: Play) -> None:
    shifts = scenarios("T1:4", 2)
    ward = open_ward(shifts, VARIANTS["full"], 2, Services())
    for number, shift in enumerate(shifts):
        asked: list[Request] = []
        result = await play(shift, "full", ward, asked=asked)
        for effect in result.effects:
            ward.apply(effect)
        prompts = [request.prompt for request in asked if isinstance(request.prompt, ActTurn)]
        own = {finding.text for finding in shift.findings} | {f"nobody knows {u.about}" for u in shift.unknowns}
        assert all(set(prompt.memory.facts) <= own for prompt in prompts)
        remembering = [prompt for prompt in prompts if prompt.memory.earlier]
        assert bool(remembering) is (number > 0)
        for prompt in remembering:
            assert "another patient" in prompt.render()[-1].content


async def test_a_broken_commitment_is_noted(play: Play) -> None:
    shift = SHIFTS["t2-01-chest-pain"].model_copy(update={"calm": True})
    result = await play(shift, mistakes={"doctor": {"breaks_esc_1": 0.5}}, seed=4)
    levels = [said.text for said in result.transcript.said("doctor") if "level" in said.text]
    notes = result.transcript.notes(CommitmentBroken)
    stated = {text[text.index("level ") + 6] for text in levels}
    assert bool(notes) == (len(stated) > 1)


def test_open_ward_gives_all_variants_the_same_people() -> None:
    one = open_ward((), VARIANTS["plain"], 3, Services())
    two = open_ward((), VARIANTS["full"], 3, Services())
    assert one.anchors == two.anchors
    assert one.anchors != open_ward((), VARIANTS["full"], 4, Services()).anchors
