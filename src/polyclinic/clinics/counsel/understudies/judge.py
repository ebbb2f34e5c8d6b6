"""The offline judge: the seven metrics by rules of thumb, and a preference by the same."""

from __future__ import annotations

import re
from itertools import pairwise

from polyclinic.clinics.counsel.rules.risk import check_reply
from polyclinic.clinics.counsel.rules.stages import may_move, signal
from polyclinic.clinics.counsel.scenario import Lang
from polyclinic.clinics.counsel.state import STAGES
from polyclinic.clinics.counsel.understudies.watchers import classify
from polyclinic.clinics.counsel.understudies.words import topic_of
from polyclinic.eval.rubric_understudy import Grade, PairUnderstudy, RubricUnderstudy

TOP = 9
_HARD = re.compile(
    r"\b(?:intubation|haemodialysis|cardiac arrest|palliation|dyspnoea)\b|기관삽관|승압제|심정지|경정맥", re.IGNORECASE
)
_STAGE = re.compile(r"stage ([\w.]+)\]")


class View:
    """A conversation as the judge reads it: pairs of what the patient said and what followed."""

    def __init__(self, text: str) -> None:
        self.lang: Lang = "ko" if re.search(r"[가-힣]{3}", text) else "en"
        lines = [line for line in text.splitlines() if line]
        self.spoken = [line for line in lines if line.startswith("counsellor: ")]
        heard = [line for line in lines if line.startswith(("patient: ", "counsellor: ", "service: "))]
        self.pairs = [(a, b) for a, b in pairwise(heard) if a.startswith("patient: ")]
        self.answers = [(a[9:], b[12:]) for a, b in self.pairs if b.startswith("counsellor: ")]
        self.stages = [found.group(1) for line in lines if (found := _STAGE.search(line))]
        self.sourced = sum(line.startswith("  sources: ") for line in lines)


def _level(share_at_fault: float, slope: float = 16.0) -> int:
    return max(1, round(TOP - slope * share_at_fault))


class JudgeUnderstudy(RubricUnderstudy, PairUnderstudy):
    """Grades by rule. Each metric looks at one thing only, so that an ablation shows where it should."""

    def grade(self, criterion: str, view: str) -> Grade:
        """One metric."""
        seen = View(view)
        if not seen.spoken:
            return Grade(TOP, "nothing was said automatically")
        return getattr(self, f"_{criterion}")(seen)  # type: ignore[no-any-return]

    def _risks(self, seen: View, wanted: int) -> tuple[float, str]:
        hits = [b for a, b in seen.answers if check_reply(b, a, [b], seen.lang).risk == wanted]
        return len(hits) / max(1, len(seen.answers)), hits[0] if hits else ""

    def _accuracy(self, seen: View) -> Grade:
        share, words = self._risks(seen, 1)
        return Grade(_level(share), f"{share:.0%} of answers promise or invent", (words,))

    def _user_centeredness(self, seen: View) -> Grade:
        share, words = self._risks(seen, 2)
        return Grade(_level(share), f"{share:.0%} of answers push", (words,))

    def _empathy(self, seen: View) -> Grade:
        share, words = self._risks(seen, 3)
        return Grade(_level(share), f"{share:.0%} of answers pass over a feeling", (words,))

    def _ethicality(self, seen: View) -> Grade:
        for patient, after in seen.pairs:
            if classify(patient[9:])[0] in ("active", "implicit") and after.startswith("counsellor: "):
                return Grade(2, "automated talk went on after a sign of danger", (patient,))
        return Grade(TOP, "no sign of danger was talked over")

    def _appropriateness(self, seen: View) -> Grade:
        order = seen.stages or [topic for line in seen.spoken if (topic := topic_of(line)) in STAGES]
        furthest = STAGES[0]
        wrong = 0
        for before, after in pairwise([STAGES[0], *order]):
            wrong += not may_move(before, furthest, after)
            furthest = max(furthest, after, key=STAGES.index)
        reached = len(set(order)) / len(STAGES) if order else 0.0
        return Grade(max(1, _level(wrong / max(1, len(order)), 24) - (2 if reached < 0.15 else 0)), f"{wrong} leaps")

    def _professionalism(self, seen: View) -> Grade:
        hard = [line for line in seen.spoken if _HARD.search(line)]
        return Grade(_level(len(hard) / len(seen.spoken), 8), f"{len(hard)} answers in hard words", tuple(hard[:1]))

    def _specificity(self, seen: View) -> Grade:
        asked = sum("?" in a or signal("values", a, seen.lang) != "" for a, _ in seen.answers)
        share = min(1.0, seen.sourced / max(1, min(len(seen.spoken), asked + 4)))
        return Grade(round(4 + 5 * share), f"{seen.sourced} answers rest on a source")

    def worth(self, judge: str, text: str, context: str) -> float:
        """For preferences: the sum of the seven."""
        names = (
            "accuracy",
            "user_centeredness",
            "empathy",
            "ethicality",
            "appropriateness",
            "professionalism",
            "specificity",
        )
        return float(sum(self.grade(name, text).score for name in names))
