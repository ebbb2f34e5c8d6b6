"""Everything from our lines to the networks for both languages, in the right order, in a given time. Needs torch,
transformers and a GPU.

    python -m tools.encoder.all MODEL PACKAGE PAIRS results --minutes 27
    python -m tools.encoder.all --tiny results

MODEL is the folder of a language model for transformers, PACKAGE that of the second network's package, PAIRS the file
of inferences. Several trainings run at once on one GPU: first the language models (a reader, and two teachers for the
guard), then the networks (the guard's with all authors and without each of two groups, and the reader's second one).
A network begins as soon as its teacher has spoken, and gets all the time that is left. Each result is in `results` as
soon as it stands, in parts if it is larger than 16 MiB. What is between is in the folder `work` there; a second run
with the same folder does not do again what is done, and goes on with networks that were not. `--tiny` goes through all
of it with few lines and random models, on a processor.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from polyclinic.clinics.counsel.rules.sentence_guard import NETWORKS
from polyclinic.reading.networks import SECOND
from tools.encoder import parts
from tools.encoder.jobs import Job, Room, Runner
from tools.encoder.tiny import Inputs, tiny_inputs

_RESERVE = 40.0
"""The networks end so many seconds before the time is up: then they are packed."""
MEMORY = (45.0, 15.0)
"""What a language model of 1.5 billion weights and a network take of a GPU while they are trained, in GB."""
_READER, _TEACHER = 0.36, 0.18
"""How much of the whole time the language models learn."""


class Sizes(NamedTuple):
    """The options that decide how much is done in each step."""

    pieces: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    reader: tuple[str, ...] = ("--others", "40000")
    figures: tuple[str, ...] = ()
    teacher: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    guard: tuple[str, ...] = (
        *("--row-weight", "0", "--label-batch", "96", "--message-batch", "128", "--steps", "5000"),
    )
    second: tuple[str, ...] = ("--statement-batch", "96")


_TINY_LEARNER = ("--most-lines", "200", "--epochs", "1", "--batch", "40")
TINY = Sizes(
    pieces=("--most", "600"),
    lessons=("--most-lines", "300"),
    pool=("--messages", "40", "--statements", "40", "--turns", "20"),
    vectors=("--each", "1"),
    reader=(*_TINY_LEARNER, "--others", "100"),
    figures=("--most-lines", "100"),
    teacher=_TINY_LEARNER,
    network=(
        *("--steps", "5", "--layers", "01", "--inner", "12", "--batch", "8", "--label-batch", "8"),
        *("--message-batch", "8", "--statement-batch", "8", "--inference-batch", "8", "--save-every", "1"),
    ),
    guard=("--row-weight", "0"),
    second=(),
)


def plan(
    inputs: Inputs,
    results: Path,
    seconds: float,
    memory: tuple[float, float] = MEMORY,
    *,
    reader_share: float = _READER,
    tiny: bool = False,
) -> list[Job]:
    """All jobs, which work in the folder `work` of the results. `memory` is what a language model and a network take of
    a GPU while they are trained, in GB. `reader_share` is how much of the time the reader learns.
    """
    (for_model, for_network), sizes, folder = memory, TINY if tiny else Sizes(), results / "work"
    pieces, start, ready, pool = (folder / name for name in ("pieces.txt", "start.npz", "ready.npz", "pool.jsonl"))
    inferences, statements, figures = (folder / name for name in ("inferences.npz", "statements.jsonl", "reader.json"))
    messages = {name: folder / f"{name}.jsonl" for name in ("messages", "messages-01")}

    def fixed(module: str, *options: object) -> Callable[[float], Sequence[str]]:
        return lambda left: _command(module, *options)

    def network(name: str, opinions: Path, *options: object) -> Callable[[float], Sequence[str]]:
        out = folder / f"{name}.npz"
        begun = out if "--leave-out" not in options else folder / f"{name}-network.npz"

        def command(left: float) -> Sequence[str]:
            more = ("--resume", begun) if begun.exists() else ()
            known = ("--opinions", opinions) if opinions.exists() else ()
            ends = ("--seconds", 1e6, "--until", round(time.time() + left - _RESERVE))
            asked = (ready, out, *ends, *known, *more, *sizes.network, *options)
            return _command("train", *asked)

        return command

    learned, given = ("vectors",), ("inputs",) if tiny else ()
    jobs = [Job("inputs", fixed("tiny", folder))] if tiny else []
    jobs += [
        Job("pieces", fixed("korean_pieces", pieces, *sizes.pieces)),
        Job("pool", fixed("pool", pool, *sizes.pool)),
        Job("start", fixed("lessons", inputs.package, start, "--korean", pieces, *sizes.lessons), (*given, "pieces")),
        Job("inferences", fixed("inferences", inputs.pairs, start, inferences), ("start",)),
        Job("vectors", fixed("korean", inputs.model, start, ready, *sizes.vectors), ("start",), memory=for_model / 10),
        Job(
            "reader",
            fixed(
                "readings",
                *("learn", inputs.model, folder / "reader", pool, statements),
                *("--seconds", round(reader_share * seconds), *sizes.reader),
            ),
            (*given, "pool"),
            memory=for_model,
            results=(statements,),
        ),
        Job(
            "figures",
            fixed("readings", "measure", folder / "reader", figures, *sizes.figures),
            ("reader",),
            memory=for_model / 4,
            results=(figures,),
        ),
    ]
    for name, out in messages.items():
        away = ("--leave-out", 0, 1) if name.endswith("-01") else ()
        taught = fixed(
            "teacher", inputs.model, pool, out, "--seconds", round(_TEACHER * seconds), *sizes.teacher, *away
        )
        jobs.append(Job(name, taught, (*given, "pool"), memory=for_model, results=(out,)))
    jobs += [
        Job("guard", network("guard", messages["messages"], *sizes.guard), learned, ("messages",), for_network),
        *(
            Job(
                f"out-{group}",
                network(f"out-{group}", messages["messages-01"], *sizes.guard, "--leave-out", group),
                learned,
                ("messages-01",),
                for_network,
            )
            for group in (0, 1)
        ),
        Job(
            "second",
            network("second", statements, "--inferences", inferences, *sizes.second),
            (*learned, "inferences"),
            ("reader",),
            for_network,
        ),
        Job(
            "packed-guard",
            fixed("guard", "--folder", results, "pack", folder / "guard.npz"),
            ("guard",),
            results=(results / NETWORKS[0].weights,),
        ),
        Job(
            "unseen",
            fixed("guard", "--folder", results, "unseen", *(folder / f"out-{group}.npz" for group in (0, 1))),
            ("out-0", "out-1"),
            results=(results / NETWORKS[0].unseen,),
        ),
        Job(
            "packed-second",
            fixed("pack", folder / "second.npz", results / SECOND, "--labels"),
            ("second",),
            results=(results / SECOND,),
        ),
    ]
    return jobs


def _command(module: str, *options: object) -> list[str]:
    return [sys.executable, "-m", f"tools.encoder.{module}", *map(str, options)]


def deliver(results: Path, most: int) -> Callable[[Job], None]:
    """Puts what a job has made into the folder of results: texts packed, and large files in parts."""

    def put(job: Job) -> None:
        for path in job.results:
            there = results / path.name
            if path.suffix == ".jsonl":
                there = results / f"{path.name}.gz"
                there.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            elif path != there:
                shutil.copyfile(path, there)
            parts.cut(there, most)

    return put


def main(arguments: list[str] | None = None) -> int:
    """Run all jobs and say how each ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", type=Path, nargs="*", metavar="MODEL PACKAGE PAIRS", help="not with --tiny")
    parser.add_argument("results", type=Path, help="the folder for what is made")
    parser.add_argument("--minutes", type=float, default=27.0, help="the whole time; default: %(default)s")
    parser.add_argument("--at-once", type=int, default=6, help="jobs at once; default: %(default)s")
    parser.add_argument("--memory", type=float, default=140.0, help="of the GPU, in GB; default: %(default)s")
    for name, default in zip(("model", "network"), MEMORY, strict=True):
        parser.add_argument(f"--{name}-memory", type=float, default=default, help="of one; default: %(default)s")
    parser.add_argument("--most-bytes", type=int, default=parts.MOST_BYTES, help="of a result; default: %(default)s")
    parser.add_argument("--only", nargs="+", default=[], metavar="JOB", help="do only these; log.txt has the names")
    share = "of the whole time in which the reader learns; default: %(default)s. With --only pool reader figures: 0.6"
    parser.add_argument("--reader-share", type=float, default=_READER, help=share)
    parser.add_argument("--tiny", action="store_true", help="few lines and random models, to try everything")
    given = parser.parse_args(arguments)
    if len(given.inputs) != (0 if given.tiny else 3):
        parser.error("give MODEL, PACKAGE and PAIRS, or --tiny")
    started, folder = time.monotonic(), given.results / "work"
    folder.mkdir(parents=True, exist_ok=True)

    def say(line: str) -> None:
        told = f"{time.monotonic() - started:5.0f} s  {line}"
        print(told, flush=True)
        with (given.results / "log.txt").open("a", encoding="utf-8") as log:
            log.write(f"{told}\n")

    inputs = tiny_inputs(folder) if given.tiny else Inputs(*given.inputs)
    seconds, memory = given.minutes * 60, (given.model_memory, given.network_memory)
    jobs = plan(inputs, given.results, seconds, memory, reader_share=given.reader_share, tiny=given.tiny)
    strange = set(given.only) - {job.name for job in jobs}
    if strange:
        parser.error(f"no such job: {', '.join(sorted(strange))}")
    put, room, only = deliver(given.results, given.most_bytes), Room(given.at_once, given.memory), frozenset(given.only)
    states = Runner(jobs, folder, room, started + seconds, put, say, only).run()
    for name, state in states.items():
        say(f"{name}: {state}")
    return 0 if all(states[job.name] == "done" for job in jobs if not only or job.name in only) else 1


if __name__ == "__main__":
    sys.exit(main())
