"""A teaching case: the question, the tutor's steps through it, and the patient's own memory of it. All frozen data."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from polyclinic.core.message import Frozen
from polyclinic.core.scenario import Scenario
from polyclinic.people.locales import Sex

TeachingStage = Literal["observe", "interpret", "conclude"]
Split = Literal["train", "test"]

SPEAKS_FROM_AGE = 12
"""Younger patients do not tell their own story: somebody who knows them does."""


class SocraticStep(Frozen):
    """One milestone of reasoning. Only the tutor, the reviewers and the judges ever see it."""

    stage: TeachingStage
    key_question: str
    step_summary: str
    image: str | None = None


class CaseImage(Frozen):
    """A picture. `caption` says what was recorded, never what it shows. `source`: what it was drawn from."""

    id: str
    file: str
    modality: str
    caption: str
    source: str = ""


class Pitfall(Frozen):
    """A common error about this case, with what is right. The specialist watches for it."""

    wrong: str
    right: str


class Demographics(Frozen):
    """Age and sex, only if the case states them."""

    age: int | None = None
    sex: Sex | None = None


class Informant(Frozen):
    """Who speaks when the patient cannot: a child, an unconscious or a confused patient."""

    relation: str
    why: str
    age: int | None = None
    sex: Sex | None = None


class Fact(Frozen):
    """One memory, with the words in a question that bring it back."""

    about: tuple[str, ...]
    says: str


class PatientScript(Frozen):
    """Everything the patient knows, in lay words; free of personality, so that any fitting persona can speak it."""

    demographics: Demographics | None = None
    informant: Informant | None = None
    persona_tags: tuple[str, ...] = ()
    chief_complaint: str
    story: str
    facts: tuple[Fact, ...] = ()
    concerns: str = ""
    images: dict[str, str] = Field(default_factory=dict)

    @property
    def speaker(self) -> Demographics:
        """Age and sex of the speaker: the informant's if there is one, else the patient's."""
        if self.informant is not None:
            return Demographics(age=self.informant.age, sex=self.informant.sex)
        return self.demographics or Demographics()

    def lines(self) -> list[str]:
        """Every sentence the patient may say."""
        return [
            self.chief_complaint,
            self.story,
            *(fact.says for fact in self.facts),
            self.concerns,
            *self.images.values(),
        ]


class TeachingCase(Scenario):
    """A clinical question and everything that is taught about it.

    With `options`, `answer` is a letter; without, it is the expected words. Cases from other collections come without
    steps and script: the author role writes them when the episode starts.
    """

    title: str
    specialty: str
    split: Split = "train"
    source: str = "polyclinic"
    vignette: str
    question: str
    options: dict[str, str] = Field(default_factory=dict)
    answer: str
    why_not: dict[str, str] = Field(default_factory=dict)
    explanation: str = ""
    gives_away: tuple[str, ...] = ()
    images: tuple[CaseImage, ...] = ()
    steps: tuple[SocraticStep, ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    script: PatientScript | None = None
    image_folder: str = ""

    @model_validator(mode="after")
    def _answer_is_an_option(self) -> Self:
        if self.options and self.answer not in self.options:
            raise ValueError(f"{self.id}: the answer {self.answer!r} is not one of {', '.join(self.options)}")
        known = {image.id for image in self.images}
        for step in self.steps:
            if step.image is not None and step.image not in known:
                raise ValueError(f"{self.id}: a step names the image {step.image!r}, which the case does not have")
        return self

    def introduction(self) -> str:
        """The specialty and the beginning of what everybody may read."""
        return f"{self.specialty}: {self.vignette}"

    @property
    def answer_text(self) -> str:
        """The right answer in words."""
        return self.options.get(self.answer, self.answer)

    @property
    def whole_script(self) -> PatientScript:
        """The patient's script. If a case has none, the author writes it before the session begins."""
        if self.script is None:
            raise ValueError(f"{self.id}: the case has no script yet")
        return self.script

    def public_text(self) -> str:
        """What everybody in the room may read."""
        return f"{self.vignette}\n{self.question}"
