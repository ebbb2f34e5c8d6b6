"""How one attempt at a call fails: whether a retry may help, and when."""

from __future__ import annotations

import re
from typing import Literal

from polyclinic.core.model import Usage
from polyclinic.errors import ModelError

Trouble = Literal["throttled", "server", "connection", "deadline", "truncated", "adapted", "refused"]

_SECRETS = re.compile(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_][\w-]{8,}|Bearer\s+\S+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


class CallFailed(ModelError):
    """A call failed, and there are no more retries. `usage` is the cost of its failed attempts."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class AttemptFailed(CallFailed):
    """One attempt failed. All failures except `refused` may be retried.

    `adapted` is not the model's fault: the endpoint needs another form of the request, and is asked again in it at
    once.
    """

    def __init__(
        self,
        message: str,
        trouble: Trouble,
        retry_after_s: float | None = None,
        status: int = 0,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message, usage)
        self.trouble, self.retry_after_s, self.status = trouble, retry_after_s, status

    @property
    def retriable(self) -> bool:
        """Whether a retry of the same request may succeed."""
        return self.trouble != "refused"


def trouble_of(status: int, words: str, retry_after_s: float | None) -> Trouble:
    """What an HTTP status means, with the endpoint's words and the wait that it asks for."""
    if status == 429 and "insufficient_quota" not in words:
        return "throttled"
    if status >= 500 or status in (408, 409, 425):
        return "throttled" if status in (503, 529) and retry_after_s else "server"
    return "refused"


def redact(text: str, *secrets: str) -> str:
    """The text without keys: the ones we know, and anything that looks like one. Control characters become spaces: an
    endpoint's words are shown in a terminal, and must not steer it.
    """
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "***")
    return _CONTROLS.sub(" ", _SECRETS.sub("***", text))
