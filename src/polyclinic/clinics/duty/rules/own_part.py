"""What one person did of a shift's checklist. An item counts for what their own words did, not for what a colleague
did, nor because nothing went wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from polyclinic.clinics.duty.rules.norms.kept import only_courtesies
from polyclinic.clinics.duty.rules.subject import SHARED, about_the_shift, shared_words, steps_told
from polyclinic.clinics.duty.rules.tasks import STEPS, ChecklistItem, ShiftRead, checked
from polyclinic.clinics.duty.rules.triggers import SceneLine, mentions, sentences, stated_level
from polyclinic.clinics.duty.scenario.schema import CLINICAL, STAFF, AnyDuty, Discharge, Role, Triage
from polyclinic.text.saying_back import saying_back
from polyclinic.text.sentences import is_question

HANDS: dict[str, tuple[Role, ...]] = {
    "elicits": CLINICAL,
    "risks": CLINICAL,
    "red_flags": ("nurse",),
    "level": ("doctor",),
    "escalates": ("doctor",),
}
"""Who can meet an item; those that are not named here can be met by all staff."""
_SENIOR = re.compile(
    r"\b(?:seniors?|consultants?|specialists?|registrars?|on[- ]call|attending|\w+olog(?:y|ists?)|surg(?:eons?|ery)|"
    r"ana?esthe\w+|intensive|icu|outreach|team)\b|전문의|과장|교수|당직",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\b(?:yes|no|agreed?|confirm(?:ed)?|approved?|go ahead|do (?:it|that|so|this|not)|don't|right|correct|ok(?:ay)?|"
    r"not yet|wait|hold|proceed|let's|let us)\b|^(?:네|예|아니)|동의|승인|그렇게|진행|하세요|하시죠|합시다",
    re.IGNORECASE,
)
"""Words that answer a proposal without naming its subject."""


def own_part(shift: ShiftRead, role: Role, missed: Sequence[str]) -> list[tuple[ChecklistItem, bool]]:
    """The items that a role can meet, and whether its own lines met them. Only lines about the shift count, and only
    its own breaches. A plan counts if the role told the patient at least two steps of it, in any words. That it was
    understood counts if the role spoke to the patient about the plan and the team did not miss the item. Where an item
    is met by breaking nothing, a line must also do something towards it.
    """
    scenario = shift.scenario
    own = tuple(line for line in shift.lines if line.speaker == role and about_the_shift(scenario, line.text))
    planned = steps_told(scenario, [line.text for line in own if line.to == "patient"]) >= STEPS
    told = any(line.to == "patient" and _about_the_plan(scenario, line.text) for line in own)
    alone = replace(
        shift,
        lines=own,
        broken=tuple(verdict for verdict in shift.broken if verdict.role == role),
        said_back=scenario.protocol if any(line.to == "patient" for line in own) else (),
    )
    done = {
        "plan": planned,
        "consistent": any(_about_the_plan(scenario, line.text) for line in own),
        "supports": told,
        "supervised": any(_about_the_plan(scenario, line.text) for line in own),
        "red_flags": any(_names_a_flag(scenario, line.text) for line in own),
        "escalates": any(_SENIOR.search(line.text) for line in shift.lines if line.speaker == role),
    }

    def earned(item: ChecklistItem) -> bool:
        return done.get(item.id, True) and (item.id != "understood" or (told and item.text not in missed))

    return [
        (item, bool(own) and met and earned(item))
        for item, met in checked(alone)
        if met is not None and role in HANDS.get(item.id, STAFF)
    ]


def _about_the_plan(scenario: AnyDuty, text: str) -> bool:
    """Whether a line tells a step of the plan, names a gap in it, or asks the patient to say it back."""
    gaps = scenario.gaps if isinstance(scenario, Discharge) else ()
    named = mentions(text, [word for gap in gaps for word in gap.words])
    return named or steps_told(scenario, [text]) > 0 or bool(saying_back(text))


def _names_a_flag(scenario: AnyDuty, text: str) -> bool:
    """Whether a line names a red flag, or a finding; without a red flag there is none to name."""
    flags = scenario.red_flags if isinstance(scenario, Triage) else ()
    found = [*(flag.text for flag in flags), *(finding.text for finding in scenario.findings)]
    return not flags or mentions(text, [w for flag in flags for w in flag.words]) or shared_words(text, found) >= SHARED


def spoke_of_it(scenario: AnyDuty, lines: Sequence[SceneLine]) -> bool:
    """Whether the doctor's own words, questions and greetings aside, speak of the shift or answer a proposal."""
    own = [line.text for line in lines if line.speaker == "doctor"]
    said = [sentence for text in own for sentence in sentences(text) if not only_courtesies(sentence)]
    told = [sentence for sentence in said if not is_question(sentence)]
    return any(about_the_shift(scenario, each) or _AGREES.search(each) or _SENIOR.search(each) for each in told)


def decided(scenario: AnyDuty, lines: Sequence[SceneLine]) -> bool:
    """Whether the doctor's own words decide anything: a triage level, or else an answer or a statement about the shift.
    Greetings, questions and words beside the subject decide nothing.
    """
    if scenario.task == "T2":
        return any(stated_level(line.text) is not None for line in lines if line.speaker == "doctor")
    return spoke_of_it(scenario, lines)
