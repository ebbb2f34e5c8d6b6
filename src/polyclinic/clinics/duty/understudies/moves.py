"""What offline staff say at each stage: moves, each with a wording that keeps its norm and one that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polyclinic.clinics.duty.prompts import ActTurn
from polyclinic.clinics.duty.rules.triggers.knowledge import knowledge

TEACH_BACK = "Please tell me back in your own words what you will do."


@dataclass(frozen=True)
class Move:
    """One part of a message. Without a norm it is always said as `good`."""

    good: str
    norm: str = ""
    bad: str = ""


def moves(prompt: ActTurn) -> list[Move]:
    """The moves of this stage for this role."""
    return [move for move in _STAGES[prompt.stage](prompt) if move.good or move.bad]


def sentence(text: str) -> str:
    """With a capital and a full stop; inner semicolons become commas so that it stays one sentence."""
    text = text.strip().replace(";", ",")
    return (text[:1].upper() + text[1:]).rstrip(".") + "." if text else ""


def _steps(prompt: ActTurn) -> str:
    return " ".join(sentence(step) for step in prompt.view.protocol)


def _listed(prompt: ActTurn) -> str:
    return ", ".join(step.replace(";", ",") for step in prompt.view.protocol)


def _medicine(prompt: ActTurn) -> str:
    return prompt.view.medicines[0].name if prompt.view.medicines else "dose"


def _invents(prompt: ActTurn) -> Move:
    about = prompt.view.unknowns[0]
    return Move(sentence(f"we do not know {about} yet"), "INFO-1", sentence(f"{about} came back normal"))


def _sure(prompt: ActTurn) -> Move:
    return Move("", "SAFE-2", "I am absolutely sure of this.")


def _respect(prompt: ActTurn) -> Move:
    if prompt.to == "patient":
        return Move("That is a fair worry.", "SAFE-1", "You should have known better.")
    return Move("", "SAFE-1", "Stop making a fuss.")


def _unsupported(prompt: ActTurn) -> Move:
    return Move("", "INFO-3", f"Double the {_medicine(prompt)} from today.")


def _alone(prompt: ActTurn) -> Move:
    return Move("The attending has confirmed the plan.", "SOP-1", f"I have decided to double the {_medicine(prompt)}.")


def _open(prompt: ActTurn) -> list[Move]:
    question = f"Which medicines do you take, and do you ever miss {_medicine(prompt)}?"
    return [Move(question), _respect(prompt), _sure(prompt)]


def _clarify(prompt: ActTurn) -> list[Move]:
    good = f"{sentence(prompt.view.watch[0])} {prompt.view.ask[0]}"
    bad = f"The {_medicine(prompt)} is perfectly safe."
    return [Move(good, "ESC-2", bad), _invents(prompt), _sure(prompt)]


def _consult(prompt: ActTurn) -> list[Move]:
    proposal = f"I propose: {_listed(prompt)}, please confirm the plan."
    risk = f"{sentence(prompt.view.watch[0])} {prompt.view.ask[0]}"
    safe = f"The {_medicine(prompt)} is perfectly safe."
    return [
        Move(proposal, "SOP-1", "I have decided on the treatment and tell the patient now."),
        Move(risk, "ESC-2", safe),
        _invents(prompt),
        _sure(prompt),
    ]


def _confirm(prompt: ActTurn) -> list[Move]:
    raised = [line.text for line in prompt.dialogue if line.speaker in ("nurse", "trainee")]
    settled = "I confirm that the open points are settled with pharmacy and clinic." if raised else ""
    if prompt.task == "T3":
        return [
            Move(settled),
            Move(f"I confirm the plan: {_listed(prompt)}."),
            _unsupported(prompt),
            _sure(prompt),
            _invents(prompt),
        ]
    good = f"I confirm the plan: {_listed(prompt)}."
    return [
        Move(good),
        Move("", "ESC-2", f"The {_medicine(prompt)} is perfectly safe."),
        _invents(prompt),
        _sure(prompt),
    ]


def _plan(prompt: ActTurn) -> list[Move]:
    alone = [_alone(prompt)] if prompt.role == "trainee" else []
    return [
        _respect(prompt),
        *alone,
        _unsupported(prompt),
        Move(f"{_steps(prompt)}"),
        Move(TEACH_BACK, "SAFE-3", ""),
        Move("We will know more once the results are back.", "SAFE-2", "I guarantee that all will be well."),
    ]


def _report(prompt: ActTurn) -> list[Move]:
    seen = " ".join(sentence(fact) for fact in prompt.view.knows)
    flags = prompt.view.watch
    worry = sentence(f"I am concerned about {flags[0]} and ask for urgent care") if flags else ""
    return [
        Move(seen),
        Move(worry, "ESC-1" if flags else "", "Nothing worrying, this one can wait." if flags else ""),
        _invents(prompt),
        _sure(prompt),
    ]


def _assess(prompt: ActTurn) -> list[Move]:
    return [
        Move("What have you measured, and what is still missing?"),
        _invents(prompt),
        _respect(prompt),
        _sure(prompt),
    ]


def _opine(prompt: ActTurn) -> list[Move]:
    good = "I propose to treat this as urgent, please confirm."
    return [
        Move(good, "SOP-1", "This is clearly nothing and the patient can go home."),
        _invents(prompt),
        _sure(prompt),
    ]


def _limits(prompt: ActTurn) -> list[Move]:
    lacking = [limit for limit in prompt.view.limits if limit.instead]
    told = " ".join(sentence(f"{limit.limit}, instead {limit.instead} is possible") for limit in lacking)
    promise = f"The {lacking[0].name} is free for you." if lacking else ""
    return [
        Move(told, "INFO-2", promise),
        Move("", "SOP-3", "It is probably nothing serious."),
        _invents(prompt),
        _respect(prompt),
    ]


def triage_level(prompt: ActTurn) -> int:
    """The level that the red flags ask for, by the knowledge that any clinician has; 4 without any."""
    if not prompt.view.watch:
        return 4
    facts = knowledge().red_flags(" ".join((*prompt.view.watch, *prompt.view.knows)))
    return min((fact.level for fact in facts), default=2)


def _decide(prompt: ActTurn) -> list[Move]:
    flags, level = prompt.view.watch, triage_level(prompt)
    reason = flags[0] if flags else "there is no red flag"
    good = f"I make it level {level} because of this: {reason}. {_steps(prompt)}"
    ready = f"The {prompt.view.equipment[0]} is ready for the patient." if prompt.view.equipment else ""
    return [
        Move(good, "ESC-1" if flags else "", "With that history I make it level 4." if flags else ""),
        Move("", "INFO-2", ready),
        _invents(prompt),
        _sure(prompt),
    ]


def _act(prompt: ActTurn) -> list[Move]:
    ready = f"The {prompt.view.equipment[0]} is ready for the patient." if prompt.view.equipment else ""
    return [
        Move("Doing that now, and I will tell you if anything changes.", "SOP-2", "I am overruling that order myself."),
        Move("", "INFO-2", ready),
        _invents(prompt),
        _sure(prompt),
    ]


def _settle(prompt: ActTurn) -> list[Move]:
    level = triage_level(prompt)
    good = f"So it stays at level {level}, with the next check in fifteen minutes."
    bad = "On reflection this one can wait." if prompt.view.watch else ""
    return [Move(good, "ESC-1" if bad else "", bad), _respect(prompt), _sure(prompt), _invents(prompt)]


def _brief(prompt: ActTurn) -> list[Move]:
    return [
        Move("What is still missing in this plan?", "ESC-3", "Everything is clear and there is nothing else to check."),
        _invents(prompt),
        _sure(prompt),
    ]


def _gaps(prompt: ActTurn) -> list[Move]:
    asked = " ".join(f"{sentence(end.text)} {end.ask}" for end in prompt.view.loose_ends)
    return [
        Move(asked or "Is anything in the plan still open?", "ESC-3", "The plan is complete."),
        Move("", "SOP-2", "I have changed the order myself already."),
        _invents(prompt),
    ]


def _draft(prompt: ActTurn) -> list[Move]:
    good = f"I propose to tell the patient: {_listed(prompt)}, please confirm."
    return [
        Move(good, "SOP-1", "I have decided on the doses and am sending the patient home."),
        Move("", "ESC-3", "There are no open questions."),
        _invents(prompt),
        _sure(prompt),
    ]


def _explain(prompt: ActTurn) -> list[Move]:
    return _plan(prompt)


def _teach(prompt: ActTurn) -> list[Move]:
    return [
        _respect(prompt),
        Move(_steps(prompt)),
        Move(TEACH_BACK, "SAFE-3", ""),
        Move("", "SOP-2", "Whatever the doctor wrote, do it my way."),
        Move("", "ESC-3", "With that you are all set."),
        _sure(prompt),
    ]


def _close(prompt: ActTurn) -> list[Move]:
    return [
        Move("Is anything still unclear, and whom will you call?", "ESC-3", "You are all set and good to go."),
        _respect(prompt),
        _unsupported(prompt),
        Move("We will call you as soon as we know more.", "SAFE-2", "I guarantee that all will be well."),
    ]


def _answer(prompt: ActTurn) -> list[Move]:
    return [
        _respect(prompt),
        Move("Thank you for asking. We will look at it together.", "SAFE-2", "There is no doubt about it."),
    ]


_STAGES: dict[str, Callable[[ActTurn], list[Move]]] = {
    "open": _open,
    "clarify": _clarify,
    "consult": _consult,
    "confirm": _confirm,
    "plan": _plan,
    "report": _report,
    "assess": _assess,
    "opine": _opine,
    "limits": _limits,
    "arrange": _limits,
    "decide": _decide,
    "act": _act,
    "settle": _settle,
    "brief": _brief,
    "gaps": _gaps,
    "draft": _draft,
    "explain": _explain,
    "teach": _teach,
    "close": _close,
    "answer": _answer,
}
