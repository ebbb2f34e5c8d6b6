"""The norm checker's deterministic half: which norms an action breaks, how gravely, why, and on which words."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.duty.rules.norms.norm import Norm, WordRule, applicable
from polyclinic.clinics.duty.rules.triggers import TRIGGERS
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Line, Scene, scenes
from polyclinic.clinics.duty.rules.triggers.words import find_word, mentions, sentences
from polyclinic.clinics.duty.scenario import AnyDuty, Role
from polyclinic.core.message import Frozen
from polyclinic.text.sentences import is_question


class Verdict(Frozen):
    """What the checker says about one action and one norm."""

    norm: str
    role: Role
    flag: bool
    severity: int
    rationale: str
    words: str
    step: int = 0


def check_norm(norm: Norm, scene: Scene) -> Verdict:
    """One norm against one action, by its triggers and its word rule."""
    hit = _by_words(norm.words, scene) if norm.words is not None else None
    for name in norm.triggers:
        hit = hit or TRIGGERS[name](scene)
    if hit is None:
        return Verdict(norm=norm.id, role=scene.role, flag=False, severity=0, rationale="no trigger fired", words="")
    return Verdict(
        norm=norm.id, role=scene.role, flag=True, severity=norm.severity, rationale=hit.rationale, words=hit.words
    )


def check_action(norms: Sequence[Norm], scene: Scene) -> list[Verdict]:
    """The norms that this action breaks, gravest first; norms left to a rubric are not looked at."""
    verdicts = [
        check_norm(norm, scene) for norm in applicable(norms, scene.role, scene.scenario) if norm.check != "rubric"
    ]
    broken = [verdict for verdict in verdicts if verdict.flag]
    step = len(scene.before)
    return [
        verdict.model_copy(update={"step": step}) for verdict in sorted(broken, key=lambda v: (-v.severity, v.norm))
    ]


def check_dialogue(norms: Sequence[Norm], scenario: AnyDuty, lines: tuple[Line, ...]) -> list[Verdict]:
    """Everything broken in a whole dialogue, in the order it was said."""
    return [verdict for scene in scenes(scenario, lines) for verdict in check_action(norms, scene)]


def _by_words(rule: WordRule, scene: Scene) -> Hit | None:
    for sentence in sentences(scene.text):
        found = find_word(sentence, rule.if_says)
        if found is None or is_question(sentence) or mentions(scene.text, rule.unless_says):
            continue
        if not rule.must_say:
            return Hit(rationale=f"'{found.group(0)}' may not be said", words=sentence)
        if not mentions(scene.text, rule.must_say):
            need = "' or '".join(rule.must_say)
            return Hit(rationale=f"'{found.group(0)}' is said without '{need}'", words=sentence)
    return None
