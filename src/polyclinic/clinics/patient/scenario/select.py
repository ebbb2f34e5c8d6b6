"""What an interview starts from: a medical record, the person to play, and the case's place in a campaign.

Selectors: ``train``, ``unseen``, ``all``, a disease's short name (``npc``), several diseases (``app+hcc``), a record's
id (``npc-01``), or a file (case file, MTSamples csv, AgentClinic jsonl, FHIR Bundle). Each may be followed by
``:count``. If more cases are asked for than there are records, the same records are used again with other people.

``evolve:60`` is a campaign that learns from sixty training cases one by one. ``evolve-by-10:60`` does so in generations
of ten that run side by side. ``evolve-npc:30`` (or ``evolve-by-10-npc:30``) learns from one disease only.
``transfer-npc:30`` learns from thirty cases of one disease and then tests on five other diseases, without learning from
them. ``transfer-train:30`` learns from thirty training cases and then tests on thirty unseen ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from polyclinic.clinics.patient.scenario.agentclinic import load_agentclinic
from polyclinic.clinics.patient.scenario.casefile import read_case_file
from polyclinic.clinics.patient.scenario.checks import lint_records
from polyclinic.clinics.patient.scenario.fhir_bundle import load_fhir_bundle
from polyclinic.clinics.patient.scenario.mtsamples import load_mtsamples, mtsamples_left_out
from polyclinic.clinics.patient.scenario.record import Level, Record, Topic
from polyclinic.clinics.patient.scenario.shipped import held_out, shipped_records, training_records, unseen_records
from polyclinic.core.files import bad_file, read_text, refuse_path
from polyclinic.core.scenario import Scenario
from polyclinic.core.seed import stream
from polyclinic.errors import UnknownName
from polyclinic.people.profiles import Education, Profile, fitting_profiles, profiles

DEFAULT_COUNT = 26
TRANSFER = "transfer-"
TRANSFER_CASES = 30
TRANSFER_TO = ("app", "hcc", "pan", "ami", "str", "pe")
_SCHOOLED: dict[str, Education] = {
    "higher education": "bachelor",
    "college": "secondary",
    "teach": "bachelor",
    "accountant": "bachelor",
    "translator": "bachelor",
    "librarian": "bachelor",
    "lawyer": "bachelor",
    "social worker": "bachelor",
    "software": "vocational",
    "nurse": "vocational",
    "electrician": "vocational",
    "hairdresser": "vocational",
    "university": "secondary",
    "student": "secondary",
    "biology": "secondary",
    "bank": "secondary",
    "clerk": "secondary",
    "office": "secondary",
    "watchmaker": "vocational",
}
_EVOLVE = re.compile(r"evolve(?:-by-(?P<size>[1-9]\d*))?(?:-(?P<source>[a-z+]+))?")
_LOADERS = {
    ".csv": load_mtsamples,
    ".jsonl": load_agentclinic,
    ".json": load_fhir_bundle,
    ".yaml": read_case_file,
    ".yml": read_case_file,
}


class PatientScenario(Scenario):
    """One patient: the record and the person who speaks (for a child, the parent)."""

    record: Record
    profile: Profile
    exam: bool = False

    def introduction(self) -> str:
        """Age, sex and the first words."""
        complaint = next((fact.text for fact in self.record.facts if fact.topic is Topic.COMPLAINT), "")
        return f"{self.record.age_text} old, {self.record.sex}: “{complaint}”"

    @property
    def practice(self) -> bool:
        """Whether this case only prepares for the exam of its campaign. Then it is not scored."""
        return self.campaign.startswith(TRANSFER) and not self.exam

    @property
    def child(self) -> str:
        """What the speaker calls the patient: "son" or "daughter"; empty if the patient speaks."""
        if self.record.informant != "parent":
            return ""
        return "son" if self.record.sex == "male" else "daughter"

    @property
    def person(self) -> str:
        """Who speaks, in words for a prompt. Family and work are in the record."""
        told = any(fact.topic is Topic.SOCIAL for fact in self.record.facts)
        who = f"{self.record.age_text} old, {self.record.sex}"
        if self.child:
            who = f"the parent of a {self.child} who is {self.record.age_text} old; you do the talking"
        return f"{who}. {self.profile.describe(with_family_and_work=not told)}"


def load_records(path: Path) -> list[Record]:
    """The records of a file; the file's extension decides how it is read."""
    loader = _LOADERS.get(path.suffix.lower())
    if loader is None:
        raise bad_file(path, f"cases are read from {', '.join(sorted(_LOADERS))} files")
    return loader(read_text(path), path.name)


def lint(selector: str) -> list[str]:
    """The linter's findings for a case file, or for the shipped records when no file is named."""
    return [*lint_records(load_records(Path(selector)) if selector else shipped_records()), *left_out(selector)]


def left_out(selector: str) -> list[str]:
    """What a user's file holds that makes no case. Only MTSamples has such rows: the other loaders refuse them."""
    path = Path(re.sub(r":\d+$", "", selector))
    return mtsamples_left_out(read_text(path), path.name) if path.suffix.lower() == ".csv" else []


def scenarios(selector: str = "", seed: int = 0) -> Sequence[PatientScenario]:
    """The cases that a selector names."""
    name, _, number = selector.rpartition(":") if ":" in selector else (selector, "", "")
    if (name or selector).startswith(TRANSFER):
        return _transfer(name or selector, number, seed)
    if name.partition("-")[0] == "evolve" or selector == "evolve":
        return _campaign(name or selector, number, seed)
    if selector.isdecimal():
        name, number = "", selector
    if number and not number.isdecimal():
        raise UnknownName("patient scenario", selector, _names())
    records = _records(name)
    count = int(number) if number else (DEFAULT_COUNT if not name else len(records))
    people = [_who_fits(record) for record in records[:count]]
    places = (divmod(at, len(records)) for at in range(count))
    return [_scenario(records[at], people[at], again, seed) for again, at in places]


def _campaign(name: str, number: str, seed: int) -> list[PatientScenario]:
    """Cases that learn from earlier ones: each case is a generation of its own, or several cases share a generation."""
    found = _EVOLVE.fullmatch(name)
    if found is None:
        raise UnknownName("way to evolve", name, ("evolve", "evolve-by-10", "evolve-npc", "evolve-by-10-npc"))
    size, source = int(found["size"] or 1), found["source"] or "train"
    cases = scenarios(f"{source}:{number}" if number else source, seed)
    return [case.model_copy(update={"campaign": name, "wave": at // size}) for at, case in enumerate(cases)]


def _transfer(name: str, number: str, seed: int) -> list[PatientScenario]:
    """Cases to learn from, then test cases of five other diseases (or unseen ones), in one campaign."""
    source = name.removeprefix(TRANSFER)
    learning = scenarios(f"{source}:{number or TRANSFER_CASES}", seed)
    others = "+".join([family for family in TRANSFER_TO if family != source][:5])
    tests = scenarios(f"unseen:{len(learning)}" if source == "train" else f"{others}:{TRANSFER_CASES}", seed)
    return [
        *(case.model_copy(update={"campaign": name, "wave": at}) for at, case in enumerate(learning)),
        *(case.model_copy(update={"campaign": name, "wave": len(learning), "exam": True}) for case in tests),
    ]


def _names() -> list[str]:
    return ["train", "unseen", "all", *_families(), *(record.id for record in shipped_records())]


@lru_cache(maxsize=1)
def _families() -> tuple[str, ...]:
    return tuple(dict.fromkeys(record.id.rpartition("-")[0] for record in shipped_records()))


def _records(name: str) -> Sequence[Record]:
    if name in ("", "unseen"):
        return unseen_records()
    if name == "train":
        return training_records()
    if name == "all":
        return shipped_records()
    if Path(name).suffix.lower() in _LOADERS:
        return load_records(Path(name))
    found: list[Record] = []
    for part in name.split("+"):
        matching = [r for r in shipped_records() if r.id == part or r.id.rpartition("-")[0] == part]
        if not matching:
            refuse_path(name, ", ".join(sorted(_LOADERS)))
            raise UnknownName("patient scenario", part, _names())
        found += matching
    return found


def _scenario(record: Record, people: Sequence[Profile], again: int, seed: int) -> PatientScenario:
    split = "unseen" if held_out(record) else "train"
    return PatientScenario(
        id=record.id if not again else f"{record.id}+{again}",
        tags=(split, record.disease.name, record.disease.system),
        record=record,
        profile=stream("patient-profile", seed, record.id, again).choice(people),
    )


def _who_fits(record: Record) -> tuple[Profile, ...]:
    """The profiles that can be the patient of a record, or the parent who speaks."""
    told = " ".join(
        fact.text for fact in record.at(Level.VOLUNTEERED, Level.ASKED) if fact.topic is Topic.SOCIAL
    ).lower()
    least: Education = "none"
    if record.informant == "self":
        least = next((level for word, level in _SCHOOLED.items() if word in told), "none")
    return fitting_profiles(
        profiles(),
        age=record.age,
        sex=None if record.informant == "parent" else record.sex,
        least=least,
        parent_of=record.age if record.informant == "parent" else None,
    )
