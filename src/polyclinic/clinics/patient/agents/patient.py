"""The patient: it gets only the facts that the question may bring out, and answers by one of several methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from polyclinic.clinics.patient.agents.answering import Bill, QuestionAtHand, SpokenAnswer, paid
from polyclinic.clinics.patient.agents.library import recall
from polyclinic.clinics.patient.prompts.patient.answers import (
    Aligns,
    AnswersAttended,
    AnswersOverall,
    AnswersStepwise,
    PicksAnswer,
    Thinks,
)
from polyclinic.clinics.patient.prompts.patient.attention import Attends, Merges
from polyclinic.clinics.patient.prompts.patient.complaint import Blurs, Complains, Panics
from polyclinic.clinics.patient.prompts.patient.facts import Player
from polyclinic.clinics.patient.prompts.patient.replies import Thought, lines_of
from polyclinic.clinics.patient.rules.disclosure import brief, nearest
from polyclinic.clinics.patient.rules.meaning import AskedFor
from polyclinic.clinics.patient.rules.notes import ComplaintBlurred
from polyclinic.clinics.patient.rules.requirements import chunks, principles, requirement_lines, written_demonstrations
from polyclinic.clinics.patient.rules.vagueness import arrival_lines, drop_sentences
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.state import Interview
from polyclinic.clinics.patient.variants import Method, PatientVariant
from polyclinic.core.agent import Answer
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message
from polyclinic.core.part import Part, answer_in_part
from polyclinic.core.prompt import Prompt

MOST_LINES = 4
R = TypeVar("R")


class Patient:
    """Plays one scenario's patient, or the parent who speaks for it. It never sees the record as a whole."""

    def __init__(self, episode: Episode, scenario: PatientScenario, learning: bool, player: Player) -> None:
        self._episode, self._scenario, self._learning, self._player = episode, scenario, learning, player
        self._agent, self._attention = episode.agent("patient"), episode.agent("attention")
        self._part = part_of(scenario)
        self._methods: dict[Method, Callable[[Bill, QuestionAtHand], Awaitable[str]]] = {
            "overall": self._overall,
            "cot": self._overall,
            "few_shot": self._overall,
            "cot_sc": self._self_consistent,
            "tot": self._tree_of_thoughts,
            "self_align": self._self_aligned,
            "online": self._from_library,
            "library": self._from_library,
        }

    async def complains(self) -> str:
        """The complaint: without results, with vague times, and with some sentences left out."""
        lines = arrival_lines(self._scenario.record)
        vague = await self._episode.agent("vagueness").ask(Blurs(lines=tuple(lines)))
        kept = drop_sentences(
            [line.strip() for line in vague.splitlines() if line.strip()], self._episode.random("dropout", paired=True)
        )
        self._episode.note(ComplaintBlurred(before=tuple(lines), after=tuple(kept)))
        prompt = Complains(
            person=self._scenario.person, child=self._scenario.child, lines=tuple(kept), player=self._player
        )
        return (await self._in_part(prompt, said="What brings you here?")).value

    async def panics(self, complaint: str) -> str:
        """What the patient says in a crisis in the middle of the interview."""
        prompt = Panics(
            person=self._scenario.person, child=self._scenario.child, complaint=complaint, player=self._player
        )
        return (await self._in_part(prompt)).value

    def considers(self, question: str) -> tuple[str, ...]:
        """The facts that a question may be about, the nearest first."""
        return nearest(self._scenario.record, question, self._similarity)

    async def answers(
        self, question: str, meant: AskedFor, near: Sequence[str], interview: Interview, variant: PatientVariant
    ) -> SpokenAnswer:
        """The answer by the variant's method. Which facts the patient may use is decided here, before a model is asked.

        `meant` is the reader's finding about the question; `near` are the facts that it may be about.
        """
        briefing = brief(self._scenario.record, question, meant, near)
        who, child = self._scenario.person, self._scenario.child
        asked = QuestionAtHand(question, interview, variant, briefing, who, child, self._player)
        bill = Bill()
        text = await self._methods[variant.method](bill, asked)
        relevance = round(float(self._similarity(question, [text])[0]), 4)
        return SpokenAnswer(text, variant.name, briefing, relevance, bill)

    # -- methods -------------------------------------------------------------------------------------------------------
    async def _overall(self, bill: Bill, asked: QuestionAtHand, sample: int = 0, plan: str = "") -> str:
        if asked.variant.method in ("cot", "cot_sc"):
            steps = AnswersStepwise(**asked.common, requirements=requirement_lines())
            return (await self._said(bill, asked, steps, sample, _answer_of)).answer
        prompt = AnswersOverall(
            **asked.common,
            requirements=requirement_lines(),
            demonstrations=written_demonstrations("few_shot") if asked.variant.method == "few_shot" else (),
            plan=plan,
        )
        return await self._said(bill, asked, prompt, sample)

    async def _self_consistent(self, bill: Bill, asked: QuestionAtHand) -> str:
        """Ask for several chains of thought at the same time and pick the most consistent answer."""
        chains = [self._overall(bill, asked, sample=2 * sample) for sample in range(asked.variant.samples)]
        candidates = tuple(await self._episode.together(*chains))
        return candidates[await self._picks(bill, asked, candidates)]

    async def _tree_of_thoughts(self, bill: Bill, asked: QuestionAtHand) -> str:
        """Make plans and answer by the best one; then compare this answer with that of a second plan."""
        prompt = Thinks(**asked.common, requirements=requirement_lines())
        plans = paid(bill, await self._agent.answer(prompt, asked.history), prompt.render()).value.all
        best = await self._picks(bill, asked, plans)
        answers = [await self._overall(bill, asked, plan=plans[best])]
        if len(plans) > 1:
            answers.append(await self._overall(bill, asked, plan=plans[(best + 1) % len(plans)]))
        return answers[await self._picks(bill, asked, tuple(answers))]

    async def _picks(self, bill: Bill, asked: QuestionAtHand, candidates: tuple[str, ...]) -> int:
        prompt = PicksAnswer(
            requirements=requirement_lines(), question=asked.question, candidates=candidates, player=self._player
        )
        number = paid(bill, await self._agent.answer(prompt), prompt.render()).value.number
        return min(number, len(candidates)) - 1

    async def _self_aligned(self, bill: Bill, asked: QuestionAtHand) -> str:
        prompt = Aligns(**asked.common, principles=principles(), demonstrations=written_demonstrations("aligned"))
        return (await self._said(bill, asked, prompt, words=_answer_of)).answer

    async def _from_library(self, bill: Bill, asked: QuestionAtHand) -> str:
        """Answer with what the library offers. If nothing similar is found, use all the requirements.

        While learning, the attention agent picks the requirements.
        """
        found = recall(self._episode, asked.question, asked.variant)
        if self._learning:
            lines = await self._attend(bill, asked.question)
        elif found.empty:
            return await self._overall(bill, asked)
        else:
            lines = found.requirements or requirement_lines()
        bill.requirements, bill.entries = lines, found.entries
        prompt = AnswersAttended(**asked.common, requirements=lines, demonstrations=found.demonstrations)
        return await self._said(bill, asked, prompt)

    async def _attend(self, bill: Bill, question: str) -> tuple[str, ...]:
        """The attention requirements: key lines are picked from each chunk and then merged."""
        picked = await self._episode.together(
            *(self._attention.answer(Attends(chunk=chunk, question=question)) for chunk in chunks(requirement_lines()))
        )
        key_lines = [line for reply in picked for line in lines_of(reply.value)]
        for reply in picked:
            paid(bill, reply, [])
        if not key_lines:
            return ()
        merged = await self._attention.answer(Merges(lines=tuple(key_lines), question=question))
        paid(bill, merged, [])
        return lines_of(merged.value)[:MOST_LINES]

    async def _said(
        self, bill: Bill, asked: QuestionAtHand, prompt: Prompt[R], sample: int = 0, words: Callable[[R], str] = str
    ) -> R:
        """One answer that stays in its role; its cost is added to the bill."""
        reply = await self._in_part(prompt, asked.question, asked.history, sample, words)
        return paid(bill, reply, prompt.render()).value

    async def _in_part(
        self,
        prompt: Prompt[R],
        said: str = "",
        history: Sequence[Message] = (),
        sample: int = 0,
        words: Callable[[R], str] = str,
    ) -> Answer[R]:
        part = replace(self._part, said=said)
        return await answer_in_part(
            self._episode, self._agent, prompt, part, words=words, history=history, sample=sample
        )

    def _similarity(self, text: str, others: Sequence[str]) -> Sequence[float]:
        if not others:
            return []
        vectors = self._episode.services.embedder.embed([text, *others]).astype(np.float64)
        return [float(near) for near in vectors[1:] @ vectors[0]]


def part_of(scenario: PatientScenario) -> Part:
    """The rules of the patient's role. A parent speaks as a parent, not as the child."""
    part = Part(who="the patient", own=("patient",), others=("doctor",), told=requirement_lines())
    if scenario.record.informant == "parent":
        return replace(part, who="the parent of the sick child", own=("patient", "child", "parent"))
    return replace(part, sex=scenario.record.sex)


def _answer_of(thought: Thought) -> str:
    return thought.answer
