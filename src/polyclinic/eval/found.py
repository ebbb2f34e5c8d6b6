"""The first screen of a report: what was found, in words, with one picture."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.judge import Metric
from polyclinic.eval.charts import Dots
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Figure, Paragraph, Section
from polyclinic.eval.summary import Summary
from polyclinic.eval.validity import valid_metrics

FOUND = "What was found"
MOST = 3
"""Metrics told in words; all of them stand in the tables."""


def found_section(results: RunResults, summary: Summary, headline: Sequence[str] = ()) -> Section | None:
    """What the run found about its most telling metrics; None where nothing was scored."""
    known = valid_metrics(results)
    chosen = [name for name in headline if name in known] or known[:MOST]
    if not chosen:
        return None
    body: list[Block] = [Paragraph(_size(results))]
    body += [Paragraph(_sentence(results, summary, metric)) for metric in chosen[:MOST]]
    if len(summary.variants) > 1:
        body.append(_picture(results, summary, chosen[0]))
    return Section(FOUND, body)


def headline(metric: Metric) -> str:
    """What a metric means, then its name: "Share of staff messages that break a norm (nvr)"."""
    name = metric.name.replace("_", " ")
    about = metric.about.rstrip("?.")
    return f"{about[:1].upper()}{about[1:]} ({name})" if about else name.capitalize()


def _size(results: RunResults) -> str:
    failed = sum(episode.status == "failed" for episode in results.episodes)
    scenarios = len({episode.scenario for episode in results.episodes})
    ended = "all of them ended" if not failed else f"{failed} of them failed and count in no mean"
    size = f"{len(results.episodes)} episodes over {scenarios} scenario{'s'[: scenarios != 1]}; {ended}."
    if not any(member.kind in ("llm", "human", "replay") for member in results.cast):
        size += " Understudies played every part: read the figures as a test of the machinery."
    return size


def _sentence(results: RunResults, summary: Summary, metric: str) -> str:
    """One metric over all variants, the best one named where intervals do not overlap with the next."""
    meaning = results.metric(metric)
    better = 1 if meaning.higher_is_better else -1
    values = [(name, found[metric]) for name, found in summary.variants.items() if metric in found]
    ranked = sorted(values, key=lambda item: -better * item[1].mean)
    told = ", ".join(f"{name} {_told(value)}" for name, value in ranked)
    way = "higher" if meaning.higher_is_better else "lower"
    return f"{headline(meaning)}; {way} is better: {told}.{_verdict(ranked, better)}"


def _told(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return f"{value.mean:.2f} (n = {value.n})"
    return f"{value.mean:.2f} ({value.low:.2f} to {value.high:.2f}, n = {value.n})"


def _verdict(ranked: Sequence[tuple[str, Estimate]], better: int) -> str:
    if len(ranked) < 2:
        return ""
    (first, best), (second, next_best) = ranked[0], ranked[1]
    if abs(best.mean - next_best.mean) < 0.005:
        return f" {first} and {second} do not differ here."
    ends = (best.low, best.high, next_best.low, next_best.high)
    if any(end is None for end in ends):
        return f" {first} came out ahead; one episode each proves little."
    apart = (best.low or 0) > (next_best.high or 0) if better > 0 else (best.high or 0) < (next_best.low or 0)
    return f" {first} is clearly ahead." if apart else f" {first} came out ahead, but the intervals overlap."


def _picture(results: RunResults, summary: Summary, metric: str) -> Figure:
    meaning = results.metric(metric)
    bounded = meaning.high - meaning.low < 100
    names = list(summary.variants)
    return Figure(
        headline(meaning),
        Dots(
            names,
            {"": [summary.variants[name].get(metric) for name in names]},
            x_label="higher is better" if meaning.higher_is_better else "lower is better",
            low=meaning.low if bounded else None,
            high=meaning.high if bounded else None,
        ),
    )
