"""The habits of offline staff, how their manner drifts, and the model of how learning suppresses habits.

The model is an assumption, not a finding: a player reads every line of advice in its prompt. If it understands a line
as advice against a habit, the chance of that habit falls by the share `learning`. Only the meaning of a line counts,
not its key: advice in other words helps as much, and a line about bananas helps nobody.
"""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field

from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.readings import TEACHBACK
from polyclinic.clinics.duty.scenario.schema import Role
from polyclinic.core.files import package_data
from polyclinic.core.message import Frozen
from polyclinic.core.seed import stream
from polyclinic.core.understudy import Ask

FORGETS = "forgets_late"
OVERSTEPS = "oversteps"
OVERSTEPPING = ("decides_alone", "overrules", "talks_medicine")


class Late(Frozen):
    """How attention changes towards the end of an episode."""

    after: float
    keeps: float
    more: float


class Coupling(Frozen):
    """A manner that makes some habits worse."""

    trait: str
    below: float
    habits: tuple[str, ...]
    strength: float


class WearsOff(Frozen):
    """A trait that drifts from shift to shift."""

    role: Role
    trait: str
    start: int = Field(alias="from")
    per_shift: float
    most: float

    def at(self, shift: int) -> float:
        """How far the trait has drifted by this shift."""
        far = max(shift - self.start + 1, 0) * abs(self.per_shift)
        return min(far, self.most) * (-1 if self.per_shift < 0 else 1)


class RoleHabits(Frozen):
    """All habits."""

    prone: dict[Role, dict[str, float]]
    attention: int
    late: Late
    against: dict[str, tuple[str, ...]]
    couples: tuple[Coupling, ...]
    drifts: tuple[WearsOff, ...]
    mood: float
    mistake_push: float


@lru_cache(maxsize=1)
def habits() -> RoleHabits:
    """The habits that come with the clinic."""
    return RoleHabits.model_validate(package_data("polyclinic.clinics.duty", "data/habits.yaml"))


def is_late(prompt: ActTurn) -> bool:
    """Whether this is the last part of the episode."""
    return prompt.steers.turn > habits().late.after * prompt.steers.turns


def advises_against(ask: Ask[ActTurn], line: str, habit: str) -> bool:
    """Whether the player takes this line as advice against the habit, in any of its wordings."""
    return any(ask.understands(line, TEACHBACK.ask(plan=wording)) for wording in habits().against[habit])


def held_back(ask: Ask[ActTurn], habit: str) -> float:
    """How much the prompt's words suppress a habit: 0 is not at all, 1 is completely."""
    data, prompt = habits(), ask.prompt
    read_first = (*prompt.norms, *prompt.checklist, *prompt.learned)
    at_hand = (*prompt.memory.reminders, *prompt.memory.facts, *prompt.objections)
    share = min(1.0, data.attention / max(len(read_first), 1))
    keeps = data.late.keeps if is_late(prompt) else 1.0
    left = 1.0
    for lines, weight in ((read_first, share * keeps), (at_hand, 1.0)):
        for line in lines:
            if advises_against(ask, line, habit):
                left *= 1 - prompt.steers.learning * weight
    return 1 - left


def reminded(ask: Ask[ActTurn], habit: str) -> bool:
    """Whether the reminders from memory advise against the habit."""
    return any(advises_against(ask, line, habit) for line in ask.prompt.memory.reminders)


def expressed_traits(ask: Ask[ActTurn]) -> dict[str, float]:
    """How strongly this person shows each trait today: their own value, changed by drift over the shifts and by
    disturbances. Learned lines that they understand reduce these changes.
    """
    prompt, data = ask.prompt, habits()
    steers = prompt.steers
    levels: dict[str, float] = {}
    for line in prompt.traits:
        name = line.dimension
        push = 0.0 if steers.calm else _worn(prompt, name)
        pushed = steers.disturbance
        if pushed is not None and (pushed.role, pushed.dimension) == (prompt.role, name):
            push += pushed.amount
        if ask.mistakes.get(f"drifts_{name}", 0.0) > 0:
            push += data.mistake_push * ask.mistakes[f"drifts_{name}"] * (-1 if line.value >= 0.5 else 1)
        if push and any(
            ask.understands(text, TEACHBACK.ask(plan=f"be someone who {line.about}")) for text in prompt.learned
        ):
            push *= 1 - steers.learning
        mood = stream("mood", ask.request.settings.seed, name).gauss(0, data.mood)
        levels[name] = min(max(line.value + push + mood, 0.0), 1.0)
    return levels


def _worn(prompt: ActTurn, trait: str) -> float:
    """How far this trait has drifted over the shifts so far."""
    return sum(w.at(prompt.steers.shift) for w in habits().drifts if (w.role, w.trait) == (prompt.role, trait))


def gives_in(ask: Ask[ActTurn], habit: str, traits: dict[str, float]) -> bool:
    """Whether the player gives in to this habit, here and now."""
    prompt, data = ask.prompt, habits()
    if ask.mistake(habit) or (habit in OVERSTEPPING and ask.mistake(OVERSTEPS)):
        return True
    late = is_late(prompt)
    if late and ask.mistake(FORGETS) and not reminded(ask, habit):
        return True
    if prompt.steers.calm:
        return False
    chance = data.prone.get(prompt.role, {}).get(habit, 0.0)
    for coupling in data.couples:
        if habit in coupling.habits and coupling.trait in traits:
            chance *= 1 + coupling.strength * max(coupling.below - traits[coupling.trait], 0.0)
    if late and not reminded(ask, habit):
        chance *= data.late.more
    return ask.chance(f"give in {habit}", min(chance * (1 - held_back(ask, habit)), 0.95))
