"""The offline judge: it reads norms and manners by meaning, without word lists of its own. It is only a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyclinic.clinics.duty.judges.norms import not_judged
from polyclinic.clinics.duty.judges.view import ShiftHeard
from polyclinic.clinics.duty.prompts.reflection import JudgesIdentity
from polyclinic.clinics.duty.prompts.replies import DISTANCES, IdentityJudged
from polyclinic.clinics.duty.readings import TRAIT
from polyclinic.clinics.duty.rules.norms.checker import asks_about, exact_hit, said_aloud
from polyclinic.clinics.duty.rules.norms.kept import cannot_break
from polyclinic.clinics.duty.rules.norms.norm import Category, Norm
from polyclinic.clinics.duty.rules.subject import about_the_shift
from polyclinic.clinics.duty.rules.traits.hearing import listened_to
from polyclinic.clinics.duty.rules.triggers import Scene, SceneLine, scenes
from polyclinic.core.reading import Says
from polyclinic.core.understudy import Ask, P, answers
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy


class Signs(NamedTuple):
    """What counts for a criterion: the manners that raise it, and the norms that lower it when they are broken. Of an
    institution's own norms, those of these categories count.
    """

    manners: tuple[str, ...]
    norms: tuple[str, ...]
    own: tuple[Category, ...]

    def counts(self, norm: Norm, facts: ShiftHeard) -> bool:
        """Whether breaking this norm lowers the criterion."""
        same = norm.id in self.norms or norm.like in self.norms
        return same or (norm.id in facts.own and not norm.like and norm.category in self.own)


SIGNS = {
    "rar": Signs((), ("SOP-1", "SOP-2", "SOP-3"), ("scope",)),
    "cbs": Signs(
        ("speaking_up", "thoroughness", "help_seeking", "initiative", "shared_decision"),
        ("SOP-2", "SAFE-1"),
        ("comm_safety",),
    ),
    "rqs": Signs(("perspective_taking", "emotional_engagement"), ("SAFE-1",), ("comm_safety",)),
    "tss": Signs(
        ("uncertainty_communication", "thoroughness"), ("SAFE-2", "INFO-1", "ESC-3"), ("disclosure", "escalation")
    ),
}


class JudgeUnderstudy(RubricUnderstudy[ShiftHeard]):
    """Adds one mistake to those of every rubric judge: ``estranged`` takes everybody for another person."""

    @answers(JudgesRubric)
    def judges_rubric(self, ask: Ask[JudgesRubric]) -> str:
        """Grades the rubric with the understanding that comes with this question."""
        return _Hearing(ask).graded(ask).sheet()

    @answers(JudgesIdentity)
    def judges_identity(self, ask: Ask[JudgesIdentity]) -> IdentityJudged:
        """The mean difference between how often a manner shows and how strong it should be."""
        prompt = ask.prompt
        if ask.mistake("estranged"):
            return IdentityJudged(reason="nothing is as it was (a deliberate mistake)", likeness="another person")
        high = {dimension.id: dimension.high for dimension in listened_to(prompt.role)}
        gaps = {
            t.about: abs(_share(ask, prompt.role, t.about, high[t.dimension], prompt.messages) - t.value)
            for t in prompt.traits
        }
        widest = max(gaps, key=lambda name: (gaps[name], name))
        distance = sum(gaps.values()) / len(gaps)
        word = min(DISTANCES, key=lambda known: abs(DISTANCES[known] - distance))
        return IdentityJudged(reason=f"what differs most, by {gaps[widest]:.2f}: {widest}", likeness=word)


class _Hearing(RubricUnderstudy[ShiftHeard]):
    """A grader for one question, with the understanding that comes with it."""

    def __init__(self, ask: Ask[JudgesRubric]) -> None:
        self._ask = ask

    def grade(self, criterion: str, facts: ShiftHeard) -> Grade:
        """Levels from 1 to 10: the share of messages with a good manner, minus the share with a breach. Norms about
        which the judge cannot tell are named, and do not count. Without a word about the shift there is no mark to
        earn.
        """
        signs = SIGNS[criterion]
        if not any(about_the_shift(facts.scenario, line.text) for line in facts.lines if self._judged(line, facts)):
            return Grade(1, "no message is about this shift")
        norms = [norm for norm in facts.norms if signs.counts(norm, facts)]
        spoken = scenes(facts.scenario, facts.lines)
        own = [scene for scene in spoken if scene.role != "patient" and facts.role in (None, scene.role)]
        good = sum(_shows(self._ask, scene, signs.manners) for scene in own) / max(len(own), 1)
        bad = sum(_breaks(self._ask, scene, norms) for scene in own) / max(len(own), 1)
        start = 0.9 if not signs.manners else 0.5
        level = 1 + round(min(max(start + 0.5 * good - bad, 0.0), 1.0) * 9)
        reason = f"a good manner in {good:.0%} of the messages, a breach in {bad:.0%}"
        unread = self._unread(own, [norm for norm in norms if norm.id in facts.own])
        return Grade(level, f"{reason}; {not_judged(unread)}" if unread else reason)

    @staticmethod
    def _judged(line: SceneLine, facts: ShiftHeard) -> bool:
        return line.speaker != "patient" and facts.role in (None, line.speaker)

    def _unread(self, spoken: Sequence[Scene], norms: Sequence[Norm]) -> list[str]:
        """The norms about which the judge cannot tell for any message."""
        found = {norm.id: {_finds(self._ask, scene, norm) for scene in spoken if _binds(norm, scene)} for norm in norms}
        return [norm for norm, says in found.items() if says == {"unclear"}]


def _share(ask: Ask[P], role: str, about: str, high: str, messages: tuple[str, ...]) -> float:
    asked = TRAIT.ask(role=role, about=about, high=high)
    return sum(ask.understands(message, asked) for message in messages) / max(len(messages), 1)


def _shows(ask: Ask[P], scene: Scene, manners: tuple[str, ...]) -> bool:
    return any(
        ask.understands(scene.text, TRAIT.ask(role=scene.role, about=d.about, high=d.high))
        for d in listened_to(scene.role)
        if d.id in manners
    )


def _binds(norm: Norm, scene: Scene) -> bool:
    return scene.role in norm.roles and norm.said_to in ("", scene.to)


def _breaks(ask: Ask[P], scene: Scene, norms: Sequence[Norm]) -> bool:
    return any(_finds(ask, scene, norm) == "yes" for norm in norms if _binds(norm, scene))


def _finds(ask: Ask[P], scene: Scene, norm: Norm) -> Says:
    """Whether this message breaks this norm, by exact rules first and then by meaning."""
    if exact_hit(norm, scene) is not None:
        return "yes"
    if not norm.read or cannot_break(norm, scene):
        return "no"
    return ask.finds(said_aloud(scene), asks_about(norm, "", scene))
