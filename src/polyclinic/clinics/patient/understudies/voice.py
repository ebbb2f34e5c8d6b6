"""The sentences of the offline players, in two voices. No judge, rule or prompt uses them."""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.patient.scenario.shipped import data
from polyclinic.core.message import Frozen
from polyclinic.text.sentences import sentences

_REPEATED = 6
"""How many words of a question are repeated at most."""
_ASKED = re.compile(
    r"(?:and |so |but )?(?:do|does|did|have|has|had|is|are|was|were|can|could|will|would)"
    r"(?:n't)?(?: (?:you|it|he|she|they|there|we|i|that|this)\b)? ",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?<=\s)(?<!\bor )(?<!\band )(?:about|after|against|before|between|by|during|for|from|in|into|on|since|through"
    r"|to|under|when|where|while|with|without|a|an|any|the|your|his|her|their|my)\b(?= )",
    re.IGNORECASE,
)
"""Where a phrase begins. "Or a clot" would be half of one."""


class Voice(Frozen):
    """All sentences of one voice."""

    decline: tuple[str, ...]
    too_much: str
    mute: str
    nothing: str
    nearest: str
    puzzled: str
    not_done: str
    confused: str
    results: str
    single: str
    confirms: str
    hearsay: str
    all_told: str
    echo: str
    worried: str
    talkative: str
    babble: str
    panic: str
    soothe: str
    advise: str
    test: str
    reasoning: str
    plans: tuple[str, str, str]
    common: tuple[str, ...]
    blind: tuple[str, ...]

    def echoes(self, question: str) -> str:
        """People repeat the end of a question when they do not answer it: a part that can stand by itself."""
        last = sentences(question)[-1].rstrip("?.! ") if question.strip() else ""
        asked = _end_of(last)
        return self.echo.format(words=asked if asked == last else f"… {asked}") if asked else ""


def _end_of(sentence: str) -> str:
    """The end of a sentence that can be repeated: all of it if it is short, what follows "do you", or from the
    beginning of a phrase on; empty if it has none.
    """
    if len(sentence.split()) <= _REPEATED:
        return sentence
    asked = _ASKED.match(sentence)
    if asked and len(sentence[asked.end() :].split()) <= _REPEATED:
        return sentence[asked.end() :]
    ends = (sentence[found.start() :] for found in _PHRASE.finditer(sentence))
    return next((end for end in ends if 1 < len(end.split()) <= _REPEATED), "")


@lru_cache(maxsize=4)
def voice(name: str) -> Voice:
    """A voice by its name."""
    return Voice.model_validate(data("voices", f"{name}.yaml"))
