"""SMART on FHIR: scopes, access tokens, and a small authorisation server for trials.

`scopes` reads and compares scopes. `tokens` verifies access tokens of an issuer, the built-in one or another by its
JWKS. `issuer` gives tokens to clients that `clients` knows; its pages and endpoints are in `endpoints`. JOSE is
joserfc's (extra `smart`).
"""
