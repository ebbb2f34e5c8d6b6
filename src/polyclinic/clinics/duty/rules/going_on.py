"""Advice to go on with a medicine that the plan of the shift takes away: "carry on with the lithium".

A medicine is taken away if the evidence of the shift supports to stop or to hold it and a step of the plan says so
("take no lithium", not "two more mornings of it, then stop"). Only plain advice is found here: a question, a condition
("once we have the result") and what somebody used to do are no advice to go on. The rest is left to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from polyclinic.clinics.duty.scenario.schema import AnyDuty
from polyclinic.text.normal import normalise
from polyclinic.text.sentences import is_question, sentences
from polyclinic.text.words import words

AWAY = ("stop", "hold")
STOPS = r"stop|hold|pause|skip|leave out|take no|(?:do not|don't) (?:take|use)|no more"
"""How a sentence stops a medicine."""
_STOPS = re.compile(rf"\b(?:{STOPS}|use no|leave\b.*\bout)\b")
_KINDS = ("tablet", "tablets", "painkiller", "painkillers", "antibiotic")
_CLAUSE = re.compile(r"[,;:]|\b(?:and|but|so)\b(?! (?:the|your)\b)")
_LATER = re.compile(
    r"\b(?:once|if|when|after|as soon as)\b.{0,40}?"
    r"\b(?:levels?|results?|tests?|call|called|phone|ring|hear|told|tell|doctor|attending|confirm\w*|says?|normal)\b"
)
"""What is to happen only later, when somebody knows more."""
_WHO = r"(?:you|he|she|they|we|the patient)"
_LEAD = (
    rf"(?:(?:please|then|now|just|simply|safely|still|also|meanwhile|for now|tonight|today|yes|okay|ok|well|"
    rf"{_WHO} (?:should|can|may|must|will|could|need to|have to|ought to)|we(?:'ll)?|i(?:'d| would)|"
    r"i (?:want|advise) (?:you|him|her|them|the patient) to|i(?:'d| would) like (?:you|him|her|them) to|"
    r"(?:my advice is|it(?:'s| is) (?:fine|safe|best|all right|ok|okay)) to|"
    r"tell (?:him|her|them|the patient) to|let (?:him|her|them))[ ,]+)*"
)
_GOES_ON = r"(?:go on|carry on|continue|keep on|keep(?: on)? (?:taking|using)|keep up|stay on|restart|resume|keep)"
_TAKES = r"(?:take|use|swallow|inject)"
_REFUSES = r"(?:(?:do not|don't|never|no need to|no reason to|not) (?:stop|skip|miss|pause|hold|leave out|omit))"
_BETWEEN = (
    r"(?: (?:with|on|taking|using|the|your|his|her|this|that|both|usual|normal|new|same|one|two|half|a|of|dose|"
    r"tablets?|tonight's|evening|nightly|daily|\d+|mg|milligrams?))*"
)
_NO_MEDICINE = r"(?! (?:levels?|tests?|results?|blood|readings?|clinic|toxicity|poisoning))"
_KEPT_AWAY = re.compile(r"\bkeep\b.*\b(?:away|out|off|aside|back|hidden)\b")
_NOT_FOREVER = re.compile(r"\b(?:for good|for ?ever|suddenly|on your own|by yourself|without)\b")
_ALL = (
    r"everything|all (?:of )?(?:your|the) (?:tablets|medicines|pills|medication)|your (?:tablets|medicines|pills)|"
    r"both(?: of (?:them|these))?(?: (?:tablets|medicines|pills))?|(?:the|your) two (?:tablets|medicines|pills)"
)
_AS_BEFORE = re.compile(
    rf"{_LEAD}(?:go on|carry on|continue|keep on|keep going) (?:just |exactly )?(?:as|like) "
    r"(?:you are|you were|you have been|before|now|usual|always)\b"
)


def taken_away(scenario: AnyDuty) -> tuple[str, ...]:
    """The medicines that the plan of a shift takes away."""
    plan = [normalise(step) for step in (*scenario.protocol, *scenario.house_rules)]
    drugs = (change.drug.lower() for change in scenario.supported_changes if change.change in AWAY)
    return tuple(drug for drug in drugs if any(_stops(step, drug) for step in plan))


def _stops(step: str, drug: str) -> bool:
    stop = _STOPS.search(step)
    return stop is not None and drug in step[stop.start() :]


def _names(scenario: AnyDuty) -> tuple[str, ...]:
    """How these medicines are named: by name, or as the evidence of the shift describes them ("water tablet")."""
    reasons = [words(change.why) for change in scenario.supported_changes if change.change in AWAY]
    described = {f"{one} {kind}" for why in reasons for one, kind in pairwise(why) if kind in _KINDS}
    return (*taken_away(scenario), *sorted(described))


def told_to_go_on(text: str, scenario: AnyDuty) -> Iterator[tuple[str, str]]:
    """The medicine that a sentence tells somebody to go on with although the plan takes it away, and the sentence."""
    away = taken_away(scenario)
    for sentence in sentences(text, semicolons=True, lines=False) if away else ():
        said = normalise(sentence).replace("’", "'").rstrip(".!")
        if is_question(sentence) or _LATER.search(said) or _KEPT_AWAY.search(said):
            continue
        for clause in _CLAUSE.split(said):
            found = _advised(clause.strip(), _names(scenario))
            if not found and set(away) & {medicine.name.lower() for medicine in scenario.current_meds}:
                found = _all_of_them(clause.strip(), text, away)
            if found:
                yield found, sentence
                break


def _advised(clause: str, names: tuple[str, ...]) -> str:
    which = "|".join(map(re.escape, names))
    going = re.match(rf"{_LEAD}(?:{_GOES_ON}|{_TAKES}){_BETWEEN} (?P<drug>{which})\b{_NO_MEDICINE}", clause)
    kept = re.search(rf"\b{_REFUSES}{_BETWEEN} (?P<drug>{which})\b", clause)
    if going:
        return going["drug"]
    return kept["drug"] if kept and not _NOT_FOREVER.search(clause) else ""


def _all_of_them(clause: str, text: str, away: tuple[str, ...]) -> str:
    """The first medicine where all are to be taken as before, and nothing in the message takes one away."""
    every = re.match(rf"{_LEAD}(?:{_GOES_ON}|{_TAKES})(?: (?:with|on|taking|using))* (?:{_ALL})\b", clause)
    return away[0] if (every or _AS_BEFORE.match(clause)) and not _STOPS.search(normalise(text)) else ""
