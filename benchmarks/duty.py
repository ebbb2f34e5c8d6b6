"""What the duty clinic's loop does, measured with understudies: variants, controls, drift, bounds, rollback.

python -m benchmarks.duty loop     the variants over 40 shifts and 5 seeds in each task, with intervals
python -m benchmarks.duty drift    injected drift: delay of detection, false alarms in stable runs, distances compared
python -m benchmarks.duty bound    prompt length over 200 shifts, and rollback
python -m benchmarks.duty all      everything, written to benchmarks/results/duty.md
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

from benchmarks.duty_scripts import confusion
from polyclinic.clinics.duty.readings import READINGS
from polyclinic.clinics.duty.report.collect import Collected, ShiftRow, collect
from polyclinic.clinics.duty.report.tables import difference, mean_of, value_of
from polyclinic.clinics.duty.rules.norms.norm import inventory
from polyclinic.clinics.duty.rules.traits.drift import Distance, DriftSettings, detect
from polyclinic.clinics.duty.scenario.schema import TASKS, Role, Task
from polyclinic.clinics.duty.state.prompt_book import LINE_CHARS, MAX_CHARS, MAX_LINES
from polyclinic.core.reading import Finding, Question
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.intervals import estimate
from polyclinic.reading.reader import BuiltInReader
from polyclinic.runner.api import run
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.results import load_results
from polyclinic.store.store import open_store

VARIANTS = ("plain", "norm-instructed", "reflection-only", "memory-only", "full", "no-r02", "frozen", "shuffled")
ABLATIONS = (
    "plain",
    "norm-instructed",
    "reflection-only",
    "full",
    "full-repair",
    "no-r01",
    "no-r02",
    "no-identity",
    "no-knowledge",
)
METRICS = ("nvr", "snr", "c_norm", "tsr", "ics", "ics_llm", "rar", "cbs", "rqs", "tss")
ALL_JUDGES = ("norms", "identity", "role", "social", "task")
BASELINES = ("plain", "norm-instructed", "reflection-only", "memory-only")
RESULTS = Path(__file__).parent / "results" / "duty.md"
EDGE = 10
# Student's two-sided 95 % quantiles by degrees of freedom: a bootstrap over five campaigns is too narrow.
STUDENT = dict(zip(range(1, 10), (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262), strict=True))
STUDENT |= dict.fromkeys(range(10, 20), 2.228) | dict.fromkeys(range(20, 30), 2.086)
PUSHED_FROM = 12
PEOPLE: tuple[Role, ...] = ("doctor", "nurse", "trainee")
PUSHES: dict[Task, tuple[Role, str]] = {
    "T1": ("doctor", "uncertainty_communication"),
    "T2": ("doctor", "uncertainty_communication"),
    "T3": ("nurse", "thoroughness"),
}


async def gather(selector: str, variants: Sequence[str], seeds: int, judges: Sequence[str] = ("norms",)) -> Collected:
    """One run in memory for each seed, read into rows; a row's trial is its seed.

    Another seed means other persons on the ward, another order of shifts, and other random draws.
    """
    data = Collected(variants=list(variants))
    for seed in range(1, seeds + 1):
        values = {
            "clinic": "duty",
            "variants": list(variants),
            "scenarios": selector,
            "seed": seed,
            "cast": "all=understudy",
            "judges": list(judges),
            "samples": 1,
        }
        async with open_store("sqlite://:memory:") as store:
            outcome = await run(store, make_config(values))
            results = await load_results(store, outcome.run)
            failed = [row for row in results.episodes if row.failures]
            if failed:
                raise SystemExit(f"{len(failed)} episodes failed, first: {failed[0].failures[0].error}")
            found = collect(results).shifts
        data.shifts += [replace(shift, row=replace(shift.row, trial=seed)) for shift in found]
    return data


def change(shifts: Sequence[ShiftRow], metric: str) -> Estimate | None:
    """The last ten shifts of each campaign minus its first ten, with Student's 95 % interval over the few campaigns."""
    last = max(shift.number for shift in shifts)
    deltas = []
    for trial in sorted({shift.row.trial for shift in shifts}):
        own = [s for s in shifts if s.row.trial == trial]
        early = [value_of(s, metric) for s in own if s.number <= EDGE]
        late = [value_of(s, metric) for s in own if s.number > last - EDGE]
        deltas.append(fmean(v for v in late if v is not None) - fmean(v for v in early if v is not None))
    if len(deltas) < 2:
        return Estimate(deltas[0], None, None, 1)
    half = STUDENT[min(len(deltas) - 1, 29)] * stdev(deltas) / len(deltas) ** 0.5
    return Estimate(fmean(deltas), fmean(deltas) - half, fmean(deltas) + half, len(deltas))


def shown(value: Estimate | None, digits: int = 3) -> str:
    return "–" if value is None else value.text(digits)


def final_deviation(shifts: Sequence[ShiftRow], role: Role, trait: str) -> Estimate | None:
    """How far a trait was from its established value in the last ten shifts, as R02 found; None without R02."""
    last = max(shift.number for shift in shifts)
    kept = []
    for shift in shifts:
        if shift.number > last - EDGE:
            found = shift.heard.get(role, {})
            if trait in found and role in shift.anchor:
                kept.append((shift, found[trait] - shift.anchor[role][trait]))
    return estimate([value for _, value in kept], clusters=[shift.written for shift, _ in kept])


def _means(data: dict[Task, Collected], variants: Sequence[str], metrics: Sequence[str]) -> list[str]:
    out = []
    for task in data:
        names = " | ".join(metric.upper() for metric in metrics)
        out += [f"### {task}", "", f"| variant | {names} |", "| --- |" + " --- |" * len(metrics)]
        for variant in variants:
            own = data[task].of(variant)
            cells = [shown(mean_of(own, m, "doctor" if m in ("ics", "ics_llm", "rar") else "")) for m in metrics]
            out.append(f"| {variant} | {' | '.join(cells)} |")
        out.append("")
    return out


async def loop(shifts: int, seeds: int, tasks: Sequence[Task] = TASKS) -> list[str]:
    """The variants against each other in every task."""
    out = [f"## The loop: {shifts} shifts, {seeds} seeds, each task a campaign of its own", ""]
    data = {task: await gather(f"{task}:{shifts}", VARIANTS, seeds, ("norms", "task")) for task in tasks}
    return [*out, *_means(data, VARIANTS, ("nvr", "snr", "c_norm", "tsr", "success")), *_beats(data), *_controls(data)]


async def ablations(shifts: int, seeds: int) -> list[str]:
    """All metrics, and the effect of each part of the method."""
    out = [f"## All metrics, with ablations: {shifts} shifts, {seeds} seeds", ""]
    data = {task: await gather(f"{task}:{shifts}", ABLATIONS, seeds, ALL_JUDGES) for task in TASKS}
    return [*out, *_means(data, ABLATIONS, METRICS)]


def _beats(data: dict[Task, Collected]) -> list[str]:
    out = ["### `full` minus each baseline, on the same shifts (below zero: `full` is better)", ""]
    out += ["| task | baseline | ΔNVR | ΔSNR | interval below zero |", "| --- | --- | --- | --- | --- |"]
    for task in data:
        for variant in BASELINES:
            nvr, snr = difference(data[task], variant, "nvr", task), difference(data[task], variant, "snr", task)
            below = all(d is not None and d.high is not None and d.high < 0 for d in (nvr, snr))
            out.append(f"| {task} | {variant} | {shown(nvr)} | {shown(snr)} | {'yes' if below else 'NO'} |")
    return [*out, ""]


async def controls(shifts: int, seeds: int, tasks: Sequence[Task] = TASKS) -> list[str]:
    """Does anything improve when updates are frozen, or when every role is taught other roles' norms?"""
    names = ("full", "frozen", "shuffled")
    data = {task: await gather(f"{task}:{shifts}", names, seeds) for task in tasks}
    return _change_table(data, names, seeds)


def _change_table(data: dict[Task, Collected], variants: Sequence[str], seeds: int) -> list[str]:
    out = [f"### Change within a campaign: last {EDGE} shifts minus first {EDGE}, {seeds} seeds", ""]
    out += ["| task | variant | ΔNVR | ΔSNR |", "| --- | --- | --- | --- |"]
    for task in data:
        for variant in variants:
            own = data[task].of(variant)
            out.append(f"| {task} | {variant} | {shown(change(own, 'nvr'))} | {shown(change(own, 'snr'))} |")
    return [*out, ""]


def _controls(data: dict[Task, Collected]) -> list[str]:
    seeds = len({shift.row.trial for own in data.values() for shift in own.shifts})
    out = _change_table(data, ("full", "reflection-only", "plain", "frozen", "shuffled"), seeds)
    out += ["### Drift that wears traits off: caught with R02, not caught without", ""]
    out += ["| task | role, trait | variant | deviation in the last shifts | alarms | lines about the trait |"]
    out += ["| --- | --- | --- | --- | --- | --- |"]
    worn: tuple[tuple[Task, Role, str], ...] = (
        ("T1", "doctor", "uncertainty_communication"),
        ("T2", "doctor", "uncertainty_communication"),
        ("T3", "nurse", "thoroughness"),
    )
    for task, role, trait in [item for item in worn if item[0] in data]:
        for variant in ("full", "no-r02"):
            own = data[task].of(variant)
            alarms = sum(drift for s in own for who, drift in s.drift.items() if who == role)
            added = [edit for s in own for edit in s.edits if edit.edit.action == "add"]
            lines = sum(edit.edit.line.key == f"trait:{trait}" for edit in added)
            far = shown(final_deviation(own, role, trait))
            out.append(f"| {task} | {role}, {trait} | {variant} | {far} | {alarms} | {lines} |")
    return [*out, ""]


async def drift(shifts: int, seeds: int) -> list[str]:
    """Delay of detection after injected drift, and false alarms in runs without injected drift.

    The first row is the normal loop (`full`). The distance measures are compared on runs whose updates are frozen.
    Otherwise an alarm in the loop would correct the drift, and the other measures could not see it.
    """
    out = [
        "## Drift detection",
        "",
        f"Stable runs: {shifts} calm shifts, {seeds} seeds; a run is one role's campaign. ",
    ]
    out[-1] += f"Pushed runs: one trait by -0.4 from shift {PUSHED_FROM} on."
    out += ["", "| detector | false alarms per episode | runs with any false alarm | T1 delay | T2 delay | T3 delay |"]
    out += ["| --- | --- | --- | --- | --- | --- |"]
    both = ["full", "frozen"]
    stable = {task: await gather(f"{task}:{shifts}~calm", both, seeds, judges=("task",)) for task in TASKS}
    pushed = {}
    for task in TASKS:
        role, trait = PUSHES[task]
        push = f"{task}:{PUSHED_FROM + 6}~calm~{role}.{trait}-0.4@{PUSHED_FROM}"
        pushed[task] = await gather(push, both, seeds, judges=("task",))
    out.append(_row("the loop: max > 0.23", stable, pushed, "full", None))
    kinds: tuple[tuple[Distance, float], ...] = (("max", 0.23), ("l2", 0.35), ("cosine", 0.02))
    for kind, threshold in kinds:
        settings = DriftSettings(distance=kind, threshold=threshold)
        out.append(_row(f"{kind} > {threshold}", stable, pushed, "frozen", settings))
    return [*out, ""]


def _row(
    name: str,
    stable: dict[Task, Collected],
    pushed: dict[Task, Collected],
    variant: str,
    settings: DriftSettings | None,
) -> str:
    alarms = episodes = bad = runs = 0
    for data in stable.values():
        for role in PEOPLE:
            for history in _history(data, role, variant):
                raised = _alarms(history, role, settings)
                alarms, episodes, bad, runs = alarms + sum(raised), episodes + len(raised), bad + any(raised), runs + 1
    cells = [f"{alarms / episodes:.2%}", f"{bad} of {runs} ({bad / runs:.1%})"]
    for task in TASKS:
        delays = _delays(pushed[task], PUSHES[task][0], variant, settings)
        found = [delay for delay in delays if delay is not None]
        within = sum(delay <= 3 for delay in found)
        worst = f"longest {max(found)}" if len(found) == len(delays) else f"missed {len(delays) - len(found)}"
        cells.append(f"{within} of {len(delays)} within 3, {worst}")
    return f"| {name} | {' | '.join(cells)} |"


def _history(data: Collected, role: Role, variant: str) -> list[list[ShiftRow]]:
    """The shifts in which R02 judged a role, campaign by campaign, in order."""
    trials = sorted({shift.row.trial for shift in data.shifts})
    own = [[s for s in data.of(variant) if s.row.trial == trial and role in s.heard] for trial in trials]
    return [sorted(shifts, key=lambda shift: shift.number) for shifts in own if shifts]


def _alarms(history: Sequence[ShiftRow], role: Role, settings: DriftSettings | None) -> list[bool]:
    """Whether the detector gives an alarm after each shift; without settings, what the loop's own detector said."""
    if settings is None:
        return [shift.drift[role] for shift in history]
    heard = [shift.heard[role] for shift in history]
    return [detect(heard[: i + 1], shift.anchor[role], settings).drift for i, shift in enumerate(history)]


def _delays(data: Collected, role: Role, variant: str, settings: DriftSettings | None) -> list[int | None]:
    delays: list[int | None] = []
    for history in _history(data, role, variant):
        raised = zip(history, _alarms(history, role, settings), strict=True)
        numbers = [shift.number for shift, alarm in raised if alarm and shift.number >= PUSHED_FROM]
        delays.append(numbers[0] - PUSHED_FROM + 1 if numbers else None)
    return delays


async def bound(shifts: int) -> list[str]:
    """Prompt length over a long campaign."""
    out = [f"## Prompt length over {shifts} shifts", ""]
    out += [f"Bound: {MAX_LINES} lines, {MAX_CHARS} characters, {LINE_CHARS} a line.", ""]
    out += ["| task | role | longest prompt book (characters) | lines at most | edits | in the last quarter |"]
    out += ["| --- | --- | --- | --- | --- | --- |"]
    for task in TASKS:
        data = await gather(f"{task}:{shifts}", ["full"], 1)
        for role in ("doctor", "nurse", "trainee", "admin"):
            texts = [s.prompts[role] for s in data.shifts if role in s.prompts]
            if texts:
                edits = [s.number for s in data.shifts for edit in s.edits if edit.role == role]
                late = sum(number > shifts * 3 // 4 for number in edits)
                longest, most = max(map(len, texts)), max(text.count("\n") + bool(text) for text in texts)
                out.append(f"| {task} | {role} | {longest} | {most} | {len(edits)} | {late} |")
    return [*out, ""]


async def checker() -> list[str]:
    """The confusion table of the checker with the built-in reader, over scripted dialogues."""
    builtin = BuiltInReader({kind.name: kind for kind in READINGS})

    async def reads(text: str, questions: Sequence[Question]) -> tuple[Finding, ...]:
        return tuple(Finding(*builtin.read(text, question)) for question in questions)

    out = ["## The checker on scripted dialogues, with the built-in reader", ""]
    out += ["| norm | flagged | missed | false alarms | passed |", "| --- | --- | --- | --- | --- |"]
    rows = await confusion(reads, inventory())
    out += [f"| {r.norm} | {r.hits} | {r.misses} | {r.false_alarms} | {r.passes} |" for r in rows]
    return [*out, ""]


async def main() -> None:
    """Run what was requested; `all` writes the results file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("loop", "controls", "ablations", "drift", "bound", "all"))
    parser.add_argument("--shifts", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tasks", default="T1,T2,T3", help="for loop and controls")
    parser.add_argument("--ablation-seeds", type=int, default=3)
    parser.add_argument("--drift-seeds", type=int, default=12)
    parser.add_argument("--long", type=int, default=200)
    asked = parser.parse_args()
    began = time.process_time()
    out: list[str] = []
    if asked.part in ("loop", "all"):
        out += await loop(asked.shifts, asked.seeds, [task for task in TASKS if task in asked.tasks])
    if asked.part in ("controls", "all"):
        out += await controls(asked.shifts, 2 * asked.seeds, [task for task in TASKS if task in asked.tasks])
    if asked.part in ("ablations", "all"):
        out += await ablations(asked.shifts, asked.ablation_seeds)
    if asked.part in ("drift", "all"):
        out += await drift(asked.shifts, asked.drift_seeds)
    if asked.part in ("bound", "all"):
        out += await bound(asked.long)
    if asked.part in ("bound", "all"):
        out += await checker()
    text = "\n".join(out)
    spent = time.process_time() - began
    if asked.part == "all":
        head = (
            f"# Duty, measured\n\n`python -m benchmarks.duty all`, understudies only, {spent / 60:.1f} CPU minutes.\n\n"
        )
        RESULTS.write_text(head + text + "\n", encoding="utf-8")
    print(f"{text}\n({asked.part}: {spent / 60:.1f} CPU minutes)")


if __name__ == "__main__":
    asyncio.run(main())
