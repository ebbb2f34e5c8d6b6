"""What judges read out of a transcript: the dialogue as lines, the norms that applied, who was on duty."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.duty.rules.norms.norm import Norm, inventory
from polyclinic.clinics.duty.rules.notes import IdentityShown, NormsShown
from polyclinic.clinics.duty.rules.triggers import SceneLine
from polyclinic.clinics.duty.scenario.schema import ROLES, STAFF, AnyDuty, Role
from polyclinic.core.judge import Case
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Transcript
from polyclinic.eval.view import View


def lines_of(transcript: Transcript) -> tuple[SceneLine, ...]:
    """Everything said aloud."""
    found = []
    for said in transcript.said():
        speaker = next((role for role in ROLES if role == said.speaker), None)
        if speaker is not None:
            found.append(SceneLine(speaker=speaker, text=said.text, to=said.to))
    return tuple(found)


def norms_of(transcript: Transcript) -> tuple[Norm, ...]:
    """The norms that applied in this episode: the clinic's own, or those that the episode noted."""
    noted = transcript.last_note(NormsShown)
    return inventory() if noted is None else noted.norms


def staff_in(lines: tuple[SceneLine, ...]) -> list[Role]:
    """The members of staff who spoke, in a fixed order."""
    return [role for role in STAFF if any(line.speaker == role for line in lines)]


def messages_of(lines: tuple[SceneLine, ...], role: Role) -> tuple[str, ...]:
    """What one role said."""
    return tuple(line.text for line in lines if line.speaker == role)


def identities_of(transcript: Transcript) -> dict[Role, tuple[str, dict[str, float]]]:
    """For each role with traits: the established persona in words and in numbers."""
    return {note.role: (note.persona, note.anchor) for note in transcript.notes(IdentityShown)}


class ShiftHeard(Facts):
    """The shift, what was said on it, and the norms in force. `own` names the norms that an institution wrote itself.
    `role` says whose part is judged; None means everybody's.
    """

    scenario: AnyDuty
    lines: tuple[SceneLine, ...]
    norms: tuple[Norm, ...]
    own: frozenset[str] = frozenset()
    role: Role | None = None


def shift_heard(case: Case[AnyDuty], role: Role | None = None) -> ShiftHeard:
    """The facts of a case for an offline judge."""
    norms = norms_of(case.transcript)
    own = frozenset(norm.id for norm in norms if norm not in inventory()) if norms is not inventory() else frozenset()
    return ShiftHeard(scenario=case.scenario, lines=lines_of(case.transcript), norms=norms, own=own, role=role)


def everybody(case: Case[AnyDuty]) -> View:
    """The view for judges of the team: everything said aloud."""
    return View(case.transcript.dialogue(), shift_heard(case))


def by_role(case: Case[AnyDuty]) -> Mapping[str, View]:
    """The views for judges of roles: the whole dialogue for each member of staff, with the role named at the top."""
    lines = lines_of(case.transcript)
    text = "\n".join(f"{line.speaker} to {line.to}: {line.text}" for line in lines)
    return {role: View(f"The role to judge: {role}\n{text}", shift_heard(case, role)) for role in staff_in(lines)}
