"""What the reader decides by meaning at the front desk: wishes and answers.

Names, dates and times are parsed by code.
"""

from __future__ import annotations

from polyclinic.core.reading import ReadingKind

_CALL = "A person calls the front desk of a hospital."
WISHES = {
    "asap": "as early as possible",
    "date": "on a certain day or after it",
    "physician": "a certain doctor",
    "not_physician": "anyone but a certain doctor",
    "no_preference": "no preference",
}
INTENTS = {
    "book": "book a first visit",
    "reschedule": "move an appointment to another time",
    "cancel": "cancel an appointment",
    "ask": "only ask for information",
}
WISH = ReadingKind(
    "desk-wish",
    who=("patient",),
    context="A person calls the front desk of a hospital about an appointment.",
    question="Does the caller wish this: '{wish}'?",
    follows="the search for a place follows this wish",
    open=("wish",),
    listed=True,
)
INTENT = ReadingKind(
    "desk-intent",
    who=("patient",),
    context=_CALL,
    question="Does the caller want this: '{intent}'?",
    follows="the clerk uses the tool for it",
    open=("intent",),
    listed=True,
)
ACCEPTS = ReadingKind(
    "desk-accepts",
    who=("patient",),
    context="The front desk offered: {offer}",
    question="Does the caller accept the offered time?",
    follows="nothing at the desk, where the scenario says who turns an offer down: for readers and flows of your own",
    stance=True,
    quiet=("patient-told",),
)
RED_FLAG = ReadingKind(
    "desk-redflag",
    who=("patient",),
    context=_CALL,
    question="Does the caller describe something that needs emergency help now rather than an appointment?",
    follows="nothing at the desk, where the staff decides and the record says what was right: for flows of your own",
)
READINGS = (WISH, INTENT, ACCEPTS, RED_FLAG)
