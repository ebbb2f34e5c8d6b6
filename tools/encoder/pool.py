"""Messages, and statements beside sources, that nobody has labelled: a language model labels them (`teacher`).

    python -m tools.encoder.pool pool.jsonl

Our own lines are too few for a small network. A large one learns more from the same lines, and what it says about
other texts teaches the small one. All texts here are made from English training lines, never from a test author's.
Messages for the counsel guard are what patients say in other clinics' lines, parts of long lines, and two lines put
together. Statements are those of other sources, and statements and sentences in which one word was changed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson

from polyclinic.core.seed import stream
from polyclinic.runner.readings import all_kinds
from polyclinic.text.sentences import sentences
from polyclinic.text.words import STOP_WORDS, words
from tools.encoder.opinions import SUPPORTED
from tools.encoder.rows import repository_lines

MESSAGES, STATEMENTS = 22_000, 22_000
"""How many texts of each sort are kept."""
_OTHER_SOURCES = 3
_SWAPS = (
    ("may", "will"),
    ("can", "cannot"),
    ("some", "all"),
    ("many", "few"),
    ("most", "all"),
    ("usually", "always"),
    ("often", "rarely"),
    ("before", "after"),
    ("more", "less"),
    ("never", "always"),
    ("must", "may"),
    ("should", "need not"),
    ("is", "is not"),
    ("are", "are not"),
    ("does", "does not"),
    ("with", "without"),
    ("first", "last"),
    ("day", "week"),
    ("days", "hours"),
    ("weeks", "months"),
    ("morning", "evening"),
    ("doctor", "family"),
    ("nurse", "doctor"),
    ("increase", "lower"),
    ("start", "stop"),
    ("early", "late"),
    ("good", "bad"),
    ("only", "also"),
    ("and", "or"),
)
_NUMBER = re.compile(r"\b\d+\b|\b(?:one|two|three|four|five|six|seven|eight|ten|twelve|half|twice)\b", re.IGNORECASE)
_NUMBERS = ("two", "three", "four", "six", "eight", "ten", "twenty")


class Unlabelled(NamedTuple):
    """One text, and the source that it is held against; a message for the guard has none."""

    text: str
    source: str = ""


def changes(text: str) -> Iterator[str]:
    """The text with one word changed, in each way that it allows."""
    for one, other in _SWAPS:
        for here, there in ((one, other), (other, one)):
            changed = re.sub(rf"\b{here}\b", there, text, count=1)
            if changed != text:
                yield changed
    for found in _NUMBER.finditer(text):
        for number in _NUMBERS:
            if number != found.group().lower():
                yield text[: found.start()] + number + text[found.end() :]


def statements(lines: Sequence[tuple[str, str]], chance: Random) -> Iterator[Unlabelled]:
    """Statements beside sources, from labelled pairs of both: the statements of near sources, and changed ones."""
    sources = sorted({source for _, source in lines})
    near = _near(sources)
    for text, source in lines:
        for other in [*near(source), chance.choice(sources)]:
            yield Unlabelled(text, other)
        yield from _some(changes(text), 3, source, chance)
    for source in sources:
        for sentence in sentences(source):
            yield from _some(changes(sentence), 4, source, chance)
            yield Unlabelled(sentence, chance.choice(near(source)))


def _some(texts: Iterable[str], most: int, source: str, chance: Random) -> list[Unlabelled]:
    found = list(texts)
    return [Unlabelled(text, source) for text in chance.sample(found, min(most, len(found)))]


def _near(sources: Sequence[str]) -> Callable[[str], list[str]]:
    """The sources that share most of a source's words."""
    named = {source: set(words(source)) - STOP_WORDS for source in sources}

    def near(source: str) -> list[str]:
        mine = named[source]
        others = sorted(
            (-len(mine & theirs) / max(1, len(mine | theirs)), other)
            for other, theirs in named.items()
            if other != source
        )
        return [other for _, other in others[:_OTHER_SOURCES]]

    return near


def messages(labelled: Sequence[str], said: Sequence[str], chance: Random) -> Iterator[Unlabelled]:
    """Messages for the guard: what patients `said` elsewhere, parts of the guard's lines, and two of them together."""
    yield from (Unlabelled(text) for text in said)
    for text in labelled:
        parts = sentences(text)
        if len(parts) > 1:
            yield from (Unlabelled(part) for part in parts)
            yield Unlabelled(" ".join(parts[1:]))
        yield Unlabelled(f"{text} {chance.choice(labelled)}")


def pool() -> list[Unlabelled]:
    """All texts that are to be labelled."""
    lines, labelled, _ = repository_lines()
    chance, kinds = stream("unlabelled"), all_kinds()
    said = sorted({line.text for line in lines if kinds[line.question.kind].who == ("patient",)})
    pairs = [(line.text, dict(line.question.facts)["source"]) for line in lines if line.question.kind == SUPPORTED]
    known = {(line.text, "") for line in labelled} | set(pairs)
    found: list[Unlabelled] = []
    for made, most in (
        (messages([line.text for line in labelled], said, chance), MESSAGES),
        (statements(pairs, chance), STATEMENTS),
    ):
        fresh = [one for one in dict.fromkeys(made) if one not in known]
        found += chance.sample(fresh, min(most, len(fresh)))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write, one JSON object a line")
    given = parser.parse_args(arguments)
    found = pool()
    given.out.write_bytes(b"".join(orjson.dumps(one._asdict(), option=orjson.OPT_APPEND_NEWLINE) for one in found))
    print(f"{given.out}: {len(found)} texts, {sum(bool(one.source) for one in found)} of them beside a source")
    return 0


if __name__ == "__main__":
    sys.exit(main())
