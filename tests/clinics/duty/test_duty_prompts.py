"""What a member of staff is told: no answer key, nothing that contradicts itself, in every shift and role."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from polyclinic.clinics.duty.agents import role_view
from polyclinic.clinics.duty.prompts.people import ActTurn, PatientTurn
from polyclinic.clinics.duty.prompts.views import MemoryView, PatientSteers, StaffSteers
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.rules.tasks import MATTERS
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import (
    CLINICAL,
    STAFF,
    AnyDuty,
    Boundary,
    Discharge,
    MedicationReview,
    Role,
)

SHIFTS = by_id(shipped())
CASES = [(shift.id, role) for shift in shipped() for role in shift.roles if role in STAFF]
_NAMED_AS_OPEN = re.compile(r"\b(?:unclear|open|question|not yet|not sure|nobody|if confirmed|if a place|differ)\b|\?")
_LITTLE = set("a an and are be by day for from has have i in is it my no not of on or says the to was with you".split())  # noqa: SIM905


def told(shift: AnyDuty, role: Role) -> ActTurn:
    """The prompt of the variant `plain`, at the beginning of a shift."""
    return ActTurn(
        role=role, matter=MATTERS[shift.task], setting=shift.setting, view=role_view(shift, role), traits=(), style="",
        norms=(), checklist=(), learned=(), grounding=(), heard=(), memory=MemoryView(), aim="", to="patient",
        last=False, objections=(),
        steers=StaffSteers(task=shift.task, stage="plan", shift=1, turn=1, turns=6, dialogue=()),
    )  # fmt: skip


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold())) - _LITTLE


def lines(shift: AnyDuty, role: Role) -> list[str]:
    prompt = told(shift, role)
    return [*"\n".join(message.content for message in prompt.render()).splitlines(), *prompt.for_human.splitlines()]


@pytest.mark.parametrize(("name", "role"), CASES)
def test_no_role_is_told_to_ask_itself(name: str, role: Role) -> None:
    assert not [line for line in lines(SHIFTS[name], role) if re.search(rf"\bask the {role}\b", line)]


def test_a_doctor_who_must_ask_a_doctor_asks_a_senior_one() -> None:
    assert Boundary(role="doctor", may="x", must_ask="y").asks == "senior doctor"
    assert Boundary(role="nurse", may="x", must_ask="y").asks == "doctor"


@pytest.mark.parametrize(("name", "role"), CASES)
def test_no_line_names_what_staff_must_find_out(name: str, role: Role) -> None:
    shift = SHIFTS[name]
    whole = "\n".join(lines(shift, role)).casefold()
    assert shift.title.casefold() not in whole
    keys = [cue.text for cue in shift.cues]
    if isinstance(shift, Discharge):
        keys += [text for gap in shift.gaps for text in (gap.text, gap.ask)]
        listed = [shift.care_plan, *(f"{medicine.dose}; {medicine.taken}" for medicine in shift.current_meds)]
        assert not [line for line in (*listed, *shift.protocol) if _NAMED_AS_OPEN.search(line)]
    assert not [key for key in keys if key.casefold().rstrip(".") in whole]


@pytest.mark.parametrize("name", [shift.id for shift in shipped("T3")])
def test_two_papers_that_differ_never_stand_in_one_line(name: str) -> None:
    shift = SHIFTS[name]
    for one, other in combinations(shift.findings, 2):
        if set(one.seen_by) & set(other.seen_by):
            continue
        mine, theirs = words(one.text) - words(other.text), words(other.text) - words(one.text)
        for role in (role for role in shift.roles if role in CLINICAL):
            both = [line for line in lines(shift, role) if mine <= words(line) and theirs <= words(line)]
            assert not both


@pytest.mark.parametrize("name", [shift.id for shift in shipped() if "patient" in shift.roles])
def test_what_only_the_patient_knows_stands_in_no_plan_profile_or_list_of_medicines(name: str) -> None:
    shift = SHIFTS[name]
    view = role_view(shift, "doctor")
    listed = [shift.setting, *view.promised, *(f"{each.name} {each.dose} {each.taken}" for each in view.medicines)]
    listed += [shift.care_plan] if isinstance(shift, Discharge) else []
    listed += [shift.patient_profile] if isinstance(shift, MedicationReview) else []
    for finding in shift.findings:
        if finding.seen_by == ("patient",):
            known = words(finding.text)
            assert not [line for line in listed if len(known & words(line)) >= len(known) / 2]


@pytest.mark.parametrize("name", [shift.id for shift in shipped("T1")])
def test_how_medicines_are_taken_is_what_a_review_must_ask(name: str) -> None:
    shift = SHIFTS[name]
    whole = "\n".join(line for role in shift.roles if role in STAFF for line in lines(shift, role))
    assert all(f"; {medicine.taken}" not in whole for medicine in shift.current_meds)


def test_the_patient_may_repeat_the_steps_when_asked_to_say_them_back() -> None:
    prompt = PatientTurn(
        setting="", knows=(), story=(), concerns=(), manner=(), heard=(), to="nurse",
        steers=PatientSteers(answered=0, dialogue=(), traits=()),
    )  # fmt: skip
    system, asked = (message.content for message in prompt.render())
    assert "asked to say the steps back, say them" in system
    assert "only if you are asked to say the steps back, say them" in asked


def given_away(shift: MedicationReview, step: str) -> set[str]:
    """The words of a step that only the patient's answers can give: a medicine from elsewhere, or "the scan".

    Two names of a kind ("such as this or that") do not say what this patient takes.
    """
    step = re.sub(r"such as \w+ or \w+", "", step)
    elsewhere = {medicine.name for medicine in shift.current_meds if medicine.elsewhere}
    views = [role_view(shift, role) for role in shift.roles if role in STAFF]
    known = words(" ".join([shift.setting, "tablet", *(text for view in views for text in view.knows)]))
    known |= {word for view in views for medicine in view.medicines for word in words(medicine.name)}
    only_patient = words(" ".join(finding.text for finding in shift.findings if finding.seen_by == ("patient",)))
    pointed_at = words(" ".join(re.findall(r"\b(?:the|your)((?: [\w-]+){1,2})", step)))
    return words(step) & elsewhere | (pointed_at & only_patient) - known


@pytest.mark.parametrize("shift", shipped("T1"), ids=lambda shift: str(shift.id))
def test_medicines_from_elsewhere_and_steps_about_them_are_not_handed_to_staff(shift: AnyDuty) -> None:
    assert isinstance(shift, MedicationReview)
    view = role_view(shift, "doctor")
    assert not {each.name for each in shift.current_meds if each.elsewhere} & {each.name for each in view.medicines}
    told = [*role_view(shift, "doctor", open_points=True).unknowns, *knowledge().grounding(shift)]
    assert not [line for line in told if words(line) & {each.name for each in shift.current_meds if each.elsewhere}]
    assert len(view.protocol) == len(shift.protocol)
    assert not [step for step in view.protocol if given_away(shift, step)]


def test_the_steps_that_staff_do_not_read_would_give_the_answer_away() -> None:
    reviews = [shift for shift in shipped("T1") if isinstance(shift, MedicationReview)]
    found = {shift.id for shift in reviews if any(given_away(shift, step) for step in shift.protocol)}
    assert found == {"t1-03-metformin", "t1-04-triple", "t1-06-sertraline", "t1-07-methotrexate", "t1-11-lithium"}
    assert all(shift.house_rules for shift in reviews if shift.id in found)
