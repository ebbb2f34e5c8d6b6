"""The demo clinic: a medicine helpline. Two agents, one tool, one library, live calls, training data."""

from __future__ import annotations

from polyclinic.clinics.demo.dataset import dataset
from polyclinic.clinics.demo.flow import flow
from polyclinic.clinics.demo.judges import judges
from polyclinic.clinics.demo.prompts import PROMPTS
from polyclinic.clinics.demo.report import feedback, report
from polyclinic.clinics.demo.scenario import Call, lint, scenarios
from polyclinic.clinics.demo.service import service
from polyclinic.clinics.demo.state import Phrase
from polyclinic.clinics.demo.understudies import MISTAKES, UNDERSTUDIES
from polyclinic.clinics.demo.variants import VARIANTS
from polyclinic.core.clinic import Clinic, Role

clinic = Clinic(
    name="demo",
    title="Medicine helpline",
    summary="A caller asks a nurse how to take an (invented) medicine; the nurse looks it up and explains it.",
    paper="none",
    roles=(
        Role("nurse", "answers the line", side="tested", metrics=("dose", "understood", "safe", "courtesy")),
        Role("caller", "asks how to take a medicine", side="simulated"),
        Role("judge", "rates the nurse's courtesy", side="judge"),
    ),
    scenario_type=Call,
    scenarios=scenarios,
    variants=VARIANTS,
    default_variant="tool",
    flow=flow,
    judges=judges,
    prompts=PROMPTS,
    understudies=UNDERSTUDIES,
    mistakes=MISTAKES,
    libraries=(Phrase.library,),
    evolve_variant="taught",
    evolve_selector="series",
    report=report,
    feedback=feedback,
    lint=lint,
    service=service,
    dataset=dataset,
    headline=("understood", "dose"),
    demo_scenarios="8",
    demo_variants=("plain", "tool", "taught"),
)
