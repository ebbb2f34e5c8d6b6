"""The offline reflector: it diagnoses from its prompt, finds traits by reading, and prefers the higher reward."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.duty.prompts.reflection import HearsTraits, PrefersIdentity, ReviewsBreach
from polyclinic.clinics.duty.prompts.replies import (
    HEARD,
    NOT_HEARD,
    WORDS,
    BreachReviewed,
    Cause,
    PreferredManner,
    TraitsHeard,
    traits_heard,
)
from polyclinic.clinics.duty.prompts.views import ScaleLine
from polyclinic.clinics.duty.readings import TRAIT
from polyclinic.clinics.duty.rules.norms.scoring import RewardWeights, reward
from polyclinic.clinics.duty.rules.traits.hearing import listened_to
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, P, Understudy, answers
from polyclinic.people.traits import degree

_NEAR = 0.01
QUOTED, WHY, CORRECTION = 60, 160, 200
"""The most characters of a quotation, a reason and a piece of advice."""


class ReflectorUnderstudy(Understudy):
    """Reviews shifts by rule."""

    @answers(ReviewsBreach)
    def reviews(self, ask: Ask[ReviewsBreach]) -> BreachReviewed:
        """What the rule asks for, turned into advice."""
        prompt = ask.prompt
        advice = f"Next time make sure of this: {prompt.steers.then.rstrip('.')}."
        cause: Cause = "forgetting" if prompt.late else "missing_information"
        return BreachReviewed(
            why=cut(prompt.rationale, WHY), cause=cause, kind="check", correction=cut(advice, CORRECTION)
        )

    @answers(HearsTraits)
    def hears(self, ask: Ask[HearsTraits]) -> TraitsHeard:
        """For each dimension the share of messages that show it, in the words of the scale."""
        prompt = ask.prompt
        said: dict[str, str] = {}
        for line in prompt.scales:
            shown = showing(ask, prompt.role, line, prompt.messages)
            said[line.dimension + WORDS] = cut(shown[0], QUOTED) if shown else ""
            said[line.dimension] = _degree(len(shown) / max(len(prompt.messages), 1))
        return traits_heard(tuple([line.dimension for line in prompt.scales])).model_validate(said)

    @answers(PrefersIdentity)
    def prefers(self, ask: Ask[PrefersIdentity]) -> PreferredManner:
        """The version with the higher reward; almost equal rewards are a tie."""
        prompt = ask.prompt
        first = _worth(ask, prompt.first, prompt.steers.first_severity)
        second = _worth(ask, prompt.second, prompt.steers.second_severity)
        if abs(first - second) < _NEAR:
            return PreferredManner(reason=f"both are worth about {first:.3f}", better="neither")
        better = f"{max(first, second):.3f} against {min(first, second):.3f}"
        return PreferredManner(reason=better, better="first" if first > second else "second")


def showing(ask: Ask[P], role: str, line: ScaleLine, messages: Sequence[str]) -> list[str]:
    """The messages that show the high end of a dimension."""
    asked = TRAIT.ask(role=role, about=line.about, high=line.high)
    return [message for message in messages if ask.understands(message, asked)]


def hearing(ask: Ask[P], role: str, line: ScaleLine, messages: Sequence[str]) -> float:
    """The share of messages that show the high end of a dimension."""
    return len(showing(ask, role, line, messages)) / max(len(messages), 1)


def _degree(value: float) -> str:
    word = degree(value)
    return word if word in HEARD else NOT_HEARD


def _worth(ask: Ask[PrefersIdentity], replies: tuple[str, ...], severity: int) -> float:
    """The reward R of some replies, by severity per message and by how well the traits show. Social quality is always
    0.5.
    """
    prompt, steers = ask.prompt, ask.prompt.steers
    c_norm = max(1 - severity / 5 / max(len(replies), 1), 0.0)
    target = {trait.dimension: trait.value for trait in prompt.traits}
    lines = [ScaleLine(dimension=d.id, about=d.about, low=d.low, high=d.high) for d in listened_to(prompt.role)]
    gaps = [abs(hearing(ask, prompt.role, line, replies) - target[line.dimension]) for line in lines]
    d_id = sum(gaps) / len(gaps) if gaps else 0.0
    weights = RewardWeights(alpha=steers.alpha, beta=steers.beta, gamma=steers.gamma)
    return reward(c_norm, d_id, 0.5, weights)
