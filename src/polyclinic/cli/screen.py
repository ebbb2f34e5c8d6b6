"""What a person who plays sees in the terminal: what others say, what is asked of them, pictures, results of tools.

Lines are wrapped at spaces. There is no colour in pipes, in files and if NO_COLOR is set.

A picture is saved as a file for any viewer, and shown if the terminal can show it.
"""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TextIO

import click

from polyclinic.cli.language import own_names, own_words, role_name
from polyclinic.core.message import Image
from polyclinic.core.note import RoundBegan
from polyclinic.core.transcript import Event, Noted, Said, ToolUsed
from polyclinic.eval.reading import in_words
from polyclinic.models.human import HumanQuestion
from polyclinic.text.layout import columns_of, filled, terminal_width
from polyclinic.text.sentences import sentences
from polyclinic.text.worded import Worded

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


_ANY_WIDTH = 1000  # what is not a terminal has no width: nothing is wrapped there
WIDEST = 100
_SHORT = 40
_QUOTE = "“"
_MORE = " …"
_LABEL = re.compile(r"^(?:\[\d+\] |- )")
"""The number of the round before a line, as views for judges give it, or the mark of a list."""

_BULLET = "- "
_NOTE = re.compile(r"\[turn |  sources: ")
"""Notes between the lines of a conversation, as views for judges give them."""


class Screen:
    """Prints what the person may hear and what they are asked, each only once, our own sentences in their language.

    `names` translates the names of roles; `roles` are those of the clinic.
    """

    def __init__(
        self,
        role: str,
        quiet: bool = False,
        names: Mapping[str, str] | None = None,
        roles: Collection[str] = (),
    ) -> None:
        self.role, self._names, self._out = role, names or {}, sys.stderr if quiet else sys.stdout
        self._roles = roles
        self._colour = self._out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._told: set[str] = set()
        self._asked = self._shown = ""
        self._round: int | None = None
        self._mine = ""
        self.questions = 0

    def name(self, role: str) -> str:
        """A role's name in the person's language."""
        return role_name(role, self._names)

    def typed(self, line: str) -> None:
        """Remember the person's own words: a flow may say them aloud under another name."""
        self._mine += f"\n{' '.join(line.split())}"

    def heard(self, episode: str, event: Event) -> None:
        """Print what others say aloud, and the results of tools that the person used.

        Own words are printed only if the person typed them before: in a session that is continued.
        """
        if isinstance(event, Noted) and (began := event.as_note(RoundBegan)):
            self._new_round(began.round)
        if isinstance(event, Said) and event.is_heard_by(self.role):
            self._new_round(event.round)
            self._told |= {f"{event.speaker}: {event.text}", f"{event.speaker} to {event.to}: {event.text}", event.text}
            own = event.speaker == self.role
            if not (self.questions if own else " ".join(event.text.split()) in self._mine):
                self._say(f"{self.bold(self._who(event))}: {self._said(event.text)}")
        elif isinstance(event, ToolUsed) and event.role == self.role:
            found = f"failed: {event.error}" if event.error else in_words(event.result)
            self._say(self.dim(f"{event.tool} → {found}"))

    def _who(self, event: Said) -> str:
        """Who speaks, and to whom if it is not the person."""
        name, ko = self.name(event.speaker), bool(self._names)
        if event.speaker == self.role:
            return f"{name} ({'나' if ko else 'you'})"
        between = " → " if ko else " to "
        return name if event.to in ("", "all", self.role) else f"{name}{between}{self.name(event.to)}"

    def _said(self, text: str) -> str:
        """A draft that the last question quoted in full is not printed a second time."""
        if len(text) < _SHORT or f"“{text}”" not in self._shown:
            return text
        return "(위와 같이 말함)" if self._names else "(as above)"

    def ask(self, question: HumanQuestion) -> None:
        """Print what is asked now.

        Each paragraph is printed only once. The last one holds the question: it is printed whenever it changes, and
        else in one line. If nothing is new, a quoted text that the question is about is printed again.
        """
        if question.error:
            self._say(self.dim(f"({self._own(question.error)})"))
            return
        self.questions += 1
        for image in question.pictures:
            path = saved_picture(image)
            if str(path) not in self._told:
                self._told.add(str(path))
                self._say(self._own(Worded("Picture: {1}: {2}", Worded(image.caption or "without a caption"), path)))
                print(inline(image, self._out), end="", file=self._out)
        self._shown = question.show
        *known, asked = question.show.split("\n\n")
        fresh = [paragraph for paragraph in known if paragraph not in self._told]
        for paragraph in fresh:
            if new := self._unheard(paragraph.split("\n")):
                self._say(self.dim(self._in_own(new)))
            self._told.add(paragraph)
        if asked == self._asked:
            if not fresh and known and _QUOTE in known[-1]:
                self._say(self.dim(self._in_own(known[-1].split("\n"))))
            line = _in_one_line(self._own(asked.split("\n")[0]))
            if line.endswith(":"):  # a heading alone says nothing: what is answered, and what can be typed, once more
                again = [] if fresh else [text for paragraph in known for text in paragraph.split("\n")]
                self._say(self.dim(self._in_own([*again, *asked.split("\n")])))
            else:
                self._say(self.dim(line))
        else:
            self._asked = asked
            self._say(self.dim(self._in_own(asked.split("\n"))))

    def _unheard(self, lines: list[str]) -> list[str]:
        """The lines of a paragraph without what the person has heard. Notes between heard lines (the turn, sources)
        mean nothing alone. Where only a heading is left, it says that the rest stands above.
        """
        notes = [line for line in lines if _NOTE.match(line)]
        new = [line for line in lines if line not in notes and _LABEL.sub("", line) not in self._told]
        heard = len(lines) - len(notes) - len(new)
        if heard < len(new):
            return lines if notes else new
        return (
            [f"{new[0]} ({self._own('the talk above')})"]
            if heard and new == lines[:1] and new[0].endswith(":")
            else new
        )

    def show(self, text: str) -> None:
        """Print plain text, in the person's language if it is ours."""
        self._say(self._own(text) if isinstance(text, Worded) else self._in_own(text.split("\n")))

    def _in_own(self, lines: Iterable[str]) -> str:
        return "\n".join(map(self._own, lines))

    def _own(self, text: str) -> str:
        """A line in the person's language. What somebody said stays, and in a list a bare name, which may be typed."""
        if isinstance(text, Worded):
            return own_words(text)
        speaker, colon, said = text.partition(": ")
        if colon and speaker in self._roles:
            return f"{self.name(speaker)}: {said}"
        item = text.removeprefix(_BULLET) if text.startswith(_BULLET) else ""
        to_type = item in own_names() and ": " not in item and not item.endswith((".", "?"))
        return text if to_type else own_words(text)

    def bold(self, text: str) -> str:
        """Bold text, such as a name."""
        return click.style(text, bold=True) if self._colour else text

    def dim(self, text: str) -> str:
        """Dim text, such as instructions."""
        return click.style(text, dim=True) if self._colour else text

    def _new_round(self, number: int | None) -> None:
        if number and number != self._round:
            self._round = number
            self._say(self.dim(f"— {number}회차 —" if self._names else f"— round {number} —"))

    def _say(self, text: str) -> None:
        print("\n".join(_wrapped(line) for line in text.split("\n")), file=self._out, flush=True)


def _wrapped(line: str) -> str:
    """Wrap a line at spaces. Continuation lines of a list item are indented like its text."""
    return filled(line, terminal_width(WIDEST), "  " if line.lstrip().startswith("- ") else "")


def _in_one_line(text: str) -> str:
    """The sentences of a text that fit one line: those with a command ("Type /conclude ..."), else the first ones or
    those after a short first one ("You are the doctor."), or else the first words.
    """
    width = terminal_width(WIDEST)
    parts = sentences(text)
    places = [at for at, part in enumerate(parts) if at < 2 or "/" in part]
    runs = [" ".join(parts[start:end]) for start in places for end in range(len(parts), start, -1)]
    fitting = [run for run in runs if columns_of(run) <= width]
    return (
        max(fitting, key=lambda run: ("/" in run, columns_of(run)))
        if fitting
        else filled(text, width - len(_MORE)).split("\n")[0] + _MORE
    )


def with_command(text: str, command: str) -> str:
    """One of our own sentences that ends with a command. Where it is too long, the command has a line of its own."""
    told = own_words(Worded(f"{text} {{1}}", command))
    if columns_of(told) <= terminal_width(_ANY_WIDTH):
        return told
    return f"{filled(told.removesuffix(command).rstrip(), terminal_width(_ANY_WIDTH))}\n  {command}"
