"""What an educator chose for a class; it is stored without changes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.errors import ConfigError
from polyclinic.runner.plan.config import RunConfig
from polyclinic.runner.plan.run_plan import plan_run
from polyclinic.runner.registry import load_clinic
from polyclinic.store.store import Store
from polyclinic.web.cases.folder import CaseFolder
from polyclinic.web.catalogue import CaseShown, cases_to_play
from polyclinic.web.practise.start import StartPractise, practise_config

MOST_CASES = 20


class ClassSettings(Body):
    """The part that all trainees take, the cases in their order, and who plays the others."""

    title: str = Field("", max_length=120)
    clinic: str = Field(max_length=100)
    part: str = Field(max_length=100)
    cases: list[str] = Field(default_factory=list, max_length=MOST_CASES, description="none: the first case")
    way: str = Field("", max_length=100)
    seed: int = Field(0, ge=0, lt=2**63)
    others: str = Field("all=understudy", max_length=1_000, description="a cast, as for --cast")
    minutes: int = Field(0, ge=0, le=600, description="how long each station lasts; 0: no limit")
    language: Literal["en", "ko"] = "en"
    educator: str = Field("", max_length=80)

    def config(self, case: str, who: str, store: str) -> RunConfig:
        """The run of one trainee in a case; `case` is the selector."""
        chosen = self.model_dump(include=set(StartPractise.model_fields))
        return practise_config(StartPractise(**chosen, case=case, who=who), store)


class ClassBody(BaseModel):
    """What the store keeps of a class: the choices, how clinic and cases are introduced, and the cases' selectors."""

    settings: ClassSettings
    clinic_title: str
    cases: list[CaseShown]
    selectors: list[str]


async def class_body(store: Store, folder: CaseFolder, given: ClassSettings) -> ClassBody:
    """The stored form of a new class. Every case is planned first, so that each can be played."""
    clinic = load_clinic(given.clinic)
    cases = list(dict.fromkeys(given.cases))
    if not cases:
        cases = [case.id for case in cases_to_play(clinic, given.part, given.language, given.seed)[:1]]
    settings = given.model_copy(update={"cases": cases, "title": given.title.strip() or clinic.title})
    shown, selectors = [], [folder.selector(clinic, case) for case in cases]
    for case, selector in zip(cases, selectors, strict=True):
        plan = await plan_run(store, settings.config(selector, "", store.url))
        if not plan.scenarios:
            raise ConfigError(f"“{case}” selects no case")
        found = next((scenario for scenario in plan.scenarios if scenario.id == selector), plan.scenarios[0])
        shown.append(CaseShown(id=case, introduction=found.introduction()))
    return ClassBody(settings=settings, clinic_title=clinic.title, cases=shown, selectors=selectors)
