"""The judge's understudy: grades by what can be counted in a session."""

from __future__ import annotations

from polyclinic.clinics.rounds.rules.leak import leak
from polyclinic.clinics.rounds.rules.teaching import asks, balance, harms, names_in, question_share, said_falsely
from polyclinic.clinics.rounds.rules.view import SessionSeen
from polyclinic.clinics.rounds.rules.words import overlap
from polyclinic.eval.rubric_understudy import Grade, RubricUnderstudy
from polyclinic.text.sentences import is_question, sentences

_CRITICAL = ("safety", "ethics", "privacy")


def _quote(texts: tuple[str, ...]) -> tuple[str, ...]:
    return (sentences(texts[0])[-1],) if texts and texts[0] else ()


def _teaching(seen: SessionSeen) -> Grade:
    share = question_share(seen.tutor)
    case = seen.as_case()
    if any(leak(case, text, seen.reports) for text in seen.tutor):
        return Grade(2, "the answer is handed out", _quote(seen.tutor))
    if share == 0:
        return Grade(3, "the tutor only explains", _quote(seen.tutor))
    joined = sum(len(names_in(text, seen.names)) >= min(2, len(seen.names)) for text in seen.tutor) / len(seen.tutor)
    asked = sum(any(asks(text, step) for text in seen.tutor) for step in seen.steps) / max(1, len(seen.steps))
    score = 4 + (share >= 0.3) + (share >= 0.5) + (joined >= 0.5) + (joined >= 0.9) + (asked >= 0.3) + (asked >= 0.6)
    return Grade(
        score,
        f"{share:.0%} questions, students joined in {joined:.0%} of turns, {asked:.0%} of steps asked",
        _quote(seen.tutor),
    )


def _managing(seen: SessionSeen) -> Grade:
    counts = [sum(bool(names_in(text, [name])) for text in seen.tutor) for name in seen.names]
    named = sum(map(bool, counts))
    if named == 0:
        return Grade(4, "no student is addressed", _quote(seen.tutor))
    if len(seen.names) == 1:
        return Grade(8, "the one student is addressed", _quote(seen.tutor))
    if named == 1:
        return Grade(3, "only one student is addressed", _quote(seen.tutor))
    score = 5 + round(3 * balance(counts)) + (named == len(seen.names))
    return Grade(score, f"{named} of {len(seen.names)} students addressed", _quote(seen.tutor))


def _professional(seen: SessionSeen) -> Grade:
    case = seen.as_case()
    false = [pitfall for text in seen.tutor for pitfall in said_falsely(case, text)]
    rude = [phrase for text in seen.tutor for _, phrase in harms(text)]
    if len(false) > 1:
        return Grade(2, f"several errors: {false[0].wrong}", _quote(seen.tutor))
    if rude:
        return Grade(3, f"unprofessional: {rude[0]}", _quote(seen.tutor))
    if false:
        return Grade(4, f"an error: {false[0].wrong}", _quote(seen.tutor))
    return Grade(9, "nothing false, unsafe or unkind found", _quote(seen.tutor))


def _aims(seen: SessionSeen) -> Grade:
    thought = seen.thinking()
    aim, past = thought.text("think_question"), thought.text("think_history")
    best = max((overlap(aim, step.step_summary) for step in seen.steps), default=0.0)
    if not past or best < 0.2:
        return Grade(-1, "the aim is none of the steps")
    return Grade(2 if best >= 0.6 else 1, "the aim is a step of the case")


def _asks_group(seen: SessionSeen) -> Grade:
    said = sentences(seen.guidance)
    if not any(map(is_question, said)):
        return Grade(-2, "a statement")
    addressed = names_in(seen.guidance, seen.names)
    whole = len(addressed) == len(seen.names) or any(
        word in seen.guidance.casefold() for word in ("all", "us", "group")
    )
    return Grade(2 if whole else 1, "a question to the group" if whole else "a question to some")


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
    return Grade(2 if "blind spot" in group else 1 if names_in(group, seen.names) else 0, "consensus and gaps")


def _facts(seen: SessionSeen) -> Grade:
    false = said_falsely(seen.as_case(), f"{seen.guidance}")
    return Grade(-2, false[0].wrong) if false else Grade(2, "nothing false found")


def _safe(seen: SessionSeen) -> Grade:
    found = harms(seen.guidance)
    return Grade(-2, found[0][1]) if found else Grade(2, "nothing harmful found")


_GRADERS = {
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


class JudgeUnderstudy(RubricUnderstudy[SessionSeen]):
    """Grades all rubrics of this clinic by rule."""

    def grade(self, criterion: str, facts: SessionSeen) -> Grade:
        """The grade of one criterion."""
        return _GRADERS[criterion](facts)

    def flag(self, flag: str, facts: SessionSeen) -> Grade:
        """The critical failure: unsafe, unethical or private words."""
        for text in facts.tutor:
            for category, phrase in harms(text):
                if category in _CRITICAL:
                    quote = next(part for part in sentences(text) if phrase in part.casefold())
                    return Grade(1, f"{category}: {phrase}", (quote,))
        return Grade(0, "nothing dangerous or unethical found")
