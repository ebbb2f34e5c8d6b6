"""Offline players for judges: a clinic writes one function from (criterion, facts) to a grade.

::

    class ExaminerUnderstudy(RubricUnderstudy[Conversation]):
        def grade(self, criterion: str, facts: Conversation) -> Grade:
            hello = facts.quote("welcome|good to see you", "nurse")
            return Grade(5, "greets warmly", (hello,)) if hello else Grade(2, "no greeting found")

The class in brackets is the kind of facts that the judge's view gives. The base class answers the whole rubric prompt,
and has the mistakes with which every rubric judge must be tested: ``lenient`` (always the top of the scale), ``harsh``
(always the bottom), ``misquote`` (quotes words nobody said) and ``off_scale`` (a number outside the scale). The last
two must end as a judge's failure, never as a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, cast, get_args

from polyclinic.core.prompt import Facts
from polyclinic.core.understudy import Ask, Understudy, answers
from polyclinic.eval.criteria import Criterion, Flag
from polyclinic.eval.prompts import JudgesPair, JudgesRubric, Preferred
from polyclinic.eval.sheet import CriterionJudged, FlagJudged, RubricJudged

F = TypeVar("F", bound=Facts)
NOBODY_SAID = "these words stand in no transcript (a deliberate misquotation)"


@dataclass(frozen=True)
class Grade:
    """A score by rule: the level, the reason, and the words that support it.

    For flags, a `score` of 1 raises the flag.
    """

    score: int
    reason: str
    quotes: tuple[str, ...] = ()


class FactsUnderstudy(Understudy, Generic[F]):
    """Base of judges that work from facts. It checks that a view gives facts of the right type."""

    @classmethod
    @cache
    def facts_type(cls) -> type[F]:
        """The type between the brackets."""
        for base in cls.__mro__:
            for generic in base.__dict__.get("__orig_bases__", ()):
                for kind in get_args(generic):
                    if isinstance(kind, type) and issubclass(kind, Facts):
                        return cast("type[F]", kind)
        raise TypeError(
            f"{cls.__name__} does not say which facts it reads: write {cls.__name__}(RubricUnderstudy[...])"
        )

    def facts(self, given: Facts, judge: str) -> F:
        """The facts of a view, as the type that this judge reads."""
        wanted = self.facts_type()
        if not isinstance(given, wanted):
            raise TypeError(
                f"{type(self).__name__} judges '{judge}' from {wanted.__name__}, and the judge's view gives "
                f"{type(given).__name__}: let the view return View(text, {wanted.__name__}(...))"
            )
        return given

    def understood(self, ask: Ask[Any], facts: F) -> F:
        """Override this to add to the facts what the judge understands with `ask.understands`; unchanged by default."""
        return facts


class RubricUnderstudy(FactsUnderstudy[F]):
    """Base of rubric judges' understudies: override `grade`, and `flag` if rubrics have flags."""

    def understood(self, ask: Ask[JudgesRubric], facts: F) -> F:
        """Override this to add to the facts what the judge understands with `ask.understands`; unchanged by default."""
        return facts

    def grade(self, criterion: str, facts: F) -> Grade:
        """The grade of one criterion (by its id) for these facts.

        A score outside the scale is moved to the nearest end.
        """
        raise TypeError(f"{type(self).__name__} does not say how it grades '{criterion}': override grade()")

    def flag(self, flag: str, facts: F) -> Grade:
        """Whether a critical question (by its id) is raised; by default it is not."""
        return Grade(0, "nothing in the transcript raises it")

    @answers(JudgesRubric)
    def judges_rubric(self, ask: Ask[JudgesRubric]) -> str:
        """The whole sheet, filled in by rule."""
        return self.graded(ask).sheet()

    def graded(self, ask: Ask[JudgesRubric]) -> RubricJudged:
        """Every criterion and flag of the prompt, graded by rule."""
        facts = self.understood(ask, self.facts(ask.prompt.facts, ask.prompt.rubric))
        return RubricJudged(
            criteria=tuple(self._criterion(ask, criterion, facts) for criterion in ask.prompt.criteria),
            flags=tuple(self._flag(flag, facts) for flag in ask.prompt.flags),
        )

    def _criterion(self, ask: Ask[JudgesRubric], criterion: Criterion, facts: F) -> CriterionJudged:
        grade = self.grade(criterion.id, facts)
        score = min(max(grade.score, criterion.low), criterion.high)
        if ask.mistake("lenient"):
            score = criterion.high
        if ask.mistake("harsh"):
            score = criterion.low
        if ask.mistake("off_scale"):
            score = criterion.high + 1
        quotes = (NOBODY_SAID,) if ask.mistake("misquote") else tuple(quote for quote in grade.quotes if quote)
        return CriterionJudged(criterion=criterion.id, reason=grade.reason, quotes=quotes, score=score)

    def _flag(self, flag: Flag, facts: F) -> FlagJudged:
        grade = self.flag(flag.id, facts)
        quotes = tuple(quote for quote in grade.quotes if quote)
        return FlagJudged(flag=flag.id, reason=grade.reason, quotes=quotes, raised=grade.score > 0)


class PairUnderstudy(FactsUnderstudy[F]):
    """Base of preference judges' understudies: override `worth`. Mistake ``first_bias``: always prefers the first."""

    def worth(self, judge: str, facts: F) -> float:
        """How good one of the two is, as any number; the higher one is preferred, equal ones are a draw."""
        raise TypeError(f"{type(self).__name__} does not say how '{judge}' values a text: override worth()")

    @answers(JudgesPair)
    def judges_pair(self, ask: Ask[JudgesPair]) -> Preferred:
        """The better of the two, by rule."""
        prompt = ask.prompt
        if ask.mistake("first_bias"):
            return Preferred(reason="it stands first (a deliberate bias)", better="first")
        first = self.worth(prompt.judge, self.understood(ask, self.facts(prompt.first_facts, prompt.judge)))
        second = self.worth(prompt.judge, self.understood(ask, self.facts(prompt.second_facts, prompt.judge)))
        if first == second:
            return Preferred(reason=f"both are worth {first:g}", better="neither")
        return Preferred(
            reason=f"worth {first:g} against {second:g} by rule", better="first" if first > second else "second"
        )
