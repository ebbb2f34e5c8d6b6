"""Why episodes failed: each reason once, the most frequent first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from polyclinic.core.transcript import Ended, Failed, Transcript
from polyclinic.store.store import Store
from polyclinic.text.layout import number_of

EPISODES_READ = 200
REASONS_TOLD = 3
LONGEST = 400
BEGINNING = 80
ABOVE = " (in full above)"


async def why_failed(store: Store, run: str, *, judging: bool = False) -> list[str]:
    """Why episodes failed, one line for each reason.

    With `judging`: why judgements failed in episodes that ended, and of which judges.
    """
    rows = await store.runs.episodes(run)
    wanted = [row.spec.id for row in rows if row.status == ("done" if judging else "failed")]
    found: Counter[tuple[str, str]] = Counter()
    judges: dict[tuple[str, str], set[str]] = {}
    for episode in wanted[:EPISODES_READ]:
        transcript = await store.runs.transcript(run, episode)
        failures = judging_failures(transcript) if judging else [each for each in transcript.of(Failed) if each.fatal]
        for failure in failures:
            judge, colon, error = failure.error.partition(": ") if judging else ("", "", "")
            reason = (failure.owner, error if colon and judge.isidentifier() else failure.error)
            found[reason] += 1
            judges.setdefault(reason, set()).update({judge} if colon and judge.isidentifier() else ())
    lines = [_line(*reason, count, sorted(judges[reason])) for reason, count in found.most_common(REASONS_TOLD)]
    more = len(found) - len(lines)
    return [*lines, f"and {number_of(more, 'other reason')}: polyclinic report {run}"] if more > 0 else lines


def judging_failures(transcript: Transcript) -> list[Failed]:
    """The failures after the episode had ended. A judge whose model is down gives no score, so it counts too."""
    events = list(transcript)
    ended = next((at for at, event in enumerate(events) if isinstance(event, Ended)), len(events))
    return [event for event in events[ended:] if isinstance(event, Failed)]


def _line(owner: str, error: str, count: int, judges: Sequence[str]) -> str:
    times = f" ({count} times)" if count > 1 else ""
    return f"{owner}{times}: {', '.join(judges)}{': ' if judges else ''}{shortened(error)}"


def shortened(error: str) -> str:
    """An error as one line that is not endless."""
    words = " ".join(error.split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def in_brief(line: str, told: Sequence[str]) -> str:
    """The line with only the beginning of each reason that stands in full above it."""
    for reason in told:
        line = line.replace(reason, beginning(reason))
    return line


def beginning(reason: str) -> str:
    """How a reason begins, and that the rest stands above. One that is short stays as it is."""
    first = re.split(r" \(|; ", reason)[0][:BEGINNING]
    return reason if len(reason) <= len(first) + len(ABOVE) else f"{first}{ABOVE}"
