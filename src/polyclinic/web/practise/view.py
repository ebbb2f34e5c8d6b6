"""What a person who plays sees: what was said, what is asked, and the form of the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from polyclinic.core.form import FormRow, TextButton, form_rows
from polyclinic.core.model import role_of
from polyclinic.core.transcript import Called, Event, Said, ToolUsed
from polyclinic.eval.reading import in_words
from polyclinic.models.human import HumanQuestion

State = Literal["others", "you", "ended", "stopped", "closed"]
"""`closed`: the class has ended, and nothing more can be said."""


class SeenLine(BaseModel):
    """One thing that the person may see. `number` counts from 1 and is the same after a restart."""

    number: int
    kind: Literal["said", "tool"]
    speaker: str
    to: str = ""
    text: str
    mine: bool = False
    round: str = ""


class HintShown(BaseModel):
    """A hint of the educator, and the number of the line that it follows."""

    number: int
    after: int
    text: str
    author: str


class PictureShown(BaseModel):
    """A picture; its address begins with the session's address."""

    id: str
    caption: str


class ToolOffered(BaseModel):
    """A tool as a form."""

    name: str
    label: str
    about: str
    rows: tuple[FormRow, ...]


class Asked(BaseModel):
    """What the person is asked now. `key` names this question, also after a restart."""

    key: str
    known: tuple[str, ...]
    ask: str
    rows: tuple[FormRow, ...]
    moves: tuple[TextButton, ...]
    tools: tuple[ToolOffered, ...]
    pictures: tuple[PictureShown, ...]
    language: str


class Situation(BaseModel):
    """The state of a session. `seen` is how many lines there are."""

    state: State
    asked: Asked | None = None
    why: str = ""
    seen: int = 0


def asked_of(question: HumanQuestion) -> Asked:
    """A question as a page shows it."""
    *known, ask = question.paragraphs
    return Asked(
        key=question.key,
        known=tuple(known),
        ask=ask,
        rows=question.rows,
        moves=question.request.prompt.form_hints().moves,
        tools=tuple(
            ToolOffered(
                name=tool.name,
                label=tool.name.replace("_", " "),
                about=tool.description,
                rows=form_rows(tool.parameters),
            )
            for tool in question.request.tools
        ),
        pictures=tuple(
            {image.digest: PictureShown(id=image.digest, caption=image.caption) for image in question.pictures}.values()
        ),
        language=question.request.prompt.language,
    )


class LineListener:
    """Turns events into lines. After a restart the journal gives the events in the same order."""

    def __init__(self, seat: str) -> None:
        self._seat = seat
        self._mine = ""
        self.lines: list[SeenLine] = []

    def hear(self, event: Event) -> bool:
        """Handle one event. Returns whether there is a new line."""
        match event:
            case Called() if event.role == self._seat:
                self._mine += f"\n{_flat(event.text)}"
            case Said() if event.is_heard_by(self._seat):
                mine = event.speaker in (self._seat, role_of(self._seat)) or _flat(event.text) in self._mine
                to = event.to if event.to not in ("", "all", self._seat) else ""
                self._add("said", event.speaker, event.text, to=to, mine=mine, round=str(event.round or ""))
                return True
            case ToolUsed() if event.role == self._seat:
                found = event.error or in_words(event.result)
                self._add("tool", event.tool.replace("_", " "), found, mine=True)
                return True
        return False

    def _add(
        self, kind: Literal["said", "tool"], speaker: str, text: str, *, to: str = "", mine: bool, round: str = ""
    ) -> None:
        self.lines.append(
            SeenLine(number=len(self.lines) + 1, kind=kind, speaker=speaker, to=to, text=text, mine=mine, round=round)
        )


def _flat(text: str) -> str:
    return " ".join(text.split())
