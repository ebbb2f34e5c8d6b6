"""Episodes in which everybody says the same words again while a reader turns its answers of one kind round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import orjson

from polyclinic.core.agent import read_completion
from polyclinic.core.episode import EpisodeSpec
from polyclinic.core.execute import RunContext, run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.judge import Case, weighted_value
from polyclinic.core.model import Completion, Model, Request, Wrapper, role_of
from polyclinic.core.read_text import ReadsText
from polyclinic.core.reading import READER
from polyclinic.core.reply import Unreadable
from polyclinic.core.scenario import Scenario
from polyclinic.core.switchboard import Players
from polyclinic.runner.execute.running_campaign import lone_campaign

TURNED = {"yes": "no", "no": "yes", "unclear": "unclear"}


@dataclass
class Said:
    """What everybody said in an episode, in order, by role and prompt; and the kinds that the reader was asked."""

    replies: dict[tuple[str, str], list[Completion]] = field(default_factory=lambda: defaultdict(list))
    kinds: set[str] = field(default_factory=set)


Rewords = Callable[[Request, Completion], Completion]


def as_said(request: Request, completion: Completion) -> Completion:
    """Leave what a player said as it is."""
    return completion


class Held:
    """Players who say the same again. `turned` is the kind of reading whose answers are turned round."""

    def __init__(self, players: Players, said: Said, turned: str | None, rewords: Rewords) -> None:
        self._players, self._said, self._turned, self._rewords = players, said, turned, rewords
        self._asked: dict[tuple[str, str], int] = defaultdict(int)

    def model(self, role: str) -> Model:
        model = self._players.model(role)
        if role_of(role) == READER:
            return TurnedReader(model, self._said, self._turned)
        return HeldModel(model, self._said, self._asked, self._rewords, self._turned is not None)

    def describe(self) -> dict[str, str]:
        return self._players.describe()


class HeldModel(Wrapper):
    def __init__(
        self, model: Model, said: Said, asked: dict[tuple[str, str], int], rewords: Rewords, again: bool
    ) -> None:
        super().__init__(model)
        self._said, self._asked, self._rewords, self._again = said, asked, rewords, again

    async def answer(self, request: Request) -> Completion:
        key = request.role, request.prompt.prompt_name()
        kept = self._said.replies[key]
        if not self._again:
            kept.append(self._rewords(request, await self._model.answer(request)))
            return kept[-1]
        place, self._asked[key] = self._asked[key], self._asked[key] + 1
        if kept:
            completion = kept[min(place, len(kept) - 1)]
            try:
                if not completion.tool_calls:
                    read_completion(request.prompt, completion)
            except Unreadable:
                pass  # what was said then is no reply to this question
            else:
                return completion
        return await self._model.answer(request)


class TurnedReader(Wrapper):
    def __init__(self, model: Model, said: Said, turned: str | None) -> None:
        super().__init__(model)
        self._said, self._turned = said, turned

    async def answer(self, request: Request) -> Completion:
        completion, prompt = await self._model.answer(request), request.prompt
        if not isinstance(prompt, ReadsText):
            return completion
        if self._turned is None:
            self._said.kinds |= {question.kind for question in prompt.questions}
            return completion
        form = orjson.loads(completion.text)
        for number, question in enumerate(prompt.questions, start=1):
            if question.kind == self._turned:
                says = TURNED[form[f"q{number}"]]
                form |= {f"q{number}": says, f"q{number}_words": prompt.text[:120] if says == "yes" else ""}
                if f"q{number}" in form.get("sure", {}):
                    form["sure"][f"q{number}"] = 1 - form["sure"][f"q{number}"]
        return replace(completion, text=orjson.dumps(form).decode())


async def figures(
    context: RunContext,
    spec: EpisodeSpec,
    scenario: Scenario,
    said: Said,
    turned: str | None = None,
    rewords: Rewords = as_said,
) -> dict[str, float]:
    """All figures of one episode: those of the judges, and those of each role. Empty if the episode failed."""
    held = replace(context, players=Held(context.players, said, turned, rewords), journal=MemoryJournal())
    result = await run_episode(held, spec, scenario, lone_campaign(held, {}))
    if result.status == "failed":
        return {}
    found: dict[str, float] = {}
    for judge in context.judges:
        for metric in judge.metrics:
            value = weighted_value([score for score in result.scores if score.metric == metric.name])
            if value is not None:
                found[metric.name] = value[0]
    if context.clinic.performance is not None:
        case = Case(scenario, context.clinic.variant(spec.variant), result.transcript)
        for role in sorted({role for role, _ in said.replies}):
            own = context.clinic.performance(case, role)
            found |= {f"own {name} of {role}": value for name, value in own.items()}
    return found
