"""What is learned from a finished case, what may be added to a library, and when an entry is removed again.

Attention library: a question, its answer, the record lines and the attention requirements behind it, if the answer is
both faithful and robust. Trajectory library: the step from one exchange to the next, once more than two exchanges in a
row were good on both sides (algorithm 1; a poor exchange restarts the count). Triage library: which discipline a
complaint turned out to belong to. Pool library: professional questions by complaint, from studying the finished record.

A new entry that is too similar to an old one replaces it only if it is better. An entry that was referred to with poor
outcomes twice is removed, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyclinic.clinics.patient.rules.vocabulary import content_words
from polyclinic.clinics.patient.scenario.record import Level, Record
from polyclinic.clinics.patient.state import Attention, Exchanged, PoolRow, Step, TriagedTo
from polyclinic.clinics.patient.tools.validation import AnswerVerdict, QuestionVerdict
from polyclinic.core.episode import Episode
from polyclinic.core.library import Entry, Lesson, Library
from polyclinic.core.message import Frozen

DEDUPE = 0.9
SIMILAR = 4
SEQUENCE_LENGTH = 2
POOR_REFERENCES = 2
BETTER_REASON = "a better answer to a similar question replaced it"
POOR_REASON = f"referred to {POOR_REFERENCES} times with a poor outcome"
CONTAMINATED_WORDS = 6


class Judged(Frozen):
    """An exchange with its two verdicts."""

    exchange: Exchanged
    answer: AnswerVerdict
    question: QuestionVerdict

    @property
    def quality(self) -> float:
        """The quality of the answer: the mean of relevance, faithfulness and robustness."""
        return round((self.exchange.relevance + self.answer.faithfulness + self.answer.robustness) / 3, 4)


def learn_attention(episode: Episode, judged: Sequence[Judged], case: int, disease: str) -> int:
    """Add qualified answers to the library. Returns how many are new.

    Two questions can be similar in meaning and still need opposite answers. A request for a test by its name is
    answered; a request for a single value of that test is declined. No embedder separates them. So an answer replaces
    only an answer of the same kind (answered or declined).
    """
    library = episode.library(Attention)
    limit = episode.services.embedder.threshold(DEDUPE)
    new = 0
    for item in judged:
        if not item.answer.qualified:
            continue
        exchange, declined = item.exchange, item.exchange.declined
        near = library.nearest(exchange.question, k=SIMILAR, threshold=limit)
        same = [match.entry for match in near if match.lesson.declined is declined]
        if same and same[0].quality >= item.quality:
            continue
        if same:
            library.remove(same[0].id, BETTER_REASON)
        new += not same
        library.add(
            exchange.question,
            Attention(
                answer=exchange.answer,
                declined=declined,
                requirements=exchange.requirements,
                information=exchange.information,
                case=case,
                disease=disease,
                by=exchange.by,
            ),
            quality=item.quality,
            unless_near=None if near else limit,
        )
    return new


def trajectory_steps(judged: Sequence[Judged]) -> list[tuple[Exchanged, Exchanged]]:
    """The steps worth keeping. A step goes from one exchange to the next, once enough exchanges in a row were good.

    Cheat questions are not part of a doctor's trajectory. They are skipped and do not restart the count.
    """
    steps: list[tuple[Exchanged, Exchanged]] = []
    length = 0
    before: Exchanged | None = None
    for item in judged:
        if item.exchange.cheat:
            continue
        good = item.answer.qualified and item.question.qualified
        length = length + 1 if good else 0
        if length > SEQUENCE_LENGTH and before is not None:
            steps.append((before, item.exchange))
        before = item.exchange
    return steps


def learn_trajectories(episode: Episode, judged: Sequence[Judged], case: int, disease: str) -> int:
    """Add good steps to the library; the key is the answer before the step. Returns how many are new."""
    library = episode.library(Step)
    limit = episode.services.embedder.threshold(DEDUPE)
    quality = {item.exchange.round: item.quality for item in judged}
    new = 0
    for before, after in trajectory_steps(judged):
        near = library.nearest(before.answer, k=1, threshold=limit)
        if near and near[0].entry.quality >= quality[after.round]:
            continue
        new += not near
        library.add(
            before.answer,
            Step(
                previous=before.question,
                question=after.question,
                answer=after.answer,
                case=case,
                disease=disease,
                by=after.by,
            ),
            quality=quality[after.round],
            unless_near=limit,
        )
    return new


def learn_triage(episode: Episode, complaint: str, discipline: str, case: int) -> None:
    """Add to the library which discipline this complaint belonged to."""
    limit = episode.services.embedder.threshold(DEDUPE)
    episode.library(TriagedTo).add(complaint, TriagedTo(discipline=discipline, case=case), 1.0, unless_near=limit)


def learn_pool(episode: Episode, complaint: str, rows: Mapping[str, Sequence[str]], case: int) -> None:
    """Add professional questions by discipline, with the complaint as key.

    Questions too similar to a kept one are left out.
    """
    embedder = episode.services.embedder
    limit = embedder.threshold(DEDUPE)
    kept: list[str] = []
    questions: dict[str, list[str]] = {}
    for discipline, found in rows.items():
        for question in found:
            vectors = embedder.embed([question, *kept])
            if not kept or float((vectors[1:] @ vectors[0]).max()) < limit:
                kept.append(question)
                questions.setdefault(discipline, []).append(question)
    row = PoolRow(questions={name: tuple(found) for name, found in questions.items()}, case=case)
    episode.library(PoolRow).add(complaint, row, 1.0, unless_near=limit)


def correct(episode: Episode, judged: Sequence[Judged]) -> list[str]:
    """Count every use of an entry with its outcome. An entry with two poor outcomes is removed.

    Returns the removed ids.
    """
    removed: list[str] = []
    for lesson in (Attention, Step):
        view = episode.library(lesson)
        poor: dict[str, int] = {}
        for item in judged:
            ids = item.exchange.entries if lesson is Attention else item.exchange.recommended
            for id in ids:
                if id not in view.library or id in removed:
                    continue
                good = item.answer.qualified if lesson is Attention else item.question.qualified
                poor[id] = poor.get(id, view.library.track_record(id).poor) + (not good)
                view.used(id, good=good)
                if poor[id] >= POOR_REFERENCES:
                    view.remove(id, POOR_REASON)
                    removed.append(id)
    return removed


class _Answer(Lesson):
    """The answer in an entry of any library; empty if the entry has none."""

    answer: str = ""


def contamination(entries: Library | Sequence[Entry], records: Sequence[Record]) -> list[tuple[str, str, str]]:
    """Entries that were learned from a test case or hold one of its facts, as (entry, record, why)."""
    found: list[tuple[str, str, str]] = []
    facts = [
        (record.id, content_words(fact.text))
        for record in records
        for fact in record.at(Level.VOLUNTEERED, Level.ASKED, Level.TEST)
        if len(content_words(fact.text)) >= CONTAMINATED_WORDS
    ]
    ids = {record.id for record in records}
    for entry in entries:
        origin = entry.provenance.scenario.partition("+")[0]
        if origin in ids:
            found.append((entry.id, origin, "learned from this case"))
            continue
        words = content_words(f"{entry.key} {entry.value.as_a(_Answer).answer}")
        found += [(entry.id, record, "holds a fact of this case") for record, fact in facts if fact <= words]
    return found
