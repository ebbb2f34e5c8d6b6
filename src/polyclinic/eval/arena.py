"""The arena: two episodes of one scenario side by side, judged by people in both orders.

People answer the same question as a pairwise judge, and the same rule combines their two answers: a choice that changes
with the order is a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.eval.agreement import krippendorff_alpha
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.packet import anonymous_codes
from polyclinic.eval.pairwise import PairPreference, settle, win_rate
from polyclinic.eval.prompts import Preferred
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table

Better = Literal["first", "second", "neither"]


class ArenaPair(Frozen):
    """Two episodes of one scenario, of two variants, under one anonymous code."""

    code: str
    scenario: str
    a: str
    b: str
    a_variant: str
    b_variant: str


@dataclass(frozen=True)
class Vote:
    """What one rater chose in one order; `swapped`: b was shown first."""

    rater: str
    pair: str
    swapped: bool
    better: Better
    reason: str = ""


def draw_pairs(results: RunResults, count: int, seed: int = 0) -> list[ArenaPair]:
    """Pairs of the first variant with each other variant; empty if there is only one variant."""
    first, *others = results.variant_names() or [""]
    left = _finished(results, first)
    found: list[tuple[EpisodeRow, EpisodeRow]] = []
    for other in others:
        right = _finished(results, other)
        found += [(left[place], right[place]) for place in left if place in right]
    stream("arena", results.run, seed, "draw").shuffle(found)
    chosen = found[:count]
    codes = anonymous_codes(len(chosen), "arena", results.run, seed, "codes")
    return [
        ArenaPair(code=code, scenario=a.scenario, a=a.id, b=b.id, a_variant=a.variant, b_variant=b.variant)
        for code, (a, b) in zip(codes, chosen, strict=True)
    ]


def _finished(results: RunResults, variant: str) -> dict[tuple[str, int], EpisodeRow]:
    return {
        (episode.scenario, episode.trial): episode
        for episode in results.of(variant)
        if episode.status == "done" and episode.has_transcript
    }


def rater_rounds(pairs: Sequence[ArenaPair], rater: str, seed: int = 0) -> list[tuple[ArenaPair, bool]]:
    """What a rater sees, in order: every pair once, then every pair again with its sides swapped."""
    random = stream("arena", seed, "rounds", rater)
    order = [(pair, bool(random.getrandbits(1))) for pair in pairs]
    random.shuffle(order)
    again = [(pair, not swapped) for pair, swapped in order]
    random.shuffle(again)
    return [*order, *again]


def preferences(votes: Sequence[Vote]) -> dict[tuple[str, str], PairPreference]:
    """Which side each rater prefers, by (rater, pair), for the pairs that they judged in both orders."""
    given = {(vote.rater, vote.pair, vote.swapped): vote for vote in votes}
    found = {}
    for (rater, pair, swapped), vote in given.items():
        other = given.get((rater, pair, True))
        if not swapped and other is not None:
            found[rater, pair] = settle(_preferred(vote), _preferred(other))
    return found


def _preferred(vote: Vote) -> Preferred:
    return Preferred(reason=vote.reason or "-", better=vote.better)


def arena_section(pairs: Sequence[ArenaPair], votes: Sequence[Vote]) -> Section | None:
    """How often each variant was preferred, with intervals, and how far raters agree; None without a judged pair."""
    found = preferences(votes)
    if not found:
        return None
    known = {pair.code: pair for pair in pairs}
    rows: list[list[Cell]] = []
    for a, b in dict.fromkeys((pair.a_variant, pair.b_variant) for pair in pairs):
        mine = [
            (preference, known[code].scenario)
            for (_, code), preference in found.items()
            if (known[code].a_variant, known[code].b_variant) == (a, b)
        ]
        rate = win_rate([preference for preference, _ in mine], clusters=[scenario for _, scenario in mine])
        if rate is not None:
            rows.append([f"{a} against {b}", rate.rate, rate.wins, rate.draws, rate.losses, rate.consistent])
    columns = ["variants", "preferred", "wins", "draws", "losses", "the order did not decide"]
    body: list[Block] = [
        Paragraph("Each pair was judged in both orders. A choice that changed with the order counts as a draw."),
        Table("How often the first variant was preferred (a draw counts half), with 95 % intervals", columns, rows),
        _agreement(found),
    ]
    return Section("Side by side", body)


def _agreement(found: dict[tuple[str, str], PairPreference]) -> Table:
    raters, pairs = sorted({rater for rater, _ in found}), sorted({pair for _, pair in found})
    values = [[found[r, p].value if (r, p) in found else np.nan for r in raters] for p in pairs]
    alpha = krippendorff_alpha(np.array(values, dtype=np.float64), "nominal")
    value = None if alpha.value is None else Estimate(alpha.value, alpha.low, alpha.high, alpha.units)
    row: list[Cell] = [alpha.name, value, alpha.units, alpha.note]
    return Table("Agreement of raters about pairs", ["coefficient", "value", "pairs", "note"], [row])
