"""What people mean beside facts, wishes and feelings in plain words: what the service cannot do, remarks on the talk
itself, wishes, heavy news, and questions that no document answers. Each kind has an answer and examples in
``data/meant``; `polyclinic.clinics.counsel.tools.likeness` finds the kind of a message.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from polyclinic.clinics.counsel.scenario import Lang, data

DOCUMENT = "document"
"""The kind of a statement that sentences of a document answer, such as "I'm so constipated"."""
WHO, PERSON, AGREES, LEAVES, DECIDE = "talk.who", "talk.person", "talk.agrees", "talk.leaves", "cannot.decide"
ANY_WISH = "wish.any"
ABOUT_TALK, CANNOT, WISH, HEAVY, ASKED = "talk.", "cannot.", "wish.", "heavy.", "ask."
"""How the names of kinds begin."""


@cache
def _kinds(lang: Lang) -> dict[str, dict[str, Any]]:
    groups = data(f"meant/{lang}").items()
    return {f"{group}.{name}": row for group, kinds in groups for name, row in kinds.items()}


def kinds() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(_kinds("en"))


def examples(lang: Lang) -> list[tuple[str, str]]:
    """Each example with its kind."""
    return [(text, kind) for kind, row in _kinds(lang).items() for text in row["heard"]]


def answer_of(kind: str, lang: Lang) -> str:
    """What is answered; empty for a kind that is answered elsewhere."""
    return str(_kinds(lang)[kind]["answer"])


def taken_up_as(kind: str, lang: Lang) -> str:
    """A wish or news in the counsellor's words, for a message that cannot be said back; empty if there are none."""
    return str(_kinds(lang)[kind].get("taken_up", ""))


@cache
def set_answers() -> tuple[str, ...]:
    """All answers in both languages, and the words with which wishes are taken up."""
    rows = [*_kinds("en").values(), *_kinds("ko").values()]
    return tuple(str(row[name]) for row in rows for name in ("answer", "taken_up") if row.get(name))
