"""Passwords of staff as argon2id.

Only a few are checked at the same time, because each takes time and memory on purpose.
"""

from __future__ import annotations

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 2


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    """A dummy hash, so that checking an unknown name takes as long as checking a known one."""
    return _hasher().hash("nobody has this password, and it opens nothing")


async def hash_password(password: str) -> str:
    """The argon2id hash of a password."""
    return await asyncio.to_thread(_hasher().hash, password)


class Passwords:
    """Checks passwords, a few at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def fit(self, password: str, hashed: str | None) -> bool:
        """Whether a password fits a hash. None as hash: no account has that name."""
        async with self._turn:
            try:
                fits = await asyncio.to_thread(_hasher().verify, hashed or _nobody(), password)
            except (VerificationError, InvalidHashError):
                return False
        return fits and hashed is not None
