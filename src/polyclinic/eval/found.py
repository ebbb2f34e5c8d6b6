"""The first screen of a report: what was found, in words, with one picture."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.judge import Metric
from polyclinic.eval.charts import Dots, drawn_range
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.results import RunResults
from polyclinic.eval.sections import Block, Figure, Paragraph, Section
from polyclinic.eval.summary import Summary
from polyclinic.eval.validity import valid_metrics
from polyclinic.text.layout import number_of

FOUND = "What was found"
MOST = 3
"""How many metrics are described in words; the tables have all of them."""
MOST_IN_FULL = 3
"""With more variants, the sentence leaves their intervals to the picture below."""
FEWEST = 6
"""With fewer pairs of episodes, no result of a test could be significant at the 5 % level."""
MOST_SHOWN = 8
"""How many metrics the picture of a single variant shows."""


def found_section(results: RunResults, summary: Summary, headline: Sequence[str] = ()) -> Section | None:
    """What the run found about its most informative metrics; None if nothing was scored."""
    known, chosen = valid_metrics(results), _chosen(results, headline)
    if not chosen:
        return None
    body: list[Block] = [Paragraph(_size(results))]
    body += [Paragraph(_sentence(results, summary, metric)) for metric in chosen[:MOST]]
    if len(summary.variants) > 1:
        body.append(_picture(results, summary, chosen[0]))
    else:
        body.append(_metrics_picture(results, summary, [*chosen, *(name for name in known if name not in chosen)]))
    return Section(FOUND, body)


def found_in_brief(results: RunResults, summary: Summary, first: Sequence[str] = ()) -> str:
    """What was measured first and which variant came out ahead, without figures: words for a picture that has them.

    A single variant is ahead of none, so it gets its figure.
    """
    told = []
    for metric in _chosen(results, first)[:1]:
        ranked, verdict = _came_out(results, summary, metric)
        alone = f": {ranked[0][1].parts()[0]}" if len(ranked) == 1 else ""
        told.append(f"{headline(results.metric(metric))}{alone}.{verdict}")
    return " ".join(told)


def _chosen(results: RunResults, first: Sequence[str]) -> list[str]:
    known = valid_metrics(results)
    return [name for name in first if name in known] or known[:MOST]


def headline(metric: Metric) -> str:
    """What a metric means, then its name: "Share of staff messages that break a norm (nvr)"."""
    about = metric.about.rstrip("?.")
    return f"{about[:1].upper()}{about[1:]} ({metric.name.replace('_', ' ')})" if about else metric.label.capitalize()


def _size(results: RunResults) -> str:
    scenarios = len({episode.scenario for episode in results.episodes})
    ended = "all of them ended" if not results.failed else f"{results.failed} of them failed and count in no mean"
    size = f"{number_of(len(results.episodes), 'episode')} over {number_of(scenarios, 'scenario')}; {ended}."
    if not any(member.kind in ("llm", "human", "replay") for member in results.cast):
        size += " Understudies played every part: read the figures as a test of the machinery."
    return size


def _sentence(results: RunResults, summary: Summary, metric: str) -> str:
    """One metric over all variants. The best variant is named if its interval does not overlap with the next one's."""
    meaning = results.metric(metric)
    ranked, verdict = _came_out(results, summary, metric)
    told = ", ".join(f"{name} {_told(value)}" for name, value in ranked)
    if len(ranked) > MOST_IN_FULL:
        told = f"{', '.join(f'{name} {value.parts()[0]}' for name, value in ranked)} ({_each_n(ranked)})"
    way = "higher" if meaning.higher_is_better else "lower"
    return f"{headline(meaning)}; {way} is better: {told}.{verdict}"


def _came_out(results: RunResults, summary: Summary, metric: str) -> tuple[list[tuple[str, Estimate]], str]:
    """The variants from the best to the worst, and which of them is ahead, in words."""
    better = 1 if results.metric(metric).higher_is_better else -1
    values = [(name, found[metric]) for name, found in summary.variants.items() if metric in found]
    ranked = sorted(values, key=lambda item: -better * item[1].mean)
    return ranked, _verdict(ranked, better)


def _told(value: Estimate) -> str:
    mean, *ends = value.parts()
    return f"{mean} ({' to '.join(ends)}, n = {value.n:,})" if ends else f"{mean} (n = {value.n:,})"


def _each_n(ranked: Sequence[tuple[str, Estimate]]) -> str:
    """From how many episodes the figures are, said once."""
    counts = sorted(value.n for _, value in ranked)
    return f"n = {counts[0]:,}" + ("" if counts[0] == counts[-1] else f" to {counts[-1]:,}")


def _verdict(ranked: Sequence[tuple[str, Estimate]], better: int) -> str:
    if len(ranked) < 2:
        return ""
    (first, best), (second, next_best) = ranked[0], ranked[1]
    if abs(best.mean - next_best.mean) < 0.005:
        return f" {first} and {second} do not differ here."
    ends = (best.low, best.high, next_best.low, next_best.high)
    if any(end is None for end in ends):
        return f" {first} came out ahead; one episode each proves little."
    if min(best.n, next_best.n) < FEWEST:
        return f" {first} came out ahead; {min(best.n, next_best.n)} episodes each prove little."
    apart = (best.low or 0) > (next_best.high or 0) if better > 0 else (best.high or 0) < (next_best.low or 0)
    return f" {first} is clearly ahead." if apart else f" {first} came out ahead, but the intervals overlap."


def _picture(results: RunResults, summary: Summary, metric: str) -> Figure:
    meaning = results.metric(metric)
    way = "higher is better" if meaning.higher_is_better else "lower is better"
    values = [found.get(metric) for found in summary.variants.values()]
    return Figure(headline(meaning), metric_dots(meaning, list(summary.variants), values, way))


def metric_dots(metric: Metric, names: list[str], values: Sequence[Estimate | None], x_label: str = "") -> Dots:
    """A value for each name, on the metric's scale."""
    low, high = drawn_range(metric.low, metric.high, values)
    return Dots(names, {"": list(values)}, x_label=x_label, low=low, high=high)


def _metrics_picture(results: RunResults, summary: Summary, metrics: Sequence[str]) -> Figure:
    """A picture for a run with one variant: its metrics that fit on the scale of the first, beside each other."""
    (variant, values), *_ = summary.variants.items()
    first = results.metric(metrics[0])
    alike = [results.metric(name) for name in metrics if name in values]
    alike = [metric for metric in alike if _fits(metric, first)][:MOST_SHOWN]
    names, shown = [_in_words(metric) for metric in alike], [values[metric.name] for metric in alike]
    dots = metric_dots(first, names, shown, "↑ higher is better, ↓ lower is better")
    return Figure(f"{variant}, metric by metric", dots)


def _fits(metric: Metric, first: Metric) -> bool:
    """Whether a metric can be read on the scale of another: its range lies within, and fills at least half of it."""
    inside = first.low <= metric.low and metric.high <= first.high
    return inside and metric.high - metric.low >= (first.high - first.low) / 2


def _in_words(metric: Metric) -> str:
    """What a metric means, with its direction."""
    told = metric.about.rstrip("?.") or metric.label
    return f"{told} {'↑' if metric.higher_is_better else '↓'}"
