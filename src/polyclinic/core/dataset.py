"""Training data from transcripts: what a clinic's room ``dataset`` says, so that any clinic's episodes can be written
as rows.

The clinic makes rows and says what may be in them; splitting, filtering, the check against test questions, files and
the data card are the same for all (see `polyclinic.training`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal

from polyclinic.core.files import bad_file
from polyclinic.core.scenario import S
from polyclinic.core.seed import stream
from polyclinic.core.transcript import Score, Transcript

Split = Literal["train", "test"]
Part = dict[str, str | None]
Turn = dict[str, Any]
Pictures = Callable[[str], bytes]


def chat_turn(role: str, text: str, images: int = 0) -> Turn:
    """One turn of a chat; pictures stand before the words."""
    shown: list[Part] = [{"type": "image", "text": None} for _ in range(images)]
    return {"role": role, "content": [*shown, {"type": "text", "text": text}]}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One training example. A clinic adds fields of its own in a subclass and names them in `COLUMNS`, in writing
    order.

    All rows of one `case` stand on the same side of the split. `images` are file names; the writer puts the files
    beside the rows.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "id", "kind", "case", "episode", "variant", "images", "messages", "reward", "scores",
    )  # fmt: skip

    id: str
    kind: str
    case: str
    split: str = "train"
    episode: str
    variant: str
    images: tuple[str, ...] = ()
    messages: tuple[Turn, ...]
    reward: float | None
    scores: Mapping[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """All words of the row, for comparing and for finding copies."""
        return "\n".join(str(part["text"]) for turn in self.messages for part in turn["content"] if part["text"])

    @property
    def answer(self) -> str:
        """What the model is trained to say last."""
        return str(self.messages[-1]["content"][-1]["text"])


class TrainingData(Generic[S]):
    """How a clinic's episodes become training data; a clinic offers one object of a subclass as ``dataset.dataset``.

    Episodes are run with `variants` over the scenarios `scenarios` and scored by `judges`; a row needs a reward of at
    least `least_reward` of at most `most_reward`. `rows_per_episode` is a guess that says how many episodes to begin
    with. `about` and `filters` are sentences for the data card: what a row is, and which episodes give one.
    """

    title: ClassVar[str]
    about: ClassVar[str]
    filters: ClassVar[str]
    row: ClassVar[type[Row]] = Row
    variants: ClassVar[tuple[str, ...]] = ()
    scenarios: ClassVar[str] = ""
    judges: ClassVar[tuple[str, ...]] = ()
    least_reward: ClassVar[float] = 0.0
    most_reward: ClassVar[float] = 1.0
    rows_per_episode: ClassVar[float] = 1.0

    def rows(self, scenario: S, transcript: Transcript, episode: str, scores: Sequence[Score]) -> Iterable[Row]:
        """The rows of one finished episode; `episode` names it across runs."""
        raise NotImplementedError

    def case(self, scenario: S) -> str:
        """What all rows of this scenario, and of its repetitions, are named after."""
        return scenario.id

    def split(self, scenario: S, test_share: float) -> Split:
        """Which side a case is on: by its name, never by chance, so never on both."""
        chance = stream("dataset-split", self.title, self.case(scenario)).random()
        return "test" if chance < test_share else "train"

    def question(self, scenario: S) -> str:
        """The words of a test case that no training row may contain; empty when there are none."""
        return ""

    def held_out(self, files: Sequence[Path]) -> Sequence[S]:
        """Cases that must not be trained on: those of the user's files, and any that the clinic keeps back itself."""
        if files:
            raise bad_file(files[0], "this clinic reads no files of test cases")
        return ()

    def refusal(self, row: Row) -> str:
        """Why this clinic drops a row whose reward is high enough or not; empty: no reason of its own."""
        return ""

    def pictures(self, scenarios: Iterable[S]) -> Pictures:
        """Reads a picture that a row of these scenarios names; a clinic whose rows name none leaves it as it is."""

        def read(name: str) -> bytes:
            raise bad_file(name, "a row names this picture, but this clinic has no pictures")

        return read

    def counts(self, rows: Sequence[Row]) -> dict[str, dict[str, int]]:
        """What else the data card counts: heading to value to number of rows."""
        return {}
