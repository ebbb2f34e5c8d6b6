"""The tutor's inner monologue: history, question, one part per student, group, and image when the case has pictures.

A tutor writes the tags, and after the last of them its words to the group. The form is checked strictly and never
corrected. A missing tag, a wrong order or a student who is not in the group is a fault, and each fault is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from polyclinic.core.message import Frozen
from polyclinic.errors import WrongForm

_TAG = re.compile(
    r"<(think_history|think_question|think_student|think_group|think_image)"
    r"(?:\s+student_id=\"([^\"]*)\")?>(.*?)</\1>",
    re.DOTALL,
)
_ANY_TAG = re.compile(r"</?think_\w+[^>]*>")
_LABEL = re.compile(r"\bthink[ _](?:history|question|student|group|image)\b", re.IGNORECASE)


class ThoughtPart(Frozen):
    """One tagged part; `student` only for `think_student`."""

    tag: str
    text: str
    student: str = ""


class Thinking(Frozen):
    """A monologue divided into its parts, with everything that is wrong with its form.

    `missing` are required tags that are absent; `faults` are wrong orders, names or empty parts; `blemishes` are
    harmless extras (a picture part without a picture, words between the tags).
    """

    parts: tuple[ThoughtPart, ...]
    missing: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    blemishes: tuple[str, ...] = ()

    @property
    def well_formed(self) -> bool:
        """Whether nothing required is missing or wrong."""
        return not self.missing and not self.faults

    def about(self, student: str) -> str:
        """What the tutor thinks of a student."""
        return next((part.text for part in self.parts if part.student == student), "")

    def text(self, tag: str) -> str:
        """The text of a part that occurs once."""
        return next((part.text for part in self.parts if part.tag == tag), "")


def _name_faults(parts: Sequence[ThoughtPart], students: Sequence[str]) -> list[str]:
    named = [part.student for part in parts if part.tag == "think_student"]
    faults = [f"think_student speaks of '{name}', who is not in the group" for name in named if name not in students]
    faults += [f"think_student speaks of {name} more than once" for name in students if named.count(name) > 1]
    faults += [f"no think_student for {name}" for name in students if name not in named]
    return faults


def read_thinking(monologue: str, students: Sequence[str], with_images: bool) -> Thinking:
    """The monologue's parts and what is wrong with its form, for this group and this case."""
    parts = tuple(
        ThoughtPart(tag=tag, student=name or "", text=text.strip()) for tag, name, text in _TAG.findall(monologue)
    )
    tags = [part.tag for part in parts]
    required = [
        "think_history",
        "think_question",
        "think_student",
        "think_group",
        *(["think_image"] if with_images else []),
    ]
    missing = [tag for tag in required if tag not in tags]
    faults = _name_faults(parts, students) if "think_student" in tags else []
    faults += [f"{tag} occurs more than once" for tag in required if tag != "think_student" and tags.count(tag) > 1]
    faults += [f"{part.tag} is empty" for part in parts if not part.text]
    places = {"think_history": 0, "think_question": 1, "think_student": 2, "think_group": 3, "think_image": 4}
    order = [places[tag] for tag in tags]
    if order != sorted(order):
        faults.append("the tags are out of order")
    blemishes = []
    if "think_image" in tags and not with_images:
        blemishes.append("think_image without a picture")
    if _TAG.sub("", monologue).strip():
        rest = _TAG.sub("", monologue)
        if _ANY_TAG.search(rest):
            faults.append("a tag is not closed")
        else:
            blemishes.append("words outside the tags")
    return Thinking(parts=parts, missing=tuple(missing), faults=tuple(faults), blemishes=tuple(blemishes))


def shows_thinking(words: str) -> bool:
    """Whether the words for the group still contain thinking: a tag, or its name as a heading."""
    return bool(_ANY_TAG.search(words) or _LABEL.search(words))


class TutorOutput(Frozen):
    """A tutor's whole output, divided into thinking and words. `monologue` is empty where no thinking was written."""

    monologue: str
    guidance: str


class NotAsAsked(WrongForm):
    """Thinking and words cannot be separated, or there are no words."""


def read_output(text: str) -> TutorOutput:
    """Thinking and words of a tutor: everything up to the last closed tag, and the text after it.

    The paper's form, one JSON object with the texts `internal_monologue` and `guidance`, is read just as strictly.
    Raises `NotAsAsked` when nothing is said to the group, or when an open tag hides where the words begin: the group
    must never hear thinking.
    """
    body = text.strip()
    if body.startswith(("{", "[", "`")):
        return _read_object(body)
    ends = [match.end() for match in _TAG.finditer(body)]
    monologue, guidance = (body[: ends[-1]], body[ends[-1] :].strip()) if ends else ("", body)
    if shows_thinking(guidance):
        raise NotAsAsked("a thinking tag is not closed, so nobody can tell where the words to the group begin")
    if not guidance:
        raise NotAsAsked("there are no words to the group after the thinking")
    return TutorOutput(monologue=monologue, guidance=guidance)


def _read_object(text: str) -> TutorOutput:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAsAsked(f"not JSON: {error}") from None
    if not isinstance(plain, dict) or set(plain) != {"internal_monologue", "guidance"}:
        raise NotAsAsked("the object must have exactly the fields internal_monologue and guidance")
    monologue, guidance = plain["internal_monologue"], plain["guidance"]
    if not isinstance(monologue, str) or not isinstance(guidance, str) or not guidance.strip():
        raise NotAsAsked("internal_monologue and guidance must be texts, and guidance must not be empty")
    return TutorOutput(monologue=monologue, guidance=guidance)


def write_output(monologue: str, guidance: str) -> str:
    """The output as a tutor writes it: the thinking, then the words."""
    return f"{monologue}\n{guidance}" if monologue else guidance


def write_thinking(
    history: str, question: str, students: Sequence[tuple[str, str]], group: str, image: str | None = None
) -> str:
    """A monologue in the right form."""
    middle = "".join(f'<think_student student_id="{name}">{text}</think_student>' for name, text in students)
    last = f"<think_image>{image}</think_image>" if image is not None else ""
    return (
        f"<think_history>{history}</think_history><think_question>{question}</think_question>"
        f"{middle}<think_group>{group}</think_group>{last}"
    )
