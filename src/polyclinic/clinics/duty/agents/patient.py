"""The patient of a shift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polyclinic.clinics.duty.agents.steering import steering
from polyclinic.clinics.duty.agents.views import since_own_words, spoken, trait_lines
from polyclinic.clinics.duty.prompts.people import PatientTurn
from polyclinic.clinics.duty.prompts.views import PatientSteers
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.schema import STAFF, AnyDuty, Discharge, MedicationReview, Role
from polyclinic.core.episode import Episode
from polyclinic.core.part import Part, answer_in_part
from polyclinic.people.traits import TraitProfile

PATIENT_MANNERS = 4


class Patient:
    """The patient, or the person who speaks for a child. It is simulated: staff are not blamed for its words, and it
    never learns.
    """

    def __init__(self, episode: Episode, scenario: AnyDuty, profile: TraitProfile) -> None:
        self._episode, self._agent, self._scenario = episode, episode.agent("patient"), scenario
        self._traits = trait_lines(profile)
        self._voice = steering(episode.services.options).voice
        self._answered = 0

    async def answers(self, to: Role, lines: Sequence[SceneLine]) -> str:
        """What the patient says now. The words are checked to fit the patient's part."""
        scenario = self._scenario
        history, heard = since_own_words("patient", lines)
        prompt = PatientTurn(
            child=scenario.child,
            setting=scenario.setting,
            knows=scenario.knows("patient"),
            story=own_story(scenario),
            concerns=scenario.patient_concerns if isinstance(scenario, Discharge) else (),
            manner=tuple(f"{line.you}: {line.words}" for line in self._traits[:PATIENT_MANNERS]),
            heard=heard,
            to=to,
            steers=PatientSteers(
                answered=self._answered, dialogue=spoken(lines), traits=self._traits, voice=self._voice
            ),
        )
        self._answered += 1
        said = heard[-1].text if heard else ""
        part = Part(who="the patient", own=("patient",), others=tuple(STAFF), said=said)
        if scenario.child:
            part = replace(part, who="the parent of the sick child", own=("patient", "child", "parent"))
        return (await answer_in_part(self._episode, self._agent, prompt, part, history=history)).value


def own_story(scenario: AnyDuty) -> tuple[str, ...]:
    """What the patient can tell from the start. What they repeat at the end is left out: they must hear it first."""
    if isinstance(scenario, MedicationReview):
        return scenario.patient_says[:-1] or scenario.patient_says
    return scenario.patient_says[:1]
