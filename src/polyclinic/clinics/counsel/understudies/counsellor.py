"""The offline counsellor, with its planner."""

from __future__ import annotations

import re

from polyclinic.clinics.counsel.prompts.counsellor import (
    CounsellorCites,
    CounsellorComforts,
    CounsellorReplies,
    PlannerPlans,
    SingleReplies,
)
from polyclinic.clinics.counsel.prompts.replies import NONE, Cited, Plan, SourceShown
from polyclinic.clinics.counsel.readings import SIGNAL, SIGNALS
from polyclinic.clinics.counsel.rules.courtesy import greets
from polyclinic.clinics.counsel.rules.messages import names_of
from polyclinic.clinics.counsel.rules.stages import explaining, next_move, signal_questions
from polyclinic.clinics.counsel.rules.told import hurts_clearly
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.clinics.counsel.understudies.live import fitting_answer
from polyclinic.clinics.counsel.understudies.words import words
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.errors import ModelError
from polyclinic.text.normal import normalise
from polyclinic.text.questions import asks_something
from polyclinic.text.sentences import sentences

SLIPS, AGAIN = 0.2, 0.3
_QUOTED = re.compile(r"'([^']{4,}(?:'\w[^']*)*)'")


class CounsellorUnderstudy(Understudy):
    """Comforts if there is distress, states a sourced fact if something was asked, then asks the stage's question."""

    @answers(CounsellorReplies)
    def replies(self, ask: Ask[CounsellorReplies]) -> str:
        """One draft; the mistakes are the three risk types and an outright failure."""
        prompt, lang, voice = ask.prompt, ask.prompt.lang, ask.prompt.cue.voice
        if ask.mistake("fail"):
            raise ModelError("the understudy was told to fail")
        if ask.mistake("curt"):
            return words(voice, "counsellor", lang, "curt")
        wrong = [risk for risk in ("r1", "r2", "r3") if ask.mistake(risk)]
        if prompt.refused:
            wrong = wrong if ask.chance("again", AGAIN) else []
            kept = _without_quoted(prompt.refused, prompt.feedback)
            return " ".join([*(words(voice, "fault", lang, risk) for risk in wrong), *kept])
        wrong += self._slip(ask)
        if prompt.cue.live and not prompt.gentle and not wrong:
            fitting = self._fitting(ask)
            if fitting:
                return fitting
        warm = prompt.gentle or self._hurt(ask)
        plain = "greeting" if prompt.cue.stage == STAGES[0] and greets(prompt.utterance) else "plain"
        parts = [words(voice, "counsellor", lang, "warm" if warm else plain)]
        if "r3" in wrong:
            parts = []
        parts += [words(voice, "fault", lang, risk) for risk in dict.fromkeys(wrong)]
        heard = "\n".join(_said_before(ask)) if prompt.cue.live else ""
        source = self._source(prompt, heard)
        if source is not None:
            parts.append(source.say)
        known = next((fact for fact in prompt.facts if fact.subject != "understanding"), None)
        if prompt.cue.stage == "closing" and known is not None:
            about = names_of("subjects", lang).get(known.subject, known.subject)
            parts.append(words(voice, "counsellor", lang, "remembered").format(subject=about, value=known.value))
        asked = words(voice, "asks", lang, prompt.cue.stage)
        again = words(voice, "counsellor", lang, "goes_on")
        parts.append(prompt.gentle or (again if asked in heard and heard.rfind(again) < heard.rfind(asked) else asked))
        return " ".join(parts)

    @staticmethod
    def _hurt(ask: Ask[CounsellorReplies]) -> bool:
        """Whether the player finds a painful feeling; with a real person, one that is clear."""
        said, question = ask.prompt.utterance, SIGNAL.ask(signal=SIGNALS["distress"])
        if not ask.understands(said, question):
            return False
        return not ask.prompt.cue.live or hurts_clearly(said, ask.likelihood(said, question))

    @staticmethod
    def _fitting(ask: Ask[CounsellorReplies]) -> str:
        """The answer to a real person's message where the stage's own words would not answer it."""
        prompt, lang, voice = ask.prompt, ask.prompt.lang, ask.prompt.cue.voice
        return fitting_answer(
            prompt.utterance,
            lang,
            prompt.cue.stage,
            words(voice, "counsellor", lang, "warm") if CounsellorUnderstudy._hurt(ask) else "",
            next((source for source in prompt.sources if source.say), None),
            _said_before(ask),
            words(voice, "asks", lang, prompt.cue.stage),
            prompt.cue.kind,
        )

    @staticmethod
    def _slip(ask: Ask[CounsellorReplies]) -> list[str]:
        """A habit, not a mistake: first drafts slip now and then, so that a critic has work to do. Never with a real
        person.
        """
        if ask.prompt.cue.live:
            return []
        return [ask.random.choice(("r1", "r2", "r3"))] if ask.chance("slip", SLIPS) else []

    @staticmethod
    def _source(prompt: CounsellorReplies, heard: str) -> SourceShown | None:
        """The source to quote, if any. The first one is the stage's own if it explains something; the others answer
        the person's question. A sentence in `heard` is not said again.
        """
        usable = [source for source in prompt.sources if source.say and source.say not in heard]
        if prompt.gentle or not usable:
            return None
        explains = explaining(prompt.cue.stage) and usable[0] is prompt.sources[0]
        if any(map(asks_something, sentences(prompt.utterance))):
            return usable[min(int(explains), len(usable) - 1)]
        if prompt.cue.live and prompt.cue.stage == "disease_awareness":  # the passage may not be about their illness
            return None
        return usable[0] if explains else None

    @answers(CounsellorComforts)
    def comforts(self, ask: Ask[CounsellorComforts]) -> str:
        """A warm word and the stage's question."""
        prompt = ask.prompt
        parts = (("counsellor", "warm"), ("asks", prompt.cue.stage))
        return " ".join(words(prompt.cue.voice, kind, prompt.lang, name) for kind, name in parts)

    @answers(CounsellorCites)
    def cites(self, ask: Ask[CounsellorCites]) -> Cited:
        """The source whose sentence was said; with the mistake, none."""
        said = normalise(ask.prompt.said)
        used = next((each for each in ask.prompt.sources if each.say and normalise(each.say) in said), None)
        if used is None or ask.mistake("no_source"):
            return Cited(reason="nothing of these was used", source=NONE)
        return Cited(reason="its sentence was said", source=used.id)

    @answers(SingleReplies)
    def alone(self, ask: Ask[SingleReplies]) -> str:
        """The baseline rushes to interventions, names no source, and is kind now and then."""
        name = "kind" if ask.chance("kind", 0.3) else "blunt" if ask.chance("blunt", 0.5) else "next"
        return words(ask.prompt.cue.voice, "single", ask.prompt.lang, name)


def _said_before(ask: Ask[CounsellorReplies]) -> list[str]:
    """All that the counsellor said in the history that goes with the question."""
    return [message.content for message in ask.request.messages if message.role == "assistant"]


def _without_quoted(draft: str, feedback: str) -> list[str]:
    """The draft's sentences without those that the feedback quotes: a revision does what it is told, and no more.

    Feedback that quotes nothing of the draft changes nothing.
    """
    quotes = [normalise(quote) for quote in _QUOTED.findall(feedback)]
    return [
        sentence
        for sentence in sentences(draft)
        if not any(normalise(sentence) in quote or quote in normalise(sentence) for quote in quotes)
    ] or [draft]


class PlannerUnderstudy(Understudy):
    """Reads the person's words for the signals of the stage, and follows the order."""

    @answers(PlannerPlans)
    def plans(self, ask: Ask[PlannerPlans]) -> Plan:
        """The move that the signals call for; with the mistake, a step forward that quotes words nobody said."""
        prompt = ask.prompt
        if ask.mistake("leap"):
            return Plan(signal=prompt.signals[0], words="words nobody said", to=prompt.allowed[-1])
        heard = {
            name: prompt.utterance
            for name, question in signal_questions(prompt.stage, prompt.asked).items()
            if ask.understands(prompt.utterance, question)
        }
        furthest = max((prompt.stage, prompt.cue.stage or prompt.stage), key=STAGES.index)
        move = next_move(prompt.stage, furthest, heard)
        known = move.signal in prompt.signals
        return Plan(signal=move.signal if known else NONE, words=move.words if known else "", to=move.to)
