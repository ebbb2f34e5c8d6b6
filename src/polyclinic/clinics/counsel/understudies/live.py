"""What the offline counsellor says to a real person where the stage's own words would not answer the message."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.counsel.prompts.replies import SourceShown
from polyclinic.clinics.counsel.rules.courtesy import greets, only_courtesy
from polyclinic.clinics.counsel.rules.meant import (
    ABOUT_TALK,
    AGREES,
    ANY_WISH,
    ASKED,
    CANNOT,
    DECIDE,
    DOCUMENT,
    HEAVY,
    LEAVES,
    PERSON,
    WHO,
    WISH,
    answer_of,
    taken_up_as,
)
from polyclinic.clinics.counsel.rules.messages import offer_of_person
from polyclinic.clinics.counsel.rules.small_talk import asks_who, thanks_only
from polyclinic.clinics.counsel.rules.told import (
    answer_to_feeling,
    answer_to_story,
    answer_to_wish,
    asks_for_information,
    feeling_named,
    may_leave,
    only_apologises,
    only_leaves,
    small_words,
    voices_some_wish,
)
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

_SHORT = 12


def fitting_answer(
    utterance: str,
    lang: Lang,
    stage: str,
    hurt: str,
    source: SourceShown | None,
    said: Sequence[str],
    ask: str,
    kind: str = "",
) -> str:
    """The answer to this message; empty if the stage's own words are the answer.

    `hurt` is a warm word if the reader finds a feeling. `source` answers the person's question. `said` is what the
    counsellor said before. `ask` is the stage's question. `kind` is what the message means most, if it is known.
    """
    heard = "\n".join(said)
    if only_leaves(utterance) or (kind == LEAVES and may_leave(utterance)):
        return small_words("farewell", lang)
    if asks_who(utterance) or kind == WHO:
        return f"{small_words('who', lang)} {offer_of_person(lang)}"
    if thanks_only(utterance):
        return small_words("thanks", lang)
    if only_courtesy(utterance):
        return f"{small_words('greeting', lang)} {ask}" if greets(utterance) and said else ""
    feeling, asks = feeling_named(utterance), asks_for_information(utterance)
    if greets(utterance) and not said and not feeling and not asks and not _goes_on(utterance):
        return ""
    if kind.startswith(CANNOT) or (kind.startswith(ABOUT_TALK) and kind not in (AGREES, LEAVES) and not feeling):
        return _about_service(kind, lang, hurt if feeling else "")
    if kind == DOCUMENT and source is not None:
        return " ".join((hurt or small_words("bothers", lang), source.say, small_words("told_team", lang)))
    if (
        asks
        and kind != AGREES
        and (source is not None or kind.startswith(ASKED) or not (feeling or kind.startswith((WISH, HEAVY))))
    ):
        return _informed(lang, hurt, source, kind, said)
    if kind == AGREES:
        return "" if said and ask not in heard else small_words("begins", lang)
    if only_apologises(utterance):
        return f"{small_words('no_hurry', lang)} {small_words('weighs', lang) if ask in heard else ask}"
    if stage.startswith(PREFERENCES) or stage == "closing":
        return ""
    if feeling in ("", "good"):
        wish = kind if kind.startswith((WISH, HEAVY)) else ANY_WISH if voices_some_wish(utterance) else ""
        if wish and answer_of(wish, lang) not in heard:
            return answer_to_wish(taken_up_as(wish, lang), answer_of(wish, lang), utterance, lang)
    if feeling or hurt:
        return answer_to_feeling(feeling or "unnamed", utterance, lang, said)
    return answer_to_story(utterance, lang, said, small_words("weighs", lang) if ask in heard else ask)


def _about_service(kind: str, lang: Lang, hurt: str) -> str:
    """The answer to a request or a remark on the talk. Where people can do what was asked, they are offered."""
    offer = offer_of_person(lang) if kind == PERSON or (kind.startswith(CANNOT) and kind != DECIDE) else ""
    return " ".join(part for part in (hurt, answer_of(kind, lang), offer) if part)


def _goes_on(greeting: str) -> bool:
    """Whether a person who greets says more than a short sentence, or says it in a sentence of its own."""
    more = [part for part in sentences(greeting) if not only_courtesy(part) and not greets(part)]
    return bool(more) or len(spoken_words(greeting)) > _SHORT


def _informed(lang: Lang, hurt: str, source: SourceShown | None, kind: str, said: Sequence[str]) -> str:
    """What a document says, or that none answers and who may. Where the answer ends with a question, it is the last."""
    if source is not None:
        again = said and small_words("more", lang) in said[-1]
        return " ".join(part for part in (hurt, source.say, small_words("and_you" if again else "more", lang)) if part)
    answer = answer_of(kind, lang) if kind.startswith(ASKED) else small_words("unknown", lang)
    return " ".join(part for part in (hurt, answer, "" if is_question(answer) else offer_of_person(lang)) if part)
