"""Why episodes failed, for the person who waits at the terminal: each reason once, the most frequent first."""

from __future__ import annotations

from collections import Counter

from polyclinic.core.transcript import Ended, Failed, Transcript
from polyclinic.store.store import Store

EPISODES_READ = 200
REASONS_TOLD = 3
LONGEST = 400


async def why_failed(store: Store, run: str, *, judging: bool = False) -> list[str]:
    """Why episodes failed, one line for each reason.

    With `judging`: why judgements failed in episodes that ended.
    """
    rows = await store.runs.episodes(run)
    wanted = [row.spec.id for row in rows if row.status == ("done" if judging else "failed")]
    found: Counter[tuple[str, str]] = Counter()
    for episode in wanted[:EPISODES_READ]:
        transcript = await store.runs.transcript(run, episode)
        failures = judging_failures(transcript) if judging else [each for each in transcript.of(Failed) if each.fatal]
        found.update((failure.owner, failure.error) for failure in failures)
    lines = [_line(owner, error, count) for (owner, error), count in found.most_common(REASONS_TOLD)]
    more = len(found) - len(lines)
    return [*lines, f"and {more} other reason{'s'[: more > 1]}: polyclinic report {run}"] if more > 0 else lines


def judging_failures(transcript: Transcript) -> list[Failed]:
    """The failures after the episode had ended. A judge whose model is down gives no score, so it counts too."""
    events = list(transcript)
    ended = next((at for at, event in enumerate(events) if isinstance(event, Ended)), len(events))
    return [event for event in events[ended:] if isinstance(event, Failed)]


def _line(owner: str, error: str, count: int) -> str:
    words = " ".join(error.split())
    cut = words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
    return f"{owner}{f' ({count} times)' if count > 1 else ''}: {cut}"
