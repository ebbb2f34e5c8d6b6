"""FHIR R5: builders of resources, an embedded store, an HTTP server for it, and a client for external servers.

The inner half (`resources`, `scheduling`, `index`, `query`, `sql`, `storage`, `transactions`, `staged`, `store`) works
on plain dicts and a `Transaction`; the HTTP half is `server` and `client`. Importing the inner half imports neither
Starlette nor fhir.resources.
"""
