"""What all phases of an interview share: the agents, the variant as the user set it, and the state."""

from __future__ import annotations

from dataclasses import dataclass

from polyclinic.clinics.patient.agents.doctor import Doctors
from polyclinic.clinics.patient.agents.patient import Patient
from polyclinic.clinics.patient.prompts.patient.facts import Player
from polyclinic.clinics.patient.prompts.scribe.summary import Summarises
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import SUMMARY_CHARS, Interview
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import RememberedLine

EXAMINER = {"profile": True, "learned_cases": 0}
"""The doctor of an exam: knows the discipline, and refers to nothing that was learned."""


@dataclass
class Room:
    """Everything a phase works with."""

    episode: Episode
    scenario: PatientScenario
    variant: PatientVariant
    interview: Interview
    patient: Patient
    doctors: Doctors
    learning: bool
    round: int = 0


def enter(episode: Episode[PatientScenario, PatientVariant]) -> Room:
    """The room for one episode. There are no cheat questions if a person plays the doctor.

    In an exam, the doctor is the same for every variant, so that only what the patient learned makes a difference.
    """
    scenario = episode.scenario
    variant = episode.variant.configured(episode.services.options)
    learning = bool(scenario.campaign) and variant.method == "library" and not scenario.exam
    if episode.board.players.model("doctor").kind == "human":
        variant = variant.model_copy(update={"cheats": 0})
    asking = variant
    if scenario.exam:
        variant = variant.model_copy(update={"recruit": "none"})
        asking = variant.model_copy(update=EXAMINER)
    scribe = episode.agent("scribe")

    async def summarise(summary: str, turns: list[RememberedLine]) -> str:
        return await scribe.ask(Summarises(limit_chars=SUMMARY_CHARS, summary=summary, turns=tuple(turns)))

    interview = Interview.open(summarise)
    player = Player(voice=variant.voice, uptake=variant.uptake)
    return Room(
        episode=episode,
        scenario=scenario,
        variant=variant,
        interview=interview,
        patient=Patient(episode, scenario, learning, player),
        doctors=Doctors(episode, asking, interview, player),
        learning=learning,
    )
