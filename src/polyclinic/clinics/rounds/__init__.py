"""Rounds: a Socratic tutor leads a group of medical students round a patient."""

from __future__ import annotations

from polyclinic.clinics.rounds.dataset import dataset
from polyclinic.clinics.rounds.evaluations import evaluations
from polyclinic.clinics.rounds.flow import flow
from polyclinic.clinics.rounds.judges import judges
from polyclinic.clinics.rounds.prompts import PROMPTS
from polyclinic.clinics.rounds.prompts.known import known_scenes
from polyclinic.clinics.rounds.readings import READINGS
from polyclinic.clinics.rounds.report import OWN_METRICS, ending, feedback, performance, report
from polyclinic.clinics.rounds.scenario import WRITINGS, TeachingCase, lint, scenarios
from polyclinic.clinics.rounds.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.rounds.variants import VARIANTS, RoundsVariant
from polyclinic.core.clinic import Clinic, Role

clinic = Clinic(
    name="rounds",
    title="Teaching rounds",
    summary="A Socratic tutor leads a group of medical students round a patient; reviewers check what it says.",
    paper="Socratic personalized medical teaching with multi-agent simulation (ClinEdu, ClinTeach, MedTutor-R1)",
    roles=(
        Role(
            "tutor",
            "leads the group by asking; the role under test",
            side="tested",
            metrics=(
                "steps_covered",
                "learning_gain",
                "participation",
                "answer_leak",
                "question_share",
                "ets",
                "msm",
                "mps",
            ),
        ),
        Role(
            "student",
            "reports, asks, and answers the case privately (student-1, student-2 …)",
            side="simulated",
            seats="seats",
        ),
        Role("patient", "knows its script only; or an informant who speaks for the patient", side="simulated"),
        Role(
            "specialist",
            "checks facts before guidance goes out; answers general questions",
            side="simulated",
            metrics=("false_guidance",),
        ),
        Role(
            "supervisor",
            "checks safety, ethics and tone before guidance goes out",
            side="simulated",
            metrics=("harmful_guidance",),
        ),
        Role(
            "author",
            "writes steps and script for cases that have none",
            side="simulated",
            asked_in="--scenarios FILE, for cases without steps",
        ),
        Role("judge", "scores teaching and turns by rubric", side="judge"),
    ),
    scenario_type=TeachingCase,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="full",
    flow=flow,
    judges=judges,
    readings=READINGS,
    known_scenes=known_scenes,
    settings=RoundsVariant.SETTINGS,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    report=report,
    feedback=feedback,
    performance=performance,
    ending=ending,
    outcomes={
        "reached": "every student came to the conclusion",
        "not_reached": "not every student came to the conclusion",
    },
    own_metrics=OWN_METRICS,
    lint=lint,
    own_writings=WRITINGS,
    dataset=dataset,
    evaluations=evaluations,
    headline=("learning_gain", "answer_leak"),
    asked_in={
        "AnswersKnowledge": ("2", "full"),
        **dict.fromkeys(("AnswersExam", "WritesScript", "WritesStep", "WritesMemories"), ("", "")),
    },
    demo_scenarios="images:2",
    demo_variants=("full", "lecture", "untutored"),
    demo_shows=("Sessions, round by round",),
)
