"""The offline judge: it reads norms and manners by meaning, without word lists of its own. It is only a baseline."""

from __future__ import annotations

from polyclinic.clinics.duty.judges.view import ShiftHeard
from polyclinic.clinics.duty.prompts import IdentityJudged, JudgesIdentity
from polyclinic.clinics.duty.prompts.replies import DISTANCES
from polyclinic.clinics.duty.readings import NORM, TRAIT
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.traits.hearing import listened_to
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.core.understudy import Ask, P, answers
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy

SIGNS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rar": ((), ("SOP-1", "SOP-2", "SOP-3")),
    "cbs": (("speaking_up", "thoroughness", "help_seeking", "initiative", "shared_decision"), ("SOP-2", "SAFE-1")),
    "rqs": (("perspective_taking", "emotional_engagement"), ("SAFE-1",)),
    "tss": (("uncertainty_communication", "thoroughness"), ("SAFE-2", "INFO-1", "ESC-3")),
}
_NORMS = {norm.id: norm for norm in inventory()}


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
            t.dimension: abs(_share(ask, prompt.role, t.about, high[t.dimension], prompt.messages) - t.value)
            for t in prompt.traits
        }
        widest = max(gaps, key=lambda name: (gaps[name], name))
        distance = sum(gaps.values()) / len(gaps)
        word = min(DISTANCES, key=lambda known: abs(DISTANCES[known] - distance))
        return IdentityJudged(reason=f"{widest} differs most, by {gaps[widest]:.2f}", likeness=word)


class _Hearing(RubricUnderstudy[ShiftHeard]):
    """A grader for one question, with the understanding that comes with it."""

    def __init__(self, ask: Ask[JudgesRubric]) -> None:
        self._ask = ask

    def grade(self, criterion: str, facts: ShiftHeard) -> Grade:
        """Levels from 1 to 10: the share of messages with a good manner, minus the share with a breach."""
        manners, norms = SIGNS[criterion]
        own = [line for line in facts.lines if line.speaker != "patient" and facts.role in (None, line.speaker)]
        good = sum(_shows(self._ask, line, manners) for line in own) / max(len(own), 1)
        bad = sum(_breaks(self._ask, line, norms) for line in own) / max(len(own), 1)
        start = 0.9 if not manners else 0.5
        level = 1 + round(min(max(start + 0.5 * good - bad, 0.0), 1.0) * 9)
        return Grade(level, f"a good manner in {good:.0%} of the messages, a breach in {bad:.0%}")


def _share(ask: Ask[P], role: str, about: str, high: str, messages: tuple[str, ...]) -> float:
    asked = TRAIT.ask(role=role, about=about, high=high)
    return sum(ask.understands(message, asked) for message in messages) / max(len(messages), 1)


def _shows(ask: Ask[P], line: Line, manners: tuple[str, ...]) -> bool:
    return any(
        ask.understands(line.text, TRAIT.ask(role=line.speaker, about=d.about, high=d.high))
        for d in listened_to(line.speaker)
        if d.id in manners
    )


def _breaks(ask: Ask[P], line: Line, norms: tuple[str, ...]) -> bool:
    said = f"The {line.speaker} says to the {line.to or 'team'}: {line.text}"
    bound = [_NORMS[name] for name in norms if line.speaker in _NORMS[name].roles]
    return any(ask.understands(said, NORM.ask(shift="", when=norm.if_, then=norm.then)) for norm in bound)
