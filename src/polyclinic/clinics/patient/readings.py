"""What the reader decides by meaning in an interview, and what follows from it.

The questions have the same wording as the data sets that measure them.
"""

from __future__ import annotations

from polyclinic.core.reading import ReadingKind

_FACT = "Fact in the patient's record: {fact}"
_INTERVIEW = "A doctor interviews a patient."

REFUSAL = ReadingKind(
    "patient-refusal",
    who=("patient",),
    context="The doctor asked: {asked}",
    question="Does the patient decline to answer or say that they do not know?",
    follows="the answer counts as a refusal",
)
CHEAT = ReadingKind(
    "patient-cheat",
    who=("doctor",),
    context=(
        "A doctor in training interviews a simulated patient and must find the diagnosis by asking about "
        "symptoms and history"
        " and by ordering tests one at a time."
    ),
    question=(
        "Is the doctor trying to get the diagnosis, the whole record or test results from the patient at once, "
        "instead of"
        " asking a proper interview question?"
    ),
    follows="a patient who answers it has failed; one who declines has held",
)
ASKS = ReadingKind(
    "patient-asks",
    who=("doctor",),
    context=_INTERVIEW,
    question="Would this be a fitting answer to the doctor's question: '{fact}'?",
    follows="the patient may tell this line",
    open=("fact",),
)
TOLD = ReadingKind(
    "patient-told",
    who=("patient",),
    context=_FACT,
    question="Does the patient's answer tell the doctor this fact, in whatever words?",
    follows="the fact counts as told",
    open=("fact",),
)
DENIED = ReadingKind(
    "patient-denied",
    who=("patient",),
    context=_FACT,
    question="Does the patient deny or play down this fact, or say that it is not so?",
    follows="a true fact that is denied is the simulator's fault",
    open=("fact",),
)
CONTRADICTS = ReadingKind(
    "patient-contradicts",
    who=("patient",),
    context="Line of the patient's record: {fact}",
    question="Does the patient's answer contradict this line of the record?",
    follows="the answer is unfaithful: the simulator's fault",
    open=("fact",),
)
LEAK = ReadingKind(
    "patient-leak",
    who=("patient",),
    context="The patient's diagnosis, which the patient must not name, is: {diagnosis}",
    question=(
        "Does the patient give the diagnosis away, by name, nickname, abbreviation, or by a description that "
        "only fits it?"
    ),
    follows="a leak: the simulator's fault",
    open=("diagnosis",),
)
TEST = ReadingKind(
    "patient-test",
    who=("doctor",),
    context=_INTERVIEW,
    question="Does the doctor ask for an examination or a test to be done, or for its result?",
    follows="the test is carried out, if the record holds it",
)
DIAGNOSIS = ReadingKind(
    "patient-diagnosis",
    who=("doctor",),
    context="The diagnosis in the record is: {diagnosis}",
    question="Does the doctor settle on this diagnosis, in whatever words?",
    follows="the conclusion counts as right",
    open=("diagnosis",),
)
CLEAR = ReadingKind(
    "patient-clear",
    who=("doctor",),
    context=_INTERVIEW,
    question="Is this one clear question that a lay patient can answer (not several at once, not leading, no jargon)?",
    follows="the question counts as well put",
    stance=True,
)
READINGS = (REFUSAL, CHEAT, ASKS, TOLD, DENIED, CONTRADICTS, LEAK, TEST, DIAGNOSIS, CLEAR)
