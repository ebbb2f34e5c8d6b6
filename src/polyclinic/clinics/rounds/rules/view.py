"""A session as judges see it: text under headings for a language model, and the same as facts for the offline judge."""

from __future__ import annotations

from typing import TypedDict

from polyclinic.clinics.rounds.rules.notes import Analysed, RoomOpened, Thought
from polyclinic.clinics.rounds.rules.thinking import Thinking, read_thinking
from polyclinic.clinics.rounds.scenario.case import Pitfall, SocraticStep, TeachingCase
from polyclinic.clinics.rounds.state import not_said_again
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.core.prompt import Facts
from polyclinic.core.transcript import Noted, Said, Transcript
from polyclinic.eval.view import View

REPORT_CHARS = 700
"""How many characters of a student's report a judge reads."""


class TutorRound(Frozen):
    """One round of the tutor: what it read, thought and said. `guidance` is empty when nothing was approved."""

    round: int
    analyses: dict[str, str]
    monologue: str
    guidance: str
    drafts: tuple[str, ...]
    approved: bool


class TutorTurn(Frozen):
    """One turn of the tutor as an offline judge understood it. Before that, only `words` is set."""

    words: str
    leak: bool = False
    false: bool = False
    harm: bool = False
    asked: tuple[int, ...] = ()


class CaseFacts(Facts):
    """What is taught, and to whom."""

    vignette: str
    question: str
    options: dict[str, str]
    answer: str
    explanation: str
    steps: tuple[SocraticStep, ...]
    pitfalls: tuple[Pitfall, ...]
    names: tuple[str, ...]


class TurnContext(CaseFacts):
    """Everything that the reward of one turn needs besides the tutor's output. A training row stores it, so that other
    outputs for the same turn can be scored later.
    """

    round: int
    captions: tuple[str, ...]
    said: dict[str, str]


class SessionSeen(CaseFacts):
    """A session as typed facts. `monologue` and `guidance` are empty where the whole session is judged. `turns`,
    `aimed` and `missing` are filled in by the judge: what it understood of the tutor's turns, the steps that the tutor
    aimed at, and the steps that not every student's report shows.
    """

    reports: tuple[str, ...] = ()
    tutor: tuple[str, ...] = ()
    monologue: str = ""
    guidance: str = ""
    turns: tuple[TutorTurn, ...] = ()
    aimed: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()

    def thinking(self) -> Thinking:
        """The monologue's parts."""
        return read_thinking(self.monologue, self.names, "<think_image>" in self.monologue)

    def wanted(self) -> tuple[int, ...]:
        """The steps to ask for next: those that are missing, in order; the last step if none is missing."""
        return self.missing or (len(self.steps) - 1,)


def room_note(transcript: Transcript) -> RoomOpened:
    """Who was in the room, and the case as it was taught."""
    return transcript.notes(RoomOpened)[0]


def taught_case(transcript: Transcript) -> TeachingCase:
    """The case with the steps and the script that this session used."""
    return room_note(transcript).case


def group_of(transcript: Transcript) -> list[str]:
    """The students' names, by seat."""
    return [student.name for student in room_note(transcript).students]


def round_of(said: Said) -> int:
    """The round in which something was said; 0 for what was said outside of any round."""
    return said.round or 0


def tutor_rounds(transcript: Transcript) -> list[TutorRound]:
    """The tutor's rounds in order."""
    analyses: dict[int, dict[str, str]] = {}
    for note in transcript.notes(Analysed):
        analyses.setdefault(note.round, {})[note.student] = note.text
    spoken = {round_of(said): said.text for said in transcript.said("tutor")}
    return [
        TutorRound(
            round=thought.round,
            analyses=analyses.get(thought.round, {}),
            monologue=thought.monologue,
            guidance=spoken.get(thought.round, ""),
            drafts=thought.drafts,
            approved=thought.approved,
        )
        for thought in transcript.notes(Thought)
    ]


def _case_part(case: CaseFacts) -> str:
    steps = "\n".join(f"{n}. {step.key_question} -> {step.step_summary}" for n, step in enumerate(case.steps, start=1))
    wrong = "\n".join(f"- {pitfall.wrong} => {pitfall.right}" for pitfall in case.pitfalls)
    return (
        f"CASE\n{case.vignette} {case.question}\nRIGHT ANSWER\n{case.answer}\nSTEPS\n{steps}\n"
        f"OFTEN SAID WRONGLY\n{wrong or '-'}\nGROUP\n{', '.join(case.names)}\n"
    )


def session_view(transcript: Transcript) -> View:
    """The whole session for the judges of teaching: the case with its key, then round by round what was reported and
    said.
    """
    lines: list[str] = []
    reports: list[str] = []
    tutor: list[str] = []
    for event in transcript:
        if isinstance(event, Noted) and (said := event.as_note(Analysed)) is not None:
            reports.append(cut(said.text, REPORT_CHARS))
            lines.append(_report_line(said.round, said.student, reports[-1]))
        elif isinstance(event, Said):
            to_all, words = event.to in ("", "all"), " ".join(event.text.split())
            to = "" if to_all else f" to {event.to}"
            lines.append(f"[{round_of(event)}] {event.speaker}{to}: {words}")
            if event.speaker == "tutor" and to_all:
                tutor.append(words)
    case, names = taught_case(transcript), group_of(transcript)
    facts = SessionSeen(**_key(case, names), reports=tuple(reports), tutor=tuple(tutor))
    return View(f"{_case_part(facts)}SESSION\n" + "\n".join(lines), facts)


def turn_context(transcript: Transcript, turn: TutorRound) -> TurnContext:
    """What the students reported in a round, with what they wrote earlier and did not say again, and the case."""
    case, names = taught_case(transcript), group_of(transcript)
    said: dict[str, str] = {}
    for name, text in turn.analyses.items():
        notes = [note for note in transcript.notes(Analysed) if note.student == name and note.round < turn.round]
        earlier = not_said_again([note.text for note in notes], text)
        said[name] = cut(text, REPORT_CHARS) + (f" Earlier: {earlier}" if earlier else "")
    captions = tuple(image.caption for image in case.images)
    return TurnContext(**_key(case, names), round=turn.round, captions=captions, said=said)


def output_view(context: TurnContext, monologue: str, guidance: str) -> View:
    """An output of the tutor for the judges of its thinking: what students reported, what it thought, what it said."""
    reported = "\n".join(_report_line(context.round, name, text) for name, text in context.said.items())
    words = f"{_case_part(context)}SESSION\n{reported}\nTHINKING\n{monologue}\nGUIDANCE\n{guidance}"
    known = {name: getattr(context, name) for name in CaseFacts.model_fields}
    seen = SessionSeen(
        **known, reports=tuple(context.said.values()), monologue=monologue.strip(), guidance=guidance.strip()
    )
    return View(words, seen)


def turn_view(transcript: Transcript, turn: TutorRound) -> View:
    """One turn of the tutor with its first draft."""
    return output_view(turn_context(transcript, turn), turn.monologue, turn.drafts[0])


def _report_line(number: int, student: str, text: str) -> str:
    return f"[{number}] {student} reports: {text}"


class _Taught(TypedDict):
    """The fields of `CaseFacts`."""

    vignette: str
    question: str
    options: dict[str, str]
    answer: str
    explanation: str
    steps: tuple[SocraticStep, ...]
    pitfalls: tuple[Pitfall, ...]
    names: tuple[str, ...]


def _key(case: TeachingCase, names: list[str]) -> _Taught:
    return {
        "vignette": case.vignette,
        "question": case.question,
        "options": case.options,
        "answer": case.answer_text,
        "explanation": case.explanation,
        "steps": case.steps,
        "pitfalls": case.pitfalls,
        "names": tuple(names),
    }
