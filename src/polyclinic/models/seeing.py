"""Chats for a local vision-language model: its processor takes the text and the pictures separately."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Chat = list[dict[str, Any]]


def seen_chat(messages: Sequence[dict[str, Any]]) -> tuple[Chat, list[Any]]:
    """A chat in OpenAI's form without its pictures, and the pictures in order. Their places stay in the text."""
    pictures: list[Any] = []
    chat = [{**message, "content": [_part(part, pictures) for part in _parts(message)]} for message in messages]
    return chat, pictures


def picture_of(source: Path | bytes) -> Any:
    """A picture from a file or its bytes, as processors take it."""
    from PIL import Image

    with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as opened:
        return opened.convert("RGB")


def _parts(message: dict[str, Any]) -> Chat:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _part(part: dict[str, Any], pictures: list[Any]) -> dict[str, Any]:
    if part["type"] != "image_url":
        return part
    _, _, data = part["image_url"]["url"].partition(",")
    pictures.append(picture_of(base64.b64decode(data)))
    return {"type": "image"}
