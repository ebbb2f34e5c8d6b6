"""What the server refuses is Korean on a Korean page: every message that the source raises where the browser asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyclinic.errors import UnknownName
from polyclinic.text.worded import Worded
from polyclinic.web.fixed_words import Korean, korean_words

SOURCE = Path(__file__).parents[2] / "src" / "polyclinic"
AT_THE_START = {"access.py", "alerts.py", "fixed_words.py", "opening.py"}
"""Raised when a server starts, or only by the interface for programs: no page shows these."""
BEHIND = """core/clinic.py models/cast.py models/human.py models/spec.py runner/libraries.py runner/registry.py
runner/reports.py store/classes.py store/libraries.py store/packets.py store/posts.py store/runs.py store/scores.py
store/staff.py"""
REFUSALS = {"BodyRefused", "Broken", "ConfigError", "HTTPException", "NotNow", "StoreError", "Unreadable", "UserError"}
SAMPLE = "X1"
"""Stands for what varies in a message."""


def _files() -> list[Path]:
    web = [file for file in (SOURCE / "web").rglob("*.py") if file.name not in AT_THE_START]
    return [*web, *(SOURCE / "runner" / "plan").glob("*.py"), *(SOURCE / name for name in BEHIND.split())]


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts that an expression can be, with the sample for what varies."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else SAMPLE for part in parts)
        case ast.IfExp(body=body, orelse=other):
            yield from (*_texts(body), *_texts(other))
        case ast.Call(func=ast.Name(id="Worded"), args=[form, *parts]):
            yield from (Worded(text, *[SAMPLE] * len(parts)) for text in _texts(form))


def _raised(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id="UnknownName"), args=[what, *_]):
                for text in _texts(what):
                    yield str(UnknownName(text, SAMPLE, (), of=(SAMPLE,) * text.count("{")))
            case ast.Call(func=ast.Name(id=name), args=args) if name in REFUSALS:
                yield from (text for one in args for text in _texts(one))
            case ast.Dict(keys=[ast.Constant(value="detail"), *_], values=[detail, *_]):
                yield from _texts(detail)
            case ast.Return(value=ast.JoinedStr() as text) if file.parent.name == "store":
                yield from _texts(text)


def _english(text: str) -> list[str]:
    """The English words that are left in a text, without names of commands, options and settings."""
    plain = re.sub(r"`[^`]*`|polyclinic \w+|https?\S*|--\S+|‘[^’]*’|'[^']*'", "", text)
    return re.findall(r"(?<![\w.=@{])[a-z]{3,}(?![\w.=@}])", plain)


KEPT = {"understudy", "local", "mistake", "human", "reader", "openai", "ollama"}
"""Words that people type into a cast."""


def test_every_message_that_a_page_can_show_has_its_korean() -> None:
    korean = Korean(korean_words())
    found = sorted({text for file in _files() for text in _raised(file) if re.search("[a-z]{2} [a-z]", text)})
    assert len(found) > 120, len(found)
    assert [text for text in found if not re.search("[가-힣]", korean.told(text))] == []
    assert [(text, left) for text in found if (left := set(_english(korean.told(text))) - KEPT)] == []


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        (
            str(UnknownName("run", "demo-1", ["demo-12"])),
            "‘demo-1’: 이런 이름의 실행이(가) 없습니다. 혹시 demo-12인가요?",
        ),
        (
            str(UnknownName("variant of {1}", "x", ["full"], of="duty")),
            "‘x’: 이런 이름의 duty의 변형이(가) 없습니다. 다음 가운데 하나를 고르세요: full",
        ),
        ("name: please write something here", "이름: 여기에 적어 주세요"),
    ],
)
def test_names_that_do_not_exist_and_fields_that_do_not_fit(english: str, korean: str) -> None:
    assert Korean(korean_words()).told(english) == korean
