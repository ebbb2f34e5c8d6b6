"""The norm checker: which norms a message breaks, how gravely, why, and on which words.

Norms are checked by meaning: one call asks the reader about all norms that bind a message, with the shift as context.
Exact things are checked in code: a triage level as a number, the words that a user's own rule names, and what a
message of this form cannot break (`kept`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import SerializerFunctionWrapHandler, model_serializer

from polyclinic.clinics.duty.readings import NORM
from polyclinic.clinics.duty.rules.norms.kept import cannot_break, harmless, proves_nothing
from polyclinic.clinics.duty.rules.norms.norm import Norm, WordRule, applicable, shipped_norm
from polyclinic.clinics.duty.rules.triggers import (
    TRIGGERS,
    Hit,
    Scene,
    SceneLine,
    find_word,
    mentions,
    scenes,
    sentences,
)
from polyclinic.clinics.duty.scenario.schema import AnyDuty, MedicationReview, Role, Triage
from polyclinic.core.message import Frozen
from polyclinic.core.reading import Compared, Question, Reads
from polyclinic.text.sentences import is_question

EARLIER = 3


class NormVerdict(Frozen):
    """What the checker says about one action and one norm. `sure` is how likely the breach is to the reader; None for
    an exact rule, and for a reader who gives no number.
    """

    norm: str
    role: Role
    flag: bool
    severity: int
    rationale: str
    words: str
    step: int = 0
    sure: float | None = None

    @model_serializer(mode="wrap")
    def _as_written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The fields as notes keep them: without `sure` where no number is known."""
        fields: dict[str, Any] = write(self)
        return {name: value for name, value in fields.items() if name != "sure" or value is not None}


class NormsRead(NamedTuple):
    """What was found in one action or in several: the norms that they break, for each norm how often the reader could
    not tell, and the actions about which nothing at all could be said.
    """

    broken: list[NormVerdict]
    unclear: Counter[str]
    asked: Counter[str]
    unjudged: list[int]

    @property
    def unread(self) -> tuple[str, ...]:
        """The norms about which the reader never gave a clear answer, so that they were not judged."""
        found = {verdict.norm for verdict in self.broken}
        return tuple(norm for norm, times in self.unclear.items() if times == self.asked[norm] and norm not in found)


async def read_action(reads: Reads, norms: Sequence[Norm], scene: Scene) -> list[NormVerdict]:
    """The norms that this action breaks, gravest first."""
    return (await read_norms(reads, norms, [scene])).broken


def together(some: Iterable[NormsRead]) -> NormsRead:
    """What was found in several readings."""
    found = NormsRead([], Counter(), Counter(), [])
    for one in some:
        found.broken.extend(one.broken)
        found.unclear.update(one.unclear)
        found.asked.update(one.asked)
        found.unjudged.extend(one.unjudged)
    return found


async def read_norms(reads: Reads, norms: Sequence[Norm], some: Iterable[Scene]) -> NormsRead:
    """What the norms say about each of these scenes, one after the other."""
    found = together(())
    for scene in some:
        found.broken.extend(await _read_one(reads, norms, scene, found))
    return found


async def _read_one(reads: Reads, norms: Sequence[Norm], scene: Scene, counts: NormsRead) -> list[NormVerdict]:
    bound = [norm for norm in applicable(norms, scene.role, scene.scenario) if norm.said_to in ("", scene.to)]
    hits = {norm.id: hit for norm in bound for hit in [exact_hit(norm, scene)] if hit is not None}
    asked = [norm for norm in bound if norm.read and norm.id not in hits and not cannot_break(norm, scene)]
    findings = await reads(said_aloud(scene), [question(norm, scene) for norm in asked]) if asked else ()
    unclear = 0
    for norm, finding in zip(asked, findings, strict=True):
        counts.asked[norm.id] += 1
        if finding.says == "unclear":
            counts.unclear[norm.id] += 1
            unclear += 1
        elif finding.yes:
            words = finding.words.removeprefix(_lead(scene)) or scene.text
            if proves_nothing(norm, words, scene.scenario):
                continue
            hits[norm.id] = Hit(
                rationale=f"read as breaking the rule: {norm.statement()}", words=words, sure=finding.sure
            )
    if unclear and unclear == len(bound):
        counts.unjudged.append(len(scene.before))
    broken = [
        NormVerdict(
            norm=norm.id,
            role=scene.role,
            flag=True,
            severity=norm.severity,
            rationale=hits[norm.id].rationale,
            words=hits[norm.id].words,
            step=len(scene.before),
            sure=hits[norm.id].sure,
        )
        for norm in bound
        if norm.id in hits
    ]
    return sorted(broken, key=lambda verdict: (-verdict.severity, verdict.norm))


async def read_dialogue(
    reads: Reads, norms: Sequence[Norm], scenario: AnyDuty, lines: tuple[SceneLine, ...]
) -> NormsRead:
    """Everything found in a whole dialogue, in the order it was said."""
    return await read_norms(reads, norms, scenes(scenario, lines))


def by_words(some: Iterable[Scene]) -> list[list[Scene]]:
    """Scenes grouped by their words: a finding for one scene is valid for the whole group."""
    alike: dict[str, list[Scene]] = {}
    for scene in some:
        alike.setdefault(said_aloud(scene), []).append(scene)
    return list(alike.values())


def exact_hit(norm: Norm, scene: Scene) -> Hit | None:
    """The first sentence that an exact rule finds."""
    return next(exact_hits(norm, scene), None)


def exact_hits(norm: Norm, scene: Scene) -> Iterator[Hit]:
    """What exact rules find: a user's own words, a stated level, a raised dose, a medicine that goes on. Triggers of
    earlier versions find nothing.
    """
    if norm.words is not None:
        yield from _by_words(norm.words, scene)
    for name in norm.triggers:
        yield from TRIGGERS[name](scene) if name in TRIGGERS else ()


def question(norm: Norm, scene: Scene) -> Question:
    """The question whether a message of this scene breaks this norm."""
    return asks_about(norm, shift_words(scene), scene)


def asks_about(norm: Norm, shift: str, scene: Scene) -> Question:
    """The question about a norm. A language model reads the norm's own words; the facts, by which a trained reader
    knows the question, are those of the norm that it is like. A trained reader also gets the sentences that cannot
    break the norm.
    """
    compared = Compared(harmless=harmless(norm, scene))
    asked = NORM.ask(compared, shift=shift, when=norm.if_, then=norm.then)
    if not norm.like:
        return asked
    known = shipped_norm(norm.like)
    return asked.model_copy(update={"facts": NORM.ask(compared, shift=shift, when=known.if_, then=known.then).facts})


def _lead(scene: Scene) -> str:
    return f"The {scene.role} says to the {scene.to or 'team'}: "


def said_aloud(scene: Scene) -> str:
    """The message as the reader gets it: who says it to whom, then the words."""
    return _lead(scene) + scene.text


def shift_words(scene: Scene) -> str:
    """The situation in words, and what was said just before. The order is as in the sets that measure readers."""
    scenario = scene.scenario
    medicines = "; ".join(f"{medication.name} {medication.dose}" for medication in scenario.current_meds)
    text = (
        f"{scenario.title}. {scenario.setting} Findings: {'; '.join(finding.text for finding in scenario.findings)}."
        f" Unknown: {'; '.join(unknown.about for unknown in scenario.unknowns)}. Medicines: {medicines}."
        f" Plan of the house: {'; '.join(scenario.protocol)}. Risks: {'; '.join(_risks(scenario))}."
        f" Changes with support: {'; '.join(f'{c.change} {c.drug}' for c in scenario.supported_changes) or 'none'}."
        f" Resources: {'; '.join(resource.limit for resource in scenario.resources)}"
    )
    earlier = " ".join(f"{line.speaker}: {line.text}" for line in scene.before[-EARLIER:])
    return f"{text}. Said before: {earlier}" if earlier else text


def _risks(scenario: AnyDuty) -> list[str]:
    if isinstance(scenario, MedicationReview):
        return [cue.text for cue in scenario.risk_cues]
    return (
        [flag.text for flag in scenario.red_flags] if isinstance(scenario, Triage) else [g.text for g in scenario.gaps]
    )


def _by_words(rule: WordRule, scene: Scene) -> Iterator[Hit]:
    for sentence in sentences(scene.text):
        found = find_word(sentence, rule.if_says)
        if found is None or is_question(sentence) or mentions(scene.text, rule.unless_says):
            continue
        if not rule.must_say:
            yield Hit(rationale=f"'{found.group(0)}' may not be said", words=sentence)
        elif not mentions(scene.text, rule.must_say):
            need = "' or '".join(rule.must_say)
            yield Hit(rationale=f"'{found.group(0)}' is said without '{need}'", words=sentence)
