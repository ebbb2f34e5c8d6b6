"""Draws patients' complaints, including unusual patients: several complaints, a child, an interpreter, an emergency.

A patient has two to five symptoms of the disease's list. Somebody with several complaints also has one of another
department, which is not why they came. A child comes with a parent, and a patient who does not speak the language comes
with an interpreter. An emergency is something that is happening now. A disease that cannot wait comes only as an
emergency, never as a usual patient.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from polyclinic.clinics.frontdesk.scenario.config import HospitalConfig
from polyclinic.clinics.frontdesk.scenario.diseases import Disease, childrens_diseases, emergencies
from polyclinic.clinics.frontdesk.scenario.schema import Companion
from polyclinic.clinics.frontdesk.scenario.warning_signs import cannot_wait
from polyclinic.core.value import unchanging

FEWEST, MOST = 2, 5


@unchanging
class ChiefComplaint:
    """What a patient comes with."""

    disease: Disease
    symptoms: tuple[str, ...]
    others: tuple[str, ...] = ()
    companion: Companion = ""
    emergency: bool = False


class UnusualPatients:
    """Draws complaints for the patients of one hospital, with the config's shares of unusual patients."""

    def __init__(self, config: HospitalConfig, table: Sequence[Disease], here: Mapping[str, Sequence[Disease]]) -> None:
        self._shares, self._here = config.unusual, here
        known = {disease.name: disease for disease in table}
        self._urgent = [(known[entry.disease], entry.says) for entry in emergencies() if entry.disease in known]
        self._children = [disease for disease in childrens_diseases() if disease.name in known]

    def draw(self, choices: Sequence[Disease], department: str, draw: random.Random) -> ChiefComplaint:
        """The complaint of one patient of this department, usual or unusual. The disease is one of the choices.

        Every patient uses the same number of random draws.
        """
        who, which, second, others = draw.random(), draw.random(), draw.random(), draw.random()
        count = draw.random()
        shares = self._shares
        names = {disease.name for disease in choices}
        urgent = [(disease, says) for disease, says in self._urgent if disease.name in names]
        if who < shares.emergency and urgent:
            disease, says = urgent[int(which * len(urgent))]
            return ChiefComplaint(disease, says[: max(FEWEST, 1 + int(count * len(says)))], emergency=True)
        who -= shares.emergency
        young = [disease for disease in self._children if disease.name in names]
        if 0 <= who < shares.child and young:
            disease = young[int(which * len(young))]
            return ChiefComplaint(disease, _some(disease.symptoms, count, draw), companion="parent")
        who -= shares.child
        companion: Companion = "interpreter" if 0 <= who < shares.interpreter else ""
        usual = [disease for disease in choices if not cannot_wait(disease.name)] or choices
        disease = usual[int(which * len(usual))]
        also = self._others(department, second) if others < shares.several else ()
        return ChiefComplaint(disease, _some(disease.symptoms, count, draw), also, companion)

    def _others(self, department: str, chance: float) -> tuple[str, ...]:
        """One complaint that belongs to another department."""
        names = [name for name in self._here if name != department and self._here[name]]
        if not names:
            return ()
        place, rest = divmod(chance * len(names), 1)
        found = self._here[names[int(place)]]
        return (found[int(rest * len(found))].symptoms[0],)


def _some(symptoms: tuple[str, ...], chance: float, draw: random.Random) -> tuple[str, ...]:
    """Two to five of the symptoms, in the list's order; all of them if there are fewer."""
    most = min(MOST, len(symptoms))
    count = min(most, FEWEST + int(chance * (most - FEWEST + 1)))
    chosen = sorted(draw.sample(range(len(symptoms)), count)) if count else []
    return tuple(symptoms[index] for index in chosen) or symptoms
