"""People as one of the players: what they do in a session is the reply of the role that they play."""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.core.model import Completion, Model, ModelKind, Request
from polyclinic.core.switchboard import Players
from polyclinic.web.sessions.live import Live


class PeopleModel:
    """The model for the role that people play. Its replies are what they do in a session, in order."""

    kind: ModelKind = "human"

    def __init__(self, role: str, session: Callable[[str], Live]) -> None:
        self.name, self._session = role, session

    async def answer(self, request: Request) -> Completion:
        """Wait for the next thing that happens in this session."""
        live = self._session(request.episode)
        live.wait_for_people()
        return Completion(text=await live.inbox.get())


class ServicePlayers:
    """The cast, with people in one role."""

    def __init__(self, cast: Players, people: PeopleModel) -> None:
        self._cast, self._people = cast, people

    def model(self, role: str) -> Model:
        """Who plays this role."""
        return self._people if role == self._people.name else self._cast.model(role)

    def describe(self) -> dict[str, str]:
        """The model name of each role."""
        return {**self._cast.describe(), self._people.name: self._people.name}
