"""Callers who speak about other people's appointments as if they were their own, to test whether the desk lets them."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.scenario.schema import Contact, ContactKind
from polyclinic.core.seed import stream


def with_imposters(contacts: Sequence[Contact], count: int, seed: int) -> list[Contact]:
    """One hospital's contacts with `count` calls of imposters among them, each right after the victim's own call.

    An imposter is a patient of the same hospital, who may have an appointment of their own. The imposter gives the
    victim's name, physician and date. Half of the imposters want to cancel, half to move.
    """
    draw = stream("frontdesk", "imposters", seed, contacts[0].campaign)
    visits = [contact for contact in contacts if contact.kind == "visit" and not contact.caller.emergency]
    calls: list[tuple[int, int, Contact]] = []
    for number in range(count):
        victim, caller = draw.sample(visits, 2)
        kind: ContactKind = "cancel" if number % 2 else "move"
        call = Contact(
            id=f"{victim.campaign}-imposter-{number:04d}",
            tags=(victim.level, "imposter"),
            campaign=victim.campaign,
            wave=victim.wave,
            kind=kind,
            level=victim.level,
            minute=victim.minute,
            at=victim.at,
            patient=caller.caller,
            after=victim.id,
            departments=victim.departments,
            claims=victim.caller,
        )
        calls.append((victim.minute, number, call))
    opening, closing = contacts[0], contacts[-1]
    honest = [(contact.minute, -1, contact) for contact in contacts[1:-1]]
    ordered = sorted([*honest, *calls], key=lambda entry: (entry[0], entry[1], entry[2].id))
    return [opening, *(contact for _, _, contact in ordered), closing]
