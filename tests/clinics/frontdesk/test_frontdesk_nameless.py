"""A clerk who uses a tool without the caller's name asks for it, and the caller answers the question."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from polyclinic.clinics.frontdesk.flow.callback import CallBack
from polyclinic.clinics.frontdesk.prompts.replies import Change


class Caller:
    """Says what it wants, then its name; keeps whether it was asked back."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    async def calls(self, *about: Any) -> str:
        *_, staff_says, again = about
        self.asked.append((staff_says, again))
        return "My name is Ada Novak." if again else "I want to cancel my appointment."


class Clerk:
    """Gives these replies one after the other."""

    def __init__(self, *replies: Change) -> None:
        self.replies = list(replies)

    async def changes(self, *_: Any) -> Change:
        return self.replies.pop(0)


def call(caller: Caller, clerk: Clerk, said: list[tuple[str, str]]) -> Any:
    """A call without a hospital: only who speaks, and how many rounds are left."""
    made: Any = object.__new__(CallBack)
    made.actor, made.staff, made.heard, made.rounds = caller, clerk, [], 3
    made.intent, made.about, made.diary, made.entry = "cancel", None, None, None
    made.contact, made.say = SimpleNamespace(minute=0), lambda speaker, text: said.append((speaker, text))
    return made


async def test_a_tool_without_a_name_is_a_question_to_the_caller() -> None:
    caller, said = Caller(), list[tuple[str, str]]()
    nameless = Change(action="cancel", question="May I have your full name?")
    whole = Change(action="cancel", patient_name="Ada Novak")
    choice = await call(caller, Clerk(nameless, whole), said).hear("Hello, how can I help you?")
    assert choice is whole
    assert caller.asked == [("Hello, how can I help you?", False), ("May I have your full name?", True)]
    assert [text for speaker, text in said if speaker == "staff"] == ["May I have your full name?"]


async def test_a_nameless_tool_without_a_question_gets_the_desks_own() -> None:
    caller = Caller()
    await call(caller, Clerk(Change(action="reschedule"), Change(action="reschedule", patient_name="Ada")), []).hear(
        "?"
    )
    assert "full name" in caller.asked[1][0]
