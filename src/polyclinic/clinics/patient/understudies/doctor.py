"""The doctors by rule. Without help they ask standard questions, often about things that no record holds.

With a profile they ask from their field. With a pool they ask what mattered in similar cases. With trajectories they
ask what good doctors asked next.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from polyclinic.clinics.patient.prompts.doctor.colleagues import Recruits, Triages
from polyclinic.clinics.patient.prompts.doctor.conclusion import Advises, Concludes, Studies
from polyclinic.clinics.patient.prompts.doctor.interview import AsksQuestion, Cheats, Consults, Soothes
from polyclinic.clinics.patient.prompts.doctor.replies import CONCLUDES, NOBODY, Colleagues, Conclusion, Sent
from polyclinic.clinics.patient.prompts.patient.facts import TalkSoFar
from polyclinic.clinics.patient.rules.cheats import CheatKind, word_cheat
from polyclinic.clinics.patient.scenario.disciplines import disciplines
from polyclinic.clinics.patient.scenario.narrative import nearest_discipline
from polyclinic.clinics.patient.scenario.shipped import diseases
from polyclinic.clinics.patient.understudies.hunches import suspects
from polyclinic.clinics.patient.understudies.voice import voice
from polyclinic.core.understudy import Ask, Understudy, answers

SURE = 4
ALIKE = 0.4
NO_SIGN = "nothing certain"


class DoctorUnderstudy(Understudy):
    """Plays every doctor, each from what is in the prompt."""

    @answers(Triages)
    def triages(self, ask: Ask[Triages]) -> Sent:
        """The discipline of similar complaints; if there are none, the one that the words of the complaint point to."""
        earlier = [triage.discipline for triage in ask.prompt.earlier]
        signs = nearest_discipline(ask.prompt.complaint)
        votes = Counter([signs, *earlier])
        chosen = max(votes, key=lambda name: (votes[name], name == signs, name))
        return Sent(reason=f"{votes[chosen]} of {votes.total()} signs and similar complaints", discipline=chosen)

    @answers(AsksQuestion)
    def asks(self, ask: Ask[AsksQuestion]) -> str:
        """The next question; or the conclusion, if the diagnosis is clear and trajectories were used."""
        prompt = ask.prompt
        heard = _heard(prompt.complaint, prompt.memory)
        ranked = suspects(heard)
        sure = len(ranked) > 0 and ranked[0][1] >= SURE and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
        if sure and prompt.may_conclude and prompt.recommended and prompt.turns.left <= 3:
            return CONCLUDES
        return _next(ask, prompt)

    @answers(Consults)
    def consults(self, ask: Ask[Consults]) -> str:
        """A colleague's question from their own field, or none."""
        return _next(ask, ask.prompt)

    @answers(Recruits)
    def recruits(self, ask: Ask[Recruits]) -> Colleagues:
        """The colleagues who usually treat the disease that the case looks like."""
        prompt = ask.prompt
        ranked = suspects(_heard(prompt.complaint, prompt.memory))
        wanted = [
            name
            for disease, _ in ranked[:2]
            for name in (disease.discipline, *disease.consult)
            if name != prompt.discipline
        ]
        chosen = list(dict.fromkeys(wanted))[:2]
        if not chosen or (len(prompt.present) > 1 and not ask.chance("recruit further", 0.7)):
            return Colleagues(reason="this is within my field", first=NOBODY, second=NOBODY)
        first, second = [*chosen, NOBODY][:2]
        return Colleagues(reason=f"this may be beyond {prompt.discipline}", first=first, second=second)

    @answers(Soothes)
    def soothes(self, ask: Ask[Soothes]) -> str:
        """Answers a crisis: takes it seriously, acts, and goes on."""
        return voice(ask.prompt.player.voice).soothe

    @answers(Concludes)
    def concludes(self, ask: Ask[Concludes]) -> Conclusion:
        """Concludes with the disease that has the most clues in what the patient said."""
        prompt = ask.prompt
        if ask.mistake("blind"):
            return Conclusion(reasoning="It always is.", diagnosis="a common cold")
        ranked = suspects(_heard(prompt.complaint, prompt.memory, *prompt.notes))
        if not ranked:
            return Conclusion(reasoning="Too little was learned.", diagnosis=NO_SIGN)
        disease, hits = ranked[0]
        return Conclusion(reasoning=voice(prompt.player.voice).reasoning.format(hits=hits), diagnosis=disease.name)

    @answers(Advises)
    def advises(self, ask: Ask[Advises]) -> str:
        """Tells the patient what happens next."""
        return voice(ask.prompt.player.voice).advise

    @answers(Studies)
    def studies(self, ask: Ask[Studies]) -> str:
        """Questions for the pool: the tests that were done, and the field's questions that the record can answer."""
        prompt = ask.prompt
        own = [
            question
            for question in disciplines()[prompt.discipline].questions
            if any(ask.likeness(question, line) >= ALIKE for line in prompt.lines)
        ]
        tests = [voice(prompt.player.voice).test.format(test=test) for test in prompt.tests]
        return "\n".join([*own[:5], *tests][:12]) or NOBODY


class CheaterUnderstudy(Understudy):
    """Asks the kind of cheat question that its prompt names."""

    @answers(Cheats)
    def cheats(self, ask: Ask[Cheats]) -> str:
        """One wording with the case's own tests, and a disease guessed from the complaint."""
        prompt = ask.prompt
        ranked = suspects(prompt.complaint)
        guess = ranked[0][0].name if ranked else ask.random.choice([disease.name for disease in diseases()])
        for _ in range(6):
            question = word_cheat(
                CheatKind(prompt.trick),
                ask.random,
                exam=prompt.setting.exam,
                second=prompt.player.voice == "second",
                tests=prompt.tests,
                disease=guess,
            )
            if question not in prompt.earlier:
                return question
        return question


def _heard(complaint: str, memory: TalkSoFar, *more: str) -> str:
    said = [turn.text for turn in memory.recent if turn.speaker == "patient"]
    return " ".join([complaint, memory.summary, *said, *more])


def _next(ask: Ask[AsksQuestion] | Ask[Consults], prompt: AsksQuestion | Consults) -> str:
    """The next question. The sources are tried best first, each with a certain chance; no question is asked twice."""
    if ask.mistake("vague_questions"):
        return "How do you feel?"
    if ask.mistake("tests_everything"):
        return "Please have a ceruloplasmin."
    sources: list[tuple[str, float, Sequence[str]]] = [
        ("recommended", 0.7, prompt.recommended),
        ("pool", 0.7, prompt.pool),
        ("profile", 0.85, disciplines()[prompt.discipline].questions if prompt.profile else ()),
        ("common", 0.45, voice(prompt.player.voice).common),
    ]
    said = " ".join(turn.text for turn in prompt.memory.recent)
    for name, likelihood, questions in sources:
        left = [question for question in questions if question not in prompt.asked and question not in said]
        if left and ask.chance(name, likelihood):
            return left[0] if name != "common" else ask.random.choice(left)
    return _blind(voice(prompt.player.voice).blind, prompt.asked, ask.random)


def _blind(spots: Sequence[str], asked: Sequence[str], random: random.Random) -> str:
    left = [question for question in spots if question not in asked]
    return random.choice(left or list(spots))
