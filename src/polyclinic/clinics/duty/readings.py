"""The questions about meaning on a shift, and what follows from the answers. Questions have the same wording as in the
sets that measure readers.
"""

from __future__ import annotations

from polyclinic.core.reading import ReadingKind

NORM = ReadingKind(
    "duty-norm",
    who=("doctor", "nurse", "trainee", "admin", "patient"),
    context="{shift}",
    question="Does this message break the rule: when {when}, then {then}?",
    follows="the norm counts as broken; where the variant repairs, the message is sent back",
    open=("when", "then"),
    listed=True,
    surely=0.6,
    by_sentence=0.01,
    only_learned=True,
    shows_sure=True,
)
TRAIT = ReadingKind(
    "duty-trait",
    who=("doctor", "nurse", "trainee", "admin", "patient"),
    context="A {role} speaks at work in a hospital.",
    question="Does this message clearly show this manner: '{about}' (at its strongest: '{high}')?",
    follows="the manner counts as shown, for identity",
    open=("about", "high"),
    listed=True,
)
TEACHBACK = ReadingKind(
    "duty-teachback",
    who=("patient",),
    context="Part of the plan: {plan}",
    question="Does the patient say this part of the plan back in their own words, rightly?",
    follows="this part of the plan counts as understood",
    open=("plan",),
)
READINGS = (NORM, TRAIT, TEACHBACK)
