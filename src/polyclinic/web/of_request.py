"""What every route can get: the open store, the address of a request, and what the application keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request

from polyclinic.store.store import Store


def store_of(request: Request) -> Store:
    """The open store."""
    found: Store = request.app.state.store
    return found


def place_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""


def kept(name: str) -> Callable[[Request], Any]:
    """A dependency: what the application keeps under this name."""

    def found(request: Request) -> Any:
        return getattr(request.app.state, name)

    return found
