"""What a person who played the staff is told afterwards."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.judges import intake_verdict, misfits, scheduling_verdict, used_tools
from polyclinic.clinics.frontdesk.rules.codes import MEANING
from polyclinic.clinics.frontdesk.rules.notes import Wished
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.core.judge import Case
from polyclinic.eval.in_short import in_short
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table


def feedback(case: Case[Contact]) -> list[Section]:
    """For a person who played the staff: what the rubrics found, and why."""
    contact = case.scenario
    lines: list[list[Cell]] = []
    for task, verdict in (
        ("intake", intake_verdict(contact, case.transcript) if contact.kind == "visit" else None),
        ("scheduling", scheduling_verdict(contact, case.transcript)),
    ):
        if verdict is not None:
            found = f"{verdict.code}: {MEANING[verdict.code]}" if verdict.code else "no error"
            lines.append([task, found, verdict.fault, verdict.reason])
    right = " or ".join(contact.caller.gold_departments) if contact.patient is not None else ""
    tools = getattr(case.variant, "scheduling", "") == "tool"
    wishes = case.transcript.notes(Wished) if tools else []
    for fitting, used in misfits(wishes, used_tools(case.transcript)):
        lines.append(["tools", f"wrong tool: {used}", "staff", f"the patient's wish asks for {fitting}"])
    faults = [line for line in lines if line[1] != "no error"]
    names = {"intake": "the record of the patient", "scheduling": "the appointment", "tools": "the choice of tools"}
    short = in_short(
        good=[f"{names[str(line[0])]} has no error." for line in lines if line[1] == "no error"],
        missing=[f"{names[str(line[0])]}: {line[1]}" + (f" ({line[3]})." if line[3] else ".") for line in faults],
        next_step=f"look at this first: {faults[0][3] or faults[0][1]}."
        if faults
        else "try a whole morning: --scenarios primary:1",
    )
    body: list[Block] = [Table("What the rubrics found", ["task", "finding", "whose fault", "why"], lines)]
    if right:
        body.append(Paragraph(f"{contact.caller.disease} belongs to {right}."))
    return [short, Section("How it went", body)]
