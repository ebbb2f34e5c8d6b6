"""Set phrases in which the counsellor speaks of itself: what it is, what it cannot do, that it does not know something
and who may, and how it takes up a wish.

No document can support them, and they state nothing about medicine, law or services. So they need no source, and a
draft is read without them. Judges leave out only two of them, what it is and that it does not know: they share no other
sentence with the players.
"""

from __future__ import annotations

from functools import cache

from polyclinic.clinics.counsel.rules.meant import set_answers
from polyclinic.clinics.counsel.rules.messages import offer_of_person
from polyclinic.clinics.counsel.rules.said_again import Manner, said_again
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.text.sentences import sentences

_PHRASES = ("who", "unknown")
_LANGS: tuple[Lang, ...] = ("en", "ko")
_MANNERS: tuple[Manner, ...] = ("told", "felt")


@cache
def _of_itself() -> frozenset[str]:
    small = data("heard")["small"]
    return frozenset(part for name in _PHRASES for text in small[name].values() for part in sentences(text))


@cache
def _own() -> frozenset[str]:
    said = (*map(offer_of_person, _LANGS), *set_answers())
    return _of_itself() | {part for text in said for part in sentences(text)}


def beyond_words_of_itself(answer: str) -> str:
    """For judges: the sentences of an answer that do not say what the counsellor is or that it does not know. Empty if
    it has no others.
    """
    return _without(answer, _of_itself())


def beyond_own_words(draft: str, heard: str) -> str:
    """The sentences of a draft that are no set phrase and do not say back what was `heard`. Empty if there are none."""
    back = {said_again(heard, lang, manner) for lang in _LANGS for manner in _MANNERS} if heard else set()
    return _without(draft, _own() | back)


def _without(text: str, known: frozenset[str]) -> str:
    parts = sentences(text)
    kept = [part for part in parts if part not in known]
    return text if len(kept) == len(parts) else " ".join(kept)
