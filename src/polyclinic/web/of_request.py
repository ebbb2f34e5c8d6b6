"""What every route may ask of a request: the open store, and where it comes from."""

from __future__ import annotations

from fastapi import Request

from polyclinic.store.store import Store


def store_of(request: Request) -> Store:
    """The open store."""
    found: Store = request.app.state.store
    return found


def place_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""
