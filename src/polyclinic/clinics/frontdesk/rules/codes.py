"""The thirteen error codes, the criteria that yield them, and their order. Evaluation stops at the first error."""

from __future__ import annotations

from typing import Literal, get_args

from polyclinic.core.message import Frozen

_Code = Literal["", "IF", "IS", "ID", "IPI", "IDPI", "PC", "IVS", "WD", "TC", "IP", "IDT", "NET", "FI"]
CODES: tuple[str, ...] = tuple(code for code in get_args(_Code) if code)
_Fault = Literal["", "staff", "patient"]

MEANING: dict[str, str] = {
    "IF": "incorrect format",
    "IS": "incomplete simulation",
    "ID": "incorrect department",
    "IPI": "incorrect patient information",
    "IDPI": "incorrect department and patient information",
    "PC": "physician conflict",
    "IVS": "invalid schedule",
    "WD": "wrong duration",
    "TC": "time conflict",
    "IP": "incorrect physician",
    "IDT": "incorrect date",
    "NET": "not the earliest time",
    "FI": "fail to identify",
}
INTAKE_ORDER: tuple[str, ...] = ("IF", "IS", "ID", "IPI", "IDPI")
SCHEDULING_ORDER: tuple[str, ...] = ("IS", "IF", "PC", "IVS", "WD", "TC", "IP", "IDT", "NET", "FI")
CRITERION: dict[str, str] = {
    "intake:IF": "C1-1",
    "intake:IS": "C1-2",
    "intake:ID": "C1-3",
    "intake:IPI": "C1-3",
    "intake:IDPI": "C1-3",
    "scheduling:IS": "C2-1",
    "scheduling:IF": "C2-2",
    "scheduling:PC": "C2-3",
    "scheduling:IVS": "C2-4",
    "scheduling:WD": "C2-5",
    "scheduling:TC": "C2-6",
    "scheduling:IP": "C2-7",
    "scheduling:IDT": "C2-7",
    "scheduling:NET": "C2-8",
    "scheduling:FI": "C3-1",
}


class RubricVerdict(Frozen):
    """The first error that was found, if any, whose fault it is, and why."""

    code: _Code = ""
    fault: _Fault = ""
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether no criterion was broken."""
        return not self.code


PASS = RubricVerdict()
