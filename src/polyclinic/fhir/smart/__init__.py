"""SMART on FHIR: scopes, access tokens, and a small authorisation server for trials.

`scopes` reads and compares scopes. `tokens` verifies access tokens of the built-in issuer, or of another one with its
JWKS. `issuer` gives tokens to clients that `clients` knows; its pages and endpoints are in `endpoints`. The JOSE
library is joserfc (extra `smart`).
"""
