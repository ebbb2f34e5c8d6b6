"""Which clinics can be served, and where the store keeps their sessions."""

from __future__ import annotations

from polyclinic.core.clinic import Clinic
from polyclinic.core.live import LiveService
from polyclinic.errors import UnknownName
from polyclinic.runner.plan.run_plan import RunPlan
from polyclinic.runner.registry import clinics_with
from polyclinic.store.store import Store


def service_room(clinic: Clinic) -> LiveService:
    """The clinic's definition of its live sessions.

    If it has none, the error names the clinics that have live sessions.
    """
    if clinic.service is None:
        raise _unserved(clinic.name)
    return clinic.service


def refuse_unserved(clinic: str) -> None:
    """Raise the same error for a clinic without live sessions, before anything of it is loaded."""
    if clinic not in clinics_with("service"):
        raise _unserved(clinic)


def _unserved(clinic: str) -> UnknownName:
    return UnknownName("clinic that serves live sessions", clinic, clinics_with("service"))


def service_name(clinic: str) -> str:
    """The name of the run that holds a clinic's live sessions. A restart with another cast finds the same run."""
    return f"{clinic}-service"


async def service_run(store: Store, plan: RunPlan) -> str:
    """The id of the store's service run. A run that an older version made for a certain cast is reused."""
    config, clinic = plan.config, plan.clinic.name
    name = service_name(clinic)
    known = [row.id for row in await store.runs.all() if row.id == name or row.id.startswith(f"{name}-")]
    if known:
        return name if name in known else known[0]
    return await store.runs.create(name, clinic, config.to_keep(), plan.players, (), ())
