"""Passwords of staff as argon2id. Few are worked on at the same time, because each takes time and memory on purpose."""

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
    """A hash that opens nothing, so that an unknown name takes as long as a known one."""
    return _hasher().hash("nobody has this password, and it opens nothing")


async def hash_password(password: str) -> str:
    """A password as argon2id."""
    return await asyncio.to_thread(_hasher().hash, password)


class Passwords:
    """Checks passwords, a few at a time."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def fit(self, password: str, hashed: str | None) -> bool:
        """Whether a password is the one that was hashed; None: nobody has that name."""
        async with self._turn:
            try:
                fits = await asyncio.to_thread(_hasher().verify, hashed or _nobody(), password)
            except (VerificationError, InvalidHashError):
                return False
        return fits and hashed is not None
