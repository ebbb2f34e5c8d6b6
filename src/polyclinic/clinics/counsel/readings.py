"""The questions about meaning in counselling, and what follows from the answers. The guard has its own classifier and
its own sets.
"""

from __future__ import annotations

from polyclinic.core.reading import ReadingKind

_TALK = "A counsellor speaks with a seriously ill person about the end of life."

SIGNALS = {
    "consent": "agrees to go on talking",
    "understanding": "has understood what was explained",
    "values": "says what matters in their life",
    "preference": "says which treatment they want, refuse or leave to others",
    "farewell": "is closing the talk",
    "hesitation": "wants to wait or slow down",
    "confused_illness": "is mistaken or unsure about their illness",
    "confused_acp": "does not know what advance care planning is or why it is done",
    "distress": "shows strong painful feeling",
}
SLIP = ReadingKind(
    "counsel-slip",
    who=("counsellor",),
    context="The ill person said: {said}",
    question=(
        "Does the counsellor promise, predict a time of death, pressure towards a decision, give medical "
        "orders, judge, or"
        " brush a feeling aside?"
    ),
    follows="the draft is sent back, and what was said counts as a slip",
    parts=True,
    alone=0.72,
    quiet=("counsel-supported",),
)
SUPPORTED = ReadingKind(
    "counsel-supported",
    who=("counsellor",),
    context="Source: {source}",
    question="Is what the counsellor says supported by this source?",
    follows="the claim counts as supported",
    open=("source",),
    swaps=True,
    quiet=("counsel-feeling",),
)
CLAIM = ReadingKind(
    "counsel-claim",
    who=("counsellor",),
    context=_TALK,
    question="Does the counsellor state a fact about medicine, law or services that would need a source?",
    follows="the reply must cite a source",
    parts=True,
    alone=0.82,
    quiet=("counsel-feeling",),
)
SIGNAL = ReadingKind(
    "counsel-signal",
    who=("patient",),
    context="An ill person speaks with a counsellor about the end of life.",
    question="Does the person show this: '{signal}'?",
    follows="the stage moves on, stays or goes back",
    open=("signal",),
    listed=True,
    surely=0.38,
    needs_sure=True,
)
CONSENT = ReadingKind(
    "counsel-consent",
    who=("patient",),
    context="The counsellor proposed: {proposed}",
    question="Does the person agree to what was proposed?",
    follows="the conversation goes where it was proposed to go",
    stance=True,
    quiet=("patient-told",),
)
FEELING = ReadingKind(
    "counsel-feeling",
    who=("counsellor",),
    context="The ill person said: {said}",
    question="Does the counsellor take up and answer the feeling that the person expressed?",
    follows="the feeling counts as answered",
)
READINGS = (SLIP, SUPPORTED, CLAIM, SIGNAL, CONSENT, FEELING)
