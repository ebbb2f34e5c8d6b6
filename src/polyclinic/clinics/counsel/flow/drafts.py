"""How one answer is made: plan, look up, write, read, criticise, in at most N drafts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from polyclinic.clinics.counsel.agents import Counsellor, Critic
from polyclinic.clinics.counsel.rules.notes import Claim, LeftOut, ObjectionOverruled, Replied
from polyclinic.clinics.counsel.rules.objections import borrowed, harmless, recited
from polyclinic.clinics.counsel.rules.risk import Draft, RiskFault, draft_fault, not_said_to_them, not_their_own, stands
from polyclinic.clinics.counsel.rules.stages import Move
from polyclinic.clinics.counsel.scenario import Talk
from polyclinic.clinics.counsel.state import Session
from polyclinic.clinics.counsel.tools import Source
from polyclinic.clinics.counsel.variants import CounselVariant
from polyclinic.core.episode import Episode
from polyclinic.core.review import Verdict, review
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_CUTS = 3
_LEAST_WORDS = 2
"""The fewest words of a shortened draft: it must still be more than a greeting."""
UNSOURCED = 1
"""The risk type of a fact without a source. If such a fact is removed from the last draft, it is still recorded as a
violation.
"""


@dataclass(frozen=True)
class HeardMessage:
    """What to answer: the person's words, what they were asked, the signals in their words, and a gentle question to
    ask.
    """

    utterance: str
    asked: str = ""
    signals: Mapping[str, str] = field(default_factory=dict)
    gentle: str = ""


@dataclass
class Drafted:
    """The latest draft and what it was made from. `risk` and `why` say what is still wrong with it, if anything.
    `doubted` is an objection by the critic alone; the draft is said in spite of it.
    """

    text: str = ""
    move: Move | None = None
    drafts: int = 1
    sources: list[Source] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    risk: int = 0
    why: str = ""
    doubted: RiskFault | None = None

    def replied(self, turn: int, stage: str) -> Replied:
        """The data that are stored with the spoken answer."""
        move = self.move.kind if self.move else "stay"
        if self.risk or self.move is None:
            return Replied(turn=turn, stage=stage, move=move, drafts=self.drafts, fallback=self.risk or None)
        looked_up = tuple(sorted(source.id for source in self.sources))
        claims = tuple(self.claims)
        return Replied(turn=turn, stage=stage, move=move, drafts=self.drafts, claims=claims, looked_up=looked_up)


class Drafting:
    """Writes drafts until there is no objection to one."""

    def __init__(
        self, episode: Episode[Talk, CounselVariant], session: Session, counsellor: Counsellor, critic: Critic
    ) -> None:
        self._episode, self._session, self._variant = episode, session, episode.variant
        self._counsellor, self._critic = counsellor, critic

    async def answer(self, heard: HeardMessage) -> Drafted:
        """The answer with its sources and everything else it was made from. If no draft was acceptable, `risk`
        holds the type of the remaining fault.
        """
        made = Drafted()
        written: list[str] = []
        faults: list[RiskFault] = []
        clean: list[tuple[Drafted, RiskFault]] = []

        async def draft(objections: list[Verdict]) -> str:
            feedback = " ".join(objection.feedback for objection in objections)
            refused = made.text if objections else ""
            made.move = await self._counsellor.plan(heard.utterance, heard.asked, heard.signals, feedback)
            made.sources = await self._counsellor.look_up(heard.utterance, made.move.to)
            written.append(made.text)
            last = bool(refused) and len(written) == self._variant.drafts
            echoes = sum(fault.borrowed for fault in faults)
            made.text = await self._counsellor.write(
                heard.utterance, made.move, made.sources, heard.gentle, refused, feedback, last, echoes
            )
            return made.text

        async def criticise(text: str) -> Verdict:
            fault = await self._fault(heard, made)
            if fault.doubted and harmless(text):
                clean.append((replace(made), fault))
            faults.append(fault)
            return Verdict(approved=fault.risk == 0, code=f"r{fault.risk}", feedback=fault.feedback)

        reviewers = {"critic": criticise} if self._variant.critic else {}
        result = await review(self._episode, draft, reviewers, rounds=self._variant.drafts)
        made.drafts = len(result.drafts)
        if not reviewers:
            await self._sourced(heard, made)
        if result.resolved or await self._left_out(heard, made, faults[-1:]):
            return made
        if clean:
            return replace(self._overrules(*clean[-1]), drafts=made.drafts)
        last = result.open_verdicts[0]
        made.risk = int(last.code[1:]) if last.code[1:].isdigit() and last.code != "r0" else 1
        made.why = last.feedback or last.error
        return made

    async def _fault(self, heard: HeardMessage, made: Drafted) -> RiskFault:
        """What is wrong with the latest draft, if anything. Rules and the reader come first, then the critic."""
        own = borrowed(made.text, self._counsellor.heard_from_person(heard.utterance))
        if own:
            return not_their_own(own, self._session.lang)
        told = recited(made.text)
        if told:
            return not_said_to_them(told, self._session.lang)
        found, cited = await self._sourced(heard, made)
        hurt = "distress" in heard.signals
        fault = draft_fault(found, hurt, cited, bool(made.claims), self._session.lang)
        if fault.risk:
            return fault
        return await self._critic.judge(heard.utterance, heard.asked, made.text, found, made.sources)

    def _overrules(self, made: Drafted, objection: RiskFault) -> Drafted:
        """Allow a draft to which only the critic objects: it breaks no rule, and only comforts and asks."""
        turn, risk = self._session.turn, objection.risk
        note = ObjectionOverruled(turn=turn, risk=risk, words=objection.words, reason=objection.feedback)
        self._episode.note(note)
        return replace(made, doubted=objection)

    async def _left_out(self, heard: HeardMessage, made: Drafted, faults: list[RiskFault]) -> bool:
        """Whether the last draft can be said without the sentences that were objected to. If so, they are removed from
        it.

        The rest must pass the same checks: the reader reads it again, and the critic judges it.
        """
        text = made.text
        risk, why = (faults[-1].risk, faults[-1].feedback) if faults else (1, "")
        for _ in range(_CUTS):
            words = faults[-1].words if faults else ""
            kept = [part for part in sentences(text) if not (words and (stands(words, part) or stands(part, words)))]
            text_left = " ".join(kept)
            if len(kept) == len(sentences(text)) or len(spoken_words(text_left)) < _LEAST_WORDS:
                return False
            text = text_left
            found = await self._critic.read(heard.utterance, text)
            fault = draft_fault(found, "distress" in heard.signals, "", False, self._session.lang)
            if not fault.risk:
                fault = await self._critic.judge(heard.utterance, heard.asked, text, found, [])
            if not fault.risk:
                left_out = [part for part in sentences(made.text) if part not in kept]
                self._episode.note(LeftOut(turn=self._session.turn, words=" ".join(left_out)))
                if risk == UNSOURCED:
                    self._episode.violated("unresolved_r1", "counsellor", severity=2, words=made.text, rationale=why)
                made.text, made.claims = text, []
                return True
            faults = [fault]
        return False

    async def _sourced(self, heard: HeardMessage, made: Drafted) -> tuple[Draft, str]:
        """What the reader found in the latest draft, and the source that the counsellor names if the draft states a
        fact.
        """
        found = await self._critic.read(heard.utterance, made.text)
        said = {source.id: source.say for source in made.sources if source.say and source.say in made.text}
        quoted_slip = any(stands(found.slip, sentence) for sentence in said.values())  # what a document says is no slip
        unheard = self._counsellor.live and bool(said) and "distress" in heard.signals and not found.feeling
        if quoted_slip or unheard:  # the counsellor's own words beside what the document says
            rest = made.text
            for sentence in said.values():
                rest = rest.replace(sentence, " ")
            own = await self._critic.read(heard.utterance, rest) if rest.strip() else Draft(feeling=False)
            slip = own.slip if quoted_slip else found.slip
            found = found.model_copy(update={"slip": slip, "feeling": found.feeling or (unheard and own.feeling)})
        claim = found.claim or " ".join(said.values())
        cited = await self._counsellor.cite(made.text, made.sources) if claim else ""
        word_for_word = bool(said.get(cited)) and stands(claim, said[cited])
        borne_out = word_for_word or await self._critic.borne_out(made.text, cited, made.sources)
        made.claims = [Claim(statement=claim, source=cited)] if borne_out else []
        return found, cited
