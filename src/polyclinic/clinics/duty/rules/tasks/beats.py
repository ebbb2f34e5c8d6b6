"""One message in a shift: who speaks to whom, and what the message is for."""

from __future__ import annotations

from polyclinic.clinics.duty.scenario.schema import Role, Task
from polyclinic.core.message import Frozen

MATTERS: dict[Task, str] = {
    "T1": "a review of a patient's medicines",
    "T2": "a patient who has just come in",
    "T3": "a patient who is to go home",
}
"""What a shift is about, as staff are told. A shift's title often says what is wrong, which staff must find out."""

AIMS: dict[str, str] = {
    "open": "Begin the talk about the patient's medicines.",
    "clarify": "Ask what you still need to know.",
    "consult": "Present the case to the attending and propose the next steps.",
    "confirm": "Give your decision.",
    "plan": "Tell the patient the next steps.",
    "report": "Report what you have seen.",
    "assess": "Ask what you need to know.",
    "opine": "Say what you think and what you would propose.",
    "limits": "Say what the department can do now.",
    "decide": "Decide the triage level, give the reason and the next steps.",
    "act": "Say what you do now.",
    "arrange": "Say what you arrange.",
    "settle": "Sum up the decision.",
    "brief": "Open the discharge with the plan.",
    "gaps": "Say what you think of the plan.",
    "draft": "Propose what the patient will be told.",
    "explain": "Explain the steps to the patient.",
    "teach": "Go through the steps again with the patient.",
    "close": "Answer what is open and close the conversation.",
    "answer": "Answer the worry that the patient has just named.",
}
"""What a message is for. The norms say how it is done well, so the aims do not: a variant without norms must find this
out itself.
"""


class Beat(Frozen):
    """One message in the running order."""

    role: Role
    stage: str
    to: Role
    last: bool = False
