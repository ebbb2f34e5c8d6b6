"""The guard: it looks at every message before anybody answers it."""

from __future__ import annotations

import asyncio
from functools import partial

from polyclinic.clinics.counsel.agents.memory import Recollection
from polyclinic.clinics.counsel.prompts.replies import Cue, GuardVerdict
from polyclinic.clinics.counsel.prompts.reviewers import GuardChecks
from polyclinic.clinics.counsel.rules.guard import Decision, at_once, decide, from_fault, settle_doubt, that_count
from polyclinic.clinics.counsel.rules.lexicon import NOTHING_FOUND, Screening, screen
from polyclinic.clinics.counsel.rules.risk import stands
from polyclinic.clinics.counsel.rules.trained import (
    NOTHING_READ,
    OPENING_TURNS,
    GuardReading,
    gravest,
    pieces_to_read,
    read_piece,
)
from polyclinic.clinics.counsel.state import Session
from polyclinic.core.episode import Episode
from polyclinic.core.transcript import FAULT_OWNERS, Failed
from polyclinic.core.turns import parts_in_thread
from polyclinic.errors import LimitReached, OwnedError, Owner, StoreError, UserError


class Guard:
    """Looks at every message before anybody answers it. If the guard itself fails, this counts as danger.

    In live talks the trained guard reads every message too. In simulated talks the trained guard is only the guard's
    understudy. So a run measures the model that plays the guard, together with the screen, as in the paper.
    """

    def __init__(self, episode: Episode, session: Session, memory: Recollection, timeout_s: float, live: bool) -> None:
        self._live = live
        self._episode, self._agent = episode, episode.agent("guard")
        self._session, self._memory, self._timeout_s = session, memory, timeout_s

    async def check(self, utterance: str) -> Decision:
        """Ask the screen and the trained guard first, because they are quick and always available.

        Then ask the model, unless they have already raised an alarm.
        """
        found = NOTHING_FOUND
        try:
            found = screen(utterance)
            reading = await self._read(utterance) if self._live else NOTHING_READ
            found = that_count(found, reading)
            quick = at_once(found, reading)
            if quick is not None:
                return quick
            verdict = await self._ask(utterance)
            if self._agent.is_language_model and not _shown(verdict, utterance):
                verdict = await self._ask(utterance, unshown=verdict.label)
        except (LimitReached, StoreError):
            raise
        except UserError as error:
            if not self._live:
                raise  # a missing API key stops an experiment; in a live talk, people are called
            return self._fault(found, f"the guard cannot be asked: {error}", "model", utterance)
        except TimeoutError:
            return self._fault(found, f"the guard did not answer within {self._timeout_s:g} s", "model", utterance)
        except Exception as error:
            owner = error.owner if isinstance(error, OwnedError) else "engine"
            return self._fault(found, f"the guard failed: {type(error).__name__}: {error}", owner, utterance)
        decision = decide(found, verdict.label, verdict.reason, verdict.words)
        return settle_doubt(decision, reading, self._agent.is_language_model)

    async def _read(self, utterance: str) -> GuardReading:
        """The trained guard's reading, piece by piece: people with short messages do not wait for a long one."""
        pieces = pieces_to_read(utterance)
        return gravest(await parts_in_thread([partial(read_piece, piece, self._opening) for piece in pieces]))

    @property
    def _opening(self) -> bool:
        """Whether the message is among the person's first words."""
        return self._session.turn <= OPENING_TURNS

    async def _ask(self, utterance: str, unshown: str = "") -> GuardVerdict:
        prompt = GuardChecks(
            lang=self._session.lang,
            summary=self._memory.summary,
            recent=self._memory.recent,
            utterance=utterance,
            unshown=unshown,
            cue=Cue(opening=self._opening),
        )
        async with asyncio.timeout(self._timeout_s):
            return await self._agent.ask(prompt)

    def _fault(self, found: Screening, fault: str, owner: Owner, utterance: str) -> Decision:
        """Nobody has judged the message: a person must. In a live talk this is a fault of the service, also if the
        guard answered but its verdict cannot be read.
        """
        if self._live and owner not in FAULT_OWNERS:
            owner = "model"
        self._episode.record(Failed(owner=owner, error=fault, where="guard", fatal=False))
        return from_fault(found, fault, utterance)


def _shown(verdict: GuardVerdict, utterance: str) -> bool:
    """Whether the message contains the words that a label of danger is based on. A small model often names a danger and
    quotes nothing, or quotes its own example. It is then asked again, and its second answer counts.
    """
    return verdict.label == "acceptance" or stands(verdict.words, utterance)
