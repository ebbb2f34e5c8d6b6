"""What a person who played the staff or the patient is told afterwards."""

from __future__ import annotations

from typing import NamedTuple

from polyclinic.clinics.frontdesk.judges import intake_verdict, misfits, scheduling_verdict, used_tools
from polyclinic.clinics.frontdesk.report.words import FEEDBACK
from polyclinic.clinics.frontdesk.rules.notes import Wished
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.variants import DeskVariant
from polyclinic.core.judge import Case
from polyclinic.eval.in_short import Phrases
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table


class _Judged(NamedTuple):
    """What a rubric found in one task: the error (empty if there is none), the same in plain words, whose fault it is,
    and why.
    """

    task: str
    found: str
    plainly: str
    fault: str
    why: str


def feedback(case: Case[Contact, DeskVariant], part: str, language: str) -> list[Section]:
    """A summary, then what the rubrics found, and why."""
    say, contact = Phrases(language, FEEDBACK), case.scenario
    judged = _judged(case, say)
    rows: list[list[Cell]] = [
        [one.task, one.found or say("no error"), say(f"by {one.fault}") if one.fault else "", one.why] for one in judged
    ]
    heads = [say("task"), say("finding"), say("whose fault"), say("why")]
    body: list[Block] = [Table(say("rubrics"), heads, rows)]
    if contact.patient is not None:
        departments = say("or").join(contact.caller.gold_departments)
        body.append(Paragraph(say("belongs", disease=contact.caller.disease, departments=departments)))
    last = Section(say("how it went"), body)
    if part == "patient":
        said = [event.text for event in case.transcript.said("patient")]
        return [_for_patient(judged, say), say.your_words(said), last]
    return [_for_staff(judged, say), last]


def _for_staff(judged: list[_Judged], say: Phrases) -> Section:
    faults = [one for one in judged if one.found]
    return say.in_short(
        good=[say("has no error", task=one.task) for one in judged if not one.found],
        missing=[_named(one, say) for one in faults],
        next_step=say("look first", why=faults[0].why or faults[0].found) if faults else say("whole morning"),
    )


def _for_patient(judged: list[_Judged], say: Phrases) -> Section:
    """Feedback for a person who played the patient. It depends only on whose fault each error is."""
    faults = [one for one in judged if one.fault == "patient"]
    return say.in_short(
        good=[say("not yours", task=one.task) for one in judged if one.fault != "patient"],
        missing=[_named(one, say) for one in faults],
        next_step=say("say it whole", why=faults[0].why or faults[0].found) if faults else say("other card"),
        unmeasured="patient",
    )


def _judged(case: Case[Contact, DeskVariant], say: Phrases) -> list[_Judged]:
    contact = case.scenario
    found = []
    for task, verdict in (
        ("intake", intake_verdict(contact, case.transcript) if contact.kind == "visit" else None),
        ("scheduling", scheduling_verdict(contact, case.transcript)),
    ):
        if verdict is not None:
            code = verdict.code
            meaning = say(f"code {code}") if code else ""
            named = say("found", code=code, meaning=meaning) if code else ""
            found.append(_Judged(say(f"task {task}"), named, meaning, verdict.fault, verdict.reason))
    tools = case.variant.scheduling == "tool"
    for fitting, used in misfits(case.transcript.notes(Wished) if tools else [], used_tools(case.transcript)):
        wrong, why = say("wrong tool", used=used), say("fitting", fitting=fitting)
        found.append(_Judged(say("task tools"), wrong, wrong, "staff", why))
    return found


def _named(one: _Judged, say: Phrases) -> str:
    return say("fault", task=one.task, found=one.why or one.plainly)
