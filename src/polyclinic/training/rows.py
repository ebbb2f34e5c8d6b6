"""Teaching sessions as training rows: one row for each approved turn, and one for each whole session, in chat format.

A row's prompt is rendered by the tutor's own prompt class from what the transcript says the tutor had before it, so
that what is trained is what will be asked. The target is the thinking and the guidance that was approved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from polyclinic.clinics.rounds.prompts import Key, Sheet, TutorGuides
from polyclinic.clinics.rounds.rewards import structure
from polyclinic.clinics.rounds.rules.view import TutorRound, group_of, room_note, taught_case, tutor_rounds
from polyclinic.clinics.rounds.scenario.case import Case
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.state import ANALYSIS_CHARS, Analysis, Room, profile_of
from polyclinic.core.memory import cut
from polyclinic.core.message import Image
from polyclinic.core.transcript import Score, Started, Transcript
from polyclinic.people.students import Student

Kind = Literal["single", "multi"]
Part = dict[str, str | None]
Turn = dict[str, Any]
IMAGE_PART: Part = {"type": "image", "text": None}


@dataclass(frozen=True)
class Row:
    """One training example. `images` are named by their case's files; the writer puts the files beside the rows."""

    id: str
    kind: Kind
    case: str
    source: str
    specialty: str
    split: str
    episode: str
    variant: str
    tutor: str
    rounds: int
    students: tuple[str, ...]
    with_images: bool
    images: tuple[str, ...]
    messages: tuple[Turn, ...]
    reward: float | None
    scores: Mapping[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """All words of the row, for comparing and for finding copies."""
        return "\n".join(str(part["text"]) for turn in self.messages for part in turn["content"] if part["text"])

    @property
    def answer(self) -> str:
        """What the model is trained to say last."""
        return str(self.messages[-1]["content"][-1]["text"])


def _say(role: str, text: str, images: int = 0) -> Turn:
    return {"role": role, "content": [*(dict(IMAGE_PART) for _ in range(images)), {"type": "text", "text": text}]}


def _target(turn: TutorRound) -> str:
    return orjson.dumps({"internal_monologue": turn.monologue, "guidance": turn.guidance}).decode()


def prompts_of(transcript: Transcript) -> Iterator[tuple[TutorGuides, TutorRound]]:
    """The tutor's prompt of every round, rebuilt from the transcript, with what it led to."""
    case = taught_case(transcript)
    cast = {str(entry["name"]): _student(entry) for entry in room_note(transcript).data["students"]}
    speaker = case.script.informant.relation if case.script and case.script.informant else "patient"
    spoken = [said.text for said in transcript.said(speaker)]
    replies = {int(said.data["round"]): said.text for said in transcript.said(speaker)[1:]}
    room = Room(patient=speaker)
    for turn in tutor_rounds(transcript):
        presented = (spoken[0] if spoken else "") if turn.round == 1 else replies.get(turn.round - 1, "")
        room.begin_round(presented).analyses.update(turn.analyses)
        analyses = tuple(
            Analysis(student=name, profile=profile_of(cast[name]), text=cut(text, ANALYSIS_CHARS))
            for name, text in turn.analyses.items()
        )
        prompt = TutorGuides(
            sheet=Sheet.of(case),
            key=Key.of(case),
            pictures=tuple(Image(data="", caption=image.caption) for image in case.images),
            history=room.heard_by_tutor(),
            round=turn.round,
            analyses=analyses,
        )
        yield prompt, turn
        room.now.guidance = turn.guidance


def _student(entry: Mapping[str, Any]) -> Student:
    return Student.model_validate({key: value for key, value in entry.items() if key != "seat"})


def _usable(turn: TutorRound, case: Case, names: list[str]) -> bool:
    """Whether a turn can be a target at all: approved, and its output has the right form."""
    return bool(turn.approved and turn.guidance) and structure(_target(turn), names, bool(case.images))[0] > 0


def _means(scores: list[Score], subject: str | None) -> dict[str, float]:
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
) -> Row:
    case, started = taught_case(transcript), transcript.of(Started)[0]
    return Row(
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


def rows_of(transcript: Transcript, episode: str, scores: list[Score]) -> Iterator[Row]:
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
            single = [_say("system", system), _say("user", user, pictures), _say("assistant", _target(turn))]
            yield _row(
                "single", f"round-{turn.round}", transcript, episode, single, 1, _means(scores, f"round {turn.round}")
            )
        talk += [_say("system", system), _say("user", user, pictures)] if not talk else [_say("user", _later(prompt))]
        talk.append(_say("assistant", _target(turn)))
    turns = sum(turn["role"] == "assistant" for turn in talk)
    if whole and turns > 1:
        yield _row("multi", "session", transcript, episode, talk, turns, _means(scores, None))


def _later(prompt: TutorGuides) -> str:
    """What is new in a later round: the patient's words and the students' reports."""
    words = [line.text for line in prompt.history if line.round == prompt.round]
    heard = f"The patient says: {' '.join(words)}\n" if words else ""
    reported = "\n".join(f"{item.student} ({item.profile}): {item.text}" for item in prompt.analyses)
    return f"{heard}This is round {prompt.round}. What the students report now:\n{reported}\nYour turn."
