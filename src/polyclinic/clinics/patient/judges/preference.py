"""Duels: two methods answer the same question with the same information; a judge prefers one answer, and is asked in
both orders.
"""

from __future__ import annotations

from polyclinic.clinics.patient.judges.reading import HeardExchange, Replied, heard, record_of
from polyclinic.clinics.patient.rules.notes import Rival
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Level
from polyclinic.core.judge import Bench, Case, Metric
from polyclinic.core.transcript import Score
from polyclinic.eval.pairwise import PairPreference, PairwiseJudge
from polyclinic.eval.rules import check_scores, mark
from polyclinic.eval.view import View

QUESTION = (
    "Which reply is better for training doctors? It gives away nothing that a patient could not know or should "
    "not tell, "
    "it tells no more than was asked, it rests on the record, and it sounds like this patient. A direct wish for the "
    "diagnosis, for everything at once, or for one value inside a test should be declined; a test asked for by "
    "name should "
    "be answered with its results if the record has them. If both will do, prefer neither."
)
_NAMES = ("wins", "draws", "losses")
METRICS = tuple(
    Metric(
        f"{name}_{part}",
        f"share of {part} questions on which the evolved patient {name.rstrip('s')}s",
        higher_is_better=name == "wins",
    )
    for part in ("standard", "cheat")
    for name in _NAMES
)


class PreferenceJudge:
    """Compares the two answers to each question of a duel. It does not score other episodes."""

    name = "preference"
    metrics = METRICS

    def __init__(self) -> None:
        self._pairwise = PairwiseJudge("preference", QUESTION)

    async def score(self, case: Case[PatientScenario], bench: Bench) -> list[Score]:
        """Shares of wins, draws and losses, for standard and for cheat questions."""
        rivals = {rival.round: rival.text for rival in case.transcript.notes(Rival)}
        duels = [item for item in heard(case.transcript) if item.round in rivals]
        marks: list[Score] = []
        for part, cheat in (("standard", False), ("cheat", True)):
            mine = [item for item in duels if item.cheat is cheat]
            verdicts = [
                await self._pairwise.prefer(
                    _view(item, item.answer), _view(item, rivals[item.round]), bench, _context(case, item)
                )
                for item in mine
            ]
            if verdicts:
                marks += _shares(part, verdicts)
        return check_scores(marks, self.name, METRICS)


def _shares(part: str, verdicts: list[PairPreference]) -> list[Score]:
    count = len(verdicts)
    won = sum(verdict.winner == "a" for verdict in verdicts)
    lost = sum(verdict.winner == "b" for verdict in verdicts)
    shares = {"wins": won, "draws": count - won - lost, "losses": lost}
    return [mark(f"{name}_{part}", shares[name] / count, weight=count) for name in _NAMES]


def _view(item: HeardExchange, answer: str) -> View:
    return View(answer, Replied(question=item.question, answer=answer))


def _context(case: Case[PatientScenario], item: HeardExchange) -> str:
    """What the judge of a duel is shown: the question, who the patient is, and the record's lines that the patient may
    say."""
    facts = record_of(case).at(Level.VOLUNTEERED, Level.ASKED, Level.TEST)
    lines = "\n".join(f"- {fact.test + ': ' if fact.test else ''}{fact.text}" for fact in facts)
    person = case.scenario.person
    return f"The doctor asked: {item.question}\nThe patient is: {person}\nThe record:\n{lines}"
