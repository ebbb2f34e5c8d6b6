"""FHIR R5: builders, an embedded store, an HTTP server over it, and a client for external servers.

The inner half (`resources`, `scheduling`, `index`, `query`, `sql`, `storage`, `transactions`, `staged`, `store`)
works on plain dicts and a `Transaction`; the HTTP half is `server` and `client`. Importing the inner half imports
neither Starlette nor fhir.resources.
"""
