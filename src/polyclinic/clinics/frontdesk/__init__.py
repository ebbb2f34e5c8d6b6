"""The front desk: a hospital's outpatient administration, simulated end to end on FHIR."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.agents import voice_of
from polyclinic.clinics.frontdesk.board import BOARD
from polyclinic.clinics.frontdesk.evaluations import evaluations
from polyclinic.clinics.frontdesk.flow import flow
from polyclinic.clinics.frontdesk.judges import judges
from polyclinic.clinics.frontdesk.operations import whatif
from polyclinic.clinics.frontdesk.prompts import PROMPTS
from polyclinic.clinics.frontdesk.readings import READINGS
from polyclinic.clinics.frontdesk.report import feedback, report
from polyclinic.clinics.frontdesk.scenario import WRITINGS, Contact, lint, scenarios
from polyclinic.clinics.frontdesk.state import open_campaign
from polyclinic.clinics.frontdesk.tools.opening import prepare
from polyclinic.clinics.frontdesk.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.frontdesk.variants import VARIANTS
from polyclinic.core.clinic import Clinic, Role
from polyclinic.core.services import Services


def check_settings(services: Services) -> None:
    """Raise an error for a voice that does not exist."""
    voice_of(services)


clinic = Clinic(
    name="frontdesk",
    title="Hospital front desk",
    summary="Patients call a hospital to register and to book, move or cancel visits; its records are in FHIR R5.",
    paper="H-AdminSim: a multi-agent simulator for hospital administrative workflows with FHIR integration",
    roles=(
        Role(
            "staff",
            "takes patients in and schedules them, as the clerk at the desk",
            side="tested",
            metrics=(
                "intake_staff",
                "department",
                "red_flag",
                "scheduling_staff",
                "right_tool",
                "invented",
                "protected",
            ),
        ),
        Role("patient", "comes with a complaint and a wish for a time", side="simulated"),
    ),
    scenario_type=Contact,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="tool",
    flow=flow,
    judges=judges,
    readings=READINGS,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    open_campaign=open_campaign,
    prepare=prepare,
    report=report,
    feedback=feedback,
    lint=lint,
    own_writings=WRITINGS,
    evaluations=evaluations,
    whatif=whatif,
    board=BOARD,
    needs=("records",),
    settings=("voice",),
    check_settings=check_settings,
    headline=("protected", "scheduling", "intake"),
    demo_scenarios="primary:1:12",
    asked_in={"PatientCalls": ("30", "tool"), "StaffChanges": ("30", "tool")},
    play_scenarios="walk-in",
    demo_variants=("tool", "reasoning"),
    demo_settings={
        "scenarios": "primary:1:100",
        "cast": "staff=understudy:mistake=wrong_department@0.15+wrong_tool@0.2,all=understudy",
    },
    demo_shows=("Front desk: diaries",),
)
