"""Finds entries of the libraries: what earlier cases say about this question, this answer or this complaint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from polyclinic.clinics.patient.rules.requirements import Demonstration, online_dialogues
from polyclinic.clinics.patient.rules.vocabulary import overlap
from polyclinic.clinics.patient.state import Attention, PoolRow, Step, TriagedTo
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.episode import Episode
from polyclinic.core.library import Found

ANSWERED, DECLINED = 2, 3
LINES = 4
RECOMMENDED = 3
TRIAGES = 3
POOL_ROWS = 2
POOL_SHOWN = 6
NEAR = 0.5
ALIKE = 0.8
_LOOK = 12
_WIDE = 256
L = TypeVar("L", Attention, Step, TriagedTo, PoolRow)


@dataclass(frozen=True)
class Recalled:
    """What the attention library offers for a question."""

    demonstrations: tuple[Demonstration, ...] = ()
    requirements: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing similar was found."""
        return not self.demonstrations


def near(
    episode: Episode, lesson: type[L], text: str, variant: PatientVariant, k: int, published: float | None = NEAR
) -> list[Found[L]]:
    """The nearest entries that the variant may use. If `published` is None, there is no threshold of similarity."""
    threshold = -1.0 if published is None else _threshold(episode, published)
    found = episode.library(lesson).nearest(text, k=max(k, _LOOK), threshold=threshold)
    if variant.learned_cases is not None:
        found = [match for match in found if match.lesson.case < variant.learned_cases]
    return found[:k]


def recall(episode: Episode, question: str, variant: PatientVariant) -> Recalled:
    """Demonstrations and requirement lines for a question."""
    if variant.method == "online":
        return _online(question)
    found = _both_ways(near(episode, Attention, question, variant, _WIDE, None), _threshold(episode, NEAR))
    lines = dict.fromkeys(line for match in found for line in match.lesson.requirements)
    return Recalled(
        demonstrations=tuple(Demonstration(question=match.entry.key, answer=match.lesson.answer) for match in found),
        requirements=tuple(lines)[:LINES],
        entries=tuple(match.entry.id for match in found),
    )


def _threshold(episode: Episode, published: float) -> float:
    return episode.services.embedder.threshold(published)


def _both_ways(found: list[Found[Attention]], threshold: float) -> list[Found[Attention]]:
    """The nearest answered and the nearest declined questions, because the contrast shows best what to do.

    An answer helps only if its question is about the same thing. An example of declining helps even for another topic.
    """
    answered = [match for match in found if not match.lesson.declined and match.similarity >= threshold]
    answered = answered[:ANSWERED]
    declined = [match for match in found if match.lesson.declined][:DECLINED]
    return sorted([*answered, *declined], key=lambda match: -match.similarity)


def _online(question: str) -> Recalled:
    """The nearest ordinary exchanges, by their words."""
    ranked = sorted(online_dialogues(), key=lambda shown: -overlap(question, shown.question))
    return Recalled(demonstrations=tuple(ranked[: ANSWERED + DECLINED]))


def recommended(episode: Episode, last_answer: str, variant: PatientVariant) -> dict[str, str]:
    """Questions that followed a similar answer in good trajectories, nearest first, with their entries' ids."""
    if not variant.trajectories or not last_answer:
        return {}
    found = near(episode, Step, last_answer, variant, _LOOK)
    return {match.lesson.question: match.entry.id for match in found}


def pool(episode: Episode, complaint: str, discipline: str, variant: PatientVariant) -> list[str]:
    """Professional questions of cases with a similar complaint: this discipline's, then those for everybody."""
    if not variant.pool:
        return []
    questions: list[str] = []
    for match in near(episode, PoolRow, complaint, variant, POOL_ROWS):
        rows = match.lesson.questions
        questions += [*rows.get(discipline, []), *rows.get("universal", [])]
    return list(dict.fromkeys(questions))
