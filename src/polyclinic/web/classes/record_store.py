"""Sends statements to a learning record store that the educator names. Its answers are not shown."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import httpx

from polyclinic.errors import UserError
from polyclinic.web.classes.xapi import VERSION, Statement

AT_ONCE, LONGEST_S = 100, 20.0


async def send_statements(url: str, user: str, password: str, statements: Sequence[Statement]) -> int:
    """Send all statements, a hundred at a time; returns how many. Sending them again changes nothing."""
    address = _address(url)
    headers = {"X-Experience-API-Version": VERSION}
    auth = httpx.BasicAuth(user, password) if user or password else None
    async with httpx.AsyncClient(timeout=LONGEST_S, follow_redirects=False, headers=headers, auth=auth) as client:
        for begin in range(0, len(statements), AT_ONCE):
            try:
                answer = await client.post(address, json=list(statements[begin : begin + AT_ONCE]))
            except httpx.HTTPError as error:
                raise UserError(
                    f"the record store does not answer: {type(error).__name__}; check its address"
                ) from None
            if answer.status_code in (401, 403):
                raise UserError("the record store refuses this name and password")
            if not answer.is_success:
                raise UserError(f"the record store answers with {answer.status_code}: check its address")
    return len(statements)


def _address(url: str) -> str:
    """The address for statements; the endpoint may be given with or without its last part."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise UserError("the record store's address begins with http:// or https:// and holds no name or password")
    whole = url.strip().rstrip("/")
    return whole if whole.endswith("/statements") else f"{whole}/statements"
