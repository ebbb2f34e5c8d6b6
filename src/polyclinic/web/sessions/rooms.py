"""Which clinics can be served, and where the store keeps their sessions."""

from __future__ import annotations

from polyclinic.core.clinic import Clinic
from polyclinic.core.live import LiveService
from polyclinic.errors import UnknownName
from polyclinic.runner.plan.run_plan import RunPlan
from polyclinic.runner.registry import clinics_with
from polyclinic.store.store import Store


def service_room(clinic: Clinic) -> LiveService:
    """What the clinic says about its live sessions; an error with the clinics that have any, when it has none."""
    if clinic.service is None:
        raise _unserved(clinic.name)
    return clinic.service


def refuse_unserved(clinic: str) -> None:
    """The same error for a clinic that has no live sessions, before anything of it is loaded."""
    if clinic not in clinics_with("service"):
        raise _unserved(clinic)


def _unserved(clinic: str) -> UnknownName:
    return UnknownName("clinic that serves live sessions", clinic, clinics_with("service"))


def service_name(clinic: str) -> str:
    """The run that holds a clinic's live sessions. It belongs to the service: a restart with another cast finds it."""
    return f"{clinic}-service"


async def service_run(store: Store, plan: RunPlan) -> str:
    """The store's service run; one that an older version kept for a cast is taken on."""
    config, clinic = plan.config, plan.clinic.name
    name = service_name(clinic)
    known = [row.id for row in await store.runs.all() if row.id == name or row.id.startswith(f"{name}-")]
    if known:
        return name if name in known else known[0]
    return await store.runs.create(name, clinic, config.to_keep(), plan.players, (), ())
