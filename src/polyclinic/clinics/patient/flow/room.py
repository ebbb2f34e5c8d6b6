"""Where an interview takes place: the agents, the variant as the user set it, and the state that all phases share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from polyclinic.clinics.patient.agents.doctor import Doctors
from polyclinic.clinics.patient.agents.patient import Patient
from polyclinic.clinics.patient.prompts.patient import Player
from polyclinic.clinics.patient.prompts.scribe import Summarises
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import SUMMARY_CHARS, Interview
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import Turn
from polyclinic.errors import ConfigError

SETTINGS = (
    "phases",
    "turns",
    "least",
    "cheats",
    "crisis",
    "recruit",
    "learn_recruit",
    "consult_turns",
    "voice",
    "uptake",
)


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
    """The room for one episode. A person who plays the doctor is not made to cheat."""
    scenario = episode.scenario
    variant = configured(episode.variant, episode.services.options)
    learning = bool(scenario.campaign) and variant.method == "library" and not scenario.exam
    if episode.board.players.model("doctor").kind == "human":
        variant = variant.model_copy(update={"cheats": 0})
    scribe = episode.agent("scribe")

    async def summarise(summary: str, turns: list[Turn]) -> str:
        return await scribe.ask(Summarises(limit_chars=SUMMARY_CHARS, summary=summary, turns=tuple(turns)))

    interview = Interview.open(summarise)
    player = Player(voice=variant.voice, uptake=variant.uptake)
    return Room(
        episode=episode,
        scenario=scenario,
        variant=variant,
        interview=interview,
        patient=Patient(episode, scenario, learning, player),
        doctors=Doctors(episode, variant, interview, player),
        learning=learning,
    )


def configured(variant: PatientVariant, options: Mapping[str, str]) -> PatientVariant:
    """The variant with a user's own settings: ``--set phases=complaint,interrogation --set turns=20``."""
    changes: dict[str, object] = {name: options[name] for name in SETTINGS if name in options}
    if "phases" in changes:
        changes["phases"] = tuple(phase.strip() for phase in options["phases"].split(",") if phase.strip())
    if not changes:
        return variant
    try:
        return PatientVariant.model_validate({**variant.model_dump(), **changes})
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"--set {fault['loc'][0]}: {fault['msg']} (got {fault['input']!r})") from None
