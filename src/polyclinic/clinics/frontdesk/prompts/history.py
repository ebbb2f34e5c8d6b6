"""What the clerk remembers of a booking or a call, in the order in which it happened."""

from __future__ import annotations

from polyclinic.clinics.frontdesk.prompts.replies import Change, Choice
from polyclinic.core.message import Message, ToolCall, assistant, user

_ASKED = "You asked."
_NOT_DONE = "This was not done."


class DeskHistory:
    """The words heard, the clerk's own decisions as it gave them, what came back, and what the clerk then said.

    A decision is kept as the form or as the tool call that the model gave. Every call gets its result: servers refuse
    a call without one.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._open = ""

    def told(self) -> list[Message]:
        """All of it, for the next question to the clerk."""
        if self._open:
            self.came_back(_NOT_DONE)
        return self._messages

    def heard(self, words: str) -> None:
        """The patient or the caller said this."""
        self._messages.append(user(words))

    def chose(self, reply: Choice | Change, text: str, *, by_call: bool) -> None:
        """The clerk decided: by a tool call, or by this text."""
        if not by_call:
            self.wrote(text)
            return
        self._open = f"step-{len(self._messages)}"
        arguments = {"question": reply.question} if reply.action == "ask" else reply.arguments
        call = ToolCall(id=self._open, name=reply.action, arguments=arguments)
        self._messages.append(Message(role="assistant", tool_calls=(call,)))
        if reply.action == "ask":
            self.came_back(_ASKED)

    def wrote(self, text: str) -> None:
        """The clerk's own words: a form that it filled in, or what it said aloud."""
        self._messages.append(assistant(text))

    def came_back(self, result: str) -> None:
        """What the chosen tool gave."""
        self._messages.append(Message(role="tool", content=result, tool_call_id=self._open))
        self._open = ""
