"""The critic: the reader reads a draft, then the critic judges it."""

from __future__ import annotations

from polyclinic.clinics.counsel.agents.counsellor import shown
from polyclinic.clinics.counsel.agents.memory import LINE_CHARS
from polyclinic.clinics.counsel.prompts.replies import NONE
from polyclinic.clinics.counsel.prompts.reviewers import CriticJudges
from polyclinic.clinics.counsel.readings import SUPPORTED
from polyclinic.clinics.counsel.rules.courtesy import greets_and_asks, only_courtesy
from polyclinic.clinics.counsel.rules.notes import ObjectionDropped
from polyclinic.clinics.counsel.rules.objections import confirmed, objected, void
from polyclinic.clinics.counsel.rules.own_words import beyond_own_words
from polyclinic.clinics.counsel.rules.risk import RISKS, Draft, RiskFault, read_answer, read_draft
from polyclinic.clinics.counsel.state import Session
from polyclinic.clinics.counsel.tools import Source
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut


class Critic:
    """Judges a draft before the patient hears it: the reader reads it, then the critic gives a verdict."""

    def __init__(self, episode: Episode, session: Session) -> None:
        self._episode, self._agent, self._session = episode, episode.agent("critic"), session

    async def read(self, utterance: str, draft: str) -> Draft:
        """What the draft means: slips, claims, and whether a feeling is answered. It takes one call, or none if the
        draft is only a courtesy, and another if the draft holds an offer and something was found.

        A fact that was found in a greeting does not count if the rest of the draft only asks questions. Set phrases
        about the counsellor itself, and the person's words said back, are not read. An offer of company is neither a
        slip nor a fact.
        """
        draft = beyond_own_words(draft, utterance)
        if not draft or only_courtesy(draft):
            return Draft()
        found = read_draft(draft, await read_answer(self._episode.reads, draft, utterance))
        if only_courtesy(found.claim) and greets_and_asks(draft):
            return found.model_copy(update={"claim": ""})
        return found

    async def borne_out(self, draft: str, cited: str, sources: list[Source]) -> bool:
        """Whether the cited source says what the draft says. Only a clear no counts against the draft."""
        named = next((source for source in sources if source.id == cited), None)
        if named is None:
            return False
        (found,) = await self._episode.reads(draft, [SUPPORTED.ask(source=named.text)])
        return found.says != "no"

    async def judge(self, utterance: str, asked: str, text: str, found: Draft, sources: list[Source]) -> RiskFault:
        """The critic's verdict. An objection that the critic's own instructions rule out is dropped. An objection that
        nothing else confirms leads to another draft and is marked as `doubted`; alone it does not stop the answer.
        """
        verdict = await self._agent.ask(
            CriticJudges(
                lang=self._session.lang,
                sources=shown(sources),
                asked=cut(asked, LINE_CHARS),
                utterance=utterance,
                draft=text,
            )
        )
        if verdict.fault == NONE:
            return RiskFault(risk=0)
        objection = RiskFault(
            risk=RISKS[verdict.fault], words=verdict.words, feedback=verdict.feedback or verdict.reason
        )
        if self._agent.is_person:
            return objection
        why = void(verdict.fault, verdict.words, text, found)
        if why:
            self._episode.note(
                ObjectionDropped(
                    turn=self._session.turn,
                    fault=verdict.fault,
                    words=verdict.words,
                    reason=verdict.reason,
                    why=why,
                )
            )
            return RiskFault(risk=0)
        if verdict.fault == "feelings" and not found.feeling:
            return objection
        looked_at = await self.read(utterance, objected(verdict.words, text))
        return objection.model_copy(update={"doubted": not confirmed(verdict.fault, looked_at)})
