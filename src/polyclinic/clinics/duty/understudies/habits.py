"""The habits of offline staff: what they are prone to, what holds them back, how their manner drifts."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from polyclinic.clinics.duty.prompts import ActTurn
from polyclinic.clinics.duty.scenario import Role
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask

FORGETS = "forgets_late"
OVERSTEPS = "oversteps"
SCOPE_NORMS = ("SOP-1", "SOP-2", "SOP-3")
GROUNDED_NORMS = ("ESC-1", "ESC-2", "INFO-3")


class Heeds(Frozen):
    """How much each source in a prompt takes away from a habit."""

    listed: float
    checklist: float
    learned: float
    remembered: float
    grounded: float
    trait_line: float


class Late(Frozen):
    """What the end of an episode does to attention."""

    after: float
    keeps: float
    more: float


class Coupling(Frozen):
    """A manner that makes some habits worse."""

    trait: str
    below: float
    norms: tuple[str, ...]
    strength: float


class WearsOff(Frozen):
    """A trait that drifts from shift to shift."""

    role: Role
    trait: str
    start: int = Field(alias="from")
    per_shift: float
    most: float

    def at(self, shift: int) -> float:
        """How far it has gone by this shift."""
        far = max(shift - self.start + 1, 0) * abs(self.per_shift)
        return min(far, self.most) * (-1 if self.per_shift < 0 else 1)


class Habits(Frozen):
    """All habits."""

    prone: dict[Role, dict[str, float]]
    heeds: Heeds
    attention: int
    late: Late
    couples: tuple[Coupling, ...]
    drifts: tuple[WearsOff, ...]
    mood: float
    mistake_push: float


@lru_cache(maxsize=1)
def habits() -> Habits:
    """The habits that come with the clinic."""
    return Habits.model_validate(package_data("polyclinic.clinics.duty", "data/habits.yaml"))


def is_late(prompt: ActTurn) -> bool:
    """Whether this is the last part of the episode."""
    return prompt.turn > habits().late.after * prompt.turns


def held_back(prompt: ActTurn, norm: str) -> float:
    """How much of the habit of breaking this norm the prompt takes away: 0 nothing, towards 1 all of it.

    What the prompt stresses is obeyed; the more it stresses, the less each line counts; and late in an episode only
    what memory brings up right before speaking keeps its full weight.
    """
    data = habits()
    items = len(prompt.norms) + len(prompt.checklist) + len(prompt.learned)
    share = min(1.0, data.attention / items) if items else 1.0
    remembered = any(line.id == norm for line in prompt.memory.active_norms)
    keeps = data.late.keeps if is_late(prompt) and not remembered else 1.0
    sources = [
        data.heeds.listed * any(line.id == norm for line in prompt.norms),
        data.heeds.checklist * any(line.id == norm for line in prompt.checklist),
        data.heeds.learned * any(line.key == f"norm:{norm}" for line in prompt.learned),
        data.heeds.grounded * (bool(prompt.grounding) and norm in GROUNDED_NORMS),
    ]
    left = 1.0
    for weight in sources:
        left *= 1 - weight * share * keeps
    left *= 1 - data.heeds.remembered * remembered
    left *= 1 - data.heeds.remembered * _facts_at_hand(prompt, norm)
    return 1 - left


def _facts_at_hand(prompt: ActTurn, norm: str) -> bool:
    """Memory of facts keeps people from inventing them, memory of commitments from contradicting them."""
    return bool(prompt.memory.facts and norm == "INFO-1") or bool(prompt.memory.commitments and norm == "INFO-3")


def expressed_traits(ask: Ask[ActTurn]) -> dict[str, float]:
    """How this person speaks today: who they are, worn by the shifts, pushed by disturbances, held by learned lines."""
    prompt, data = ask.prompt, habits()
    levels: dict[str, float] = {}
    for line in prompt.traits:
        name = line.dimension
        push = 0.0 if prompt.calm else _worn(prompt, name)
        pushed = prompt.disturbance
        if pushed is not None and (pushed.role, pushed.dimension) == (prompt.role, name):
            push += pushed.amount
        if ask.mistakes.get(f"drifts_{name}", 0.0) > 0:
            push += data.mistake_push * ask.mistakes[f"drifts_{name}"] * (-1 if line.value >= 0.5 else 1)
        if any(learned.key == f"trait:{name}" for learned in prompt.learned):
            push *= 1 - data.heeds.trait_line
        mood = stream("mood", ask.request.settings.seed, name).gauss(0, data.mood)
        levels[name] = min(max(line.value + push + mood, 0.0), 1.0)
    return levels


def _worn(prompt: ActTurn, trait: str) -> float:
    """How far the shifts so far have worn this trait off."""
    return sum(w.at(prompt.shift) for w in habits().drifts if (w.role, w.trait) == (prompt.role, trait))


def breaks(ask: Ask[ActTurn], norm: str, traits: dict[str, float]) -> bool:
    """Whether the player gives in to the habit of breaking this norm, here and now."""
    prompt, data = ask.prompt, habits()
    if ask.mistake(mistake_name(norm)) or (norm in SCOPE_NORMS and ask.mistake(OVERSTEPS)):
        return True
    remembered = any(line.id == norm for line in prompt.memory.active_norms)
    if is_late(prompt) and not remembered and ask.mistake(FORGETS):
        return True
    if prompt.calm:
        return False
    chance = data.prone.get(prompt.role, {}).get(norm, 0.0)
    for coupling in data.couples:
        if norm in coupling.norms and coupling.trait in traits:
            chance *= 1 + coupling.strength * max(coupling.below - traits[coupling.trait], 0.0)
    if is_late(prompt) and not remembered:
        chance *= data.late.more
    return ask.chance(f"break {norm}", min(chance * (1 - held_back(prompt, norm)), 0.95))


def mistake_name(norm: str) -> str:
    """``SOP-1`` → ``breaks_sop_1``."""
    return f"breaks_{norm.lower().replace('-', '_')}"
