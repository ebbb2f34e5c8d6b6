"""Words that no model writes: the set message with local contacts, and what is said when every draft was refused."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from polyclinic.clinics.counsel.rules.trained import GuardLabel
from polyclinic.clinics.counsel.scenario import Lang, data
from polyclinic.clinics.counsel.state import PREFERENCES
from polyclinic.core.live import WhyRefused
from polyclinic.core.message import Frozen
from polyclinic.errors import ConfigError


class Contacts(Frozen):
    """Whom to call in a crisis. `crisis` is empty where no single number applies."""

    crisis: str
    crisis_name: dict[Lang, str]
    emergency: str | dict[Lang, str]
    note: dict[Lang, str]

    def emergency_in(self, lang: Lang) -> str:
        """The emergency number, or a description of what to call where there is no single number."""
        return self.emergency if isinstance(self.emergency, str) else self.emergency[lang]


def check_country(name: str) -> None:
    """Refuse what is no country code: its people would be given another list than the operator meant."""
    if not re.fullmatch("[A-Z]{2}", name):
        known = ", ".join(code for code in sorted(data("contacts")) if len(code) == 2)
        raise ConfigError(
            f"--set country={name}: write the country's code in two capital letters; those with contacts of their own "
            f"are {known}, all others get an international list"
        )


@cache
def contacts(country: str) -> Contacts:
    """The crisis contacts of a country, or those that apply almost everywhere."""
    table = data("contacts")
    return Contacts.model_validate(table.get(country) or table["default"])


def escalation_message(lang: Lang, country: str, label: GuardLabel = "active") -> str:
    """The set message. It says that automated talk stops, that a person was notified, and whom to call. A medical
    emergency, danger to others and abuse have their own messages.
    """
    return _with_contacts(label if label in data("messages") else "escalated", lang, country)


def refused_message(lang: Lang, country: str, why: WhyRefused) -> str:
    """Said when something that the person sent was not taken: why, what to do, and whom to call."""
    return f"{data('messages')['refused'][why.replace(' ', '_')][lang]} {_whom_to_call(lang, country)}"


def waiting_message(lang: Lang, country: str) -> str:
    """Said while an answer takes long: that the message has arrived, and whom to call."""
    return f"{data('messages')['waiting'][lang]} {_whom_to_call(lang, country)}"


def handover_message(lang: Lang) -> str:
    """Said when a person takes over without a crisis."""
    return str(data("messages")["handed_over"][lang])


def offer_of_person(lang: Lang) -> str:
    """Asks whether a person of the team should be called."""
    return str(data("messages")["offer"][lang])


def fallback(risk: int, lang: Lang) -> str:
    """The safe utterance for a risk type that no revision removed."""
    return str(data("messages")["fallback"][str(risk)][lang])


def gentle_question(lang: Lang) -> str:
    """The question that asks about a passive wish to die."""
    return str(data("messages")["gentle"][lang])


def stage_words(stage: str, name: Literal["goal", "query"], lang: Lang) -> str:
    """A stage's goal, or what to look up in it."""
    return str(data("stages")[stage][name][lang])


@cache
def names_of(kind: Literal["stages", "signals", "subjects"], lang: Lang) -> dict[str, str]:
    """How people read and type the stages, the signals or the subjects of the memory: words for each."""
    names: dict[str, dict[Lang, dict[str, str]]] = data("names")
    before = {"stages": f"{PREFERENCES}.", "subjects": "preference_"}
    about = (
        {f"{before[kind]}{name}": words for name, words in names["treatments"][lang].items()} if kind in before else {}
    )
    return {**names[kind][lang], **about}


def _whom_to_call(lang: Lang, country: str) -> str:
    return _filled(data("messages")["refused"]["whom_to_call"][lang], lang, country)


def _with_contacts(name: str, lang: Lang, country: str) -> str:
    return _filled(data("messages")[name][lang], lang, country)


def _filled(text: str, lang: Lang, country: str) -> str:
    found = contacts(country)
    return text.format(
        emergency=found.emergency_in(lang),
        crisis_name=found.crisis_name[lang],
        crisis_number=f" ({found.crisis})" if found.crisis else "",
        note=found.note[lang],
    )
