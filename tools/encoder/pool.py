"""Messages, statements beside sources, and tutors' turns that nobody has labelled: language models label them.

    python -m tools.encoder.pool pool.jsonl

Our own lines are too few for a small network. A large one learns more from the same lines, and what it says about
other texts teaches the small one (`teacher`, `readings`). All texts here are made from training lines in English and
Korean, never from a test author's. Messages for the counsel guard are what patients say in other clinics' lines, parts
of long lines, and two lines put together. Statements and turns are those of other sources and cases, and some in which
one word was changed. Each of these has the facts of the question about it. Where the answer follows from how a
statement was made, it is known and no model is asked: a source's own sentence is supported, and what contradicts a
supported statement is not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from polyclinic.core.reading import Question, ReadingKind
from polyclinic.core.seed import stream
from polyclinic.reading.sets import Labelled
from polyclinic.runner.readings import all_kinds
from polyclinic.text.normal import HANGUL
from polyclinic.text.sentences import sentences
from polyclinic.text.words import STOP_WORDS, words
from tools.encoder.pool_changes import changes
from tools.encoder.rows import BOTH, KOREAN, repository_lines

SUPPORTED, FALSE = "counsel-supported", "rounds-false"
"""The kinds of reading whose statements are labelled."""
MOST = {"": 22_000, SUPPORTED: 20_000, FALSE: 10_000}
"""How many texts of each sort are kept in each language; messages have no kind."""
_OTHER_SOURCES, _CHANGED, _CHANGED_SENTENCES = 3, 3, 4
Facts = tuple[tuple[str, str], ...]


class Unlabelled(NamedTuple):
    """One text, its language, and the question about it: a kind of reading and its facts. A message for the guard has
    none. `known` is the answer, if it follows from how the text was made.
    """

    text: str
    lang: str = "en"
    kind: str = ""
    facts: Facts = ()
    known: bool | None = None

    def question(self, kinds: Mapping[str, ReadingKind]) -> Question:
        """The question about a statement or turn."""
        return kinds[self.kind].ask(**dict(self.facts))


def statements(lines: Sequence[Labelled], chance: Random) -> Iterator[Unlabelled]:
    """Statements beside sources of one language, from labelled lines."""
    sources = sorted({line.question.fact("source") for line in lines})
    near, lang = _near(sources), lines[0].lang

    def beside(text: str, source: str, known: bool | None = None) -> Unlabelled:
        return Unlabelled(text, lang, SUPPORTED, (("source", source),), known)

    for line in lines:
        mine = line.question.fact("source")
        for other in [*near(mine), chance.choice(sources)]:
            yield beside(line.text, other)
        for changed in _some(changes(line.text), _CHANGED, chance):
            yield beside(changed.text, mine, False if changed.contradicts and line.label else None)
    for source in (source for source in sources if (lang == KOREAN) == bool(HANGUL.search(source))):
        title, *told = sentences(source)
        for sentence in told or [title]:
            yield beside(sentence, source, True)
            for changed in _some(changes(sentence), _CHANGED_SENTENCES, chance):
                yield beside(changed.text, source, False if changed.contradicts else None)
            yield beside(sentence, chance.choice(near(source) or sources))


def turns(lines: Sequence[Labelled], chance: Random) -> Iterator[Unlabelled]:
    """Tutors' turns of one language, from labelled lines: changed ones, and in another case. No answer is known: a
    changed turn may still be true of medicine.
    """
    about = {line.about: line.question.facts for line in lines}
    for line in lines:
        for changed in _some(changes(line.text), _CHANGED, chance):
            yield Unlabelled(changed.text, line.lang, FALSE, line.question.facts)
        yield Unlabelled(line.text, line.lang, FALSE, about[chance.choice(sorted(about))])


def _some(made: Iterable[Any], most: int, chance: Random) -> list[Any]:
    found = list(made)
    return chance.sample(found, min(most, len(found)))


def _near(sources: Sequence[str]) -> Callable[[str], list[str]]:
    """The sources that share most of a source's words."""
    named = {source: set(words(source)) - STOP_WORDS for source in sources}
    kept: dict[str, list[str]] = {}

    def near(source: str) -> list[str]:
        if source not in kept:
            mine = named[source]
            others = sorted(
                (-len(mine & theirs) / max(1, len(mine | theirs)), other)
                for other, theirs in named.items()
                if other != source
            )
            kept[source] = [other for _, other in others[:_OTHER_SOURCES]]
        return kept[source]

    return near


def messages(labelled: Sequence[str], said: Sequence[str], chance: Random, lang: str = "en") -> Iterator[Unlabelled]:
    """Messages for the guard: what patients `said` elsewhere, parts of the guard's lines, and two of them together."""
    yield from (Unlabelled(text, lang) for text in said)
    for text in labelled:
        parts = sentences(text)
        if len(parts) > 1:
            yield from (Unlabelled(part, lang) for part in parts)
            yield Unlabelled(" ".join(parts[1:]), lang)
        yield Unlabelled(f"{text} {chance.choice(labelled)}", lang)


def pool(most: Mapping[str, int]) -> list[Unlabelled]:
    """All texts that are to be labelled, at most so many of each sort in each language."""
    lines, labelled, _ = repository_lines(BOTH)
    kinds, found = all_kinds(), list[Unlabelled]()
    known: set[tuple[str, str, Facts]] = {(line.text, "", ()) for line in labelled}
    known |= {(line.text, line.question.kind, line.question.facts) for line in lines}
    for lang in BOTH:
        chance, mine = stream("unlabelled", lang), [line for line in lines if line.lang == lang]
        said = sorted({line.text for line in mine if kinds[line.question.kind].who == ("patient",)})
        of = {kind: [line for line in mine if line.question.kind == kind] for kind in (SUPPORTED, FALSE)}
        made = {
            "": messages([line.text for line in labelled if line.lang == lang], said, chance, lang),
            SUPPORTED: statements(of[SUPPORTED], chance) if of[SUPPORTED] else iter(()),
            FALSE: turns(of[FALSE], chance),
        }
        for kind, texts in made.items():
            by_text = {(one.text, one.kind, one.facts): one for one in texts}
            fresh = [one for name, one in by_text.items() if name not in known]
            found += chance.sample(fresh, min(most[kind], len(fresh)))
    return found


def save_pool(path: Path, found: Sequence[Unlabelled]) -> None:
    """Write the texts, one JSON object a line."""
    path.write_bytes(b"".join(orjson.dumps(one._asdict(), option=orjson.OPT_APPEND_NEWLINE) for one in found))


def open_pool(path: Path) -> list[Unlabelled]:
    """The reverse of `save_pool`."""
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    return [Unlabelled(**{**row, "facts": tuple((name, fact) for name, fact in row["facts"])}) for row in rows]


def main(arguments: list[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the file to write, one JSON object a line")
    for name, kind in (("messages", ""), ("statements", SUPPORTED), ("turns", FALSE)):
        parser.add_argument(f"--{name}", type=int, default=MOST[kind], help="in each language; default: %(default)s")
    given = parser.parse_args(arguments)
    found = pool({"": given.messages, SUPPORTED: given.statements, FALSE: given.turns})
    save_pool(given.out, found)
    for lang in BOTH:
        for kind in MOST:
            mine = [one for one in found if (one.lang, one.kind) == (lang, kind)]
            known = sum(one.known is not None for one in mine)
            print(f"{lang} {kind or 'messages'}: {len(mine)}, {known} of them with a known answer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
