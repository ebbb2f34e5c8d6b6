"""What a judge sees of a case: text for a language model, and the same content as typed facts for an offline judge.

::

    def view(case: Case) -> View:
        said = case.transcript.said("nurse")
        return View("\\n".join(line.text for line in said), Conversation(said=tuple(said)))

A clinic whose offline judge needs more than the spoken words writes a subclass of `Facts` for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyclinic.core.judge import Case
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Said


@dataclass(frozen=True)
class View:
    """The words that a judge is shown, and the facts in them. Without words there is nothing to judge."""

    text: str
    facts: Facts = Facts()


class Conversation(Facts):
    """Everything said aloud, in order."""

    said: tuple[Said, ...]

    def quote(self, pattern: str, speaker: str = "") -> str:
        """The first whole line that matches, so that it can be quoted; empty if none does."""
        for said in self.said:
            if speaker in ("", said.speaker) and re.search(pattern, said.text, re.IGNORECASE):
                return f"{said.speaker}: {said.text}".strip()
        return ""


def whole_dialogue(case: Case) -> View:
    """The default view: everything said aloud, and nothing else."""
    return View(case.transcript.dialogue(), Conversation(said=tuple(case.transcript.said())))
