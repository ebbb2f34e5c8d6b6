"""The dataset's files: JSONL and Parquet for each split, pictures next to them, readable by Hugging Face `datasets`.

JSONL files name pictures by path. Parquet files hold their bytes; the metadata says so, so that readers decode them.

Preference pairs are two outputs for the same prompt, one with a clearly higher reward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, get_type_hints

import orjson

from polyclinic.core.dataset import ChatTurn, Pictures, TrainingRow
from polyclinic.errors import EngineError

MARGIN = 2.0
"""The least difference in reward between the two outputs of a pair."""


@dataclass(frozen=True)
class PreferencePair:
    """A prompt with a better and a worse completion."""

    better: TrainingRow
    worse: TrainingRow

    @property
    def split(self) -> str:
        """The split (train or test) of the case."""
        return self.better.split

    def as_json(self) -> dict[str, Any]:
        """The columns that DPO trainers read, and the origin of the pair."""
        return {
            "id": f"{self.better.id}>{self.worse.id}",
            "case": self.better.case,
            "images": [f"images/{name}" for name in self.better.images],
            "prompt": self.better.prompt,
            "chosen": self.better.completion,
            "rejected": self.worse.completion,
            "chosen_reward": self.better.reward,
            "rejected_reward": self.worse.reward,
            "context": self.better.context,
        }


def pairs_of(rows: Sequence[TrainingRow]) -> list[PreferencePair]:
    """Pair the best output of every prompt with each output that is worse by the margin.

    The pairs are in the order of the rows.
    """
    groups: dict[bytes, list[TrainingRow]] = {}
    for row in rows:
        if row.reward is not None:
            groups.setdefault(orjson.dumps(row.prompt), []).append(row)
    made: list[PreferencePair] = []
    for group in groups.values():
        best = max(group, key=_reward)
        made += [PreferencePair(best, row) for row in group if _reward(best) - _reward(row) >= MARGIN]
    return made


def _reward(row: TrainingRow) -> float:
    return row.reward if row.reward is not None else float("-inf")


def as_json(row: TrainingRow) -> dict[str, Any]:
    """A row as plain data in the order of its columns, pictures by path."""
    special: dict[str, Any] = {
        "images": [f"images/{name}" for name in row.images],
        "scores": orjson.dumps(row.scores, option=orjson.OPT_SORT_KEYS).decode(),
    }
    return {name: special.get(name, getattr(row, name)) for name in row.COLUMNS}


def write_jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with path.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(row) + b"\n")


def write_pictures(folder: Path, rows: Sequence[TrainingRow], pictures: Pictures) -> int:
    """Write every picture that a row names, each once; returns how many."""
    names = sorted({name for row in rows for name in row.images})
    if names:
        folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(pictures(name))
    return len(names)


def write_parquet(path: Path, rows: Sequence[TrainingRow], pictures: Pictures) -> None:
    """Write the same rows as a Parquet file with nested columns."""
    import arro3.core as arrow
    import arro3.io

    arrays = _Arrays(arrow)
    files = [name for row in rows for name in row.images]
    kept = {name: pictures(name) for name in sorted(set(files))}
    binary = arrow.Array([kept[name] for name in files], arrow.DataType.binary())
    special: dict[str, Any] = {
        "images": arrays.listed(
            arrays.struct({"bytes": binary, "path": arrays.strings(files)}), [len(row.images) for row in rows]
        ),
        "prompt": arrays.talk([row.prompt for row in rows]),
        "completion": arrays.talk([row.completion for row in rows]),
        "scores": arrays.strings([as_json(row)["scores"] for row in rows]),
    }
    kinds = column_kinds(type(rows[0]))
    columns = {
        name: special[name] if name in special else arrays.column([getattr(row, name) for row in rows], kind)
        for name, kind in kinds.items()
    }
    schema = arrow.Schema(
        [arrow.Field(name, column.type) for name, column in columns.items()],
        metadata={"huggingface": orjson.dumps({"info": {"features": _features(kinds)}}).decode()},
    )
    arro3.io.write_parquet(arrow.Table.from_arrays(list(columns.values()), schema=schema), str(path))


class _Arrays:
    """Makes columns as Arrow arrays. Arrow is imported only when files are written."""

    def __init__(self, arrow: Any) -> None:
        self._arrow = arrow

    def strings(self, values: Sequence[str | None]) -> Any:
        """An array of texts."""
        return self._arrow.Array(list(values), self._arrow.DataType.utf8())

    def listed(self, values: Any, lengths: Sequence[int]) -> Any:
        """An array of lists, one for each row; `values` holds the items of all lists."""
        arrow = self._arrow
        offsets = arrow.Array([0, *accumulate(lengths)], arrow.DataType.int32())
        item = arrow.Field("item", values.type, nullable=True)
        return arrow.list_array(offsets, values, type=arrow.DataType.list(item))

    def struct(self, columns: Mapping[str, Any]) -> Any:
        """One array with several arrays as its fields."""
        fields = [self._arrow.Field(name, values.type) for name, values in columns.items()]
        return self._arrow.struct_array(list(columns.values()), fields=fields)

    def talk(self, told: Sequence[Sequence[ChatTurn]]) -> Any:
        """An array of chats: turns with a role and parts of content."""
        turns = [turn for some in told for turn in some]
        parts = [part for turn in turns for part in turn["content"]]
        content = self.struct(
            {
                "type": self.strings([part["type"] for part in parts]),
                "text": self.strings([part["text"] for part in parts]),
            }
        )
        said = self.struct(
            {
                "role": self.strings([turn["role"] for turn in turns]),
                "content": self.listed(content, [len(turn["content"]) for turn in turns]),
            }
        )
        return self.listed(said, [len(some) for some in told])

    def column(self, values: Sequence[Any], kind: str) -> Any:
        """A column of this kind (see `column_kinds`)."""
        if kind == "strings":
            return self.listed(self.strings([item for value in values for item in value]), [len(v) for v in values])
        types = self._arrow.DataType
        plain = {"string": types.utf8, "int64": types.int64, "bool": types.bool, "float64": types.float64}
        return self._arrow.Array(values, plain[kind]())


_KINDS: dict[Any, str] = {
    str: "string", int: "int64", bool: "bool", float: "float64", float | None: "float64", tuple[str, ...]: "strings",
}  # fmt: skip
_SPECIAL = ("images", "prompt", "completion", "scores")


def column_kinds(row: type[TrainingRow]) -> dict[str, str]:
    """The columns of a type of row in the order in which they are written, each with its kind."""
    hints = get_type_hints(row)
    kinds: dict[str, str] = {}
    for name in row.COLUMNS:
        if name not in _SPECIAL and hints[name] not in _KINDS:
            raise EngineError(f"{row.__name__}.{name}: columns must hold text, numbers, booleans or a tuple of strings")
        kinds[name] = name if name in _SPECIAL else _KINDS[hints[name]]
    return kinds


def _features(kinds: Mapping[str, str]) -> dict[str, Any]:
    """The columns in the terms of Hugging Face `datasets`."""

    def value(kind: str) -> dict[str, str]:
        return {"dtype": kind, "_type": "Value"}

    part = {"type": value("string"), "text": value("string")}
    turn = {"role": value("string"), "content": {"feature": part, "_type": "List"}}
    special = {
        "strings": {"feature": value("string"), "_type": "List"},
        "images": {"feature": {"_type": "Image"}, "_type": "List"},
        "prompt": {"feature": turn, "_type": "List"},
        "completion": {"feature": turn, "_type": "List"},
        "scores": value("string"),
    }
    return {name: special.get(kind, value(kind)) for name, kind in kinds.items()}
