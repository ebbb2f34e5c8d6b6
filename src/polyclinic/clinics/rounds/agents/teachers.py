"""The tutor, and the specialist and the supervisor, who check what the tutor says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, assert_never

from polyclinic.clinics.rounds.prompts.cue import Cue
from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.replies import ExpertAnswer
from polyclinic.clinics.rounds.prompts.reviewers import AnswersKnowledge, ChecksFacts, ChecksSafety
from polyclinic.clinics.rounds.prompts.tutor import (
    Objection,
    TutorAsks,
    TutorGuides,
    TutorHelps,
    TutorLectures,
    TutorRevises,
    TutorThinks,
)
from polyclinic.clinics.rounds.rules.thinking import NotAsAsked, read_output, read_thinking
from polyclinic.clinics.rounds.scenario.case import TeachingCase
from polyclinic.clinics.rounds.scenario.shipped import pictures
from polyclinic.clinics.rounds.state import Analysis, Room, RoomLine
from polyclinic.clinics.rounds.variants import RoundsVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen, Image
from polyclinic.core.review import Verdict
from polyclinic.errors import ReplyError, SimulatedUserError


class Draft(Frozen):
    """What the tutor wants to say, and what it thought before saying it."""

    guidance: str
    monologue: str = ""


class _TutorTurn(TypedDict):
    """What every prompt of a Socratic tutor holds."""

    sheet: Sheet
    key: CaseKey
    pictures: tuple[Image, ...]
    history: tuple[RoomLine, ...]
    last: bool
    analyses: tuple[Analysis, ...]
    cue: Cue


class Tutor:
    """Drafts guidance in the manner of its variant, and corrects what reviewers refuse."""

    def __init__(self, episode: Episode, case: TeachingCase, variant: RoundsVariant) -> None:
        self._agent, self._case, self._kind = episode.agent("tutor"), case, variant.tutor
        self._cue = Cue(case=case.id, voice=variant.voice)
        self._speaks_alone = False

    @property
    def thinks(self) -> bool:
        """Whether the tutor must write down its thinking. A person need not."""
        return self._kind == "socratic" and not self._agent.is_person

    def survives(self, error: ReplyError) -> None:
        """Record that the tutor's words stayed unreadable; the round goes on without guidance."""
        self._agent.survives(error, "guidance")

    async def drafts(self, room: Room, analyses: tuple[Analysis, ...], last: bool) -> Draft:
        """A first draft."""
        if self._kind == "socratic":
            return await self._thinks_and_asks(room, analyses, last)
        case, history, images = self._case, room.heard_by_tutor(), pictures(self._case)
        sheet, key, cue = Sheet.from_case(case), CaseKey.from_case(case), self._cue
        if self._kind == "no_thinking":
            return Draft(guidance=await self._asks(room, analyses, last))
        if self._kind == "lecture":
            prompt = TutorLectures(sheet=sheet, key=key, pictures=images, history=history, analyses=analyses, cue=cue)
            return Draft(guidance=await self._agent.ask(prompt))
        if self._kind == "plain":
            plain = TutorHelps(
                sheet=sheet, answer=case.answer_text, pictures=images, history=history, analyses=analyses, cue=cue
            )
            return Draft(guidance=await self._agent.ask(plain))
        if self._kind == "none":
            raise ValueError("the untutored variant has no tutor to draft anything")
        assert_never(self._kind)

    async def _thinks_and_asks(self, room: Room, analyses: tuple[Analysis, ...], last: bool) -> Draft:
        """Thinking, then words. A language model that was not trained to write both at once is asked for one after the
        other. If a reply does not separate the two, the students hear nothing of it. Then the tutor is asked for the
        words alone, and the whole reply is kept as its thinking.
        """
        if self._agent.is_language_model and not self._agent.is_trained:
            return await self._thinks_then_asks(room, analyses, last)
        try:
            written = await self._agent.ask(TutorGuides(**self._turn(room, analyses, last)))
        except ReplyError as error:
            self._agent.survives(error, "thinking")
            return Draft(guidance=await self._asks(room, analyses, last))
        if self._agent.is_person:
            return Draft(guidance=written)
        try:
            read = read_output(written)
        except NotAsAsked:
            return Draft(guidance=await self._asks(room, analyses, last), monologue=written)
        return Draft(guidance=read.guidance, monologue=read.monologue)

    async def _thinks_then_asks(self, room: Room, analyses: tuple[Analysis, ...], last: bool) -> Draft:
        """Asks for the thinking as a small form, then for the words, with the thinking in the prompt. A model that
        could not fill the form in is asked for its words alone for the rest of the session.
        """
        if self._speaks_alone:
            return Draft(guidance=await self._asks(room, analyses, last))
        try:
            thought = await self._agent.ask(TutorThinks(**self._turn(room, analyses, last)))
        except ReplyError as error:
            self._agent.survives(error, "thinking")
            self._speaks_alone = True
            return Draft(guidance=await self._asks(room, analyses, last))
        monologue = thought.written([analysis.student for analysis in analyses])
        lines = tuple(part.text for part in read_thinking(monologue, (), False).parts)
        return Draft(guidance=await self._asks(room, analyses, last, lines), monologue=monologue)

    async def _asks(
        self, room: Room, analyses: tuple[Analysis, ...], last: bool, thoughts: tuple[str, ...] = ()
    ) -> str:
        return await self._agent.ask(TutorAsks(**self._turn(room, analyses, last), thoughts=thoughts))

    def _turn(self, room: Room, analyses: tuple[Analysis, ...], last: bool) -> _TutorTurn:
        return {
            "sheet": Sheet.from_case(self._case),
            "key": CaseKey.from_case(self._case),
            "pictures": pictures(self._case),
            "history": room.heard_by_tutor(),
            "last": last,
            "analyses": analyses,
            "cue": self._cue,
        }

    async def revises(self, draft: Draft, objections: Sequence[Verdict], analyses: tuple[Analysis, ...]) -> Draft:
        """The draft, corrected, with the same aim."""
        words = await self._agent.ask(
            TutorRevises(
                sheet=Sheet.from_case(self._case),
                key=CaseKey.from_case(self._case),
                analyses=analyses,
                previous_guidance=draft.guidance,
                objections=tuple(
                    Objection(reviewer=verdict.reviewer, category=verdict.code, feedback=cut(verdict.feedback, 600))
                    for verdict in objections
                ),
                cue=self._cue,
            )
        )
        return Draft(guidance=words, monologue=draft.monologue)


class Specialist:
    """Has two separate tasks. It checks a draft's facts and knows the case; it answers general questions without the
    case.
    """

    def __init__(self, episode: Episode, case: TeachingCase) -> None:
        self._agent, self._case = episode.agent("specialist"), case

    async def checks(self, draft: Draft) -> Verdict:
        """The fact check."""
        found = await self._agent.ask(
            ChecksFacts(sheet=Sheet.from_case(self._case), key=CaseKey.from_case(self._case), statement=draft.guidance)
        )
        correct = found.verdict == "correct"
        return Verdict(approved=correct, code="" if correct else "fact", feedback="" if correct else found.reason)

    async def answers(self, question: str) -> ExpertAnswer | None:
        """The answer to a general question; None if it stays unreadable."""
        try:
            return await self._agent.ask(AnswersKnowledge(question=cut(question, 400)))
        except (SimulatedUserError, ReplyError) as error:
            self._agent.survives(error, "textbook")
            return None


class Supervisor:
    """Checks a draft's safety and tone. Sees the words only."""

    def __init__(self, episode: Episode) -> None:
        self._agent = episode.agent("supervisor")

    async def checks(self, draft: Draft) -> Verdict:
        """The safety check."""
        found = await self._agent.ask(ChecksSafety(statement=draft.guidance))
        safe = found.issue == "none"
        return Verdict(approved=safe, code="" if safe else found.issue, feedback="" if safe else found.reason)
