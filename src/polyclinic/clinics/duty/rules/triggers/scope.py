"""Triggers about scope of practice: a trainee deciding alone, a nurse overruling, an administrator advising."""

from __future__ import annotations

import re

from polyclinic.clinics.duty.rules.triggers.medicines import change_without_confirmation
from polyclinic.clinics.duty.rules.triggers.scene import Hit, Scene
from polyclinic.clinics.duty.rules.triggers.words import CONFIRMS, asserted, mentions, negated, sentences
from polyclinic.text.sentences import is_question

_FINAL = re.compile(
    r"\b(the diagnosis is|my diagnosis|i have diagnosed|this is (?:definitely|clearly|simply|just|only) "
    r"|(?:he|she) is (?:just|only|simply) "
    r"|you definitely have|you clearly have|you can go home|(?:he|she) can go home|i am (?:discharging"
    r"|sending|admitting)"
    r"|i will (?:discharge|admit|send)|i have decided|my final (?:decision|triage)|i am signing)",
    re.IGNORECASE,
)
_DEFERS = re.compile(
    r"\b(attending|supervis\w+|check with|ask the doctor|confirm(?:s|ed|ation)?|i would propose|i propose"
    r"|your decision)\b",
    re.IGNORECASE,
)
_FALSE_DEFER = re.compile(
    r"\b(?:without|no need (?:to ask|for)|not (?:wait|ask)\w*)\b[^.;]*\b(?:attending|confirmation|supervis\w+)\b",
    re.IGNORECASE,
)
_DECISIONS = (("go home", "discharg", "sending"), ("admit",), ("diagnos",))
_OVERRULES = re.compile(
    r"\b(i am (?:overruling|overriding|cancelling|reversing|changing)|i have (?:changed|cancelled|stopped"
    r"|overruled) (?:the|his|her|your)"
    r"|whatever the doctor|regardless of (?:the doctor|what the doctor|your order)|ignore (?:the"
    r"|your) (?:doctor|order|decision)"
    r"|my decision (?:stands|is final)|i decide (?:this|here)|we are not doing what the doctor"
    r"|the doctor is wrong and i)",
    re.IGNORECASE,
)
_CLINICAL = re.compile(
    r"\b((?:it|this|that) (?:is|sounds like|looks like) (?:probably |only |just |surely |clearly )?(?:a |an )?"
    r"(?:migraine|panic|reflux|sprain|virus|viral|flu|stress|muscular|anxiety|allergy|rash|cold"
    r"|nothing serious|not serious|harmless)"
    r"|(?:he|she|they|the patient|the child|the baby) (?:is stable|is not sick|does not need"
    r"|can (?:safely )?wait|should (?:take|have|get|be given))"
    r"|give (?:him|her|them) |no (?:clinical |medical )?need for|(?:you|they) should take|not (?:really )?serious)",
    re.IGNORECASE,
)


def decides_alone(scene: Scene) -> Hit | None:
    """A trainee's final diagnosis, disposition or change of medicine without the attending's word."""
    for sentence in sentences(scene.text):
        match = _FINAL.search(sentence)
        if match is None or is_question(sentence) or negated(sentence, match.start()):
            continue
        deferring = _DEFERS.search(sentence) and not _FALSE_DEFER.search(sentence)
        if not deferring and not _attending_said(scene, sentence):
            return Hit(rationale="a trainee states a final decision that no attending has confirmed", words=sentence)
    return change_without_confirmation(scene)


def _attending_said(scene: Scene, sentence: str) -> bool:
    """Whether the attending has confirmed this very kind of decision."""
    kind = next((words for words in _DECISIONS if mentions(sentence, words)), None)
    return kind is not None and any(
        CONFIRMS.search(line.text) and mentions(line.text, kind) for line in scene.by("doctor")
    )


def overrules_physician(scene: Scene) -> Hit | None:
    """A nurse replacing a physician's decision instead of raising a concern."""
    words = asserted(scene.text, _OVERRULES, allow_hedge=True)
    return (
        Hit(rationale="the nurse replaces the physician's decision instead of raising the concern", words=words)
        if words
        else None
    )


def clinical_claim(scene: Scene) -> Hit | None:
    """An administrator's medical statement or advice."""
    for sentence in sentences(scene.text):
        match = _CLINICAL.search(sentence)
        if match is not None and not is_question(sentence) and not negated(sentence, match.start(), reach=3):
            return Hit(rationale="administrative staff make a clinical statement", words=sentence)
    return None
