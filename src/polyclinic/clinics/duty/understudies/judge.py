"""The offline judge: norms by triggers, identity by cues, social quality by plain signs. A baseline, no more."""

from __future__ import annotations

from polyclinic.clinics.duty.judges.view import ShiftHeard
from polyclinic.clinics.duty.prompts import (
    DescribesPersona,
    IdentityJudged,
    JudgesIdentity,
    JudgesNorms,
    NormJudged,
    NormsJudged,
)
from polyclinic.clinics.duty.rules.norms.checker import check_action
from polyclinic.clinics.duty.rules.traits.markers import estimate
from polyclinic.clinics.duty.rules.traits.social import coordination, on_ten, relation, role_fit, trust
from polyclinic.clinics.duty.rules.triggers.scene import Scene
from polyclinic.core.understudy import Ask, answers
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy
from polyclinic.people.traits import degree


class JudgeUnderstudy(RubricUnderstudy[ShiftHeard]):
    """Mistake besides those of every rubric judge: ``alarmist`` sees a violation in every message."""

    @answers(JudgesNorms)
    def judges_norms(self, ask: Ask[JudgesNorms]) -> NormsJudged:
        """What the triggers find among the norms asked about."""
        facts = ask.prompt.facts
        own = [(i, line) for i, line in enumerate(facts.lines) if line.speaker == ask.prompt.role]
        if ask.mistake("alarmist"):
            first = facts.norms[0].id
            found = [
                NormJudged(number=i + 1, norm=first, rationale="sounds bad", words=line.text, severity=3)
                for i, line in own
            ]
            return NormsJudged(violations=tuple(found))
        found = [
            NormJudged(number=i + 1, norm=v.norm, rationale=v.rationale, words=v.words, severity=v.severity)
            for i, line in own
            for v in check_action(facts.norms, Scene(facts.shift, line.speaker, line.text, line.to, facts.lines[:i]))
        ]
        return NormsJudged(violations=tuple(found))

    @answers(DescribesPersona)
    def describes(self, ask: Ask[DescribesPersona]) -> str:
        """The traits that can be heard, in the words of a persona."""
        prompt = ask.prompt
        heard = estimate(prompt.messages, [theme.dimension for theme in prompt.themes])
        lines = [
            f"- {theme.about}: {degree(heard[theme.dimension].value)}"
            for theme in prompt.themes
            if theme.dimension in heard
        ]
        return f"A {prompt.role} who\n" + "\n".join(lines or ["- says little about themselves: hardly"])

    @answers(JudgesIdentity)
    def judges_identity(self, ask: Ask[JudgesIdentity]) -> IdentityJudged:
        """The mean distance of the traits heard from the persona's."""
        prompt = ask.prompt
        target = {line.dimension: line.value for line in prompt.traits}
        heard = estimate(prompt.messages, list(target))
        if not heard:
            return IdentityJudged(reason="nothing personal can be heard", distance=0.5)
        gaps = {name: abs(item.value - target[name]) for name, item in heard.items()}
        widest = max(gaps, key=lambda name: (gaps[name], name))
        distance = min(2 * sum(gaps.values()) / len(gaps), 1.0)
        return IdentityJudged(reason=f"{widest} is furthest, by {gaps[widest]:.2f}", distance=round(distance, 6))

    def grade(self, criterion: str, facts: ShiftHeard) -> Grade:
        """Levels from 1 to 10 by signs in the words."""
        if criterion == "rar":
            role = facts.role or "doctor"
            return Grade(
                on_ten(role_fit(facts.lines, role)), f"words of the {role} that overstep their part are counted"
            )
        signs = {"cbs": coordination, "rqs": relation, "tss": trust}[criterion]
        return Grade(on_ten(signs(facts.lines)), "signs for and against are counted")
