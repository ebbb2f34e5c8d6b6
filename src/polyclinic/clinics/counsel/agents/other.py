"""The other side of the conversation."""

from __future__ import annotations

from polyclinic.clinics.counsel.agents.memory import RECENT, dialogue
from polyclinic.clinics.counsel.prompts.other import LEAVES, OPENING, DeskWaits, PatientSpeaks
from polyclinic.clinics.counsel.prompts.replies import Cue, DeskSays
from polyclinic.clinics.counsel.rules.part import SIGNS
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import Session
from polyclinic.core.episode import Episode
from polyclinic.core.memory import Memory, RememberedLine
from polyclinic.core.message import user
from polyclinic.core.part import Part, answer_in_part


class Other:
    """The counsellor's counterpart: a simulated patient, or in live talks the desk where people act."""

    def __init__(self, episode: Episode, talk: Talk, session: Session, cues: dict[int, str], voice: str) -> None:
        self._episode, self._patient, self._desk = episode, episode.agent("patient"), episode.agent("desk")
        self._talk, self._session, self._cues, self._voice = talk, session, cues, voice
        self._steps = self._lines = 0
        self._heard = Memory(recent=RECENT)

    def hear(self, speaker: str, text: str) -> None:
        """Remember what either side said aloud."""
        self._lines += 1
        self._heard.turns.append(RememberedLine(speaker=speaker, text=text))
        del self._heard.turns[:-RECENT]

    async def next(self) -> DeskSays:
        """What the other side does next."""
        self._steps += 1
        if self._talk.live:
            return await self._desk.ask(
                DeskWaits(lang=self._talk.lang, step=self._steps, control=self._session.control)
            )
        turn = self._session.turn + 1
        if turn > self._talk.turns:
            return DeskSays(kind="close", text="", by="turns")
        words, leaves, _ = (await self._speaks(turn)).partition(LEAVES)
        return DeskSays(kind="patient", text=words.strip()[:4_000] or "…", by="leaves" if leaves else "")

    async def _speaks(self, turn: int) -> str:
        talk = self._talk
        heard = self._heard.turns
        said = heard[-1].text if heard and heard[-1].speaker != "patient" else ""
        persona = talk.persona.told_in(talk.lang)
        prompt = PatientSpeaks(
            lang=talk.lang,
            persona=persona,
            voices=self._cues.get(turn, ""),
            last=turn == talk.turns,
            said=said,
            opening=OPENING[talk.lang],
            cue=Cue(voice=self._voice),
        )
        names = ("patient", "환자", persona.name)
        lines = persona.lines.get(talk.lang)
        part = Part(
            who=persona.name,
            own=names,
            others=("counsellor", "상담자"),
            said=said,
            ready=(lines.worry, lines.value, lines.question, lines.misunderstanding) if lines else (),
            sex=persona.sex,
            signs=SIGNS,
            lang=talk.lang,
        )
        history = dialogue(heard[:-1] if said else heard, "patient")
        if history and self._lines <= RECENT:
            history = [user(OPENING[talk.lang]), *history]
        return (await answer_in_part(self._episode, self._patient, prompt, part, history=history)).value
