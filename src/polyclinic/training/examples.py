"""Rows of a dataset as trainers need them: plain chats for text models, chats with pictures for vision models."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from polyclinic.core.files import bad_file, json_lines, missing, read_bytes
from polyclinic.core.message import Image
from polyclinic.errors import ConfigError
from polyclinic.models.weights import picture_of
from polyclinic.models.wire import picture_in_words

Example = dict[str, Any]


@dataclass
class Examples:
    """The rows for a trainer, how many rows were left out and why, and the digest of the data file."""

    rows: list[Example]
    digest: str
    left_out: Counter[str] = field(default_factory=Counter)


def data_file(data: Path, name: str) -> Path:
    """The data file: the path itself, or the file of this name in a dataset's folder."""
    path = data / name if data.is_dir() else data
    if not path.is_file():
        more = " --rows N, with more rows than now" if data.is_dir() and any(data.glob("*.jsonl")) else ""
        raise missing(path, about="file of rows", fix=f"make one with: polyclinic dataset CLINIC --out {data}{more}")
    return path


def read_rows(path: Path) -> tuple[list[Example], str]:
    """The rows of a JSONL file, and the digest of its bytes."""
    raw = read_bytes(path, about="file of rows")
    rows = [row for _, row in json_lines(raw, path)]
    if not rows or "prompt" not in rows[0]:
        raise bad_file(path, "it has no rows with a prompt", fix="make them with 'polyclinic dataset'")
    return rows, hashlib.sha256(raw).hexdigest()[:16]


def cases_in_turn(rows: Sequence[Example]) -> list[Example]:
    """One row for each prompt. Cases are taken in turn, so that even a few rows cover many cases."""
    once = list({orjson.dumps(row["prompt"]): row for row in rows}.values())
    seen: dict[str, int] = {}
    place = {}
    for number, row in enumerate(once):
        place[number] = seen[row["case"]] = seen.get(row["case"], -1) + 1
    return [once[number] for number in sorted(place, key=lambda number: (place[number], number))]


def as_text(turns: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """A chat as plain text. Each picture is replaced by the words that a text-only model gets."""
    return [{"role": turn["role"], "content": _words(turn["content"])} for turn in turns]


def _words(parts: Sequence[Mapping[str, Any]]) -> str:
    said = [str(part["text"]) for part in parts if part["type"] == "text" and part["text"]]
    shown = [picture_in_words(Image(data="", caption=part["text"] or "")) for part in parts if part["type"] == "image"]
    return "\n\n".join([*said, *shown])


def as_seen(turns: Iterable[Mapping[str, Any]]) -> list[Example]:
    """A chat with its pictures: placeholders in the text, without a description."""
    return [
        {
            "role": turn["role"],
            "content": [
                {"type": "image"} if part["type"] == "image" else {"type": "text", "text": part["text"] or ""}
                for part in turn["content"]
            ],
        }
        for turn in turns
    ]


def tokenized(tokenizer: Any, chats: Sequence[Sequence[Mapping[str, str]]]) -> list[tuple[list[int], list[int]]]:
    """Turn chats into tokens and labels. Only what the assistant says is learned, including its end of turn.

    All chats go to the tokenizer at once, because it works on many texts in parallel.
    """
    texts = [_prefixes(tokenizer, turns) for turns in chats]
    flat = [text for prefixes in texts for text in prefixes]
    found = iter(tokenizer(flat, add_special_tokens=False)["input_ids"] if flat else [])
    return [_labelled([next(found) for _ in prefixes]) for prefixes in texts]


def _prefixes(tokenizer: Any, turns: Sequence[Mapping[str, str]]) -> list[str]:
    """For each turn of the assistant: the chat before that turn, and the chat including it."""
    made = []
    for place, turn in enumerate(turns):
        if turn["role"] == "assistant":
            made.append(_template(tokenizer, turns[:place], True))
            made.append(_template(tokenizer, turns[: place + 1], False))
    return made


def _labelled(prefixes: Sequence[list[int]]) -> tuple[list[int], list[int]]:
    ids: list[int] = []
    labels: list[int] = []
    for asked, whole in zip(prefixes[::2], prefixes[1::2], strict=True):
        if asked[: len(ids)] != ids or whole[: len(asked)] != asked:
            raise ConfigError(
                "this chat template changes earlier turns when a turn is added, so it cannot be used for training"
            )
        labels += [-100] * (len(asked) - len(ids)) + whole[len(asked) :]
        ids = whole
    return ids, labels


def _template(tokenizer: Any, turns: Sequence[Mapping[str, str]], ask: bool) -> str:
    text: str = tokenizer.apply_chat_template(list(turns), tokenize=False, add_generation_prompt=ask)
    return text


def _size(tokenizer: Any, turns: Sequence[Mapping[str, str]], ask: bool) -> int:
    return len(tokenizer(_template(tokenizer, turns, ask), add_special_tokens=False)["input_ids"])


def sft_examples(path: Path, tokenizer: Any, least: float, kinds: Sequence[str], longest: int) -> Examples:
    """Tokens and labels of the rows that are good enough and short enough."""
    rows, digest = read_rows(path)
    made, chats = Examples([], digest), []
    for row in rows:
        if row["kind"] not in kinds:
            made.left_out["another kind"] += 1
        elif row["reward"] is None or row["reward"] < least:
            made.left_out["reward too low"] += 1
        else:
            chats.append(as_text([*row["prompt"], *row["completion"]]))
    for ids, labels in tokenized(tokenizer, chats):
        if len(ids) > longest:
            made.left_out["too long"] += 1
        else:
            made.rows.append({"input_ids": ids, "labels": labels})
    return _some(made, path)


def seen_examples(path: Path, processor: Any, least: float, kinds: Sequence[str], longest: int) -> Examples:
    """The same rows for a model that sees pictures: its own processor turns chats with pictures into tokens."""
    rows, digest = read_rows(path)
    made = Examples([], digest)
    for row in rows:
        if row["kind"] not in kinds or row["reward"] is None or row["reward"] < least:
            made.left_out["reward too low or another kind"] += 1
            continue
        chat = {name: as_seen(row[name]) for name in ("prompt", "completion")}
        pictures = _pictures(path, row)
        if _seen_size(processor, [*chat["prompt"], *chat["completion"]], pictures) > longest:
            made.left_out["too long"] += 1
        else:
            made.rows.append({**chat, "images": pictures})
    return _some(made, path)


def _seen_size(processor: Any, turns: Sequence[Example], pictures: Sequence[str]) -> int:
    """How many tokens a chat has, including those of its pictures."""
    shown = [picture_of(Path(name)) for name in pictures]
    text = processor.apply_chat_template(list(turns), tokenize=False)
    return len(processor(text=[text], images=shown or None)["input_ids"][0])


def _pictures(path: Path, row: Mapping[str, Any]) -> list[str]:
    return [str(path.parent / name) for name in row["images"]]


def contexts(path: Path, tokenizer: Any, longest: int, most: int = 0, sees: bool = False) -> Examples:
    """Every different prompt once, with the context that its reward needs."""
    rows, digest = read_rows(path)
    made, known = Examples([], digest), set[bytes]()
    for row in rows:
        key = orjson.dumps(row["prompt"])
        if row["kind"] != "single" or not row["context"] or key in known:
            made.left_out["the same prompt, a conversation, or no context"] += 1
            continue
        known.add(key)
        if _size(tokenizer, as_text(row["prompt"]), True) > longest:
            made.left_out["too long"] += 1
            continue
        pictures = {"images": _pictures(path, row)} if sees else {}
        made.rows.append(
            {"prompt": (as_seen if sees else as_text)(row["prompt"]), "context": row["context"], **pictures}
        )
    made.rows = made.rows[:most] if most else made.rows
    return _some(made, path)


def pair_examples(path: Path, tokenizer: Any, longest: int) -> Examples:
    """Preference pairs as plain text."""
    rows, digest = read_rows(path)
    made = Examples([], digest)
    for row in rows:
        chat = {name: as_text(row[name]) for name in ("prompt", "chosen", "rejected")}
        sizes = [_size(tokenizer, [*chat["prompt"], *chat[name]], False) for name in ("chosen", "rejected")]
        if max(sizes) > longest:
            made.left_out["too long"] += 1
        else:
            made.rows.append(chat)
    return _some(made, path)


def _some(made: Examples, path: Path) -> Examples:
    if not made.rows:
        why = ", ".join(f"{count} {reason}" for reason, count in made.left_out.items())
        raise bad_file(path, f"no row is left to train on ({why})")
    return made
