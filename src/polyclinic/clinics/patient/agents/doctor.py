"""The doctors: triage, the interview, calling in colleagues, the conclusion. They never see the record.

Only after a case is over may a doctor study its record, to note questions for later cases (the question pool).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from polyclinic.clinics.patient.agents.library import ALIKE, POOL_SHOWN, RECOMMENDED, TRIAGES, near, pool, recommended
from polyclinic.clinics.patient.prompts.doctor.colleagues import EarlierTriage, Recruits, Triages
from polyclinic.clinics.patient.prompts.doctor.conclusion import Advises, Concludes, Studies
from polyclinic.clinics.patient.prompts.doctor.interview import (
    AsksQuestion,
    Cheats,
    Consults,
    Soothes,
    TrickSetting,
    Turns,
)
from polyclinic.clinics.patient.prompts.doctor.replies import (
    Colleagues,
    Conclusion,
    speaks_to_patient,
    wants_to_conclude,
)
from polyclinic.clinics.patient.prompts.patient.facts import Player, TalkSoFar
from polyclinic.clinics.patient.prompts.patient.replies import lines_of
from polyclinic.clinics.patient.rules.cheats import CheatKind
from polyclinic.clinics.patient.rules.notes import AskedAlready, Triaged
from polyclinic.clinics.patient.rules.topics import topic_of
from polyclinic.clinics.patient.scenario.disciplines import DISCIPLINES, disciplines
from polyclinic.clinics.patient.scenario.record import Level, Record
from polyclinic.clinics.patient.state import Interview, TalkMemory, TriagedTo
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.agent import Answer
from polyclinic.core.episode import Episode
from polyclinic.core.message import assistant, user
from polyclinic.core.part import WITHOUT_HISTORY

FALLBACK = "Internal Medicine"
MOST_QUESTIONS = 12
TOO_EARLY = "It is too early for that: you have asked too little. Ask the patient one more question."
TO_THE_PATIENT = 'Speak to the patient, with "you": ask one question, or send them for one test by its name.'
ALREADY = 'You have asked this already: "{earlier}" Do not ask it again. Ask about {subject}, in your own words.'
SUBJECTS = {
    "start": "when it began",
    "worse": "what makes it worse",
    "better": "what makes it better",
    "before": "whether it was like this before",
    "others": "what else has changed lately",
    "medicine": "medicines that are taken",
    "illness": "earlier illnesses",
    "family": "illnesses in the family",
    "allergy": "allergies",
    "smoking": "smoking",
    "alcohol": "alcohol",
    "work": "work",
    "sleep": "sleep",
}
"""What any history asks about, by topic, in the usual order: a doctor who repeats a question is told the next one."""


class _KnownToDoctor(TypedDict):
    """What a doctor knows of the patient: the complaint, and the talk so far."""

    discipline: str
    profile: str
    complaint: str
    earlier: str
    heard: str
    memory: TalkSoFar


class Doctors:
    """All doctors of one interview. Each speaks for a discipline; the variant says what they may refer to."""

    def __init__(self, episode: Episode, variant: PatientVariant, interview: Interview, player: Player) -> None:
        self._episode, self._variant, self._interview, self._player = episode, variant, interview, player
        self._doctor = episode.agent("doctor")

    def _profile(self, discipline: str) -> str:
        return disciplines()[discipline].expertise if self._variant.profile else ""

    def _last_answer(self) -> str:
        exchanges = self._interview.exchanges
        return exchanges[-1].answer if exchanges else self._interview.complaint

    def recommended(self) -> dict[str, str]:
        """Next questions from the trajectory library for the patient's last answer, with the entries they come from."""
        found = recommended(self._episode, self._last_answer(), self._variant)
        return {question: found[question] for question in self._interview.fresh(tuple(found), RECOMMENDED)}

    def _pool(self, discipline: str) -> tuple[str, ...]:
        found = pool(self._episode, self._interview.complaint, discipline, self._variant)
        return self._interview.fresh(found, POOL_SHOWN)

    async def triages(self) -> str:
        """The discipline that a complaint is sent to; the prompt shows similar earlier triages."""
        complaint = self._interview.complaint
        found = near(self._episode, TriagedTo, complaint, self._variant, TRIAGES, ALIKE)
        earlier = tuple(EarlierTriage(complaint=match.entry.key, discipline=match.lesson.discipline) for match in found)
        sent = await self._episode.agent("triage").ask(
            Triages(disciplines=DISCIPLINES, complaint=complaint, earlier=earlier)
        )
        known = sent.discipline in DISCIPLINES
        self._episode.note(Triaged(discipline=sent.discipline, reason=sent.reason, known=known, earlier=len(earlier)))
        return sent.discipline if known else FALLBACK

    @property
    def is_person(self) -> bool:
        """Whether a person asks the questions. A person may conclude at any time."""
        return self._doctor.is_person

    def _known(self, discipline: str, talk: TalkMemory) -> _KnownToDoctor:
        return {
            "discipline": discipline,
            "profile": self._profile(discipline),
            "complaint": self._interview.complaint,
            "earlier": talk.earlier,
            "heard": talk.heard,
            "memory": TalkSoFar(summary=talk.summary, recent=talk.turns),
        }

    async def asks(self, turns_left: int, may_conclude: bool) -> tuple[str, dict[str, str]]:
        """The first doctor's next question (empty: the doctor wants to conclude), and the recommended questions.

        Before enough questions were asked, the doctor is not given the choice to conclude. A doctor who concludes
        anyway is asked for a question, and the interview goes on.
        """
        interview, offered, talk = self._interview, self.recommended(), self._interview.told_to("doctor")
        prompt = AsksQuestion(
            **self._known(interview.discipline, talk),
            asked=interview.asked,
            pool=self._pool(interview.discipline),
            recommended=tuple(offered),
            last=turns_left == 1,
            may_conclude=may_conclude,
            turns=Turns(left=turns_left),
            player=self._player,
        )
        reply = await self._doctor.answer(prompt, talk.history)
        if wants_to_conclude(reply.value) and not (may_conclude or self._doctor.is_person):
            again = (assistant(reply.call.text), user(TOO_EARLY))
            reply = await self._doctor.answer(prompt, talk.history, sample=1, after=again)
        else:
            reply = await self._something_new(prompt, reply)
        return "" if wants_to_conclude(reply.value) else reply.value, offered

    async def _something_new(self, prompt: AsksQuestion | Consults, reply: Answer[str]) -> Answer[str]:
        """The reply; or, if a language model repeats a question or asks nothing, its reply to being asked once more.

        After a repeated question the second try comes without the talk before it, so that there is nothing to copy.
        What it says is kept.
        """
        if not self._doctor.is_language_model or wants_to_conclude(reply.value):
            return reply
        earlier = self._interview.repeats(reply.value)
        if not earlier and speaks_to_patient(reply.value):
            return reply
        if not earlier:
            history = self._interview.told_to("doctor").history
            return await self._doctor.answer(prompt, history, sample=WITHOUT_HISTORY, after=(user(TO_THE_PATIENT),))
        self._episode.note(AskedAlready(question=reply.value, earlier=earlier))
        asked = ALREADY.format(earlier=earlier, subject=next_subject(prompt.asked))
        return await self._doctor.answer(prompt, sample=WITHOUT_HISTORY, after=(user(asked),))

    async def consults(
        self, discipline: str, caller: str, reason: str, notes: tuple[str, ...], turns_left: int
    ) -> tuple[str, dict[str, str]]:
        """A colleague's question; empty if there is none.

        `notes` come only from the doctors on the path to this colleague.
        """
        interview, offered, talk = self._interview, self.recommended(), self._interview.told_to("doctor")
        prompt = Consults(
            **self._known(discipline, talk),
            asked=interview.asked,
            pool=self._pool(discipline),
            recommended=tuple(offered),
            last=turns_left == 1,
            called_by=caller,
            reason=reason,
            notes=notes,
            player=self._player,
        )
        reply = await self._something_new(prompt, await self._doctor.answer(prompt, talk.history))
        return "" if wants_to_conclude(reply.value) else reply.value, offered

    async def recruits(self, discipline: str, present: tuple[str, ...]) -> Colleagues:
        """Whom this doctor wants to call in."""
        talk = self._interview.told_to("doctor")
        prompt = Recruits(**self._known(discipline, talk), disciplines=DISCIPLINES, present=present)
        return await self._doctor.ask(prompt, history=talk.history)

    async def cheats(self, trick: CheatKind, tests: tuple[str, ...], exam: bool) -> str:
        """A cheat question, which tests the patient."""
        return await self._episode.agent("cheater").ask(
            Cheats(
                trick=trick.value,
                complaint=self._interview.complaint,
                tests=tests,
                earlier=tuple(self._interview.cheats_used),
                setting=TrickSetting(exam=exam),
                player=self._player,
            )
        )

    async def soothes(self, words: str) -> str:
        """The doctor's immediate answer to a crisis."""
        return await self._doctor.ask(
            Soothes(
                discipline=self._interview.discipline,
                profile=self._profile(self._interview.discipline),
                complaint=self._interview.complaint,
                patient_says=words,
                player=self._player,
            )
        )

    async def concludes(self) -> Conclusion:
        """The diagnosis."""
        interview, talk = self._interview, self._interview.told_to("doctor")
        notes = tuple(interview.notes.values())
        prompt = Concludes(**self._known(interview.discipline, talk), notes=notes, player=self._player)
        return await self._doctor.ask(prompt, history=talk.history)

    async def advises(self) -> str:
        """What the doctor tells the patient at the end: what happens next, in plain words."""
        return await self._doctor.ask(
            Advises(
                discipline=self._interview.discipline,
                profile=self._profile(self._interview.discipline),
                complaint=self._interview.complaint,
                diagnosis=self._interview.diagnosis or "nothing certain yet",
                player=self._player,
            )
        )

    async def studies(self, discipline: str, record: Record) -> list[str]:
        """After the case is over: questions that are worth asking in similar cases."""
        studied = await self._doctor.ask(
            Studies(
                discipline=discipline,
                expertise=disciplines()[discipline].expertise,
                lines=tuple(fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED)),
                tests=tuple(test.name for test in record.investigations),
                player=self._player,
            )
        )
        return list(lines_of(studied)[:MOST_QUESTIONS])


def next_subject(asked: Sequence[str]) -> str:
    """The first usual subject of a history that none of these questions is about."""
    known = {topic_of(question) for question in asked}
    return next((words for topic, words in SUBJECTS.items() if topic not in known), "something else")
