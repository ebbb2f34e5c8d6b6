"""OperationOutcome: how the server reports errors and warnings."""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.core.records import Problem, RecordInvalid, RecordsError, Resource

# From our rule keys to FHIR's issue types. All other keys become `invariant`.
_ISSUE_CODES = {
    "structure": "structure",
    "required": "required",
    "value": "value",
    "code-invalid": "code-invalid",
    "reference-target": "value",
}


def outcome(severity: str, code: str, text: str, expression: str | None = None) -> Resource:
    """An OperationOutcome with one issue."""
    return {"resourceType": "OperationOutcome", "issue": [issue(severity, code, text, expression)]}


def issue(severity: str, code: str, text: str, expression: str | None = None) -> Resource:
    """One issue."""
    content: Resource = {"severity": severity, "code": code, "details": {"text": text}}
    if expression:
        content["expression"] = [expression]
    return content


def of_problems(problems: Sequence[Problem]) -> Resource:
    """The findings of a validation as an outcome. An outcome needs an issue, so there is one for 'no problem' too."""
    issues = [issue(p.severity, _ISSUE_CODES.get(p.code, "invariant"), p.message, p.expression) for p in problems]
    return {
        "resourceType": "OperationOutcome",
        "issue": issues or [issue("information", "informational", "all is well")],
    }


def of_error(error: RecordsError) -> Resource:
    """An error as an outcome."""
    if isinstance(error, RecordInvalid) and error.problems:
        return of_problems(error.problems)
    return outcome("error", error.code, str(error), error.expression)
