"""Feedback for a person who played the patient, the specialist or the supervisor."""

from __future__ import annotations

from typing import NamedTuple

from polyclinic.clinics.rounds.rules.notes import ExpertSaid, Thought
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Noted, Reviewed, Said, Score, Scored, Transcript, Violated
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table


class _Checks(NamedTuple):
    """The metric for words that this reviewer should have stopped, and the feedback sentences for it."""

    metric: str
    through: str
    clean: str


_REVIEWERS = {
    "specialist": _Checks("false_guidance", "let through", "none false"),
    "supervisor": _Checks("harmful_guidance", "let harm through", "none harmful"),
}


def for_patient(judged: Case, say: Phrases) -> list[Section]:
    """Feedback for the patient. Only naming the answer or a technical term is recorded; nothing else is measured."""
    transcript = judged.transcript
    slips = [event for event in transcript.of(Violated) if event.by == "patient"]
    said = [event.text for event in transcript.of(Said) if event.speaker == _name(transcript)]
    short = say.in_short(
        good=[say("nothing named")] if said and not slips else (),
        missing=[say("named", words=quoted(event.words), why=event.rationale) for event in slips],
        next_step=say("plain words" if slips else "more script"),
        unmeasured="patient",
    )
    return [short, say.your_words(said)]


def _name(transcript: Transcript) -> str:
    """The name of the patient, or of the person who speaks for them: the first speaker to all except the tutor."""
    return next(
        (said.speaker for said in transcript.of(Said) if said.speaker != "tutor" and said.to == "all"), "patient"
    )


def for_reviewer(judged: Case, part: str, say: Phrases) -> list[Section]:
    """What the reviewer let through and what the judge found in it; and what was refused, with its reason."""
    transcript, checks = judged.transcript, _REVIEWERS[part]
    reviews = [(words, event) for words, event in _drafts(transcript) if event.reviewer == part]
    scores = [event.score for event in transcript.of(Scored) if event.score.metric == checks.metric]
    silent = [words for words, event in reviews if not event.approved and not event.feedback.strip()]
    answers = _answers(transcript) if part == "specialist" else []
    slips = [event for event in transcript.of(Violated) if event.by == part]
    short = say.in_short(
        danger=[say(checks.through, words=words) for words in _once(scores)],
        good=_good(scores, reviews, checks, say),
        missing=[
            *(say("leaked as expert", words=quoted(event.words), why=event.rationale) for event in slips),
            *(say("no reason", words=quoted(words)) for words in silent),
            *([] if scores or not reviews else [say("not judged")]),
        ],
        next_step=say("say why" if silent else "read each"),
    )
    rows: list[list[Cell]] = [[words, event.approved, event.feedback or None] for words, event in reviews]
    heads = [say("tutor's words"), say("passed"), say("reason")]
    body: list[Block] = [Table(say("verdicts"), heads, rows) if rows else Paragraph(say("no verdicts"))]
    body += [Paragraph(say("answered", words=quoted(text))) for text in answers]
    return [short, Section(say("verdicts"), body)]


def _once(scores: list[Score]) -> list[str]:
    """The words that a judge objected to, each only once: a tutor may say the same in several rounds."""
    return list(dict.fromkeys(quoted(words) for score in scores for words in score.evidence))


def _good(scores: list[Score], reviews: list[tuple[str, Reviewed]], checks: _Checks, say: Phrases) -> list[str]:
    passed = any(event.approved for _, event in reviews)
    return [say(checks.clean)] if passed and scores and not any(score.evidence for score in scores) else []


def _drafts(transcript: Transcript) -> list[tuple[str, Reviewed]]:
    """Every verdict with the draft that it is about. The transcript has the drafts of a round after its verdicts."""
    found, waiting = list[tuple[str, Reviewed]](), list[Reviewed]()
    for event in transcript:
        if isinstance(event, Reviewed):
            waiting.append(event)
        elif isinstance(event, Noted) and (thought := event.as_note(Thought)) is not None:
            found += [(thought.drafts[verdict.draft], verdict) for verdict in waiting]
            waiting = []
    return found


def _answers(transcript: Transcript) -> list[str]:
    said = [(event.text, event.get(ExpertSaid)) for event in transcript.of(Said) if event.speaker == "expert"]
    return [text for text, note in said if note is not None and note.answered]
