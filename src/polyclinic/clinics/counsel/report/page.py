"""The paper's tables and figure, from any run.

Ablation, cost by limit on drafts, iterations by stage, and hand-overs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

from polyclinic.clinics.counsel.judges import LIKERT
from polyclinic.clinics.counsel.rules.guard import QUEUE, REVIEW_QUEUE
from polyclinic.clinics.counsel.rules.notes import ForPerson, Replied
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.clinics.counsel.variants import ABLATIONS, VARIANTS
from polyclinic.core.transcript import Called, Posted, Said
from polyclinic.eval.charts import Bars
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.metrics import metric_estimate
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Block, Cell, Details, Dialogue, Figure, Line, Paragraph, Section, Table
from polyclinic.text.layout import number_of

MOST = 5
"""How many talks are shown side by side."""
_ABBREVIATED = ("acp", "cpr", "icu", "ecmo")
_ANSWERING = ("guard", "planner", "counsellor", "critic", "keeper")
LIMITS = ("n1", "n3", "n5", "n7", "n10")
"""The limits on drafts that table 2 and figure 3 of the paper compare."""


def report(results: RunResults) -> list[Section]:
    """Sections for what the run holds; nothing is shown for variants that were not run."""
    variants = results.variant_names()
    found = [_ablation(results, [name for name in variants if name in ABLATIONS])]
    limits = [name for name in variants if name in VARIANTS and VARIANTS[name].critic]
    found += [_limits(results, limits), _stages(results, limits)] if limits else []
    alike = side_by_side(results)
    return [*found, *([alike] if alike is not None else []), _hand_overs(results)]


def _titled(place: str, title: str, compares: Collection[str], variants: Collection[str]) -> str:
    """A title that begins with its place in the paper, if the run has all variants that are compared there."""
    return f"{place}: {title}" if set(compares) <= set(variants) else title[:1].upper() + title[1:]


def _ablation(results: RunResults, variants: Sequence[str]) -> Section:
    head = [
        "variant",
        *(name.replace("_", " ") for name in LIKERT),
        "overall",
        "escalated",
        "false alarms",
        "stage order",
    ]
    metrics = [*LIKERT, "overall", "escalated", "false_alarm", "stage_order"]
    rows: list[list[Cell]] = [[name, *(metric_estimate(results, name, each) for each in metrics)] for name in variants]
    return Section(
        _titled("Table 1", "what each agent adds", ABLATIONS, variants),
        [
            Paragraph("Seven metrics from 1 to 10 by the cast's judge, and three by rule from 0 to 1."),
            Table("Mean and 95 % interval over conversations", head, rows),
        ],
    )


def side_by_side(results: RunResults) -> Section | None:
    """Figure 1: what each variant answers to the same words of the same person."""
    variants = results.variant_names()
    if len(variants) < 2:
        return None
    rows: list[list[Cell]] = []
    for scenario in dict.fromkeys(row.scenario for row in results.episodes):
        talks = {name: next(results.of(name, scenario), None) for name in variants}
        answers = {name: _replies(row) for name, row in talks.items() if row is not None and row.has_transcript}
        shared = [said for said in answers.get(variants[0], {}) if all(said in found for found in answers.values())]
        if len(answers) == len(variants) and shared:
            rows.append([scenario, shared[-1], *(answers[name][shared[-1]] for name in variants)])
    if not rows:
        return None
    table = Table(
        "The last words that were the same in every talk", ["talk", "the person says", *variants], rows[:MOST]
    )
    return Section(_titled("Figure 1", "the same words, answered side by side", ABLATIONS, variants), [table])


def _replies(row: EpisodeRow) -> dict[str, str]:
    """For each utterance of the person, the counsellor's next words."""
    found: dict[str, str] = {}
    said = ""
    for event in row.transcript.of(Said):
        if event.speaker == "patient":
            said = event.text
        elif event.speaker == "counsellor" and said:
            found.setdefault(said, event.text)
            said = ""
    return found


class _Answers:
    """Tokens, milliseconds and drafts of every answer of a variant."""

    def __init__(self, rows: Iterable[EpisodeRow]) -> None:
        self.tokens: list[float] = []
        self.millis: list[float] = []
        self.drafts: list[float] = []
        for row in rows:
            self._add(row)

    def _add(self, row: EpisodeRow) -> None:
        tokens, millis, timed = 0, 0, False
        for event in row.transcript:
            if isinstance(event, Called) and event.role in _ANSWERING:
                tokens += event.usage.input_tokens + event.usage.output_tokens
                spent = row.latency_ms(event.key, event.occurrence)
                millis, timed = millis + (spent or 0), timed or spent is not None
            elif isinstance(event, Said) and event.speaker == "counsellor":
                self.tokens.append(tokens)
                replied = event.get(Replied)
                self.drafts.append(float(replied.drafts if replied is not None else 1))
                if timed:
                    self.millis.append(millis)
                tokens, millis, timed = 0, 0, False


def _p95(values: Sequence[float]) -> float | None:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))] if values else None


def _limits(results: RunResults, variants: Sequence[str]) -> Section:
    rows: list[list[Cell]] = []
    for name in sorted(variants, key=lambda name: (VARIANTS[name].drafts, name)):
        seen = _Answers(results.of(name))
        latency = fmean(seen.millis) / 1000 if seen.millis else None
        slow = _p95(seen.millis)
        rows.append(
            [
                name,
                VARIANTS[name].drafts,
                metric_estimate(results, name, "overall"),
                fmean(seen.tokens) if seen.tokens else None,
                _p95(seen.tokens),
                latency,
                None if slow is None else slow / 1000,
                fmean(seen.drafts) if seen.drafts else None,
                metric_estimate(results, name, "fallbacks"),
            ]
        )
    head = [
        "variant",
        "drafts at most (N)",
        "overall",
        "mean tokens",
        "P95 tokens",
        "mean latency (s)",
        "P95 latency (s)",
        "mean drafts",
        "fallbacks",
    ]
    return Section(
        _titled("Table 2", "quality and cost by the limit on drafts", LIMITS, variants),
        [
            Paragraph(
                "Tokens and latency are those of one answer: guard, plans, drafts, criticism and memory together."
            ),
            Table(
                "Quality and cost of an answer",
                head,
                rows,
                note="Latency is how long the models took; an understudy takes none.",
            ),
        ],
    )


def _stages(results: RunResults, variants: Sequence[str]) -> Section:
    series: dict[str, list[float | Estimate | None]] = {}
    answers: list[str] = []
    for name in variants:
        drafts: dict[str, list[float]] = {stage: [] for stage in STAGES}
        for row in results.of(name):
            for said in row.transcript.said("counsellor"):
                if (replied := said.get(Replied)) is not None:
                    drafts[replied.stage].append(float(replied.drafts))
        series[name] = [fmean(values) if values else None for values in drafts.values()]
        answers.append(f"{name} {number_of(sum(map(len, drafts.values())), 'answer')}")
    labels = [_stage_label(stage) for stage in STAGES]
    chart = Bars(labels, series, y_label="drafts per answer", low=0)
    figure = Figure("Mean drafts per answer in each of the 13 stages", chart, n=", ".join(answers))
    return Section(_titled("Figure 3", "drafts by stage", LIMITS, variants), [figure])


def _stage_label(stage: str) -> str:
    """A stage's name under a bar: "opening", "ACP awareness", "wishes: CPR"."""
    words = [word.upper() if word in _ABBREVIATED else word for word in stage.replace("_", " ").split()]
    return " ".join(words) if "." not in stage else f"wishes: {_stage_label(stage.partition('.')[2])}"


def _hand_overs(results: RunResults) -> Section:
    rows: list[list[Cell]] = []
    shown: list[Line] = []
    for name in results.variant_names():
        talks = crisis = review = words = 0
        for row in results.of(name):
            talks += 1
            for post in row.transcript.of(Posted):
                crisis += post.queue == QUEUE
                review += post.queue == REVIEW_QUEUE
                if len(shown) < 6 and post.queue == QUEUE and (told := post.get(ForPerson)) is not None:
                    shown.append(Line("patient", told.utterance, aside=told.reason))
            replies = [said.get(Replied) for said in row.transcript.said("counsellor")]
            words += sum(bool(replied and replied.fallback) for replied in replies)
        rows.append([name, talks, crisis, review, words])
    head = ["variant", "talks", "handed over", "for review", "safe utterances said"]
    talked = number_of(len(results.episodes), "talk")
    blocks: list[Block] = [Table("What went to people", head, rows, n=talked)]
    if shown:
        blocks.append(Details("Some of the words that were handed over, and why", [Dialogue(shown)]))
    return Section("Hand-overs", blocks)
