"""Duty: role agents under hard norms and soft traits, who reflect after each shift and evolve."""

from __future__ import annotations

from polyclinic.clinics.duty.agents.steering import steering
from polyclinic.clinics.duty.flow import flow
from polyclinic.clinics.duty.judges import judges
from polyclinic.clinics.duty.prompts import PROMPTS
from polyclinic.clinics.duty.readings import READINGS
from polyclinic.clinics.duty.report import OWN_METRICS, ending, feedback, misleading, performance, report, rulebook
from polyclinic.clinics.duty.rules.norms.norm import house_norms
from polyclinic.clinics.duty.scenario import lint, scenarios
from polyclinic.clinics.duty.scenario.authoring import WRITINGS
from polyclinic.clinics.duty.scenario.institution import priors
from polyclinic.clinics.duty.scenario.load import SHIFT
from polyclinic.clinics.duty.state import open_campaign
from polyclinic.clinics.duty.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.duty.variants import VARIANTS, DutyVariant
from polyclinic.core.clinic import Clinic, Role
from polyclinic.core.services import Services


def check_settings(services: Services) -> None:
    """Refuse a voice, a norm file or a survey that a shift cannot use."""
    steering(services.options)
    house_norms(services)
    priors(services)


clinic = Clinic(
    name="duty",
    title="Duty: norms, traits, reflection, evolution",
    summary="Doctors, nurses, trainees and admins work shifts under norms, and learn from what they broke.",
    paper="A Self-Evolving LLM Agent Framework for Role-Based Norm Compliance in Healthcare",
    roles=(
        Role("doctor", "the attending: decides, confirms, explains", metrics=("rar", "tsr")),
        Role("nurse", "observes, raises concerns, teaches", metrics=("rar", "tsr")),
        Role("trainee", "takes histories and proposes under supervision", metrics=("rar", "tsr")),
        Role("admin", "knows beds, times, staff and stock, as the clerk of the ward", metrics=("rar", "tsr")),
        Role("patient", "answers and asks", side="simulated"),
        Role("reflector", "reviews shifts: diagnosis, traits, preferences", asked_in="--variant full"),
        Role("judge", "judges norms, roles, identity and social quality", side="judge"),
    ),
    scenario_type=SHIFT,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="full",
    evolve_variant="full",
    flow=flow,
    judges=judges,
    readings=READINGS,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    libraries=("lines",),
    open_campaign=open_campaign,
    report=report,
    feedback=feedback,
    performance=performance,
    own_metrics=OWN_METRICS,
    misleading=misleading,
    ending=ending,
    outcomes={"broken": "a norm was broken", "clean": "no norm was broken"},
    lint=lint,
    own_writings=WRITINGS,
    rulebook=rulebook,
    settings=(*DutyVariant.SETTINGS, "norms", "survey", "survey_items", "voice", "learning"),
    check_settings=check_settings,
    play_by_role={"nurse": "T3:1", "admin": "T2:1"},
    headline=("nvr", "tsr"),
    asked_in={"PrefersIdentity": ("T1:15", "full")},
    demo_scenarios="3",
    demo_variants=("plain", "full"),
    demo_settings={"scenarios": "T1:15"},
    demo_shows=("Learning curves",),
)
