"""The trained guard: it reads a message with weights learned from labelled utterances. The word screen works beside it.
Small networks that read whole sentences count too, in the languages that they know (see `sentence_guard`).

It reads the whole message and, if the message is long, windows of its sentences; the gravest reading counts.
``polyclinic train guard`` makes the weights (see `teaching`). Levels are set there for each language. Above `sure` a
message is danger beyond doubt. Above `doubt` a person must look unless a language model says otherwise. Above `flag`
the person is asked about it. Below a fourth level, `calm`, words that the screen found count as a quotation, a denial
or a figure of speech. Danger without plain words counts for these levels by the share `hinted`, where other danger
counts whole: people at peace speak of last things too, and less of it must be found than of plain danger. First words
("I don't really know why I'm here") hold little, so they look doubtful although nothing is wrong. There a person's own
danger has its own level, `opening`, and a wish `opening_flag`; and words without meaning of their own ("am … so")
decide nothing, unless danger is likely. (In later messages they must count: on authors left out of the training, 1 % of
active and 3 % of implicit dangers had only such words.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal, get_args

from polyclinic.clinics.counsel.rules.bare_number import only_a_number
from polyclinic.clinics.counsel.rules.courtesy import only_courtesy
from polyclinic.clinics.counsel.rules.sentence_guard import network_opinions, surer, with_networks
from polyclinic.clinics.counsel.rules.small_talk import says_goodbye
from polyclinic.clinics.counsel.scenario import PACKAGE, Lang
from polyclinic.core.files import package_file
from polyclinic.core.message import Frozen
from polyclinic.reading.text_labels import TextLabels, load
from polyclinic.text.normal import language_of
from polyclinic.text.sentences import sentences
from polyclinic.text.words import STOP_WORDS, words

GuardLabel = Literal["active", "emergency", "harm_others", "abuse", "implicit", "passive", "acceptance"]
GUARD_LABELS: tuple[GuardLabel, ...] = get_args(GuardLabel)
DANGERS: tuple[GuardLabel, ...] = ("active", "emergency", "harm_others", "abuse", "implicit")
ORDINARY = "ordinary"
TRAINED_LABELS = (*GUARD_LABELS, ORDINARY)
WEIGHTS = "guard.npz"
LONG_CHARS, WINDOW_CHARS = 400, 300
OPENING_TURNS = 2
"""How many of a person's messages are first words."""
OWN_DANGERS: tuple[GuardLabel, ...] = ("active", "implicit")
LIKELY, UNDERSTOOD = 0.5, 0.8
"""From these probabilities on, danger or a wish in first words counts even if only words without meaning can be shown:
of all opinions together, and of the network that finds it most likely: networks read the order of such words too.
"""
NETWORK_CALM = 0.2
"""Only if each network that reads a message finds danger or a wish less likely than this can it be calm."""
_ONE_SIGN = re.compile(r"[\s.,:;!?()'\"-]*[0-9A-Za-z가-힣]?[\s.,:;!?()'\"-]*")
_NO_MEANING = STOP_WORDS | frozenset(["m", "ve", "ll", "d", "s", "t", "re", "don"])
_CALM = frozenset({"acceptance", ORDINARY})

_Level = Literal["sure", "doubt", "flag", "none"]


class GuardReading(Frozen):
    """How the trained guard reads a message. `level` and `label` are its verdict, and `words` are the words that
    decided it. `danger` is the probability of danger, `wish` that of danger or a wish to die. `calm` says that the
    message is so harmless that the screen's words do not count.
    """

    level: _Level
    label: GuardLabel
    danger: float
    wish: float
    words: str = ""
    calm: bool = False


NOTHING_READ = GuardReading(level="none", label="acceptance", danger=0.0, wish=0.0)


def read_message(text: str, opening: bool = False) -> GuardReading:
    """The gravest reading of a message and of the windows of a long one. `opening` says that these are first words. If
    they say goodbye, the level of later messages counts.
    """
    return gravest(read_piece(piece, opening) for piece in pieces_to_read(text))


def pieces_to_read(text: str) -> list[str]:
    """The pieces of a message, or nothing: one letter or syllable ("B", "n"), a number and bare courtesy ("Thank you,
    goodbye.") say nothing that the weights could have learned. Only the word screen looks at them.
    """
    return [] if _ONE_SIGN.fullmatch(text) or only_a_number(text) or only_courtesy(text) else pieces(text)


def gravest(readings: Iterable[GuardReading]) -> GuardReading:
    """The gravest of the readings of a message's pieces."""
    return min(readings, key=_gravity, default=NOTHING_READ)


def _gravity(reading: GuardReading) -> tuple[int, float]:
    return get_args(_Level).index(reading.level), -reading.danger - reading.wish


def pieces(text: str) -> list[str]:
    """The message, and if it is long also overlapping sequences of its sentences."""
    if len(text) <= LONG_CHARS:
        return [text]
    parts = [part[at : at + WINDOW_CHARS] for part in sentences(text) for at in range(0, len(part), WINDOW_CHARS)]
    windows, start = [text], 0
    while start < len(parts):
        end, size = start, 0
        while end < len(parts) and (end == start or size + len(parts[end]) <= WINDOW_CHARS):
            size += len(parts[end]) + 1
            end += 1
        windows.append(" ".join(parts[start:end]))
        if end == len(parts):
            break
        start = max(start + 1, (start + end) // 2)
    return windows


def message_language(text: str) -> Lang:
    """The language of a message: a person may write in another language than the session's."""
    return language_of(text, 2) or "ko"


def read_piece(text: str, opening: bool = False) -> GuardReading:
    """The reading of one piece of a message."""
    model, lang = weights(), message_language(text)
    by_grams, levels = model.read(text, lang), model.settings[lang]
    by_networks = network_opinions(text, lang, model.labels)
    found = with_networks(by_grams, by_networks)
    danger, wish = _danger(found), _wish(found)
    pressing = danger - (1 - levels["hinted"]) * found["implicit"]
    alone = max((_wish(dict(zip(model.labels, one.tolist(), strict=True))) for one in by_networks), default=0.0)
    likely = wish >= LIKELY or alone >= UNDERSTOOD
    gravest = max(DANGERS, key=lambda name: found[name])
    level: _Level = "none"
    # The higher level is for a person's own danger in first words (see the top of this file). It does not hold with a
    # goodbye: a person who says goodbye at once may be gone before a second message can be read.
    lenient = opening and gravest in OWN_DANGERS and not says_goodbye(text)
    if pressing >= levels["opening" if lenient else "doubt"]:
        level = "sure" if pressing >= levels["sure"] else "doubt"
    elif wish >= levels["opening_flag" if opening else "flag"]:
        level = "flag"
    label: GuardLabel = "acceptance"
    if level in ("sure", "doubt"):
        label = gravest
    elif level == "flag":
        label = "passive"
    shown = "" if level == "none" else model.words(text, frozenset({label}), _CALM)
    lenient = lenient or (opening and level == "flag" and not says_goodbye(text))
    if lenient and level in ("doubt", "flag") and not likely and not set(words(shown)) - _NO_MEANING:
        level, label, shown = "none", "acceptance", ""
    calm = level == "none" and wish < levels["calm"] and alone < NETWORK_CALM
    told = surer(found) if by_networks else found
    chances = {"danger": round(_danger(told), 4), "wish": round(_wish(told), 4)}
    return GuardReading(level=level, label=label, **chances, words=shown, calm=calm)


def _danger(found: Mapping[str, float]) -> float:
    return sum(found[label] for label in DANGERS)


def _wish(found: Mapping[str, float]) -> float:
    return _danger(found) + found["passive"]


@cache
def weights() -> TextLabels:
    """The shipped weights."""
    return load(package_file(PACKAGE, f"data/guard/{WEIGHTS}").read_bytes(), WEIGHTS)
