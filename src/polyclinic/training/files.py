"""The dataset's files: JSONL and Parquet for each split, pictures beside them, readable by Hugging Face `datasets`.

JSONL names pictures by path; Parquet holds their bytes, and says so in its metadata, so that they decode to pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson

from polyclinic.training.rows import Row

COLUMNS = ("id", "kind", "case", "source", "specialty", "episode", "variant", "tutor")
Pictures = Callable[[str], bytes]


def as_json(row: Row) -> dict[str, Any]:
    """A row as plain data, pictures by path."""
    return {
        **{name: getattr(row, name) for name in COLUMNS},
        "rounds": row.rounds,
        "students": list(row.students),
        "with_images": row.with_images,
        "images": [f"images/{name}" for name in row.images],
        "messages": list(row.messages),
        "reward": row.reward,
        "scores": orjson.dumps(row.scores, option=orjson.OPT_SORT_KEYS).decode(),
    }


def write_jsonl(path: Path, rows: Sequence[Row]) -> None:
    """One object a line."""
    with path.open("wb") as file:
        for row in rows:
            file.write(orjson.dumps(as_json(row)) + b"\n")


def write_pictures(folder: Path, rows: Sequence[Row], pictures: Pictures) -> int:
    """Every picture that a row names, once."""
    names = sorted({name for row in rows for name in row.images})
    if names:
        folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(pictures(name))
    return len(names)


def write_parquet(path: Path, rows: Sequence[Row], pictures: Pictures) -> None:
    """The same rows as nested columns."""
    import arro3.core as arrow
    import arro3.io

    text, binary = arrow.DataType.utf8(), arrow.DataType.binary()

    def strings(values: Sequence[str | None]) -> Any:
        return arrow.Array(list(values), text)

    def listed(values: Any, lengths: Sequence[int]) -> Any:
        offsets = arrow.Array([0, *accumulate(lengths)], arrow.DataType.int32())
        item = arrow.Field("item", values.type, nullable=True)
        return arrow.list_array(offsets, values, type=arrow.DataType.list(item))

    def struct(columns: Mapping[str, Any]) -> Any:
        return arrow.struct_array(
            list(columns.values()), fields=[arrow.Field(name, v.type) for name, v in columns.items()]
        )

    turns = [turn for row in rows for turn in row.messages]
    parts = [part for turn in turns for part in turn["content"]]
    content = struct(
        {"type": strings([part["type"] for part in parts]), "text": strings([part["text"] for part in parts])}
    )
    talk = struct(
        {
            "role": strings([turn["role"] for turn in turns]),
            "content": listed(content, [len(turn["content"]) for turn in turns]),
        }
    )
    files = [name for row in rows for name in row.images]
    kept = {name: pictures(name) for name in sorted(set(files))}
    shown = struct({"bytes": arrow.Array([kept[name] for name in files], binary), "path": strings(files)})
    columns: dict[str, Any] = {
        **{name: strings([getattr(row, name) for row in rows]) for name in COLUMNS},
        "rounds": arrow.Array([row.rounds for row in rows], arrow.DataType.int64()),
        "students": listed(
            strings([name for row in rows for name in row.students]), [len(row.students) for row in rows]
        ),
        "with_images": arrow.Array([row.with_images for row in rows], arrow.DataType.bool()),
        "images": listed(shown, [len(row.images) for row in rows]),
        "messages": listed(talk, [len(row.messages) for row in rows]),
        "reward": arrow.Array([row.reward for row in rows], arrow.DataType.float64()),
        "scores": strings([as_json(row)["scores"] for row in rows]),
    }
    schema = arrow.Schema(
        [arrow.Field(name, column.type) for name, column in columns.items()],
        metadata={"huggingface": orjson.dumps({"info": {"features": _features()}}).decode()},
    )
    arro3.io.write_parquet(arrow.Table.from_arrays(list(columns.values()), schema=schema), str(path))


def _features() -> dict[str, Any]:
    """The columns as Hugging Face names them."""

    def value(kind: str) -> dict[str, str]:
        return {"dtype": kind, "_type": "Value"}

    part = {"type": value("string"), "text": value("string")}
    turn = {"role": value("string"), "content": {"feature": part, "_type": "List"}}
    return {
        **{name: value("string") for name in COLUMNS},
        "rounds": value("int64"),
        "students": {"feature": value("string"), "_type": "List"},
        "with_images": value("bool"),
        "images": {"feature": {"_type": "Image"}, "_type": "List"},
        "messages": {"feature": turn, "_type": "List"},
        "reward": value("float64"),
        "scores": value("string"),
    }
