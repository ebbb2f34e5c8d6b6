"""The guard's figures as a report for people, with every miss at its end."""

from __future__ import annotations

from polyclinic.clinics.counsel.evaluations.figures import JUDGES, GuardFigures, Shares
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

_HEADS = ("active", "implicit", "both dangers", "other dangers", "passive", "acceptance", "acceptance up", "ordinary")


def sections(figures: GuardFigures) -> list[Section]:
    """The evaluation as a report."""
    blocks: list[Block] = [
        Paragraph(
            "The screen is word lists. Trained is the trained guard, which escalates when in doubt. Both is the more"
            " serious of these two; it needs no model. The model is the cast's guard. The guard is all of them; it"
            " escalates when the model fails."
            f" {figures.rows} utterances, {figures.faults} faults of the model. Shares: danger escalated, passive"
            " wishes flagged, acceptance and ordinary talk left alone, with 95 % intervals."
        ),
        _matters_most(figures),
        _classes(figures),
    ]
    kinds: list[list[Cell]] = [[kind, found.rows, found.right] for kind, found in figures.by_kind.items()]
    if kinds:
        blocks.append(Table("The guard by kind: share decided correctly", ["kind", "rows", "right"], kinds))
    if figures.wrong:
        blocks.append(_misses(figures))
    return [Section("Guard", blocks)]


def _matters_most(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [[judge, *_shares(found)] for judge, found in figures.judges.items()]
    for lang, judges in figures.by_language.items():
        rows += [[f"{judge}, {lang}", *_shares(found)] for judge, found in judges.items()]
    return Table("What matters most", ["judge", *_HEADS], rows)


def _shares(shares: Shares) -> list[str]:
    """Each share with its interval, as text."""
    cells = []
    for name, share in shares.values.items():
        low, high = shares.intervals[name]
        cells.append("" if share is None else f"{share:.3f} ({low:.2f} to {high:.2f})")
    return cells


def _classes(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [
        [judge, label, found.precision, found.recall, found.f1, found.support]
        for judge, judged in figures.judges.items()
        for label, found in judged.classes.items()
    ]
    return Table("By class", ["judge", "class", "precision", "recall", "F1", "rows"], rows)


def _misses(figures: GuardFigures) -> Table:
    rows: list[list[Cell]] = [
        [m.label, m.lang, m.screen, m.trained, m.both, m.model, m.guard, m.chance, m.words, m.text]
        for m in figures.wrong
    ]
    return Table("Every miss", ["label", "lang", *JUDGES, "chance", "words", "text"], rows)
