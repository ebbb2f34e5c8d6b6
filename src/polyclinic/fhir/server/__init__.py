"""FHIR over HTTP: `fhir_app(store)` is an ASGI application. It can run alone or be mounted under a path."""

from polyclinic.fhir.server.app import fhir_app

__all__ = ["fhir_app"]
