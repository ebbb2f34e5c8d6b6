"""Who may call in whom: the graph of doctors, whose shape is enforced by code.

`chain`: each doctor calls in at most one other, and nobody is called twice. `tree`: several may be called in, each by
one doctor. `dag`: a doctor may be called in by several, but no path ever leads back. In all shapes nobody calls in a
doctor who called them, directly or through others. So information only flows forward. The size is limited.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from polyclinic.core.message import Frozen


class Topology(StrEnum):
    """The shapes a consultation may take."""

    NONE = "none"
    CHAIN = "chain"
    TREE = "tree"
    DAG = "dag"


class Bounds(Frozen):
    """How large a consultation may grow."""

    doctors: int = 4
    depth: int = 3
    per_doctor: int = 2


class Call(Frozen):
    """One doctor called in another, for a reason."""

    caller: str
    called: str
    reason: str = ""


class RecruitmentGraph:
    """The graph of calls. It starts with the first doctor and refuses every call that would break its shape."""

    def __init__(self, first: str, topology: Topology, bounds: Bounds | None = None) -> None:
        self.first, self.topology, self.bounds = first, topology, bounds or Bounds()
        self.calls: list[Call] = []
        self._depth = {first: 0}

    @property
    def doctors(self) -> list[str]:
        """Everybody in the consultation, in the order they came."""
        return list(self._depth)

    def called_by(self, doctor: str) -> list[str]:
        """Whom this doctor called in."""
        return [call.called for call in self.calls if call.caller == doctor]

    def callers(self, doctor: str) -> list[str]:
        """Who called this doctor in."""
        return [call.caller for call in self.calls if call.called == doctor]

    def ancestors(self, doctor: str) -> set[str]:
        """Everybody from whom information may reach this doctor."""
        reached: set[str] = set()
        waiting = deque(self.callers(doctor))
        while waiting:
            caller = waiting.popleft()
            if caller not in reached:
                reached.add(caller)
                waiting.extend(self.callers(caller))
        return reached

    def objection(self, caller: str, called: str) -> str:
        """Why this call may not be made; empty when it may."""
        if self.topology is Topology.NONE:
            return "nobody may be called in"
        if caller not in self._depth:
            return f"{caller} is not in the consultation"
        if called == caller or called in self.ancestors(caller):
            return "information would flow back"
        if called in self.called_by(caller):
            return f"{called} was already called in by {caller}"
        return self._bound_objection(caller, called) or self._shape_objection(caller, called)

    def _bound_objection(self, caller: str, called: str) -> str:
        if len(self.called_by(caller)) >= self.bounds.per_doctor:
            return f"{caller} has called in {self.bounds.per_doctor} already"
        if called not in self._depth and len(self._depth) > self.bounds.doctors:
            return f"{self.bounds.doctors} doctors are called in already"
        if self._depth[caller] + 1 > self.bounds.depth:
            return f"the consultation is {self.bounds.depth} calls deep already"
        return ""

    def _shape_objection(self, caller: str, called: str) -> str:
        if self.topology is Topology.CHAIN and self.called_by(caller):
            return "in a chain each doctor may call in only one other"
        if self.topology in (Topology.CHAIN, Topology.TREE) and called in self._depth:
            return f"{called} is in the consultation already"
        if called in self._depth and caller in self._descendants(called):
            return "information would flow back"
        return ""

    def _descendants(self, doctor: str) -> set[str]:
        return {other for other in self._depth if doctor in self.ancestors(other)}

    def call(self, caller: str, called: str, reason: str = "") -> bool:
        """Make the call if it is allowed; returns whether it was."""
        if self.objection(caller, called):
            return False
        self.calls.append(Call(caller=caller, called=called, reason=reason))
        self._depth[called] = max(self._depth.get(called, 0), self._depth[caller] + 1)
        return True

    def order(self) -> list[str]:
        """The doctors in topological order (Kahn): each after all who called them in. Ties are in order of arrival."""
        waiting = {doctor: len(self.callers(doctor)) for doctor in self._depth}
        ready = [doctor for doctor in self._depth if not waiting[doctor]]
        ordered: list[str] = []
        while ready:
            doctor = ready.pop(0)
            ordered.append(doctor)
            for called in self.called_by(doctor):
                waiting[called] -= 1
                if not waiting[called]:
                    ready.append(called)
        return ordered
