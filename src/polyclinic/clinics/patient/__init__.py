"""The clinic `patient`: doctors interview a standardized patient, and both get better from case to case."""

from __future__ import annotations

from polyclinic.clinics.patient.flow import flow
from polyclinic.clinics.patient.judges import judges
from polyclinic.clinics.patient.prompts import PROMPTS
from polyclinic.clinics.patient.prompts.known import known_scenes
from polyclinic.clinics.patient.readings import READINGS
from polyclinic.clinics.patient.report import feedback, report
from polyclinic.clinics.patient.scenario import WRITINGS, PatientScenario, left_out, lint, scenarios
from polyclinic.clinics.patient.state import open_campaign
from polyclinic.clinics.patient.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.patient.variants import VARIANTS, PatientVariant
from polyclinic.core.clinic import Clinic, Role

clinic = Clinic(
    name="patient",
    title="The standardized patient",
    summary="Doctors interview a standardized patient; libraries of good answers and good questions grow from "
    "case to case.",
    paper="LLMs Can Simulate Standardized Patients via Agent Coevolution (EvoPatient)",
    roles=(
        Role(
            "doctor",
            "interviews, calls in colleagues, concludes",
            side="tested",
            metrics=(
                "right_diagnosis",
                "elicited",
                "red_flags",
                "crisis_met",
                "rounds",
                "specificity",
                "targetedness",
                "professionalism",
            ),
        ),
        Role("triage", "sends a complaint to one of twenty disciplines", side="tested", metrics=("right_discipline",)),
        Role(
            "patient",
            "answers as a standardized patient would",
            side="simulated",
            metrics=("faithfulness", "robustness", "leak_free", "contradictions"),
        ),
        Role(
            "attention",
            "picks the requirements that matter for a question",
            side="simulated",
            asked_in="--scenarios evolve:1",
        ),
        Role("vagueness", "makes a record as vague as a patient's memory", side="simulated"),
        Role("scribe", "keeps a long interview short", side="simulated"),
        Role("cheater", "asks what no doctor should ask, to test the patient", side="simulated"),
        Role("judge", "prefers one of two answers", side="judge", asked_in="--variant duel-cot"),
    ),
    scenario_type=PatientScenario,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="evolved",
    evolve_variant="evolved",
    flow=flow,
    judges=judges,
    readings=READINGS,
    known_scenes=known_scenes,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    libraries=("attention", "trajectory", "triage", "pool"),
    open_campaign=open_campaign,
    lint=lint,
    left_out=left_out,
    own_writings=WRITINGS,
    report=report,
    feedback=feedback,
    settings=PatientVariant.SETTINGS,
    headline=("wins_standard", "wins_cheat", "ability", "elicited"),
    asked_in={
        **dict.fromkeys(("Attends", "Merges", "Recruits", "Consults", "Studies"), ("evolve:1", "evolved")),
        **dict.fromkeys(("Panics", "Soothes"), ("1", "crisis")),
        "Advises": ("1", "walk-in"),
    },
    demo_scenarios="2",
    all_scenarios="all",
    demo_variants=("cot", "few-shot-2", "evolved-emptied"),
    demo_settings={"variants": ("evolved-emptied", "evolved"), "scenarios": "3"},
    demo_learns=6,
    demo_shows=("Before and after evolution", "What was learned, case by case"),
)
