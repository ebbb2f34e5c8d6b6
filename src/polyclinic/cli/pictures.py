"""Pictures for a person at a terminal: a file for any viewer, and the picture itself if the terminal can show it."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TextIO

from polyclinic.core.message import Image

FOLDER = Path(".polyclinic") / "pictures"
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg", "image/webp": ".webp"}
_INLINE_PROGRAMS = ("iTerm.app", "WezTerm", "mintty")
_KITTY_CHUNK = 4096


def saved_picture(image: Image) -> Path:
    """Save the picture and return its path. The same picture is always the same file."""
    path = FOLDER / f"{image.digest}{_ENDINGS.get(image.media_type, '.bin')}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(image.data))
    return path


def inline(image: Image, out: TextIO) -> str:
    """The codes that draw a picture in this terminal; empty if it cannot show pictures."""
    if not out.isatty() or image.media_type == "image/svg+xml":
        return ""
    if os.environ.get("TERM_PROGRAM") in _INLINE_PROGRAMS:
        return f"\x1b]1337;File=inline=1;preserveAspectRatio=1;width=60:{image.data}\a\n"
    if "kitty" in os.environ.get("TERM", "") and image.media_type == "image/png":
        parts = [image.data[at : at + _KITTY_CHUNK] for at in range(0, len(image.data), _KITTY_CHUNK)]
        last = len(parts) - 1
        codes = [f"\x1b_G{'' if n else 'a=T,f=100,'}m={int(n < last)};{p}\x1b\\" for n, p in enumerate(parts)]
        return "".join(codes) + "\n"
    return ""
