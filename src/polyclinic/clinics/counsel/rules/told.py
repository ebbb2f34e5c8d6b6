"""What a real person told: a feeling that they name, or a story. The words are in ``data/heard.toml``."""

from __future__ import annotations

import re
from functools import cache

from polyclinic.clinics.counsel.rules.asking import wants_to_know
from polyclinic.clinics.counsel.rules.courtesy import asks_beyond_greeting, only_courtesy
from polyclinic.clinics.counsel.rules.small_talk import asks_who, matters, takes_leave
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_DENIED_BEFORE = re.compile(r"(?:\bnot|n't|\bnever|\bno longer|\bwithout)(?: \w+){0,3} $|(?:^| )(?:안|별로) $")
_DENIED_AFTER = re.compile(r"^\S{0,3}지[는도]? ?(?:않|안)|^\S{0,3} ?(?:없|아니)")
_PLEASANT = re.compile(
    r"\b(?:i|we|he|she|they) (?:really |just |so |always |still )?(?:like|love|liked|loved|enjoy|enjoyed|laughed)\b"
    r"|\bproud of\b|좋아(?:해|하|합)|즐거|재미있|자랑스"
)
_LEAST_WORDS: dict[Lang, int] = {"en": 4, "ko": 3}
_QUOTED_WORDS: dict[Lang, int] = {"en": 6, "ko": 4}
_QUOTE_CHARS = 80


@cache
def _patterns(kind: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(row["pattern"]) for name, row in data("heard")[kind].items()}


def small_words(name: str, lang: Lang) -> str:
    """A set phrase."""
    return str(data("heard")["small"][name][lang])


def feeling_named(text: str) -> str:
    """The first feeling that a text names and does not deny; empty for none."""
    plain = normalise(text)
    for name, pattern in _patterns("feeling").items():
        for hit in pattern.finditer(plain):
            if not (_DENIED_BEFORE.search(plain[: hit.start()]) or _DENIED_AFTER.search(plain[hit.end() :])):
                return name
    return ""


def shows_no_feeling(text: str) -> bool:
    """Whether a text only asks, greets, thanks, takes leave or tells of something pleasant, whatever a reader finds.
    Words about pain, treatment or death are never without feeling.
    """
    bare = all(
        wants_to_know(part) or only_courtesy(part) or _PLEASANT.search(normalise(part)) for part in sentences(text)
    )
    return only_leaves(text) or (bare and not matters(text) and not feeling_named(text))


def only_leaves(text: str) -> bool:
    """Whether a text says goodbye and names no feeling that must be answered first. Being tired is why people stop."""
    return takes_leave(text) and not matters(text) and feeling_named(text) in ("", "tired", "good")


def answer_to_feeling(name: str, lang: Lang) -> str:
    """What is said to a feeling: that it was heard, and a question about it."""
    return str(data("heard")["feeling"][name][lang])


def answer_to_story(text: str, lang: Lang, before: str) -> str:
    """What is said to a story: that it was heard, and a question about it. Empty if the text is too short for one, or
    if the answer before it was to a story too: then the talk goes on.
    """
    known = (*(row[lang] for row in data("heard")["story"].values()), small_words("quote", lang).partition("{")[0])
    if len(spoken_words(text)) < _LEAST_WORDS[lang] or any(sentences(each)[-1] in before for each in known):
        return ""
    for name, pattern in _patterns("story").items():
        hit = pattern.search(normalise(text))
        if hit is not None:
            word = next((found for found in hit.groups() if found), "")
            return str(data("heard")["story"][name][lang]).format(word=word)
    last = sentences(text)[-1].rstrip(" .!?~…")
    if len(spoken_words(text)) < _QUOTED_WORDS[lang] or len(last) > _QUOTE_CHARS:
        return ""
    return small_words("quote", lang).format(word=last)


def asks_for_information(text: str) -> bool:
    """Whether a text asks something that a document could answer."""
    return asks_beyond_greeting(text) and not asks_who(text)
