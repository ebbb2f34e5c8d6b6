"""One role of a clinic as a multi-turn environment. The other roles are played as in any run; judges give the reward.

An episode here is an episode of the engine: the same flow, limits, re-asking and judges, in a store in memory. The
policy gets the same messages as any model in that role; each question waits until the training code answers it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from polyclinic.core.clinic import Clinic
from polyclinic.core.judge import Case, Metric
from polyclinic.core.model import Completion, Model, ModelKind, Request, estimate_usage, role_of
from polyclinic.core.switchboard import Players
from polyclinic.core.turns import cancel_all
from polyclinic.errors import ConfigError, PersonLeft, UnknownName
from polyclinic.eval.results import EpisodeRow
from polyclinic.runner.api import execute, save_run
from polyclinic.runner.build.built_run import build
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import load_results, own_figures
from polyclinic.store.store import open_store


@dataclass
class WaitingQuestion:
    """A question, and the future that receives its answer."""

    request: Request
    answer: asyncio.Future[Completion]


class PolicyModel:
    """Plays a role with text that comes from outside.

    It counts as a language model: its replies are parsed and retried, and its failures are counted, like any other
    model's.
    """

    name = "policy"
    kind: ModelKind = "llm"
    trained = True

    def __init__(self) -> None:
        self._questions: asyncio.Queue[WaitingQuestion] = asyncio.Queue()

    async def answer(self, request: Request) -> Completion:
        """Wait for the answer."""
        waiting = WaitingQuestion(request, asyncio.get_running_loop().create_future())
        await self._questions.put(waiting)
        return await waiting.answer

    async def next(self) -> WaitingQuestion:
        """Wait for the next question."""
        return await self._questions.get()


def said(waiting: WaitingQuestion, text: str) -> None:
    """Answer a question. An empty answer is allowed: the engine then asks again."""
    if not waiting.answer.done():
        completion = Completion(text=text, usage=estimate_usage(waiting.request, text))
        waiting.answer.set_result(completion)


def leave(waiting: WaitingQuestion) -> None:
    """End an episode that will not be continued."""
    if not waiting.answer.done():
        waiting.answer.set_exception(PersonLeft("the environment was closed"))


class WithPolicy:
    """The players of a run, with the policy in one role."""

    def __init__(self, players: Players, role: str, policy: Model) -> None:
        self._players, self._role, self._policy = players, role, policy

    def model(self, role: str) -> Model:
        """The policy for its role and all seats of this role, or only for one seat if a seat was named."""
        mine = role == self._role or ("-" not in self._role and role_of(role) == self._role)
        return self._policy if mine else self._players.model(role)

    def describe(self) -> dict[str, str]:
        """The model name of each role."""
        return {**self._players.describe(), self._role: self._policy.name}


@dataclass(frozen=True)
class Observation:
    """What the policy sees, or how the episode ended.

    `messages` are the whole prompt in chat form; `text` is its last user turn, for callers that keep the history
    themselves. `schema` is the JSON schema of the reply, if one is required. `reward` is 0 until the end. It is None if
    an episode failed through no fault of the policy, so that nothing is learned from it.
    """

    messages: tuple[dict[str, str], ...] = ()
    prompt: str = ""
    schema: dict[str, Any] | None = None
    done: bool = False
    reward: float | None = 0.0
    figures: dict[str, float] = field(default_factory=dict)
    outcome: str = ""

    @property
    def text(self) -> str:
        """The last message to the policy."""
        return self.messages[-1]["content"] if self.messages else ""


class RoleEnvironment:
    """`reset(number)` starts an episode on one of the scenarios, `step(text)` answers and continues.

    The reward is the mean of `metric` over the episode, as its judge gave it. Without `metric`, it is the mean of the
    role's own metrics, each scaled to 0 to 1, where more is better. `settings` are those of a run file (`options`,
    limits …).
    """

    def __init__(
        self,
        clinic: str,
        role: str,
        *,
        scenarios: str = "",
        variant: str = "",
        cast: str = "all=understudy",
        metric: str = "",
        seed: int = 0,
        failed_reward: float = 0.0,
        **settings: Any,
    ) -> None:
        self._clinic: Clinic = load_clinic(clinic)
        self._role, self._metric, self._failed_reward = role, metric, failed_reward
        if self._clinic.role(role).side == "judge":
            raise ConfigError(f"{role} is a judge of {clinic}, so it would give itself its reward; choose another role")
        self._metrics: dict[str, Metric] = {one.name: one for judge in self._clinic.judges() for one in judge.metrics}
        if metric and metric not in self._metrics:
            raise UnknownName("metric of {1}", metric, self._metrics, of=clinic)
        if not metric and not self._clinic.role(role).metrics:
            raise ConfigError(f"{role} of {clinic} has no metrics of its own; name one with metric=")
        self._settings: dict[str, Any] = {
            "clinic": clinic,
            "scenarios": scenarios or self._clinic.to_play(role, "en"),
            "variants": (variant or self._clinic.first_variant,),
            "cast": cast,
            "seed": seed,
            "concurrency": 1,
            **settings,
        }
        self._policy = PolicyModel()
        self._task: asyncio.Task[EpisodeRow] | None = None
        self._waiting: WaitingQuestion | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def reset(self, number: int = 0) -> Observation:
        """Begin an episode on the scenario with this number; an episode that is still running is abandoned."""
        await self.close()
        self._policy = PolicyModel()
        self._task = asyncio.create_task(self._episode(number))
        return await self._seen()

    async def step(self, text: str) -> Observation:
        """Answer the last question, and return the next observation."""
        if self._waiting is None:
            raise ConfigError("no question is open: call reset first, and stop when an observation is done")
        waiting, self._waiting = self._waiting, None
        said(waiting, text)
        return await self._seen()

    async def close(self) -> None:
        """Abandon the running episode, if any."""
        task, self._task = self._task, None
        if self._waiting is not None:
            leave(self._waiting)
            self._waiting = None
        if task is not None:
            await cancel_all([task])

    async def _seen(self) -> Observation:
        if self._task is None:
            raise ConfigError("the environment is closed")
        asked = asyncio.ensure_future(self._policy.next())
        await asyncio.wait({asked, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            self._waiting = asked.result()
            return _observation(self._waiting.request)
        asked.cancel()
        task, self._task = self._task, None
        return self._ended(await task)

    async def _episode(self, number: int) -> EpisodeRow:
        """Run one episode of the engine, with the policy in its role."""
        config = make_config(self._settings)
        async with open_store("sqlite://:memory:") as store:
            plan = await plan_run(store, config)
            if not plan.episodes:
                raise ConfigError(f"no scenario matches {config.scenarios}")
            one = replace(plan, episodes=(plan.episodes[number % len(plan.episodes)],))
            async with build(one, store.journal(""), store) as built:
                name, _ = await save_run(store, one)
                players = WithPolicy(built.context.players, self._role, self._policy)
                context = replace(built.context, journal=store.journal(name), players=players)
                await execute(store, name, one, replace(built, context=context))
            results = await load_results(store, name)
        episode = results.episodes[0]
        self._case = Case(
            results.scenarios[episode.scenario],
            self._clinic.variant(episode.variant),
            episode.transcript,
            episode.trial,
        )
        return episode

    def _ended(self, episode: EpisodeRow) -> Observation:
        if episode.status != "done":
            mine = any(failure.owner == self._clinic.role(self._role).owner for failure in episode.failures)
            return Observation(done=True, reward=self._failed_reward if mine else None, outcome=episode.outcome)
        figures = own_figures(self._clinic, self._role, self._case)
        if self._metric:
            values = [score.value for score in episode.scores if score.metric == self._metric]
            reward = sum(values) / len(values) if values else None
        else:
            reward = _scaled(figures, self._metrics)
        return Observation(done=True, reward=reward, figures=figures, outcome=episode.outcome)


def _observation(request: Request) -> Observation:
    messages = tuple({"role": message.role, "content": message.content} for message in request.messages)
    return Observation(messages, request.prompt.prompt_name(), request.reply_schema)


def _scaled(figures: dict[str, float], metrics: dict[str, Metric]) -> float | None:
    """The mean of the role's figures, each scaled to 0 to 1 so that more is better."""
    found: list[float] = []
    for name, value in figures.items():
        metric = metrics.get(name)
        if metric is None or metric.high <= metric.low:
            continue
        share = min(1.0, max(0.0, (value - metric.low) / (metric.high - metric.low)))
        found.append(share if metric.higher_is_better else 1.0 - share)
    return sum(found) / len(found) if found else None
