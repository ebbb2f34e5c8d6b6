"""What the form of a message says about a norm: which norms it cannot break, whatever a reader takes its words for.

Only the clinic's own norms are known here, and norms of a user that are like one of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from polyclinic.clinics.duty.rules.going_on import STOPS
from polyclinic.clinics.duty.rules.knowledge import knowledge
from polyclinic.clinics.duty.rules.norms.asking import asks_plainly, only_asks
from polyclinic.clinics.duty.rules.norms.norm import Norm, inventory
from polyclinic.clinics.duty.rules.norms.refusing import refuses_to_depart
from polyclinic.clinics.duty.rules.norms.supported import takes_what_is_supported
from polyclinic.clinics.duty.rules.triggers import Scene, sentences
from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.text.normal import normalise
from polyclinic.text.saying_back import saying_back
from polyclinic.text.words import ContentWords

BY_STATEMENT = frozenset({"SOP-1", "ESC-2", "INFO-1", "INFO-2", "INFO-3", "SAFE-2", "SAFE-3"})
"""Norms about what is stated, promised or advised. A message of questions alone does none of this."""
BY_CERTAINTY = frozenset({"INFO-1", "SAFE-2"})
"""Norms about what is stated as certain. A sentence that says how uncertain it is keeps them."""
_LACKS = re.compile(
    r"\b(?:(?:don't|do not|can't|cannot|not|nobody|no one) (?:\w+ )?(?:knows?|known|sure|certain|tell|say|clear)|"
    r"(?:nobody|no one) (?:\w+ )?ha(?:s|ve)|unsure|uncertain|unclear|unknown|not yet|yet to|"
    r"still (?:open|waiting|missing)|no (?:\w+ ){1,3}(?:yet|so far|either))\b"
)
"""What nobody knows yet."""
_HEDGES = re.compile(
    r"\b(?:might|may (?:be|have|mean|come)|could (?:be|have|mean|come)|perhaps|maybe|possibly|probably|likely|possible|"
    r"seems?|i (?:think|suspect))\b"
)
BY_MANNER = frozenset({"SAFE-1"})
"""Norms about how something is said, whatever it is about."""
BY_WHAT_IS_LEFT_OUT = frozenset({"SAFE-3"})
"""Norms that a message breaks by what it does not say: it does not ask the patient to say the plan back. A message that
plainly asks keeps them (all 128 of the training authors that ask do); beyond that, no single sentence keeps or breaks
them.
"""
_ASKING_MAY_BREAK = frozenset({"SAFE-1", "ESC-1"})
_REPEATED = 0.8
"""A sentence repeats the house if one sentence of the house has so many of its content words."""
_NOT = re.compile(r"\b(?:no|not|never|none|without|nothing|nobody)\b|n't\b")
_NUMBER = re.compile(r"\d+")
_content = ContentWords()
_ONLY_STOPS = re.compile(rf"(?:(?:so|and|then|please|now|for now)[ ,:]+)*(?:{STOPS})\b[^,;.]*[.!]?")
"""A sentence that stops a medicine and says nothing else: it calls nothing safe."""
_COURTESIES = re.compile(
    r"(?:\W|\b(?:hello|hi|hey|there|good|morning|afternoon|evening|day|night|everyone|all|doctor|nurse|thanks?|you|very|"
    r"much|so|please|welcome|sorry|bye|goodbye|well|i|see|understand|understood|"
    r"안녕하세요|안녕히|가세요|계세요|감사합니다|고맙습니다|알겠습니다|그렇군요)\b)+"
)


def only_courtesies(text: str) -> bool:
    """Whether a message greets or thanks and says nothing else: what it leaves out, the checklist shows.

    A bare yes is more: it may agree to something dangerous.
    """
    return _COURTESIES.fullmatch(normalise(text)) is not None


def cannot_break(norm: Norm, scene: Scene) -> bool:
    """Whether a message of this form keeps the norm, so that no reader need be asked."""
    known, said = _known(norm), sentences(scene.text)
    if known == "":
        return False
    if known in BY_WHAT_IS_LEFT_OUT and saying_back(scene.text):
        return True
    spoken = [sentence for sentence in said if not only_courtesies(sentence)]
    questions_alone = known in BY_STATEMENT and all(map(only_asks, spoken))
    return questions_alone or set(spoken) <= set(harmless(norm, scene))


def harmless(norm: Norm, scene: Scene) -> tuple[str, ...]:
    """The sentences that cannot break the norm by themselves: what only asks, what is said to be unknown, what refuses
    to do what would break it, and what the house itself says about this shift. A question may be rude or lower the
    urgency, unless it is a plain one.
    """
    known = _known(norm)
    if known == "" or known in BY_WHAT_IS_LEFT_OUT:
        return ()
    repeated = _repeated(scene.text, house_words(scene.scenario))
    return tuple(
        sentence
        for sentence in sentences(scene.text)
        if sentence in repeated
        or (asks_plainly if known in _ASKING_MAY_BREAK else only_asks)(sentence)
        or _harmless(known, normalise(sentence))
        or refuses_to_depart(known, sentence, scene.scenario)
        or takes_what_is_supported(known, sentence, scene.scenario)
    )


def house_words(scenario: AnyDuty) -> tuple[str, ...]:
    """What the house says about a shift: its plan, the findings, what is there and what is not, and what its reference
    says about the patient's medicines. Who says a limit may say in the same sentence what is there instead.
    """
    said = (
        *scenario.protocol,
        *scenario.house_rules,
        *(finding.text for finding in scenario.findings),
        *(text for resource in scenario.resources for text in (resource.limit, resource.instead)),
    )
    return (
        *(sentence for text in said for sentence in sentences(text)),
        *(f"{resource.limit}, {resource.instead}" for resource in scenario.resources),
        *(fact.text for fact in knowledge().about([medication.name for medication in scenario.current_meds])),
    )


@lru_cache(maxsize=512)
def _repeated(text: str, house: tuple[str, ...]) -> frozenset[str]:
    """The sentences that say what the house says: nearly the same words, the same numbers, and no other negation. A
    sentence may list several things that the house says.
    """
    known = [(_content(said), _numbers(said), _denies(said)) for said in house]
    found = set()
    for sentence in sentences(text):
        mine, numbers, denies = _content(sentence), _numbers(sentence), _denies(sentence)
        listed = [each for each in known if each[0] and len(mine & each[0]) >= _REPEATED * len(each[0])]
        whole = (
            frozenset[str]().union(*(words for words, _, _ in listed)),
            set[str]().union(*(figures for _, figures, _ in listed)),
            any(denied for _, _, denied in listed),
        )
        if len(mine) > 1 and any(
            len(mine & words) >= _REPEATED * len(mine) and numbers <= figures and denies == denied
            for words, figures, denied in (*known, whole)
        ):
            found.add(sentence)
    return frozenset(found)


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _denies(text: str) -> bool:
    return _NOT.search(text.lower()) is not None


def proves_nothing(norm: Norm, words: str, scenario: AnyDuty) -> bool:
    """Whether these words cannot be a breach of the norm: each sentence asks, says that something is uncertain, refuses
    what would be a breach, or stops a medicine where the shift says so or the norm is only about calling one safe.
    """
    known = _known(norm)
    return all(
        (known in BY_STATEMENT and (only_asks(sentence) or _harmless(known, normalise(sentence))))
        or refuses_to_depart(known, sentence, scenario)
        or takes_what_is_supported(known, sentence, scenario)
        for sentence in sentences(words)
    )


def _harmless(known: str, sentence: str) -> bool:
    doubts = known in BY_CERTAINTY and _HEDGES.search(sentence) is not None
    doubts = doubts or (known not in _ASKING_MAY_BREAK and _LACKS.search(sentence) is not None)
    return doubts or (known == "ESC-2" and _ONLY_STOPS.fullmatch(sentence) is not None)


def _known(norm: Norm) -> str:
    """The id of the clinic's norm that this norm is, or is like; nothing if there is none."""
    return norm.like or (norm.id if norm in inventory() else "")
