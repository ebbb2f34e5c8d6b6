"""Exact signs that a simulated person has fallen out of character: forms, labels, echoes and set phrases.

A rule is here only if a person in character would almost never say such a line. Lines that need judgement are left to
the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from polyclinic.core.part_echo import echo_of_heard, echo_of_instructions, echo_of_other
from polyclinic.core.part_lecture import lecture, measured
from polyclinic.core.part_phrases import assistants_words, helpers_words
from polyclinic.core.part_self import pronoun_of_self, third_person
from polyclinic.core.value import unchanging
from polyclinic.text.lazily import lazy_pattern
from polyclinic.text.normal import normalise
from polyclinic.text.phrases import holds_one, mentioned
from polyclinic.text.quotations import without_quotations
from polyclinic.text.sentences import SENTENCE_START
from polyclinic.text.words import spoken_words

BreakKind = Literal[
    "speaks as an assistant",
    "third person",
    "form instead of speech",
    "stage direction",
    "speaks for the other",
    "echo of the other",
    "echo of the instructions",
    "knows what is hidden",
    "read as out of the part",
]

_CARD = lazy_pattern(r"\bi have [a-z ]{3,25}: ", re.IGNORECASE)
"""A record's entries read out one after the other."""
_LABEL = lazy_pattern(
    r"\b(?:(?:full )?name|sex|gender|age|phone(?: number)?|personal (?:number|id)|id(?: number)?|address"
    r"|date of birth) ?: "
    r"|(?:이름|성명|성별|나이|전화번호|전화|주민등록번호|주소|생년월일) ?: ",
    re.IGNORECASE,
)
_LABELS = 3
"""From this many labels on ("Name: ... Sex: ... Phone: ..."), a line is a form."""
_FORM = lazy_pattern(r"^\s*(?:\{|\[\s*[\{\"])|```|[{,]\s*\"\w+\"\s*:", re.DOTALL)
"""Data: a text that begins as an object or a list does, a code fence, or the name of a field."""
_DIRECTION = lazy_pattern(r"^\s*(?:\*[^*]{3,}\*|\[[^\]]{3,}\])|^\s*\((?=[^)]*\s[^)]*\))[^)]{8,}\)")
_RECITED_KO = lazy_pattern(
    r"^너[는도] |(?:^|\s)그녀[는가의] |['‘]저['’]로|말을 되풀이하지|이름을 (?:가지고|사용)|이\(가\)"
    r"|(?<![제내])가 직접 말하"
)
"""Korean words of instructions, which nobody uses for themselves or the other person when they speak."""
_LABELS_SELF = lazy_pattern(
    rf"{SENTENCE_START}(?:i am|i'm) (?:an?|the) patient(?:[.,]|$| (?:with|who|experiencing|suffering)\b)"
    r"|\bas an? patient\b"
)
"""People say what they feel, not that they are patients. "I'm a patient of Dr Reid" is not a match."""
_OWN_BODY = lazy_pattern(
    r"\bmy (?:left |right |resting |current |own )?(?:blood pressure|heart rate|pulse|temperature|symptoms?|pain|chest"
    r"|eyes?|skin|legs?|calf|knees?|arms?|hands?|foot|feet|head|back|throat|mouth|ears?|hearing|weight|belly|stomach|breathing)\b"
)
"""What only the patient at the bedside can say."""
_YOUR_CHILD = lazy_pattern(
    r"\byour (?:son|daughter|child|baby|(?:little )?(?:girl|boy))\b|\bi(?:'m| am) an? (?:sick |ill )?child\b"
)
"""How a parent does not speak of their own child."""


class PartBreak(NamedTuple):
    """How somebody fell out of character, and the words that show it."""

    kind: BreakKind
    words: str


class Sign(NamedTuple):
    """Words that nobody in a certain part uses. A clinic gives them with the part; the line is normalised."""

    kind: BreakKind
    words: re.Pattern[str]


@unchanging
class Part:
    """What one line of a simulated person is checked against.

    - `who`: how they are reminded of their part
    - `own`: words for them that only others use ("patient", their surname)
    - `others`: the people they talk with, as a script would label them
    - `said`: what was said to them last
    - `known`: all that they know about their illness, if they can know no measured values but these
    - `hidden`: names that they cannot know
    - `told`: rules for the part that are in the prompt's fields and not in its template
    - `ready`: lines of their case that they could say at any time
    - `reads`: whether the reader is asked too; otherwise only the exact rules decide
    - `may_advise`: whether they learn medicine: they may weigh findings, recommend, and say that they are sorry to
      hear something, as no lay person would
    - `sex`: of somebody who speaks for themselves, "female" or "male", if it is known
    - `signs`: words that nobody in this part uses, as their clinic knows them
    - `heard`: what others said earlier, for somebody who must not say it again
    """

    who: str = ""
    own: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    said: str = ""
    known: str = ""
    hidden: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    ready: tuple[str, ...] = ()
    reads: bool = True
    may_advise: bool = False
    sex: str = ""
    signs: tuple[Sign, ...] = ()
    heard: tuple[str, ...] = ()
    lang: str = "en"


def broken_by(text: str, part: Part, wording: str = "") -> PartBreak | None:
    """The first sign that a line is out of character; None if there is no exact sign. `wording` is the text of the
    prompt. What a speaker quotes counts only as a script.
    """
    for kind, words in _breaks(text, part, wording):
        if words:
            return PartBreak(kind, words)
    return None


def _breaks(written: str, part: Part, wording: str) -> Iterator[tuple[BreakKind, str]]:
    """Each kind of break with the words that show it, which are empty if there are none."""
    text = without_quotations(written)
    line = normalise(text)
    yield "speaks as an assistant", assistants_words(line, may_advise=part.may_advise)
    if part.may_advise and "my " in line:
        yield "speaks for the other", _words(_OWN_BODY.search(line))
    if not part.may_advise:
        yield "speaks as an assistant", lecture(text, line) or helpers_words(line)
    if part.known:
        yield "knows what is hidden", measured(text, line, part.said, part.known)
    if is_form(written):
        yield "form instead of speech", written.strip()
    yield "stage direction", stage_direction(written)
    if ":" in written:
        yield "speaks for the other", labelled(written, (*part.others, *part.own)) or _quoted(written, part.others)
    yield "speaks for the other", _greets(text, part.own)
    if "child" in part.own and ("your " in line or " child" in line):
        yield "speaks for the other", _words(_YOUR_CHILD.search(line))
    if not line.isascii():
        yield "echo of the instructions", _words(_RECITED_KO.search(line))
    for sign in part.signs:
        yield sign.kind, _words(sign.words.search(line)).strip()
    if " patient" in line and "patient" in part.own:
        yield "third person", _words(_LABELS_SELF.search(line))
    if holds_one(line, _normalised(part.own)):
        yield "third person", third_person(text, part.own)
    if part.sex:
        yield "third person", pronoun_of_self(line, part.said, part.sex)
    mine = spoken_words(line)
    yield "echo of the other", echo_of_other(line, mine, part.said)
    if part.heard:
        yield "echo of the other", echo_of_heard(line, part.heard)
    told = "\n".join((wording, *part.told))
    if told:
        yield "echo of the instructions", echo_of_instructions(line, mine, told)
    yield "knows what is hidden", next(iter(mentioned(text, part.hidden)), "")


def _words(match: re.Match[str] | None) -> str:
    """The words that a pattern found; empty if it found none."""
    return match[0] if match else ""


def stage_direction(text: str) -> str:
    """What a line describes at its beginning instead of saying it ("*nods*"); empty if it does not."""
    return _words(_DIRECTION.match(text)).strip()


def is_form(text: str) -> bool:
    """Whether a line is data, a record that is read out, or a list with labels."""
    colons = text.count(":")
    return (
        _FORM.search(text) is not None
        or (colons > 1 and len(_CARD.findall(text)) > 1)
        or (colons >= _LABELS and len(_LABEL.findall(text)) >= _LABELS)
    )


@lru_cache(maxsize=1_024)
def _normalised(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(normalise(name) for name in names)


def labelled(text: str, names: tuple[str, ...]) -> str:
    """A script's label ("Doctor: ...") at the start of a line or a sentence."""
    return _words(_label(names).search(text)).strip() if names else ""


def _quoted(text: str, others: tuple[str, ...]) -> str:
    """The other person's words, quoted as in a story: 'The counsellor says to me: "..."'."""
    return _words(_tale(others).search(text)) if others else ""


@lru_cache(maxsize=1_024)
def _tale(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    return re.compile(
        rf"\bthe (?:{either}) (?:says?|said|asks?|asked)(?: to)?(?: me)?: ?[\"“'‘]"
        rf"|(?:{either})(?:이|가|은|는) [^.]{{0,12}}말합니다: ?[\"“'‘]",
        re.IGNORECASE,
    )


def _greets(text: str, own: tuple[str, ...]) -> str:
    """The words with which somebody greets themselves by their own first name."""
    firsts = _first_names(own)
    return _words(firsts.match(text)) if firsts else ""


@lru_cache(maxsize=1_024)
def _first_names(own: tuple[str, ...]) -> re.Pattern[str] | None:
    firsts = [name.split()[0] for name in own if name[:1].isupper() and " " in name]
    either = "|".join(map(re.escape, firsts))
    return re.compile(rf"(?:hello|hi|dear|good \w+),? (?:{either})[.,!]", re.IGNORECASE) if firsts else None


@lru_cache(maxsize=1_024)
def _label(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{SENTENCE_START}\**(?:{'|'.join(map(re.escape, names))})\**\s*:", re.IGNORECASE)
