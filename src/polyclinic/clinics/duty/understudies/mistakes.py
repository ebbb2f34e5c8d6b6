"""The named mistakes of the understudies, and the rule or score that must show each.

Only mistakes that an exact rule or a judge's scores are certain to show are declared here. Whether the other habits of
offline staff (`data/habits.yaml`) are noticed depends on the reader that is cast, and on how often it is right about
norms.
"""

from __future__ import annotations

from polyclinic.core.clinic import Mistake

_CHEST = "one:t2-01-chest-pain~calm"
_STATIN = "one:t1-08-statin~calm"
MISTAKES = (
    Mistake("plays_down", "doctor", "lowers the urgency at every occasion", "snr", scenarios=_CHEST),
    Mistake("plays_down", "doctor", "decides a level that is not safe", "tsr", scenarios=_CHEST),
    Mistake("silent", "patient", "says nothing at all", owner="simulated_user", scenarios=_STATIN),
    Mistake("harsh", "judge", "gives the lowest mark for working together", "cbs", scenarios=_STATIN),
    Mistake("harsh", "judge", "gives the lowest mark for keeping to one's part", "rar", scenarios=_STATIN),
    Mistake("estranged", "judge", "takes everybody for another person", "ics_llm", scenarios=_STATIN),
)
