"""The whole loop with understudies: it improves only by norms, finds drift only with R02, and can be rolled back."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from statistics import fmean
from typing import cast

import pytest

from benchmarks.duty_habits import given_in
from polyclinic.clinics.duty import clinic
from polyclinic.clinics.duty.evolve import after_shift
from polyclinic.clinics.duty.evolve.prompt_edits import edits_from
from polyclinic.clinics.duty.evolve.reflect import hear_traits, identity_report
from polyclinic.clinics.duty.evolve.reports import IdentityReport
from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.prompts.reflection import HearsTraits
from polyclinic.clinics.duty.prompts.replies import WORDS, TraitsHeard, traits_heard
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.notes import CommitmentBroken, EditProposed, PromptShown
from polyclinic.clinics.duty.rules.traits.drift import DriftSettings
from polyclinic.clinics.duty.scenario import scenarios
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.state.memory import CommitmentBook
from polyclinic.clinics.duty.state.prompt_book import Edit
from polyclinic.clinics.duty.state.ward import Counted, open_campaign
from polyclinic.clinics.duty.variants import VARIANTS
from polyclinic.core.agent import Agent
from polyclinic.core.episode import Campaign
from polyclinic.core.execute import EpisodeResult
from polyclinic.core.model import Request
from polyclinic.core.services import Services
from polyclinic.core.transcript import Violated
from polyclinic.errors import ConfigError, DataError
from polyclinic.eval.results import RunResults
from polyclinic.testing.fault_server import FaultServer, SentBody
from polyclinic.testing.runs import run_once

Play = Callable[..., Awaitable[EpisodeResult]]
Run = Callable[..., Awaitable[RunResults]]
Campaigns = Callable[..., Awaitable[list[EpisodeResult]]]
SHIFTS = by_id(shipped())


def slips(results: list[EpisodeResult]) -> float:
    """How many bad habits the offline staff's own words show per message, counted without a reader."""
    said = [said for result in results for said in result.transcript.said() if said.speaker != "patient"]
    return sum(len(given_in(line.text, line.to)) for line in said) / len(said)


async def test_corrections_work_through_their_wording_when_the_reader_makes_no_mistakes(
    campaign: Campaigns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`reflection-only` has only its corrections, no checklist and no memory, so any gain comes from the corrections.

    Every change of text changes all random draws, and one campaign varies by 0.09 around 0.5. So means over six seeds
    are compared.
    """

    async def mean(variant: str) -> float:
        return fmean([slips(await campaign("T3:8", variant, seed=seed)) for seed in range(1, 7)])

    plain, learned = await mean("plain"), await mean("reflection-only")
    assert learned < 0.75 * plain
    monkeypatch.setattr(after_shift, "edits_from", bananas)
    assert await mean("reflection-only") > 0.8 * plain


def bananas(*given: object) -> list[Edit]:
    """The loop's edits under the same norms, but with a sentence about bananas as their text."""
    made = edits_from(*given)  # type: ignore[arg-type]
    text = "Bananas are yellow and grow in bunches."
    lines = [edit.line.model_copy(update={"text": f"{text} {n}"}) for n, edit in enumerate(made)]
    return [
        edit.model_copy(update={"line": line}) for edit, line in zip(made, lines, strict=True) if edit.action == "add"
    ]


async def test_frozen_updates_leave_every_prompt_empty(campaign: Campaigns) -> None:
    results = await campaign("T3:10", "frozen")
    notes = [note for result in results for note in result.transcript.notes(PromptShown)]
    assert notes
    assert all(note.text == "" for note in notes)
    assert any(note.withheld for result in results for note in result.transcript.notes(EditProposed))


async def test_shuffled_norms_never_teach_a_role_its_own_norms(campaign: Campaigns) -> None:
    bound = {norm.id: set(norm.roles) for norm in inventory()}
    for result in await campaign("T3:4", "shuffled"):
        for note in result.transcript.notes(EditProposed):
            subject, _, norm = note.edit.line.key.partition(":")
            assert subject != "norm" or note.role not in bound[norm]


class Hears:
    """A listener who always gives this answer about directness."""

    def __init__(self, word: str) -> None:
        self.word = word

    async def ask(self, prompt: HearsTraits) -> TraitsHeard:
        assert "usually" not in prompt.render()[0].content
        names = tuple(line.dimension for line in prompt.scales)
        words = dict.fromkeys([name + WORDS for name in names], "") | dict.fromkeys(names, "not heard")
        words |= {"directness" + WORDS: "hardly", "directness": self.word}
        return traits_heard(names).model_validate(words)


async def test_a_constant_bias_of_the_listener_does_not_count_as_drift() -> None:
    doctor = open_campaign((), VARIANTS["full"], 3, Services()).roles["doctor"]
    shift = SHIFTS["t1-03-metformin"]
    alarms = []
    for word in ("very strongly",) * 8 + ("hardly",) * 4:
        heard, raw = await hear_traits(cast("Agent", Hears(word)), doctor, shift, ["Well."])
        report = identity_report(doctor, shift, heard, CommitmentBook(), (), (), DriftSettings(), 1)
        alarms.append(report.drift.drift)
        counted = Counted(episode=1, task="T1", actions=1, broken={}, traits=heard, raw=raw)
        doctor = doctor.model_copy(update={"counted": (*doctor.counted, counted)})
    assert alarms[:9] == [False] * 9
    assert alarms[-1]


async def test_without_r02_there_are_no_identity_reports(campaign: Campaigns) -> None:
    without = await campaign("T3:2~calm", "no-r02")
    assert not any(result.transcript.notes(IdentityReport) for result in without)


async def test_rollback_restores_behaviour_exactly(play: Play) -> None:
    shifts = scenarios("T1:8", 5)
    ward = open_campaign(shifts, VARIANTS["full"], 5, Services())
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


async def test_repair_chooses_a_draft_that_breaks_no_norm_when_there_is_one(play: Play) -> None:
    options = {"candidates": "3", "rewrites": "1"}
    habit = {"doctor": {"skips_check": 0.5, "makes_up": 0.5}}
    single = repaired = 0
    for seed in range(6):
        shift = SHIFTS["t1-02-warfarin"].model_copy(update={"calm": True})
        plain = await play(shift, "plain", mistakes=habit, seed=seed, right=True)
        result = await play(shift, "plain", mistakes=habit, options=options, seed=seed, right=True)
        single += len(plain.transcript.of(Violated))
        repaired += len(result.transcript.of(Violated))
        assert max(said.data["drafts"] for said in result.transcript.said("doctor")) >= 3
    assert repaired < single


async def test_steering_out_of_range_is_a_user_error(play: Play) -> None:
    for options in ({"voice": "third"}, {"learning": "2"}):
        with pytest.raises(ConfigError, match="voice must be first or second"):
            await play(SHIFTS["t1-02-warfarin"], options=options)


async def test_each_side_gets_the_conversation_in_order_with_its_own_words_as_its_own(play: Play) -> None:
    asked: list[Request] = []
    result = await play(SHIFTS["t1-02-warfarin"].model_copy(update={"calm": True}), asked=asked)
    spoken = [said.text for said in result.transcript.said("doctor")]
    last = [request for request in asked if isinstance(request.prompt, ActTurn)][-1]
    assert [message.content for message in last.messages if message.role == "assistant"] == spoken[:-1]
    words = "\n".join(message.content for message in last.messages)
    assert not re.search(r"of at most|Stage:|calm day|pulls at|0\.\d\d", words)


async def test_no_prompt_contains_the_answer_key(play: Play) -> None:
    for name in ("t1-02-warfarin", "t2-01-chest-pain", "t3-01-heart-failure"):
        shift, asked = SHIFTS[name], list[Request]()
        await play(shift, asked=asked)
        first = next(request for request in asked if isinstance(request.prompt, ActTurn))
        words = first.messages[0].content
        keys = [cue.ask for cue in getattr(shift, "risk_cues", ())] + [gap.text for gap in getattr(shift, "gaps", ())]
        assert not any(key in words for key in keys)
        patient = [request for request in asked if request.role == "patient"]
        assert all(shift.patient_says[-1] not in r.messages[0].content for r in patient if len(shift.patient_says) > 1)


async def test_options_out_of_range_are_a_user_error(play: Play) -> None:
    with pytest.raises(ConfigError, match="candidates"):
        await play(SHIFTS["t1-02-warfarin"], options={"candidates": "many"})
    with pytest.raises(DataError, match="there is no such"):
        await play(SHIFTS["t1-02-warfarin"], options={"norms": "nowhere.yaml"})


async def test_memory_recalls_facts_from_the_second_shift_on_and_plain_remembers_nothing(play: Play) -> None:
    shifts = scenarios("T1:3", 2)
    for variant, remembers in (("memory-only", True), ("plain", False)):
        ward = open_campaign(shifts, VARIANTS[variant], 2, Services())
        for shift in shifts:
            result = await play(shift, variant, ward)
            for effect in result.effects:
                ward.apply(effect)
        assert ward.episodes == 3
        assert bool(ward.roles["doctor"].memory.recent) is remembers


async def test_memory_never_presents_another_patients_facts_as_this_patients(play: Play) -> None:
    shifts = scenarios("T1:4", 2)
    ward = open_campaign(shifts, VARIANTS["full"], 2, Services())
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
    result = await play(shift, mistakes={"doctor": {"plays_down": 0.5}}, seed=4)
    levels = [said.text for said in result.transcript.said("doctor") if "level" in said.text]
    notes = result.transcript.notes(CommitmentBroken)
    stated = {text[text.index("level ") + 6] for text in levels}
    assert bool(notes) == (len(stated) > 1)


def test_open_ward_gives_all_variants_the_same_people() -> None:
    one = open_campaign((), VARIANTS["plain"], 3, Services())
    two = open_campaign((), VARIANTS["full"], 3, Services())
    assert one.anchors == two.anchors
    assert one.anchors != open_campaign((), VARIANTS["full"], 4, Services()).anchors


@pytest.mark.parametrize(
    "first",
    [
        "I'm sorry, but I can't assist with that.",
        "I understand that the patient has…",
        "The patient says to the doctor: I feel unwell.",
    ],
)
async def test_staff_of_a_language_model_that_refuse_or_break_off_are_asked_once_more(first: str) -> None:
    told: list[str] = []

    def reply(body: SentBody) -> str:
        told.append(str(body["messages"][-1]["content"]))
        return "Please tell me where it hurts." if "in whole sentences" in told[-1] else first

    async with FaultServer(reply=reply) as server:
        cast = f"doctor={server.url}:any,all=understudy"
        results = await run_once(clinic, variants=("plain",), scenarios="t1-02-warfarin", cast=cast)
    said = [said.text for said in results.episodes[0].transcript.said("doctor")]
    assert said and set(said) == {"Please tell me where it hurts."}
