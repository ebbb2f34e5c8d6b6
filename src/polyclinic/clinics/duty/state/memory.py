"""Structured memory: trajectories of what was seen, said and broken, and slots that summarise older episodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pydantic import Field

from polyclinic.clinics.duty.scenario.schema import AnyDuty, Role
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.text.sentences import is_question, sentences

KEPT_EPISODES = 6
SLOT_ITEMS = 6
SLOT_CHARS = 160


class Step(Frozen):
    """One step of a trajectory: what the role saw, its profile then, what it said, and the norms that it broke."""

    observation: str
    identity: dict[str, float]
    action: str
    norms: tuple[str, ...]
    violations: tuple[str, ...] = ()


class Trajectory(Frozen):
    """One episode from the view of one role."""

    episode: int
    scenario: str
    task: str
    steps: tuple[Step, ...]
    outcome: str
    facts: tuple[str, ...] = ()
    commitments: tuple[str, ...] = ()


class Signature(Frozen):
    """A failure that keeps coming back: which norm, in which situation, how often."""

    norm: str
    trigger: str
    count: int = 1
    last: int = 0


class Slots(Frozen):
    """Older episodes, summarised in four lists of bounded length."""

    facts: tuple[str, ...] = ()
    commitments: tuple[str, ...] = ()
    active_norms: tuple[str, ...] = ()
    failures: tuple[Signature, ...] = ()


class RoleMemory(Frozen):
    """One role's memory: recent trajectories in full, older ones summarised in slots."""

    recent: tuple[Trajectory, ...] = ()
    slots: Slots = Slots()
    folded: int = 0

    def remembered(self, trajectory: Trajectory) -> RoleMemory:
        """The memory with one more episode. If there are too many, the oldest is summarised in the slots."""
        recent = (*self.recent, trajectory)
        slots, folded = with_failures(self.slots, trajectory), self.folded
        while len(recent) > KEPT_EPISODES:
            slots, folded = fold(slots, recent[0]), folded + 1
            recent = recent[1:]
        return RoleMemory(recent=recent, slots=slots, folded=folded)

    def recall(self, scenario: AnyDuty, k: int = 2) -> list[Trajectory]:
        """The recent episodes most like this one: shared findings first, then the task; the newest first on ties."""
        here = {finding.text for finding in scenario.findings}
        ranked = sorted(
            self.recent,
            key=lambda old: (len(here & set(old.facts)), old.task == scenario.task, old.episode),
            reverse=True,
        )
        return ranked[:k]


def with_failures(slots: Slots, trajectory: Trajectory) -> Slots:
    """The slots with this episode's broken norms counted into the failure signatures."""
    known = {signature.norm: signature for signature in slots.failures}
    for step in trajectory.steps:
        for norm in step.violations:
            old = known.get(norm, Signature(norm=norm, trigger="", count=0))
            known[norm] = Signature(
                norm=norm, trigger=cut(step.observation, SLOT_CHARS), count=old.count + 1, last=trajectory.episode
            )
    ranked = sorted(known.values(), key=lambda signature: (-signature.count, signature.norm))
    active = tuple(signature.norm for signature in ranked[:SLOT_ITEMS])
    return slots.model_copy(update={"failures": tuple(ranked[: 2 * SLOT_ITEMS]), "active_norms": active})


def fold(slots: Slots, trajectory: Trajectory) -> Slots:
    """The slots with an episode's facts and commitments; only the newest entries stay."""
    return slots.model_copy(
        update={
            "facts": _newest(slots.facts, trajectory.facts),
            "commitments": _newest(slots.commitments, trajectory.commitments),
        }
    )


def _newest(old: Sequence[str], new: Iterable[str]) -> tuple[str, ...]:
    merged = [*(item for item in old), *(cut(item, SLOT_CHARS) for item in new if item not in old)]
    return tuple(merged[-SLOT_ITEMS:])


class Commitment(Frozen):
    """Something somebody has committed to in this episode."""

    speaker: Role
    about: str
    value: str
    words: str


class BrokenCommitment(Frozen):
    """A commitment and the later words that break it."""

    commitment: Commitment
    words: str


LEVEL = re.compile(r"\blevel (?:is |of )?([1-5])\b", re.IGNORECASE)
_HOLD = re.compile(
    r"\b(keep taking|keep to|continue|do not stop|never pause|stop|take no more|hold|pause)\s+(?:the |your )?(\w+)",
    re.IGNORECASE,
)
_KEEPING = ("keep taking", "keep to", "continue", "do not stop", "never pause")
_CORRECTION = re.compile(r"\b(correction|i was wrong|new result|changed my mind because|i correct)\b", re.IGNORECASE)


class CommitmentBook(Frozen):
    """The commitments of one episode, and those that were broken later."""

    open: tuple[Commitment, ...] = Field(default=())
    broken: tuple[BrokenCommitment, ...] = Field(default=())

    def heard(self, speaker: Role, text: str) -> CommitmentBook:
        """The book after one more message: new commitments are added, and contradicted ones are broken unless the
        message says that it is a correction.
        """
        open_, broken = list(self.open), list(self.broken)
        corrects = _CORRECTION.search(text) is not None
        for new in commitments_in(speaker, text):
            for old in [held for held in open_ if held.about == new.about and held.value != new.value]:
                if not corrects:
                    broken.append(BrokenCommitment(commitment=old, words=new.words))
                open_.remove(old)
            if new not in open_:
                open_.append(new)
        return CommitmentBook(open=tuple(open_), broken=tuple(broken))


def commitments_in(speaker: Role, text: str) -> list[Commitment]:
    """What a message commits its speaker to: a triage level, or a medicine to keep or to stop. Questions commit to
    nothing.
    """
    found: list[Commitment] = []
    for sentence in sentences(text, semicolons=True, lines=False):
        if is_question(sentence):
            continue
        level = LEVEL.search(sentence)
        if level is not None:
            found.append(Commitment(speaker=speaker, about="triage level", value=level.group(1), words=sentence))
        for match in _HOLD.finditer(sentence):
            keeps = match.group(1).lower() in _KEEPING
            value = "keep" if keeps else "stop"
            if not keeps and re.search(r"\b(?:not|never|no)\b[^.]{0,20}$", sentence[: match.start()], re.IGNORECASE):
                value = "keep"
            found.append(Commitment(speaker=speaker, about=match.group(2).lower(), value=value, words=sentence))
    return found
