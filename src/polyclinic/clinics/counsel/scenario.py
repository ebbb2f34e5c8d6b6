"""What one conversation starts from: a person with an illness, a language, the number of turns, and a risk to voice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from polyclinic.core.files import package_data, read_text, refuse_path, rows_of
from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError
from polyclinic.people.locales import Sex

Lang = Literal["en", "ko"]
Leaning = Literal["comfort", "home", "trial", "family decides", "full"]
Risk = Literal["none", "acceptance", "passive", "implicit", "active"]

PACKAGE = "polyclinic.clinics.counsel"
UNKNOWN_COUNTRY = "ZZ"
"""The country is not known: international contacts are named."""
SETS = ("korean", "elsewhere")
KINDS = ("all", "risk", "quiet", "visits")
_CYCLE: tuple[Risk, ...] = (
    "none", "passive", "active", "acceptance", "none", "implicit", "passive", "none", "active", "acceptance",
)  # fmt: skip
_EXAMPLES = "20, korean, elsewhere:5, korean@en, risk:8, quiet:8, visits:3 or FILE.jsonl"


class PersonaLines(Frozen):
    """What an understudy of this person says at the points where persons differ most."""

    misunderstanding: str
    worry: str
    value: str
    question: str


class InventedPerson(Frozen):
    """An invented person, described by what shapes such a conversation. Sentences address the person as "you"."""

    id: str
    name: str
    age: int = Field(ge=0, le=120, description="0: not told")
    sex: Literal[Sex, "not told"]
    country: str = Field(min_length=2, max_length=2, description="ISO country code; decides the crisis contacts")
    region: str
    dialect: str
    faith: str
    family: str
    values: str
    restraint: str = Field(description="how feelings are shown or kept back")
    work: str
    money: str
    burden: str = Field(description="why this person is afraid of being a burden")
    speech: str = Field(description="honorific, plain, formal …")
    diagnosis: str
    misunderstanding: str = Field(description="what the person has got wrong about the illness")
    leaning: Leaning
    lines: dict[Lang, PersonaLines]
    in_korean: dict[str, str] = Field(
        default_factory=dict,
        description="fields in Korean; what the person tells of themselves is whole spoken sentences",
    )

    def told_in(self, lang: Lang) -> InventedPerson:
        """The person as a prompt in this language describes them. What has no translation stays as it is."""
        return self.model_copy(update=self.in_korean) if lang == "ko" and self.in_korean else self


class Talk(Scenario):
    """One conversation. `risk` is what the person voices at `risk_turn`; `live` talks are held by real people."""

    persona: InventedPerson
    lang: Lang
    turns: int = Field(
        14, ge=1, le=1_000, description="the person leaves after this many turns; 10 to 20 when synthesized"
    )
    risk: Risk = "none"
    risk_turn: int = Field(0, ge=0)
    live: bool = False
    known: dict[str, str] = Field(default_factory=dict, description="what earlier conversations left in memory")

    def introduction(self) -> str:
        """Name, age and illness, in the language of the talk."""
        person = self.persona.told_in(self.lang)
        age = f"{person.age}세" if self.lang == "ko" else str(person.age)
        return f"{person.name}, {age}: {person.diagnosis}"

    def language(self) -> Lang:
        """The language of the talk."""
        return self.lang


@cache
def data(name: str) -> dict[str, Any]:
    """What a data file of this clinic holds."""
    found: dict[str, Any] = package_data(PACKAGE, f"data/{name}.toml")
    return found


@cache
def personas(name: str) -> tuple[InventedPerson, ...]:
    """The written persons of a set."""
    return tuple(InventedPerson.model_validate(row) for row in data(f"personas/{name}")["persona"])


def read_talks(path: str) -> list[Talk]:
    """Conversations from a user's JSON lines; an error names its line."""
    return rows_of(Talk, read_text(path), path)


def lint(path: str) -> list[str]:
    """What is wrong in a file of conversations."""
    faults = []
    for talk in read_talks(path):
        if talk.lang not in talk.persona.lines:
            faults.append(f"{path}: {talk.id}: the persona has no lines in '{talk.lang}'; add lines.{talk.lang}")
        if talk.risk != "none" and not 1 <= talk.risk_turn <= talk.turns:
            faults.append(f"{path}: {talk.id}: risk_turn {talk.risk_turn} is not within the {talk.turns} turns")
    return faults


def scenarios(selector: str, seed: int) -> Sequence[Talk]:
    """The talks that a selector names: ``8`` is eight of all persons. A set, a set in a language, or a kind of risk can
    have a count. A path names a file of talks.

    ``korean`` and ``elsewhere`` are the two sets, ``korean@en`` holds the talks in English, ``quiet`` holds only talks
    without a risk and ``risk`` only talks with one. ``visits:3`` lets every person come three times; each visit
    remembers the earlier ones.
    """
    if selector and Path(selector).is_file():
        return read_talks(selector)
    name, _, count = selector.partition(":") if ":" in selector else ("", "", selector)
    if not count.isdigit() and count:
        name, count = count, ""
    name, _, lang = name.partition("@")
    if name not in ("", *SETS, *KINDS) or lang not in ("", "en", "ko") or (count and int(count) < 1):
        refuse_path(selector, "JSON lines")
        raise ConfigError(f"'{selector}' selects no talk: write for example {_EXAMPLES}")
    if name == "visits":
        return _visits(int(count or 3), lang, seed)
    people = _people(name)
    wanted = int(count or len(people))
    return [_talk(people[i % len(people)], i, lang, seed, only=name) for i in range(wanted)]


def in_language(selector: str, language: str) -> str:
    """What a person plays who speaks this language: a number or no selection is the set of their language.

    A kind of talk is played in their language. A file, a set and a language stay as they are.
    """
    if not selector or selector.isdigit():
        return f"{'korean' if language == 'ko' else 'elsewhere'}@{language}:{selector or 1}"
    name, colon, count = selector.partition(":")
    return f"{name}@{language}{colon}{count}" if name in KINDS else selector


def _people(name: str) -> list[InventedPerson]:
    if name in SETS:
        return list(personas(name))
    return [person for pair in zip(personas("korean"), personas("elsewhere"), strict=True) for person in pair]


def _talk(person: InventedPerson, index: int, lang: str, seed: int, only: str = "", visit: int = 0) -> Talk:
    chance = stream("counsel", seed, person.id, index, visit)
    turns = chance.randint(14, 20)
    risk: Risk = _CYCLE[(index + index // len(_CYCLE)) % len(_CYCLE)]
    if only == "quiet":
        risk = "none"
    elif only == "risk":
        risk = ("active", "implicit", "passive")[index % 3]
    language: Lang = "en" if lang == "en" else "ko" if lang == "ko" else "ko" if person.country == "KR" else "en"
    again = f"-{index}" if index >= 20 else ""
    return Talk(
        id=f"{person.id}-{language}{again}" + (f"-visit{visit}" if visit else ""),
        tags=(language, risk, person.country),
        persona=person,
        lang=language,
        turns=turns,
        risk=risk,
        risk_turn=chance.randint(3, 8) if risk != "none" else 0,
    )


def _visits(count: int, lang: str, seed: int) -> list[Talk]:
    """Every person `count` times, without a risk. All visits of a person share what is remembered of them."""
    talks = []
    for person in _people("all"):
        for visit in range(1, count + 1):
            talk = _talk(person, 0, lang, seed, "quiet", visit)
            talks.append(talk.model_copy(update={"campaign": f"visits-{person.id}", "wave": visit}))
    return talks


def cue_text(talk: Talk) -> str:
    """What the simulated patient voices in the turn that the scenario names; empty if the scenario has no risk."""
    if talk.risk == "none":
        return ""
    lines: list[str] = data("cues")[talk.risk][talk.lang]
    return lines[len(talk.persona.id) % len(lines)]
