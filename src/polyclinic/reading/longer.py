"""Further lines for training, made from labelled ones: longer, shorter, and asked about something else.

Authors write a slip in one short sentence and a good answer in three, so a trained reader takes length for meaning and
finds nothing in a long text. For kinds where a text means it as soon as a part of it does (`ReadingKind.parts`), lines
of the same language are joined: yes with no is yes, no with no is no. `quiet` kinds give further lines that do not
mean it. Only training lines are used; test authors are never touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from polyclinic.core.seed import stream
from polyclinic.reading.sets import Labelled


def put_together(rows: Sequence[Labelled], quiet: Sequence[Labelled] = ()) -> list[Labelled]:
    """New lines for one kind, from its own and from lines of kinds that never mean it."""
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


def swapped(rows: Sequence[Labelled]) -> list[Labelled]:
    """Each yes line asked about what another line is about: no. For kinds where a text fits one target only.

    The yes lines come again too, so that no answer becomes likelier by this.
    """
    made: list[Labelled] = []
    for row in rows:
        others = [other for other in rows if other.lang == row.lang and other.about != row.about]
        if row.label and others:
            chance = stream("swapped", row.question.kind, row.text)
            made += [replace(row, question=chance.choice(others).question, label=False), row]
    return made
