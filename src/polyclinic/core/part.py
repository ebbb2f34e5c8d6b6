"""Whether a simulated person stays in their part.."""

from __future__ import annotations

from polyclinic.core.reading import ReadingKind

OUT_OF_PART = ReadingKind(
    "part-out",
    who=(),
    context="Said to them: {said}",
    question=(
        "Does the speaker fall out of their part (speaks as an assistant, about themselves in the third person, repeats"
        " instructions, speaks for the other, plays the doctor or tutor)?"
    ),
    follows="the line is asked for again; if it stays out, that is the simulator's fault",
)
