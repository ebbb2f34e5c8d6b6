"""What is wrong with a case, in words an author can act on. Every shipped case passes without a fault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from polyclinic.clinics.rounds.scenario.case import SPEAKS_FROM_AGE, PatientScript, TeachingCase
from polyclinic.clinics.rounds.scenario.loaders import load_cases
from polyclinic.clinics.rounds.scenario.shipped import image_bytes, shipped_cases
from polyclinic.people.one_sex import belongs_to_others
from polyclinic.people.vignette import stated_ages
from polyclinic.text.phrases import contains_phrase
from polyclinic.text.sentences import is_question

_JARGON = re.compile(
    r"\b(tachycardia|bradycardia|dyspnoea|syncope|oedema|hypotension|hypertension|haematuria|haematemesis|melaena|"
    r"thrombocytopenia|leukocytosis|aphasia|hemianopia|myocardial|infarction|arrhythmia|palpation|auscultation|"
    r"dysphagia|hemiparesis|pyrexia|diplopia|tinnitus|paraesthesia|bilirubin|troponin|creatinine)\b",
    re.IGNORECASE,
)
MAX_PICTURE_BYTES = 40_000


def _given_away(case: TeachingCase, text: str) -> str:
    return next((phrase for phrase in case.gives_away if contains_phrase(text, phrase)), "")


def _lint_question(case: TeachingCase) -> list[str]:
    faults = []
    if not 3 <= len(case.options) <= 10:
        faults.append("a case must have three to ten options")
    if len(set(case.options.values())) != len(case.options):
        faults.append("two options are the same")
    if set(case.why_not) != set(case.options) - {case.answer}:
        faults.append("why_not must have a text for every wrong option, and for no other")
    if not case.gives_away:
        faults.append("gives_away must name the words that would give the answer away")
    elif not _given_away(case, f"{case.answer_text} {case.explanation}"):
        faults.append("none of the words in gives_away is in the answer or its explanation")
    phrase = _given_away(case, case.vignette)
    if phrase:
        faults.append(f"the vignette gives the answer away: '{phrase}'")
    if len(case.explanation.split()) < 15:
        faults.append("the explanation is too short to teach from")
    return faults


def _lint_steps(case: TeachingCase) -> list[str]:
    faults = []
    if not 3 <= len(case.steps) <= 7:
        faults.append("a case must have three to seven Socratic steps")
        return faults
    order = {"observe": 0, "interpret": 1, "conclude": 2}
    if case.steps[-1].stage != "conclude" or any(step.stage == "conclude" for step in case.steps[:-1]):
        faults.append("the last step, and no other, must conclude")
    if order[case.steps[0].stage] != 0:
        faults.append("the first step must observe")
    for number, step in enumerate(case.steps, start=1):
        if not is_question(step.key_question):
            faults.append(f"step {number}: the key question is not a question")
        phrase = _given_away(case, step.key_question)
        if phrase:
            faults.append(f"step {number}: the key question gives the answer away: '{phrase}'")
    used = {step.image for step in case.steps}
    faults += [f"no step looks at the picture '{image.id}'" for image in case.images if image.id not in used]
    if len(case.pitfalls) < 2:
        faults.append("a case must name at least two pitfalls")
    return faults


def _lint_script(case: TeachingCase, script: PatientScript) -> list[str]:
    faults = []
    for line in script.lines():
        word = jargon(line)
        if word:
            faults.append(f"the patient speaks like a doctor: '{word}'")
        phrase = _given_away(case, line)
        if phrase:
            faults.append(f"the patient gives the answer away: '{phrase}'")
    age = script.demographics.age if script.demographics else None
    if age is not None and age < SPEAKS_FROM_AGE and script.informant is None:
        faults.append(f"a patient of {age} needs an informant")
    if age is not None and age not in stated_ages(case.vignette):
        faults.append(f"the script says {age} years, which the vignette does not state")
    sex = script.demographics.sex if script.demographics else None
    if sex is not None and belongs_to_others(case.answer_text, sex):
        faults.append(f"the script's patient is {sex}, who cannot have the answer '{case.answer_text}'")
    if len(script.facts) < 4:
        faults.append("a script must have at least four facts")
    if set(script.images) != {image.id for image in case.images}:
        faults.append("the script must say how each picture of the case, and no other, looked to the patient")
    if not script.persona_tags:
        faults.append("a script must have at least one persona tag")
    return faults


def _lint_images(case: TeachingCase) -> list[str]:
    faults = []
    for image in case.images:
        phrase = _given_away(case, image.caption)
        if phrase:
            faults.append(f"the caption of '{image.id}' gives the answer away: '{phrase}'")
        if len(image_bytes(case, image)) > MAX_PICTURE_BYTES:
            faults.append(f"the picture '{image.file}' is larger than {MAX_PICTURE_BYTES} bytes")
    return faults


def lint_case(case: TeachingCase) -> list[str]:
    """Every fault of one of our own cases, each starting with the case's id."""
    faults = [*_lint_question(case), *_lint_steps(case), *_lint_images(case)]
    if case.script is None:
        faults.append("it has no patient script")
    else:
        faults += _lint_script(case, case.script)
    return [f"{case.id}: {fault}" for fault in faults]


def lint_cases(cases: Sequence[TeachingCase]) -> list[str]:
    """Every fault of a collection: each case's own, and ids that appear twice."""
    faults = [fault for case in cases for fault in lint_case(case)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            faults.append(f"{case.id}: the id appears twice")
        seen.add(case.id)
    return faults


def lint(path: str) -> list[str]:
    """Every fault of a case file; of the shipped cases when no path is given."""
    return lint_cases(load_cases(Path(path)) if path else shipped_cases())


def jargon(text: str) -> str:
    """The first technical word in what a patient says; empty when there is none."""
    found = _JARGON.search(text)
    return found.group(0) if found else ""
