"""The guard: it looks at every message before anybody answers it."""

from __future__ import annotations

import asyncio

from polyclinic.clinics.counsel.agents.memory import Recollection
from polyclinic.clinics.counsel.prompts import (
    GuardChecks,
)
from polyclinic.clinics.counsel.rules.guard import Decision, decide, from_fault, from_screen
from polyclinic.clinics.counsel.rules.lexicon import screen
from polyclinic.clinics.counsel.state import Session
from polyclinic.core.episode import Episode
from polyclinic.core.transcript import Failed
from polyclinic.errors import LimitReached, OwnedError, Owner, UserError


class Guard:
    """Looks at every message before anybody answers it. Its own faults count as danger."""

    def __init__(self, episode: Episode, session: Session, memory: Recollection, timeout_s: float) -> None:
        self._episode, self._agent = episode, episode.agent("guard")
        self._session, self._memory, self._timeout_s = session, memory, timeout_s

    async def check(self, utterance: str) -> Decision:
        """The screen first, because it is quick and cannot fail.

        Then the model, unless the screen has already raised.
        """
        found = screen(utterance)
        quick = from_screen(found)
        if quick.way == "escalate":
            return quick
        prompt = GuardChecks(
            lang=self._session.lang, summary=self._memory.summary, recent=self._memory.recent, utterance=utterance
        )
        try:
            async with asyncio.timeout(self._timeout_s):
                verdict = await self._agent.ask(prompt)
        except (LimitReached, UserError):
            raise
        except TimeoutError:
            return self._fault(
                found_words=utterance, fault=f"the guard did not answer within {self._timeout_s:g} s", owner="model"
            )
        except Exception as error:
            owner = error.owner if isinstance(error, OwnedError) else "engine"
            return self._fault(
                found_words=utterance, fault=f"the guard failed: {type(error).__name__}: {error}", owner=owner
            )
        return decide(found, verdict.label, verdict.reason, verdict.words)

    def _fault(self, found_words: str, fault: str, owner: Owner) -> Decision:
        self._episode.record(Failed(owner=owner, error=fault, where="guard", fatal=False))
        return from_fault(screen(found_words), fault, found_words)
