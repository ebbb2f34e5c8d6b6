"""Facts from earlier sessions of a person, for the person's next session."""

from __future__ import annotations

import logging
from collections import OrderedDict

from polyclinic.core.clinic import Clinic
from polyclinic.core.live import LiveService
from polyclinic.core.transcript import Transcript
from polyclinic.errors import DataError
from polyclinic.runner.registry import read_scenarios
from polyclinic.store.runs import Runs

_LOG = logging.getLogger(__name__)
MOST_PEOPLE = 256


def person_tag(person: str) -> str:
    """The tag that names the person in a stored session."""
    return f"patient:{person}"


class KnownPeople:
    """The facts of the most recent people are in memory; those of all others are in the store."""

    def __init__(self, runs: Runs, run: str, clinic: Clinic, room: LiveService) -> None:
        self._runs, self._run, self._clinic, self._room = runs, run, clinic, room
        self._facts: OrderedDict[str, dict[str, str]] = OrderedDict()

    def learn(self, person: str, transcript: Transcript) -> None:
        """Keep the facts of this person's session, which has ended."""
        if person:
            self._keep(person, self._room.remember(transcript))

    async def facts(self, person: str) -> dict[str, str]:
        """What is known of a person: from memory, or else from their newest session in the store."""
        if not person:
            return {}
        if person not in self._facts:
            try:
                self._keep(person, await self._stored(person))
            except DataError:
                _LOG.exception("the facts of earlier sessions cannot be read: this session starts without them")
                return {}
        return self._facts[person]

    async def _stored(self, person: str) -> dict[str, str]:
        bodies = await self._runs.scenarios(self._run, containing=person_tag(person))
        theirs = {id for id, made in read_scenarios(self._clinic, bodies).items() if person_tag(person) in made.tags}
        rows = await self._runs.episodes(self._run, 0, self._clinic.name)
        done = [row.spec.id for row in rows if row.status == "done" and row.spec.scenario in theirs]
        return self._room.remember(await self._runs.transcript(self._run, done[-1])) if done else {}

    def _keep(self, person: str, facts: dict[str, str]) -> None:
        self._facts[person] = facts
        self._facts.move_to_end(person)
        while len(self._facts) > MOST_PEOPLE:
            self._facts.popitem(last=False)
