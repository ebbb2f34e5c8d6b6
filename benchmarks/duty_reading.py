"""Compare the built-in reader's findings with what offline staff really said, and measure the variants with both.

python -m benchmarks.duty_reading agreement   breaches said and found, in both voices
python -m benchmarks.duty_reading variants    slips really said and norms found broken, by variant, task and voice
python -m benchmarks.duty_reading subject     lines of the training authors that count as being about their shift
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from benchmarks.duty_habits import BREAKS, given_in
from polyclinic.clinics.duty.rules.subject import about_the_shift
from polyclinic.clinics.duty.scenario.load import by_id, shipped
from polyclinic.clinics.duty.scenario.schema import TASKS
from polyclinic.core.transcript import Said, Violated
from polyclinic.eval.results import EpisodeRow, RunResults
from polyclinic.reading.windows import SPEAKER
from polyclinic.runner.readings import labelled
from polyclinic.testing.runs import played

VARIANTS = ("plain", "norm-instructed", "reflection-only", "memory-only", "full", "frozen", "shuffled")
VOICES = ("first", "second")


async def in_voice(selector: str, variants: Sequence[str], voice: str, seed: int) -> RunResults:
    """One run in memory with offline players in this voice."""
    options = {"voice": voice}
    return await played(
        clinic="duty", variants=variants, scenarios=selector, seed=seed, judges=("norms", "task"), options=options
    )


def messages(row: EpisodeRow) -> Iterator[tuple[set[str], set[str]]]:
    """For each message of the staff: the norms it was meant to break, and those found broken in its words.

    A judge reads after the last message. A breach belongs to the first message of its speaker that has its words.
    """
    said = [event for event in row.transcript.events if isinstance(event, Said) and event.speaker != "patient"]
    found: list[set[str]] = [set() for _ in said]
    for event in row.transcript.events:
        if isinstance(event, Violated):
            places = (at for at, one in enumerate(said) if one.speaker == event.by and event.words in one.text)
            found[next(places)].add(event.rule)
    for one, broken in zip(said, found, strict=True):
        yield {BREAKS[habit] for habit in given_in(one.text, one.to)}, broken


async def agreement(shifts: int) -> list[str]:
    """Compare the built-in reader with what offline staff really said, norm by norm."""
    out = ["| voice | norm | said | found | found without being said |", "| --- | --- | --- | --- | --- |"]
    for voice in VOICES:
        said: Counter[str] = Counter()
        hit: Counter[str] = Counter()
        alarm: Counter[str] = Counter()
        clean = flagged = 0
        for task in TASKS:
            results = await in_voice(f"{task}:{shifts}", ["plain"], voice, 1)
            for meant, found in (pair for row in results.episodes for pair in messages(row)):
                said.update(meant)
                hit.update(meant & found)
                alarm.update(found - meant)
                clean += not meant
                flagged += not meant and bool(found)
        out += [f"| {voice} | {n} | {said[n]} | {hit[n]} | {alarm[n]} |" for n in sorted(BREAKS.values())]
        share = f"{sum(hit.values())} of {sum(said.values())} breaches found"
        out.append(f"| {voice} | all | {share} | | {flagged} of {clean} clean messages flagged |")
    return out


async def variants(shifts: int, seeds: int) -> list[str]:
    """Slips per message as really said, and NVR and TSR as the reader finds them, for each variant, task and voice."""
    out = [
        "| task | variant | voice | slips per message | NVR as read | TSR as read |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for task in TASKS:
        for voice in VOICES:
            runs = [await in_voice(f"{task}:{shifts}", VARIANTS, voice, seed) for seed in range(1, seeds + 1)]
            for name in VARIANTS:
                rows = [row for results in runs for row in results.of(variant=name)]
                slips = fmean(len(meant) for row in rows for meant, _ in messages(row))
                nvr = fmean(value for row in rows if (value := row.value("nvr")) is not None)
                tsr = fmean(value for row in rows if (value := row.value("tsr")) is not None)
                out.append(f"| {task} | {name} | {voice} | {slips:.3f} | {nvr:.3f} | {tsr:.3f} |")
    return out


def subject() -> list[str]:
    """How often a line of a training author counts as being about its own shift, and how often a line that was written
    for another clinic counts as being about some shift.
    """
    shifts, rows = by_id(shipped()), labelled(split="train")
    on = sorted({(row.about, SPEAKER.sub("", row.text)) for row in rows if row.about in shifts})
    off = sorted({row.text for row in rows if not row.question.kind.startswith("duty")})
    names = sorted(shifts)
    away = [(names[place % len(names)], text) for place, text in enumerate(off)]
    out = ["| lines | n | about the shift |", "| --- | --- | --- |"]
    for name, lines in (("about this shift", on), ("of another clinic", away)):
        share = fmean(about_the_shift(shifts[shift], text) for shift, text in lines)
        out.append(f"| {name} | {len(lines)} | {share:.3f} |")
    return out


async def main() -> None:
    """Print what was requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("agreement", "variants", "subject"))
    parser.add_argument("--shifts", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=2)
    asked = parser.parse_args()
    match asked.part:
        case "agreement":
            rows = await agreement(asked.shifts)
        case "variants":
            rows = await variants(asked.shifts, asked.seeds)
        case _:
            rows = subject()
    print("\n".join(rows))


if __name__ == "__main__":
    asyncio.run(main())
