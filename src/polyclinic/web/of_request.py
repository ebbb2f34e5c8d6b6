"""What every route can get from a request: the open store, and the address that it comes from."""

from __future__ import annotations

from fastapi import Request

from polyclinic.store.store import Store


def store_of(request: Request) -> Store:
    """The open store."""
    found: Store = request.app.state.store
    return found


def place_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""
