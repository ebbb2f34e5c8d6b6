"""What a team keeps from episode to episode: for each role its prompt book, identity, memory and counts.

A ward changes only through effects, which are plain data committed with an episode's end. So a resumed run, a replay
and a rollback all rebuild exactly the same ward.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pydantic import Field

from polyclinic.clinics.duty.scenario.institution import priors
from polyclinic.clinics.duty.scenario.schema import STAFF, Role
from polyclinic.clinics.duty.state.memory import RoleMemory, Trajectory
from polyclinic.clinics.duty.state.prompt_book import Edit, PromptBook
from polyclinic.core.campaign import Effect
from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario, Variant
from polyclinic.core.seed import stream
from polyclinic.core.services import Services
from polyclinic.errors import EngineError
from polyclinic.people.traits import Communicator, TraitProfile, draw_profile

HISTORY = 24


class Counted(Frozen):
    """What one episode showed about one role: norms broken, actions taken, traits heard (`raw`: as the listener
    reported them).
    """

    episode: int
    task: str
    actions: int
    broken: dict[str, int]
    traits: dict[str, float]
    distance: float = 0.0
    drift: bool = False
    raw: dict[str, float] = Field(default_factory=dict)


class RoleState(Frozen):
    """Everything that evolves about one role. `anchor` is who the person was at the start; it never changes."""

    role: Role
    book: PromptBook = PromptBook()
    anchor: TraitProfile | None = None
    profile: TraitProfile | None = None
    memory: RoleMemory = RoleMemory()
    counted: tuple[Counted, ...] = ()

    def trait_history(self) -> list[dict[str, float]]:
        """The traits heard in each counted episode, oldest first."""
        return [count.traits for count in self.counted]

    def rate(self, norm: str, since: int = 0) -> float:
        """How often a norm was broken per episode in which the role acted, since an episode."""
        span = [c for c in self.counted if c.episode >= since]
        return sum(c.broken.get(norm, 0) for c in span) / len(span) if span else 0.0


class ShiftEnded(Effect):
    """One more shift is over."""

    kind = "episode"


class RoleEffect(Effect, ABC):
    """A change of one role."""

    role: Role

    @abstractmethod
    def on(self, state: RoleState) -> RoleState:
        """The role after the change."""
        ...


class Edited(RoleEffect):
    """A line of the prompt book was added, changed or removed."""

    kind = "edit"
    edit: Edit

    def on(self, state: RoleState) -> RoleState:
        """The role with the edit in its book."""
        return state.model_copy(update={"book": state.book.applied(self.edit)})


class ShiftCounted(RoleEffect):
    """What the shift showed about the role."""

    kind = "counted"
    counted: Counted

    def on(self, state: RoleState) -> RoleState:
        """The role's state with this shift's counts added; the oldest counts are dropped."""
        return state.model_copy(update={"counted": (*state.counted, self.counted)[-HISTORY:]})


class ShiftRemembered(RoleEffect):
    """What the role did, step by step."""

    kind = "remember"
    trajectory: Trajectory

    def on(self, state: RoleState) -> RoleState:
        """The role with the shift in its memory."""
        return state.model_copy(update={"memory": state.memory.remembered(self.trajectory)})


class IdentityChosen(RoleEffect):
    """Another profile was preferred."""

    kind = "identity"
    profile: TraitProfile

    def on(self, state: RoleState) -> RoleState:
        """The role with the new profile; the anchor stays."""
        return state.model_copy(update={"profile": self.profile})


class Ward:
    """The team's shared state in a campaign."""

    takes: tuple[type[Effect], ...] = (ShiftEnded, Edited, ShiftCounted, ShiftRemembered, IdentityChosen)

    def __init__(self, anchors: dict[Role, TraitProfile]) -> None:
        self.roles: dict[Role, RoleState] = {
            role: RoleState(role=role, anchor=anchors.get(role), profile=anchors.get(role)) for role in STAFF
        }
        self.anchors = anchors
        self.episodes = 0
        self.effects: list[Effect] = []

    def apply(self, effect: Effect) -> None:
        """Apply one committed change."""
        if isinstance(effect, RoleEffect):
            self.roles[effect.role] = effect.on(self.roles[effect.role])
        elif isinstance(effect, ShiftEnded):
            self.episodes += 1
        else:
            raise EngineError(f"unknown effect of a ward: '{effect.kind}'")
        self.effects.append(effect)

    def at(self, episode: int) -> Ward:
        """The ward after this many episodes, rebuilt from its effects."""
        ward = Ward(self.anchors)
        for effect in self.effects:
            if ward.episodes == episode:
                break
            ward.apply(effect)
        return ward


def open_campaign(scenarios: Sequence[Scenario], variant: Variant, seed: int, services: Services) -> Ward:
    """A new team: each role's person is drawn from the priors, the same in every variant."""
    known = priors(services)
    people: tuple[tuple[Role, Communicator], ...] = (("doctor", "doctor"), ("nurse", "nurse"), ("trainee", "trainee"))
    anchors: dict[Role, TraitProfile] = {
        role: draw_profile(kind, known[kind], stream(seed, "person", role)) for role, kind in people
    }
    return Ward(anchors)
