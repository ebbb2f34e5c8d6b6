"""The clients that the built-in authorisation server knows, from a JSON file.

    [{"client_id": "board", "jwks": {"keys": [...]}, "scopes": ["system/Appointment.rs"]},
     {"client_id": "app", "redirect_uris": ["https://app.example/back"], "scopes": ["patient/*.rs", "launch/patient"]}]

A client with `jwks` or `jwks_uri` proves its identity by signing. A client without them is public and must use PKCE.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from polyclinic.core.files import bad_file, checked, parse_json, read_text
from polyclinic.core.message import Frozen
from polyclinic.fhir.smart.scopes import OTHERS, parse_scope


class Client(Frozen):
    """One client: how it proves its identity, its redirect addresses, and the scopes that it may ask for."""

    client_id: str = Field(min_length=1)
    scopes: tuple[str, ...]
    redirect_uris: tuple[str, ...] = ()
    jwks: dict[str, Any] | None = None
    jwks_uri: str | None = None
    name: str = ""

    @property
    def confidential(self) -> bool:
        """Whether the client signs its requests."""
        return self.jwks is not None or self.jwks_uri is not None


def read_clients(path: Path) -> dict[str, Client]:
    """The clients of a file by id. Raises DataError, which names the file and the client."""
    found = parse_json(read_text(path, about="file of clients"), path)
    if not isinstance(found, list):
        raise bad_file(path, "it must hold a list of clients", fix="begin it with [ and end it with ]")
    listed = [checked(Client, value, path, field=f"client {number}") for number, value in enumerate(found, 1)]
    for client in listed:
        for scope in client.scopes:
            if parse_scope(scope) is None and scope not in OTHERS:
                raise bad_file(path, f"client '{client.client_id}': '{scope}' is not a scope that can be given here")
    return {client.client_id: client for client in listed}
