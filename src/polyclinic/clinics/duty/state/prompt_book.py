"""The evolving part of a role's prompt: a short list of lines, changed only by edits that can be read and undone.

A book is the sum of its edits. It is bounded in lines and characters by construction: an edit that would break the
bound is refused, so an editor must first make room.
"""

from __future__ import annotations

import difflib
from typing import Literal

from polyclinic.core.message import Frozen

MAX_LINES = 8
MAX_CHARS = 1100
LINE_CHARS = 200

LineKind = Literal["check", "trigger", "phrase", "identity"]


class PromptLine(Frozen):
    """One line that the prompt stresses. `key` says what it is about: ``norm:SOP-1`` or ``trait:directness``.

    `stake` is what the line is worth: severity times how often its norm was broken. `before` is how often the norm was
    broken per episode before the line was added; it shows later whether the line helps.
    """

    key: str
    kind: LineKind
    text: str
    born: int
    stake: float
    before: float = 0.0


class Edit(Frozen):
    """One change of a book, with its reason."""

    action: Literal["add", "remove", "replace"]
    line: PromptLine
    old: PromptLine | None = None
    place: int = 0
    reason: str
    episode: int

    def inverse(self, reason: str, episode: int) -> Edit:
        """The edit that undoes this one."""
        if self.action == "replace" and self.old is not None:
            return Edit(
                action="replace", line=self.old, old=self.line, place=self.place, reason=reason, episode=episode
            )
        action: Literal["add", "remove"] = "remove" if self.action == "add" else "add"
        return Edit(action=action, line=self.line, place=self.place, reason=reason, episode=episode)


class PromptBook(Frozen):
    """The present lines, and every edit that made them."""

    lines: tuple[PromptLine, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def version(self) -> int:
        """How many edits made this book."""
        return len(self.edits)

    @property
    def chars(self) -> int:
        """The length of all lines."""
        return sum(len(line.text) for line in self.lines)

    def find(self, key: str) -> PromptLine | None:
        """The line with this key, if there is one."""
        return next((line for line in self.lines if line.key == key), None)

    def applied(self, edit: Edit) -> PromptBook:
        """The book with one more edit; raises ValueError if the edit does not fit or would break the bound."""
        lines = list(self.lines)
        if edit.action == "add":
            if self.find(edit.line.key) is not None:
                raise ValueError(f"there is a line about {edit.line.key} already: replace it")
            lines.insert(edit.place, edit.line)
        else:
            target = edit.old if edit.action == "replace" else edit.line
            if target is None or target not in lines:
                raise ValueError(f"the line to {edit.action} is not in the book: {edit.line.key}")
            place = lines.index(target)
            lines[place : place + 1] = [edit.line] if edit.action == "replace" else []
        book = PromptBook(lines=tuple(lines), edits=(*self.edits, edit))
        if len(book.lines) > MAX_LINES or book.chars > MAX_CHARS or len(edit.line.text) > LINE_CHARS:
            raise ValueError(f"the edit would exceed {MAX_LINES} lines or {MAX_CHARS} characters")
        return book

    def removal(self, line: PromptLine, reason: str, episode: int) -> Edit:
        """The edit that removes a line and remembers its place."""
        return Edit(action="remove", line=line, place=self.lines.index(line), reason=reason, episode=episode)

    def at(self, version: int) -> PromptBook:
        """The book after its first `version` edits."""
        if not 0 <= version <= self.version:
            raise ValueError(f"this prompt has versions 0 to {self.version}, not {version}")
        book = PromptBook()
        for edit in self.edits[:version]:
            book = book.applied(edit)
        return book

    def rollback(self, version: int, reason: str, episode: int) -> list[Edit]:
        """The edits that bring the lines back to `version`; the history is kept."""
        if not 0 <= version <= self.version:
            raise ValueError(f"this prompt has versions 0 to {self.version}, not {version}")
        return [edit.inverse(reason, episode) for edit in reversed(self.edits[version:])]

    def text(self) -> str:
        """The lines as the prompt shows them."""
        return "\n".join(f"- {line.text}" for line in self.lines)

    def diff(self, version: int) -> str:
        """The change made by the edit that led to `version`, as a unified diff with its reason."""
        before, after, edit = self.at(version - 1), self.at(version), self.edits[version - 1]
        lines = difflib.unified_diff(
            before.text().splitlines(),
            after.text().splitlines(),
            f"version {version - 1}",
            f"version {version}",
            lineterm="",
            n=0,
        )
        return "\n".join([f"episode {edit.episode}: {edit.reason}", *lines])
