"""The doctors: triage, the interview, calling in colleagues, the conclusion. They never see the record.

Only after a case is over may a doctor study its record, to note questions for later cases (the question pool).
"""

from __future__ import annotations

from polyclinic.clinics.patient.agents.library import (
    ALIKE,
    POOL_SHOWN,
    RECOMMENDED,
    TRIAGES,
    near,
    pool,
    recommended,
)
from polyclinic.clinics.patient.prompts.doctor import (
    Advises,
    AsksQuestion,
    Called,
    Cheats,
    Concludes,
    Conclusion,
    Consults,
    DoctorSays,
    EarlierTriage,
    Recruits,
    Soothes,
    Studies,
    Triages,
)
from polyclinic.clinics.patient.rules.notes import Triaged
from polyclinic.clinics.patient.rules.questions import Kind
from polyclinic.clinics.patient.scenario.disciplines import DISCIPLINES, disciplines
from polyclinic.clinics.patient.scenario.record import Level, Record
from polyclinic.clinics.patient.state import Interview, TriagedTo
from polyclinic.clinics.patient.variants import PatientVariant
from polyclinic.core.episode import Episode

FALLBACK = "Internal Medicine"


class Doctors:
    """All doctors of one interview. Each speaks for a discipline; the variant says what they may refer to."""

    def __init__(self, episode: Episode, variant: PatientVariant, interview: Interview) -> None:
        self._episode, self._variant, self._interview = episode, variant, interview
        self._doctor = episode.agent("doctor")

    def _profile(self, discipline: str) -> str:
        return disciplines()[discipline].expertise if self._variant.profile else ""

    def _last_answer(self) -> str:
        exchanges = self._interview.exchanges
        return exchanges[-1].answer if exchanges else self._interview.complaint

    def recommended(self) -> dict[str, str]:
        """Next questions from the trajectory library for the answer just heard, with the entries they come from."""
        found = recommended(self._episode, self._last_answer(), self._variant)
        return {question: found[question] for question in self._interview.fresh(tuple(found), RECOMMENDED)}

    def _pool(self, discipline: str) -> tuple[str, ...]:
        found = pool(self._episode, self._interview.complaint, discipline, self._variant)
        return self._interview.fresh(found, POOL_SHOWN)

    async def triages(self) -> str:
        """The discipline a complaint is sent to, with similar earlier triages for reference."""
        complaint = self._interview.complaint
        found = near(self._episode, TriagedTo, complaint, self._variant, TRIAGES, ALIKE)
        earlier = tuple(EarlierTriage(complaint=match.entry.key, discipline=match.lesson.discipline) for match in found)
        sent = await self._episode.agent("triage").ask(
            Triages(disciplines=DISCIPLINES, complaint=complaint, earlier=earlier)
        )
        known = sent.discipline in DISCIPLINES
        self._episode.note(Triaged(discipline=sent.discipline, reason=sent.reason, known=known, earlier=len(earlier)))
        return sent.discipline if known else FALLBACK

    async def asks(self, turns_left: int) -> tuple[DoctorSays, dict[str, str]]:
        """The first doctor's next question (or the wish to conclude), and what was recommended to ask."""
        interview, offered = self._interview, self.recommended()
        says = await self._doctor.ask(
            AsksQuestion(
                discipline=interview.discipline,
                profile=self._profile(interview.discipline),
                complaint=interview.complaint,
                summary=interview.memory.summary,
                recent=interview.recent,
                asked=interview.asked,
                pool=self._pool(interview.discipline),
                recommended=tuple(offered),
                turns_left=turns_left,
            )
        )
        return says, offered

    async def consults(
        self, discipline: str, caller: str, reason: str, notes: tuple[str, ...], turns_left: int
    ) -> tuple[DoctorSays, dict[str, str]]:
        """A colleague's question. `notes` come only from those through whom the colleague was called in."""
        interview, offered = self._interview, self.recommended()
        says = await self._doctor.ask(
            Consults(
                discipline=discipline,
                profile=self._profile(discipline),
                complaint=interview.complaint,
                summary=interview.memory.summary,
                recent=interview.recent,
                asked=interview.asked,
                pool=self._pool(discipline),
                recommended=tuple(offered),
                turns_left=turns_left,
                called_by=caller,
                reason=reason,
                notes=notes,
            )
        )
        return says, offered

    async def recruits(self, discipline: str, present: tuple[str, ...]) -> Called:
        """Whom this doctor wants to call in."""
        interview = self._interview
        return await self._doctor.ask(
            Recruits(
                discipline=discipline,
                profile=self._profile(discipline),
                disciplines=DISCIPLINES,
                present=present,
                complaint=interview.complaint,
                summary=interview.memory.summary,
                recent=interview.recent,
            )
        )

    async def cheats(self, trick: Kind, tests: tuple[str, ...], exam: bool) -> str:
        """A question that tries the patient."""
        return await self._episode.agent("cheater").ask(
            Cheats(
                trick=trick.value,
                exam=exam,
                complaint=self._interview.complaint,
                tests=tests,
                earlier=tuple(self._interview.cheats_used),
            )
        )

    async def soothes(self, words: str) -> str:
        """An answer to a crisis, at once."""
        return await self._doctor.ask(
            Soothes(discipline=self._interview.discipline, complaint=self._interview.complaint, patient_says=words)
        )

    async def concludes(self) -> Conclusion:
        """The diagnosis."""
        interview = self._interview
        return await self._doctor.ask(
            Concludes(
                discipline=interview.discipline,
                profile=self._profile(interview.discipline),
                complaint=interview.complaint,
                summary=interview.memory.summary,
                recent=interview.recent,
                notes=tuple(interview.notes.values()),
            )
        )

    async def advises(self) -> str:
        """What happens next, in plain words."""
        return await self._doctor.ask(
            Advises(
                discipline=self._interview.discipline,
                complaint=self._interview.complaint,
                diagnosis=self._interview.diagnosis or "nothing certain yet",
            )
        )

    async def studies(self, discipline: str, record: Record) -> list[str]:
        """Questions worth asking in cases like this one, now that it is over."""
        studied = await self._doctor.ask(
            Studies(
                discipline=discipline,
                expertise=disciplines()[discipline].expertise,
                lines=tuple(fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED)),
                tests=tuple(test.name for test in record.investigations),
            )
        )
        return list(studied.questions)
