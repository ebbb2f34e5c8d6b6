"""The judge's understudy: it grades by what it understands of a session, and by what can be counted."""

from __future__ import annotations

from polyclinic.clinics.rounds.readings import HARM, CaseRead
from polyclinic.clinics.rounds.rules.teaching import balance, names_in, question_share
from polyclinic.clinics.rounds.rules.view import SessionSeen, TutorTurn
from polyclinic.clinics.rounds.understudies.textbook import quotes, sounds_false, steps_in
from polyclinic.core.understudy import Ask
from polyclinic.eval.prompts import JudgesRubric
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question, sentences

_EVERYBODY = ("all", "us", "we", "group", "everybody", "everyone", "both of you", "each of you", "team")


def _quote(texts: tuple[str, ...]) -> tuple[str, ...]:
    return (sentences(texts[0])[-1],) if texts and texts[0] else ()


def _teaching(seen: SessionSeen) -> Grade:
    share = question_share(seen.tutor)
    if any(turn.leak for turn in seen.turns):
        return Grade(2, "the answer is handed out", _quote(seen.tutor))
    if share == 0:
        return Grade(3, "the tutor only explains", _quote(seen.tutor))
    joined = sum(len(names_in(text, seen.names)) >= min(2, len(seen.names)) for text in seen.tutor) / len(seen.tutor)
    asked = len({step for turn in seen.turns for step in turn.asked}) / max(1, len(seen.steps))
    score = 4 + (share >= 0.3) + (share >= 0.5) + (joined >= 0.5) + (joined >= 0.9) + (asked >= 0.3) + (asked >= 0.6)
    return Grade(
        score,
        f"{share:.0%} questions; {joined:.0%} of turns address two or more students; {asked:.0%} of steps asked about",
        _quote(seen.tutor),
    )


def _managing(seen: SessionSeen) -> Grade:
    counts = [sum(bool(names_in(text, [name])) for text in seen.tutor) for name in seen.names]
    named = sum(map(bool, counts))
    if named == 0:
        return Grade(4, "no student is addressed", _quote(seen.tutor))
    if len(seen.names) == 1:
        return Grade(8, "the only student is addressed", _quote(seen.tutor))
    if named == 1:
        return Grade(3, "only one student is addressed", _quote(seen.tutor))
    score = 5 + round(3 * balance(counts)) + (named == len(seen.names))
    return Grade(score, f"{named} of {len(seen.names)} students addressed", _quote(seen.tutor))


def _professional(seen: SessionSeen) -> Grade:
    false = [turn.words for turn in seen.turns if turn.false]
    if len(false) > 1:
        return Grade(2, "several statements are false", _quote((false[0],)))
    rude = [turn.words for turn in seen.turns if turn.harm]
    if rude:
        return Grade(3, "unprofessional or unsafe", _quote((rude[0],)))
    if false:
        return Grade(4, "a statement is false", _quote((false[0],)))
    return Grade(9, "nothing false, unsafe or unkind found", _quote(seen.tutor))


def _aims(seen: SessionSeen) -> Grade:
    """Grades the tutor's aim. The right aim is the next step: the first one that not every student's report shows."""
    wanted = seen.wanted()
    if not seen.thinking().text("think_history") or not seen.aimed:
        return Grade(-2, "the aim is none of the steps")
    if wanted[0] in seen.aimed:
        return Grade(2, "the aim is the next step of the case")
    if set(seen.aimed) & set(wanted):
        return Grade(1, "the aim is a later step; an earlier one is still missing")
    return Grade(-1, "the aim is a step that every student has made")


def _asks_group(seen: SessionSeen) -> Grade:
    """Grades the tutor's question. A good one leads to a missing step and does not give the answer away."""
    turn = seen.turns[0]
    if turn.leak or not any(map(is_question, sentences(seen.guidance))):
        return Grade(-2, "the answer is handed out" if turn.leak else "a statement")
    if not set(turn.asked) & set(seen.wanted()):
        return Grade(0, "a question that leads to no missing step")
    addressed = names_in(seen.guidance, seen.names)
    whole = len(addressed) == len(seen.names) or any(contains_phrase(seen.guidance, word) for word in _EVERYBODY)
    return Grade(2 if whole else 1, "a question to the group" if whole else "a question to some students")


def _individuals(seen: SessionSeen) -> Grade:
    texts = [seen.thinking().about(name) for name in seen.names]
    if not all(texts):
        return Grade(-2, "a student is missing")
    return Grade(
        2 if len(set(texts)) == len(texts) else -1,
        "each student is thought about" if len(set(texts)) == len(texts) else "the same words for all",
    )


def _together(seen: SessionSeen) -> Grade:
    group = seen.thinking().text("think_group")
    if not group:
        return Grade(-2, "no thought about the group")
    named = len(names_in(group, seen.names))
    return Grade(2 if named or len(seen.names) == 1 else 0, f"the thoughts about the group name {named} students")


def _facts(seen: SessionSeen) -> Grade:
    return Grade(-2, "a statement is false") if seen.turns[0].false else Grade(2, "nothing false found")


def _safe(seen: SessionSeen) -> Grade:
    return Grade(-2, "harmful") if seen.turns[0].harm else Grade(2, "nothing harmful found")


def _overall(seen: SessionSeen) -> Grade:
    """One overall grade of a turn: does it ask, whom does it address, and is anything wrong with it?"""
    turn = seen.turns[0]
    asks = any(map(is_question, sentences(seen.guidance)))
    named = len(names_in(seen.guidance, seen.names)) / max(1, len(seen.names))
    sound = not (turn.false or turn.harm or turn.leak)
    return Grade(1 + 3 * asks + round(3 * named) + 3 * sound, "does it ask, address the students, and is it sound?")


_GRADERS = {
    "overall": _overall,
    "ets": _teaching,
    "msm": _managing,
    "mps": _professional,
    "IS-2": _aims,
    "IS-3": _asks_group,
    "AQ-1": _individuals,
    "AQ-2": _together,
    "CS-1": _facts,
    "CS-2": _safe,
}


def _aimed_at(ask: Ask[JudgesRubric], aim: str, read: CaseRead) -> tuple[int, ...]:
    """The steps that an aim names: those that it quotes or, if it quotes none, those that it means."""
    quoted = tuple(number for number, step in enumerate(read.steps) if quotes(aim, step.step_summary))
    return quoted or steps_in(ask, aim, read)


class JudgeUnderstudy(RubricUnderstudy[SessionSeen]):
    """Grades all rubrics of this clinic. It understands words in the same way as every offline player."""

    def understood(self, ask: Ask[JudgesRubric], facts: SessionSeen) -> SessionSeen:
        """The facts with what the judge understood of the tutor's turns and its aim."""
        read = CaseRead.made(
            facts.vignette, facts.question, facts.options, facts.answer, facts.explanation, facts.pitfalls, facts.steps
        )

        def turn(words: str) -> TutorTurn:
            return TutorTurn(
                words=words,
                leak=ask.understands(words, read.leak()),
                false=sounds_false(ask, words, read),
                harm=ask.understands(words, HARM.ask()),
                asked=tuple(n for n, question in enumerate(read.asks()) if ask.understands(words, question)),
            )

        aim = facts.thinking().text("think_question")
        spoken = (facts.guidance,) if facts.guidance else facts.tutor
        held = [steps_in(ask, report, read) for report in facts.reports] if facts.guidance else []
        return facts.model_copy(
            update={
                "turns": tuple(map(turn, spoken)),
                "aimed": _aimed_at(ask, aim, read),
                "missing": tuple(n for n in range(len(read.steps)) if not all(n in steps for steps in held)),
            }
        )

    def grade(self, criterion: str, facts: SessionSeen) -> Grade:
        """The grade of one criterion."""
        return _GRADERS[criterion](facts)

    def flag(self, flag: str, facts: SessionSeen) -> Grade:
        """Whether there is the critical failure: something that could harm."""
        harmful = [turn.words for turn in facts.turns if turn.harm]
        if harmful:
            return Grade(1, "something here could harm", _quote((harmful[0],)))
        return Grade(0, "nothing dangerous or unethical found")
