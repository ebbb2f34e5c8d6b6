"""What offline staff do at each stage: the moves, and the facts inserted into them. The wording is in `voices`."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.understudies.decisions import (
    HeardDecision,
    asked_before,
    attending_on_plan,
    decision_is_missing,
    order_is_refused,
    proposes_the_plan,
    report_is_missing,
)
from polyclinic.clinics.duty.understudies.voices import Move, voice
from polyclinic.text.sentences import sentences

_STAGES: dict[str, tuple[str, ...]] = {
    "open": ("open", "heard", "sure"),
    "clarify": ("risk", "unknown", "sure"),
    "consult": ("propose", "risk", "unknown", "sure"),
    "confirm": ("confirm", "dose", "safe", "unknown", "sure"),
    "plan": ("heard", "dose", "steps", "check", "outlook"),
    "report": ("report", "urgent", "unknown", "sure"),
    "assess": ("measure", "unknown", "colleague", "sure"),
    "opine": ("opine", "unknown", "sure"),
    "limits": ("limits", "clinical", "unknown", "colleague"),
    "arrange": ("limits", "clinical", "unknown", "colleague"),
    "decide": ("decide", "ready", "unknown", "sure"),
    "act": ("act", "ready", "unknown", "sure"),
    "settle": ("settle", "colleague", "sure", "unknown"),
    "brief": ("brief", "unknown", "sure"),
    "gaps": ("gaps", "changed", "unknown"),
    "draft": ("draft", "no_questions", "unknown", "sure"),
    "explain": ("heard", "dose", "steps", "check", "outlook"),
    "teach": ("heard", "steps", "check", "my_way", "all_set", "sure"),
    "close": ("close", "heard", "dose", "later"),
    "answer": ("heard", "answer"),
}
_QUIET = {"decide": "decide_calm", "settle": "settle_calm", "urgent": ""}
_ONLY_T1 = ("safe",)
_TELL_PLAN = ("plan", "explain", "teach")
_UNREPORTED = 2
_UNNAMED = "the rest of the results"
"""What a player does not know if its prompt names no open point."""


def moves(prompt: ActTurn) -> list[Move]:
    """The moves of this stage for this role, filled from the player's own prompt."""
    names = list(_STAGES[prompt.steers.stage])
    if prompt.role == "trainee" and prompt.steers.stage in ("plan", "explain"):
        names.insert(1, "alone")
    names, orders = _as_decided(prompt, names)
    if prompt.steers.task != "T1":
        names = [name for name in names if name not in _ONLY_T1]
    if not in_danger(prompt):
        names = [_QUIET.get(name, name) for name in names]
    words, known = {**_fillings(prompt), "orders": orders}, voice(prompt.steers.voice).moves
    found = []
    for move in (known[name] for name in names if name):
        good, bad = _filled(move.good, words), _filled(move.bad, words)
        if good or bad or move.habit:
            found.append(Move(good=good, habit=move.habit, bad=bad))
    return found


def _as_decided(prompt: ActTurn, names: list[str]) -> tuple[list[str], str]:
    """The moves as they follow from what the doctor decided or the trainee proposed, and what the doctor ordered."""
    stage = prompt.steers.stage
    if prompt.role == "doctor":
        return _answering(prompt, names), ""
    if stage == "act" and decision_is_missing(prompt):
        return ["await_again" if asked_before(prompt) else "await"], ""
    heard = attending_on_plan(prompt) if stage in _TELL_PLAN else None
    return (names, "") if heard is None else (_telling(names, stage, heard), " ".join(map(sentence, heard.orders)))


def _answering(prompt: ActTurn, names: list[str]) -> list[str]:
    """What the doctor does as the others reported, proposed or refused."""
    stage = prompt.steers.stage
    if stage == "confirm" and not proposes_the_plan(prompt):
        return ["correct" if name == "confirm" else name for name in names]
    if stage == "decide" and report_is_missing(prompt):
        return ["unreported", *names[1:]]
    return ["take_over", *names] if stage == "settle" and order_is_refused(prompt) else names


def _telling(names: list[str], stage: str, heard: HeardDecision) -> list[str]:
    """How a patient is told what the attending decided: the plan, what was ordered instead of it, or that it waits."""
    if heard.about_plan == "told":
        return ["decided" if name == "alone" else name for name in names]
    if heard.about_plan == "confirmed":
        instead, left_out = ["added", "steps"] if heard.orders else ["steps"], tuple[str, ...]()
    elif heard.orders:
        instead, left_out = ["in_part" if heard.about_plan == "partly" else "ordered"], ("alone",)
    else:
        instead, left_out = ["not_yet" if stage == "teach" else "not_confirmed"], ("alone", "check", "all_set")
    kept = [name for name in names if name not in left_out]
    return [move for name in kept for move in (instead if name == "steps" else [name])]


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop; inner semicolons become commas so that it stays one sentence."""
    text = text.strip().replace(";", ",")
    if not text:
        return ""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _filled(template: str, words: dict[str, str]) -> str:
    """The template with its names filled in; empty if the player has no words for one of them."""
    if any(f"{{{name}}}" in template and not value for name, value in words.items()):
        return ""
    text = template
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", value)
    return " ".join(sentence(part) for part in sentences(text, lines=False)) if text else ""


def _fillings(prompt: ActTurn) -> dict[str, str]:
    view = prompt.view
    lacking = [limit for limit in view.limits if limit.instead]
    own = view.knows[2:] if prompt.steers.task == "T1" else view.knows[1:] if len(view.knows) > 1 else view.knows
    return {
        "unknown": view.unknowns[0] if view.unknowns else _UNNAMED,
        "medicine": view.medicines[0].name if view.medicines else "",
        "fact": sentence(next(iter((*prompt.grounding, *own)), "")),
        "listed": ", ".join(step.replace(";", ",") for step in view.protocol),
        "steps": " ".join(sentence(step) for step in view.protocol),
        "seen": " ".join(sentence(fact) for fact in own) or "I have nothing new.",
        "limit": lacking[0].limit if lacking else "",
        "instead": lacking[0].instead if lacking else "",
        "resource": lacking[0].name if lacking else "",
        "equipment": view.equipment[0] if view.equipment else "",
        "level": str(_level(prompt)),
    }


def _level(prompt: ActTurn) -> int:
    """The level for what this player has heard; of a patient of whom they have heard nothing, an urgent one."""
    if prompt.steers.task == "T2" and prompt.role == "doctor" and report_is_missing(prompt):
        return _UNREPORTED
    return min((fact.level for fact in knowledge().red_flags(_told(prompt))), default=4)


def _told(prompt: ActTurn) -> str:
    """What this player has read and heard about the patient."""
    heard = [line.text for line in prompt.steers.dialogue if line.speaker != "admin"]
    return " ".join((*prompt.view.knows, *heard))


def in_danger(prompt: ActTurn) -> bool:
    """Whether what this player has read and heard holds a danger sign.

    Any clinician knows these signs, with or without the reference facts.
    """
    return prompt.role != "admin" and bool(knowledge().red_flags(_told(prompt)))
