"""Further training examples, made from labelled lines: longer, shorter, or with another question.

Authors write a mistake in one short sentence and a good answer in three. So a trained reader would learn the length
instead of the meaning, and find nothing in a long text. For kinds where one part of a text is enough for a yes
(`ReadingKind.parts`), lines of the same language are joined: yes with no is yes, no with no is no. `quiet` kinds give
further lines whose answer is no. Only training lines are used, never those of test authors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from polyclinic.core.reading import ReadingKind
from polyclinic.core.seed import stream
from polyclinic.reading.sets import Labelled
from polyclinic.reading.windows import SPEAKER

_MOST_AROUND = 4


def put_together(rows: Sequence[Labelled], quiet: Sequence[Labelled] = ()) -> list[Labelled]:
    """Training lines for one kind of question: its own lines joined with others, and `quiet` lines, alone and joined.

    The answer for `quiet` lines is always no.
    """
    calm: dict[str, list[Labelled]] = defaultdict(list)
    for row in rows:
        if not row.label:
            calm[row.lang].append(row)
    if not calm:
        return []
    chance = stream("put together", rows[0].question.kind)
    around = {lang: [row.text for row in (*own, *quiet) if row.lang == lang] for lang, own in calm.items()}
    made = [_joined(row, chance, around[row.lang]) for row in rows if row.lang in around]
    for row in quiet:
        if row.lang in calm:
            beside = chance.choice(calm[row.lang])
            alone = replace(beside, text=row.text)
            made += [alone, _joined(alone, chance, [beside.text])]
    return made


def _joined(row: Labelled, chance: Random, around: Sequence[str]) -> Labelled:
    texts = [row.text, chance.choice(around)]
    chance.shuffle(texts)
    return replace(row, text=" ".join(texts))


def messages(rows: Sequence[Labelled], kinds: Mapping[str, ReadingKind]) -> list[Labelled]:
    """Longer messages, made from training lines only. In each, one line decides the answer and two to four others do
    not.

    Which lines do not decide depends on the kind. For a kind about a case: lines of the same speakers about other
    cases; for a kind with a fixed list of targets: lines about other targets; for any other kind: lines of the kinds in
    `quiet`, or else its own lines whose answer is no. A kind for which the whole text decides and that names no quiet
    kinds gives no messages.
    """
    by_kind: dict[str, list[Labelled]] = defaultdict(list)
    for row in rows:
        by_kind[row.question.kind].append(row)
    made: list[Labelled] = []
    for name, mine in sorted(by_kind.items()):
        chance = stream("messages", name)
        others = _around(kinds[name], by_kind, kinds)
        for row in mine:
            calm = others(row)
            if len(calm) > _MOST_AROUND:
                texts = chance.sample(calm, chance.randint(2, _MOST_AROUND))
                made.append(replace(row, text=_one_message([row.text, *(text for text in texts)], chance)))
    return made


def _around(
    kind: ReadingKind, by_kind: Mapping[str, Sequence[Labelled]], kinds: Mapping[str, ReadingKind]
) -> Callable[[Labelled], Sequence[str]]:
    """For a line of this kind, the texts that may be put around it without changing its answer."""
    mine = by_kind[kind.name]
    if kind.quiet or kind.stance:
        quiet = {
            lang: [row.text for name in kind.quiet for row in by_kind.get(name, ()) if row.lang == lang and row.label]
            for lang in {row.lang for row in mine}
        }
        return lambda line: quiet[line.lang]
    if kind.open and not kind.listed:
        speakers = [row for name, rows in by_kind.items() if set(kinds[name].who) & set(kind.who) for row in rows]
        return lambda line: [row.text for row in speakers if row.about != line.about and row.lang == line.lang]
    calm: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in mine:
        if not row.label:
            calm[row.lang, *(row.question.fact(name) for name in kind.open)].append(row.text)
    return lambda line: calm[line.lang, *(line.question.fact(name) for name in kind.open)]


def _one_message(texts: list[str], chance: Random) -> str:
    """The texts in random order, as one message of one speaker."""
    named = SPEAKER.match(texts[0])
    bare = [SPEAKER.sub("", text, count=1) for text in texts]
    chance.shuffle(bare)
    return (named[0] if named else "") + " ".join(bare)


def swapped(rows: Sequence[Labelled]) -> list[Labelled]:
    """New no lines for kinds where a text fits one target only: each yes line gets the question of another line.

    The yes lines are repeated too, so that neither answer becomes more likely.
    """
    made: list[Labelled] = []
    for row in rows:
        others = [other for other in rows if other.lang == row.lang and other.about != row.about]
        if row.label and others:
            chance = stream("swapped", row.question.kind, row.text)
            made += [replace(row, question=chance.choice(others).question, label=False), row]
    return made
