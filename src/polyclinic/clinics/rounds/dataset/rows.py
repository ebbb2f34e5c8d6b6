"""Teaching sessions as training rows: one row for each draft of each turn, and one for each whole session, in chat
format.

The tutor's own prompt class renders a row's prompt from the transcript, so that training uses the prompts of real
sessions. The target is one draft with the thinking before it. The reward belongs to exactly this text: a refused draft
and the one that replaced it are two rows with two rewards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from polyclinic.clinics.rounds.judges.reward import metric_name
from polyclinic.clinics.rounds.prompts.people import CaseKey, Sheet
from polyclinic.clinics.rounds.prompts.tutor import TutorGuides
from polyclinic.clinics.rounds.rewards import PENALTY
from polyclinic.clinics.rounds.rules.thinking import write_output
from polyclinic.clinics.rounds.rules.view import (
    TurnContext,
    TutorRound,
    group_of,
    room_note,
    round_of,
    taught_case,
    turn_context,
    tutor_rounds,
)
from polyclinic.clinics.rounds.scenario.choose import base_id
from polyclinic.clinics.rounds.state import Room, Round
from polyclinic.clinics.rounds.variants import VARIANTS
from polyclinic.core.dataset import ChatTurn, GradeOutput, OutputReward, TrainingRow, chat_turn
from polyclinic.core.message import Image
from polyclinic.core.transcript import Score, Started, Transcript

_Kind = Literal["single", "multi"]


@dataclass(frozen=True, kw_only=True)
class TeachingRow(TrainingRow):
    """One example of tutoring: a single turn, or a whole session. `draft` counts a turn's drafts from 1; `approved`
    says whether the students heard it; `vetoed` names the criteria that turned its reward into the penalty.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "id", "kind", "case", "source", "specialty", "episode", "variant", "tutor", "rounds", "students", "with_images",
        "draft", "approved", "vetoed", "images", "prompt", "completion", "reward", "scores", "context",
    )  # fmt: skip

    source: str
    specialty: str
    tutor: str
    rounds: int
    students: tuple[str, ...]
    with_images: bool
    draft: int = 1
    approved: bool = True
    vetoed: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrainingTarget:
    """A text for training, with its reward; `grade` is None when the judge failed."""

    text: str
    draft: int
    approved: bool
    context: TurnContext
    grade: OutputReward | None


def judged_first(scores: Sequence[Score], number: int) -> OutputReward | None:
    """The reward that the session's own judge gave the first draft of a round; None if it was not judged."""
    found: dict[str, list[float]] = {}
    for score in scores:
        if score.judge == "reward" and score.subject == f"round {number}":
            found.setdefault(score.metric, []).append(score.value)
    means = {name: sum(values) / len(values) for name, values in sorted(found.items())}
    if "reward" not in means:
        return None
    value = means.pop("reward")
    veto = tuple(name for name in ("IS-1", "CS-1", "CS-2") if value <= PENALTY and means.get(metric_name(name), 0) < 0)
    return OutputReward(value, means, veto)


async def targets_of(
    transcript: Transcript, turn: TutorRound, scores: Sequence[Score], grade: GradeOutput
) -> list[TrainingTarget]:
    """Every draft of a turn with its own reward. The session's judge may already have scored the first; for the others
    `grade` is called.
    """
    context = turn_context(transcript, turn)
    made: list[TrainingTarget] = []
    for number, draft in enumerate(turn.drafts, start=1):
        text = write_output(turn.monologue, draft)
        if any(text == known.text for known in made):
            continue
        found = judged_first(scores, turn.round) if number == 1 else None
        if found is None:
            found = await grade(context.model_dump_json(), text)
        approved = turn.approved and draft == turn.drafts[-1]
        made.append(TrainingTarget(text, number, approved, context, found))
    return made


async def rows_of(
    transcript: Transcript, episode: str, scores: Sequence[Score], grade: GradeOutput
) -> list[TeachingRow]:
    """The rows of one session: each draft alone, and the turns that the students heard as one conversation."""
    captions, made = [image.caption for image in taught_case(transcript).images], list[TeachingRow]()
    talk: list[ChatTurn] = []
    heard: list[TrainingTarget] = []
    whole = True
    for prompt, turn in prompts_of(transcript):
        system, user = (message.content for message in prompt.render())
        first = [chat_turn("system", system), chat_turn("user", user, captions)]
        targets = await targets_of(transcript, turn, scores, grade)
        for target in targets:
            name = f"round-{turn.round}" + (f"-draft-{target.draft}" if target.draft > 1 else "")
            single = [*first, chat_turn("assistant", target.text)]
            made.append(_row("single", name, transcript, episode, single, [target]))
        said = next((target for target in targets if target.approved), None)
        whole = whole and said is not None
        if said is not None:
            talk += first if not talk else [chat_turn("user", later_turn(prompt, turn.round))]
            talk.append(chat_turn("assistant", said.text))
            heard.append(said)
    if whole and len(heard) > 1:
        made.append(_row("multi", "session", transcript, episode, talk, heard))
    return made


def _row(
    kind: _Kind,
    name: str,
    transcript: Transcript,
    episode: str,
    messages: list[ChatTurn],
    targets: Sequence[TrainingTarget],
) -> TeachingRow:
    case, started, last = taught_case(transcript), transcript.of(Started)[0], targets[-1]
    grade = session_grade([target.grade for target in targets])
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
        rounds=len(targets),
        students=tuple(group_of(transcript)),
        with_images=bool(case.images),
        draft=last.draft,
        approved=last.approved,
        vetoed=grade.vetoed if grade else (),
        images=tuple(image.file for image in case.images),
        messages=tuple(messages),
        reward=grade.value if grade else None,
        scores=grade.scores if grade else {},
        context=last.context.model_dump_json(),
    )


def session_grade(grades: Sequence[OutputReward | None]) -> OutputReward | None:
    """The mean over turns; one vetoed turn vetoes the session; None when a turn has no reward."""
    known = [grade for grade in grades if grade is not None]
    if not known or len(known) < len(grades):
        return None
    vetoed = tuple(sorted({name for grade in known for name in grade.vetoed}))
    value = float(PENALTY) if vetoed else sum(grade.value for grade in known) / len(known)
    return OutputReward(value, dict(_means([grade.scores for grade in known])), vetoed)


def _means(parts: Sequence[Mapping[str, float]]) -> Iterator[tuple[str, float]]:
    for name in parts[0]:
        values = [part[name] for part in parts if name in part]
        yield name, sum(values) / len(values)


def prompts_of(transcript: Transcript) -> Iterator[tuple[TutorGuides, TutorRound]]:
    """The tutor's prompt of every round, rebuilt from the transcript, with what the tutor answered."""
    case = taught_case(transcript)
    cast = {student.name: student for student in room_note(transcript).students}
    speaker = case.script.informant.relation if case.script and case.script.informant else "patient"
    spoken = [said.text for said in transcript.said(speaker)]
    replies = {round_of(said): said.text for said in transcript.said(speaker)[1:]}
    asked = [said for said in transcript.said() if said.to == speaker and said.speaker in cast]
    room = Room(patient=speaker)
    rounds = VARIANTS[transcript.of(Started)[0].variant].rounds

    def presented(number: int) -> str:
        return (spoken[0] if spoken else "") if number == 1 else replies.get(number - 1, "")

    def begin(number: int) -> Round:
        begun = room.begin_round(presented(number))
        begun.patient_questions.update({said.speaker: said.text for said in asked if round_of(said) == number})
        return begun

    for turn in tutor_rounds(transcript):
        while len(room.rounds) + 1 < turn.round:  # a round in which the tutor's reply was unreadable
            begin(len(room.rounds) + 1)
        begin(turn.round).analyses.update(turn.analyses)
        prompt = TutorGuides(
            sheet=Sheet.from_case(case),
            key=CaseKey.from_case(case),
            pictures=tuple(Image(data="", caption=image.caption) for image in case.images),
            history=room.heard_by_tutor(),
            last=turn.round == rounds,
            analyses=room.read_by_tutor(cast),
        )
        yield prompt, turn
        room.now.guidance = turn.guidance


def later_turn(prompt: TutorGuides, number: int) -> str:
    """What is new in a later round of a conversation: the patient's words and the students' reports. Earlier reports
    are in earlier turns, so that a tutor who thinks about the history can see them.
    """
    words = [line.text for line in prompt.history if line.round == number]
    heard = f"The patient says: {' '.join(words)}\n" if words else ""
    reported = "\n".join(f"{item.student} ({item.profile}): {item.text}" for item in prompt.analyses)
    ends = "The session ends after your words: ask what brings the group to its conclusion.\n" if prompt.last else ""
    asks = f"{ends}Write your thinking in the tags, then your words to the group."
    return f"{heard}What the students write to you now\n{reported}\n{asks}"
