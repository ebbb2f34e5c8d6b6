"""Prompt books, memory slots and commitments, and the ward that is rebuilt from its effects."""

from __future__ import annotations

import pytest

from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.state.memory import (
    KEPT_EPISODES,
    SLOT_ITEMS,
    CommitmentBook,
    RoleMemory,
    Step,
    Trajectory,
)
from polyclinic.clinics.duty.state.prompt_book import MAX_CHARS, MAX_LINES, Edit, PromptBook, PromptLine
from polyclinic.clinics.duty.state.ward import Edited, ShiftEnded, ShiftRemembered, Ward
from polyclinic.core.campaign import StoredEffect
from polyclinic.errors import EngineError


def line(key: str, text: str = "Ask first.") -> PromptLine:
    return PromptLine(key=key, kind="check", text=text, born=1, stake=1.0)


def add(key: str, text: str = "Ask first.", place: int = 0) -> Edit:
    return Edit(action="add", line=line(key, text), place=place, reason="because", episode=1)


def trajectory(episode: int, *violations: str) -> Trajectory:
    step = Step(observation=f"seen {episode}", identity={}, action="said", norms=("SOP-1",), violations=violations)
    return Trajectory(
        episode=episode,
        scenario="s",
        task="T1",
        steps=(step,),
        outcome="done",
        facts=(f"fact {episode}",),
        commitments=(),
    )


def test_an_edit_and_its_inverse_leave_the_book_as_it_was() -> None:
    book = PromptBook().applied(add("norm:A")).applied(add("norm:B", place=1)).applied(add("norm:C", place=1))
    before = book.lines
    removal = book.removal(book.lines[1], "did not help", 2)
    changed = book.applied(removal)
    assert changed.lines != before
    assert changed.applied(removal.inverse("back", 3)).lines == before


def test_rollback_restores_the_lines_and_keeps_the_history() -> None:
    book = PromptBook().applied(add("norm:A")).applied(add("norm:B"))
    later = book.applied(
        Edit(
            action="replace", line=line("norm:A", "Ask the attending."), old=line("norm:A"), reason="better", episode=2
        )
    ).applied(add("norm:C"))
    restored = later
    for edit in later.rollback(2, "rolled back", 9):
        restored = restored.applied(edit)
    assert restored.lines == book.lines
    assert restored.version == 6
    assert later.at(2) == book


def test_a_diff_can_be_read() -> None:
    book = PromptBook().applied(add("norm:A", "Ask the attending first."))
    assert "+- Ask the attending first." in book.diff(1)
    assert "episode 1: because" in book.diff(1)


def test_the_book_refuses_to_grow_past_its_bound() -> None:
    book = PromptBook()
    for number in range(MAX_LINES):
        book = book.applied(add(f"norm:{number}"))
    with pytest.raises(ValueError, match="would exceed"):
        book.applied(add("norm:more"))
    with pytest.raises(ValueError, match="would exceed"):
        PromptBook().applied(add("norm:long", "x" * (MAX_CHARS + 1)))
    with pytest.raises(ValueError, match="already"):
        book.applied(add("norm:0"))


def test_memory_keeps_recent_episodes_whole_and_folds_older_ones_into_bounded_slots() -> None:
    memory = RoleMemory()
    for episode in range(40):
        memory = memory.remembered(trajectory(episode, *(("SOP-1",) if episode % 2 else ())))
    assert len(memory.recent) == KEPT_EPISODES
    assert memory.folded == 40 - KEPT_EPISODES
    assert len(memory.slots.facts) <= SLOT_ITEMS
    assert memory.slots.failures[0].norm == "SOP-1"
    assert memory.slots.failures[0].count == 20
    assert memory.slots.active_norms == ("SOP-1",)


def test_recall_prefers_the_same_situation() -> None:
    shift = by_id(shipped())["t1-02-warfarin"]
    known = trajectory(1).model_copy(update={"facts": tuple(finding.text for finding in shift.findings)})
    memory = RoleMemory().remembered(known).remembered(trajectory(2))
    assert memory.recall(shift, k=1) == [known]


def test_a_commitment_broken_later_is_detected_and_a_correction_is_not() -> None:
    book = CommitmentBook().heard("doctor", "I make it level 2.").heard("nurse", "Noted.")
    broken = book.heard("doctor", "On second thoughts level 4.")
    assert [item.commitment.value for item in broken.broken] == ["2"]
    assert book.heard("doctor", "Correction: with the new result it is level 3.").broken == ()
    assert book.heard("nurse", "Should it be level 4?").broken == ()
    drug = CommitmentBook().heard("doctor", "Keep taking apixaban.").heard("trainee", "Stop apixaban on Friday.")
    assert drug.broken[0].commitment.about == "apixaban"
    assert (
        CommitmentBook().heard("doctor", "Keep taking apixaban.").heard("doctor", "Do not stop apixaban.").broken == ()
    )


def test_a_ward_is_rebuilt_from_its_effects() -> None:
    ward = Ward({})
    for episode in range(4):
        for effect in (
            Edited(role="nurse", edit=add(f"norm:{episode}")),
            ShiftRemembered(role="nurse", trajectory=trajectory(episode)),
            ShiftEnded(),
        ):
            kept = StoredEffect.from_json(effect.stored())
            assert kept.as_one_of(Ward.takes) == effect, "an effect comes back from a store as it was"
            ward.apply(effect)
    back = ward.at(2)
    assert back.episodes == 2
    assert [item.key for item in back.roles["nurse"].book.lines] == ["norm:1", "norm:0"]
    assert ward.at(4).roles == ward.roles
    with pytest.raises(EngineError, match="no effect of the kind 'nonsense'"):
        StoredEffect(kind="nonsense", data={}).as_one_of(Ward.takes)
