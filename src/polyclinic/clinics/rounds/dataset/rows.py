"""Teaching sessions as training rows: one row for each approved turn, and one for each whole session, in chat format.

A row's prompt is rendered by the tutor's own prompt class from what the transcript says the tutor had before it, so
that what is trained is what will be asked. The target is the thinking and the guidance that was approved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from polyclinic.clinics.rounds.prompts import Key, Sheet, TutorGuides
from polyclinic.clinics.rounds.rewards import structure
from polyclinic.clinics.rounds.rules.thinking import write_output
from polyclinic.clinics.rounds.rules.view import TutorRound, group_of, room_note, round_of, taught_case, tutor_rounds
from polyclinic.clinics.rounds.scenario.case import Case
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.state import ANALYSIS_CHARS, Analysis, Room, profile_of
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.dataset import Row, Turn, chat_turn
from polyclinic.core.memory import cut
from polyclinic.core.message import Image
from polyclinic.core.transcript import Score, Started, Transcript

Kind = Literal["single", "multi"]


@dataclass(frozen=True, kw_only=True)
class TeachingRow(Row):
    """One example of tutoring: a single turn, or a whole session."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "id", "kind", "case", "source", "specialty", "episode", "variant", "tutor", "rounds", "students", "with_images",
        "images", "messages", "reward", "scores",
    )  # fmt: skip

    source: str
    specialty: str
    tutor: str
    rounds: int
    students: tuple[str, ...]
    with_images: bool


def _target(turn: TutorRound) -> str:
    return write_output(turn.monologue, turn.guidance)


def prompts_of(transcript: Transcript) -> Iterator[tuple[TutorGuides, TutorRound]]:
    """The tutor's prompt of every round, rebuilt from the transcript, with what it led to."""
    case = taught_case(transcript)
    cast = {student.name: student for student in room_note(transcript).students}
    speaker = case.script.informant.relation if case.script and case.script.informant else "patient"
    spoken = [said.text for said in transcript.said(speaker)]
    replies = {round_of(said): said.text for said in transcript.said(speaker)[1:]}
    room = Room(patient=speaker)
    rounds = VARIANTS[transcript.of(Started)[0].variant].rounds
    for turn in tutor_rounds(transcript):
        presented = (spoken[0] if spoken else "") if turn.round == 1 else replies.get(turn.round - 1, "")
        room.begin_round(presented).analyses.update(turn.analyses)
        analyses = tuple(
            Analysis(student=name, profile=profile_of(cast[name]), text=cut(text, ANALYSIS_CHARS))
            for name, text in turn.analyses.items()
        )
        prompt = TutorGuides(
            sheet=Sheet.from_case(case),
            key=Key.from_case(case),
            pictures=tuple(Image(data="", caption=image.caption) for image in case.images),
            history=room.heard_by_tutor(),
            last=turn.round == rounds,
            analyses=analyses,
        )
        yield prompt, turn
        room.now.guidance = turn.guidance


def _usable(turn: TutorRound, case: Case, names: list[str]) -> bool:
    """Whether a turn can be a target at all: approved, and its output has the right form."""
    return bool(turn.approved and turn.guidance) and structure(_target(turn), names, bool(case.images))[0] > 0


def _means(scores: Sequence[Score], subject: str | None) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for score in scores:
        if score.judge == "reward" and (subject is None or score.subject == subject):
            found.setdefault(score.metric, []).append(score.value)
    return {name: sum(values) / len(values) for name, values in sorted(found.items())}


def _row(
    kind: Kind,
    name: str,
    transcript: Transcript,
    episode: str,
    messages: list[Turn],
    rounds: int,
    scores: Mapping[str, float],
) -> TeachingRow:
    case, started = taught_case(transcript), transcript.of(Started)[0]
    return TeachingRow(
        id=f"{episode}/{name}",
        kind=kind,
        case=base_id(case.id),
        source=case.source,
        specialty=case.specialty,
        split=case.split,
        episode=episode,
        variant=started.variant,
        tutor=started.cast.get("tutor", ""),
        rounds=rounds,
        students=tuple(group_of(transcript)),
        with_images=bool(case.images),
        images=tuple(image.file for image in case.images),
        messages=tuple(messages),
        reward=scores.get("reward"),
        scores={metric: value for metric, value in scores.items() if metric != "reward"},
    )


def rows_of(transcript: Transcript, episode: str, scores: Sequence[Score]) -> Iterator[TeachingRow]:
    """The rows of one session: each usable turn alone, and the session as one conversation when it has several."""
    case, names = taught_case(transcript), group_of(transcript)
    talk: list[Turn] = []
    whole = True
    for prompt, turn in prompts_of(transcript):
        system, user = (message.content for message in prompt.render())
        usable = _usable(turn, case, names)
        whole = whole and usable
        pictures = len(case.images)
        if usable:
            single = [
                chat_turn("system", system),
                chat_turn("user", user, pictures),
                chat_turn("assistant", _target(turn)),
            ]
            yield _row(
                "single", f"round-{turn.round}", transcript, episode, single, 1, _means(scores, f"round {turn.round}")
            )
        first = [chat_turn("system", system), chat_turn("user", user, pictures)]
        talk += first if not talk else [chat_turn("user", _later(prompt, turn.round))]
        talk.append(chat_turn("assistant", _target(turn)))
    turns = sum(turn["role"] == "assistant" for turn in talk)
    if whole and turns > 1:
        yield _row("multi", "session", transcript, episode, talk, turns, _means(scores, None))


def _later(prompt: TutorGuides, number: int) -> str:
    """What is new in a later round: the patient's words and the students' reports."""
    words = [line.text for line in prompt.history if line.round == number]
    heard = f"The patient says: {' '.join(words)}\n" if words else ""
    reported = "\n".join(f"{item.student} ({item.profile}): {item.text}" for item in prompt.analyses)
    ends = "The session ends after your words: ask what brings the group to its conclusion.\n" if prompt.last else ""
    asks = f"{ends}Write your thinking in the tags, then your words to the group."
    return f"{heard}What the students write to you now\n{reported}\n{asks}"
