"""The named configurations: how the patient answers, which components the doctors have, who may be called in, and the
phases.

Plain data; `flow` reads it. In a campaign every variant whose patient has a library learns (see `evolve`).
"""

from __future__ import annotations

from itertools import product
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from polyclinic.core.scenario import Variant

Method = Literal["overall", "cot", "cot_sc", "tot", "few_shot", "self_align", "online", "library"]
Recruit = Literal["none", "chain", "tree", "dag"]
PHASES = ("complaint", "triage", "interrogation", "conclusion")


class PatientVariant(Variant):
    """One configuration. `learned_cases` limits the library to the entries of the first cases; None: no limit.

    `least` is how many different questions must have been asked before a simulated doctor may conclude, half of them
    its own: the cheat questions are a colleague's. A person may always conclude.
    `rival` makes a duel: every question is answered by a second method too, and the two answers are compared. `voice`
    and `uptake` are for offline players: which set of sentences they use, and how readily they learn.
    """

    SETTINGS: ClassVar[tuple[str, ...]] = (
        "phases",
        "turns",
        "least",
        "cheats",
        "crisis",
        "recruit",
        "learn_recruit",
        "consult_turns",
        "voice",
        "uptake",
    )

    method: Method = "library"
    samples: int = 3
    learned_cases: int | None = None
    rival: str = ""
    phases: tuple[str, ...] = PHASES
    turns: int = 10
    least: int = 6
    cheats: int = 5
    crisis: bool = False
    profile: bool = True
    pool: bool = True
    trajectories: bool = True
    recruit: Recruit = "none"
    learn_recruit: Recruit = "dag"
    consult_turns: int = 2
    judge_questions: bool = False
    voice: Literal["first", "second"] = "first"
    uptake: float = Field(default=1.0, ge=0.0, le=1.0)

    @property
    def least_own(self) -> int:
        """How many of the least different questions the doctor itself must have asked."""
        return (self.least + 1) // 2

    @field_validator("phases", mode="before")
    @classmethod
    def _listed(cls, phases: object) -> object:
        """Read the phases that a user wrote, separated by commas."""
        return tuple(part.strip() for part in phases.split(",") if part.strip()) if isinstance(phases, str) else phases


def _methods() -> list[PatientVariant]:
    baseline = [
        ("cot", "cot", "all requirements, thinking step by step"),
        ("cot-sc-3", "cot_sc", "three chains of thought, the most consistent answer"),
        ("tot", "tot", "several plans, the best one followed"),
        ("self-align", "self_align", "principles and examples, principles named first"),
        ("few-shot-2", "few_shot", "all requirements and two written examples"),
        ("online-library", "online", "a library of ordinary consultations instead of a learned one"),
    ]
    return [
        *(
            PatientVariant.model_validate({"name": name, "method": method, "about": about, "baseline": True})
            for name, method, about in baseline
        ),
        PatientVariant(name="evolved", about="attention requirements and demonstrations from the learned library"),
        *(
            PatientVariant(name=f"evolved-{cases}", about=f"as evolved, after {cases} cases", learned_cases=cases)
            for cases in (10, 20, 50)
        ),
        PatientVariant(name="evolved-emptied", about="as evolved, with nothing in the library", learned_cases=0),
        PatientVariant(name="requirements", about="all requirements, no method", method="overall", baseline=True),
    ]


def _duels() -> list[PatientVariant]:
    rivals = ("cot", "cot-sc-3", "tot", "self-align", "few-shot-2", "evolved-50")
    return [
        PatientVariant(name=f"duel-{rival}", about=f"evolved against {rival}, on the same questions", rival=rival)
        for rival in rivals
    ]


def _doctors() -> list[PatientVariant]:
    """All eight combinations of the doctor's components (table 4), on fair questions only."""
    found = []
    for evolve, pool, profile in product((False, True), repeat=3):
        parts = [name for name, has in (("evolve", evolve), ("pool", pool), ("profile", profile)) if has]
        found.append(
            PatientVariant(
                name=f"doctor-{'-'.join(parts) or 'vanilla'}",
                about=f"doctor with {' and '.join(parts) or 'no component'}",
                baseline=not parts,
                cheats=0,
                trajectories=evolve,
                pool=pool,
                profile=profile,
                judge_questions=True,
            )
        )
    return found


def _recruiting() -> list[PatientVariant]:
    """Recruitment shapes with evolved and with plain doctors (table 5, figure 6)."""
    shapes: tuple[Recruit, ...] = ("none", "chain", "tree", "dag")
    evolved = [
        PatientVariant(
            name=f"recruit-{shape}", about=f"evolved doctors, calling in by {shape}", recruit=shape, learn_recruit=shape
        )
        for shape in shapes
    ]
    plain = [
        PatientVariant(
            name=f"plain-doctor-{shape}",
            about=f"doctors without components, calling in by {shape}",
            recruit=shape,
            learn_recruit=shape,
            profile=False,
            pool=False,
            trajectories=False,
            baseline=shape == "none",
        )
        for shape in ("none", "dag")
    ]
    return [*evolved, *plain]


def _settings() -> list[PatientVariant]:
    return [
        PatientVariant(name="crisis", about="the patient interrupts with something urgent", crisis=True, cheats=0),
        PatientVariant(
            name="training",
            about="for a person who trains: no simulated cheat questions, but a crisis may come",
            cheats=0,
            crisis=True,
            turns=30,
        ),
        PatientVariant(
            name="walk-in",
            about="no triage, and advice at the end: phases dropped and added",
            phases=("complaint", "interrogation", "conclusion", "advice"),
        ),
    ]


VARIANTS: dict[str, PatientVariant] = {
    variant.name: variant for variant in (*_methods(), *_duels(), *_doctors(), *_recruiting(), *_settings())
}
METHODS = ("cot", "cot-sc-3", "tot", "self-align", "few-shot-2", "online-library", "evolved")
DUELS, DOCTORS, LEARNERS = (tuple(each.name for each in made()) for made in (_duels, _doctors, _recruiting))
"""What the tables of the paper compare: ways of answering (1 and 3), duels (2), the doctor's components (4), and the
doctors who teach the patient (5).
"""
