"""Which manners a message shows, as the reader finds them: one call for each message, all dimensions at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.clinics.duty.readings import TRAIT
from polyclinic.core.reading import Reads
from polyclinic.people.traits import COMMUNICATORS, Dimension, degree, dimensions


def listened_to(role: str) -> tuple[Dimension, ...]:
    """The dimensions of a role; none for a role without traits."""
    communicator = next((known for known in COMMUNICATORS if known == role), None)
    return () if communicator is None else dimensions(communicator)


async def shown(reads: Reads, role: str, message: str) -> frozenset[str]:
    """The dimensions whose high end this message clearly shows."""
    scale = listened_to(role)
    if not scale:
        return frozenset()
    findings = await reads(message, [TRAIT.ask(role=role, about=d.about, high=d.high) for d in scale])
    return frozenset(d.id for d, finding in zip(scale, findings, strict=True) if finding.yes)


async def shares(reads: Reads, role: str, messages: Sequence[str]) -> dict[str, float]:
    """For each dimension the share of messages that show it."""
    found = [await shown(reads, role, message) for message in messages]
    return {d.id: sum(d.id in one for one in found) / len(found) for d in listened_to(role)} if found else {}


async def alignment(reads: Reads, role: str, text: str, target: Mapping[str, float]) -> float:
    """How well one message agrees with the target traits: the mean target of the traits it shows; 0.5 if none."""
    found = [target[name] for name in sorted(await shown(reads, role, text)) if name in target]
    return sum(found) / len(found) if found else 0.5


def persona_heard(role: str, heard: Mapping[str, float]) -> str:
    """The manners that the person's messages showed, worded as a persona."""
    lines = [f"- {d.about}: {degree(heard[d.id])}" for d in listened_to(role) if d.id in heard]
    return f"A {role} who\n" + "\n".join(lines)
