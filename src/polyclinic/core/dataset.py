"""Training data from transcripts: what the room ``dataset`` of a clinic must offer.

The clinic makes rows and says what may be in them. Splitting, filtering, the check against test questions, files and
the data card are the same for all clinics (see `polyclinic.training`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal

from typing_extensions import TypeVar

from polyclinic.core.files import bad_file
from polyclinic.core.judge import Bench
from polyclinic.core.scenario import S
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Score, Transcript
from polyclinic.core.value import Value

Split = Literal["train", "test"]
TurnPart = dict[str, str | None]
ChatTurn = dict[str, Any]
Pictures = Callable[[str], bytes]


def counted(values: Iterable[str]) -> dict[str, int]:
    """How often each value occurs."""
    return dict(sorted(Counter(values).items()))


def chat_turn(role: str, text: str, captions: Sequence[str] = ()) -> ChatTurn:
    """One turn of a chat. Pictures come before the text, each with a caption for models that take no pictures."""
    shown: list[TurnPart] = [{"type": "image", "text": caption} for caption in captions]
    return {"role": role, "content": [*shown, {"type": "text", "text": text}]}


@dataclass(frozen=True, kw_only=True)
class TrainingRow:
    """One training example. A clinic adds fields of its own in a subclass and names them in `COLUMNS`, in the order of
    the file. `kind` is ``single`` for one answer to one prompt, ``multi`` for a whole conversation. All rows of one
    `case` are on the same side of the split. `images` are file names; the files are put beside the rows. `messages` end
    with the target; files hold them as `prompt` and `completion`. `context` is what the clinic's reward needs besides a
    model's output, as JSON; empty if a row's reward cannot be computed again.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "id", "kind", "case", "episode", "variant", "images", "prompt", "completion", "reward", "scores", "context",
    )  # fmt: skip

    id: str
    kind: str
    case: str
    split: str = "train"
    episode: str
    variant: str
    images: tuple[str, ...] = ()
    messages: tuple[ChatTurn, ...]
    reward: float | None
    scores: Mapping[str, float] = field(default_factory=dict)
    context: str = ""

    @property
    def prompt(self) -> tuple[ChatTurn, ...]:
        """All turns before the target."""
        return self.messages[:-1]

    @property
    def completion(self) -> tuple[ChatTurn, ...]:
        """The target, as a list of one turn."""
        return self.messages[-1:]

    def text(self) -> str:
        """The whole text of the row, for comparing and for finding copies."""
        parts = [part for turn in self.messages for part in turn["content"] if part["type"] == "text"]
        return "\n".join(str(part["text"]) for part in parts if part["text"])

    @property
    def answer(self) -> str:
        """The text of the target: the last turn, which the model is trained to say."""
        return str(self.messages[-1]["content"][-1]["text"])


R = TypeVar("R", bound=TrainingRow, default=Any)


@dataclass(frozen=True)
class OutputReward:
    """The reward of one output. `vetoed` names the criteria because of which a penalty replaced the sum."""

    value: float
    scores: Mapping[str, float] = field(default_factory=dict)
    vetoed: tuple[str, ...] = ()


GradeOutput = Callable[[str, str], Awaitable[OutputReward | None]]
"""Computes the reward from a row's context and a model's output; None if the judge failed."""


class TrainingData(Generic[S, R]):
    """How a clinic's episodes become training data; a clinic offers one object of a subclass as ``dataset.dataset``.

    Episodes are run with `variants` over the scenarios `scenarios` and scored by `judges`; a row needs a reward of at
    least `least_reward`, out of at most `most_reward`. `rows_per_episode` is an estimate from which the number of
    episodes to begin with is computed. `about` and `filters` are sentences for the data card: what a row is, and which
    episodes give one. Episodes are shared among `casts`, so that rows come from good and from weak players. `role` is
    the one that is trained. `rewards` are the names of the rewards that `grade` knows; the first one is the default.
    `penalty` is the reward after a veto.
    """

    title: ClassVar[str]
    about: ClassVar[str]
    filters: ClassVar[str]
    row: ClassVar[type[TrainingRow]] = TrainingRow
    variants: ClassVar[tuple[str, ...]] = ()
    scenarios: ClassVar[str] = ""
    judges: ClassVar[tuple[str, ...]] = ()
    least_reward: ClassVar[float] = 0.0
    most_reward: ClassVar[float] = 1.0
    rows_per_episode: ClassVar[float] = 1.0
    casts: ClassVar[tuple[str, ...]] = ("all=understudy",)
    role: ClassVar[str] = ""
    rewards: ClassVar[tuple[str, ...]] = ()
    penalty: ClassVar[float | None] = None

    async def graded_rows(
        self, scenario: S, transcript: Transcript, episode: str, scores: Sequence[Score], grade: GradeOutput
    ) -> Sequence[R]:
        """Like `rows`. If a clinic's judges did not score the targets themselves, the rewards come from `grade`."""
        return list(self.rows(scenario, transcript, episode, scores))

    async def grade(self, context: str, output: str, bench: Bench, reward: str = "") -> OutputReward:
        """The reward of a model's output for the `context` of a row. Raises when the judge fails."""
        raise NotImplementedError

    def rows(self, scenario: S, transcript: Transcript, episode: str, scores: Sequence[Score]) -> Iterable[R]:
        """The rows of one finished episode. `episode` is a name that is unique across runs."""
        raise NotImplementedError

    def case(self, scenario: S) -> str:
        """The name that all rows of this scenario, and of its repetitions, share."""
        return scenario.id

    def split(self, scenario: S, test_share: float) -> Split:
        """Which side of the split a case is on. Its name decides, not chance, so a case is never on both sides."""
        chance = stream("dataset-split", self.title, self.case(scenario)).random()
        return "test" if chance < test_share else "train"

    def question(self, scenario: S) -> str:
        """The words of a test case that no training row may contain; empty when there are none."""
        return ""

    def held_out(self, files: Sequence[Path]) -> Sequence[S]:
        """Cases that must not be trained on: those of the user's files, and any that the clinic itself reserves."""
        if files:
            raise bad_file(files[0], "this clinic reads no files of test cases")
        return ()

    def player(self, row: Mapping[str, Any]) -> str:
        """The player who wrote the target of a row that was read from a file, named as in a cast. Empty if this is not
        known, or if the target is not this player's first answer.
        """
        return ""

    def refusal(self, row: R) -> str:
        """Why this clinic drops a row, whatever its reward; empty if it keeps the row."""
        return ""

    def pictures(self, scenarios: Iterable[S]) -> Pictures:
        """Returns a function that reads a picture named in a row of these scenarios.

        A clinic whose rows name no pictures need not override it.
        """

        def read(name: str) -> bytes:
            raise bad_file(name, "a row names this picture, but this clinic has no pictures")

        return read

    def counts(self, rows: Sequence[R]) -> dict[str, dict[str, int]]:
        """Further counts for the data card: for each heading, how many rows have each value."""
        return {}


class TrainedWeights(Value):
    """Where the weights were written, how many labelled lines they were trained on, and how good they are on held-out
    authors.

    For each language, `left_out` has shares by name, and `levels` the chosen levels.
    """

    weights: str
    bytes: int
    lines: int
    left_out: dict[str, dict[str, float]]
    levels: dict[str, dict[str, float]]
