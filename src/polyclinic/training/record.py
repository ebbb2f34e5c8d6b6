"""The files that a training run writes about itself: its settings (`run.json`), and its results (`result.json`).

Both are read again: by the same run when it is resumed, by the model card, and by `train compare`.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import ClassVar, TypeVar

import orjson
from pydantic import ConfigDict

from polyclinic.core.files import read_bytes
from polyclinic.core.value import Value

Logged = dict[str, float]
"""The numbers of one logged step: `step`, `seconds`, and what the trainer logs under its own names."""
R = TypeVar("R", bound=Value)


class TrainingConfig(Value):
    """Everything that decides a run.

    `recipe` has the recipe's settings by name, `versions` the versions of the packages.
    """

    stage: str
    model: str
    data: str
    data_digest: str
    rows: int
    clinic: str
    judge: str
    recipe: dict[str, object]
    versions: dict[str, str]


class JudgeAccount(Value):
    """How many outputs were graded, and how many new calls of the judge this took, in all processes of the run."""

    outputs: int
    ungraded: int
    new_calls: int
    failures: dict[str, int]


class StageResult(Value):
    """The result of one stage.

    `first` and `last` are its first and last logged steps; `judge` is None if there was no judge.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore")

    stage: str = ""
    steps: int
    resumed_from: str = ""
    seconds: float
    rows: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    gpu_gib: float | None = None
    first: Logged = field(default_factory=dict)
    last: Logged = field(default_factory=dict)
    weights: str
    judge: JudgeAccount | None = None


def read_record(kind: type[R], path: Path) -> R:
    """Read one of the files of a finished run."""
    return kind.from_json(read_bytes(path, fix=f"is {path.parent} the folder of a finished training run?"))


def write_record(path: Path, record: object) -> None:
    """Write one of the files, indented so that people can read it."""
    path.write_bytes(orjson.dumps(record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
