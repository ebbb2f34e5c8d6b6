"""The front desk: a hospital's outpatient administration, simulated end to end on FHIR."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.flow import flow
from polyclinic.clinics.frontdesk.judges import feedback, judges
from polyclinic.clinics.frontdesk.prompts import PROMPTS
from polyclinic.clinics.frontdesk.report import report
from polyclinic.clinics.frontdesk.scenario.load import lint, scenarios
from polyclinic.clinics.frontdesk.scenario.schema import Contact
from polyclinic.clinics.frontdesk.state import HospitalState
from polyclinic.clinics.frontdesk.tools.opening import Ids, load_hospital
from polyclinic.clinics.frontdesk.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.frontdesk.variants import VARIANTS, DeskVariant
from polyclinic.core.campaign import Shared
from polyclinic.core.clinic import Clinic, Role
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.services import Services


def open_campaign(contacts: Sequence[Contact], variant: DeskVariant, seed: int, services: Services) -> Shared:
    """A hospital before its first call."""
    return HospitalState.open(contacts)


async def prepare(contacts: Sequence[Contact], variant: DeskVariant, first: EpisodeSpec, services: Services) -> None:
    """Put the hospital into the records before its first episode."""
    if services.records is not None:
        plan = HospitalState.open(contacts).plan
        await load_hospital(services.records, Ids(first.run, first.campaign, first.variant, first.trial), plan)


clinic = Clinic(
    name="frontdesk",
    title="Hospital front desk",
    summary="Patients call a hospital, are taken in, booked, moved and cancelled; the hospital lives in FHIR R5.",
    paper="H-AdminSim: a multi-agent simulator for hospital administrative workflows with FHIR integration",
    roles=(
        Role("staff", "takes patients in and schedules them", side="tested"),
        Role("patient", "comes with a complaint and a wish for a time", side="simulated"),
    ),
    scenario_type=Contact,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="tool",
    flow=flow,
    judges=judges,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    open_campaign=open_campaign,
    prepare=prepare,
    report=report,
    feedback=feedback,
    lint=lint,
    needs=("records",),
    demo_scenarios="primary:1:12",
    play_scenarios="walk-in",
    demo_variants=("tool", "reasoning"),
)
