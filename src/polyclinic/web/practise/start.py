"""What a person who wants to practise asks for, and the run that it becomes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from polyclinic.core.live import Body
from polyclinic.runner.plan.config import RunConfig, make_config
from polyclinic.runner.plan.run_plan import MINUTES, WHO
from polyclinic.runner.registry import load_clinic
from polyclinic.web.catalogue import case_selector, seat_of


class StartPractise(Body):
    """What to play: the person's own part, the case, and who plays the others."""

    clinic: str = Field(max_length=100)
    part: str = Field(max_length=100)
    case: str = Field("", max_length=200)
    way: str = Field("", max_length=100)
    seed: int = Field(0, ge=0, lt=2**63)
    others: str = Field("all=understudy", max_length=1_000, description="a cast, as for --cast")
    who: str = Field("", max_length=80)
    minutes: int = Field(0, ge=0, le=600, description="how long the station lasts; 0: no limit")
    language: Literal["en", "ko"] = "en"


class Begun(BaseModel):
    """The id of a new run: a session with a person, or a run of models alone."""

    id: str


def practise_config(body: StartPractise, store: str) -> RunConfig:
    """The config of the run: one episode, with the person in their seat."""
    clinic = load_clinic(body.clinic)
    seat = seat_of(clinic, body.part)
    options = {WHO: body.who.strip(), MINUTES: str(body.minutes) if body.minutes else ""}
    return make_config(
        {
            "clinic": clinic.name,
            "variants": (body.way or clinic.first_variant,),
            "scenarios": case_selector(clinic, body.part, body.language, body.case),
            "seed": body.seed,
            "cast": f"{seat}=human,{body.others or 'all=understudy'}",
            "options": {name: value for name, value in options.items() if value},
            "concurrency": 1,
            "store": store,
        }
    )
