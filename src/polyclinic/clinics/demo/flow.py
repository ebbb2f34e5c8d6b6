"""Who speaks when: the caller asks, the nurse drafts until the limit rule accepts a draft, the caller understands or
asks again.
"""

from __future__ import annotations

from functools import partial

from polyclinic.clinics.demo.agents import Caller, Nurse
from polyclinic.clinics.demo.prompts.replies import Advice
from polyclinic.clinics.demo.rules import OVER_LIMIT, over_limit
from polyclinic.clinics.demo.scenario import Call
from polyclinic.clinics.demo.state import CallState, DoseTold, OverLimit, Phrase, Recalled
from polyclinic.clinics.demo.variants import LineVariant
from polyclinic.core.episode import Episode
from polyclinic.core.library import Found
from polyclinic.core.review import Verdict, review

SAFE_WORDS = "I would rather have our pharmacist call you back about this. Please take nothing more until then."


async def flow(episode: Episode[Call, LineVariant]) -> str:
    """One call. Ends as ``understood``, ``not_understood`` or ``handed_over``."""
    call, variant = episode.scenario, episode.variant
    state = CallState()
    caller, nurse = Caller(episode, call), Nurse(episode, call, variant, state)
    question = await caller.asks()
    episode.say("caller", question, to="nurse")
    found = recall(episode, question) if variant.phrases else []
    phrases = tuple(match.lesson.phrase for match in found)
    heard = question

    while state.answers_given < variant.turns:
        episode.take_turn()
        drafts = await review(
            episode,
            partial(nurse.advises, question, heard, phrases),
            {"limit": partial(within_limit, call)},
            rounds=variant.drafts,
        )
        if not drafts.resolved:
            return await hand_over(episode, call, drafts.final)
        advice = drafts.final
        nurse.tells(heard, advice)
        dose = DoseTold(tablets=advice.tablets, times_a_day=advice.times_a_day)
        episode.say("nurse", advice.text, to="caller", payload=dose)
        reaction = await caller.reacts(advice.text)
        episode.say("caller", reaction.says, to="nurse")
        heard = reaction.says
        if reaction.understood:
            state.understood = True
            episode.changed("understood", False, state.understood)
            learn(episode, variant, question, advice, found)
            return "understood"
    return "not_understood"


async def within_limit(call: Call, advice: Advice) -> Verdict:
    """Refuses a dose over the limit. The reviewer is code, not a model, because this rule must always hold."""
    if over_limit(call.leaflet, advice.tablets, advice.times_a_day):
        most = call.leaflet.most_a_day
        return Verdict(approved=False, code=OVER_LIMIT, feedback=f"this passes the most allowed, {most} tablets a day")
    return Verdict(approved=True)


async def hand_over(episode: Episode, call: Call, refused: Advice) -> str:
    """No draft was safe: a person is notified first, then the caller hears only set words."""
    dose = f"{refused.tablets} tablets, {refused.times_a_day} times a day"
    episode.violated(OVER_LIMIT, "nurse", severity=5, words=refused.text, rationale=f"{dose} exceeds the daily limit")
    message = OverLimit(caller=call.caller, medicine=call.leaflet.medicine, refused=dose)
    await episode.post("pharmacist", "over-limit", message)
    episode.say("nurse", SAFE_WORDS, to="caller")
    return "handed_over"


def recall(episode: Episode, question: str) -> list[Found[Phrase]]:
    """Explanations that callers with similar questions understood."""
    found = episode.library(Phrase).nearest(question, k=2, threshold=0.2)
    episode.note(Recalled(phrases=tuple(match.lesson.phrase for match in found)))
    return found


def learn(episode: Episode, variant: LineVariant, question: str, advice: Advice, used: list[Found[Phrase]]) -> None:
    """Keep the explanation that was understood, and mark the recalled phrases as useful."""
    if not variant.phrases:
        return
    library = episode.library(Phrase)
    for match in used:
        library.used(match.entry.id, good=True)
    library.add(question, Phrase(phrase=advice.text), quality=1.0)
