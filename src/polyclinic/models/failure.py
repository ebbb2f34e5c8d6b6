"""How one attempt at a call fails: whether another may help, and when."""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.errors import ModelError

Trouble = Literal["throttled", "server", "connection", "deadline", "truncated", "empty", "refused"]

_SECRETS = re.compile(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_][\w-]{8,}|Bearer\s+\S+")


class AttemptFailed(ModelError):
    """One attempt failed. All troubles but `refused` are worth another attempt."""

    def __init__(self, message: str, trouble: Trouble, retry_after_s: float | None = None, status: int = 0) -> None:
        super().__init__(message)
        self.trouble, self.retry_after_s, self.status = trouble, retry_after_s, status

    @property
    def retriable(self) -> bool:
        """Whether the same request may fare better."""
        return self.trouble != "refused"


def redact(text: str, *secrets: str) -> str:
    """The text without keys: the ones we know, and anything that looks like one."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "***")
    return _SECRETS.sub("***", text)
