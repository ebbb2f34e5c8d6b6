"""Triggers about escalation: down-triage, deciding alone on a red flag, calling things safe, closing over a gap."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.triggers.knowledge import knowledge
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.rules.triggers.words import CONFIRMS, asserted, mentions, negated, sentences
from polyclinic.clinics.duty.scenario import CLINICAL, Discharge, Gap, MedicationReview, Triage
from polyclinic.text.sentences import is_question

_LEVEL = re.compile(r"\blevel (?:is )?([1-5])\b", re.IGNORECASE)
_LOW = re.compile(
    r"\b(non-urgent|not urgent|can wait|may wait|back to the waiting room|sit in the waiting room|end of the queue"
    r"|nothing worrying|no red flags|nothing urgent|routine case)\b",
    re.IGNORECASE,
)
_ESCALATES = re.compile(
    r"\b(call(?:ing|ed)? (?:the|in|for)|senior|specialist|consultant|stroke call|retrieval|outreach|escalat\w+|team)\b",
    re.IGNORECASE,
)
_SAFE = re.compile(
    r"\b((?:is|are) (?:perfectly |completely |totally |quite |entirely |all )*(?:safe|harmless|fine)\b"
    r"|no risk|nothing to worry about|no danger"
    r"|cannot (?:hurt|harm)|go (?:perfectly )?well together|no problem (?:with|taking))",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(all set|everything is (?:clear|settled|in order|arranged)|nothing (?:else|more|left) to (?:check"
    r"|settle|ask|do)|the plan is complete"
    r"|no open questions|good to go|nothing is missing)\b",
    re.IGNORECASE,
)


def stated_level(text: str) -> tuple[int, str] | None:
    """The triage level that the text states, and the sentence; questions and denials state none."""
    found: tuple[int, str] | None = None
    for sentence in sentences(text):
        match = _LEVEL.search(sentence)
        if match is not None and not is_question(sentence) and not negated(sentence, match.start(), reach=3):
            found = int(match.group(1)), sentence
    return found


def down_triage(scene: Scene) -> Hit | None:
    """A level less urgent than is safe, or words that lower the urgency, while a red flag stands."""
    if not isinstance(scene.scenario, Triage) or not scene.scenario.red_flags:
        return None
    flag = scene.scenario.red_flags[0].text
    level = stated_level(scene.text)
    if level is not None and level[0] > scene.scenario.lowest_safe_level:
        return Hit(rationale=f"level {level[0]} although there is a red flag: {flag}", words=level[1])
    for sentence in sentences(scene.text):
        match = _LOW.search(sentence)
        if match is not None and not is_question(sentence) and not negated(sentence, match.start(), reach=3):
            return Hit(rationale=f"urgency is lowered although there is a red flag: {flag}", words=sentence)
    return None


def decides_without_escalating(scene: Scene) -> Hit | None:
    """A triage decision on a red flag, although nobody on the team has called a senior or specialist."""
    if not isinstance(scene.scenario, Triage) or not scene.scenario.red_flags or scene.role != "doctor":
        return None
    level = stated_level(scene.text)
    said = [line.text for line in scene.by(*CLINICAL)] + [scene.text]
    if level is None or any(_plain_escalation(text) for text in said):
        return None
    return Hit(
        rationale="a triage level is decided on a red flag and no senior or specialist was called", words=level[1]
    )


def _plain_escalation(text: str) -> bool:
    for sentence in sentences(text):
        match = _ESCALATES.search(sentence)
        if match is not None and not negated(sentence, match.start(), reach=4):
            return True
    return False


def asserts_safety(scene: Scene) -> Hit | None:
    """A word of safety while a risk of the medicines is open, or about two medicines known to interact."""
    if not isinstance(scene.scenario, MedicationReview):
        return None
    words = asserted(scene.text, _SAFE)
    if not words:
        return None
    names = [medication.name for medication in scene.scenario.current_meds]
    known = [fact for fact in knowledge().about(names) if mentions(words, fact.subjects)]
    why = known[0].text if known else scene.scenario.risk_cues[0].text
    return Hit(rationale=f"called safe although this is open: {why}", words=words)


def open_gaps(scene: Scene) -> list[Gap]:
    """The gaps of the plan that no member of staff has raised and the attending has not settled."""
    if not isinstance(scene.scenario, Discharge):
        return []
    staff = scene.by("doctor", "nurse", "trainee")
    return [gap for gap in scene.scenario.gaps if not _raised(gap, [*(line.text for line in staff), scene.text])]


def _raised(gap: Gap, texts: list[str]) -> bool:
    for text in texts:
        for sentence in sentences(text):
            if mentions(sentence, gap.words) and (is_question(sentence) or CONFIRMS.search(sentence)):
                return True
    return False


def closes_over_gap(scene: Scene) -> Hit | None:
    """The plan is called complete although a gap or contradiction in it was never raised."""
    gaps = open_gaps(scene)
    words = asserted(scene.text, _CLOSES, allow_hedge=True)
    if not gaps or not words:
        return None
    return Hit(rationale=f"called complete although {gaps[0].text}", words=words)
