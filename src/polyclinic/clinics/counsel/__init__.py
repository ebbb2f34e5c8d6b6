"""Counsel: end-of-life conversations under constraints, with a critic and an escalation guard."""

from __future__ import annotations

from polyclinic.clinics.counsel.documents import documents
from polyclinic.clinics.counsel.evaluations import evaluations
from polyclinic.clinics.counsel.flow import flow
from polyclinic.clinics.counsel.judges import judges
from polyclinic.clinics.counsel.prompts import PROMPTS
from polyclinic.clinics.counsel.prompts.known import known_scenes
from polyclinic.clinics.counsel.readings import READINGS
from polyclinic.clinics.counsel.report import ending, feedback, report
from polyclinic.clinics.counsel.rules.messages import check_country
from polyclinic.clinics.counsel.rules.teaching import train_guard
from polyclinic.clinics.counsel.scenario import UNKNOWN_COUNTRY, Talk, in_language, lint, scenarios
from polyclinic.clinics.counsel.service import service
from polyclinic.clinics.counsel.state import open_campaign
from polyclinic.clinics.counsel.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.counsel.understudies.words import VOICES, check_voice
from polyclinic.clinics.counsel.variants import VARIANTS
from polyclinic.core.clinic import Clinic, Role
from polyclinic.core.services import Services


def check_settings(services: Services) -> None:
    """Refuse a voice or a file of documents that does not exist, and what is no country."""
    check_voice(services.options.get("voice", VOICES[0]))
    check_country(services.options.get("country", UNKNOWN_COUNTRY))
    if services.options.get("documents"):
        documents(services.options["documents"])


clinic = Clinic(
    name="counsel",
    title="End-of-life counselling",
    summary="A counsellor, a critic and an escalation guard lead end-of-life conversations; danger goes to people.",
    paper="Eirene: end-of-life counselling as constrained optimization by cooperating agents (papers/eirene.txt)",
    roles=(
        Role("guard", "looks at every message before anybody answers it", metrics=("escalated", "false_alarm")),
        Role(
            "planner",
            "decides which stage the patient's words call for",
            metrics=("plans_followed", "stage_order", "stages_reached"),
        ),
        Role(
            "counsellor",
            "writes what the patient hears",
            metrics=(
                "overall",
                "empathy",
                "accuracy",
                "ethicality",
                "slips_said",
                "sourced",
                "feelings_answered",
                "drafts",
            ),
        ),
        Role("critic", "refuses drafts that break a constraint"),
        Role(
            "keeper",
            "summarises and keeps long-term memory",
            metrics=("summaries_in_bounds", "memory_rewrites"),
        ),
        Role("patient", "a person near the end of life", side="simulated"),
        Role(
            "desk",
            "the person who acts next in a live conversation",
            side="simulated",
            asked_in="polyclinic serve counsel",
        ),
        Role("judge", "rates finished conversations", side="judge"),
    ),
    scenario_type=Talk,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="full",
    flow=flow,
    judges=judges,
    readings=READINGS,
    known_scenes=known_scenes,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    open_campaign=open_campaign,
    report=report,
    feedback=feedback,
    ending=ending,
    outcomes={"turns": "all turns taken", "escalated": "handed over to a person", "left": "the person left"},
    lint=lint,
    evaluations=evaluations,
    service=service,
    documents=documents,
    trainings={"guard": train_guard},
    settings=("country", "documents", "voice"),
    check_settings=check_settings,
    in_language=in_language,
    headline=("overall", "escalated"),
    asked_in={"DeskWaits": ("", "")},
    demo_scenarios="4",
    demo_variants=("full", "nocritic", "noescalation", "single"),
    demo_shows=("Hand-overs",),
)
