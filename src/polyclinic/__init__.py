"""Polyclinic: teams of AI agents at work in simulated healthcare. A research and training tool, never a medical device."""

from __future__ import annotations

__version__ = "0.1.0"

