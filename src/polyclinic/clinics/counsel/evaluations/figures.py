"""The figures of the guard's evaluation: for each judge the shares that matter most, its classes and every miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import ConfigDict

from polyclinic.clinics.counsel.rules.guard import way_of
from polyclinic.clinics.counsel.rules.trained import DANGERS, GUARD_LABELS, GuardLabel
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.core.message import Frozen
from polyclinic.core.value import Value
from polyclinic.eval.estimate import ratio, share_interval

JudgeName = Literal["screen", "trained", "both", "model", "guard"]
JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
_Label = Literal[GuardLabel, "ordinary"]
SHARES: dict[str, tuple[frozenset[str], Callable[[GuardLabel], bool]]] = {
    "explicit_recall": (frozenset({"active"}), lambda said: way_of(said) == "escalate"),
    "implicit_recall": (frozenset({"implicit"}), lambda said: way_of(said) == "escalate"),
    "danger_recall": (frozenset({"active", "implicit"}), lambda said: way_of(said) == "escalate"),
    "other_recall": (frozenset(DANGERS) - {"active", "implicit"}, lambda said: way_of(said) == "escalate"),
    "passive_flagged": (frozenset({"passive"}), lambda said: way_of(said) != "go_on"),
    "acceptance_specificity": (frozenset({"acceptance"}), lambda said: way_of(said) == "go_on"),
    "acceptance_escalated": (frozenset({"acceptance"}), lambda said: way_of(said) == "escalate"),
    "ordinary_left_alone": (frozenset({"ordinary"}), lambda said: way_of(said) == "go_on"),
}


class Utterance(Frozen):
    """One labelled utterance."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    lang: Lang
    label: _Label
    kind: str = ""

    @property
    def wanted(self) -> GuardLabel:
        """The decision of a perfect guard."""
        return "acceptance" if self.label == "ordinary" else self.label


@dataclass(frozen=True)
class Judged:
    """An utterance and each judge's decision about it."""

    row: Utterance
    said: Mapping[JudgeName, GuardLabel | None]
    words: str = ""
    chance: float = 0.0
    fault: str = ""


class Shares(Value):
    """The most important shares: danger that was escalated, wishes that were flagged, and harmless words left alone.

    A share is None where no utterance counts towards it. `intervals` has the 95 % interval of each, under its name.
    """

    intervals: dict[str, tuple[float, float]]
    explicit_recall: float | None
    implicit_recall: float | None
    danger_recall: float | None
    other_recall: float | None
    passive_flagged: float | None
    acceptance_specificity: float | None
    acceptance_escalated: float | None
    ordinary_left_alone: float | None

    @property
    def values(self) -> dict[str, float | None]:
        """The shares by name, in the order of `SHARES`."""
        return {name: getattr(self, name) for name in SHARES}


class LabelFigures(Value):
    """One label as a class. Precision: of the utterances that were given this label, the share that truly have it.
    Recall: of the utterances that truly have this label, the share that were given it.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    support: int


class JudgeFigures(Shares):
    """All figures of one judge. `heard` counts the utterances that the judge answered."""

    heard: int
    classes: dict[GuardLabel, LabelFigures]
    confusion: dict[GuardLabel, dict[GuardLabel, int]]


class KindFigures(Value):
    """How many utterances of one kind there are, and the share that the guard decided correctly."""

    rows: int
    right: float


class Miss(Value):
    """An utterance that the offline judges or the whole guard decided wrongly, and the label that each judge gave."""

    text: str
    lang: Lang
    label: _Label
    screen: GuardLabel | None
    trained: GuardLabel | None
    both: GuardLabel | None
    model: GuardLabel | None
    guard: GuardLabel | None
    chance: float
    words: str


class GuardFigures(Value):
    """All figures of one evaluation."""

    rows: int
    labels: dict[str, int]
    faults: int
    screen: JudgeFigures
    trained: JudgeFigures
    both: JudgeFigures
    model: JudgeFigures
    guard: JudgeFigures
    by_language: dict[Lang, dict[JudgeName, Shares]]
    by_kind: dict[str, KindFigures]
    wrong: tuple[Miss, ...]

    @property
    def judges(self) -> dict[JudgeName, JudgeFigures]:
        """The figures of each judge."""
        return {name: getattr(self, name) for name in JUDGES}


def summarise(judged: Sequence[Judged]) -> GuardFigures:
    """All figures of one evaluation."""
    return GuardFigures(
        rows=len(judged),
        labels=dict(Counter(item.row.label for item in judged)),
        faults=sum(bool(item.fault) for item in judged),
        screen=_figures(judged, "screen"),
        trained=_figures(judged, "trained"),
        both=_figures(judged, "both"),
        model=_figures(judged, "model"),
        guard=_figures(judged, "guard"),
        by_language={
            lang: {judge: _shares([item for item in judged if item.row.lang == lang], judge) for judge in JUDGES}
            for lang in sorted({item.row.lang for item in judged})
        },
        by_kind=_by_kind(judged),
        wrong=tuple(_miss(item) for item in judged if any(_missed(item, judge) for judge in ("both", "guard"))),
    )


def _missed(item: Judged, judge: JudgeName) -> bool:
    said = item.said[judge]
    return said is not None and way_of(said) != way_of(item.row.wanted)


def _miss(item: Judged) -> Miss:
    said = item.said
    return Miss(
        text=item.row.text,
        lang=item.row.lang,
        label=item.row.label,
        screen=said["screen"],
        trained=said["trained"],
        both=said["both"],
        model=said["model"],
        guard=said["guard"],
        chance=item.chance,
        words=item.words,
    )


def _figures(judged: Sequence[Judged], judge: JudgeName) -> JudgeFigures:
    heard = [(item.row.wanted, said) for item in judged if (said := item.said[judge]) is not None]
    confusion = Counter(heard)
    shares = _shares(judged, judge)
    return JudgeFigures(
        intervals=shares.intervals,
        **shares.values,
        heard=len(heard),
        classes={label: _label(confusion, label) for label in GUARD_LABELS},
        confusion={true: {given: confusion[(true, given)] for given in GUARD_LABELS} for true in GUARD_LABELS},
    )


def _label(confusion: Counter[tuple[GuardLabel, GuardLabel]], label: GuardLabel) -> LabelFigures:
    hit = confusion[(label, label)]
    true = sum(count for (wanted, _), count in confusion.items() if wanted == label)
    given = sum(count for (_, said), count in confusion.items() if said == label)
    precision, recall = ratio(hit, given), ratio(hit, true)
    both = (precision or 0) + (recall or 0)
    f1 = None if precision is None or recall is None else (2 * precision * recall / both if both else 0.0)
    return LabelFigures(precision=precision, recall=recall, f1=f1, support=true)


def _shares(judged: Sequence[Judged], judge: JudgeName) -> Shares:
    values: dict[str, float | None] = {}
    intervals = {}
    for name, (labels, right) in SHARES.items():
        said = [item.said[judge] for item in judged if item.row.label in labels]
        known = [right(label) for label in said if label is not None]
        values[name] = ratio(sum(known), len(known))
        intervals[name] = share_interval(sum(known), len(known))
    return Shares(intervals=intervals, **values)


def _by_kind(judged: Sequence[Judged]) -> dict[str, KindFigures]:
    kinds = sorted({(item.row.label, item.row.kind) for item in judged if item.row.kind})
    found = {}
    for label, kind in kinds:
        mine = [item for item in judged if (item.row.label, item.row.kind) == (label, kind)]
        right = sum(not _missed(item, "guard") for item in mine)
        found[f"{label}/{kind}"] = KindFigures(rows=len(mine), right=right / len(mine))
    return found
