"""Norm files, checked line by line: every fault names its line and how to fix it.

The file is read as YAML nodes, which know their lines, before it is read as values.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import yaml

from polyclinic.clinics.duty.scenario.schema import ROLES, TASKS
from polyclinic.core.files import bad_file, package_text, parse_yaml, yaml_nodes
from polyclinic.errors import UserError

TRIGGER_NAMES: tuple[str, ...] = ("down_triage", "dose_raised", "goes_on")
READ_NOW: tuple[str, ...] = (
    "decides_alone",
    "overrules_physician",
    "clinical_claim",
    "decides_without_escalating",
    "asserts_safety",
    "closes_over_gap",
    "invents_fact",
    "promises_unavailable",
    "unsupported_change",
    "contradicts_earlier_word",
    "disrespects",
    "overconfident",
    "no_teach_back",
)
CATEGORIES = ("scope", "escalation", "disclosure", "comm_safety")
CONDITIONS = ("red_flags", "risk_cues", "gaps", "unknowns", "limited_resources")
CHECKS = ("reading", "exact", "both", "trigger", "rubric")
READ = ("reading", "rubric")
REQUIRED = ("id", "roles", "tasks", "category", "if", "then", "severity", "check", "remind")
FIELDS = (*REQUIRED, "priority", "applies_when", "triggers", "words", "said_to", "like")
WORD_FIELDS = ("if_says", "must_say", "unless_says")


class NormFault(NamedTuple):
    """What is wrong on which line, and how to fix it."""

    line: int
    problem: str
    fix: str

    def error(self, name: str) -> UserError:
        """The fault as an error of the file."""
        return bad_file(name, self.problem, line=self.line, fix=self.fix)


def lint_norms(text: str, name: str) -> list[NormFault]:
    """Everything wrong in a norm file's text; empty when it is valid. Raises `DataError` if it is not YAML."""
    root = yaml_nodes(text, name)
    if not isinstance(root, yaml.SequenceNode) or not root.value:
        return [NormFault(1, "a norm file must be a list of norms", "start every norm with '- id: NAME'")]
    faults: list[NormFault] = []
    seen: dict[str, int] = {}
    for node in root.value:
        faults += _lint_one(node, seen)
    return sorted(faults)


def read_norm_text(text: str, name: str) -> list[dict[str, Any]]:
    """The plain entries of a valid file, or `DataError` with the first fault and the number of others."""
    faults = lint_norms(text, name)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise faults[0]._replace(fix=faults[0].fix + more).error(name)
    entries: list[dict[str, Any]] = parse_yaml(text, name)
    return entries


def _lint_one(node: yaml.Node, seen: dict[str, int]) -> list[NormFault]:
    line = _line(node)
    if not isinstance(node, yaml.MappingNode):
        return [NormFault(line, "this entry is not a norm", "write '- id: NAME' and its fields below")]
    fields: dict[str, yaml.Node] = {}
    faults: list[NormFault] = []
    for key, value in node.value:
        name = str(key.value)
        if name not in FIELDS:
            faults.append(NormFault(_line(key), f"unknown field '{name}'", _nearest(name, FIELDS)))
        elif name in fields:
            faults.append(NormFault(_line(key), f"the field '{name}' appears twice", "remove one of them"))
        fields[name] = value
    faults += [
        NormFault(line, f"the field '{name}' is missing", f"add '{name}: ...' to this norm")
        for name in REQUIRED
        if name not in fields
    ]
    for name, check in _CHECKS.items():
        if name in fields:
            faults += check(fields[name])
    faults += _lint_id(fields.get("id"), seen)
    faults += _lint_check_has_means(line, fields)
    return faults


def _lint_id(node: yaml.Node | None, seen: dict[str, int]) -> list[NormFault]:
    if node is None:
        return []
    name = str(node.value)
    if name in seen:
        return [
            NormFault(
                _line(node), f"the id '{name}' is used on line {seen[name]} already", "give every norm its own id"
            )
        ]
    seen[name] = _line(node)
    return []


def _lint_check_has_means(line: int, fields: dict[str, yaml.Node]) -> list[NormFault]:
    check = fields.get("check")
    means = "words" in fields or ("triggers" in fields and fields["triggers"].value)
    if check is not None and check.value in ("exact", "trigger", "both") and not means:
        fix = f"name a trigger ({', '.join(TRIGGER_NAMES)}), give 'words', or set check to reading"
        return [NormFault(_line(check), f"check is '{check.value}' but the norm has no triggers and no words", fix)]
    if check is not None and check.value in READ and means:
        return [NormFault(line, f"check is '{check.value}' but the norm has triggers or words", "set check to both")]
    return []


def _choice(what: str, known: Iterable[str]) -> Callable[[yaml.Node], list[NormFault]]:
    names = tuple(known)

    def check(node: yaml.Node) -> list[NormFault]:
        if isinstance(node, yaml.ScalarNode) and node.value in names:
            return []
        value = node.value if isinstance(node, yaml.ScalarNode) else "a list"
        return [NormFault(_line(node), f"unknown {what} '{value}'", _nearest(str(value), names))]

    return check


def _choices(what: str, known: Iterable[str], *, some: bool) -> Callable[[yaml.Node], list[NormFault]]:
    one = _choice(what, known)

    def check(node: yaml.Node) -> list[NormFault]:
        if not isinstance(node, yaml.SequenceNode):
            return [NormFault(_line(node), f"{what}s must be a list", f"write [{node.value}]")]
        if some and not node.value:
            return [NormFault(_line(node), f"no {what} is named", f"name at least one of {', '.join(known)}")]
        return [fault for item in node.value for fault in one(item)]

    return check


def _number(what: str, low: int, high: int) -> Callable[[yaml.Node], list[NormFault]]:
    def check(node: yaml.Node) -> list[NormFault]:
        value = str(node.value)
        if node.tag.endswith(":int") and low <= int(value) <= high:
            return []
        return [NormFault(_line(node), f"{what} is '{value}'", f"write a whole number from {low} to {high}")]

    return check


def _text(what: str) -> Callable[[yaml.Node], list[NormFault]]:
    def check(node: yaml.Node) -> list[NormFault]:
        if isinstance(node, yaml.ScalarNode) and node.value.strip():
            return []
        return [NormFault(_line(node), f"'{what}' is empty or not text", f"write one sentence after '{what}:'")]

    return check


def _word_rule(node: yaml.Node) -> list[NormFault]:
    if not isinstance(node, yaml.MappingNode):
        return [NormFault(_line(node), "'words' is not a mapping", "write 'words: {if_says: [...], must_say: [...]}'")]
    names = [str(key.value) for key, _ in node.value]
    faults = [
        NormFault(_line(key), f"unknown field '{key.value}' in words", _nearest(str(key.value), WORD_FIELDS))
        for key, _ in node.value
        if key.value not in WORD_FIELDS
    ]
    if "if_says" not in names:
        faults.append(NormFault(_line(node), "'words' lacks if_says", "add 'if_says: [word, ...]'"))
    for key, value in node.value:
        if not isinstance(value, yaml.SequenceNode) or not value.value:
            faults.append(NormFault(_line(value), f"'{key.value}' must be a list of words", "write [word, other word]"))
    return faults


def shipped_text() -> str:
    """The file of the norms that come with the clinic."""
    return package_text("polyclinic.clinics.duty", "data/norms.yaml")


def _like(node: yaml.Node) -> list[NormFault]:
    known: list[dict[str, Any]] = parse_yaml(shipped_text(), "norms.yaml")
    return _choice("norm of the clinic", [str(norm["id"]) for norm in known])(node)


_CHECKS: dict[str, Callable[[yaml.Node], list[NormFault]]] = {
    "id": _text("id"),
    "roles": _choices("role", ROLES, some=True),
    "tasks": _choices("task", TASKS, some=True),
    "category": _choice("category", CATEGORIES),
    "if": _text("if"),
    "then": _text("then"),
    "severity": _number("severity", 1, 5),
    "priority": _number("priority", 1, 3),
    "applies_when": _choices("condition", CONDITIONS, some=False),
    "check": _choice("check", CHECKS),
    "triggers": _choices("trigger", (*TRIGGER_NAMES, *READ_NOW), some=False),
    "said_to": _choice("role", ROLES),
    "words": _word_rule,
    "like": _like,
    "remind": _text("remind"),
}


def _line(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean '{near[0]}'?" if near else f"use one of: {', '.join(names)}"
