"""A small knowledge graph: what medicines do to each other, when they must not be given, what red flags mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from polyclinic.clinics.duty.rules.triggers import mentions
from polyclinic.clinics.duty.scenario.schema import AnyDuty, MedicationReview, Triage
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen

_Kind = Literal["interaction", "contraindication", "sudden_stop", "red_flag"]


class Fact(Frozen):
    """One edge of the graph, in words; `subjects` are the nodes that it joins."""

    kind: _Kind
    subjects: tuple[str, ...]
    text: str
    severity: int
    words: tuple[str, ...] = ()
    level: int = 5


@dataclass
class Knowledge:
    """The facts, found by the nodes they touch."""

    facts: tuple[Fact, ...]
    _by_subject: dict[str, list[Fact]] = field(init=False)

    def __post_init__(self) -> None:
        self._by_subject = {}
        for fact in self.facts:
            for subject in fact.subjects:
                self._by_subject.setdefault(subject, []).append(fact)

    def neighbours(self, subject: str) -> list[Fact]:
        """The facts that touch one node."""
        return list(self._by_subject.get(subject, ()))

    def about(self, medicines: Sequence[str]) -> list[Fact]:
        """Interactions between medicines of the list, and other facts about each of them; gravest first, without
        duplicates.
        """
        found: dict[str, Fact] = {}
        for name in medicines:
            for fact in self.neighbours(name):
                if fact.kind != "interaction" or all(subject in medicines for subject in fact.subjects):
                    found.setdefault(fact.text, fact)
        return sorted(found.values(), key=lambda fact: (fact.kind != "interaction", -fact.severity, fact.text))

    def red_flags(self, text: str) -> list[Fact]:
        """The red flags that a text speaks of."""
        return [fact for fact in self.facts if fact.kind == "red_flag" and mentions(text, fact.words)]

    def grounding(self, scenario: AnyDuty, most: int = 4) -> list[str]:
        """The facts about the signs of this scenario and about the medicines that staff have on their list.

        Staff must ask what else the patient takes, so these facts must not name it.
        """
        names = [medication.name for medication in scenario.current_meds if not medication.elsewhere]
        text = " ".join([*(finding.text for finding in scenario.findings), scenario.title, _complaint(scenario)])
        flags = self.red_flags(text) if isinstance(scenario, Triage) else []
        facts = [fact for fact in self.about(names) if fact.kind != "contraindication" or _touches(fact, text)]
        return [fact.text for fact in [*flags, *facts]][:most]


def _complaint(scenario: AnyDuty) -> str:
    """The scenario's free text about the patient."""
    if isinstance(scenario, Triage):
        return scenario.presenting_complaint
    return scenario.patient_profile if isinstance(scenario, MedicationReview) else scenario.care_plan


def _touches(fact: Fact, text: str) -> bool:
    """Whether the text speaks of the condition that forbids the medicine."""
    return mentions(text, [word for word in fact.subjects[1].split() if len(word) > 4])


def _facts(plain: dict[str, list[dict[str, object]]]) -> Iterable[Fact]:
    for row in plain["interactions"]:
        text = f"{row['a']} with {row['b']} {row['effect']}; watch {row['watch']}"
        yield Fact(
            kind="interaction", subjects=(str(row["a"]), str(row["b"])), text=text, severity=_int(row["severity"])
        )
    for row in plain["contraindications"]:
        text = f"{row['drug']} is not given in {row['condition']}: it {row['effect']}"
        subjects = (str(row["drug"]), str(row["condition"]))
        yield Fact(kind="contraindication", subjects=subjects, text=text, severity=_int(row["severity"]))
    for row in plain["sudden_stops"]:
        text = f"{row['drug']}: {row['effect']}"
        yield Fact(kind="sudden_stop", subjects=(str(row["drug"]),), text=text, severity=_int(row["severity"]))
    for row in plain["red_flags"]:
        words = row["words"]
        text = f"{row['cue']} may mean {row['danger']}: level {row['level']} or more urgent"
        yield Fact(
            kind="red_flag",
            subjects=(str(row["cue"]),),
            text=text,
            severity=5,
            level=_int(row["level"]),
            words=tuple(str(word) for word in words) if isinstance(words, list) else (),
        )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"a severity must be a whole number, not {value!r}")
    return value


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """The graph that comes with the clinic."""
    return Knowledge(tuple(_facts(package_data("polyclinic.clinics.duty", "data/knowledge.yaml"))))
