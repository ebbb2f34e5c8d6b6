"""Offline players for rubric judges: a clinic writes one function from (criterion, view) to a grade.

::

    class ExaminerUnderstudy(RubricUnderstudy):
        def grade(self, criterion: str, view: str) -> Grade:
            hello = quote_of(view, r"nurse: .*(welcome|good to see you)")
            return Grade(5, "greets warmly", (hello,)) if hello else Grade(2, "no greeting found")

The base answers the whole rubric prompt, and brings the mistakes that every rubric judge must be tested against:
``lenient`` (always the top of the scale), ``harsh`` (always the bottom), ``misquote`` (quotes words nobody said) and
``off_scale`` (a number outside the scale). The last two must end as a judge's failure, never as a score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.eval.criteria import Criterion, Flag
from polyclinic.eval.prompts import CriterionJudged, FlagJudged, JudgesPair, JudgesRubric, Preferred, RubricJudged

NOBODY_SAID = "these words stand in no transcript (a deliberate misquotation)"


@dataclass(frozen=True)
class Grade:
    """A score by rule: the level, why, and the words it rests on. For flags, `score` 1 raises and 0 does not."""

    score: int
    reason: str
    quotes: tuple[str, ...] = ()


def quote_of(view: str, pattern: str) -> str:
    """The first line of the view that matches, whole and exact, fit to be quoted; empty when none does."""
    found = re.search(rf"^.*?(?:{pattern}).*$", view, re.IGNORECASE | re.MULTILINE)
    return found.group(0).strip() if found else ""


class RubricUnderstudy(Understudy):
    """Base of rubric judges' understudies: override `grade`, and `flag` where rubrics have flags."""

    def grade(self, criterion: str, view: str) -> Grade:
        """The grade of one criterion (by its id) for this view. Scores off the scale go to its nearest end."""
        raise TypeError(f"{type(self).__name__} does not say how it grades '{criterion}': override grade()")

    def flag(self, flag: str, view: str) -> Grade:
        """Whether a critical question (by its id) is raised; by default it is not."""
        return Grade(0, "nothing in the transcript raises it")

    @answers(JudgesRubric)
    def judges_rubric(self, ask: Ask[JudgesRubric]) -> RubricJudged:
        """Every criterion and flag of the prompt, graded by rule."""
        return RubricJudged(
            criteria=tuple(self._criterion(ask, criterion) for criterion in ask.prompt.criteria),
            flags=tuple(self._flag(ask, flag) for flag in ask.prompt.flags),
        )

    def _criterion(self, ask: Ask[JudgesRubric], criterion: Criterion) -> CriterionJudged:
        grade = self.grade(criterion.id, ask.prompt.view)
        score = min(max(grade.score, criterion.low), criterion.high)
        if ask.mistake("lenient"):
            score = criterion.high
        if ask.mistake("harsh"):
            score = criterion.low
        if ask.mistake("off_scale"):
            score = criterion.high + 1
        quotes = (NOBODY_SAID,) if ask.mistake("misquote") else tuple(quote for quote in grade.quotes if quote)
        return CriterionJudged(criterion=criterion.id, reason=grade.reason, quotes=quotes, score=score)

    def _flag(self, ask: Ask[JudgesRubric], flag: Flag) -> FlagJudged:
        grade = self.flag(flag.id, ask.prompt.view)
        quotes = tuple(quote for quote in grade.quotes if quote)
        return FlagJudged(flag=flag.id, reason=grade.reason, quotes=quotes, raised=grade.score > 0)


class PairUnderstudy(Understudy):
    """Base of preference judges' understudies: override `worth`. Mistake ``first_bias``: always prefers the first."""

    def worth(self, judge: str, text: str, context: str) -> float:
        """How good this text is, as any number; the higher one is preferred, equal ones are a draw."""
        raise TypeError(f"{type(self).__name__} does not say what a text is worth to '{judge}': override worth()")

    @answers(JudgesPair)
    def judges_pair(self, ask: Ask[JudgesPair]) -> Preferred:
        """The better of the two, by rule."""
        prompt = ask.prompt
        if ask.mistake("first_bias"):
            return Preferred(reason="it stands first (a deliberate bias)", better="first")
        first = self.worth(prompt.judge, prompt.first, prompt.context)
        second = self.worth(prompt.judge, prompt.second, prompt.context)
        if first == second:
            return Preferred(reason=f"both are worth {first:g}", better="neither")
        return Preferred(
            reason=f"worth {first:g} against {second:g} by rule", better="first" if first > second else "second"
        )
