"""Feedback for a person who sat in as a student or led the round as its tutor. `parts` has the other roles."""

from __future__ import annotations

from collections.abc import Mapping

from polyclinic.clinics.rounds.readings import CHOICE, HOLDS
from polyclinic.clinics.rounds.report.parts import for_patient, for_reviewer
from polyclinic.clinics.rounds.report.words import FEEDBACK
from polyclinic.clinics.rounds.rules.notes import Analysed, Chose, Thought
from polyclinic.clinics.rounds.rules.teaching import asked_in, names_in
from polyclinic.clinics.rounds.rules.thinking import read_thinking
from polyclinic.clinics.rounds.rules.view import group_of, room_note, taught_case, tutor_rounds
from polyclinic.clinics.rounds.scenario.case import SocraticStep, TeachingCase
from polyclinic.core.judge import Case, Metric
from polyclinic.core.model import role_of
from polyclinic.core.transcript import Reviewed, Scored, Transcript
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table
from polyclinic.text.words import ContentWords

_content = ContentWords()
PRAISED = 2
"""How many of the tutor's questions are praised."""


def feedback(judged: Case, part: str, language: str) -> list[Section]:
    """For a student: their contributions, what the tutor saw, the steps reached, and what to study. For other parts:
    what the session recorded about them.
    """
    say, transcript, role = Phrases(language, FEEDBACK), judged.transcript, role_of(part)
    if role == "tutor":
        return _for_tutor(transcript, say)
    if role == "patient":
        return for_patient(judged, say)
    if role != "student":
        return for_reviewer(judged, role, say)
    seats = {student.seat: student.name for student in room_note(transcript).students}
    return _for_student(transcript, seats.get(part, next(iter(seats.values()))), say)


def ending(judged: Case, part: str) -> str:
    """How the round ended for the whole group; a person may have done their own part well all the same."""
    if judged.transcript.outcome() == "reached":
        return "the round is over: every student came to the conclusion"
    return "the round is over: not every student came to the conclusion"


def _for_student(transcript: Transcript, name: str, say: Phrases) -> list[Section]:
    case = taught_case(transcript)
    mine = [note for note in transcript.notes(Analysed) if note.student == name]
    held = {number for note in mine for number in note.held}
    answered = _in_the_answer(transcript, name)
    missing = [step for number, step in enumerate(case.steps) if number not in held | answered]
    steps: list[list[Cell]] = [
        [
            number + 1,
            step.key_question,
            say("yes" if number in held else "in answer" if number in answered else "not seen"),
        ]
        for number, step in enumerate(case.steps)
    ]
    seen: list[Block] = []
    for turn in tutor_rounds(transcript):
        thought = read_thinking(turn.monologue, group_of(transcript), bool(case.images)).about(name)
        if thought:
            seen.append(Paragraph(say("round", number=turn.round, text=thought)))
    own: list[Block] = [Paragraph(say("round", number=n, text=note.text)) for n, note in enumerate(mine, start=1)]
    own += [Paragraph(say("you asked", who=said.to, text=said.text)) for said in transcript.said(name)]
    study: list[Block] = [
        Paragraph(say("step to study", question=step.key_question, step=step.step_summary)) for step in missing
    ]
    study.append(Paragraph(say("the answer", answer=case.answer_text, why=case.explanation)))
    table = Table(say("steps"), (say("step"), say("question"), say("in reports")), steps)
    return [
        _student_in_short(transcript, name, mine, missing, say),
        Section(say("contributed", name=name), own or [Paragraph(say("no words"))]),
        Section(say("tutor saw"), seen or [Paragraph(say("kept thoughts"))]),
        Section(say("reached"), [table]),
        Section(say("study"), study),
    ]


def _student_in_short(
    transcript: Transcript, name: str, mine: list[Analysed], missing: list[SocraticStep], say: Phrases
) -> Section:
    """After a wrong answer nothing is praised: what was read as showing a step may be what led astray."""
    case = taught_case(transcript)
    first_shown: dict[int, str] = {}
    for note in mine:
        for number in note.held:
            first_shown.setdefault(number, note.text)
    shown = {
        text: [
            say("one step", number=number + 1, step=case.steps[number].step_summary)
            for number, first in sorted(first_shown.items())
            if first == text and number < len(case.steps)
        ]
        for text in dict.fromkeys(first_shown.values())
    }
    good = [say("shows steps", words=quoted(text), steps=" ".join(steps)) for text, steps in shown.items() if steps]
    choices = {note.when: note for note in transcript.notes(Chose) if note.student == name}
    final = choices.get("final")
    wrong: list[str] = []
    if final is not None and final.right:
        good.insert(0, say("answer right", words=quoted(_in_words(case, final))))
    elif final is not None:
        wrong.append(say("answer wrong", words=quoted(_in_words(case, final)), right=case.answer_text))
    left = [say("step missing", question=step.key_question, step=step.step_summary) for step in missing]
    compare = [Paragraph(f"{words[:1].upper()}{words[1:]} {say('compare')}") for words in good] if wrong else []
    short = say.in_short(
        good=() if wrong else good or [say("reported", words=quoted(mine[0].text)) if mine else say("took a seat")],
        missing=[*wrong, *left],
        next_step=say("think about", question=missing[0].key_question) if missing else say("lead a round"),
    )
    caution = [Paragraph(say("caution"))] if mine else []
    return Section(short.title, [*short.body, *compare, *caution])


def _in_the_answer(transcript: Transcript, name: str) -> set[int]:
    """The steps that the person's right last answer names itself: the answer says more than half of what they teach."""
    case = taught_case(transcript)
    right = any(note.student == name and note.when == "final" and note.right for note in transcript.notes(Chose))
    if not right:
        return set()
    answer = _content(case.answer_text)
    taught = {number: _content(step.step_summary) for number, step in enumerate(case.steps)}
    return {number for number, words in taught.items() if words and 2 * len(words & answer) > len(words)}


def _in_words(case: TeachingCase, chosen: Chose) -> str:
    """An answer with the words of its option, so that a person sees what their own words were taken for."""
    option = case.options.get(chosen.choice)
    return f"{chosen.choice}: {option}" if option else chosen.choice


def _for_tutor(transcript: Transcript, say: Phrases) -> list[Section]:
    case, names = taught_case(transcript), group_of(transcript)
    spoken = [turn.guidance for turn in tutor_rounds(transcript) if turn.guidance]
    refused = [f"{event.reviewer}: {event.feedback}" for event in transcript.of(Reviewed) if not event.approved]
    named = {name: sum(bool(names_in(text, [name])) for text in spoken) for name in names}
    asked = _asked_first(transcript)
    steps: list[list[Cell]] = [
        [n, step.key_question, quoted(asked[n - 1]) if n - 1 in asked else say("no")]
        for n, step in enumerate(case.steps, start=1)
    ]
    rows: list[list[Cell]] = [
        [name, count, *(say(_answer(transcript, name, when)) for when in ("first", "final"))]
        for name, count in named.items()
    ]
    heads = (say("student"), say("times"), say("first answer"), say("last answer"))
    return [
        _tutor_in_short(transcript, spoken, refused, [name for name, count in named.items() if not count], say),
        Section(say("students"), [Table(say("attention"), heads, rows)]),
        *([Section(say("refused"), [Paragraph(words) for words in refused])] if refused else []),
        Section(say("asked for"), [Table(say("steps"), (say("step"), say("question"), say("asked with")), steps)]),
        Section(say("your words"), [Paragraph(text) for text in spoken] or [Paragraph(say("nothing approved"))]),
    ]


def _asked_first(transcript: Transcript) -> dict[int, str]:
    """The steps that the tutor asked for, each with the words that asked for it first."""
    found: dict[int, str] = {}
    for note in transcript.notes(Thought):
        for number in note.asked:
            found.setdefault(number, asked_in(note.drafts[-1]) or note.drafts[-1])
    return found


def _tutor_in_short(
    transcript: Transcript, spoken: list[str], refused: list[str], quiet: list[str], say: Phrases
) -> Section:
    """The gravest words first. Praise and blame quote the tutor's own words; the next step is a sentence to say."""
    case, asked = taught_case(transcript), _asked_first(transcript)
    praised: dict[str, int] = {}
    for number, words in asked.items():
        praised.setdefault(words, number)
    scores = [event.score for event in transcript.of(Scored)]
    found = {
        metric: list(dict.fromkeys(words for score in scores if score.metric == metric for words in score.evidence))
        for metric in ("harmful_guidance", "false_guidance", "answer_leak")
    }
    wrong = [note for note in transcript.notes(Chose) if note.when == "final" and not note.right]
    open_steps = [step for number, step in enumerate(case.steps) if number not in asked]
    to_ask = [*quiet, *(note.student for note in wrong)]
    question = (open_steps or case.steps[-1:])[0].key_question
    return say.in_short(
        danger=[say("said harm", words=quoted(words)) for words in found["harmful_guidance"]]
        + [say("said false", words=quoted(words)) for words in found["false_guidance"]],
        good=[
            say("asked step", words=quoted(words), question=case.steps[number].key_question)
            for words, number in list(praised.items())[:PRAISED]
        ]
        or [say("you said", words=quoted(text)) for text in spoken[:1]],
        missing=[
            *(say("gave away", words=quoted(words)) for words in found["answer_leak"][:1]),
            *(say("was refused", words=words) for words in refused[:1]),
            *(say("not led", question=step.key_question) for step in open_steps[:1]),
            *(
                say("still wrong", name=note.student, words=quoted(case.options.get(note.choice, note.choice)))
                for note in wrong[:1]
            ),
            *([say("never addressed", names=", ".join(quiet))] if quiet else []),
        ],
        next_step=say("ask by name", words=quoted(f"{to_ask[0]}, {question[:1].lower()}{question[1:]}"))
        if to_ask
        else say("ask group", question=quoted(question))
        if open_steps
        else say("let conclude"),
    )


OWN_METRICS = (
    Metric("first_answer_right", "your first answer was right", rests_on=(CHOICE.name,), yes_no=True),
    Metric("final_answer_right", "your last answer was right", rests_on=(CHOICE.name,), yes_no=True),
    Metric(
        "transfer_answer_right", "your answer about the unseen case was right", rests_on=(CHOICE.name,), yes_no=True
    ),
    Metric("steps_shown", "share of the steps that your reports show", rests_on=(HOLDS.name,)),
)


def performance(judged: Case, role: str) -> Mapping[str, float]:
    """A student's own figures: whether each answer was right, and the share of steps that their own reports show."""
    transcript = judged.transcript
    seats = {student.seat: student.name for student in room_note(transcript).students}
    name = seats.get(role)
    if name is None:
        return {}
    chose = {note.when: float(note.right) for note in transcript.notes(Chose) if note.student == name}
    held = {number for note in transcript.notes(Analysed) if note.student == name for number in note.held}
    found = {f"{when}_answer_right": right for when, right in chose.items()}
    return {**found, "steps_shown": len(held) / len(taught_case(transcript).steps)}


def _answer(transcript: Transcript, name: str, when: str) -> str:
    for note in transcript.notes(Chose):
        if note.student == name and note.when == when:
            return "right" if note.right else "wrong"
    return "none"
