"""`polyclinic eval`: a clinic's named evaluations, run on any cast.

A clinic offers them as ``Clinic(name="ward", evaluations={"falls": evaluate})``; ``ward-falls`` is then the name on the
command line. An evaluation is ``async evaluate(bench, file)`` and returns an `Evaluation`: `figures`, which ``--json``
prints, and `sections` for people. Its docstring is its help: what it measures, and which rows ``--file`` takes.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from time import monotonic
from typing import TextIO

import click

from polyclinic.cli.options import NewFile, json_option, print_result, wait
from polyclinic.core.agent import Agent
from polyclinic.core.branches import ReadingBench
from polyclinic.core.clinic import Clinic
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.seed import derive
from polyclinic.core.switchboard import Players, Switchboard
from polyclinic.core.transcript import Event
from polyclinic.core.value import Value
from polyclinic.errors import ConfigError, UnknownName
from polyclinic.eval.evaluation import Evaluate, Evaluation
from polyclinic.eval.terminal import section_text
from polyclinic.reading.measure import keep_accuracy
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.progress import DRAW_EVERY_S
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import RunPlan, parse_plan
from polyclinic.runner.readings import READINGS, measure_reader
from polyclinic.runner.registry import clinic_modules, load_clinic


class EvalBench(ReadingBench):
    """Agents of a cast, outside any episode. Their calls are kept in memory only."""

    def __init__(self, clinic: Clinic, board: Switchboard, seed: int) -> None:
        self.events: list[Event] = []
        super().__init__(board, self.events, seed)
        self._clinic = clinic

    def agent(self, role: str = "judge") -> Agent:
        """An agent in a role of the clinic."""
        owner = self._clinic.role(role).owner
        return Agent(role, self._board, self.record, owner, derive(self._seed, role) % 2**31)


class LinesRead:
    """Tells a person at a terminal how many lines are read; a log or a pipe gets nothing."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._live, self._drawn = out, out.isatty(), -DRAW_EVERY_S

    def __call__(self, done: int, total: int) -> None:
        """Draw the count again, a few times a second."""
        if self._live and (done == total or monotonic() - self._drawn >= DRAW_EVERY_S):
            self._drawn = monotonic()
            self._out.write(f"\r{done:,} of {total:,} lines read" + ("\n" if done == total else ""))
            self._out.flush()


class EvalCommand(click.Command):
    """The help lists the evaluations of all clinics. Clinics are loaded only when they are needed."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each evaluation with its docstring."""
        with formatter.section("Evaluations"):
            formatter.write_dl([(READINGS, inspect.getdoc(measure_reader) or ""), *_described()])


@click.command(cls=EvalCommand, name="eval", short_help="Run a clinic's named evaluation, or measure a reader.")
@click.argument("name")
@click.option(
    "--file", "file", default="", metavar="FILE", help="Your own rows.  [default: what ships with the clinic]"
)
@click.option(
    "--cast", default="all=understudy", show_default=True, metavar="ROLE=MODEL,…", help="Who plays which role."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same result.")
@click.option("--local-only", is_flag=True, help="Refuse any model endpoint outside this machine.")
@click.option("--out", type=NewFile(".json"), default=None, help="Also write the numbers to this JSON file.")
@click.option("--clinic", "only", default="", metavar="NAME", help="readings: only the kinds of this clinic.")
@click.option("--keep", is_flag=True, help="readings: save the result, so that reports show how good this reader is.")
@click.option("--kind", default="", metavar="KIND", help="readings: only this kind.")
@json_option
def command(
    name: str,
    file: str,
    cast: str,
    seed: int,
    local_only: bool,
    out: str | None,
    only: str,
    keep: bool,
    kind: str,
    as_json: bool,
) -> int:
    """Run a clinic's named evaluation, or measure a reader with 'readings'.

    NAME is one of the evaluations below.

    \b
    polyclinic eval CLINIC-EVALUATION --file ROWS --cast ROLE=local:WEIGHTS
    polyclinic eval readings --clinic CLINIC --cast reader=openai:gpt-5-mini
    """
    if name == READINGS:
        measured = wait(measure_reader(only, kind, file, cast, seed, local_only, LinesRead(sys.stderr)))
        if keep:
            keep_accuracy(measured.figures.reader, measured.figures.kinds)
        found: Evaluation[Value] = measured
    else:
        if only or kind or keep:
            raise ConfigError(f"--clinic, --kind and --keep go with 'eval readings', not with 'eval {name}'")
        clinic, evaluate = find_evaluation(name)
        plan = parse_plan(make_config({"clinic": clinic.name, "cast": cast, "seed": seed, "local_only": local_only}))
        found = wait(_run(plan, evaluate, file))
    if out is not None:
        import orjson

        Path(out).write_bytes(orjson.dumps(found.to_plain(), option=orjson.OPT_INDENT_2))
    print_result(
        as_json,
        {"evaluation": name, "cast": cast, **found.to_plain()},
        "\n\n".join(section_text(section) for section in found.sections),
    )
    return 0


def find_evaluation(name: str) -> tuple[Clinic, Evaluate]:
    """The clinic and its evaluation. The error for an unknown name lists the available names."""
    clinic_name, _, wanted = name.partition("-")
    known = clinic_modules()
    if clinic_name in known:
        clinic = load_clinic(clinic_name)
        if wanted in clinic.evaluations:
            return clinic, clinic.evaluations[wanted]
    short = [clinic for key in known if name in (clinic := load_clinic(key)).evaluations]
    if len(short) == 1:
        return short[0], short[0].evaluations[name]
    raise UnknownName("evaluation", name, [READINGS, *(listed for listed, _ in _described())])


def _described() -> list[tuple[str, str]]:
    """The evaluations of all clinics, each with its help."""
    return [
        (f"{clinic.name}-{name}", inspect.getdoc(evaluate) or "")
        for clinic in map(load_clinic, clinic_modules())
        for name, evaluate in clinic.evaluations.items()
    ]


async def _run(plan: RunPlan, evaluate: Evaluate, file: str) -> Evaluation[Value]:
    journal = MemoryJournal()
    async with build(plan, journal) as built:
        return await evaluate(await open_bench(plan.clinic, built.context.players, journal, plan.config.seed), file)


async def open_bench(clinic: Clinic, players: Players, journal: MemoryJournal, seed: int) -> EvalBench:
    """Open a bench whose agents are played by these players."""
    return EvalBench(clinic, await Switchboard.open("evaluation", players, journal), seed)
