"""The counsellor and its planner, and the listener, which finds out what the person means."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from polyclinic.clinics.counsel.agents.memory import LINE_CHARS, Recollection
from polyclinic.clinics.counsel.prompts.counsellor import (
    CounsellorCites,
    CounsellorComforts,
    CounsellorReplies,
    PlannerPlans,
    SingleReplies,
)
from polyclinic.clinics.counsel.prompts.replies import NONE, Cue, SourceShown
from polyclinic.clinics.counsel.rules.bare_number import only_a_number
from polyclinic.clinics.counsel.rules.courtesy import asks_beyond_greeting, meant
from polyclinic.clinics.counsel.rules.meant import AGREES, DOCUMENT
from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.notes import PlanRefused, Proposed
from polyclinic.clinics.counsel.rules.stages import (
    Move,
    allowed_stages,
    back_signals,
    explaining,
    settle,
    signal_questions,
    wanted_signals,
)
from polyclinic.clinics.counsel.rules.told import asks_for_information, feeling_named, hurts_clearly
from polyclinic.clinics.counsel.scenario import UNKNOWN_COUNTRY, Talk
from polyclinic.clinics.counsel.state import STAGES, Session
from polyclinic.clinics.counsel.tools import Knowledge, Nearest, Source
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.episode import Episode
from polyclinic.core.memory import cut
from polyclinic.core.turns import in_thread

_ECHOES = 2


class SignalReader:
    """Asks the cast's reader what the person means: the signals of the stage, and strong feeling."""

    def __init__(self, episode: Episode[Talk, CounselVariant], session: Session) -> None:
        self._episode, self._session = episode, session
        self._live = episode.scenario.live or episode.agent("patient").is_person

    async def hear(self, utterance: str, asked: str) -> dict[str, str]:
        """The signals that the reader found, each with the words that show it. One call asks about all of them. A
        number alone shows none.
        """
        if only_a_number(utterance):
            return {}
        questions = signal_questions(self._session.stage, asked)
        heard = {}
        for name, shown in zip(questions, await self._episode.reads(utterance, list(questions.values())), strict=True):
            if not shown.yes or (name == "distress" and self._live and not hurts_clearly(utterance, shown.sure)):
                continue
            if meant(utterance, name):
                heard[name] = shown.words
        return heard


class Counsellor:
    """Plans, looks up sources, drafts and cites. Rules check the plan; only sources that were found can be cited."""

    def __init__(
        self,
        episode: Episode[Talk, CounselVariant],
        session: Session,
        memory: Recollection,
        sources: Knowledge,
        voice: str,
    ) -> None:
        self._episode, self._session, self._memory, self._knowledge = episode, session, memory, sources
        self._planner, self._writer = episode.agent("planner"), episode.agent("counsellor")
        self._voice, self._live = voice, episode.scenario.live or episode.agent("patient").is_person
        known = episode.scenario.persona.country
        self._country = known if self._live and known != UNKNOWN_COUNTRY else ""

    @property
    def live(self) -> bool:
        """Whether the other side is a real person."""
        return self._live

    async def plan(self, utterance: str, asked: str, heard: Mapping[str, str], feedback: str) -> Move:
        """The move to the stage that this answer belongs to. The session itself does not change yet."""
        session = self._session
        proposed = await self._planner.ask(
            PlannerPlans(
                lang=session.lang,
                stage=session.stage,
                allowed=allowed_stages(session.stage, session.furthest),
                signals=tuple(dict.fromkeys([*wanted_signals(session.stage), *back_signals(session.stage)])),
                asked=cut(asked, LINE_CHARS),
                utterance=utterance,
                feedback=feedback,
                cue=Cue(voice=self._voice, stage=session.furthest),
            )
        )
        wish = Move(kind="stay", to=proposed.to, signal=proposed.signal, words=proposed.words)
        move, followed = settle(session.stage, session.furthest, utterance, heard, wish)
        if not followed:
            self._episode.note(PlanRefused(proposed=Proposed(**proposed.model_dump()), made=move))
        return move

    def heard_from_person(self, utterance: str) -> tuple[str, ...]:
        """What the person said lately, and what is known of them: the counsellor must not repeat any of it as its own
        words.
        """
        said = [turn.text for turn in self._memory.turns.window() if turn.speaker == "patient"]
        return tuple(dict.fromkeys((*said, utterance, *map(str, self._memory.known))))

    async def look_up(self, utterance: str, stage: str) -> list[Source]:
        """Passages about what the stage must explain, and about what the person said if a document covers it. A
        greeting, a wish, a remark on the talk, or first words that ask nothing, need no source. For a real person the
        search is done in a thread.
        """
        find = partial(self._found, utterance, stage)
        return await in_thread(find) if self._live else find()

    def _found(self, utterance: str, stage: str) -> list[Source]:
        lang, first_words = self._session.lang, stage == STAGES[0] and not asks_beyond_greeting(utterance)
        first_words |= only_a_number(utterance)
        explains = self._knowledge.search(stage_words(stage, "query", lang), lang, 1) if explaining(stage) else []
        # English documents are about several countries; all Korean ones are about Korea.
        country = self._country if lang == "en" else ""
        nearest = self._nearest(utterance)
        if nearest.kind not in ("", AGREES):
            return []
        if self._kind(utterance) == DOCUMENT or (self._live and asks_for_information(utterance)):
            # the answer comes first, and where there is none, nothing
            asked = self._knowledge.answering(utterance, lang, country=country)
            found = [*asked, *explains] if any(source.say for source in asked) else asked
        else:
            asked = [] if first_words else self._knowledge.search(utterance, lang, 2, relevant=True, country=country)
            found = [*explains, *asked]
        return list({source.id: source for source in reversed(found)}.values())[::-1]

    def _nearest(self, utterance: str) -> Nearest:
        """What a real person means most; nothing is looked for in a talk of offline players."""
        lang = self._session.lang
        return (
            self._knowledge.nearest(utterance, lang, self._country if lang == "en" else "") if self._live else Nearest()
        )

    def _kind(self, utterance: str) -> str:
        """The kind of a real person's message. A painful feeling that they name is answered without a document."""
        nearest = self._nearest(utterance)
        told = nearest.document and not asks_for_information(utterance)
        return DOCUMENT if told and feeling_named(utterance) in ("", "tired", "good") else nearest.kind

    async def write(
        self,
        utterance: str,
        move: Move,
        sources: list[Source],
        gentle: str,
        refused: str,
        feedback: str,
        last_draft: bool,
        echoes: int,
    ) -> str:
        """One draft, in plain words. In the last draft, and after an echo, a language model only comforts and asks,
        unless it must ask about a wish to be dead. An echo is a draft that repeated the person's own words. After two
        echoes, or one before the last draft, the prompt no longer shows these words.
        """
        if (last_draft or echoes) and not gentle and self._writer.is_language_model:
            cue = Cue(voice=self._voice, stage=move.to, live=self._live, model=self._live)
            words = "" if echoes >= (1 if last_draft else _ECHOES) else utterance
            return await self._writer.ask(CounsellorComforts(lang=self._session.lang, utterance=words, cue=cue))
        prompt = CounsellorReplies(
            lang=self._session.lang,
            goal=stage_words(move.to, "goal", self._session.lang),
            facts=self._memory.known,
            summary=self._memory.summary,
            sources=shown(sources),
            gentle=gentle,
            utterance=utterance,
            refused=refused,
            feedback=feedback,
            last_draft=last_draft,
            cue=Cue(
                voice=self._voice,
                stage=move.to,
                live=self._live,
                model=self._live and self._writer.is_language_model,
                kind=self._kind(utterance),
            ),
        )
        return await self._writer.ask(prompt, history=self._memory.before(utterance))

    async def cite(self, draft: str, sources: list[Source]) -> str:
        """The id of the source that the draft's facts are from; empty for none."""
        if not sources:
            return ""
        cited = await self._writer.ask(CounsellorCites(lang=self._session.lang, said=draft, sources=shown(sources)))
        return "" if cited.source == NONE else cited.source

    async def alone(self, utterance: str) -> str:
        """The baseline's answer, from a single prompt."""
        prompt = SingleReplies(lang=self._session.lang, utterance=utterance, cue=Cue(voice=self._voice))
        return await self._writer.ask(prompt, history=self._memory.before(utterance))


def shown(sources: list[Source]) -> tuple[SourceShown, ...]:
    """Passages as prompts show them."""
    return tuple(SourceShown(id=source.id, title=source.title, text=source.text, say=source.say) for source in sources)
