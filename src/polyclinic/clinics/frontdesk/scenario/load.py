"""From the value of ``--scenarios`` to contacts.

``""``                     three small hospitals, one of each level, twelve patients each
``24``                     a primary hospital's first 24 patients
``tertiary``               the preset's hospitals; ``tertiary:1`` one of them; ``tertiary:1:50`` its first 50 patients
``paper``                  all three presets, three hospitals each; ``paper:1`` one each
``history-none``           nine departments, nobody knows a diagnosis; also ``history-half``,
                           ``history-all``, and ``history``
                          for all three
``unusual``               a hospital with many children, interpreters, several complaints and emergencies
``imposters``             a secondary hospital with 200 callers who speak about other people's appointments
``walk-in``               one visit by itself, for ``polyclinic play frontdesk --role staff``;
                          ``walk-in:hospital.toml`` one of a hospital of your own
``hospital.toml``          a config of your own (TOML or YAML)
``data/`` or ``x.json``    a dataset made by the h-adminsim package
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.frontdesk.scenario.config import PRESETS, HospitalConfig, load_config, preset
from polyclinic.clinics.frontdesk.scenario.diseases import load_diseases
from polyclinic.clinics.frontdesk.scenario.imports import import_h_adminsim, is_h_adminsim
from polyclinic.clinics.frontdesk.scenario.schema import Contact, ContactKind
from polyclinic.clinics.frontdesk.scenario.synthesis import synthesize
from polyclinic.core.files import must_exist, read_data, refuse_path
from polyclinic.core.seed import stream
from polyclinic.errors import ConfigError, UnknownName, UserError

HISTORY_SHARES = {"history-none": 0.0, "history-half": 0.5, "history-all": 1.0}
UNUSUAL = "unusual"
GROUPS = {"paper": PRESETS, "history": tuple(HISTORY_SHARES)}
DEMO_PATIENTS = 12
IMPOSTERS = 200
WALK_IN = "walk-in"


def scenarios(selector: str, seed: int) -> list[Contact]:
    """The contacts that a selector names; the same for the same seed."""
    selector = selector.strip()
    if not selector:
        return [
            contact for name in PRESETS for contact in _first_patients(synthesize(preset(name), seed, 1), DEMO_PATIENTS)
        ]
    if selector.isdecimal():
        return _first_patients(synthesize(preset("primary"), seed, 1), int(selector))
    if selector == WALK_IN:
        return _walk_in(synthesize(preset("primary"), seed, 1))
    path = Path(selector.removeprefix(f"{WALK_IN}:"))
    if path.suffix in (".toml", ".yaml", ".yml") and str(path) != selector:
        must_exist(path)
        return _walk_in(synthesize(load_config(path), seed, 1))
    if path.suffix in (".toml", ".yaml", ".yml"):
        must_exist(path)
        return synthesize(load_config(path), seed)
    if path.suffix == ".json" or path.is_dir():
        must_exist(path)
        return import_h_adminsim(path, seed)
    name, *counts = selector.split(":")
    numbers = [int(count) for count in counts if count.isdecimal() and int(count) > 0]
    if len(numbers) != len(counts) or len(counts) > 2:
        raise ConfigError(f"'{selector}': write name, name:hospitals or name:hospitals:patients")
    if name == "imposters":
        if len(numbers) > 1:
            raise ConfigError(f"'{selector}': write imposters or imposters:calls")
        return with_imposters(synthesize(preset("secondary"), seed, 1), numbers[0] if numbers else IMPOSTERS, seed)
    names = GROUPS.get(name, (name,))
    hospitals = numbers[0] if numbers else None
    contacts = [contact for member in names for contact in _drawn(member, seed, hospitals)]
    return _first_patients(contacts, numbers[1]) if len(numbers) == 2 else contacts


def lint(path: str) -> list[str]:
    """The errors in a disease table, a hospital config or an imported dataset; empty if there are none."""
    file = Path(path)
    must_exist(file)
    try:
        table = None if file.is_dir() or file.suffix == ".csv" else read_data(file)
        if file.is_dir() or is_h_adminsim(table):
            import_h_adminsim(file, 0)
        elif (
            file.suffix in (".csv", ".json")
            or isinstance(table, list)
            or (isinstance(table, dict) and "disease" in table)
        ):
            load_diseases(file)
        else:
            synthesize(load_config(file), 0, 1)
    except UserError as fault:
        return [str(fault)]
    return []


def _walk_in(contacts: list[Contact]) -> list[Contact]:
    """The first visit of a hospital as a single contact. It holds the plan, so that somebody can play it at once."""
    visit = next(contact for contact in contacts if contact.kind == "visit")
    return [visit.model_copy(update={"plan": contacts[0].plan, "wave": 0})]


def _drawn(name: str, seed: int, hospitals: int | None) -> list[Contact]:
    """A preset's contacts. The sets that differ in what patients know are otherwise the same."""
    return synthesize(_named(name), seed, hospitals, alike="history" if name in HISTORY_SHARES else "")


def _named(name: str) -> HospitalConfig:
    if name in PRESETS:
        return preset(name)
    if name in HISTORY_SHARES:
        share = HISTORY_SHARES[name]
        probs = (1 - share, share)
        return preset(
            "secondary",
            level="custom",
            name=name,
            department_per_hospital={"min": 9, "max": 9},
            symptom={"type": ("without_history", "with_history"), "probs": probs},
            unusual={},
        )
    if name == UNUSUAL:
        shares = {"several": 0.4, "child": 0.2, "interpreter": 0.2, "emergency": 0.2}
        return preset("secondary", level="custom", name=UNUSUAL, unusual=shares)
    refuse_path(name, "TOML, YAML and JSON, or the folder of a dataset")
    raise UnknownName("hospital preset", name, (*PRESETS, *HISTORY_SHARES, *GROUPS, UNUSUAL, "imposters", WALK_IN))


def _first_patients(contacts: list[Contact], count: int) -> list[Contact]:
    """Each hospital with only its first `count` callers, their later calls included. One must have so many."""
    kept: list[Contact] = []
    seen: dict[str, set[str]] = {}
    for contact in contacts:
        callers = seen.setdefault(contact.campaign, set())
        if contact.patient is None:
            kept.append(contact)
        elif contact.patient.id in callers or len(callers) < count:
            callers.add(contact.patient.id)
            kept.append(contact)
    most = max(map(len, seen.values()), default=0)
    if most < count:
        raise ConfigError(f"{count} patients are more than call a hospital here: write {most} or fewer")
    return kept


def with_imposters(contacts: Sequence[Contact], count: int, seed: int) -> list[Contact]:
    """One hospital's contacts with `count` calls of imposters among them, each right after the victim's own call.

    An imposter is a patient of the same hospital, who may have an appointment of their own. The imposter gives the
    victim's name, physician and date. Half of the imposters want to cancel, half to move.
    """
    draw = stream("frontdesk", "imposters", seed, contacts[0].campaign)
    visits = [contact for contact in contacts if contact.kind == "visit" and not contact.caller.emergency]
    calls: list[tuple[int, int, Contact]] = []
    for number in range(count):
        victim, caller = draw.sample(visits, 2)
        kind: ContactKind = "cancel" if number % 2 else "move"
        call = Contact(
            id=f"{victim.campaign}-imposter-{number:04d}",
            tags=(victim.level, "imposter"),
            campaign=victim.campaign,
            wave=victim.wave,
            kind=kind,
            level=victim.level,
            minute=victim.minute,
            at=victim.at,
            patient=caller.caller,
            after=victim.id,
            departments=victim.departments,
            claims=victim.caller,
        )
        calls.append((victim.minute, number, call))
    opening, closing = contacts[0], contacts[-1]
    honest = [(contact.minute, -1, contact) for contact in contacts[1:-1]]
    ordered = sorted([*honest, *calls], key=lambda entry: (entry[0], entry[1], entry[2].id))
    return [opening, *(contact for _, _, contact in ordered), closing]
