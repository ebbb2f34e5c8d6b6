"""The nurse's tool: it looks into the leaflet."""

from __future__ import annotations

from typing import Any

from polyclinic.clinics.demo.scenario import Leaflet
from polyclinic.core.message import Frozen
from polyclinic.core.tool import Tool


class Lookup(Frozen):
    """Which leaflet to open."""

    medicine: str


def leaflet_tool(leaflet: Leaflet) -> Tool[Lookup]:
    """The leaflet of this call's medicine, and of no other."""

    def look_up(wanted: Lookup) -> dict[str, Any]:
        """What the leaflet of a medicine says about its dose."""
        if wanted.medicine.lower() != leaflet.medicine.lower():
            return {"found": False, "medicine": wanted.medicine}
        return {
            "found": True,
            "tablets": leaflet.tablets,
            "times_a_day": leaflet.times_a_day,
            "most_a_day": leaflet.most_a_day,
        }

    return Tool(look_up, access="read", name="leaflet")
