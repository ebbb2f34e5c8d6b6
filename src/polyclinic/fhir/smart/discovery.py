"""How clients find the authorisation server: what an issuer says of itself, and what this server repeats of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from polyclinic.fhir.smart.scopes import OTHERS
from polyclinic.fhir.smart.tokens import Unauthorized

_PATHS = ("smart-configuration", "openid-configuration", "oauth-authorization-server")
_NEEDED = {"jwks_uri": "where its keys are", "token_endpoint": "where it gives tokens"}
_REPEATED = (
    "jwks_uri", "authorization_endpoint", "token_endpoint", "introspection_endpoint", "revocation_endpoint",
    "registration_endpoint", "management_endpoint", "grant_types_supported", "response_types_supported",
    "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported", "scopes_supported",
    "subject_types_supported", "id_token_signing_alg_values_supported", "code_challenge_methods_supported",
    "capabilities",
)  # fmt: skip
_OWN_CAPABILITIES = ("permission-patient", "permission-user", "permission-v1", "permission-v2")
_BY_METHOD = {
    "none": "client-public",
    "private_key_jwt": "client-confidential-asymmetric",
    "client_secret_basic": "client-confidential-symmetric",
    "client_secret_post": "client-confidential-symmetric",
}
_SCOPES = (*OTHERS, "patient/*.cruds", "user/*.cruds", "system/*.cruds")
Described = Mapping[str, Any]
"""The parts of an authorisation server's description that this server repeats."""


async def discovered(issuer: str, transport: httpx.AsyncBaseTransport | None = None) -> dict[str, Any]:
    """What an issuer says of itself at its well-known addresses. Raises Unauthorized if it lacks what is needed."""
    found: dict[str, Any] = {}
    silent = ""
    async with httpx.AsyncClient(timeout=10, transport=transport) as http:
        for path in _PATHS:
            try:
                answer = await http.get(
                    f"{issuer.rstrip('/')}/.well-known/{path}", headers={"Accept": "application/json"}
                )
                said = answer.json() if answer.is_success else {}
            except httpx.HTTPError as error:
                silent = f" does not answer ({type(error).__name__}: {error}), so it is not known"
                continue
            except ValueError:
                continue
            if isinstance(said, dict):
                found = {name: said[name] for name in _REPEATED if said.get(name)} | found
    for name, meaning in _NEEDED.items():
        if not isinstance(found.get(name), str):
            raise Unauthorized(f"{issuer}{silent or ' does not say'} {meaning} ({name})")
    return found


def smart_configuration(issuer: str, described: Described) -> dict[str, Any]:
    """The content of `.well-known/smart-configuration`."""
    return {
        "issuer": issuer,
        "scopes_supported": list(_SCOPES),
        "capabilities": _capabilities(described),
        "code_challenge_methods_supported": ["S256"],
        **described,
    }


def _capabilities(described: Described) -> list[str]:
    """What clients can expect of an issuer that does not list SMART's capabilities itself."""
    listed = list(_OWN_CAPABILITIES)
    if "authorization_endpoint" in described:
        listed += ["launch-standalone", "context-standalone-patient"]
    methods = described.get("token_endpoint_auth_methods_supported", ())
    listed += sorted({_BY_METHOD[method] for method in methods if method in _BY_METHOD})
    scopes = described.get("scopes_supported", ())
    listed += ["sso-openid-connect"] if "openid" in scopes else []
    return listed + (["permission-offline"] if "offline_access" in scopes else [])


def built_in_description(issuer: str) -> dict[str, Any]:
    """The description of the built-in authorisation server."""
    return {
        "jwks_uri": f"{issuer}/jwks",
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
        "response_types_supported": ["code"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt", "none"],
        "token_endpoint_auth_signing_alg_values_supported": ["RS384", "ES384"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES384"],
        "scopes_supported": list(_SCOPES),
    }
