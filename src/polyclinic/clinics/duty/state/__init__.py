"""What changes: prompt books, style, memory, and the ward that keeps them from episode to episode."""

from __future__ import annotations

from polyclinic.clinics.duty.state.ward import open_campaign

__all__ = ["open_campaign"]
