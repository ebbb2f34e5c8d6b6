"""Run one episode: flow, then judges, then a result. No store, no terminal, no concurrency."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from polyclinic.core.agent import Agent
from polyclinic.core.branches import ReadingBench
from polyclinic.core.campaign import Effect
from polyclinic.core.clinic import Clinic
from polyclinic.core.database import Transaction
from polyclinic.core.episode import Campaign, Episode, EpisodeSpec, Listener
from polyclinic.core.journal import CallRecord, Journal
from polyclinic.core.judge import Case, Judge
from polyclinic.core.limits import Limits, Meter
from polyclinic.core.model import Usage
from polyclinic.core.observing import ObservedPlayers, Observer
from polyclinic.core.records import StagedRecords
from polyclinic.core.scenario import Scenario
from polyclinic.core.seed import derive
from polyclinic.core.services import Services
from polyclinic.core.switchboard import Players, Switchboard
from polyclinic.core.transcript import Ended, EpisodeStatus, Event, Failed, Score, Scored, Started, Transcript
from polyclinic.core.turns import give_way
from polyclinic.errors import JudgeError, LimitReached, OwnedError, UserError

CommitHook = Callable[[Transaction], object]
"""Work that is also done in the transaction that ends an episode."""


@dataclass
class EpisodeResult:
    """Everything that is kept from an episode."""

    spec: EpisodeSpec
    status: EpisodeStatus
    outcome: str
    transcript: Transcript
    scores: list[Score] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    commit_hooks: list[CommitHook] = field(default_factory=list)
    staged: StagedRecords | None = None
    usage: dict[str, Usage] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    unwritten: list[CallRecord] = field(default_factory=list)
    """Answers that are written to the journal in the transaction that commits this result."""


@dataclass(frozen=True)
class RunContext:
    """What all episodes of a run share: clinic, models, journal, judges, services, limits."""

    clinic: Clinic
    players: Players
    journal: Journal
    judges: Sequence[Judge] = ()
    services: Services = Services()
    limits: Limits = Limits()
    run_meter: Meter | None = None
    listener: Listener | None = None
    observers: Sequence[Observer] = ()

    def observed(self, observers: Sequence[Observer]) -> RunContext:
        """The same context, also watched by these observers; without observers, this context itself."""
        if not observers:
            return self
        return replace(self, players=ObservedPlayers(self.players, observers), observers=observers)

    def meters(self, own: Meter) -> tuple[Meter, ...]:
        """The episode's meter, and the run's meter if there is one."""
        return (own,) if self.run_meter is None else (own, self.run_meter)


async def run_episode(
    context: RunContext,
    spec: EpisodeSpec,
    scenario: Scenario,
    campaign: Campaign | None = None,
    *,
    fresh: bool = False,
    committed_whole: bool = False,
    played: Callable[[Sequence[Effect]], None] | None = None,
) -> EpisodeResult:
    """Run the flow and the judges. Failures inside become data; the user's errors and the run's limits are raised.

    The episode's own limits apply to its flow only: an episode that reached a limit is judged like any other. `fresh`
    says that its journal is known to be empty. `committed_whole` says that the caller commits the last answers with the
    result. `played` is called with the episode's changes before the judges begin, if the flow succeeded and no records
    wait to be written. Judges change nothing that another episode could see.
    """
    clinic, variant = context.clinic, context.clinic.variant(spec.variant)
    meter = Meter(context.limits, "episode")
    board = await Switchboard.open(spec.id, context.players, context.journal, context.meters(meter), fresh=fresh)
    episode = Episode(
        spec, clinic, scenario, variant, board, context.services, campaign or Campaign(), meter, context.listener
    )
    episode.record(_started(context, episode))
    result = EpisodeResult(spec, "done", "", Transcript())
    try:
        result.outcome = await clinic.flow(episode)
    except LimitReached as limit:
        if limit.scope == "run":
            raise
        result.outcome = f"limit:{limit.limit}"
    except UserError:
        raise
    except OwnedError as error:
        _fail(episode, result, Failed.because(error, str(error), _where(error)))
    except Exception as error:
        _fail(episode, result, Failed.because(error, f"{type(error).__name__}: {error}", _where(error)))
    if result.status == "done":
        episode.record(Ended(outcome=result.outcome, data=episode.closing))
        board.meters = () if context.run_meter is None else (context.run_meter,)
        if played is not None and (episode.staged is None or not episode.staged.pending):
            played(episode.effects)
        await _judge(context, board, episode, result)
        result.effects, result.staged = episode.effects, episode.staged
    result.transcript = Transcript(episode.transcript)
    result.failures = [event for event in result.transcript.events if event.kind == "failed"]
    result.usage, result.calls = board.usage, board.calls
    if committed_whole:
        result.unwritten = board.take_unwritten()
    try:
        await board.written()
    except OwnedError as error:
        return as_failed(result, str(error))
    return result


def _started(context: RunContext, episode: Episode) -> Started:
    return Started(
        clinic=context.clinic.name,
        scenario=episode.scenario.id,
        variant=episode.variant.name,
        trial=episode.spec.trial,
        seed=episode.spec.seed,
        cast=context.players.describe(),
    )


def _fail(episode: Episode, result: EpisodeResult, failure: Failed) -> None:
    result.status, result.outcome = "failed", f"failed:{failure.owner}"
    episode.record(failure)


def as_failed(result: EpisodeResult, error: str) -> EpisodeResult:
    """Turn a result into that of a failed episode: none of its changes are kept, and its scores do not count."""
    failure = Failed(owner="engine", error=error, where="commit")
    events = [event for event in result.transcript if not isinstance(event, (Ended, Scored))]
    transcript = Transcript([*events, failure])
    return EpisodeResult(
        result.spec,
        "failed",
        "failed:engine",
        transcript,
        failures=transcript.of(Failed),
        usage=result.usage,
        calls=result.calls,
        unwritten=result.unwritten,
    )


def _where(error: BaseException) -> str:
    """The innermost place of the traceback in Polyclinic's own code, without local paths."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        _, found, inside = frame.filename.replace("\\", "/").rpartition("/polyclinic/")
        if found:
            return f"{inside}:{frame.lineno} {frame.name}"
    return ""


class JudgeBench(ReadingBench):
    """The bench of a judge: its calls go through the episode's journal, its events into the transcript."""

    def __init__(self, board: Switchboard, events: list[Event], seed: int, judge: str) -> None:
        super().__init__(board, events, seed)
        self._judge = judge

    def agent(self, role: str = "judge") -> Agent:
        """An agent in a judging role. If its reply cannot be read, that is the judge's failure."""
        seed = derive(derive(self._seed, self._judge), role) % 2**31
        return Agent(role, self._board, self.record, "judge", seed)


async def judge_case(context: RunContext, board: Switchboard, case: Case, seed: int) -> tuple[list[Event], list[Score]]:
    """Run every judge, in order. A judge that fails gives no score, and its failure becomes an event."""
    events: list[Event] = []
    scores: list[Score] = []
    for judge in context.judges:
        await give_way()
        heard: list[Event] = []
        bench = JudgeBench(board, heard, seed, judge.name)
        try:
            given = await judge.score(case, bench)
        except (LimitReached, UserError):
            raise
        except Exception as error:
            given = []
            blamed = error if isinstance(error, OwnedError) else JudgeError(str(error))
            heard.append(Failed.because(blamed, f"{judge.name}: {error}", _where(error), fatal=False))
        events += heard
        events += [Scored(score=score) for score in given]
        scores += given
    return events, scores


async def _judge(context: RunContext, board: Switchboard, episode: Episode, result: EpisodeResult) -> None:
    case = Case(episode.scenario, episode.variant, Transcript(episode.transcript), episode.spec.trial)
    events, scores = await judge_case(context, board, case, episode.seed)
    for event in events:
        episode.record(event)
    result.scores = scores
