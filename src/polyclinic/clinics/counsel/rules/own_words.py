"""Set phrases in which the counsellor speaks of itself: what it is, what it cannot do, that it does not know something
and who may, and how it takes up a wish.

No document can support them, and they state nothing about medicine, law or services. So they need no source. The flow
and the judges look for facts in the rest of an answer.
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
def _own() -> frozenset[str]:
    small = data("heard")["small"]
    said = [*map(offer_of_person, _LANGS), *(text for name in _PHRASES for text in small[name].values())]
    return frozenset(part for text in (*said, *set_answers()) for part in sentences(text))


def beyond_own_words(answer: str, heard: str = "") -> str:
    """The sentences of an answer that are no such phrase, and do not say back what was `heard`. Empty if it has no
    others.
    """
    back = {said_again(heard, lang, manner) for lang in _LANGS for manner in _MANNERS} if heard else set()
    kept = [part for part in sentences(answer) if part not in _own() and part not in back]
    return answer if len(kept) == len(sentences(answer)) else " ".join(kept)
