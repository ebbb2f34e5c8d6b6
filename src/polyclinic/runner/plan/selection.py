"""Which scenarios a selector names, and what is said about a name that there is not."""

from __future__ import annotations

from polyclinic.core.clinic import Clinic
from polyclinic.core.scenario import Scenario
from polyclinic.errors import ConfigError, UnknownName, near_names
from polyclinic.text.worded import Worded, worded


def chosen_scenarios(clinic: Clinic, selector: str, seed: int) -> tuple[Scenario, ...]:
    """The scenarios that a selector names: in the clinic's own way, or by the id of one of its usual scenarios.

    A scenario of a campaign comes with the campaign's earlier ones, because it goes on from them. The error for an
    unknown name says the nearest ones, and the command that lists all.
    """
    try:
        return tuple(clinic.scenarios(selector, seed))
    except (ConfigError, UnknownName) as error:
        ids: list[str] = []
        for usual in (clinic.scenarios("", seed), clinic.scenarios(clinic.demo_scenarios, seed)):
            for at, case in enumerate(usual):
                if case.id == selector:
                    before = usual[:at] if case.campaign else ()
                    return (*(each for each in before if each.campaign == case.campaign), case)
            ids += [case.id for case in usual]
        raise _unknown(clinic, selector, ids, error) from None


def all_listed(clinic: Clinic) -> str:
    """The command that lists all scenarios of a clinic."""
    chosen = f" --scenarios {clinic.all_scenarios}" if clinic.all_scenarios else ""
    return f"polyclinic scenarios list {clinic.name}{chosen}"


def _unknown(clinic: Clinic, selector: str, ids: list[str], error: ConfigError | UnknownName) -> Exception:
    name = error.name if isinstance(error, UnknownName) else selector
    known = {*ids, *(error.known if isinstance(error, UnknownName) else ())}
    if isinstance(error, UnknownName) or near_names(name, known):
        return UnknownName("scenario of {1}", name, known, all_listed(clinic), of=clinic.name)
    return ConfigError(Worded("{1}; all of them: {2}", worded(error), all_listed(clinic)))
