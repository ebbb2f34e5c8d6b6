"""What each role decides, as flat forms with the reason before the verdict. What somebody says is plain text and has no
form here.

The forms are strict: after unknown fields or wrong types the model is asked again, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, JsonValue, create_model

from polyclinic.clinics.rounds.rules.thinking import write_thinking
from polyclinic.clinics.rounds.scenario.case import TeachingStage
from polyclinic.core.reply import ASIDE, ReplyModel
from polyclinic.people.locales import Sex

_THOUGHT: dict[str, JsonValue] = {"maxLength": 120}
"""The limit for each thought. A reply has many thoughts, which share the limit on the reply's length."""
_FEW: dict[str, JsonValue] = {"maxItems": 4}
"""A limit for lists of single words, so that servers that enforce a schema end the list."""


class TutorThoughts(ReplyModel):
    """What a tutor thinks before it speaks, a few words to each part. One field for each student of the group: see
    `thoughts_about`.
    """

    def written(self, students: Sequence[str]) -> str:
        """The thoughts as a monologue in tags."""
        parts = self.model_dump()
        about = [(name, parts[f"student_{number}"]) for number, name in enumerate(students, start=1)]
        return write_thinking(parts["history"], parts["question"], about, parts["group"], parts.get("image"))


@lru_cache(maxsize=64)
def thoughts_about(students: tuple[str, ...], with_images: bool) -> type[TutorThoughts]:
    """The form for this group: no part can be left out."""
    about = {
        f"student_{number}": f"what {name} sees, misses and needs" for number, name in enumerate(students, start=1)
    }
    parts = {
        "history": "how far the group has come",
        "question": "which step is next, and what they should find",
        **about,
        "group": "what they agree on, where they differ, what all of them miss",
        **({"image": "what the pictures show, and whether the students read them rightly"} if with_images else {}),
    }
    fields: dict[str, Any] = {
        name: (str, Field(min_length=1, description=words, json_schema_extra=_THOUGHT)) for name, words in parts.items()
    }
    return create_model("TutorThoughtsNow", __base__=TutorThoughts, **fields)


class WrittenStep(ReplyModel):
    """One Socratic step as an author writes it: its words, then what kind of step it is."""

    key_question: str = Field(min_length=1, json_schema_extra=ASIDE, description="the question that leads to the step")
    step_summary: str = Field(min_length=1, json_schema_extra=ASIDE, description="what a learner should have found")
    stage: TeachingStage = Field(description="conclude only for the last step")
    image: str = Field(description="the id of the picture that the step looks at, or none")


class WrittenScript(ReplyModel):
    """A patient's story of a case, in lay words and without personality."""

    chief_complaint: str = Field(
        min_length=1, json_schema_extra=ASIDE, description="why the patient came, in the patient's words"
    )
    story: str = Field(description="how it went, in the patient's words")
    concerns: str = Field(description="what the patient would like to know or have, in the patient's words")
    informant: str = Field(description="who speaks for a small child or a patient who cannot speak; empty otherwise")
    persona_tags: tuple[str, ...] = Field(
        json_schema_extra=_FEW, description="a few plain words that say who could be this patient"
    )
    age: int | None = Field(description="the patient's age in years, if the case states it")
    sex: Sex | None = Field(description="the patient's sex, if the case states it")


class WrittenMemories(ReplyModel):
    """What a patient remembers, each with the words in a question that bring it back. One field more for each picture:
    see `memories_form`.
    """

    def facts(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The memories, each with the words that bring it back."""
        parts = self.model_dump()
        numbers = range(1, MEMORIES + 1)
        return tuple((tuple(parts[f"memory_{number}_asked"]), parts[f"memory_{number}"]) for number in numbers)

    def perceptions(self) -> tuple[str, ...]:
        """How each picture looked to the patient, in order."""
        return tuple([words for name, words in self.model_dump().items() if name.startswith("picture_")])


MEMORIES = 4


@lru_cache(maxsize=16)
def memories_form(pictures: int) -> type[WrittenMemories]:
    """The form for a case with this many pictures: no memory and no picture can be left out."""
    fields: dict[str, Any] = {}
    for number in range(1, MEMORIES + 1):
        memory = "the memory, in the patient's words"
        asked = "single words in a question that bring this memory back"
        fields[f"memory_{number}_asked"] = (
            tuple[str, ...],
            Field(min_length=1, json_schema_extra=_FEW, description=asked),
        )
        fields[f"memory_{number}"] = (str, Field(min_length=1, json_schema_extra=ASIDE, description=memory))
    for number in range(1, pictures + 1):
        fields[f"picture_{number}"] = (str, Field(description=f"how picture {number} looked or felt to the patient"))
    return create_model("WrittenMemoriesNow", __base__=WrittenMemories, **fields)


class StudentAction(ReplyModel):
    """What a student wants to know next, from the patient and from the expert. Empty where it asks nothing."""

    patient_question: str = Field(description="what you ask the patient, if anything")
    expert_question: str = Field(description="what you ask the expert about medicine in general, if anything")

    def words(self) -> str:
        """All questions as one line."""
        return " ".join(filter(None, (self.patient_question.strip(), self.expert_question.strip())))


class StudentChoice(ReplyModel):
    """A student's private answer to the case: a letter of the options; for an open question, the answer in words."""

    reason: str = Field(json_schema_extra=ASIDE)
    choice: str = Field(min_length=1, json_schema_extra=ASIDE)


class FactVerdict(ReplyModel):
    """What is medically wrong with a draft, if anything, and then whether all of it holds."""

    reason: str = Field(json_schema_extra=ASIDE, description="what is medically wrong with the words, if anything")
    verdict: Literal["correct", "wrong"] = Field(description="whether the words are medically correct")


SafetyIssue = Literal["none", "safety", "ethics", "bias", "tone", "privacy"]


class SafetyVerdict(ReplyModel):
    """What could do harm in a draft and what to say instead, if anything, and then its kind."""

    reason: str = Field(json_schema_extra=ASIDE, description="the words that could do harm, if any")
    issue: SafetyIssue = Field(description="the kind of harm, or none")


class ExpertAnswer(ReplyModel):
    """A textbook's explanation, and whether the question was one that a textbook answers."""

    explanation: str = Field(description="your answer to the question, in general")
    general: bool = Field(description="whether it is a question of general knowledge")
