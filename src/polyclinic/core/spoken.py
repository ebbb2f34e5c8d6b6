"""Whether a language model's words can be said aloud to somebody. Only exact signs count; what the words mean is for
readers.

A prompt whose reply a real person hears calls `refuse_unspeakable` in its `check`. Then the model is asked again, and
told what was wrong; a reply that stays so is an unreadable reply.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from polyclinic.core.again import RUN_ON, runs_on
from polyclinic.core.part_phrases import refuses_as_assistant
from polyclinic.core.part_signs import is_form, labelled, stage_direction
from polyclinic.core.reply import Unreadable
from polyclinic.text.normal import Lang, language_of, normalise
from polyclinic.text.sentences import sentences
from polyclinic.text.words import spoken_words

_HANGUL_WEIGHT = 2
_HEADING = re.compile(r"^[\s\-*#>]*([^:.?!\n]{2,80}?)[*_]*\s*:", re.MULTILINE)
_TAG = re.compile(r"</?[a-z_]{2,20}(?:\s[^<>]*)?>|<\|")
_SAME, _SHORT = 3, 2
"""From how many times on a sentence is said too often. One with so few words may be said as often as one likes."""
_NAMES = {"en": "English", "ko": "Korean"}


def refuse_unspeakable(text: str, wording: str, names: tuple[str, ...], *langs: Lang) -> None:
    """Raise `Unreadable` if these words cannot be said aloud. `wording` is the text of the prompt's template, `names`
    are those of the speakers, as in a script; `langs` are the languages that the listener understands, the one to speak
    first.
    """
    if is_form(text) or _TAG.search(text):
        raise Unreadable("write only the words that you say aloud: no JSON, no code, no tags")
    if stage_direction(text) or labelled(text, names):
        raise Unreadable("write only the words that you say aloud: no name in front, nothing that you do")
    if refuses_as_assistant(normalise(text)):
        raise Unreadable("speak to the person in your part, not as an AI model that declines a task")
    if runs_on(text) or _repeats(text):
        raise Unreadable("the reply repeated itself", RUN_ON)
    heading = next((found[1] for found in _HEADING.finditer(text) if normalise(found[1]) in _headings(wording)), "")
    if heading:
        raise Unreadable(f'write only the words that you say aloud, without "{heading}:"')
    if language_of(text, _HANGUL_WEIGHT) not in langs:
        raise Unreadable(f"speak in {_NAMES[langs[0]]}, in words")


def _repeats(text: str) -> bool:
    said = Counter(tuple(spoken_words(normalise(sentence))) for sentence in sentences(text))
    return any(times >= _SAME and len(words) > _SHORT for words, times in said.items())


@lru_cache(maxsize=64)
def _headings(wording: str) -> frozenset[str]:
    """What stands before a colon at the beginning of a line of the prompt."""
    return frozenset(normalise(found[1]) for found in _HEADING.finditer(wording))
