"""What the offline counsellor says to a real person where the stage's own words would not answer the message."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.counsel.prompts.replies import SourceShown
from polyclinic.clinics.counsel.rules.courtesy import greets, only_courtesy
from polyclinic.clinics.counsel.rules.messages import offer_of_person
from polyclinic.clinics.counsel.rules.small_talk import asks_who, thanks_only
from polyclinic.clinics.counsel.rules.told import (
    answer_to_feeling,
    answer_to_story,
    asks_for_information,
    feeling_named,
    only_apologises,
    only_leaves,
    small_words,
)
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_SHORT = 12


def fitting_answer(
    utterance: str, lang: Lang, stage: str, hurt: str, source: SourceShown | None, said: Sequence[str], ask: str
) -> str:
    """The answer to this message; empty if the stage's own words are the answer.

    `hurt` is a warm word if the reader finds a feeling. `source` answers the person's question. `said` is what the
    counsellor said before. `ask` is the stage's question.
    """
    heard = "\n".join(said)
    if only_leaves(utterance):
        return small_words("farewell", lang)
    if asks_who(utterance):
        return f"{small_words('who', lang)} {offer_of_person(lang)}"
    feeling = feeling_named(utterance)
    if asks_for_information(utterance) and (source is not None or not feeling):
        return _informed(lang, hurt, source, "" if ask in heard else ask)
    if thanks_only(utterance):
        return small_words("thanks", lang)
    if only_courtesy(utterance):
        return f"{small_words('greeting', lang)} {ask}" if greets(utterance) and said else ""
    if greets(utterance) and not said and not feeling and not _goes_on(utterance):
        return ""
    if only_apologises(utterance):
        return f"{small_words('no_hurry', lang)} {small_words('weighs', lang) if ask in heard else ask}"
    if stage.startswith(PREFERENCES) or stage == "closing":
        return ""
    if feeling or hurt:
        return answer_to_feeling(feeling or "unnamed", utterance, lang, said)
    return answer_to_story(utterance, lang, said, small_words("weighs", lang) if ask in heard else ask)


def _goes_on(greeting: str) -> bool:
    """Whether a person who greets says more than a short sentence, or says it in a sentence of its own."""
    more = [part for part in sentences(greeting) if not only_courtesy(part) and not greets(part)]
    return bool(more) or len(spoken_words(greeting)) > _SHORT


def _informed(lang: Lang, hurt: str, source: SourceShown | None, ask: str) -> str:
    if source is None:
        return f"{hurt} {small_words('unknown', lang)} {offer_of_person(lang)}".strip()
    return " ".join(part for part in (hurt, source.say, ask or small_words("more", lang)) if part)
