"""What people say about a reader, kind by kind: agreement, kappa, and how often the reader is right by their labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyclinic.core.reading import Says
from polyclinic.eval.agreement import Agreement, cohen_kappa, krippendorff_alpha
from polyclinic.eval.audit_readings import AskedReading, PersonsReading, ReadingsKey, agreed
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table
from polyclinic.reading.measure import Accuracy, accuracy, not_measured

ALL = "all kinds"
_SCALE: dict[Says, int] = {"yes": 0, "no": 1, "unclear": 2}


@dataclass(frozen=True)
class KindAudit:
    """One kind of reading (or all): how often people and reader say the same, of `n` items that people answered; kappa
    over yes, no and unclear; how often the reader is right where people say yes or no; and the same balanced accuracy
    weighted to the run, because the sheet holds rare answers more often than the run does.
    """

    kind: str
    n: int
    agree: float
    kappa: Agreement
    right: Accuracy
    in_run: float | None


def audit_readings(key: ReadingsKey, answers: Sequence[PersonsReading]) -> list[KindAudit]:
    """The figures of each kind that people answered, and of all together."""
    said = agreed(answers)
    by_kind: dict[str, list[str]] = {}
    for code, one in key.items.items():
        if code in said:
            by_kind.setdefault(one.kind, []).append(code)
    found = [_kind(kind, codes, key, said) for kind, codes in sorted(by_kind.items())]
    return [*found, _kind(ALL, [code for codes in by_kind.values() for code in codes], key, said)]


def _kind(kind: str, codes: Sequence[str], key: ReadingsKey, said: Mapping[str, Says]) -> KindAudit:
    people = [said[code] for code in codes]
    reader = [key.items[code].says for code in codes]
    scale = list(_SCALE.values())
    clear = [(key.items[code], said[code] == "yes") for code in codes if said[code] != "unclear"]
    return KindAudit(
        kind=kind,
        n=len(codes),
        agree=sum(a == b for a, b in zip(people, reader, strict=True)) / len(codes),
        kappa=cohen_kappa([_SCALE[a] for a in people], [_SCALE[b] for b in reader], categories=scale),
        right=accuracy([(label, one.says) for one, label in clear]),
        in_run=_weighted(key, clear),
    )


def _weighted(key: ReadingsKey, clear: Sequence[tuple[AskedReading, bool]]) -> float | None:
    """Balanced accuracy over the readings of the run; None if people never said one of the two answers."""
    shares = []
    for label, right in ((True, "yes"), (False, "no")):
        weights = [(key.weight(one), one.says == right) for one, said in clear if said == label]
        total = sum(weight for weight, _ in weights)
        if not total:
            return None
        shares.append(sum(weight for weight, is_right in weights if is_right) / total)
    return sum(shares) / 2


def among_people(answers: Sequence[PersonsReading]) -> Agreement | None:
    """How far people agree with each other; None with one person."""
    raters = sorted({answer.rater for answer in answers})
    if len(raters) < 2:
        return None
    given = {(answer.item, answer.rater): float(_SCALE[answer.says]) for answer in answers}
    items = sorted({answer.item for answer in answers})
    return krippendorff_alpha([[given.get((i, r), math.nan) for r in raters] for i in items], "nominal")


def readings_sections(key: ReadingsKey, answers: Sequence[PersonsReading]) -> list[Section]:
    """The figures as a section of a report."""
    kinds = audit_readings(key, answers)
    raters = sorted({answer.rater for answer in answers})
    columns = ("kind", "n", "agree", "kappa", "labels", "yes right", "no right", "balanced", "from", "to", "in the run")
    rows: list[list[Cell]] = [
        [
            *(one.kind, one.n, one.agree, one.kappa.shown(), one.right.n),
            *map(_there, (one.right.yes_right, one.right.no_right, one.right.balanced, one.right.low, one.right.high)),
            one.in_run,
        ]
        for one in kinds
    ]
    short: dict[str, list[str]] = {}
    for one in kinds:
        if one.kappa.note:
            short.setdefault(one.kappa.note, []).append(one.kind)
    notes = [f"Kappa, {', '.join(names)}: {note}." for note, names in short.items()]
    notes.append(not_measured({one.kind: one.right for one in kinds}))
    about = (
        "Agree and kappa count unclear as an answer. Right and balanced are the reader's, on the labels (the items "
        "about which all people say yes, or all say no); its unclear answers count as wrong. Readings were drawn "
        "evenly over its answers, so rare answers are more frequent here than in the run; the last column undoes this."
    )
    body: list[Block] = [
        Paragraph(f"{len(raters)} raters, who did not see what reader {key.reader} had said: {', '.join(raters)}."),
        Table("People and the reader, by kind of reading", columns, rows, note=" ".join(filter(None, [about, *notes]))),
    ]
    people = among_people(answers)
    if people is not None:
        row: list[Cell] = [people.name, people.shown(), people.units]
        body.append(Table("Among people", ["coefficient", "value", "items"], [row], note=people.note))
    return [Section("People as readers", body)]


def _there(value: float) -> float | None:
    return None if math.isnan(value) else value
