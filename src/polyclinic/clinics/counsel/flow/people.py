"""What goes to people: crises, flags of the guard, and drafts to review. Each is committed when its call returns."""

from __future__ import annotations

from polyclinic.clinics.counsel.agents import Recollection
from polyclinic.clinics.counsel.rules.guard import FLAG_QUEUE, QUEUE, REVIEW_QUEUE, Decision
from polyclinic.clinics.counsel.rules.notes import Flagged, ForPerson, ForReview, HandedOver
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import Session
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.episode import Episode


class People:
    """The queues of one conversation."""

    def __init__(self, episode: Episode[Talk, CounselVariant], session: Session, memory: Recollection) -> None:
        self._episode, self._session, self._memory = episode, session, memory

    def decided_before(self) -> Decision | None:
        """The decision with which this turn was handed over before the session was resumed."""
        earlier = self._episode.posted(QUEUE, self._turn_key, ForPerson)
        return earlier.decision if earlier is not None else None

    async def call(
        self, utterance: str, reason: str, words: str, *, decision: Decision | None = None, by: str | None = None
    ) -> None:
        """Ask a person to take the conversation."""
        where = vars(self._where(utterance))
        message = ForPerson(**where, decision=decision, reason=reason, words=words, by=by)
        await self._episode.post(QUEUE, self._turn_key, message)

    async def flag(self, utterance: str, decision: Decision) -> None:
        """Show people a turn about which the guard has a doubt."""
        where, words = vars(self._where(utterance)), decision.words or utterance
        await self._episode.post(FLAG_QUEUE, self._turn_key, Flagged(**where, reason=decision.reason, words=words))

    async def review(self, utterance: str, reason: str, risk: int, words: str) -> None:
        """Show people a draft that was not acceptable."""
        review = ForReview(**vars(self._where(utterance)), reason=reason, risk=risk, words=words)
        await self._episode.post(REVIEW_QUEUE, self._turn_key, review)

    @property
    def _turn_key(self) -> str:
        """The name of this turn in the queues."""
        return f"turn-{self._session.turn:04d}"

    def _where(self, utterance: str) -> HandedOver:
        """What people are told about the conversation: the person, language, turn, stage and latest words."""
        session = self._session
        return HandedOver(
            patient=self._episode.scenario.persona.id,
            lang=session.lang,
            turn=session.turn,
            stage=session.stage,
            utterance=utterance,
            recent=tuple(self._memory.recent),
        )
