"""What a fault may have lost: a message that the journal did not get, and the numbers of the safe words.

Both are kept with the case about the fault. When the session's flow runs again, in this process or after a restart, it
gets the message, because the guard must read it before the talk goes on; and every line has the number that it had.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from polyclinic.core.journal import Journal
from polyclinic.core.live import Heard
from polyclinic.core.message import Frozen

LOST = "lost_by_fault"
"""The name in the body of a case."""


class Lost(Frozen):
    """What a fault may have lost for the session's flow, to be made good when the flow runs again.

    `reply` is what the visitor did, which they had done `times` times before. `heard` is the number of the safe words.
    """

    reply: str = ""
    times: int = 0
    heard: int = 0

    @classmethod
    def from_case(cls, body: Mapping[str, Any]) -> Lost:
        """Read it from a case in the queue. Cases of another kind have lost nothing."""
        return cls.model_validate(body.get(LOST, {}))


def at_risk(heard: Iterable[Heard], visitor: str, words: str, reply: str) -> Lost:
    """What a fault may lose of an action of the visitor, who has been heard with these lines."""
    return Lost(reply=reply, times=sum((line.speaker, line.text) == (visitor, words) for line in heard))


async def safe_numbers(journal: Journal, session: str) -> set[int]:
    """The numbers of the safe words in a session. No flow said them, so they are not in its journal."""
    return {Lost.from_case(body).heard for body in (await journal.posted(session)).values()} - {0}


async def unread(journal: Journal, session: str, unstored: Mapping[str, Lost]) -> list[str]:
    """What the visitor did while something failed, and the journal did not get, in order.

    `unstored` are cases of the session that are not in the store yet, by their keys.
    """
    cases = {key: Lost.from_case(body) for (_, key), body in (await journal.posted(session)).items()} | dict(unstored)
    kept = Counter(completion.text for completion in (await journal.load(session)).values())
    told = [lost for _, lost in sorted(cases.items()) if lost.reply and kept[lost.reply] <= lost.times]
    return list(dict.fromkeys(lost.reply for lost in told))
