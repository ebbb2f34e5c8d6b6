"""The written shifts: enough of each task, with the promised variety; faults in a user's file are reported clearly."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyclinic.clinics.duty.agents.views import role_view
from polyclinic.clinics.duty.prompts.people import PatientTurn
from polyclinic.clinics.duty.prompts.views import PatientSteers
from polyclinic.clinics.duty.rules.going_on import taken_away
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.scenario import scenarios
from polyclinic.clinics.duty.scenario.load import parse_scenarios, read_scenarios, shipped
from polyclinic.clinics.duty.scenario.schema import TASKS, TURNS, Discharge, MedicationReview, Task, Triage
from polyclinic.errors import DataError


@pytest.mark.parametrize("task", TASKS)
def test_each_task_has_twelve_written_shifts_with_all_kinds_of_cues(task: Task) -> None:
    shifts = shipped(task)
    assert len(shifts) >= 12
    kinds = {cue.kind for shift in shifts for cue in shift.cues}
    assert kinds == {"partial", "missing", "conflicting"}
    assert all(shift.supervision_boundaries and shift.unknowns for shift in shifts)
    assert len({shift.id for shift in shifts}) == len(shifts)


def test_teams_have_two_to_four_people_and_all_five_roles_appear() -> None:
    assert all(2 <= len(shift.roles) <= 4 for shift in shipped())
    assert {role for shift in shipped() for role in shift.roles} == {"doctor", "nurse", "patient", "admin", "trainee"}


def test_turn_ranges_are_the_published_ones() -> None:
    assert TURNS == {"T1": (3, 6), "T2": (6, 12), "T3": (6, 12)}
    assert all(shift.turns == TURNS[shift.task] for shift in shipped())


def test_templates_have_the_published_fields() -> None:
    first = {"patient_profile", "current_meds", "symptoms", "risk_cues", "unknowns"}
    second = {"presenting_complaint", "red_flags", "resources", "handoff_state"}
    third = {"care_plan", "patient_concerns", "continuity_cues", "supervision_boundaries"}
    assert first <= set(MedicationReview.model_fields)
    assert second <= set(Triage.model_fields)
    assert third <= set(Discharge.model_fields)


def test_every_triage_lacks_a_resource_and_offers_a_safe_alternative() -> None:
    for shift in shipped("T2"):
        lacking = [resource for resource in shift.resources if not resource.available]
        assert lacking
        assert all(resource.instead for resource in lacking)


def test_every_shipped_interaction_in_a_review_is_in_the_graph() -> None:
    graph = knowledge()
    for first, second in (("warfarin", "clarithromycin"), ("sertraline", "tramadol"), ("lithium", "indapamide")):
        assert graph.about((first, second))[0].kind == graph.about((second, first))[0].kind == "interaction"
    assert all(fact.kind != "interaction" for fact in graph.about(("warfarin", "metformin")))


def test_grounding_is_about_the_case_at_hand() -> None:
    shifts = {shift.id: shift for shift in shipped()}
    assert any("propranolol" in fact for fact in knowledge().grounding(shifts["t1-09-asthma"]))
    assert any("stroke" in fact for fact in knowledge().grounding(shifts["t2-06-stroke"]))
    assert not any("pregnancy" in fact for fact in knowledge().grounding(shifts["t1-01-potassium"]))


def test_a_users_file_is_read_and_a_fault_names_file_line_and_field(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "src/polyclinic/clinics/duty/data/scenarios_t1.yaml").read_text("utf-8")
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    assert read_scenarios(file) == shipped("T1")
    broken = text.replace("setting: Outpatient clinic, twelve", "settings: Outpatient clinic, twelve", 1)
    with pytest.raises(DataError, match=r"own.yaml:2: scenario 't1-01-potassium', setting"):
        parse_scenarios(broken, "own.yaml")


def test_a_scenario_with_a_finding_that_nobody_in_it_knows_is_refused() -> None:
    shift = shipped("T1")[0].model_dump(mode="json")
    shift["findings"][0]["seen_by"] = ["admin"]
    with pytest.raises(ValueError, match="nobody present knows"):
        MedicationReview.model_validate(shift)


def test_the_plan_for_likely_lithium_toxicity_stops_lithium_and_the_water_tablet() -> None:
    (shift,) = scenarios("one:t1-11-lithium", 0)
    assert "take no lithium and no indapamide" in shift.protocol[0]
    assert any("urgent lithium level" in step for step in shift.protocol)
    changes = {(each.drug, each.change) for each in shift.supported_changes}
    assert {("lithium", "hold"), ("indapamide", "stop")} <= changes, "right advice is supported and breaks no norm"
    for role in ("doctor", "trainee"):
        read = role_view(shift, role).protocol[0]
        assert "no lithium and no water tablet such as indapamide" in read, "staff and people read it too"
        assert set(taken_away(shift)) >= {"lithium", "indapamide"}


@pytest.mark.parametrize("child", ["", "daughter"])
def test_the_patients_prompt_says_either_that_they_are_ill_or_that_their_child_is(child: str) -> None:
    prompt = PatientTurn(
        child=child,
        setting="Emergency department.",
        knows=(),
        story=(),
        concerns=(),
        manner=(),
        heard=(),
        to="nurse",
        steers=PatientSteers(answered=0, dialogue=(), traits=()),
    )
    told = " ".join(message.content for message in prompt.render())
    assert ("speak for your daughter" in told) is bool(child)
    assert ("You are the one who is ill" in told) is not bool(child)
    assert ("parent" in told) is bool(child)
