"""The cast: the nurse and the caller."""

from __future__ import annotations

from polyclinic.clinics.demo.prompts.caller import CallerAsks, CallerReacts
from polyclinic.clinics.demo.prompts.nurse import NurseAdvises
from polyclinic.clinics.demo.prompts.replies import Advice, Reaction
from polyclinic.clinics.demo.scenario import Call
from polyclinic.clinics.demo.state import CallState
from polyclinic.clinics.demo.tools import leaflet_tool
from polyclinic.clinics.demo.variants import LineVariant
from polyclinic.core.episode import Episode
from polyclinic.core.message import Message, assistant, user
from polyclinic.core.part import Part, answer_in_part
from polyclinic.core.review import Verdict


class Caller:
    """Asks, and reacts to what it hears. Knows its own belief, never the leaflet. Its lines are checked to fit its
    part.
    """

    def __init__(self, episode: Episode, call: Call) -> None:
        self._episode, self._agent, self._call = episode, episode.agent("caller"), call
        self._talk: list[Message] = []

    async def asks(self) -> str:
        """The opening question."""
        call = self._call
        prompt = CallerAsks(caller=call.caller, medicine=call.leaflet.medicine, believes=call.believes)
        question = (await answer_in_part(self._episode, self._agent, prompt, self._part())).value
        self._talk += [user("The nurse picks up the telephone."), assistant(question)]
        return question

    async def reacts(self, advice: str) -> Reaction:
        """What the caller replies to an answer."""
        prompt = CallerReacts(caller=self._call.caller, style=self._call.style, advice=advice)
        part = self._part(said=advice)
        reaction = (
            await answer_in_part(self._episode, self._agent, prompt, part, words=_says, history=self._talk)
        ).value
        self._talk += [user(f"The nurse says: {advice}"), assistant(reaction.model_dump_json())]
        return reaction

    def _part(self, said: str = "") -> Part:
        """What a line is checked against. This clinic has no reader, so only the exact rules decide."""
        medicine = self._call.leaflet.medicine
        ready = (
            ()
            if said
            else (f"I have been given {medicine}. How do I take it?", f"Could you tell me how to take {medicine}?")
        )
        return Part(who=self._call.caller, own=("caller",), others=("nurse",), said=said, ready=ready, reads=False)


def _says(reaction: Reaction) -> str:
    return reaction.says


class Nurse:
    """Drafts answers, with the leaflet and remembered phrases where the variant allows them."""

    def __init__(self, episode: Episode, call: Call, variant: LineVariant, state: CallState) -> None:
        self._agent, self._call, self._state = episode.agent("nurse"), call, state
        self._tools = (leaflet_tool(call.leaflet),) if variant.leaflet_tool else ()
        self._talk: list[Message] = []
        self._draft = ""

    async def advises(self, question: str, heard: str, phrases: tuple[str, ...], objections: list[Verdict]) -> Advice:
        """One draft of an answer to what the caller has just said (`heard`)."""
        prompt = NurseAdvises(
            has_leaflet=bool(self._tools),
            medicine=self._call.leaflet.medicine,
            question=question,
            heard=heard,
            phrases=phrases,
            said_before=tuple(self._state.told),
            refused=self._draft if objections else "",
            objections=tuple(verdict.feedback for verdict in objections),
        )
        advice = await self._agent.ask(prompt, history=self._talk, tools=self._tools)
        self._draft = advice.text
        return advice

    def tells(self, heard: str, advice: Advice) -> None:
        """Remember the answer that the caller got, and what it answered."""
        self._state.tell(advice.text)
        self._talk += [user(f"The caller: {heard}"), assistant(advice.model_dump_json())]
