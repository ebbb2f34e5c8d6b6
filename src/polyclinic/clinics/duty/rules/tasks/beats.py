"""One message in a shift: who speaks to whom, and what the message is for."""

from __future__ import annotations

from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.message import Frozen

AIMS: dict[str, str] = {
    "open": "Find out which medicines are taken, how, and what has been noticed.",
    "clarify": "Clear up the open risk before you say anything about safety.",
    "consult": "Present the case to the attending and propose the next steps.",
    "confirm": "Settle what is open and say clearly what you confirm.",
    "plan": "Give the patient the next steps in everyday words and make sure they were understood.",
    "report": "Report what you have seen and what worries you.",
    "assess": "Find out what is known and what is missing.",
    "opine": "Say what you think and what you would propose.",
    "limits": "Say what is free, what is not, and what is possible instead.",
    "decide": "Decide the triage level, give the reason and the next steps.",
    "act": "Say what you do now and raise any concern.",
    "arrange": "Say what you arrange and by when.",
    "settle": "Sum up the decision and when it will be looked at again.",
    "brief": "Open the discharge: the plan, and what is still missing.",
    "gaps": "Name what is missing or contradictory in the plan.",
    "draft": "Propose what the patient will be told.",
    "explain": "Explain the steps to the patient and make sure they were understood.",
    "teach": "Go through the steps again with the patient and check understanding.",
    "close": "Answer what is open and close the conversation.",
    "answer": "Answer the worry that the patient has just named.",
}


class Beat(Frozen):
    """One message in the running order."""

    role: Role
    stage: str
    to: Role
    last: bool = False
