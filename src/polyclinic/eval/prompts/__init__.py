"""What judges are asked: one typed prompt for rubrics, one for preferences."""

from __future__ import annotations

from polyclinic.eval.prompts.judging import JudgesPair, JudgesRubric, Preferred

__all__ = ["PROMPTS", "JudgesPair", "JudgesRubric", "Preferred"]

PROMPTS = (JudgesRubric, JudgesPair)
