"""The sections every report has, whatever the clinic: results, comparison, variance, failures, usage, transcripts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from polyclinic.core.judge import Metric
from polyclinic.core.model import role_of
from polyclinic.eval.compare import Comparison
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.found import metric_dots
from polyclinic.eval.intervals import FEW
from polyclinic.eval.reading import clip, outcome_words, transcript_blocks
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.eval.sections import Block, Cell, Details, Figure, Grid, Paragraph, Section, Table
from polyclinic.eval.summary import Summary
from polyclinic.eval.validity import NOT_VALID, grounds, valid_metrics
from polyclinic.eval.variance import VarianceSplit
from polyclinic.text.layout import number_of

UNDERSTUDIES = (
    "Understudies are rule-based baselines and not language models: their scores show that the machinery works, "
    "not how well a model would do."
)
NOT_CLINICAL = "Research and training tool. Not a medical device, not for clinical use."

NO_P_VALUES = "No p-values: judges and actors are played by the same rules, so a test would prove nothing."

TRANSCRIPTS = "Transcripts"
_OPEN_TABLES = 3
_OPEN_ROWS = 24
_OPEN_FIGURES = 12
_EXAMPLES = 3
Variances = Mapping[str, Mapping[str, VarianceSplit]]


def cast_table(results: RunResults) -> Table:
    """Who played which role."""
    kinds = {
        "llm": "language model",
        "understudy": "understudy (rules)",
        "human": "person",
        "replay": "recording",
        "reader": "trained reader",
    }
    return Table("Cast", ["role", "model", "kind"], [[m.role, m.model, kinds[m.kind]] for m in results.cast])


def results_section(results: RunResults, summary: Summary) -> Section:
    """Every metric of every variant with its interval, as a table and as small pictures."""
    metrics = results.metric_names()
    if not metrics:
        return Section("Results", [Paragraph("No episode was scored.", tone="warning")])
    rows: list[list[Cell]] = []
    ground = grounds(results)
    for metric in metrics:
        arrow = "↑" if results.metric(metric).higher_is_better else "↓"
        shown = [summary.variants[name].get(metric) if ground[metric].valid else NOT_VALID for name in summary.variants]
        rows.append([_with_meaning(f"{results.metric(metric).label} {arrow}", results.metric(metric)), *shown])
    note = (
        "↑ higher is better, ↓ lower is better. Intervals: bootstrap over scenarios (BCa); none for a single episode. "
        f"With fewer than {FEW} scenarios, and where all got the same value, an interval that allows for what was not "
        "seen within the metric's range (Student's t where that is endless). "
        "Episodes that failed or were not scored are in no mean."
    )
    table = Table("Means with 95 % intervals", ["metric", *summary.variants], rows, note)
    meanings = [
        [results.metric(metric).label, results.metric(metric).about, ground[metric].about] for metric in metrics
    ]
    body: list[Block] = [table]
    if len(summary.variants) > 1:
        valid = [results.metric(metric) for metric in metrics if ground[metric].valid]
        values = [[found.get(metric.name) for found in summary.variants.values()] for metric in valid]
        dots = [metric_dots(m, list(summary.variants), shown) for m, shown in zip(valid, values, strict=True)]
        grid = Grid([Figure(metric.label, each) for metric, each in zip(valid, dots, strict=True)])
        body.append(
            grid if len(metrics) <= _OPEN_FIGURES else Details(f"The {len(metrics)} metrics as pictures", [grid])
        )
    explained = Table("Metrics", ["metric", "meaning", "rests on"], meanings)
    body.append(Details("What the metrics mean, and what they are computed from", [explained]))
    variants = [[name, results.variant_about[name]] for name in summary.variants if results.variant_about.get(name)]
    if variants:
        body.append(Details("What the variants are", [Table("Variants", ["variant", "about"], variants)]))
    return Section("Results", body)


def same_rules(results: RunResults) -> bool:
    """Whether rules play all roles, including judges. A p-value would then compare our rules with themselves."""
    kinds = {member.original.kind for member in results.cast}
    return bool(kinds) and kinds <= {"understudy", "reader"}


def model_of_learning(results: RunResults, roles: Collection[str], setting: str) -> list[Block]:
    """Says that understudies in these roles learn by a stated model; empty if others play them."""
    if not any(role_of(member.role) in roles and member.original.kind == "understudy" for member in results.cast):
        return []
    told = (
        f"Understudies learn by a stated model; '{setting}' sets how much. Their gain shows that learning can be"
        " measured here. It is not a finding about people or language models."
    )
    return [Paragraph(told, tone="note")]


def _with_meaning(name: str, metric: Metric) -> str:
    """A metric's name, with its meaning below."""
    return f"{name}\n{metric.about}" if metric.about else name


def comparison_section(
    results: RunResults, comparisons: Mapping[str, Sequence[Comparison]], *, p_values: bool = True
) -> Section | None:
    """Each variant against the baseline, pair by pair; without p-values if judges and actors share their rules."""
    body: list[Block] = []
    for name, found in comparisons.items():
        if not found:
            continue
        rows: list[list[Cell]] = [
            [
                _with_meaning(results.metric(item.metric).label, results.metric(item.metric)),
                Estimate(item.difference, item.low, item.high, item.pairs),
                *([p_text(item.p_value), p_text(item.p_holm)] if p_values else []),
                f"{item.wins} / {item.ties} / {item.losses}",
                item.pairs,
            ]
            for item in found
        ]
        tests = ["p", "p (Holm)"] if p_values else []
        columns = ["metric", "difference", *tests, "win / tie / loss", "scenarios"]
        body.append(Table(f"{name} compared with {found[0].left}", columns, rows))
    if not body:
        return None
    if len(body) > _OPEN_TABLES:
        body = [Details(table.caption, [table]) for table in body if isinstance(table, Table)]
    tested = (
        "p: sign-flip permutation test, two-sided; Holm's correction over the metrics of one comparison."
        if p_values
        else NO_P_VALUES
    )
    wins = "Wins count scenarios in the metric's better direction."
    body.append(Paragraph(f"Paired by scenario, trials averaged first. {tested} {wins}", tone="note"))
    return Section("Compared with the baseline", body)


def p_text(p_value: float) -> str:
    """A p-value as text."""
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def variance_section(results: RunResults, variances: Variances) -> Section | None:
    """Where the variance comes from; left out when nothing was repeated."""
    rows: list[list[Cell]] = []
    for variant, metrics in variances.items():
        for metric, split in metrics.items():
            shares = split.shares()
            if (split.trial is None and split.judge is None) or not any(shares.values()):
                continue
            cells = [None if share is None else f"{share:.0%}" for share in shares.values()]
            rows.append([variant, results.metric(metric).label, *cells, split.scenarios, split.trials, split.samples])
    if not rows:
        return None
    columns = ["variant", "metric", "scenario", "trial", "judge", "scenarios", "episodes", "readings"]
    note = (
        "Nested random effects (judge samples within trials within scenarios). A dash: not repeated in this run, so "
        "it is contained in the source to its left. More scenarios help against the first, more trials against "
        "the second, more judge samples against the third."
    )
    episodes = number_of(len(results.episodes), "episode")
    table: Block = Table("Share of the variance by source", columns, rows, n=episodes)
    if len(rows) > _OPEN_ROWS:
        table = Details(f"Share of the variance by source: {len(rows)} rows", [table])
    return Section("Where the variance comes from", [table, Paragraph(note, tone="note")])


def failure_section(results: RunResults) -> Section:
    """Failures by owner, with a few examples each; never mixed into scores."""
    counts = results.failures()
    total = len(results.episodes)
    if not counts:
        text = f"None: all {total} episodes ended, and the reply of every judge could be read."
        return Section("Failures", [Paragraph(text)])
    text = f"{results.failed} of {total} episodes failed. Failures are counted here by who owns them and enter no mean."
    rows: list[list[Cell]] = []
    for owner, count in counts.items():
        owned = [failure for episode in results.episodes for failure in episode.failures if failure.owner == owner]
        fatal = sum(failure.fatal for failure in owned)
        said = list(dict.fromkeys(clip(failure.error, 200) for failure in owned))[:_EXAMPLES]
        rows.append([owner.replace("_", " "), count, fatal, " | ".join(said)])
    columns = ["owner", "failures", "ended the episode", "examples"]
    return Section(
        "Failures",
        [Paragraph(text), Table("Failures by owner", columns, rows, n=number_of(total, "episode"))],
    )


def usage_section(results: RunResults, summary: Summary) -> Section | None:
    """Calls, tokens and money by role."""
    used = [(role, usage) for role, usage in summary.usage.items() if usage.calls]
    if not used:
        return None
    rows: list[list[Cell]] = [
        [role, u.calls, u.input_tokens, u.output_tokens, _money(u.cost_usd), "yes" if u.estimated else "no"]
        for role, u in used
    ]
    columns = ["role", "calls", "input tokens", "output tokens", "cost (USD)", "estimated"]
    return Section("Usage", [Table("Usage by role", columns, rows, n=number_of(len(results.episodes), "episode"))])


def _money(usd: float) -> str:
    """An amount in dollars; three digits if it is less than one."""
    return f"{usd:,.2f}" if usd >= 1 else f"{usd:.3g}"


def choose_transcripts(results: RunResults, variant: str, count: int) -> list[tuple[str, EpisodeRow]]:
    """A few interesting episodes: one that failed, the lowest score, the highest score, then others in run order."""
    known = [episode for episode in results.of(variant) if episode.has_transcript]
    chosen: dict[str, tuple[str, EpisodeRow]] = {}

    def take(label: str, episodes: Sequence[EpisodeRow]) -> None:
        for episode in episodes:
            if len(chosen) < count and episode.id not in chosen:
                chosen[episode.id] = (label, episode)
                if label:
                    return

    take("failed", [episode for episode in known if episode.status == "failed"])
    for metric in valid_metrics(results)[:1]:
        valued = [(episode.value(metric), index, episode) for index, episode in enumerate(known)]
        ranked = [episode for value, _, episode in sorted(v for v in valued if v[0] is not None)]
        if not results.metric(metric).higher_is_better:
            ranked.reverse()
        if len(ranked) > 1 and ranked[0].value(metric) != ranked[-1].value(metric):
            take(f"weakest in {results.metric(metric).label}", ranked)
            take(f"best in {results.metric(metric).label}", ranked[::-1])
    take("", known)
    return list(chosen.values())


def transcript_section(results: RunResults, per_variant: int) -> Section | None:
    """A sample of transcripts, folded, a few for each variant."""
    body: list[Block] = []
    for variant in results.variant_names():
        for label, episode in choose_transcripts(results, variant, per_variant):
            words = [f"{variant}: {episode.scenario}"]
            words += [f"trial {episode.trial + 1}"] if episode.trial else []
            words += [outcome_words(episode.outcome, results.outcomes)] if episode.outcome else []
            words += [label] if label else []
            body.append(Details(", ".join(words), transcript_blocks(episode.transcript)))
    if not body:
        return None
    intro = Paragraph(f"A sample of {len(body)} of {len(results.episodes)} episodes.", tone="note")
    return Section(TRANSCRIPTS, [intro, *body])
