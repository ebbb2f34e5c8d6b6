"""Asking again: what was wrong with a reply, and what the next try does differently.

The same question asked the same way gets the same answer. So the next try shows the wrong reply, says in one line what
was wrong, and has another seed. If the model repeated itself, the next try also has a higher temperature. If a reply
was cut off, the next try asks for fewer words. A reply that came a second time is not shown again: small models
continue from what they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from polyclinic.core.message import Message, assistant, user
from polyclinic.core.model import Completion, Settings
from polyclinic.core.prompt import Prompt
from polyclinic.core.reply import Unreadable, read_object

CUT, RUN_ON = "cut", "run-on"
CUT_CALL, BAD_CALL, TOOL_CALL = "cut tool call", "bad tool call", "tool call"
"""How a reply ends whose tool call cannot be used, and the kind of this fault. The text of the reply is what was
written as the call or its arguments.
"""
_WARMER = 0.3
_FEWEST_WORDS = 15
_SHOWN_WORDS = 60
_LAST_WORDS = 12
_SAME_WORDS = 12
LOOKED_AT = 2_048
_LONGEST_PERIOD = 400
_COVERED = 240
_TIMES = 5
_ENDLESS = re.compile(r"(?:\s|[\u0300-\u036f]|\\[nrt]){200}")
"""White space or accents without end: nobody says them, and reading them word by word would take minutes."""
_LINES = {
    "en": {
        "form": "That reply cannot be used: {fault}. Reply once more, with nothing but what was asked for, in the asked"
        " form.",
        CUT: 'That reply was too long and was cut off; it ended with "{last}". Reply once more from the beginning,'
        " complete, in at most {words} words.",
        RUN_ON: 'That reply repeated itself; it ended with "{last}". Reply once more from the beginning, say each'
        " thing once, in at most {words} words.",
    },
    "ko": {
        "form": "그 답변은 쓸 수 없습니다: {fault}. 요청한 내용만 요청한 형식으로 다시 답하세요.",
        CUT: '답변이 너무 길어 중간에 끊겼습니다. 마지막 부분: "{last}".'
        " 처음부터 끝까지 {words}단어 이내로 다시 답하세요.",
        RUN_ON: '답변이 같은 말을 되풀이했습니다. 마지막 부분: "{last}".'
        " 같은 말 없이 {words}단어 이내로 처음부터 다시 답하세요.",
    },
}


def whole(completion: Completion) -> None:
    """Raise `Unreadable` if a reply was stopped before its end, or if its tool call cannot be used: half a sentence is
    not a reply.
    """
    if completion.finish == RUN_ON or (completion.finish == "length" and runs_on(completion.text)):
        raise Unreadable("the reply repeated itself until it was stopped", RUN_ON)
    if _ENDLESS.search(completion.text.strip()):
        raise Unreadable("the reply has hundreds of spaces, line breaks or accents in a row", RUN_ON)
    if completion.finish == "length":
        raise Unreadable("the reply was cut off at its limit", CUT)
    if completion.finish == CUT_CALL:
        raise Unreadable("the tool call was cut off at its limit: use shorter arguments", TOOL_CALL)
    if completion.finish == BAD_CALL:
        raise Unreadable(f"the tool call cannot be used: {_wrong_with(completion.text)}", TOOL_CALL)


def _wrong_with(arguments: str) -> str:
    try:
        read_object(arguments)
    except Unreadable as error:
        return str(error).replace("the reply is", "its arguments are")
    return "no such tool is offered"


def again(
    prompt: Prompt[Any], asked: Sequence[Message], text: str, fault: Unreadable, settings: Settings, repeated: bool
) -> tuple[list[Message], Settings]:
    """The messages and settings of the next try. `repeated` says that a reply like this was refused before."""
    kind = fault.kind if fault.kind in (CUT, RUN_ON) else "form"
    words = max(_FEWEST_WORDS, prompt.most_words() // (2 + settings.again))
    line = _LINES["ko" if prompt.language == "ko" else "en"][kind].format(
        fault=str(fault).rstrip("."), last=" ".join(text.split()[-_LAST_WORDS:])[-200:], words=words
    )
    settings = replace(
        settings,
        again=settings.again + 1,
        warmer=settings.warmer + _WARMER if repeated or kind == RUN_ON else settings.warmer,
    )
    shown = "" if repeated or fault.kind == TOOL_CALL else _shown(text) if kind != "form" else text
    if shown.strip():
        return [*asked, assistant(shown), user(line)], settings
    last = asked[-1] if asked else user("")
    if last.role != "user" or not last.content:
        return [*asked, user(line)], settings
    return [*asked[:-1], replace(last, content=f"{last.content}\n\n{line}")], settings


def beginning(text: str) -> str:
    """The beginning of a reply. Two replies with the same beginning count as the same reply."""
    return " ".join(text.split()[:_SAME_WORDS])


def _shown(text: str) -> str:
    """The beginning of a reply that repeats itself. If it were shown whole, the model would copy it."""
    words = text.split()
    return text if len(words) <= _SHOWN_WORDS else f"{' '.join(words[:_SHOWN_WORDS])} …"


def runs_on(text: str) -> bool:
    """Whether a text ends by repeating itself: the same words or characters, many times over."""
    tail = text[-LOOKED_AT:]
    if len(tail) < _COVERED:
        return False
    last = tail[-1:]
    period = 0
    while period < _LONGEST_PERIOD:
        before = tail.rfind(last, 0, len(tail) - period - 1)
        if before < 0:
            return False
        period = len(tail) - 1 - before
        covered = max(_COVERED, _TIMES * period)
        if covered <= len(tail) and tail[-covered:-period] == tail[-covered + period :]:
            return True
    return False
