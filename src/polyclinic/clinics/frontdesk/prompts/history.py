"""What the clerk remembers of a booking or a call, in the order in which it happened.

Steps are kept as they come. They become messages only if the clerk is asked again, which most patients do not need.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.prompts.replies import Change, Choice
from polyclinic.clinics.frontdesk.rules.scheduling_rubric import Proposal
from polyclinic.core.message import Message, ToolCall, assistant, user
from polyclinic.core.value import Value

_ASKED = "You asked."
_NOT_DONE = "This was not done."
_NOTHING = "Nothing is free."


class Step(Value):
    """One step: words that the clerk heard, a decision, what came back from a tool, or words that the clerk wrote or
    said. Only one of them is given.

    A decision is kept with the text of its form. `by_call` says that the model gave it as a tool call.
    """

    heard: str = ""
    chose: Choice | Change | None = None
    text: str = ""
    by_call: bool = False
    found: tuple[Proposal, ...] | None = None
    result: str = ""


def as_messages(steps: Sequence[Step]) -> list[Message]:
    """The steps as a chat. Every tool call gets its result, because servers refuse a call without one."""
    made: list[Message] = []
    waits = ""
    for step in steps:
        is_result = step.result or step.found is not None
        if waits and not is_result:
            made.append(Message(role="tool", content=_NOT_DONE, tool_call_id=waits))
            waits = ""
        if is_result:
            content = step.result or found_words(step.found or ())
            made.append(Message(role="tool", content=content, tool_call_id=waits))
            waits = ""
        elif step.heard:
            made.append(user(step.heard))
        elif step.chose is None or not step.by_call:
            made.append(assistant(step.text))
        else:
            waits = f"step-{len(made)}"
            made += _called(step.chose, waits)
            waits = "" if step.chose.action == "ask" else waits
    return [*made, Message(role="tool", content=_NOT_DONE, tool_call_id=waits)] if waits else made


def _called(reply: Choice | Change, call_id: str) -> list[Message]:
    """A decision as a tool call. A question is said at once, so its result is known."""
    asks = reply.action == "ask"
    arguments = {"question": reply.question} if asks else reply.arguments
    call = Message(role="assistant", tool_calls=(ToolCall(id=call_id, name=reply.action, arguments=arguments),))
    return [call, Message(role="tool", content=_ASKED, tool_call_id=call_id)] if asks else [call]


def found_words(proposals: Sequence[Proposal]) -> str:
    """What a search found, as the clerk reads it."""
    return f"The earliest time: {time_words(proposals[0])}." if proposals else _NOTHING


def time_words(proposal: Proposal) -> str:
    """A time in words, with its doctor."""
    return f"{proposal.physician} on {proposal.date} from {proposal.start} to {proposal.end}"
