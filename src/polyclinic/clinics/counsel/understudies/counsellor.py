"""The offline counsellor with its planner and keeper of memory."""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.prompts import (
    Claim,
    CounsellorReplies,
    KeeperRemembers,
    KeeperSummarises,
    MemoryUpdate,
    Plan,
    PlannerPlans,
    ProposedFact,
    Reply,
    SingleReplies,
    SourceShown,
)
from polyclinic.clinics.counsel.rules.messages import stage_words
from polyclinic.clinics.counsel.rules.stages import next_move, signal
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import PREFERENCES, STAGES
from polyclinic.clinics.counsel.understudies.words import words
from polyclinic.core.memory import cut
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.errors import ModelError
from polyclinic.text.normal import straight

SLIPS, SLIPS_AGAIN = 0.2, 0.1
_QUESTION = re.compile(r"\?|？|나요|까요|인가|는지")
_EXPLAINING = ("disease_awareness", "acp_awareness")
_CHOICES = (
    ("trial", re.compile(r"few days|trial|며칠만")),
    ("leaves it to the family", re.compile(r"family decide|leave it to|맡기")),
    ("declines", re.compile(r"don't want|do not want|no (?:cpr|machine)|원하지 ?않|하고 ?싶지 ?않|싫|안 ?하|안 ?받")),
    ("wants", re.compile(r"would want|i want|받고 ?싶|하고 ?싶|원합니다|받겠")),
)
_TAKEN_BACK = re.compile(r"forget what i said|i take (?:that|it) back|취소|없던 ?일로")


class CounsellorUnderstudy(Understudy):
    """Warmth where there is distress, one fact with its source where something was asked, then the stage's question."""

    @answers(CounsellorReplies)
    def replies(self, ask: Ask[CounsellorReplies]) -> Reply:
        """One draft; the mistakes are the three risk types and an outright failure."""
        prompt, lang = ask.prompt, ask.prompt.lang
        if ask.mistake("fail"):
            raise ModelError("the understudy was told to fail")
        distressed = bool(signal("distress", prompt.utterance, lang) or prompt.gentle)
        source = self._source(prompt)
        parts = [words("counsellor", lang, "warm" if distressed else "plain")]
        if ask.mistake("curt"):
            return Reply(text=words("counsellor", lang, "curt"))
        slip = self._slip(ask)
        if ask.mistake("r3") or slip == "r3":
            parts = [words("fault", lang, "r3")]
        parts += [words("fault", lang, risk) for risk in ("r1", "r2") if ask.mistake(risk) or slip == risk]
        if source is not None:
            parts.append(source.say)
        if prompt.stage == "closing" and prompt.facts:
            subject, _, value = prompt.facts[0].partition(": ")
            parts.append(words("counsellor", lang, "remembered").format(subject=subject, value=value))
        parts.append(prompt.gentle or stage_words(prompt.stage, "ask", lang))
        claims: tuple[Claim, ...] = () if source is None else (Claim(statement=source.say, source=source.id),)
        if ask.mistake("no_source"):
            claims = (Claim(statement=parts[-1], source="a-source-that-was-not-found"),)
        return Reply(text=" ".join(parts), claims=claims)

    @staticmethod
    def _slip(ask: Ask[CounsellorReplies]) -> str:
        """A habit, not a mistake.

        First drafts slip now and then, revised ones seldom, so that a critic has work to do.
        """
        if not ask.chance("slip", SLIPS_AGAIN if ask.prompt.refused else SLIPS):
            return ""
        return ask.random.choice(("r1", "r2", "r3"))

    @staticmethod
    def _source(prompt: CounsellorReplies) -> SourceShown | None:
        usable = [source for source in prompt.sources if source.say]
        if prompt.gentle or not usable:
            return None
        if _QUESTION.search(prompt.utterance) and len(usable) > 1:
            return usable[1]
        explains = prompt.stage in _EXPLAINING or prompt.stage.startswith(PREFERENCES)
        return usable[0] if explains else None

    @answers(SingleReplies)
    def alone(self, ask: Ask[SingleReplies]) -> str:
        """The baseline rushes to interventions, names no source, and is kind now and then."""
        name = "kind" if ask.chance("kind", 0.3) else "blunt" if ask.chance("blunt", 0.5) else "next"
        return words("single", ask.prompt.lang, name)


class PlannerUnderstudy(Understudy):
    """Reads the signals by rule."""

    @answers(PlannerPlans)
    def plans(self, ask: Ask[PlannerPlans]) -> Plan:
        """The rule's move; by mistake a leap over a stage on words nobody said."""
        prompt = ask.prompt
        if ask.mistake("leap"):
            here = STAGES.index(prompt.stage)
            return Plan(signal="consent", words="words nobody said", to=STAGES[min(here + 3, len(STAGES) - 1)])
        move = next_move(prompt.stage, prompt.furthest, prompt.utterance, prompt.lang)
        return Plan(signal=move.signal, words=move.words, to=move.to)


class KeeperUnderstudy(Understudy):
    """Keeps what the stage asked about, in the patient's own words."""

    @answers(KeeperRemembers)
    def remembers(self, ask: Ask[KeeperRemembers]) -> MemoryUpdate:
        """At most one fact a turn; by mistake the same thing under another name and with another value."""
        prompt = ask.prompt
        fact = self._fact(prompt.stage, prompt.utterance, prompt.lang)
        if fact is None:
            return MemoryUpdate()
        found = [fact]
        if ask.mistake("contradict"):
            found.append(
                ProposedFact(action="add", subject=fact.subject.upper().replace("_", " "), value=f"not {fact.value}")
            )
        return MemoryUpdate(operations=tuple(found))

    @staticmethod
    def _fact(stage: str, utterance: str, lang: Lang) -> ProposedFact | None:
        text = straight(utterance.lower())
        if stage.startswith(PREFERENCES):
            subject = f"preference_{stage.partition('.')[2]}"
            if _TAKEN_BACK.search(text):
                return ProposedFact(action="delete", subject=subject)
            choice = next((name for name, regex in _CHOICES if regex.search(text)), "")
            return ProposedFact(action="add", subject=subject, value=choice) if choice else None
        if stage == "empathy" and signal("values", utterance, lang):
            return ProposedFact(action="add", subject="values", value=cut(utterance, 120))
        if signal("distress", utterance, lang):
            return ProposedFact(action="add", subject="worry", value=cut(utterance, 120))
        if stage == "disease_awareness":
            return ProposedFact(action="add", subject="understanding", value=cut(utterance, 120))
        return None

    @answers(KeeperSummarises)
    def summarises(self, ask: Ask[KeeperSummarises]) -> str:
        """The patient's latest words, cut to the limit; by mistake everything, far too long."""
        prompt = ask.prompt
        spoken = [line.partition(": ")[2] for line in prompt.turns if line.startswith("patient:")]
        text = " / ".join([prompt.summary, *spoken] if ask.mistake("verbose") else [*spoken[-4:]])
        return text if ask.mistake("verbose") else cut(text or prompt.summary or "…", prompt.limit)
