"""Transcripts: what can happen in an episode (`events`), and the list of what did (`transcript`)."""

from polyclinic.core.transcript.events import (
    EVENT,
    FAULT_OWNERS,
    Called,
    Changed,
    Ended,
    Event,
    Failed,
    Learned,
    Noted,
    Posted,
    Reviewed,
    Said,
    Score,
    Scored,
    Started,
    ToolUsed,
    Violated,
)
from polyclinic.core.transcript.transcript import Transcript

__all__ = [
    "EVENT",
    "FAULT_OWNERS",
    "Called",
    "Changed",
    "Ended",
    "Event",
    "Failed",
    "Learned",
    "Noted",
    "Posted",
    "Reviewed",
    "Said",
    "Score",
    "Scored",
    "Started",
    "ToolUsed",
    "Transcript",
    "Violated",
]
