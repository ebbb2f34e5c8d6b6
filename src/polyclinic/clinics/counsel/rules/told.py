"""What a real person told: a feeling that they name, or a story. The words are in ``data/heard.toml``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from polyclinic.clinics.counsel.rules.asking import wants_to_know
from polyclinic.clinics.counsel.rules.courtesy import asks_beyond_greeting, only_courtesy
from polyclinic.clinics.counsel.rules.said_again import Manner, said_again
from polyclinic.clinics.counsel.rules.small_talk import asks_who, has_words, matters, takes_leave, thanks_only
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
_SLOW = re.compile(
    r"\bsorry\b.*\b(?:typ(?:e|ing|os?)|spelling|slow|late|keyboard|repl(?:y|ying)|writ(?:e|ing)|rambling|fingers?)\b.*"
    r"|(?:타자|타이핑|오타|자판|답|글씨|글|손가락)\S* .{0,12}(?:죄송|미안)\S*"
    r"|(?:죄송|미안)\S* .{0,8}(?:타자|오타|느리|느려|늦)\S*(?: \S+)?"
)
"""An apology for slow or bad typing: no feeling of guilt."""
_CLEARLY = 0.7
"""How likely a painful feeling must be to the reader where the person names none."""
_LEAST_WORDS: dict[Lang, int] = {"en": 4, "ko": 3}
_OTHER_WORDS: dict[Lang, int] = {"en": 5, "ko": 4}
"""The fewest words of a story whose subject is not known."""
_ANSWERS = re.compile(
    r"^(?:yes|yeah|yep|ok|okay|sure|no|nope|right|fine|네|예|응|아니)\b"
    r"|\b(?:understand|understood|wrong|mistaken|see now|agree|want|prefer|(?:i'd|would) like)\b"
    r"|\bdon't (?:know|need|think)\b"
    r"|알겠|이해|몰랐|모르|원해|원합|원하|싶|싫|좋겠|좋아요|괜찮|그렇게|그랬군|맡기"
)
"""Words of somebody who answers a question of the counsellor, so that the talk can go on."""
_CANNOT_STOP = re.compile(r"\b(?:can't|cant|cannot|couldn't|could not) (?:stop|help) $")


@cache
def _patterns(kind: str) -> dict[str, re.Pattern[str]]:
    rows = data("heard")[kind].items()
    return {name: re.compile(row["pattern"]) for name, row in rows if "pattern" in row}


def small_words(name: str, lang: Lang) -> str:
    """A set phrase."""
    return str(data("heard")["small"][name][lang])


def feeling_named(text: str) -> str:
    """The first feeling that a text names and does not deny; empty for none."""
    plain = _SLOW.sub(" ", normalise(text))
    for name, pattern in _patterns("feeling").items():
        for hit in pattern.finditer(plain):
            before = plain[: hit.start()]
            denied = _DENIED_BEFORE.search(before) and not _CANNOT_STOP.search(before)
            if not denied and not _DENIED_AFTER.search(plain[hit.end() :]):
                return name
    return ""


def shows_no_feeling(text: str) -> bool:
    """Whether a text only asks, greets, thanks, takes leave, excuses slow typing or tells of something pleasant,
    whatever a reader finds. Words about pain, treatment or death are never without feeling.
    """
    bare = thanks_only(text) or all(map(_is_bare, sentences(text)))
    return only_leaves(text) or (bare and not matters(text) and not feeling_named(text))


def _is_bare(sentence: str) -> bool:
    pleasant = _PLEASANT.search(normalise(sentence)) is not None
    return wants_to_know(sentence) or only_courtesy(sentence) or pleasant or _is_apology(sentence)


def _is_apology(sentence: str) -> bool:
    return _SLOW.search(normalise(sentence)) is not None and not matters(sentence)


def only_apologises(text: str) -> bool:
    """Whether a text excuses slow or bad typing, perhaps with a greeting, and says nothing else."""
    parts = sentences(text)
    return any(map(_is_apology, parts)) and all(_is_apology(part) or only_courtesy(part) for part in parts)


def hurts_clearly(text: str, sure: float | None) -> bool:
    """Whether a painful feeling that a reader finds counts in a real person's message. `sure` is how likely it is to
    the reader; None: the reader gives no number and is taken at its word. Where the person names no painful feeling
    and speaks of nothing grave, the reader must be clearly sure.
    """
    if shows_no_feeling(text):
        return False
    named = matters(text) or feeling_named(text) not in ("", "good")
    return named or sure is None or sure >= _CLEARLY


def only_leaves(text: str) -> bool:
    """Whether a text says goodbye and names no feeling that must be answered first. Being tired is why people stop."""
    return takes_leave(text) and _is_calm(text)


def may_leave(text: str) -> bool:
    """Whether nothing in words that seem to take leave must be answered first, and they do not sound final."""
    return _is_calm(text) and not wants_to_know(text) and not has_words("final", text)


def _is_calm(text: str) -> bool:
    return not matters(text) and feeling_named(text) in ("", "tired", "good")


def answer_to_feeling(name: str, text: str, lang: Lang, said: Sequence[str]) -> str:
    """What is said to a feeling: the person's own words, that they were heard, and a question that was not asked
    before, if there is one left.
    """
    row = data("heard")["feeling"][name]
    heard = "\n".join(said)
    questions = [str(row[lang]), *(str(other[lang]) for other in row.get("then", ()))]
    answer = next((each for each in questions if sentences(each)[-1] not in heard), questions[-1])
    return f"{_taken_up(text, lang, 'felt')} {answer}"


def voices_some_wish(text: str) -> bool:
    """Whether a text that asks nothing says what the person would like, or would not."""
    return not wants_to_know(text) and any(pattern.search(normalise(text)) for pattern in _patterns("wish").values())


def answer_to_wish(taken_up: str, answer: str, text: str, lang: Lang) -> str:
    """What is said to a wish, a decision or heavy news: the person's own words, or `taken_up` where they cannot be said
    back, and `answer`.
    """
    return f"{said_again(text, lang, 'told') or taken_up or small_words('listens', lang)} {answer}"


def answer_to_story(text: str, lang: Lang, said: Sequence[str], ask: str) -> str:
    """What is said to a story: the person's own words, and a question about it. After an answer to a story, the
    question is `ask`, so that the talk goes on. Empty if the text is too short for a story, or answers a question.
    """
    if len(spoken_words(text)) < _LEAST_WORDS[lang]:
        return ""
    told = data("heard")["story"]
    name, word = _story(text)
    if name == "other" and (len(spoken_words(text)) < _OTHER_WORDS[lang] or _ANSWERS.search(normalise(text))):
        return ""
    question = str(told[name][lang]).format(word=word)
    before = sentences(said[-1])[-1] if said else ""
    again = any(_begin(str(row[lang])) in before for row in told.values())
    return f"{_taken_up(text, lang, 'told')} {ask if again else question}"


def _story(text: str) -> tuple[str, str]:
    """What a story is about, and its own word for that."""
    for name, pattern in _patterns("story").items():
        hit = pattern.search(normalise(text))
        if hit is not None:
            return name, next((found for found in hit.groups() if found), "")
    return "other", ""


def _begin(answer: str) -> str:
    """The last sentence of an answer, up to the person's word in it."""
    return sentences(answer)[-1].partition("{")[0]


def _taken_up(text: str, lang: Lang, manner: Manner) -> str:
    return said_again(text, lang, manner) or small_words("listens", lang)


def asks_for_information(text: str) -> bool:
    """Whether a text asks something that a document could answer."""
    return asks_beyond_greeting(text) and not asks_who(text)
