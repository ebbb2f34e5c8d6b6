"""What changes while a hospital runs: diaries, appointments, waiting lists. Only committed effects change it."""

from polyclinic.clinics.frontdesk.state.hospital import open_campaign

__all__ = ["open_campaign"]
