"""Score a finished run again, with other judges or another judge model, without running it again."""

from __future__ import annotations

import asyncio
import hashlib

from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import judge_case
from polyclinic.core.judge import Case
from polyclinic.core.seed import derive
from polyclinic.core.switchboard import Switchboard
from polyclinic.core.transcript import Failed, Scored, Transcript
from polyclinic.errors import ConfigError
from polyclinic.models.human import HumanDesk
from polyclinic.runner.build.built_run import build
from polyclinic.runner.execute.tasks import all_of
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import read_scenarios
from polyclinic.store.scores import LIVE
from polyclinic.store.store import Store


def strip_judging(transcript: Transcript) -> Transcript:
    """The transcript as the judges first saw it: everything up to the end of the episode."""
    events = list(transcript)
    last = max((i for i, event in enumerate(events) if event.kind == "ended"), default=len(events) - 1)
    return Transcript(event for event in events[: last + 1] if not isinstance(event, Scored))


async def rescore(
    store: Store,
    run: str,
    name: str = "",
    judges: tuple[str, ...] = (),
    cast: str = "",
    samples: int = 0,
    concurrency: int = 16,
) -> tuple[str, int, list[Failed]]:
    """Judge every finished episode again under the name of a new scoring.

    Returns (the scoring's name, how many episodes were scored, the judges' failures). Calls are journalled: a rescoring
    that was stopped continues if it is started again under the same name. Roles that people played stay as they were:
    only judges are called.
    """
    row = await store.runs.get(run)
    changes = {"cast": cast or row.config["cast"], "judges": judges, "samples": samples}
    config = make_config({**row.config, **changes})
    scoring = name or hashlib.sha256(repr(sorted(changes.items())).encode()).hexdigest()[:6]
    if scoring == LIVE:
        raise ConfigError(f"'{LIVE}' is the run's own scoring; choose another name")
    plan = parse_plan(config)
    clinic = plan.clinic
    scenarios = read_scenarios(clinic, await store.runs.scenarios(row.id))
    rows = [r for r in await store.runs.episodes(row.id, config.seed, clinic.name) if r.status == "done"]
    if not rows:
        raise ConfigError(f"{row.id} has no finished episode yet: there is nothing to judge")
    room = asyncio.Semaphore(concurrency)
    failures: list[Failed] = []
    desk = HumanDesk()
    desk.close(ConfigError("a person cannot judge here: cast a model as the judge"))
    async with build(plan, store.journal(row.id), store, desk=desk) as built:

        async def one(spec: EpisodeSpec) -> None:
            async with room:
                transcript = strip_judging(await store.runs.transcript(row.id, spec.id))
                case = Case(scenarios[spec.scenario], clinic.variant(spec.variant), transcript, spec.trial)
                board = await Switchboard.open(
                    f"{spec.id}#{scoring}", built.context.players, built.context.journal, (built.meter,)
                )
                seed = derive(spec.seed, spec.scenario, spec.variant, spec.trial)
                events, scores = await judge_case(built.context, board, case, seed)
                await board.written()
                failures.extend(event for event in events if isinstance(event, Failed))
                await store.scores.put(row.id, spec.id, scoring, scores)

        await all_of([one(r.spec) for r in rows])
    return scoring, len(rows), failures
