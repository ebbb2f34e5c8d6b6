"""Thanks alone mean only thanks. Whatever a reader finds in them, they change no stage, state no wish and are no slip
of a counsellor.

A closed list (``data/courtesy.toml``) is right only here: polite phrases are fixed, and it would be a serious fault to
read a wish about resuscitation from "thank you".
"""

from __future__ import annotations

import re
from functools import cache

from polyclinic.clinics.counsel.rules.asking import wants_to_know
from polyclinic.clinics.counsel.scenario import data
from polyclinic.text.normal import letters, normalise
from polyclinic.text.sentences import is_question, sentences

_THANKS = re.compile(
    r"(?:(?:정말|참|너무|대단히|진심으로|매우)\s*)?(?:고맙습니다|고마워요|고맙네요|고마워|감사합니다|감사해요|감사드립니다|감사)"
    r"|\b(?:many thanks|thanks|thank you|cheers|thx|thanx|ty)\b(?:\s+(?:a lot|so much|very much|indeed|again))?"
)
_ASSENT = re.compile(r"\b(?:네|예|yes|yeah|ok|okay|alright|well|oh|doctor|love|dear|mate)\b|선생님|그래요")


@cache
def polite_pattern(*lists: str, whole: bool) -> re.Pattern[str]:
    """A pattern for the words of these lists in ``data/courtesy.toml``. `whole`: no "byeee", no "goodbyes". Without it
    "bye" is found in "byelaws" too.
    """
    rows = [data("courtesy")[name] for name in lists]
    english, korean = ("|".join(word for row in rows for word in row[lang]) for lang in ("en", "ko"))
    return re.compile(rf"\b(?:{english})" + (r"(?!\w)" if whole else "") + f"|{korean}")


def _greeting() -> re.Pattern[str]:
    return polite_pattern("goodbye", "greeting", whole=True)


def only_courtesy(text: str) -> bool:
    """Whether a text holds greetings and thanks and nothing else."""
    plain = normalise(text)
    return bool(letters(plain)) and not letters(_ASSENT.sub(" ", _greeting().sub(" ", _THANKS.sub(" ", plain))))


def greets(text: str) -> bool:
    """Whether a text begins with a greeting."""
    return bool(_greeting().match(_ASSENT.sub(" ", normalise(text)).strip()))


def asks_beyond_greeting(text: str) -> bool:
    """Whether a text asks something other than how the other person is."""
    return any(wants_to_know(part) and not only_courtesy(part) for part in sentences(text))


def greets_and_asks(text: str) -> bool:
    """Whether a text holds greetings, thanks and questions and nothing else."""
    return all(is_question(part) or only_courtesy(part) for part in sentences(text))


def thanks_in(text: str) -> bool:
    """Whether a text has words of thanks."""
    return bool(_THANKS.search(normalise(text)))


def beyond_thanks(utterance: str) -> tuple[bool, bool]:
    """Whether anything is said besides thanks, and whether that is more than a yes."""
    text = normalise(utterance)
    rest = _THANKS.sub(" ", text)
    if rest == text:
        return True, True
    return bool(letters(rest)), bool(letters(_ASSENT.sub(" ", rest)))


def meant(utterance: str, signal: str) -> bool:
    """Whether these words can have this signal. Thanks alone can only be a farewell; thanks and a yes can also be
    consent.
    """
    said, more = beyond_thanks(utterance)
    return more or signal == "farewell" or (said and signal == "consent")
