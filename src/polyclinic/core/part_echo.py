"""Whether somebody repeats what was said to them: the other person's last words, or their own instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from polyclinic.text.normal import normalise
from polyclinic.text.persons import I_SHORT, I_WORDS, YOU_WORDS, YOURSELF, speaks_of_self, without_persons
from polyclinic.text.saying_back import saying_back
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import spoken_words

ECHO_WORDS = 4
PROMPT_ECHO = 8
EXAMPLE_ECHO = 6
_ADDED = 3
_ASKED_BACK = 3
_QUESTION_ECHO = 5
_I = I_WORDS | I_SHORT
_DOES = frozenset(
    ("will", "i'll", "should", "understand", "concerned", "appreciate", "ensure", "suspect", "remind", "recommend")
)
_STATES = _DOES | {"need", "sure"}
_OWN_ECHO = 7
_HEARD_ECHO = 8
_NEAR_PAIRS = 8
_NEARLY = 0.7
_MIRROR_TRIPLES, _MIRRORED = 6, 0.7
_PERSON = re.compile(r"\b(?:the patient|they|them|their)(?:'s)?\b")
_NOT_HANGUL = re.compile(r"[^가-힣]")

_TOLD = re.compile(r"\byou(?:r|rs|'re)?\b|당신|하세요|마세요|십시오|하시오", re.IGNORECASE)
_ORDERS = re.compile(
    r"\b(?:do not|don't|never|answer|say|speak|write|begin|repeat)\b|마세요|하세요|십시오", re.IGNORECASE
)
_ASKS = re.compile(
    r"^(?:and |so )?(?:where|what|when|which|who|why|how|do|does|did|is|are|was|were|have|has|can|could|will|would)\b"
    r"|\byour?\b"
)
_GREETING = re.compile(r"\bhow (?:are|do) you(?: do(?:ing)?)?(?: today)?\?|안녕|누구세요|여보세요")
_HONOURS = re.compile(r"(?:세요|[시신실]가?[나까]?[요까죠]|십니까|셨어요|셨나요|셨습니까)\?")
"""The endings of a Korean question to somebody else: nobody honours themselves."""
_HONOURED = re.compile(r"[가-힣]{2,}(?:시나요|십니까|셨나요|셨습니까|신가요)(?=\?)")
_Words = tuple[str, ...]
_ANYONE = I_WORDS | YOU_WORDS | YOURSELF


def echo_of_other(line: str, mine: list[str], said: str) -> str:
    """The words of a line that repeat the other person; empty if none do.

    These are: their last words with hardly a word added, one of their questions, what they said to "you", or what they
    said about themselves.
    """
    if _only_asks_back(line, mine, said):
        return line
    count, theirs = _words_said(said)
    if count < ECHO_WORDS or not mine:
        return ""
    joined = " ".join(mine)
    if len(mine) - count < _ADDED and theirs in joined:
        return line
    found = next((part for part in _questions_said(said) if part in joined), "")
    if not found and not YOU_WORDS.isdisjoint(mine):
        found = next((part for part in _said_to_you(said) if part in joined), "")
    if not found and not _I.isdisjoint(mine):
        found = next((part for part in _said_of_themselves(said) if part in joined), "")
    found = found or ("" if line.isascii() else _nearly_given_back(line, said))
    return found or ("" if _DOES.isdisjoint(mine) else _mirrored(line, said))


def echo_of_heard(line: str, heard: Sequence[str]) -> str:
    """A statement of a line that somebody else made earlier, word for word; empty if there is none."""
    mine = {tuple(words): part for part in sentences(line) if len(words := spoken_words(part)) >= _HEARD_ECHO}
    theirs = (words for said in heard for words in _sentences_said(said))
    return next((mine[words] for words in theirs if words in mine and not is_question(mine[words])), "")


def _only_asks_back(line: str, mine: list[str], said: str) -> bool:
    """Whether a line is nothing but sentences of the other person, and one of them asks the listener something.

    Somebody who repeats a question to be sure of it says "I" or 저, or repeats a word or two.
    """
    if _honours_back(line, said):
        return True
    theirs = _sentences_said(said)
    if not any(words == tuple(mine[: len(words)]) for words in theirs):  # most lines begin in no such way
        return False
    given_back = [tuple(spoken_words(sentence)) for sentence in sentences(line)]
    return set(given_back) <= theirs.keys() and any(theirs[words] for words in given_back)


def _honours_back(line: str, said: str) -> bool:
    """Whether a line is one Korean question that ends in the same polite verb as the other person's question."""
    if line.isascii():
        return False
    asked = _HONOURED.findall(said) if "?" in said else []
    mine = _HONOURED.findall(line)
    return len(mine) == 1 == line.count("?") and mine[0] in asked and not _GREETING.search(line)


@lru_cache(maxsize=1_024)
def _sentences_said(said: str) -> dict[_Words, bool]:
    """The other person's sentences, as words, and whether each asks the listener something. Greetings do not."""
    found: dict[_Words, bool] = {}
    for sentence in sentences(normalise(said)):
        words = tuple(spoken_words(sentence))
        asks = (len(words) >= _ASKED_BACK and _ASKS.search(sentence)) or _HONOURS.search(sentence)
        found[words] = bool(asks) and is_question(sentence) and not _GREETING.search(sentence)
    return found


@lru_cache(maxsize=1_024)
def _said_to_you(said: str) -> tuple[str, ...]:
    """Word sequences with "you" in them, from statements.

    Somebody who confirms what was said to them would say "I" instead.
    """
    return _runs_of_statements(said, _QUESTION_ECHO, YOU_WORDS)


@lru_cache(maxsize=1_024)
def _said_of_themselves(said: str) -> tuple[str, ...]:
    """Word sequences that say what the other person does or thinks ("I will order the test"), from statements.

    Somebody who confirms this would say "you" instead. What the other says about symptoms is left out: a small model
    that plays the doctor may speak as the patient, and then the patient is right to say the same.
    """
    return tuple(run for run in _runs_of_statements(said, _OWN_ECHO, _I) if not _STATES.isdisjoint(run.split()))


def _runs_of_statements(said: str, length: int, of_whom: frozenset[str]) -> tuple[str, ...]:
    """Sequences of `length` words, from statements, that contain one of the words `of_whom`."""
    found: list[str] = []
    for sentence in sentences(said):
        if not is_question(sentence):
            words = spoken_words(normalise(sentence))
            runs = (words[at : at + length] for at in range(len(words) - length + 1))
            found.extend(" ".join(run) for run in runs if not of_whom.isdisjoint(run))
    return tuple(found)


def _nearly_given_back(line: str, said: str) -> str:
    """A Korean sentence that differs from one of the other person's only in an ending or a word. Korean endings change
    with the speaker, so pairs of syllables are compared, not words.
    """
    theirs = _pairs_said(said)
    for sentence in sentences(line):
        pairs = _syllable_pairs(sentence)
        if len(pairs) >= _NEAR_PAIRS and any(
            2 * len(pairs & each) >= _NEARLY * (len(pairs) + len(each)) for each in theirs
        ):
            return sentence
    return ""


def _mirrored(line: str, said: str) -> str:
    """A sentence that is the other person's statement of what they do or think, with "I" for "you" or "the patient".

    Empty if there is none, or if the person was asked to say it back. What was said about symptoms may be taken up.
    """
    theirs = _triples_said(said)
    if not theirs or saying_back(said):
        return ""
    for sentence in sentences(line):
        triples = _triples(sentence)
        if (
            len(triples) >= _MIRROR_TRIPLES
            and len(triples & theirs) >= _MIRRORED * len(triples)
            and not _DOES.isdisjoint(spoken_words(sentence))
        ):
            return sentence
    return ""


def _triples(text: str) -> frozenset[_Words]:
    words = _anyone(spoken_words(_PERSON.sub("i", normalise(text))))
    return frozenset(zip(words, words[1:], words[2:], strict=False))


@lru_cache(maxsize=1_024)
def _triples_said(said: str) -> frozenset[_Words]:
    """Each three words in a row of the other person's statements. Questions are left out: an answer takes them up."""
    found = (_triples(sentence) for sentence in sentences(said) if not is_question(sentence))
    return frozenset(triple for triples in found for triple in triples)


def _syllable_pairs(text: str) -> frozenset[str]:
    syllables = _NOT_HANGUL.sub("", text)
    return frozenset(syllables[at : at + 2] for at in range(len(syllables) - 1))


@lru_cache(maxsize=1_024)
def _pairs_said(said: str) -> tuple[frozenset[str], ...]:
    found = (_syllable_pairs(sentence) for sentence in sentences(said))
    return tuple(pairs for pairs in found if len(pairs) >= _NEAR_PAIRS)


@lru_cache(maxsize=1_024)
def _words_said(said: str) -> tuple[int, str]:
    words = spoken_words(normalise(said))
    return len(words), " ".join(words)


@lru_cache(maxsize=1_024)
def _questions_said(said: str) -> tuple[str, ...]:
    """Questions, as words.

    Statements are not checked: people repeat them to confirm a time or to show that they understood.
    """
    found = (spoken_words(normalise(part)) for part in sentences(said) if is_question(part))
    return tuple(" ".join(words) for words in found if len(words) >= _QUESTION_ECHO)


def echo_of_instructions(line: str, mine: list[str], told: str) -> str:
    """The words of a line that repeat the instructions; empty if none do.

    They are a word sequence from an instruction (a sentence to "you" without "I"), or a whole sentence.
    """
    known, whole, beginnings = _runs(told)
    anyone = _anyone(mine)
    if beginnings.isdisjoint(zip(anyone, anyone[1:], anyone[2:], strict=False)):
        return ""
    copied = next((sentence for sentence in sentences(line) if tuple(spoken_words(sentence)) in whole), "")
    if copied:
        return copied
    for start in range(len(mine) - PROMPT_ECHO + 1):
        run = tuple(mine[start : start + PROMPT_ECHO])
        if run in known or _anyone(run) in known:
            return " ".join(run)
    return ""


def _anyone(words: Sequence[str]) -> _Words:
    """The words, with the same placeholder for "I" and "you"."""
    return tuple(without_persons(words, _ANYONE))


@lru_cache(maxsize=64)
def _runs(told: str) -> tuple[frozenset[_Words], frozenset[_Words], frozenset[_Words]]:
    """Three sets: word sequences from instructions, whole sentences, and the first three words of each. In the third
    set, "I" and "you" are replaced by the same placeholder.
    """
    found: set[_Words] = set()
    whole: set[_Words] = set()
    for sentence in sentences(told):
        words = tuple(spoken_words(normalise(sentence)))
        if len(words) >= EXAMPLE_ECHO:
            whole.add(words)
        if _TOLD.search(sentence) and not speaks_of_self(sentence):
            runs = {tuple(words[at : at + PROMPT_ECHO]) for at in range(len(words) - PROMPT_ECHO + 1)}
            found |= runs
            if _ORDERS.search(sentence):  # an order that is repeated with "my" for "your" is still an order
                found |= {_anyone(run) for run in runs}
    return frozenset(found), frozenset(whole), frozenset(_anyone(run[:3]) for run in found | whole)
