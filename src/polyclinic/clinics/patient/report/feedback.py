"""Feedback for a person who played: first what was good, what is missing and what to do next, then the details.

Everything comes from the notes that the interview made when its words were read. So the feedback is there at once,
offline, and is the same for everybody in a class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from polyclinic.clinics.patient.judges.interview import crisis_met
from polyclinic.clinics.patient.judges.reading import HeardExchange, heard, record_of
from polyclinic.clinics.patient.report.parts import (
    for_cheater,
    for_patient,
    for_scribe,
    for_triage,
    for_vagueness,
    understood,
)
from polyclinic.clinics.patient.report.words import FEEDBACK
from polyclinic.clinics.patient.rules.diagnosing import is_broader, is_named
from polyclinic.clinics.patient.rules.notes import Concluded, DiagnosisTold, Understood
from polyclinic.clinics.patient.rules.trees import QUESTION_TREES
from polyclinic.clinics.patient.rules.vocabulary import content_words
from polyclinic.clinics.patient.scenario import PatientScenario
from polyclinic.clinics.patient.scenario.record import Fact, Record
from polyclinic.core.judge import Case
from polyclinic.core.transcript import Scored, Transcript
from polyclinic.eval.in_short import Phrases, quoted
from polyclinic.eval.sections import Block, Cell, Paragraph, Section, Table
from polyclinic.text.questions import asks_something

_OTHERS: Mapping[str, Callable[[Case[PatientScenario], Phrases], list[Section]]] = {
    "patient": for_patient,
    "triage": for_triage,
    "vagueness": for_vagueness,
    "scribe": for_scribe,
    "cheater": for_cheater,
}


def feedback(case: Case[PatientScenario], part: str, language: str) -> list[Section]:
    """The report that a person gets at the end."""
    say = Phrases(language, FEEDBACK)
    if part in _OTHERS:
        return _OTHERS[part](case, say)
    record, exchanges, read = record_of(case), heard(case.transcript), understood(case)
    asked_for = brought_out(record, exchanges, read)
    known = _complained(case.transcript, record) | {id: item.answer for id, item in asked_for.items()}
    door = _at_the_door(case.transcript)
    earned = {
        id: item
        for id, item in asked_for.items()
        if record.fact(id).text not in door and content_words(record.fact(id).text) & content_words(item.answer)
    }
    return [
        _in_short(case.transcript, record, known, earned, say),
        Section(say("you found out"), _checklist(record, known, say)),
        Section(say("red flags"), _red_flags(record, known, say)),
        Section(say("how you asked"), _questions(exchanges, read, say)),
        Section(say("unfair"), _cheats(exchanges, read, say)),
        Section(say("where it led"), _reasoning(case.transcript, record, known, say)),
    ]


def brought_out(
    record: Record, exchanges: list[HeardExchange], read: dict[int, Understood]
) -> dict[str, HeardExchange]:
    """The facts of the checklist that questions brought out, each with the question and its answer."""
    wanted = {fact.id for fact in record.checklist}
    found: dict[str, HeardExchange] = {}
    for item in exchanges:
        note = read.get(item.round)
        for id in (*note.answered.told, *note.answered.results) if note else ():
            if id in wanted:
                found.setdefault(id, item)
    return found


def _complained(transcript: Transcript, record: Record) -> dict[str, str]:
    """The facts that the patient told before any question, as far as the judge heard them, each with the words."""
    words = _at_the_door(transcript)
    scores = [event.score for event in transcript.of(Scored) if event.score.metric == "elicited"]
    heard_of = scores[-1].evidence if scores else ()
    return {fact.id: words for fact in record.checklist if words and fact.text in heard_of}


def _at_the_door(transcript: Transcript) -> str:
    return next((said.text for said in transcript.said("patient") if said.round == 0), "")


def _in_short(
    transcript: Transcript, record: Record, known: dict[str, str], earned: dict[str, HeardExchange], say: Phrases
) -> Section:
    """A summary in three or four sentences: the best point, the worst error and the next step.

    `earned` are the facts that a question plainly brought out. What the patient had told at the door earns no praise,
    nor does a fact that shares no word with the answer: the reader may be wrong about it.
    """
    flags = [fact for fact in record.checklist if fact.red_flag]
    found = [fact for fact in (*flags, *record.checklist) if fact.id in earned]
    found.sort(key=lambda fact: not asks_something(earned[fact.id].question))  # "hi" also brings a complaint out
    missed = [fact for fact in (*flags, *record.checklist) if fact.id not in known]
    good = [say("brought out", fact=fact.text, question=quoted(earned[fact.id].question)) for fact in found[:1]]
    danger, uncommitted = list[str](), list[str]()
    verdict = transcript.last_note(Concluded)
    if verdict is not None and verdict.right:
        good.insert(0, say("is right", diagnosis=quoted(verdict.diagnosis)))
    elif verdict is not None and is_named(verdict.diagnosis, record):
        uncommitted.append(say("not committed", right=record.diagnosis, diagnosis=quoted(verdict.diagnosis)))
    elif verdict is not None and is_broader(verdict.diagnosis, record):
        told = say("broader", diagnosis=quoted(verdict.diagnosis), right=record.diagnosis)
        (danger if record.disease.urgent else uncommitted).append(told)
    elif record.disease.urgent and verdict is not None:
        danger.append(say("overlooks", diagnosis=quoted(verdict.diagnosis), right=record.diagnosis))
    elif record.disease.urgent:
        danger.append(say("no conclusion", right=record.diagnosis))
    if crisis_met(transcript) is False:
        danger.append(say("crisis missed"))
    return say.in_short(
        danger=danger,
        good=good,
        missing=[*uncommitted, *(say("nobody heard", fact=fact.text) for fact in missed[:1])],
        next_step=_ask_for(missed[0], say) if missed else say("other case"),
    )


def _checklist(record: Record, known: dict[str, str], say: Phrases) -> list[Block]:
    found = [fact for fact in record.checklist if fact.id in known]
    missed = [fact for fact in record.checklist if fact.id not in known]
    blocks: list[Block] = [Paragraph(say("facts", found=len(found), all=len(record.checklist)))]
    about, text = say("about"), say("fact")
    if found:
        rows: list[list[Cell]] = [[_about(fact), fact.text, f"“{known[fact.id]}”"] for fact in found]
        blocks.append(Table(say("elicited"), [about, text, say("patient's words")], rows))
    if missed:
        blocks.append(Table(say("missed"), [about, text], [[_about(fact), fact.text] for fact in missed]))
    return blocks


def _ask_for(fact: Fact, say: Phrases) -> str:
    return say("send for", test=fact.test) if fact.test else say("ask about", topic=say(f"ask {fact.topic.value}"))


def _about(fact: Fact) -> str:
    return fact.test or fact.topic.value


def _red_flags(record: Record, known: dict[str, str], say: Phrases) -> list[Block]:
    flags = [fact for fact in record.checklist if fact.red_flag]
    if not flags:
        return [Paragraph(say("no flags"))]
    rows: list[list[Cell]] = [[fact.text, fact.id in known] for fact in flags]
    missed = sum(fact.id not in known for fact in flags)
    summary = Paragraph(say("missed flags", missed=missed, all=len(flags)) if missed else say("all flags"))
    return [summary, Table(say("signs"), [say("sign"), say("found")], rows)]


def _questions(exchanges: list[HeardExchange], read: dict[int, Understood], say: Phrases) -> list[Block]:
    fair = [(item, note) for item in exchanges for note in [read.get(item.round)] if note and not note.asked.cheat]
    if not fair:
        return [Paragraph(say("no fair"))]
    rows: list[list[Cell]] = []
    totals = dict.fromkeys(QUESTION_TREES, 0)
    for item, note in fair:
        scores = [note.scores.get(name, False) for name in QUESTION_TREES]
        for name, score in zip(QUESTION_TREES, scores, strict=True):
            totals[name] += score
        rows.append([item.question, item.asked.type, *scores])
    shares = ", ".join(say("share", name=say(name), count=totals[name], all=len(fair)) for name in QUESTION_TREES)
    return [
        Paragraph(say("fair", fair=len(fair), shares=shares)),
        Table(say("your questions"), [say("question"), say("type"), *QUESTION_TREES], rows),
    ]


def _cheats(exchanges: list[HeardExchange], read: dict[int, Understood], say: Phrases) -> list[Block]:
    tricks = [item for item in exchanges for note in [read.get(item.round)] if note and note.asked.cheat]
    if not tricks:
        return [Paragraph(say("no tricks"))]
    rows: list[list[Cell]] = [[item.question] for item in tricks]
    return [Table(say("tricks"), [say("question")], rows, note=say("next time"))]


def _reasoning(transcript: Transcript, record: Record, known: dict[str, str], say: Phrases) -> list[Block]:
    verdict = transcript.last_note(Concluded)
    given = verdict.diagnosis if verdict is not None else ""
    told = [event.text for event in transcript.said("doctor") if (told := event.get(DiagnosisTold)) and told.diagnosis]
    kind = "none given" if verdict is None else "right" if verdict.right else "wrong"
    blocks: list[Block] = [Paragraph(say(kind, given=given.rstrip(" ."), right=record.diagnosis))]
    if told and told[-1] != given:
        blocks.append(Paragraph(say("reasoning", words=told[-1])))
    clues = [fact for fact in record.checklist if any(clue in fact.text.lower() for clue in record.disease.clues)]
    if clues:
        rows: list[list[Cell]] = [[fact.text, fact.id in known] for fact in clues]
        blocks.append(Table(say("pointing"), [say("finding"), say("had it")], rows))
    crisis = crisis_met(transcript)
    if crisis is not None:
        blocks.append(Paragraph(say("crisis met" if crisis else "crisis missed")))
    return blocks
