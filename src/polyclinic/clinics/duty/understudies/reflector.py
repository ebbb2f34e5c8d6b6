"""The offline reflector: diagnoses by rule, hears traits by their cues, prefers by the reward."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts import (
    Correction,
    Diagnosed,
    DiagnosesShift,
    HearsTraits,
    Preferred,
    PrefersIdentity,
    ShiftDiagnosis,
    TraitHeard,
    TraitsHeard,
)
from polyclinic.clinics.duty.prompts.replies import Cause, CorrectionKind
from polyclinic.clinics.duty.rules.norms.scoring import RewardWeights, reward
from polyclinic.clinics.duty.rules.traits.markers import estimate
from polyclinic.clinics.duty.rules.traits.social import embeddedness
from polyclinic.clinics.duty.rules.triggers.scene import Line
from polyclinic.core.understudy import Ask, Understudy, answers

_CAUSES: dict[str, tuple[Cause, CorrectionKind]] = {
    "SOP": ("scope_confusion", "check"),
    "ESC": ("premature_closure", "trigger"),
    "INFO": ("missing_information", "check"),
    "SAFE": ("overconfidence", "phrase"),
}
_NEAR = 0.01


class ReflectorUnderstudy(Understudy):
    """Reviews shifts by rule."""

    @answers(DiagnosesShift)
    def diagnoses(self, ask: Ask[DiagnosesShift]) -> ShiftDiagnosis:
        """One cause for each broken norm, and the norm's own reminder as the correction."""
        prompt = ask.prompt
        reminders = {norm.id: norm.text for norm in prompt.norms}
        causes, corrections = [], []
        for name in dict.fromkeys(item.norm for item in prompt.broken):
            found = [item for item in prompt.broken if item.norm == name]
            cause, kind = _CAUSES.get(name.partition("-")[0], ("missing_information", "check"))
            if all(item.number > prompt.late_after for item in found):
                cause = "forgetting"
            causes.append(Diagnosed(norm=name, severity=found[0].severity, cause=cause, why=found[0].rationale))
            if name in reminders:
                corrections.append(Correction(norm=name, kind=kind, text=reminders[name][:200]))
        return ShiftDiagnosis(violations=tuple(causes), corrections=tuple(corrections))

    @answers(HearsTraits)
    def hears(self, ask: Ask[HearsTraits]) -> TraitsHeard:
        """Traits by their cues."""
        prompt = ask.prompt
        found = estimate(prompt.messages, [line.dimension for line in prompt.traits])
        return TraitsHeard(
            traits=tuple(
                TraitHeard(dimension=name, reason="heard in its words", value=item.value, seen=item.seen)
                for name, item in found.items()
            )
        )

    @answers(PrefersIdentity)
    def prefers(self, ask: Ask[PrefersIdentity]) -> Preferred:
        """The one with the higher reward; near ties are ties."""
        prompt = ask.prompt
        first = _worth(prompt, prompt.first, prompt.first_broken)
        second = _worth(prompt, prompt.second, prompt.second_broken)
        if abs(first - second) < _NEAR:
            return Preferred(reason=f"both are worth about {first:.3f}", better="neither")
        better = f"{max(first, second):.3f} against {min(first, second):.3f}"
        return Preferred(reason=better, better="first" if first > second else "second")


def _worth(prompt: PrefersIdentity, replies: tuple[str, ...], broken: tuple[str, ...]) -> float:
    """R of some replies: severities per message, distance of the traits heard, signs of working together."""
    count = max(len(replies), 1)
    severities = [int(item.rpartition(":")[2]) for item in broken]
    c_norm = max(1 - sum(severities) / 5 / count, 0.0)
    target = {line.dimension: line.value for line in prompt.traits}
    heard = estimate(replies, list(target))
    d_id = sum(abs(item.value - target[name]) for name, item in heard.items()) / len(heard) if heard else 0.0
    lines = [Line(speaker=prompt.role, text=text) for text in replies]
    weights = RewardWeights(alpha=prompt.alpha, beta=prompt.beta, gamma=prompt.gamma)
    return reward(c_norm, d_id, embeddedness(lines, prompt.role), weights)
