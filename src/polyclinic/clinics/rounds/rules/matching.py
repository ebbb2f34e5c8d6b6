"""Which persona speaks a script: by the speaker's age and sex where the case states them, by tags where it does not."""

from __future__ import annotations

import random
from collections.abc import Sequence

from polyclinic.clinics.rounds.scenario.case import PatientScript
from polyclinic.people.personas import Persona

YEARS_APART = 8
ENOUGH = 6
NOT_IN_AN_EMERGENCY = frozenset({"stoic", "cheerful", "hurried"})
"""Tags of people who play things down or have other things to do: they do not speak a script that cries for help."""


def _tag_fit(script: PatientScript, persona: Persona) -> int:
    wanted = {word for tag in script.persona_tags for word in (tag.casefold(), *tag.casefold().split())}
    return sum(tag in wanted for tag in persona.tags)


def fitting(script: PatientScript, personas: Sequence[Persona]) -> list[Persona]:
    """The personas that may speak this script, best first.

    If the script states a sex, the persona must have it. If it states an age, the persona must be within a few years of
    it; if too few are, the nearest ones are taken. Personas with more shared tags come first. In an emergency, nobody
    speaks who plays things down.
    """
    speaker = script.speaker
    people = [persona for persona in personas if speaker.sex is None or persona.sex == speaker.sex]
    if "emergency" in script.persona_tags:
        people = [persona for persona in people if NOT_IN_AN_EMERGENCY.isdisjoint(persona.tags)] or people
    if speaker.age is not None:
        age = speaker.age
        by_age = sorted(people, key=lambda persona: (abs(persona.age - age), persona.id))
        near = [persona for persona in by_age if abs(persona.age - age) <= YEARS_APART]
        people = near if len(near) >= ENOUGH else by_age[:ENOUGH]
    elif script.informant is not None:
        people = [persona for persona in people if persona.age >= 18]
    return sorted(people, key=lambda persona: (-_tag_fit(script, persona), persona.id))


def match_persona(script: PatientScript, personas: Sequence[Persona], chance: random.Random) -> Persona:
    """One of the best-fitting personas, with the age and sex that the script states for the speaker."""
    people = fitting(script, personas)
    best = _tag_fit(script, people[0])
    pool = [persona for persona in people if _tag_fit(script, persona) == best] if best else people
    if len(pool) < ENOUGH:
        pool = people[:ENOUGH]
    chosen = chance.choice(pool)
    return chosen.lent_to(script.speaker.age, script.speaker.sex)
