"""Other people's models of R4, which judge what the server sends."""

from __future__ import annotations

import importlib

from polyclinic.core.records import Resource
from polyclinic.fhir.codec import dumps, loads


def r4_problems(resource: Resource) -> str:
    """The errors that the R4 models of fhir.resources find (R4B, whose scheduling resources are R4's)."""
    module = importlib.import_module(f"fhir.resources.R4B.{resource['resourceType'].lower()}")
    try:
        getattr(module, resource["resourceType"]).model_validate(loads(dumps(resource)))
    except ValueError as error:
        return str(error)
    return ""
