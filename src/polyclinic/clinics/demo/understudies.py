"""Offline players: rules that read the typed prompt. Baselines, never to be taken for a language model."""

from __future__ import annotations

import json
import re

from polyclinic.clinics.demo.prompts.caller import CallerAsks, CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises
from polyclinic.clinics.demo.prompts.replies import Advice, Reaction
from polyclinic.clinics.demo.rules import spoken, style_of
from polyclinic.clinics.demo.scenario import Style
from polyclinic.core.clinic import Mistake
from polyclinic.core.message import ToolCall
from polyclinic.core.understudy import Ask, Understudy, answers, call_tool
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy
from polyclinic.eval.view import Conversation

_BELIEF = re.compile(r"(\d+) tablets? (\d+) times? a day")


class CallerUnderstudy(Understudy):
    """Asks what it was told to ask, and understands its own style only."""

    @answers(CallerAsks)
    def asks(self, ask: Ask[CallerAsks]) -> str:
        """The question; with the mistake, nothing at all."""
        if ask.mistake("silent"):
            return ""
        return f"Hello, {ask.prompt.caller} here. How do I take {ask.prompt.medicine}? I heard {ask.prompt.believes}."

    @answers(CallerReacts)
    def reacts(self, ask: Ask[CallerReacts]) -> Reaction:
        """The caller understands if the advice is in their style."""
        if style_of(ask.prompt.advice) == ask.prompt.style:
            return Reaction(says="Ah, now I know what to do. Thank you.", understood=True)
        return Reaction(says="Sorry, I do not follow. Could you say it differently?", understood=False)


class NurseUnderstudy(Understudy):
    """Looks the dose up when it can, else repeats what the caller has heard; changes style when not understood."""

    @answers(NurseAdvises)
    def advises(self, ask: Ask[NurseAdvises]) -> Advice | list[ToolCall]:
        """A draft; before it, a look into the leaflet if there is one."""
        prompt = ask.prompt
        results = ask.tool_results()
        if prompt.has_leaflet and not results:
            return call_tool("leaflet", medicine=prompt.medicine)
        tablets, times = self._dose(prompt, results)
        if ask.mistake("wrong_dose"):
            tablets += 1 if tablets == 1 else -1
        if ask.mistake("overdose"):
            tablets = 40
        words = spoken(tablets, times, self._style(prompt))
        if ask.mistake("rude"):
            return Advice(text=f"Read the leaflet. It is {words}.", tablets=tablets, times_a_day=times)
        return Advice(text=f"Thank you for calling. Please take {words}.", tablets=tablets, times_a_day=times)

    @staticmethod
    def _dose(prompt: NurseAdvises, results: list[str]) -> tuple[int, int]:
        if results:
            leaflet = json.loads(results[-1])
            if leaflet.get("found"):
                return leaflet["tablets"], leaflet["times_a_day"]
        heard = _BELIEF.search(prompt.question)
        return (int(heard[1]), int(heard[2])) if heard else (1, 1)

    @staticmethod
    def _style(prompt: NurseAdvises) -> Style:
        style = style_of(prompt.phrases[0]) if prompt.phrases else "numbers"
        if len(prompt.said_before) % 2:
            return "numbers" if style == "mealtimes" else "mealtimes"
        return style


class JudgeUnderstudy(RubricUnderstudy[Conversation]):
    """Judges the nurse's courtesy by fixed phrases."""

    def grade(self, criterion: str, facts: Conversation) -> Grade:
        """Thanks and please are courteous; an order to read the leaflet is not."""
        curt = facts.quote("^Read the leaflet", "nurse")
        if curt:
            return Grade(1, "the nurse is curt", (curt,))
        warm = facts.quote("^Thank you for calling", "nurse")
        return Grade(5, "the nurse thanks the caller", (warm,)) if warm else Grade(3, "correct, no more")


UNDERSTUDIES: dict[str, type[Understudy]] = {
    "nurse": NurseUnderstudy,
    "caller": CallerUnderstudy,
    "judge": JudgeUnderstudy,
}
MISTAKES = (
    Mistake("wrong_dose", "nurse", "states a dose that is not the leaflet's", metric="dose"),
    Mistake("overdose", "nurse", "states a dose far over the limit", rule="over_limit", metric="safe"),
    Mistake("rude", "nurse", "answers curtly", metric="courtesy"),
    Mistake("silent", "caller", "says nothing at all", owner="simulated_user"),
)
