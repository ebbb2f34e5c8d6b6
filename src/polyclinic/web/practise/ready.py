"""Loads clinics in a thread, so that the first session of a clinic does not make everybody else wait.

What a clinic's first session would load (its code, its cases, the reader's weights, word vectors) takes seconds. If it
were loaded in the event loop, every other session would stop for that long.
"""

from __future__ import annotations

import asyncio
import gc
import logging

from polyclinic.core.clinic import Clinic
from polyclinic.core.execute import run_episode
from polyclinic.core.journal import MemoryJournal
from polyclinic.core.judge import Case
from polyclinic.runner.build.built_run import build, reader_of, run_embedder
from polyclinic.runner.execute.running_campaign import lone_campaign, open_campaign
from polyclinic.runner.plan.config import make_config
from polyclinic.runner.plan.run_plan import parse_plan
from polyclinic.runner.registry import load_clinic
from polyclinic.runner.results import own_feedback
from polyclinic.store.store import open_store

_LOG = logging.getLogger(__name__)
WORDS = "Good morning."


class ReadyClinics:
    """The clinics that are loaded, or are being loaded.

    `rehearses`: understudies also play one case. This takes a few seconds of CPU for each clinic. It is for servers
    with many users: a single user would only wait longer. A desk always rehearses: at least two people use it, and
    staff must not wait while the visitor's first words load something.
    """

    def __init__(self, *, rehearses: bool = False) -> None:
        self.rehearses = rehearses
        self._loading: dict[tuple[str, bool], asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    def prepare(self, clinic: str, *, rehearses: bool = False) -> asyncio.Task[None]:
        """Start loading a clinic in the background, unless this was done already; after a failure, try again."""
        key = (clinic, rehearses or self.rehearses)
        known = self._loading.get(key)
        if known is None or (known.done() and (known.cancelled() or known.exception() is not None)):
            known = self._loading[key] = asyncio.create_task(self._load(*key))
        return known

    async def wait(self, clinic: str, *, rehearses: bool = False) -> None:
        """Wait until a clinic is loaded."""
        await asyncio.shield(self.prepare(clinic, rehearses=rehearses))

    async def _load(self, clinic: str, rehearses: bool) -> None:
        """Load clinics one after the other: they share much of what is loaded, and two at once would load it twice."""
        async with self._turn:
            await asyncio.to_thread(_load, clinic, rehearses)


def _load(name: str, rehearses: bool) -> None:
    """Load a clinic and freeze its objects: otherwise each garbage collection would take 0.2 s longer."""
    clinic = load_clinic(name)
    run_embedder("").embed([WORDS])
    reader = reader_of(clinic)("")
    for kind in clinic.readings[:1]:
        reader.probability(WORDS, kind.ask(**dict.fromkeys(kind.fact_names, WORDS)))
    played = [role.name for role in clinic.roles if role.offered] if rehearses else []
    for selection in dict.fromkeys(clinic.to_play(role, "en") for role in played):
        try:
            asyncio.run(_rehearse(clinic, selection))
        except Exception:  # the session itself will show the error
            _LOG.warning("the rehearsal of %s failed", name, exc_info=True)
    gc.freeze()


async def _rehearse(clinic: Clinic, selection: str) -> None:
    """Understudies play one case, from the first line to the feedback.

    This loads everything that is loaded at first use. Nothing of the case is stored.
    """
    settings = {"clinic": clinic.name, "variants": (clinic.first_variant,), "scenarios": selection}
    plan = parse_plan(make_config(settings)).with_episodes()
    if not plan.episodes:
        return
    spec, cases = plan.episodes[0][1], {scenario.id: scenario for scenario in plan.scenarios}
    async with open_store("sqlite://:memory:") as store, build(plan, MemoryJournal(), store) as built:
        sharing = [cases[one.scenario] for _, one in plan.episodes if one.campaign == spec.campaign]
        context = built.context
        campaign = open_campaign(context, spec, sharing, {}) if spec.campaign else lone_campaign(context, {})
        result = await run_episode(context, spec, cases[spec.scenario], campaign)
    if result.status == "done":
        variant = clinic.variant(spec.variant)
        case = Case(cases[spec.scenario], variant, result.transcript, spec.trial)
        own_feedback(clinic, next(role.name for role in clinic.roles if role.for_people), case, "en")
