"""Exact signs that a simulated person has fallen out of character: forms, labels, echoes and set phrases.

A rule is here only if a person in character would almost never say such a line. Lines that need judgement are left to
the reader.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from polyclinic.core.part_echo import echo_of_heard, echo_of_instructions, echo_of_other
from polyclinic.core.part_lecture import lecture, measured, speaks_as_patient
from polyclinic.core.part_phrases import assistants_words, helpers_words
from polyclinic.core.part_self import pronoun_of_self, third_person
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
_FORM = lazy_pattern(r"^\s*(?:\{.*\}|\[\s*[\{\"].*\]|```.*)\s*$", re.DOTALL)
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
_YOUR_CHILD = lazy_pattern(
    r"\byour (?:son|daughter|child|baby|(?:little )?(?:girl|boy))\b|\bi(?:'m| am) an? (?:sick |ill )?child\b"
)


class PartBreak(NamedTuple):
    """How somebody fell out of character, and the words that show it."""

    kind: BreakKind
    words: str


class Sign(NamedTuple):
    """Words that nobody in a certain part uses. A clinic gives them with the part; the line is normalised."""

    kind: BreakKind
    words: re.Pattern[str]


def broken_by(
    text: str,
    *,
    own: Sequence[str] = (),
    others: Sequence[str] = (),
    said: str = "",
    known: str = "",
    hidden: Sequence[str] = (),
    told: str = "",
    may_advise: bool = False,
    sex: str = "",
    signs: Sequence[Sign] = (),
    heard: Sequence[str] = (),
) -> PartBreak | None:
    """The first sign that a line is out of character; None if there is no exact sign. `may_advise` is for somebody
    who learns medicine: they may weigh findings, recommend, and say that they are sorry to hear something. A lay person
    in character would not. `sex` is for somebody who speaks for themselves: "she" may then be the speaker. `signs` are
    those of this part, and `heard` is what others said earlier. What a speaker quotes counts only as a script.
    """
    written, text = text, without_quotations(text)
    line = normalise(text)
    found = assistants_words(line, may_advise=may_advise)
    if found:
        return PartBreak("speaks as an assistant", found)
    found = "" if may_advise else lecture(text, line) or helpers_words(line)
    if found:
        return PartBreak("speaks as an assistant", found)
    found = speaks_as_patient(line) if may_advise else ""
    if found:
        return PartBreak("speaks for the other", found)
    found = measured(text, line, said, known) if known else ""
    if found:
        return PartBreak("knows what is hidden", found)
    if _is_form(written):
        return PartBreak("form instead of speech", written.strip())
    match = _DIRECTION.match(written)
    if match:
        return PartBreak("stage direction", match[0].strip())
    mine = spoken_words(line)
    found = (_labelled(written, (*others, *own)) or _quoted(written, others)) if ":" in written else ""
    found = found or _greets(text, own) or (_own_child(line) if "child" in own else "")
    if found:
        return PartBreak("speaks for the other", found)
    match = None if line.isascii() else _RECITED_KO.search(line)
    if match:
        return PartBreak("echo of the instructions", match[0])
    for sign in signs:
        match = sign.words.search(line)
        if match:
            return PartBreak(sign.kind, match[0].strip())
    match = _LABELS_SELF.search(line) if " patient" in line and "patient" in own else None
    if match:
        return PartBreak("third person", match[0])
    found = third_person(text, own) if holds_one(line, _normalised(tuple(own))) else ""
    found = found or (pronoun_of_self(line, said, sex) if sex else "")
    if found:
        return PartBreak("third person", found)
    found = echo_of_other(line, mine, said) or (echo_of_heard(line, heard) if heard else "")
    if found:
        return PartBreak("echo of the other", found)
    found = echo_of_instructions(line, mine, told) if told else ""
    if found:
        return PartBreak("echo of the instructions", found)
    named = mentioned(text, hidden)
    return PartBreak("knows what is hidden", named[0]) if named else None


def _is_form(text: str) -> bool:
    """Whether a line is data, a record that is read out, or a list with labels."""
    colons = text.count(":")
    return (
        _FORM.match(text) is not None
        or (colons > 1 and len(_CARD.findall(text)) > 1)
        or (colons >= _LABELS and len(_LABEL.findall(text)) >= _LABELS)
    )


@lru_cache(maxsize=1_024)
def _normalised(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(normalise(name) for name in names)


def _labelled(text: str, names: Sequence[str]) -> str:
    """A script's label ("Doctor: ...") at the start of a line or a sentence."""
    if not names:
        return ""
    match = _label(tuple(names)).search(text)
    return match[0].strip() if match else ""


def _quoted(text: str, others: Sequence[str]) -> str:
    """The other person's words, quoted as in a story: 'The counsellor says to me: "..."'."""
    match = _tale(tuple(others)).search(text) if others else None
    return match[0] if match else ""


@lru_cache(maxsize=1_024)
def _tale(names: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, names))
    return re.compile(
        rf"\bthe (?:{either}) (?:says?|said|asks?|asked)(?: to)?(?: me)?: ?[\"“'‘]"
        rf"|(?:{either})(?:이|가|은|는) [^.]{{0,12}}말합니다: ?[\"“'‘]",
        re.IGNORECASE,
    )


def _greets(text: str, own: Sequence[str]) -> str:
    """The words with which somebody greets themselves by their own first name."""
    firsts = _first_names(tuple(own))
    match = firsts.match(text) if firsts else None
    return match[0] if match else ""


def _own_child(line: str) -> str:
    """The words with which a parent calls their own child "your son"; empty if there are none."""
    match = _YOUR_CHILD.search(line) if "your " in line or " child" in line else None
    return match[0] if match else ""


@lru_cache(maxsize=1_024)
def _first_names(own: tuple[str, ...]) -> re.Pattern[str] | None:
    firsts = [name.split()[0] for name in own if name[:1].isupper() and " " in name]
    either = "|".join(map(re.escape, firsts))
    return re.compile(rf"(?:hello|hi|dear|good \w+),? (?:{either})[.,!]", re.IGNORECASE) if firsts else None


@lru_cache(maxsize=1_024)
def _label(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"{SENTENCE_START}\**(?:{'|'.join(map(re.escape, names))})\**\s*:", re.IGNORECASE)
