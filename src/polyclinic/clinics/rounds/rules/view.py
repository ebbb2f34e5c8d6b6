"""A session as judges read it: one text with fixed headings, and the reverse for players that judge by rule."""

from __future__ import annotations

import re

from polyclinic.clinics.rounds.rules.thinking import Thinking, read_thinking
from polyclinic.clinics.rounds.scenario.case import Case, Pitfall, SocraticStep
from polyclinic.core.memory import cut
from polyclinic.core.message import Frozen
from polyclinic.core.transcript import Noted, Said, Transcript

_HEADINGS = ("CASE", "RIGHT ANSWER", "STEPS", "OFTEN SAID WRONGLY", "GROUP", "SESSION", "THINKING", "GUIDANCE")


class TutorRound(Frozen):
    """One round of the tutor: what it read, thought and said. `guidance` is empty when nothing was approved."""

    round: int
    analyses: dict[str, str]
    monologue: str
    guidance: str
    drafts: tuple[str, ...]
    approved: bool


def room_note(transcript: Transcript) -> Noted:
    """Who was in the room, and the case as it was taught."""
    return transcript.notes("room")[0]


def taught_case(transcript: Transcript) -> Case:
    """The case with the steps and the script that this session used."""
    return Case.model_validate(room_note(transcript).data["case"])


def group_of(transcript: Transcript) -> list[str]:
    """The students' names, by seat."""
    return [str(student["name"]) for student in room_note(transcript).data["students"]]


def tutor_rounds(transcript: Transcript) -> list[TutorRound]:
    """The tutor's rounds in order."""
    analyses: dict[int, dict[str, str]] = {}
    for note in transcript.notes("analysis"):
        analyses.setdefault(int(note.data["round"]), {})[str(note.data["student"])] = str(note.data["text"])
    spoken = {int(said.data["round"]): said.text for said in transcript.said("tutor")}
    return [
        TutorRound(
            round=int(note.data["round"]),
            analyses=analyses.get(int(note.data["round"]), {}),
            monologue=str(note.data["monologue"]),
            guidance=spoken.get(int(note.data["round"]), ""),
            drafts=tuple(map(str, note.data["drafts"])),
            approved=bool(note.data["approved"]),
        )
        for note in transcript.notes("thinking")
    ]


def _case_part(case: Case, names: list[str]) -> str:
    steps = "\n".join(f"{n}. {step.key_question} -> {step.step_summary}" for n, step in enumerate(case.steps, start=1))
    wrong = "\n".join(f"- {pitfall.wrong} => {pitfall.right}" for pitfall in case.pitfalls)
    return (
        f"CASE\n{case.vignette} {case.question}\nRIGHT ANSWER\n{case.answer_text}\nSTEPS\n{steps}\n"
        f"OFTEN SAID WRONGLY\n{wrong or '-'}\nGROUP\n{', '.join(names)}\n"
    )


def session_view(transcript: Transcript) -> str:
    """The whole session for the judges of teaching: the case with its key, then round by round what was reported and
    said.
    """
    lines: list[str] = []
    for event in transcript:
        if isinstance(event, Noted) and event.topic == "analysis":
            lines.append(
                f"[{event.data['round']}] {event.data['student']} reports: {cut(str(event.data['text']), 700)}"
            )
        elif isinstance(event, Said):
            to = "" if event.to in ("", "all") else f" to {event.to}"
            lines.append(f"[{event.data.get('round', 0)}] {event.speaker}{to}: {' '.join(event.text.split())}")
    return f"{_case_part(taught_case(transcript), group_of(transcript))}SESSION\n" + "\n".join(lines)


def turn_view(transcript: Transcript, turn: TutorRound) -> str:
    """One turn of the tutor for the judges of its thinking: what students reported, what it thought, what it first
    drafted.
    """
    reported = "\n".join(f"[{turn.round}] {name} reports: {cut(text, 700)}" for name, text in turn.analyses.items())
    return (
        f"{_case_part(taught_case(transcript), group_of(transcript))}SESSION\n{reported}\n"
        f"THINKING\n{turn.monologue}\nGUIDANCE\n{turn.drafts[0]}"
    )


class Seen(Frozen):
    """A view read back into its parts."""

    answer: str
    steps: tuple[SocraticStep, ...]
    pitfalls: tuple[Pitfall, ...]
    names: tuple[str, ...]
    reports: tuple[str, ...]
    tutor: tuple[str, ...]
    monologue: str
    guidance: str

    def thinking(self) -> Thinking:
        """The monologue's parts."""
        return read_thinking(self.monologue, self.names, "<think_image>" in self.monologue)

    def as_case(self) -> Case:
        """A case with this key, for rules that need one."""
        return Case(
            id="view",
            title="",
            specialty="",
            vignette="",
            question="",
            answer=self.answer,
            steps=self.steps,
            pitfalls=self.pitfalls,
        )


def read_view(view: str) -> Seen:
    """The parts of a view written here."""
    pieces = re.split(rf"^({'|'.join(_HEADINGS)})$\n?", view, flags=re.MULTILINE)
    parts = dict(zip(pieces[1::2], (piece.strip() for piece in pieces[2::2]), strict=True))
    steps = [re.fullmatch(r"\d+\. (.*?) -> (.*)", line) for line in parts["STEPS"].splitlines()]
    wrong = [line[2:].split(" => ") for line in parts["OFTEN SAID WRONGLY"].splitlines() if " => " in line]
    session = parts["SESSION"].splitlines()
    reports = [match[1] for match in (re.match(r"\[\d+\] [^:]+ reports: (.*)", line) for line in session) if match]
    tutor = [match[1] for match in (re.match(r"\[\d+\] tutor: (.*)", line) for line in session) if match]
    return Seen(
        answer=parts["RIGHT ANSWER"],
        steps=tuple(SocraticStep(stage="observe", key_question=m[1], step_summary=m[2]) for m in steps if m),
        pitfalls=tuple(Pitfall(wrong=pair[0], right=pair[1]) for pair in wrong),
        names=tuple(parts["GROUP"].split(", ")),
        reports=tuple(reports),
        tutor=tuple(tutor),
        monologue=parts.get("THINKING", ""),
        guidance=parts.get("GUIDANCE", ""),
    )
