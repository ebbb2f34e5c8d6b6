"""Derives this package's data files from HL7's own definitions (npm package `hl7.fhir.r5.core`, CC0).

    python tools/build_fhir_definitions.py PATH/TO/package [OUTPUT_FOLDER]

`structure.json` holds, for each supported resource and every datatype it reaches: cardinality, type, required codes,
reference targets and whether an element is part of the summary. `search.json` holds each search parameter with the
element paths it indexes, translated from FHIRPath into plain steps. A test derives both again and compares, so the
files cannot become outdated.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

Json = dict[str, Any]

RESOURCE_TYPES = (
    "Appointment", "AppointmentResponse", "AuditEvent", "Communication", "Condition", "Encounter", "HealthcareService",
    "Location", "Observation", "Organization", "Patient", "Practitioner", "PractitionerRole", "Provenance",
    "QuestionnaireResponse", "Schedule", "Slot", "Subscription", "SubscriptionTopic",
)  # fmt: skip
COMMON_PARAMETERS = ("_id", "_language", "_lastUpdated", "_profile", "_security", "_source", "_tag")
SEARCH_KINDS = ("date", "number", "quantity", "reference", "string", "token", "uri")
DEFINITION = "http://hl7.org/fhir/StructureDefinition/"
_EXAMPLE_BASE = "http://hl7.org/fhir/SearchParameter/example"


class Package:
    """An unpacked FHIR package: definitions by kind and name, value sets expanded to their codes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._systems = {str(s["url"]): s for s in self._all("CodeSystem")}
        self._value_sets = {str(s["url"]): s for s in self._all("ValueSet")}

    def _all(self, kind: str) -> Iterator[Json]:
        for path in sorted(self.folder.glob(f"{kind}-*.json")):
            yield json.loads(path.read_text(encoding="utf-8"))

    def search_parameters(self) -> Iterator[Json]:
        """Every SearchParameter except HL7's samples of how to define one."""
        return (p for p in self._all("SearchParameter") if not str(p["url"]).startswith(_EXAMPLE_BASE))

    def structure(self, name: str) -> list[Json]:
        """The snapshot elements of a type, or none when the package does not define it."""
        path = self.folder / f"StructureDefinition-{name}.json"
        if not path.exists():
            return []
        elements: list[Json] = json.loads(path.read_text(encoding="utf-8"))["snapshot"]["element"]
        return elements

    def codes(self, value_set_url: str) -> list[str] | None:
        """All codes of a value set, or None when they cannot be listed (languages, MIME types)."""
        value_set = self._value_sets.get(value_set_url.split("|")[0])
        if value_set is None:
            return None
        codes: list[str] = []
        for include in value_set.get("compose", {}).get("include", []):
            listed = self._included(include)
            if listed is None:
                return None
            codes.extend(listed)
        excluded = {c["code"] for e in value_set["compose"].get("exclude", []) for c in e.get("concept", [])}
        return sorted(set(codes) - excluded) or None

    def _included(self, include: Json) -> list[str] | None:
        if "filter" in include:
            return None
        if "concept" in include:
            return [str(c["code"]) for c in include["concept"]]
        if "valueSet" in include:
            parts = [self.codes(url) for url in include["valueSet"]]
            return None if None in parts else [code for part in parts if part for code in part]
        system = self._systems.get(include["system"].split("|")[0])
        if system is None or system.get("content") != "complete":
            return None
        return list(_concept_codes(system.get("concept", [])))


def _concept_codes(concepts: list[Json]) -> Iterator[str]:
    for concept in concepts:
        yield str(concept["code"])
        yield from _concept_codes(concept.get("concept", []))


def build_structure(package: Package) -> Json:
    """The element table of every supported type and of every datatype reachable from it."""
    types: dict[str, dict[str, Json]] = {}
    codes: dict[str, list[str]] = {}
    waiting = [*RESOURCE_TYPES, "Element"]
    while waiting:
        name = waiting.pop()
        if name in types or not package.structure(name):
            continue
        types[name] = {}
        for element in package.structure(name)[1:]:
            owner, _, leaf = str(element["path"]).rpartition(".")
            table = types.setdefault(owner, {})
            for key, entry in _entries(element, leaf, package, codes):
                table[key] = entry
                if entry["type"][0].isupper() and "." not in entry["type"]:
                    waiting.append(entry["type"])
    return {
        "codes": dict(sorted(codes.items())),
        "types": {k: dict(sorted(v.items())) for k, v in sorted(types.items())},
    }


def _entries(element: Json, leaf: str, package: Package, codes: dict[str, list[str]]) -> Iterator[tuple[str, Json]]:
    """The JSON keys of an element (one per type of a choice), each with its rules."""
    if element["max"] == "0":
        return
    base: Json = {"min": element["min"], "many": element["max"] != "1"}
    if element.get("isSummary"):
        base["summary"] = True
    if "contentReference" in element:
        yield leaf, base | {"type": element["contentReference"].rpartition("#")[2]}
        return
    for kind in element.get("type", []):
        code = _type_code(kind, str(element["path"]))
        entry = base | {"type": code}
        if targets := sorted({p.removeprefix(DEFINITION) for p in kind.get("targetProfile", [])} - {"Resource"}):
            entry["targets"] = targets
        binding = element.get("binding", {})
        if binding.get("strength") == "required" and (listed := package.codes(binding["valueSet"])):
            name = binding["valueSet"].split("|")[0].rpartition("/")[2]
            codes[name] = listed
            entry["codes"] = name
        if leaf.endswith("[x]"):
            stem = leaf.removesuffix("[x]")
            yield stem + code[0].upper() + code[1:], entry | {"choice": stem}
        else:
            yield leaf, entry


def _type_code(kind: Json, path: str) -> str:
    """A plain type name: backbone elements are named by their path, FHIRPath system types by FHIR's own name."""
    code = str(kind["code"])
    if code in ("BackboneElement", "Element"):
        return path
    if code.startswith("http://hl7.org/fhirpath/System."):
        return "id" if path.endswith(".id") else "string"
    return code


def build_search(package: Package, structure: Json) -> Json:
    """Search parameters by resource type, each with its kind, its targets and the paths it indexes.

    Paths into elements that R5 does not have (`Observation.value.ofType(markdown)`) are dropped, because they can never
    match.
    """
    table: dict[str, dict[str, Json]] = {name: {} for name in ("Resource", *RESOURCE_TYPES)}
    for parameter in package.search_parameters():
        code, kind = str(parameter["code"]), str(parameter["type"])
        if kind not in SEARCH_KINDS or parameter.get("processingMode") == "phonetic":
            continue
        for base in parameter["base"]:
            if base in RESOURCE_TYPES or (base == "Resource" and code in COMMON_PARAMETERS):
                paths = [p for p in _paths(str(parameter.get("expression", "")), base, structure) if p["type"]]
                if paths:
                    entry: Json = {"kind": kind, "paths": paths, "definition": parameter["url"]}
                    if targets := sorted(set(parameter.get("target", [])) & set(RESOURCE_TYPES)):
                        entry["targets"] = targets
                    table[base][code] = entry
    return {name: dict(sorted(parameters.items())) for name, parameters in sorted(table.items())}


_FIRST = re.compile(r"^\((.*)\)\.first\(\)$")
_DECEASED = re.compile(r"^(\w+)\.(\w+)\.exists\(\) and \1\.\2 != false$")
_STEP = re.compile(r"(\w+)(?:\.ofType\((\w+)\)|\.where\(resolve\(\) is (\w+)\)|\.where\((\w+)='(\w+)'\))?(?:\.|$)")


def _paths(expression: str, base: str, structure: Json) -> Iterator[Json]:
    """Each alternative of a FHIRPath union that applies to `base`, as plain steps."""
    if special := _DECEASED.match(expression):
        yield {"steps": [special[2]], "type": "presence"}
        return
    for alternative in _alternatives(expression):
        first = _FIRST.match(alternative)
        if first and base == "Appointment":
            for part in _alternatives(first[1]):
                yield _path(f"{base}.{part}", base, structure) | {"first": True}
        elif not first:
            text = alternative[1:-1] if alternative.startswith("(") else alternative
            qualified = text if text.partition(".")[0][0].isupper() else f"{base}.{text}"
            if qualified.partition(".")[0] == base and "extension(" not in qualified:
                yield _path(qualified, base, structure)


def _alternatives(expression: str) -> list[str]:
    """Split at `|` outside parentheses."""
    parts, depth, current = [], 0, ""
    for character in expression:
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    return [p for p in (*parts, current.strip()) if p]


def _path(text: str, base: str, structure: Json) -> Json:
    """One path as JSON steps with the type of its last element and its filter."""
    rest = text.removeprefix(f"{base}.")
    owner, steps, path = base, [], Json()
    for match in _STEP.finditer(rest):
        name, of_type, target, key, value = match.groups()
        if of_type:
            name += of_type[0].upper() + of_type[1:]
        if target:
            path["target"] = target
        if key:
            path["where"] = [key, value]
        entry = structure["types"].get(owner, {}).get(name)
        steps.append(name)
        owner = entry["type"] if entry else ""
    if base == "Resource":
        owner = {"id": "id", "language": "code", "lastUpdated": "instant", "profile": "canonical", "source": "uri"}.get(
            steps[-1], "Coding"
        )
    return {"steps": steps, "type": owner} | path


def build(package_folder: Path, output: Path) -> None:
    """Write both data files."""
    package = Package(package_folder)
    structure = build_structure(package)
    search = build_search(package, structure)
    for name, data in (("structure.json", structure), ("search.json", search)):
        (output / name).write_text(json.dumps(data, indent=1, sort_keys=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(str(resources.files("polyclinic.fhir") / "data"))
    build(Path(sys.argv[1]), target)
