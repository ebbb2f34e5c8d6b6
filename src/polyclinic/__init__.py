"""Polyclinic: teams of AI agents at work in simulated healthcare.

A research and training tool, never a medical device. In a notebook::

    import polyclinic

    results = polyclinic.run("demo", variants=["plain", "tool"], scenarios="20")
    polyclinic.summarise(results).to_plain()

Names are imported when they are first used, so that ``import polyclinic`` is quick.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

# Our matrices are small: more than one thread of linear algebra costs CPU time and gains nothing. Must be set before
# NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__version__ = "0.1.0"

_HOME = {
    "Clinic": "polyclinic.core.clinic",
    "Entry": "polyclinic.core.library",
    "Library": "polyclinic.core.library",
    "PolyclinicError": "polyclinic.errors",
    "Prompt": "polyclinic.core.prompt",
    "RunConfig": "polyclinic.runner.plan.config",
    "RunResults": "polyclinic.eval.results",
    "Scenario": "polyclinic.core.scenario",
    "Transcript": "polyclinic.core.transcript",
    "Understudy": "polyclinic.core.understudy",
    "UserError": "polyclinic.errors",
    "Variant": "polyclinic.core.scenario",
    "clinics": "polyclinic.runner.notebook",
    "compare": "polyclinic.eval.compare",
    "load_clinic": "polyclinic.runner.registry",
    "load_results": "polyclinic.runner.notebook",
    "open_store": "polyclinic.store.store",
    "render_html": "polyclinic.runner.notebook",
    "run": "polyclinic.runner.notebook",
    "summarise": "polyclinic.eval.summary",
}
__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'polyclinic' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
