"""What offline staff do at each stage: the moves, and the facts inserted into them. The wording is in `voices`."""

from __future__ import annotations

from polyclinic.clinics.duty.prompts.people import ActTurn
from polyclinic.clinics.duty.rules.knowledge import knowledge
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
_UNNAMED = "the rest of the results"
"""What a player does not know if its prompt names no open point."""


def moves(prompt: ActTurn) -> list[Move]:
    """The moves of this stage for this role, filled from the player's own prompt."""
    names = list(_STAGES[prompt.steers.stage])
    if prompt.role == "trainee" and prompt.steers.stage in ("plan", "explain"):
        names.insert(1, "alone")
    if prompt.steers.task != "T1":
        names = [name for name in names if name not in _ONLY_T1]
    if not in_danger(prompt):
        names = [_QUIET.get(name, name) for name in names]
    words, known = _fillings(prompt), voice(prompt.steers.voice).moves
    found = []
    for move in (known[name] for name in names if name):
        good, bad = _filled(move.good, words), _filled(move.bad, words)
        if good or bad or move.habit:
            found.append(Move(good=good, habit=move.habit, bad=bad))
    return found


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
        "level": str(min((fact.level for fact in knowledge().red_flags(_told(prompt))), default=4)),
    }


def _told(prompt: ActTurn) -> str:
    """What this player has read and heard about the patient."""
    heard = [line.text for line in prompt.steers.dialogue if line.speaker != "admin"]
    return " ".join((*prompt.view.knows, *heard))


def in_danger(prompt: ActTurn) -> bool:
    """Whether what this player has read and heard holds a danger sign.

    Any clinician knows these signs, with or without the reference facts.
    """
    return prompt.role != "admin" and bool(knowledge().red_flags(_told(prompt)))
